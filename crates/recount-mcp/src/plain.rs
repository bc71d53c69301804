//! Text from captures, made harmless to read: what can't be seen is escaped, and long lines are cut.

use std::fmt::Write as _;

use recount_model::{answer_len_of, is_unseen, table_cell};
use serde_json::Value;

/// The longest line of an answer, as `answer_len` counts it. Longer limits are for what must not be cut.
const MAX_LEN: usize = 3_300;

/// A line of text in which characters that act on terminals, change the direction of text, or are invisible are escaped as
/// `\u{202e}`, cut after `max_chars` characters; earlier if they cost many tokens.
pub(crate) fn line(text: &str, max_chars: usize) -> String {
    let mut plain = String::with_capacity(text.len());
    let max_len = if max_chars > MAX_LEN { usize::MAX } else { MAX_LEN.min(max_chars * 3) };
    let (mut written, mut len) = (0, 0);
    for (position, c) in text.chars().enumerate() {
        if written >= max_chars || len >= max_len {
            // Writing to a string can't fail.
            let _ = write!(plain, " … ({} more characters)", text.chars().count() - position);
            break;
        }
        if is_unseen(c) {
            plain.extend(c.escape_unicode());
            written += c.escape_unicode().len();
            len += c.escape_unicode().len();
        } else {
            plain.push(c);
            written += 1;
            len += answer_len_of(c);
        }
    }
    plain
}

/// The name of a file in a table. Those that differ are shown differently: what looks like an escape is escaped, too.
pub(crate) fn name(text: &str) -> String {
    table_cell(&text.replace("\\u{", "\\u{5c}u{"))
}

/// The command's JSON, with all texts in it as cells.
pub(crate) fn cells(mut value: Value) -> Value {
    fn each(value: &mut Value) {
        match value {
            Value::String(text) if text.chars().any(|c| is_unseen(c) || c == '|') => *text = table_cell(text),
            Value::Array(values) => values.iter_mut().for_each(each),
            Value::Object(fields) => fields.values_mut().for_each(each),
            _ => {}
        }
    }
    each(&mut value);
    value
}

/// The same for several lines.
pub(crate) fn lines(text: &str, max_chars: usize) -> String {
    text.lines().map(|text| line(text, max_chars)).collect::<Vec<_>>().join("\n")
}

/// The text that `line`, `name` or `cells` made, as it was before. `None` if nothing in it was escaped.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split("\\u{");
    let mut original = parts.next().unwrap_or_default().to_owned();
    let mut is_changed = false;
    for part in parts {
        let escaped = part.split_once('}').and_then(|(digits, rest)| {
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            (is_unseen(c) || c == '|' || c == '\\').then_some((c, rest))
        });
        if let Some((c, rest)) = escaped {
            original.push(c);
            original.push_str(rest);
            is_changed = true;
        } else {
            original.push_str("\\u{");
            original.push_str(part);
        }
    }
    is_changed.then_some(original)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_escaped() {
        assert_eq!(line("\\Process(a\u{202e}b)\\%", 100), "\\Process(a\\u{202e}b)\\%");
        assert_eq!(line("\x1b[2J\t\u{200b}\u{e0041}é…▁", 100), "\\u{1b}[2J\\u{9}\\u{200b}\\u{e0041}é…▁");
        assert_eq!(lines("a\r\nb\x07\n", 100), "a\nb\\u{7}");
    }

    #[test]
    fn what_was_escaped_is_found_again() {
        let name = "fi\u{202e}le\nname \u{1b}[1m$(id)'.csv";
        assert_eq!(unescaped(&line(name, usize::MAX)).as_deref(), Some(name));
        for text in ["", "a.blg", r"a\u{", r"a\u{x}", r"\u{41}", r"\u{110000}", r"\user\u{}"] {
            assert_eq!(unescaped(text), None, "{text}");
        }
        assert_eq!(unescaped(r"\u{41}\u{a}b").as_deref(), Some("\\u{41}\nb"));
    }

    #[test]
    fn names_begin_no_cell() {
        let found = serde_json::json!({ "a|b": ["x | y", 1, { "c": "\u{202e}", "d": r"\u{a}" }] });
        let expected = serde_json::json!({ "a|b": [r"x \u{7c} y", 1, { "c": r"\u{202e}", "d": r"\u{a}" }] });
        assert_eq!(cells(found), expected);
        for text in ["a|b\n", r"a\u{a}b", "a\nb", r"\u{5c}u{a}", r"a\b\u{41}"] {
            assert_eq!(unescaped(&name(text)).as_deref().unwrap_or(text), text);
        }
        assert_ne!(name("a\nb"), name(r"a\u{a}b"));
    }

    #[test]
    fn lines_of_rare_scripts_are_cut_earlier() {
        let shown = line(&"\u{13a0}".repeat(2_000), 2_000);
        assert!(recount_model::answer_len(&shown) < MAX_LEN + 50, "{shown}");
        assert_eq!(line(&"ж".repeat(400), 400), "ж".repeat(400));
        assert_eq!(line(&"\u{13a0}".repeat(2_000), usize::MAX), "\u{13a0}".repeat(2_000));
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(line(&"x".repeat(405), 400), format!("{} … (5 more characters)", "x".repeat(400)));
        assert_eq!(line(&"x".repeat(400), 400), "x".repeat(400));
        assert!(line(&"\u{202e}".repeat(1000), 400).len() < 440);
    }
}
