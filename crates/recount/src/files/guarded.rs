//! Captures whose files may become shorter while they are read.

use std::sync::{Arc, Weak};

use recount_model::{
    Content, CountsSince, Decoded, FindingKind, Health, ObjectDef, Opened, Selection, Source,
};

/// Parts of a file were gone when they were read.
#[derive(Debug, thiserror::Error)]
#[error("the file became shorter while it was being read, or its disk failed")]
pub(crate) struct BecameShorter;

/// A capture that isn't believed once a part of its files was gone.
struct Guarded {
    source: Arc<dyn Source>,
    contents: Arc<[Weak<dyn Content>]>,
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
    let contents: Arc<[Weak<dyn Content>]> =
        contents.iter().filter(|content| content.may_be_lost()).map(Arc::downgrade).collect();
    let source = opened?;
    Ok(if contents.is_empty() { source } else { Arc::new(Guarded { source, contents }) })
}

impl Guarded {
    /// What was decoded, unless a part of a file was gone in the meantime.
    fn checked(&self, decoded: Decoded) -> Decoded {
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

impl Source for Guarded {
    fn opened(&self) -> &Opened {
        self.source.opened()
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.source.epoch(sample)
    }

    fn round(&self, sample: usize) -> u32 {
        self.source.round(sample)
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        self.source.counts_since(sample)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.source.len_sample(sample)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.source.objects()
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        let source = self.source.canonical()?;
        Some(Arc::new(Guarded { source, contents: Arc::clone(&self.contents) }))
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.checked(self.source.survey(samples, selection))
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.checked(self.source.decode(samples, selection))
    }
}
