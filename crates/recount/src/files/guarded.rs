//! Captures whose files may become shorter while they are read.

use std::sync::{Arc, Weak};

use recount_model::{Change, Changed, Content, Decoded, FindingKind, Health, Selection, Source};

/// Parts of a file were gone when they were read.
#[derive(Debug, thiserror::Error)]
#[error("the file became shorter while it was being read, or its disk failed")]
pub(crate) struct BecameShorter;

/// A capture isn't believed once a part of its files was gone.
struct Guarded {
    contents: Vec<Weak<dyn Content>>,
}

/// Opens a capture from its files, and guards it.
pub(crate) fn open_guarded<E: From<BecameShorter>>(
    contents: &[Arc<dyn Content>],
    open: impl FnOnce() -> Result<Arc<dyn Source>, E>,
) -> Result<Arc<dyn Source>, E> {
    let opened = open();
    if contents.iter().any(|content| content.is_lost()) {
        return Err(BecameShorter.into());
    }
    let contents: Vec<Weak<dyn Content>> =
        contents.iter().filter(|content| content.may_be_lost()).map(Arc::downgrade).collect();
    let source = opened?;
    Ok(if contents.is_empty() { source } else { Changed::of(source, Guarded { contents }) })
}

impl Change for Guarded {
    /// What was decoded, unless a part of a file was gone in the meantime.
    fn decoded(&self, decoded: Decoded, _: &Selection) -> Decoded {
        let is_lost =
            |content: &Weak<dyn Content>| content.upgrade().is_some_and(|content| content.is_lost());
        if !self.contents.iter().any(is_lost) {
            return decoded;
        }
        let mut health = Health::default();
        let what = format!("{BecameShorter}: from here on nothing of it is used");
        health.note(FindingKind::Truncated, None, what);
        Decoded { health, ..Decoded::default() }
    }
}
