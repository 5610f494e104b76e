//! A display list of lines, areas and text, output as SVG or PNG.

use super::Format;
use std::fmt::Write as _;
use stiction::tool::describe::drawing::canvas::{Canvas, Colour, Point, text_width};

/// Font size of an SVG file, and the mean width of a letter, in pixels.
const LETTER: [f64; 2] = [13.0, 6.9];

/// Horizontal alignment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Left-aligned.
    Start,
    /// Centred.
    Middle,
    /// Right-aligned.
    End,
}

enum Mark {
    Line(Vec<Point>, Colour, f64),
    Area([Point; 2], Colour),
    Text(Point, String, Colour, Anchor, bool),
}

/// A picture under construction.
pub struct Picture {
    width: f64,
    format: Format,
    marks: Vec<Mark>,
}

impl Picture {
    /// An empty picture.
    pub fn new(width: f64, format: Format) -> Self {
        Self {
            width,
            format,
            marks: Vec::new(),
        }
    }

    /// A line through points.
    pub fn line(&mut self, points: &[Point], colour: Colour, width: f64) {
        if points.len() > 1 {
            self.marks.push(Mark::Line(points.to_vec(), colour, width));
        }
    }

    /// A rectangle between two corners.
    pub fn area(&mut self, corners: [Point; 2], colour: Colour) {
        self.marks.push(Mark::Area(corners, colour));
    }

    /// Text on its base line.
    pub fn text(&mut self, at: Point, text: &str, colour: Colour, anchor: Anchor) {
        let mark = Mark::Text(at, text.to_owned(), colour, anchor, false);
        self.marks.push(mark);
    }

    /// A heading.
    pub fn bold(&mut self, at: Point, text: &str, colour: Colour) {
        let mark = Mark::Text(at, text.to_owned(), colour, Anchor::Start, true);
        self.marks.push(mark);
    }

    /// Approximate width of a text.
    pub fn text_width(&self, text: &str) -> f64 {
        match self.format {
            Format::Svg => LETTER[1] * text.chars().count() as f64,
            Format::Png => text_width(text),
        }
    }

    /// Contents of the file for a picture of this height; `None` if it does not fit into memory.
    pub fn finish(self, height: f64) -> Option<Vec<u8>> {
        match self.format {
            Format::Svg => Some(self.svg(height).into_bytes()),
            Format::Png => self.png(height),
        }
    }

    fn svg(&self, height: f64) -> String {
        let mut text = String::new();
        let (width, size) = (self.width, LETTER[0]);
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\" font-size=\"{size}\">"
        );
        let _ = writeln!(
            text,
            "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
        );
        for mark in &self.marks {
            match mark {
                Mark::Line(points, colour, width) => {
                    let points: Vec<String> = points
                        .iter()
                        .map(|[x, y]| format!("{},{}", tenth(*x), tenth(*y)))
                        .collect();
                    let _ = writeln!(
                        text,
                        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
                        points.join(" "),
                        hex(*colour)
                    );
                }
                Mark::Area([[x0, y0], [x1, y1]], colour) => {
                    let _ = writeln!(
                        text,
                        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
                        tenth(*x0),
                        tenth(*y0),
                        tenth(x1 - x0),
                        tenth(y1 - y0),
                        hex(*colour)
                    );
                }
                Mark::Text([x, y], words, colour, anchor, is_bold) => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    let weight = if *is_bold { " font-weight=\"600\"" } else { "" };
                    let _ = writeln!(
                        text,
                        "<text x=\"{}\" y=\"{}\" fill=\"{}\" text-anchor=\"{anchor}\"{weight}>{}</text>",
                        tenth(*x),
                        tenth(*y),
                        hex(*colour),
                        escaped(words)
                    );
                }
            }
        }
        text.push_str("</svg>\n");
        text
    }

    fn png(&self, height: f64) -> Option<Vec<u8>> {
        let mut canvas = Canvas::new(self.width as u32, height.ceil() as u32)?;
        for mark in &self.marks {
            match mark {
                Mark::Line(points, colour, width) => canvas.line(points, *colour, *width),
                Mark::Area([[x0, y0], [x1, y1]], colour) => {
                    let corners = [[*x0, *y0], [*x1, *y0], [*x1, *y1], [*x0, *y1]];
                    canvas.area(&corners, *colour);
                }
                Mark::Text([x, y], words, colour, anchor, _) => {
                    let width = text_width(words);
                    let x = match anchor {
                        Anchor::Start => *x,
                        Anchor::Middle => x - 0.5 * width,
                        Anchor::End => x - width,
                    };
                    canvas.text([x, *y], words, *colour);
                }
            }
        }
        canvas.png()
    }
}

fn tenth(x: f64) -> f64 {
    (10.0 * x).round() / 10.0
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
