//! Mistakes in the text of rules: they are collected, and reported at once.

use std::ops::Range;

use toml::Spanned;

/// A mistake, with its place in the text.
pub(super) type Fault = (Range<usize>, String);

/// Collects all mistakes, to report them at once.
pub(super) struct Faults(pub(super) Vec<Fault>);

impl Faults {
    pub(super) fn take<T>(&mut self, span: Range<usize>, result: Result<T, String>) -> Option<T> {
        result.map_err(|what| self.0.push((span, what))).ok()
    }
}

/// Links are addresses that a page can open.
pub(super) fn check_links(links: &[Spanned<String>], faults: &mut Faults) {
    for link in links {
        let address = link.get_ref();
        let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
        let is_address = rest.is_some_and(|rest| {
            !rest.is_empty()
                && rest.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '`'))
        });
        if !is_address {
            faults.0.push((
                link.span(),
                format!("{:?} isn't an address that begins with https:// or http://", link.get_ref()),
            ));
        }
    }
}
