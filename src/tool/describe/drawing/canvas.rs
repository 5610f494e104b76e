//! Lines, areas and text in pixels.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform,
};

use super::font;
use super::labels::Name;

/// A point of the picture: pixels to the right and down.
pub type Point = [f64; 2];

/// Red, green, blue.
pub type Colour = [u8; 3];

/// A picture under construction.
pub struct Canvas {
    pixmap: Pixmap,
}

/// Height of a capital letter.
pub const TEXT_HEIGHT: f64 = 6.0 * font::CELL;

impl Canvas {
    /// A white picture.
    pub fn new(width: u32, height: u32) -> Option<Self> {
        let mut pixmap = Pixmap::new(width, height)?;
        pixmap.fill(Color::WHITE);
        Some(Self { pixmap })
    }

    /// Encodes it as a PNG file.
    pub fn png(&self) -> Option<Vec<u8>> {
        self.pixmap.encode_png().ok()
    }

    /// A line through points.
    pub fn line(&mut self, points: &[Point], colour: Colour, width: f64) {
        self.stroke(polyline(points, false), colour, width);
    }

    /// A filled polygon.
    pub fn area(&mut self, points: &[Point], colour: Colour) {
        self.fill(polyline(points, true), colour);
    }

    /// The outline of a polygon.
    pub fn outline(&mut self, points: &[Point], colour: Colour, width: f64) {
        self.stroke(polyline(points, true), colour, width);
    }

    /// A disc.
    pub fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.fill(circle(centre, radius), colour);
    }

    /// A circle.
    pub fn circle(&mut self, centre: Point, radius: f64, colour: Colour, width: f64) {
        self.stroke(circle(centre, radius), colour, width);
    }

    /// A label at its position, if it has one, with a leader line.
    pub fn name(&mut self, place: Option<Name>, text: &str, colour: Colour) {
        let Some(name) = place else { return };
        if let Some(leader) = name.leader {
            self.line(&leader, colour, 1.0);
        }
        self.text(name.at, text, colour);
    }

    /// Text with its lower left corner at a point, with a pale outline for legibility.
    pub fn text(&mut self, at: Point, text: &str, colour: Colour) {
        let strokes = font::strokes(text);
        for (colour, width) in [([255, 255, 255], 4.5), (colour, 1.5)] {
            let mut path = PathBuilder::new();
            for [a, b] in &strokes {
                let [x, y] = pixel([at[0] + a[0], at[1] + a[1]]);
                path.move_to(x, y);
                let [x, y] = pixel([at[0] + b[0], at[1] + b[1]]);
                path.line_to(x, y);
            }
            self.stroke(path.finish(), colour, width);
        }
    }

    fn fill(&mut self, path: Option<Path>, colour: Colour) {
        if let Some(path) = path {
            let rule = FillRule::Winding;
            self.pixmap
                .fill_path(&path, &paint(colour), rule, Transform::identity(), None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, colour: Colour, width: f64) {
        let stroke = Stroke {
            width: width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        if let Some(path) = path {
            self.pixmap
                .stroke_path(&path, &paint(colour), &stroke, Transform::identity(), None);
        }
    }
}

/// Width of a text.
pub fn text_width(text: &str) -> f64 {
    font::width(text)
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(colour[0], colour[1], colour[2], 255);
    paint.anti_alias = true;
    paint
}

fn circle(centre: Point, radius: f64) -> Option<Path> {
    let [x, y] = pixel(centre);
    PathBuilder::from_circle(x, y, radius as f32)
}

// a line of zero length is a dot
fn polyline(points: &[Point], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, point) in points.iter().enumerate() {
        let [x, y] = pixel(*point);
        if i == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

// clamp points far outside the picture
fn pixel(point: Point) -> [f32; 2] {
    point.map(|x| x.clamp(-1e4, 1e4) as f32)
}
