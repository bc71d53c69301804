//! Sentences in lines of a terminal; elsewhere each is one line, for `grep`.

use std::io::IsTerminal;

use ratatui::crossterm::terminal;
use textwrap::WordSplitter;

/// How many characters a line of the terminal has to which standard output goes; `None` if it doesn't go to one, or doesn't know its size.
pub(crate) fn room() -> Option<usize> {
    room_of(&std::io::stdout())
}

/// The same of standard error.
pub(crate) fn room_of_errors() -> Option<usize> {
    room_of(&std::io::stderr())
}

fn room_of(stream: &impl IsTerminal) -> Option<usize> {
    let size = if stream.is_terminal() { terminal::size().ok() } else { None };
    size.map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0)
}

/// A text with what its first line begins with, and the others; in lines of `room` characters if there is a limit.
pub(crate) fn wrapped(text: &str, [first, others]: [&str; 2], room: Option<usize>) -> String {
    /// In less nobody can read it.
    const LEAST_ROOM: usize = 40;
    let Some(room) = room.map(|room| room.max(LEAST_ROOM)) else { return format!("{first}{text}\n") };
    // Times and paths that fit into a line stay whole.
    let options = textwrap::Options::new(room).word_splitter(WordSplitter::NoHyphenation);
    let filled =
        textwrap::fill(&with_units(text), options.initial_indent(first).subsequent_indent(others)) + "\n";
    filled.replace(NO_BREAK, " ")
}

/// Lines that begin with a word and have a sentence after `indent` characters, the sentences in lines of `room` characters if there is a limit.
/// Those that begin with one of `whole` stay whole, as commands have to be that somebody copies.
pub(crate) fn hung(text: &str, indent: usize, whole: &[&str], room: Option<usize>) -> String {
    let others = " ".repeat(indent);
    let line = |line: &str| {
        let is_whole = whole.iter().any(|begin| line.starts_with(begin));
        match line.split_at_checked(indent) {
            Some((first, text)) if !is_whole && !text.starts_with(' ') => {
                wrapped(text, [first, &others], room)
            }
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect()
}

/// No text has it: it is for private use.
const NO_BREAK: char = '\u{f8ff}';

/// A text in which no line ends between a number and its unit.
fn with_units(text: &str) -> String {
    const UNITS: [&str; 14] =
        ["%", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "s", "ms", "µs", "min", "h", "d", "days"];
    let mut joined = String::with_capacity(text.len());
    for (at, word) in text.split(' ').enumerate() {
        let is_unit = UNITS.contains(&word.trim_end_matches([',', '.', ';', ':', ')']));
        let is_value = is_unit && joined.ends_with(|c: char| c.is_ascii_digit());
        if at > 0 {
            joined.push(if is_value { NO_BREAK } else { ' ' });
        }
        joined.push_str(word);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_with_its_unit() {
        let text = "% Processor Time was 91 % on average for 6 min, at most 1.5 GiB, the worst of 2 times (12 min in all); 1 h 14 min and 8 s.";
        for room in 40..100 {
            let lines = wrapped(text, ["", ""], Some(room));
            let has_unit_alone =
                |line: &str| ["% o", "min", "GiB", "h ", "s."].iter().any(|unit| line.starts_with(unit));
            assert!(!lines.lines().any(has_unit_alone), "{lines}");
            assert_eq!(lines.lines().collect::<Vec<_>>().join(" "), text);
        }
        let lines = wrapped(text, ["", ""], Some(40));
        assert_eq!(lines.lines().next(), Some("% Processor Time was 91 % on average for"));
    }

    #[test]
    fn sentences_hang_behind_their_words() {
        let text = "health    sound, and nothing else is known of it at all\nnext      recount info today.blg  # which objects there are\n";
        let expected = "health    sound, and nothing else is\n          known of it at all\nnext      recount info today.blg  # which objects there are\n";
        assert_eq!(hung(text, 10, &["next"], Some(40)), expected);
        assert_eq!(hung(text, 10, &["next"], None), text);
    }
}
