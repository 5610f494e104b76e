//! A minimal XML tree and its serialization.

use std::borrow::Cow;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};

/// An element. Attributes and children keep their order.
#[derive(Clone, Debug)]
pub struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Element>,
}

impl Element {
    /// An element without attributes and children.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: Vec::new(),
            children: Vec::new(),
        }
    }

    /// Adds an attribute.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// Adds an attribute if there is a value.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a child.
    #[must_use]
    pub fn child(mut self, child: Element) -> Self {
        self.children.push(child);
        self
    }

    /// Adds children.
    #[must_use]
    pub fn children(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        self.children.extend(children);
        self
    }

    /// Adds a child unless it has no children itself: the schemas do not allow empty lists.
    #[must_use]
    pub fn list(self, child: Element) -> Self {
        if child.children.is_empty() {
            self
        } else {
            self.child(child)
        }
    }

    /// The document with this element as its root.
    pub fn document(&self) -> String {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
        // writing to memory cannot fail
        let declaration = Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None));
        let _ = writer.write_event(declaration);
        self.write(&mut writer);
        let mut bytes = writer.into_inner();
        bytes.push(b'\n');
        // all input was UTF-8
        String::from_utf8(bytes).unwrap_or_default()
    }

    fn write(&self, writer: &mut Writer<Vec<u8>>) {
        let mut start = BytesStart::new(self.name);
        for (name, value) in &self.attributes {
            start.push_attribute((*name, legal(value).as_ref()));
        }
        if self.children.is_empty() {
            let _ = writer.write_event(Event::Empty(start));
            return;
        }
        let _ = writer.write_event(Event::Start(start));
        for child in &self.children {
            child.write(writer);
        }
        let _ = writer.write_event(Event::End(BytesEnd::new(self.name)));
    }
}

/// Replaces characters that XML does not allow, even escaped, by spaces.
pub fn legal(text: &str) -> Cow<'_, str> {
    let is_illegal = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    if text.contains(is_illegal) {
        text.replace(is_illegal, " ").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_control_characters_are_blanked() {
        let element = Element::new("a").with("b", "<\"x\" & 'y'>\n\u{1}ü");
        let document = element.document();
        assert!(
            document.contains(r#"<a b="&lt;&quot;x&quot; &amp; &apos;y&apos;&gt;  ü"/>"#),
            "{document}"
        );
    }

    #[test]
    fn lists_without_members_are_left_out() {
        let root = Element::new("root").list(Element::new("empty"));
        assert!(root.document().ends_with("<root/>\n"));
    }
}
