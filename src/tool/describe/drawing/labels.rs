//! Placement of labels: next to their targets, without overlap of other labels and arrows.

use super::canvas::{Point, TEXT_HEIGHT, text_width};
use super::view::FRAME;

/// Left, top, right, bottom.
type Area = [f64; 4];

/// With more bodies than this, only the first and the last one are labelled: labels would hide the bodies.
const MOST_NAMES: usize = 20;

/// Labels further than this from their target have a leader line, pixels.
const FAR: f64 = 24.0;

/// Distance of the end of the leader line from its target, pixels.
const SHORT_OF: f64 = 7.0;

/// Is this body labelled?
pub fn is_named(body: usize, n_bodies: usize) -> bool {
    n_bodies <= MOST_NAMES || body == 0 || body + 1 == n_bodies
}

/// Position of a label.
pub struct Name {
    /// Its lower left corner.
    pub at: Point,
    /// Leader line from the label to its target.
    pub leader: Option<[Point; 2]>,
}

/// Occupied areas.
#[derive(Default)]
pub struct Labels {
    /// Areas of lines and discs.
    taken: Vec<Area>,
    /// Areas of labels, which never overlap.
    names: Vec<Area>,
}

impl Labels {
    /// Reserves the area of a disc.
    pub fn take_around(&mut self, centre: Point, radius: f64) {
        let [x, y] = centre;
        self.taken
            .push([x - radius, y - radius, x + radius, y + radius]);
    }

    /// Reserves the area of a line by discs along it.
    pub fn take_line(&mut self, a: Point, b: Point, half_width: f64) {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let n = ((dx * dx + dy * dy).sqrt() / 8.0).clamp(1.0, 400.0) as usize;
        for i in 0..=n {
            let s = i as f64 / n as f64;
            let at = [a[0] + s * dx, a[1] + s * dy];
            self.take_around(at, half_width.max(4.0));
        }
    }

    /// Position for a label near a point, with the least overlap; `None` if other labels leave no room.
    pub fn place(&mut self, near: Point, text: &str) -> Option<Name> {
        let width = text_width(text);
        let mut best = (f64::INFINITY, near);
        for distance in [11.0, 18.0, 30.0, 46.0, 66.0, 90.0] {
            for (dx, dy) in [
                (1.0, -1.0),
                (-1.0, -1.0),
                (1.0, 1.0),
                (-1.0, 1.0),
                (0.0, -1.0),
                (0.0, 1.0),
                (1.0, 0.0),
                (-1.0, 0.0),
            ] {
                let middle = [
                    near[0] + dx * (distance + 0.5 * width),
                    near[1] + dy * (distance + 0.5 * TEXT_HEIGHT),
                ];
                let at = [middle[0] - 0.5 * width, middle[1] + 0.5 * TEXT_HEIGHT];
                let away = [middle[0] - near[0], middle[1] - near[1]];
                let away = (away[0] * away[0] + away[1] * away[1]).sqrt();
                let cost = self.cost(area(at, width)) + away;
                if cost < best.0 {
                    best = (cost, at);
                }
            }
        }
        if best.0 == f64::INFINITY {
            return None;
        }
        let own = area(best.1, width);
        self.names.push(own);
        let leader = leader(own, near);
        if let Some([from, to]) = leader {
            self.take_line(from, to, 4.0);
        }
        Some(Name { at: best.1, leader })
    }

    // overlap in pixels; never on another label or outside the frame
    fn cost(&self, wanted: Area) -> f64 {
        let all = (wanted[2] - wanted[0]) * (wanted[3] - wanted[1]);
        let is_on_a_name = self.names.iter().any(|name| overlap(wanted, *name) > 0.0);
        if is_on_a_name || overlap(wanted, FRAME) < all {
            return f64::INFINITY;
        }
        self.taken.iter().map(|other| overlap(wanted, *other)).sum()
    }
}

// leader line from the edge of the label, if its target is far
fn leader([left, top, right, bottom]: Area, near: Point) -> Option<[Point; 2]> {
    let from = [near[0].clamp(left, right), near[1].clamp(top, bottom)];
    let (dx, dy) = (near[0] - from[0], near[1] - from[1]);
    let length = (dx * dx + dy * dy).sqrt();
    let part = 1.0 - SHORT_OF / length;
    (length > FAR).then(|| [from, [from[0] + part * dx, from[1] + part * dy]])
}

fn area(at: Point, width: f64) -> Area {
    [
        at[0] - 2.0,
        at[1] - TEXT_HEIGHT - 2.0,
        at[0] + width + 2.0,
        at[1] + 3.0,
    ]
}

fn overlap(a: Area, b: Area) -> f64 {
    let width = a[2].min(b[2]) - a[0].max(b[0]);
    let height = a[3].min(b[3]) - a[1].max(b[1]);
    width.max(0.0) * height.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_one_place_are_not_on_each_other_and_the_last_ones_are_left_out() {
        let mut labels = Labels::default();
        let near = [0.5 * (FRAME[0] + FRAME[2]), 0.5 * (FRAME[1] + FRAME[3])];
        let placed: Vec<Option<Name>> = (0..60).map(|_| labels.place(near, "crankshaft")).collect();
        let n = placed.iter().flatten().count();
        println!("{n} of 60 names");
        assert!((9..60).contains(&n));
        assert!(placed.iter().flatten().any(|name| name.leader.is_some()));
        let names = &labels.names;
        for (i, a) in names.iter().enumerate() {
            assert!(names[..i].iter().all(|b| overlap(*a, *b) == 0.0));
            assert!(a[0] >= FRAME[0] && a[2] <= FRAME[2]);
        }
    }

    #[test]
    fn of_many_bodies_the_first_and_the_last_are_named() {
        let named = |n: usize| (0..n).filter(|i| is_named(*i, n)).count();
        assert_eq!([named(3), named(20), named(200)], [3, 20, 2]);
    }
}
