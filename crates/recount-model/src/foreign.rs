//! Text that others wrote, as people see it and as a shell reads it.

use std::ffi::OsStr;

/// Whether a character acts on terminals or on the direction of the text around it, is invisible, or is a noncharacter (some of which XML
/// doesn't allow).
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fdd0}'..='\u{fdef}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A text in which unseen characters are written as their numbers, in the form `\u{202e}`. It is one line.
///
/// ```
/// assert_eq!(recount_model::visible("a\u{202e}gpj.exe\n"), r"a\u{202e}gpj.exe\u{a}");
/// ```
pub fn visible(text: &str) -> String {
    escaped(text, is_unseen)
}

/// The same for a table whose columns are separated by ` | `: a name begins no other column.
///
/// ```
/// assert_eq!(recount_model::table_cell("C: | 100 %"), r"C: \u{7c} 100 %");
/// ```
pub fn table_cell(text: &str) -> String {
    escaped(text, |c| is_unseen(c) || c == '|')
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// How much of a limit on an answer's length a text takes: the bytes of ASCII, and more of what language models read in more tokens. A
/// byte that isn't ASCII is at most one of their tokens, and 2.25 bytes of ASCII are one.
///
/// ```
/// assert_eq!(recount_model::answer_len("java 12 %"), 9);
/// assert_eq!(recount_model::answer_len("ჯავა"), 28);
/// ```
pub fn answer_len(text: &str) -> usize {
    text.chars().map(answer_len_of).sum()
}

/// The same of a character. Those of western Europe, Russian and common punctuation are mostly one token.
pub fn answer_len_of(c: char) -> usize {
    match c {
        '\0'..='\x7f' => 1,
        '\u{80}'..='\u{ff}' | '\u{400}'..='\u{45f}' | '\u{2010}'..='\u{2027}' => 3,
        _ => (c.len_utf8() * 9).div_ceil(4),
    }
}

/// A word of a command line, as a POSIX shell reads it. All of it can be seen: pasted into a terminal, it does nothing but name. A word
/// that ends in line feeds needs a shell that knows `$'...'`.
///
/// ```
/// assert_eq!(recount_model::shell_word("it's; rm"), r"'it'\''s; rm'");
/// ```
pub fn shell_word(word: impl AsRef<OsStr>) -> String {
    let bytes = word.as_ref().as_encoded_bytes();
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.chars().any(is_unseen)
    {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || "_-./:=+@%,".contains(c);
        return if !text.is_empty() && text.chars().all(is_bare) { text.to_owned() } else { quoted(text) };
    }
    // What a command prints is read without the line feeds at its end.
    let len = bytes.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
    let (rest, line_feeds) = bytes.split_at(len);
    let mut escaped = String::new();
    for chunk in rest.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => escaped.push_str(r"\\"),
                c if is_unseen(c) => escaped.push_str(&octal(c.encode_utf8(&mut [0; 4]).as_bytes())),
                c => escaped.push(c),
            }
        }
        escaped.push_str(&octal(chunk.invalid()));
    }
    let end =
        if line_feeds.is_empty() { String::new() } else { format!("$'{}'", r"\n".repeat(line_feeds.len())) };
    format!("\"$(printf %b {})\"{end}", quoted(&escaped))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Bytes in the form that `printf %b` takes.
fn octal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!(r"\0{byte:03o}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_hidden() {
        assert_eq!(visible("a\tb\u{202e}c\u{200b}\u{7f}é…▁"), r"a\u{9}b\u{202e}c\u{200b}\u{7f}é…▁");
        assert_eq!(visible("\u{fffe}\u{ffff}\u{e0041}\u{fffd}"), "\\u{fffe}\\u{ffff}\\u{e0041}\u{fffd}");
        assert_eq!(visible("a\u{1b}[31mb\r\n"), r"a\u{1b}[31mb\u{d}\u{a}");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (text, expected) in [
            ("logs/monday.blg", "logs/monday.blg"),
            ("", "''"),
            (r"\Processor(_Total)\% Idle", r"'\Processor(_Total)\% Idle'"),
            ("it's; rm -rf $HOME", r"'it'\''s; rm -rf $HOME'"),
            ("--by=5m", "--by=5m"),
            ("\\O(a\u{1b}[1m\t'\u{202e})", r#""$(printf %b '\\O(a\0033[1m\0011'\''\0342\0200\0256)')""#),
            ("a\n\n", r#""$(printf %b 'a')"$'\n\n'"#),
        ] {
            assert_eq!(shell_word(text), expected);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_shell_reads_the_same_word() {
        use std::os::unix::ffi::OsStrExt;
        for bytes in [
            &b"plain"[..],
            b"",
            b"it's $(id) `id` \"x\" \\ \\n \\033 %s",
            "a\u{202e}b\nc\t\u{1b}[1m\\0041\u{e0041}'".as_bytes(),
            b"-n \xff\xfe \\",
            b"\n a",
        ] {
            let script = format!("printf %s {}", shell_word(OsStr::from_bytes(bytes)));
            let done = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
            assert_eq!(done.stdout, bytes, "{script}");
        }
    }
}
