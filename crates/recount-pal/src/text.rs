//! Names and quotations from the file, cut to a length suitable for messages.

/// Maximum bytes kept of a name.
pub(super) const LEN_NAME: usize = 200;
/// Maximum bytes kept of a quotation.
pub(super) const LEN_SNIPPET: usize = 80;

/// The text on one line: each run of blanks and control characters becomes one blank, cut to `len_max` bytes.
pub(super) fn one_line(text: &str, len_max: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > len_max {
            return cut(&line, len_max);
        }
    }
    line
}

/// At most the first `len_max` bytes, with a mark if anything was cut.
pub(super) fn cut(text: &str, len_max: usize) -> String {
    if text.len() <= len_max {
        return text.into();
    }
    let end = (0..=len_max).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    format!("{}...", text.get(..end).unwrap_or_default().trim_end())
}

/// Lower-case words of ASCII letters and digits, joined by hyphens. A capital inside a word begins a new one
/// (`QuickSystemOverview`).
pub(super) fn slug(text: &str, len_max: usize) -> String {
    let mut slug = String::new();
    let mut after_small = false;
    for c in text.chars() {
        let is_word = c.is_ascii_alphanumeric();
        if (!is_word || (after_small && c.is_ascii_uppercase())) && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if is_word {
            if slug.len() >= len_max {
                break;
            }
            slug.push(c.to_ascii_lowercase());
        }
        after_small = c.is_ascii_lowercase();
    }
    slug.trim_end_matches('-').into()
}

/// The name of a file without its folders, for Windows and Unix paths.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
