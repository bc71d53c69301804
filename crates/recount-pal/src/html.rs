//! Converts HTML descriptions to plain text and links.

use roxmltree::Node;

use super::document::{elements, html};
use super::text::cut;

/// Explanations are meant to be read; PAL's have a few kilobytes at most.
const LEN_TEXT: usize = 8 << 10;
const LEN_LINK: usize = 500;
const MAX_LINKS: usize = 20;

/// Plain text, and the links that were in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Description {
    text: String,
    pub(super) links: Vec<String>,
}

impl Description {
    /// This description followed by another.
    pub(super) fn followed_by(mut self, other: &Description) -> Description {
        if !self.text.is_empty() && !other.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text = cut(&(self.text + &other.text), LEN_TEXT);
        for link in &other.links {
            self.link(link);
        }
        self
    }

    /// The text, or a sentence saying that there is none.
    pub(super) fn text(&self) -> String {
        if self.text.is_empty() { "The file has no description of it.".into() } else { self.text.clone() }
    }

    /// Only web links, and only those that rules accept: a report shows them as clickable links.
    fn link(&mut self, url: &str) {
        let url = url.trim();
        let scheme = ["https://", "http://"]
            .into_iter()
            .find(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        let Some((scheme, rest)) = scheme.and_then(|scheme| Some((scheme, url.get(scheme.len()..)?))) else {
            return;
        };
        let is_sound = rest.chars().all(|c| c.is_ascii_graphic() && !"<>\"`".contains(c)) && !rest.is_empty();
        let has_room = url.len() <= LEN_LINK && self.links.len() < MAX_LINKS;
        let link = format!("{scheme}{rest}");
        if is_sound && has_room && !self.links.contains(&link) {
            self.links.push(link);
        }
    }
}

/// The contents of an element's `DESCRIPTION` elements.
pub(super) fn description(node: Node<'_, '_>) -> Description {
    elements(node, "DESCRIPTION")
        .fold(Description::default(), |all, node| all.followed_by(&to_plain(&html(node))))
}

/// Removes tags, decodes entities, and collects links.
pub(super) fn to_plain(html: &str) -> Description {
    let mut plain = Plain::default();
    let mut rest = html;
    while let Some((text, behind)) = rest.split_once('<') {
        plain.text(text);
        rest = if let Some(comment) = behind.strip_prefix("!--") {
            comment.split_once("-->").map_or("", |(_, rest)| rest)
        } else if behind.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') {
            let (tag, rest) = split_tag(behind);
            plain.tag(tag);
            skip_unshown(tag, rest)
        } else {
            plain.text("<");
            behind
        };
    }
    plain.text(rest);
    plain.finish()
}

