//! Detects statuses that alternate without progress in time (docs/METHOD.md, section 4.5).

use super::trial::EventFunctionKind;

/// A status that ends within this fraction of the standard step makes no progress.
pub(super) const STALL: f64 = 1e-6;

/// Capacity: different functions that end statuses without progress.
const MAX_STALLED: usize = 8;

/// Event functions that ended statuses without progress in time, and how often each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StallDetector {
    seen: [Option<(EventFunctionKind, u32)>; MAX_STALLED],
    /// Time of the first of them, s.
    pub since: f64,
}

impl StallDetector {
    /// None yet, at a time.
    pub fn from(time: f64) -> Self {
        Self {
            since: time,
            ..Self::default()
        }
    }

    /// Counts a function; returns its count, or the maximum if there are too many functions.
    pub fn count(&mut self, what: EventFunctionKind) -> u32 {
        for seen in &mut self.seen {
            match seen {
                None => {
                    *seen = Some((what, 1));
                    return 1;
                }
                Some((known, times)) if *known == what => {
                    *times += 1;
                    return *times;
                }
                Some(_) => {}
            }
        }
        u32::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_counted_one_by_one_and_have_no_room_without_end() {
        let mut stall_detector = StallDetector::default();
        for contact in 0..MAX_STALLED {
            assert_eq!(stall_detector.count(EventFunctionKind::Sliding(contact)), 1);
        }
        assert_eq!(stall_detector.count(EventFunctionKind::Sliding(2)), 2);
        assert_eq!(stall_detector.count(EventFunctionKind::Sliding(2)), 3);
        assert_eq!(stall_detector.count(EventFunctionKind::Cone(2)), u32::MAX);
    }
}
