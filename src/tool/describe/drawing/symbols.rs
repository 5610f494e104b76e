//! Symbols: springs, dampers, arrows, hatched ground.

use super::canvas::{Canvas, Colour, Point};

fn along(a: Point, b: Point) -> (f64, Point, Point) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = (dx * dx + dy * dy).sqrt();
    if length < 1e-9 {
        return (0.0, [1.0, 0.0], [0.0, 1.0]);
    }
    let direction = [dx / length, dy / length];
    (length, direction, [-direction[1], direction[0]])
}

/// `at + s direction + t across`.
fn offset(at: Point, (s, direction): (f64, Point), (t, across): (f64, Point)) -> Point {
    [
        at[0] + s * direction[0] + t * across[0],
        at[1] + s * direction[1] + t * across[1],
    ]
}

/// A zigzag between two points, offset by some pixels.
pub fn spring(canvas: &mut Canvas, [a, b]: [Point; 2], aside: f64, colour: Colour) {
    let (length, direction, across) = along(a, b);
    let at = |s: f64, t: f64| offset(a, (s, direction), (t, across));
    let end = (0.15 * length).min(24.0);
    let n = (((length - 2.0 * end) / 7.0) as usize).clamp(4, 18);
    let mut points = vec![a, at(end, aside)];
    for i in 0..n {
        let s = end + (length - 2.0 * end) * (i as f64 + 0.5) / n as f64;
        points.push(at(s, aside + if i % 2 == 0 { 7.0 } else { -7.0 }));
    }
    points.extend([at(length - end, aside), b]);
    canvas.line(&points, colour, 1.8);
}

/// A piston in a cylinder between two points, offset by some pixels.
pub fn damper(canvas: &mut Canvas, [a, b]: [Point; 2], aside: f64, colour: Colour) {
    let (length, direction, across) = along(a, b);
    let at = |s: f64, t: f64| offset(a, (s, direction), (t + aside, across));
    let middle = 0.5 * length;
    let half = (0.2 * length).min(16.0);
    let bend = (0.15 * length).min(24.0);
    let cylinder = [
        at(middle + half, -8.0),
        at(middle - half, -8.0),
        at(middle - half, 8.0),
        at(middle + half, 8.0),
    ];
    canvas.line(&cylinder, colour, 1.8);
    canvas.line(&[a, at(bend, 0.0), at(middle - half, 0.0)], colour, 1.8);
    let piston = middle + 0.25 * half;
    canvas.line(&[at(piston, -5.5), at(piston, 5.5)], colour, 2.5);
    canvas.line(&[at(piston, 0.0), at(length - bend, 0.0), b], colour, 1.8);
}

/// An arrow.
pub fn arrow(canvas: &mut Canvas, from: Point, to: Point, colour: Colour) {
    let (length, direction, across) = along(from, to);
    let at = |s: f64, t: f64| offset(from, (s, direction), (t, across));
    let head = 11.0_f64.min(0.6 * length);
    canvas.line(&[from, at(length - 0.7 * head, 0.0)], colour, 2.6);
    canvas.area(
        &[
            to,
            at(length - head, 0.45 * head),
            at(length - head, -0.45 * head),
        ],
        colour,
    );
}

/// An arrow around a point, counter-clockwise or clockwise.
pub fn turn(canvas: &mut Canvas, centre: Point, radius: f64, is_positive: bool, colour: Colour) {
    let sign = if is_positive { 1.0 } else { -1.0 };
    let at = |degrees: f64| {
        let angle = degrees.to_radians();
        let (sine, cosine) = libm::sincos(angle);
        // y points down in pixels
        [
            centre[0] + radius * cosine,
            centre[1] - sign * radius * sine,
        ]
    };
    let arc: Vec<Point> = (0..=20).map(|i| at(-60.0 + 11.0 * f64::from(i))).collect();
    canvas.line(&arc, colour, 2.6);
    arrow(canvas, at(160.0), at(205.0), colour);
}

/// A line hatched on one side: the unit vector `into` points into the material.
pub fn hatched(canvas: &mut Canvas, [a, b]: [Point; 2], into: Point, colour: Colour) {
    let (length, direction, _) = along(a, b);
    canvas.line(&[a, b], colour, 2.0);
    let n = (length / 11.0) as usize;
    for i in 0..=n {
        let start = offset(a, (11.0 * i as f64, direction), (0.0, into));
        let end = offset(start, (-9.0, direction), (9.0, into));
        canvas.line(&[start, end], colour, 1.0);
    }
}

/// The symbol of a fixed point, below or above it.
pub fn support(canvas: &mut Canvas, at: Point, is_below: bool, colour: Colour) {
    let down = if is_below { 1.0 } else { -1.0 };
    let (left, right, base) = (at[0] - 8.0, at[0] + 8.0, at[1] + 12.0 * down);
    let triangle = [at, [right, base], [left, base]];
    canvas.area(&triangle, [255; 3]);
    canvas.outline(&triangle, colour, 1.5);
    for i in 0..4 {
        let x = left + 2.0 + 5.0 * f64::from(i);
        canvas.line(&[[x, base], [x - 4.0, base + 5.0 * down]], colour, 1.0);
    }
}