/// A tag up to its `>`; a `>` in quotes doesn't end it. A tag without `>` extends to the end of the text.
fn split_tag(text: &str) -> (&str, &str) {
    // An unclosed quote must neither swallow the text nor make each tag search all of it.
    const LEN_QUOTED: usize = 4_096;
    let mut quote = None;
    for (at, c) in text.char_indices().take(LEN_QUOTED) {
        match (quote, c) {
            (None, '>') => {
                return (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    text.split_once('>').unwrap_or((text, ""))
}

/// Text being assembled: words, and the breaks between them.
#[derive(Default)]
struct Plain {
    description: Description,
    /// Line ends to insert before the next word.
    num_breaks: usize,
    is_blank_due: bool,
}

impl Plain {
    fn text(&mut self, text: &str) {
        let decoded = entities(text);
        let mut num_line_ends = 0;
        for c in decoded.chars() {
            if c.is_whitespace() || c.is_control() {
                num_line_ends += usize::from(c == '\n');
                self.is_blank_due = true;
                // An empty line means a new paragraph, as in text that has no tags.
                if num_line_ends == 2 {
                    self.due(2);
                }
            } else {
                num_line_ends = 0;
                self.put(c);
            }
        }
    }

    fn put(&mut self, c: char) {
        let text = &mut self.description.text;
        if !text.is_empty() && self.num_breaks > 0 {
            text.extend(std::iter::repeat_n('\n', self.num_breaks));
        } else if !text.is_empty() && self.is_blank_due && !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
        (self.num_breaks, self.is_blank_due) = (0, false);
        text.push(c);
    }

    fn due(&mut self, num_breaks: usize) {
        self.num_breaks = self.num_breaks.max(num_breaks);
    }

    fn tag(&mut self, tag: &str) {
        match name_of(tag).as_str() {
            // The second of two breaks makes an empty line.
            "br" => self.num_breaks = (self.num_breaks + 1).min(2),
            "div" | "tr" | "dt" | "dd" | "/li" | "/tr" => self.due(1),
            "li" => {
                self.due(1);
                self.put('-');
                self.is_blank_due = true;
            }
            "p" | "/p" | "ul" | "/ul" | "ol" | "/ol" | "dl" | "table" | "/table" | "pre" | "/pre"
            | "blockquote" | "/blockquote" | "hr" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "/h1"
            | "/h2" | "/h3" | "/h4" | "/h5" | "/h6" => {
                self.due(2);
            }
            "td" | "th" => self.is_blank_due = true,
            "a" => {
                if let Some(href) = href(tag) {
                    self.description.link(&entities(href));
                }
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Description {
        let text = std::mem::take(&mut self.description.text);
        for word in text.split_whitespace() {
            let begin = ["http://", "https://"].iter().filter_map(|scheme| word.find(scheme)).min();
            if let Some(url) = begin.and_then(|at| word.get(at..)) {
                self.description.link(url.trim_end_matches(['.', ',', ';', ':', ')', ']', '\'', '!', '?']));
            }
        }
        self.description.text = cut(&text, LEN_TEXT);
        self.description
    }
}

/// The text after a tag, skipping the content of scripts and styles.
fn skip_unshown<'a>(tag: &str, rest: &'a str) -> &'a str {
    let name = name_of(tag);
    if !["script", "style"].contains(&name.as_str()) {
        return rest;
    }
    let end_tag = format!("/{name}");
    let mut ends = rest.match_indices("</");
    let end = ends.find(|(at, _)| name_of(rest.get(at + 1..).unwrap_or_default()) == end_tag);
    end.and_then(|(at, _)| rest.get(at..)).unwrap_or_default()
}

fn name_of(tag: &str) -> String {
    let slash = usize::from(tag.starts_with('/'));
    let name = tag.get(slash..).unwrap_or_default();
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    tag.get(..slash + end).unwrap_or_default().to_ascii_lowercase()
}

/// The target of `a href="..."`.
fn href(tag: &str) -> Option<&str> {
    let lower = tag.to_ascii_lowercase();
    let is_attribute =
        |at: usize| lower.get(..at).is_some_and(|before| before.ends_with(char::is_whitespace));
    let (at, _) = lower.match_indices("href").find(|&(at, _)| is_attribute(at))?;
    let value = tag.get(at + 4..)?.trim_start().strip_prefix('=')?.trim_start();
    match value.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next(),
        None => value.split_whitespace().next(),
    }
}

/// Decodes `&amp;`, `&#8217;`, `&#x2019;` and the entity names that such texts use; unknown ones stay as they
/// are.
fn entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        decoded.push_str(before);
        if let Some((c, behind)) = first_entity(behind) {
            decoded.push(c);
            rest = behind;
        } else {
            decoded.push('&');
            rest = behind;
        }
    }
    decoded + rest
}

/// The character named after an `&`, and the text after its semicolon.
fn first_entity(text: &str) -> Option<(char, &str)> {
    const LEN_NAME: usize = 10;
    let end = text.bytes().take(LEN_NAME).position(|byte| byte == b';')?;
    Some((entity(text.get(..end)?)?, text.get(end + 1..)?))
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|&(_, c)| c)
}

const ENTITIES: [(&str, char); 28] = [
    ("amp", '&'),
    ("apos", '\''),
    ("bull", '\u{2022}'),
    ("cent", '\u{a2}'),
    ("copy", '\u{a9}'),
    ("deg", '\u{b0}'),
    ("euro", '\u{20ac}'),
    ("frac12", '\u{bd}'),
    ("frac14", '\u{bc}'),
    ("ge", '\u{2265}'),
    ("gt", '>'),
    ("hellip", '\u{2026}'),
    ("laquo", '\u{ab}'),
    ("ldquo", '\u{201c}'),
    ("le", '\u{2264}'),
    ("lsquo", '\u{2018}'),
    ("lt", '<'),
    ("mdash", '\u{2014}'),
    ("micro", '\u{b5}'),
    ("middot", '\u{b7}'),
    ("nbsp", ' '),
    ("ndash", '\u{2013}'),
    ("quot", '"'),
    ("raquo", '\u{bb}'),
    ("rdquo", '\u{201d}'),
    ("reg", '\u{ae}'),
    ("rsquo", '\u{2019}'),
    ("trade", '\u{2122}'),
];

#[cfg(test)]
mod tests {
    use super::to_plain;

    fn plain(html: &str) -> String {
        to_plain(html).text
    }

    #[test]
    fn tags_are_taken_off_and_entities_decoded() {
        for (html, text) in [
            ("a <b>bold</B> word", "a bold word"),
            ("one<br>two<BR/>three<br><br>four", "one\ntwo\nthree\n\nfour"),
            ("<p>one</p>\n<p>two</p>", "one\n\ntwo"),
            ("one\n two\n\nthree", "one two\n\nthree"),
            ("<ul>\n<li>a</li>\n<li>b</li></ul>c", "- a\n- b\n\nc"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
            ("1 &lt; 2 &amp;amp; 3&nbsp;&#62;&#x3E; 2 &unknown; & &;", "1 < 2 &amp; 3 >> 2 &unknown; & &;"),
            ("a &#8217; b &#xD800; &#99999999;", "a \u{2019} b &#xD800; &#99999999;"),
            ("if a < b and c<2", "if a < b and c<2"),
            ("a<!-- <b> -->b<script>x < y</script>c<style>d", "abc"),
            ("<a title='>' href=x>b</a>", "b"),
            ("a<b", "a"),
            ("", ""),
        ] {
            assert_eq!(plain(html), text, "{html}");
        }
    }

    #[test]
    fn links_to_the_web_are_collected_once() {
        let html = "<A HREF='http://a.example/x?y=1&amp;z=2'>x</A> <a class=b href=HTTPS://b.example>y</a>
            (see http://c.example/d.) http://a.example/x?y=1&z=2 <a href=\"javascript:alert(1)\">z</a>
            <a href=\"mailto:a@b\">m</a> <a data-href=\"http://no.example\">n</a> <a href='http://'>o</a>";
        let expected = ["http://a.example/x?y=1&z=2", "https://b.example", "http://c.example/d"];
        assert_eq!(to_plain(html).links, expected);
    }

    #[test]
    fn open_quotes_and_tags_take_no_time() {
        for part in ["<a \"", "<a", "&", "<", "<!--", "<script>", "</", "&#", "http://"] {
            let text = plain(&part.repeat(500_000));
            assert!(text.len() <= super::LEN_TEXT + 3, "{part}");
        }
    }
}
