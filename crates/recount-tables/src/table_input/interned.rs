//! Names by number, so that rows from any file or dictionary can be compared as numbers.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The number for a missing name.
pub(super) const NONE: u32 = u32::MAX;

/// All names seen so far.
#[derive(Debug, Default)]
pub(super) struct Interned {
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    ids: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
}

impl Interned {
    /// The number of a name.
    pub(super) fn id(&self, name: &str) -> u32 {
        let known = self.inner.read().unwrap_or_else(PoisonError::into_inner).ids.get(name).copied();
        known.unwrap_or_else(|| {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            let inner = &mut *inner;
            let name: Arc<str> = name.into();
            *inner.ids.entry(Arc::clone(&name)).or_insert_with(|| {
                inner.names.push(name);
                // That many different names don't fit into memory.
                (inner.names.len() - 1) as u32
            })
        })
    }

    /// The name of a number; empty for [`NONE`].
    pub(super) fn name(&self, id: u32) -> Arc<str> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.names.get(id as usize).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_equal_numbers() {
        let names = Interned::default();
        let ids: Vec<u32> = ["a", "b", "a", ""].map(|name| names.id(name)).into();
        assert_eq!(ids, [0, 1, 0, 2]);
        assert_eq!(&*names.name(1), "b");
        assert_eq!(&*names.name(NONE), "");
    }
}
