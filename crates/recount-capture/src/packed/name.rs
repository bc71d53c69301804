//! Safe names of files, made from names that come from a log.

/// Makes a foreign file name safe in our directory: without directories, not hidden, and not a device.
pub fn safe_file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_safe = |c: char| !c.is_control() && !matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let mut safe: String = last.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    // Windows drops these at the end of a name, so the result could be another file's name.
    safe.truncate(safe.trim_end_matches(['.', ' ']).len());
    if safe.starts_with('.') {
        safe.replace_range(..1, "_");
    }
    let stem = safe.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    if safe.is_empty() || is_device(&stem) {
        safe.insert_str(0, "unpacked_");
    }
    safe
}

/// Names that denote devices on Windows, in every directory.
fn is_device(stem: &str) -> bool {
    let is_numbered = |device: &str| {
        stem.strip_prefix(device)
            .is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
    };
    matches!(stem, "CON" | "PRN" | "AUX" | "NUL") || is_numbered("COM") || is_numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_directory() {
        for (name, safe) in [
            ("monday.blg", "monday.blg"),
            ("Größe 1.csv", "Größe 1.csv"),
            ("../../etc/passwd", "passwd"),
            (r"C:\logs\monday.blg", "monday.blg"),
            ("C:monday.blg", "C_monday.blg"),
            ("..", "unpacked_"),
            ("", "unpacked_"),
            ("a/", "unpacked_"),
            (".bashrc", "_bashrc"),
            ("a\u{1b}[31m\n", "a_[31m_"),
            ("nul.txt", "unpacked_nul.txt"),
            ("com1", "unpacked_com1"),
            ("com10", "com10"),
            ("monday.blg. .", "monday.blg"),
        ] {
            assert_eq!(safe_file_name(name), safe, "{name:?}");
        }
    }
}
