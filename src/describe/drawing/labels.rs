//! Where names go: beside what they name, off each other and off arrows.

use super::canvas::{Point, TEXT_HEIGHT, text_width};
use super::view::FRAME;

/// Left, top, right, bottom.
type Area = [f64; 4];

/// Areas that are taken.
#[derive(Default)]
pub struct Labels {
    taken: Vec<Area>,
}

impl Labels {
    /// Keeps names off a disc.
    pub fn take_around(&mut self, centre: Point, radius: f64) {
        let [x, y] = centre;
        self.taken
            .push([x - radius, y - radius, x + radius, y + radius]);
    }

    /// Keeps names off a line, by discs along it.
    pub fn take_line(&mut self, a: Point, b: Point, half_width: f64) {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let n = ((dx * dx + dy * dy).sqrt() / 8.0).clamp(1.0, 400.0) as usize;
        for i in 0..=n {
            let s = i as f64 / n as f64;
            let at = [a[0] + s * dx, a[1] + s * dy];
            self.take_around(at, half_width.max(4.0));
        }
    }

    /// Lower left corner for a name beside a point: the place nearby with the least in its way.
    pub fn place(&mut self, near: Point, text: &str) -> Point {
        let width = text_width(text);
        let mut best = (f64::INFINITY, near);
        for distance in [11.0, 18.0, 30.0, 46.0] {
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
        self.taken.push(area(best.1, width));
        best.1
    }

    // covered pixels, those outside the frame twice
    fn cost(&self, wanted: Area) -> f64 {
        let covered: f64 = self.taken.iter().map(|other| overlap(wanted, *other)).sum();
        let all = (wanted[2] - wanted[0]) * (wanted[3] - wanted[1]);
        covered + 2.0 * (all - overlap(wanted, FRAME))
    }
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
