//! An XML document as a tree of elements, each with its line.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use roxmltree::{Document, Error};

/// Maximum depth; no model description needs more.
const MAX_DEPTH: usize = 200;

/// Maximum number of attributes of an element; the schema has at most twelve.
const MAX_ATTRIBUTES: usize = 500;

/// Maximum number of namespace declarations; a model description has one or two.
const MAX_NAMESPACES: usize = 100;

/// An element.
#[derive(Clone, Debug, Default)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Line of its start tag, from 1.
    pub line: usize,
    /// Names and values.
    pub attributes: Vec<(String, String)>,
    /// In their order.
    pub children: Vec<Element>,
}

impl Element {
    /// Value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The first child of that name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The children of a child: the members of a list.
    pub fn members(&self, list: &str) -> &[Element] {
        self.child(list).map_or(&[], |list| &list.children)
    }
}

/// A syntax error and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Line, from 1.
    pub line: usize,
    /// Message, without a full stop.
    pub message: String,
}

/// Reads a document.
///
/// # Errors
/// It is not well-formed.
pub fn parse(text: &str) -> Result<Element, Malformed> {
    reject_excess(text)?;
    // the tree parser is too lenient
    reject_malformed(text)?;
    tree(text)
}

/// Limits the number of attributes and namespaces, which parsers compare pairwise.
fn reject_excess(text: &str) -> Result<(), Malformed> {
    let mut reader = Reader::from_str(text);
    let mut lines = Lines::new(text);
    let mut n_namespaces = 0;
    loop {
        let line = lines.of(reader.buffer_position());
        let start = match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => start,
            // syntax errors are reported with their location by the next parser
            Ok(Event::Eof) | Err(_) => return Ok(()),
            Ok(_) => continue,
        };
        let bytes: &[u8] = &start;
        let n_attributes = bytes.iter().filter(|byte| **byte == b'=').count();
        // an upper bound: an equals sign may be part of a value
        if n_attributes > MAX_ATTRIBUTES {
            let mut attributes = start.attributes();
            let attributes = attributes.with_checks(false).flatten();
            if attributes.take(MAX_ATTRIBUTES + 1).count() > MAX_ATTRIBUTES {
                let message = format!("an element has more than {MAX_ATTRIBUTES} attributes");
                return Err(Malformed { line, message });
            }
        }
        n_namespaces += bytes.windows(5).filter(|word| word == b"xmlns").count();
        if n_namespaces > MAX_NAMESPACES {
            let message = format!("more than {MAX_NAMESPACES} namespaces are declared");
            return Err(Malformed { line, message });
        }
    }
}

fn reject_malformed(text: &str) -> Result<(), Malformed> {
    let Err(error) = Document::parse(text) else {
        return Ok(());
    };
    let place = error.pos();
    let message = match &error {
        // its entities could expand without bound
        Error::DtdDetected => "document type declarations are not supported".to_owned(),
        error => error.to_string().replace(&format!(" at {place}"), ""),
    };
    Err(Malformed {
        line: place.row as usize,
        message: format!("column {}: {message}", place.col),
    })
}

fn tree(text: &str) -> Result<Element, Malformed> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut lines = Lines::new(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    loop {
        let line = lines.of(reader.buffer_position());
        let fail = |message: String| Err(Malformed { line, message });
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let line = lines.of(reader.error_position());
                let message = error.to_string();
                return Err(Malformed { line, message });
            }
        };
        let is_outside = open.is_empty();
        match event {
            Event::Start(_) | Event::Empty(_) if is_outside && root.is_some() => {
                return fail("there is a second root element".into());
            }
            Event::Start(_) if open.len() >= MAX_DEPTH => {
                return fail(format!("elements are nested more than {MAX_DEPTH} deep"));
            }
            Event::Start(start) => open.push(element(&start, line)?),
            Event::Empty(start) => close(element(&start, line)?, &mut open, &mut root),
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    close(element, &mut open, &mut root);
                }
            }
            Event::Text(text) if is_outside && !text.iter().all(u8::is_ascii_whitespace) => {
                return fail("there is text outside the root element".into());
            }
            Event::Text(_)
            | Event::GeneralRef(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
            Event::Eof => break,
        }
    }
    let line = lines.of(text.len() as u64);
    let fail = |message: String| Err(Malformed { line, message });
    match (open.last(), root) {
        (Some(element), _) => fail(format!("the element {} is not closed", element.name)),
        (None, None) => fail("there is no element".into()),
        (None, Some(root)) => Ok(root),
    }
}

