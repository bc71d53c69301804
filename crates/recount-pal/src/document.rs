//! The XML of a threshold file, within limits; element and attribute names in any case.

use roxmltree::{Error, Node, ParsingOptions};

use super::PalError;
use super::text::{LEN_NAME, LEN_SNIPPET, one_line};

/// PAL's files have about ten thousand nodes. A node takes about 100 bytes.
const MAX_NODES: u32 = 500_000;
/// The parser compares each attribute of an element with the earlier ones, which takes minutes for a tag of
/// megabytes. All attributes of a tag are between two `<`, so the number of equals signs there limits them.
/// The limit applies to code and text, too, but no real file comes near it.
const MAX_ATTRIBUTES: usize = 1_000;
/// The parser copies the list of namespaces to each element that adds one.
const MAX_NAMESPACES: usize = 100;

/// A parsed file.
pub(super) struct Document<'a> {
    xml: roxmltree::Document<'a>,
    /// Offsets of the line ends.
    line_ends: Vec<u32>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Document<'a>, PalError> {
        let line_ends: Vec<u32> = text.match_indices('\n').map(|(at, _)| at as u32).collect();
        check_limits(text, &line_ends)?;
        let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        match roxmltree::Document::parse_with_options(text, options) {
            Ok(xml) => Ok(Document { xml, line_ends }),
            Err(error) => Err(explain(&error, text, &line_ends)),
        }
    }

    /// The root element, if it is PAL's.
    pub(super) fn pal(&self) -> Result<Node<'_, '_>, PalError> {
        let root = self.xml.root_element();
        if is_named(root, "PAL") {
            Ok(root)
        } else {
            let found = one_line(root.tag_name().name(), LEN_NAME);
            Err(PalError::NotPal { line: self.line(root), found })
        }
    }

    /// Line at which an element begins, from 1.
    pub(super) fn line(&self, node: Node<'_, '_>) -> u32 {
        line_of(node.range().start, &self.line_ends)
    }
}

fn line_of(ofs: usize, line_ends: &[u32]) -> u32 {
    1 + line_ends.partition_point(|&end| (end as usize) < ofs) as u32
}

fn check_limits(text: &str, line_ends: &[u32]) -> Result<(), PalError> {
    let too_many = |ofs, what, max| PalError::TooMany { line: line_of(ofs, line_ends), what, max };
    let mut ofs = 0;
    for part in text.split('<') {
        if part.bytes().filter(|&byte| byte == b'=').count() > MAX_ATTRIBUTES {
            return Err(too_many(ofs, "equals signs between two <", MAX_ATTRIBUTES));
        }
        ofs += part.len() + 1;
    }
    match text.match_indices("xmlns").nth(MAX_NAMESPACES) {
        Some((ofs, _)) => Err(too_many(ofs, "namespaces", MAX_NAMESPACES)),
        None => Ok(()),
    }
}

/// For some errors the parser has no position and reports line 1.
fn explain(error: &Error, text: &str, line_ends: &[u32]) -> PalError {
    let (line, message) = match error {
        Error::NodesLimitReached => {
            return PalError::TooMany { line: 1, what: "elements and texts", max: MAX_NODES as usize };
        }
        Error::DtdDetected => (
            line_of(text.find("<!DOCTYPE").unwrap_or_default(), line_ends),
            "a document type, which PAL's files don't have; take out <!DOCTYPE ...>".into(),
        ),
        Error::NoRootNode => (1, "it has no element".into()),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            (line_of(text.len(), line_ends), "the file ends inside an element; is it complete?".into())
        }
        _ => (error.pos().row, one_line(&error.to_string(), LEN_NAME + LEN_SNIPPET)),
    };
    PalError::Xml { line, message }
}

/// Whether an element has this name, in any case.
pub(super) fn is_named(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name().eq_ignore_ascii_case(name)
}

/// The children of this name.
pub(super) fn elements<'a, 'i>(
    parent: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    parent.children().filter(move |&node| is_named(node, name))
}

/// The value of an attribute, trimmed; `None` if it is missing or empty.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let attribute = node.attributes().find(|attribute| attribute.name().eq_ignore_ascii_case(name))?;
    Some(attribute.value().trim()).filter(|value| !value.is_empty())
}

/// Whether an attribute says yes.
pub(super) fn is_true(value: &str) -> bool {
    value.eq_ignore_ascii_case("true") || value == "1"
}

/// Text and CDATA directly within an element.
pub(super) fn text(node: Node<'_, '_>) -> String {
    node.children().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

/// HTML inside an element: in CDATA or escaped, as in PAL's files, or as elements.
pub(super) fn html(node: Node<'_, '_>) -> String {
    if node.children().any(|child| child.is_element()) {
        let written = node.document().input_text().get(node.range()).unwrap_or_default();
        written.replace("<![CDATA[", "").replace("]]>", "")
    } else {
        text(node)
    }
}
