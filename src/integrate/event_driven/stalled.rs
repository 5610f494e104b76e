//! Statuses that follow each other without end (docs/METHOD.md, section 4.5).

use super::trial::EventFunctionKind;

/// A status that ends within this fraction of the standard step has not moved the run on.
pub(super) const STALL: f64 = 1e-6;

/// Different functions that may do so one after the other.
const MOST_STALLED: usize = 8;

/// Event functions that ended a stretch of no length to speak of, one after the other, and how often each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stalled {
    seen: [Option<(EventFunctionKind, u32)>; MOST_STALLED],
    /// The first of them, s.
    pub since: f64,
}

impl Stalled {
    /// None yet, at a time.
    pub fn from(time: f64) -> Self {
        Self {
            since: time,
            ..Self::default()
        }
    }

    /// Notes a function; how often it was there, or that there is no end of them.
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
        let mut stalled = Stalled::default();
        for contact in 0..MOST_STALLED {
            assert_eq!(stalled.count(EventFunctionKind::Sliding(contact)), 1);
        }
        assert_eq!(stalled.count(EventFunctionKind::Sliding(2)), 2);
        assert_eq!(stalled.count(EventFunctionKind::Sliding(2)), 3);
        assert_eq!(stalled.count(EventFunctionKind::Cone(2)), u32::MAX);
    }
}
