//! The screen of a terminal whose locale has no more than ASCII.

use ratatui::buffer::Buffer;

/// The characters that are drawn, and those that stand for them.
const STAND_INS: [(&str, &str); 19] = [
    ("\u{2581}", "_"),
    ("\u{2582}", "."),
    ("\u{2583}", ","),
    ("\u{2584}", "-"),
    ("\u{2585}", "="),
    ("\u{2586}", "+"),
    ("\u{2587}", "*"),
    ("\u{2588}", "#"),
    ("\u{b1}", "*"),
    ("\u{b7}", "."),
    ("\u{2026}", "~"),
    ("\u{2500}", "-"),
    ("\u{2502}", "|"),
    ("\u{250c}", "+"),
    ("\u{2510}", "+"),
    ("\u{2514}", "+"),
    ("\u{2518}", "+"),
    ("\u{b5}", "u"),
    ("\u{a0}", " "),
];

/// Replaces everything else by ASCII.
pub(super) fn translate(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let stand_in = STAND_INS.iter().find(|(drawn, _)| *drawn == cell.symbol());
            cell.set_symbol(stand_in.map_or("?", |(_, stand_in)| stand_in));
        }
    }
}