fn close(element: Element, open: &mut [Element], root: &mut Option<Element>) {
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None => *root = Some(element),
    }
}

fn element(start: &BytesStart, line: usize) -> Result<Element, Malformed> {
    let fail = |message: String| Malformed { line, message };
    let name = String::from_utf8_lossy(start.name().as_ref()).into_owned();
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|e| fail(format!("{name}: {e}")))?;
        let key = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
        let value = attribute
            .unescape_value()
            .map_err(|e| fail(format!("{name}, attribute {key}: {e}")))?;
        attributes.push((key, value.into_owned()));
    }
    Ok(Element {
        name,
        line,
        attributes,
        children: Vec::new(),
    })
}

/// Counts lines for increasing offsets.
struct Lines<'a> {
    text: &'a [u8],
    place: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text: text.as_bytes(),
            place: 0,
            line: 1,
        }
    }

    fn of(&mut self, place: u64) -> usize {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let place = place.clamp(self.place, self.text.len());
        let passed = &self.text[self.place..place];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.place = place;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_know_their_lines_and_attributes() {
        let root = parse("<?xml version=\"1.0\"?>\n<a>\n  <b x=\"1 &lt; 2\"/>\n</a>").unwrap();
        let b = root.child("b").unwrap();
        assert_eq!((root.line, b.line, b.get("x")), (2, 3, Some("1 < 2")));
    }

    #[test]
    fn malformed_documents_are_rejected() {
        for text in [
            "",
            "x",
            "<a>",
            "<a></b>",
            "<a/><b/>",
            "<a/>x",
            "<a x=1/>",
            "<a x='1' x='2'/>",
            "<a x='&nothing;'/>",
            "</a>",
            "<a",
            "<a x='<'/>",
            "<a x='1'y='2'/>",
            "<a x='\u{0}'/>",
            "<a>\u{1}</a>",
            "<a x='\u{fffe}'/>",
            "<a x='&#1;'/>",
            "<a>&#1;</a>",
            "\n<?xml version='1.0'?><a/>",
            "<a><!-- x -- y --></a>",
            "<a>]]></a>",
            "<a>&</a>",
            "<!DOCTYPE a><a/>",
            "<a x:y='1'/>",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        for text in [
            "<a>\u{9}\r\n</a>",
            "<?xml version='1.0'?>\n<!-- - --><a/>\n",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
        let deep = |n: usize| "<a>".repeat(n) + &"</a>".repeat(n);
        assert!(parse(&deep(MAX_DEPTH)).is_ok());
        for n in [MAX_DEPTH + 1, 1_000_000] {
            let message = parse(&deep(n)).unwrap_err().message;
            assert!(message.contains("nested"), "{message}");
        }
    }

    #[test]
    fn excessive_documents_are_rejected() {
        let attributes = |n: usize| {
            let words: Vec<String> = (0..n).map(|i| format!(" a{i}='=='")).collect();
            format!("<a>\n<b{}/></a>", words.concat())
        };
        assert!(parse(&attributes(MAX_ATTRIBUTES)).is_ok());
        let refused = parse(&attributes(300_000)).unwrap_err();
        assert_eq!(refused.line, 2);
        assert!(refused.message.contains("attributes"), "{refused:?}");
        let equals = format!("<a x='{}'/>", "=".repeat(100_000));
        assert!(parse(&equals).is_ok());
        let namespaces = |n: usize| {
            let some = |i| format!("<b xmlns:n{i}='x'>");
            let starts: String = (0..n).map(some).collect();
            format!("<a>{starts}{}</a>", "</b>".repeat(n))
        };
        assert!(parse(&namespaces(MAX_NAMESPACES)).is_ok());
        let refused = parse(&namespaces(MAX_NAMESPACES + 1)).unwrap_err();
        assert!(refused.message.contains("namespaces"), "{refused:?}");
    }

    #[test]
    fn line_and_column_are_reported() {
        let comment = parse("<a>\n<!-- -- --></a>").unwrap_err();
        assert_eq!(
            (comment.line, comment.message.as_str()),
            (2, "column 1: comment contains '--'")
        );
        let malformed = parse("<a>\n  <b x='<'/>\n</a>").unwrap_err();
        assert_eq!(malformed.line, 2);
        assert!(
            malformed.message.starts_with("column 9: "),
            "{}",
            malformed.message
        );
    }
}
