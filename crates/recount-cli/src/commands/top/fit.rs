//! What doesn't fit on a narrow screen is left out whole, or ends with a mark.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Span;

/// Places for texts, and the mark of what was cut.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    mark: &'static str,
}

impl Fit {
    pub(super) fn new(is_ascii: bool) -> Fit {
        Fit { mark: if is_ascii { "..." } else { "…" } }
    }

    /// A text in that many columns.
    pub(super) fn cut(self, text: &str, room: usize) -> String {
        if width(text) <= room {
            return text.to_owned();
        }
        let mark = self.mark.get(..room).unwrap_or(self.mark);
        let mut left = room.saturating_sub(width(mark));
        let mut cut = String::new();
        for c in text.chars() {
            let len = width(c.encode_utf8(&mut [0; 4]));
            if len > left {
                break;
            }
            left -= len;
            cut.push(c);
        }
        cut + mark
    }

    /// The end of a text that is being typed.
    pub(super) fn end(self, text: &str, room: usize) -> String {
        if width(text) <= room {
            return text.to_owned();
        }
        let backwards: String = text.chars().rev().collect();
        self.cut(&backwards, room).chars().rev().collect()
    }

    /// As [`some_parts`], with the mark if one doesn't fit.
    pub(super) fn parts(self, parts: &[String], gap: &str, room: usize) -> String {
        let all = parts.join(gap);
        if width(&all) <= room {
            return all;
        }
        let some = some_parts(parts, gap, room.saturating_sub(width(self.mark) + 1));
        if some.is_empty() { self.cut(&all, room) } else { format!("{some} {}", self.mark) }
    }

    /// The lines that fit, of some room.
    pub(super) fn lines(self, lines: Vec<String>, area: Rect) -> Vec<String> {
        let height = usize::from(area.height);
        let is_longer = lines.len() > height;
        let mut shown: Vec<String> = lines.into_iter().take(height).collect();
        if let (true, Some(last)) = (is_longer, shown.last_mut()) {
            self.mark.clone_into(last);
        }
        shown.iter().map(|line| self.cut(line, usize::from(area.width))).collect()
    }
}

/// The widths that the columns of a table get.
pub(super) fn rooms(widths: &[Constraint], area: Rect) -> Vec<usize> {
    let areas = Layout::horizontal(widths).spacing(1).split(area);
    areas.iter().map(|area| usize::from(area.width)).collect()
}

/// As many of the parts as fit, each whole. Of one that has several, the first ones may stay.
pub(super) fn some_parts(parts: &[String], gap: &str, room: usize) -> String {
    let mut line = String::new();
    for part in parts {
        let gap = if line.is_empty() { "" } else { gap };
        let fits = |part: &&str| width(&line) + width(gap) + width(part) <= room;
        let shorter = || part.rmatch_indices(", ").map(|(at, _)| &part[..at]).find(fits);
        if let Some(part) = Some(part.as_str()).filter(fits).or_else(shorter) {
            line = format!("{line}{gap}{part}");
        }
    }
    line
}

/// Columns of a screen.
pub(super) fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// A text in lines of some width, by words.
pub(super) fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_has_a_mark() {
        let fit = Fit::new(false);
        assert_eq!(
            (fit.cut("svchost", 7), fit.cut("svchost", 4), fit.cut("ab", 0)),
            ("svchost".into(), "svc…".into(), String::new())
        );
        // Two columns each.
        assert_eq!(
            (fit.cut("中中中", 6), fit.cut("中中中", 5), fit.cut("中中中", 4)),
            ("中中中".into(), "中中…".into(), "中…".into())
        );
        assert_eq!(
            (Fit::new(true).cut("svchost", 5), Fit::new(true).cut("svchost", 2)),
            ("sv...".into(), "..".into())
        );
        assert_eq!(fit.end("mark:begin", 6), "…begin");
        let lines = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(fit.lines(lines, Rect::new(0, 0, 9, 2)), ["a", "…"]);
    }

    #[test]
    fn parts_are_whole() {
        let parts =
            ["CPU 9 %", "memory 2 GiB available, 1 GiB committed", "disk 1 B/s read"].map(str::to_owned);
        assert_eq!(some_parts(&parts, "   ", 32), "CPU 9 %   memory 2 GiB available");
        assert_eq!(some_parts(&parts, "   ", 20), "CPU 9 %");
        assert_eq!(some_parts(&parts, "   ", 30), "CPU 9 %   disk 1 B/s read");
        assert_eq!(some_parts(&parts, "   ", 99), parts.join("   "));
    }

    #[test]
    fn what_is_left_out_has_a_mark() {
        let parts = ["CPU 9 %", "memory 2 GiB available", "disk 1 B/s read"].map(str::to_owned);
        let fit = Fit::new(false);
        assert_eq!(fit.parts(&parts, "   ", 99), parts.join("   "));
        assert_eq!(fit.parts(&parts, "   ", 49), "CPU 9 %   memory 2 GiB available …");
        assert_eq!(fit.parts(&parts, "   ", 33), "CPU 9 %   disk 1 B/s read …");
        assert_eq!(fit.parts(&parts, "   ", 9), "CPU 9 % …");
        assert_eq!(fit.parts(&parts, "   ", 6), "CPU 9…");
    }
}
