//! Transformation from metres to pixels, and the axes.

use super::canvas::{Canvas, Colour, Point, TEXT_HEIGHT, text_width};
use crate::math::Vec2;

/// Width of the picture in pixels.
pub const WIDTH: u32 = 640;
/// Height of the picture in pixels.
pub const HEIGHT: u32 = 480;

/// Frame of the drawing: left, top, right, bottom.
pub const FRAME: [f64; 4] = [58.0, 14.0, 626.0, 436.0];

/// Margin between the scene and the frame in pixels, for labels and arrows.
const MARGIN: f64 = 64.0;

/// Maximum number of ticks of an axis.
const MOST_TICKS: u32 = 20;

/// Minimum distance of ticks in pixels.
const TICKS: f64 = 64.0;

const GRID: Colour = [236, 239, 242];
const AXIS: Colour = [90, 100, 110];

/// Scale and position of the world in the picture.
pub struct View {
    /// Pixels per metre.
    pub scale: f64,
    /// The centre of the frame, m.
    centre: Vec2,
}

impl View {
    /// Shows all the points, or a metre around a single one.
    pub fn around(points: &[Vec2]) -> Self {
        let mut low = Vec2::new(f64::INFINITY, f64::INFINITY);
        let mut high = -low;
        for p in points {
            low = Vec2::new(low.x.min(p.x), low.y.min(p.y));
            high = Vec2::new(high.x.max(p.x), high.y.max(p.y));
        }
        if points.is_empty() {
            (low, high) = (Vec2::new(0.0, 0.0), Vec2::new(0.0, 0.0));
        }
        let size = high - low;
        let [left, top, right, bottom] = FRAME;
        let fit = |pixels: f64, metres: f64| (pixels - 2.0 * MARGIN) / metres;
        let scale = fit(right - left, size.x).min(fit(bottom - top, size.y));
        Self {
            scale: if scale.is_finite() && scale > 0.0 {
                scale
            } else {
                160.0
            },
            centre: (low + high) * 0.5,
        }
    }

    /// Maps a point of the world to the picture.
    pub fn pixel(&self, p: Vec2) -> Point {
        let [left, top, right, bottom] = FRAME;
        let from_centre = (p - self.centre) * self.scale;
        [
            0.5 * (left + right) + from_centre.x,
            0.5 * (top + bottom) - from_centre.y,
        ]
    }

    /// Maps a point of the picture to the world.
    pub fn world(&self, p: Point) -> Vec2 {
        let [left, top, right, bottom] = FRAME;
        let from_centre = Vec2::new(p[0] - 0.5 * (left + right), 0.5 * (top + bottom) - p[1]);
        self.centre + from_centre / self.scale
    }

    /// Lines at round numbers of metres.
    pub fn grid(&self, canvas: &mut Canvas) {
        let [left, top, right, bottom] = FRAME;
        for (_, x, _) in self.ticks(0) {
            canvas.line(&[[x, top], [x, bottom]], GRID, 1.0);
        }
        for (_, y, _) in self.ticks(1) {
            canvas.line(&[[left, y], [right, y]], GRID, 1.0);
        }
    }

    /// The frame with ticks, numbers and units; clears everything outside.
    pub fn axes(&self, canvas: &mut Canvas) {
        let [left, top, right, bottom] = FRAME;
        let (width, height) = (f64::from(WIDTH), f64::from(HEIGHT));
        for [x0, y0, x1, y1] in [
            [0.0, 0.0, left, height],
            [right, 0.0, width, height],
            [0.0, 0.0, width, top],
            [0.0, bottom, width, height],
        ] {
            canvas.area(&[[x0, y0], [x1, y0], [x1, y1], [x0, y1]], [255; 3]);
        }
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        canvas.outline(&corners, AXIS, 1.0);
        let below = bottom + 10.0 + TEXT_HEIGHT;
        for (value, x, digits) in self.ticks(0) {
            canvas.line(&[[x, bottom], [x, bottom + 4.0]], AXIS, 1.0);
            let text = format!("{value:.digits$}");
            canvas.text([x - 0.5 * text_width(&text), below], &text, AXIS);
        }
        for (value, y, digits) in self.ticks(1) {
            canvas.line(&[[left - 4.0, y], [left, y]], AXIS, 1.0);
            let text = format!("{value:.digits$}");
            let x = left - 8.0 - text_width(&text);
            canvas.text([x, y + 0.5 * TEXT_HEIGHT], &text, AXIS);
        }
        let name = "x / m";
        let x = 0.5 * (left + right - text_width(name));
        canvas.text([x, below + 5.0 + TEXT_HEIGHT], name, AXIS);
        canvas.text([6.0, top + TEXT_HEIGHT], "y / m", AXIS);
    }

    /// Value, pixel and decimals of the ticks of an axis.
    fn ticks(&self, axis: usize) -> Vec<(f64, f64, usize)> {
        let [left, top, right, bottom] = FRAME;
        let (first, last) = (self.world([left, bottom]), self.world([right, top]));
        let (first, last) = (first[axis], last[axis]);
        let (step, digits) = round_step(TICKS / self.scale);
        let mut ticks = Vec::new();
        let start = (first / step).ceil();
        for k in 0..MOST_TICKS {
            // far from the origin, rounding may prevent reaching the next tick
            let i = start + f64::from(k);
            if i * step > last {
                break;
            }
            // not -0
            let value = i * step + 0.0;
            let mut at = self.centre;
            at[axis] = value;
            let pixel = self.pixel(at)[axis];
            // leave room for the name of the vertical axis
            if axis == 0 || pixel > top + 2.0 * TEXT_HEIGHT {
                ticks.push((value, pixel, digits));
            }
        }
        ticks
    }
}

/// The next 1, 2 or 5 times a power of ten, and its number of decimals.
pub fn round_step(least: f64) -> (f64, usize) {
    let mut power: f64 = 1.0;
    let mut digits = 0;
    while power > least && digits < 12 {
        digits += 1;
        power = 1.0 / TENS[digits];
    }
    while power * 10.0 <= least && power < 1e12 {
        power *= 10.0;
    }
    for factor in [1.0, 2.0, 5.0] {
        if factor * power >= least {
            return (factor * power, digits);
        }
    }
    (10.0 * power, digits.saturating_sub(1))
}

const TENS: [f64; 13] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(round_step(0.3), (0.5, 1));
        assert_eq!(round_step(0.7), (1.0, 0));
        assert_eq!(round_step(1.0), (1.0, 0));
        assert_eq!(round_step(17.0), (20.0, 0));
        assert_eq!(round_step(0.011), (0.02, 2));
    }

    #[test]
    fn pixels_and_metres_go_back_and_forth() {
        let view = View::around(&[Vec2::new(-1.0, 2.0), Vec2::new(3.0, 2.5)]);
        let p = Vec2::new(0.3, 2.1);
        let back = view.world(view.pixel(p));
        assert!((back - p).norm() < 1e-12);
    }
}
