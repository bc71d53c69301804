//! The table of names in other languages (`data/README.md`).

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, LazyLock};

use flate2::read::ZlibDecoder;
use recount_model::fold_name;

const COMPRESSED: &[u8] = include_bytes!("../data/counter-names.z");

/// The table as text, in the format of `data/README.md`.
pub fn text() -> String {
    let mut text = String::new();
    // A test reads all of it; a build with a broken file would have an empty table.
    let _ = ZlibDecoder::new(COMPRESSED).read_to_string(&mut text);
    text
}

/// An object, in all languages.
#[derive(Debug, Default)]
pub(crate) struct ObjectNames {
    pub(crate) english: Arc<str>,
    /// English names by folded name in any language. There are several if a name is used twice, in one
    /// language or in different ones.
    counters: HashMap<String, Vec<Arc<str>>>,
}

impl ObjectNames {
    /// The possible English names of a counter.
    pub(crate) fn counter(&self, name: &str) -> &[Arc<str>] {
        self.counters.get(&fold_name(name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// The English name of a counter, if it is the only one, or the name is English already.
    pub(crate) fn english_counter(&self, name: &str) -> Option<Arc<str>> {
        let candidates = self.counter(name);
        let own = candidates.iter().find(|english| english.eq_ignore_ascii_case(name));
        own.or(candidates.first().filter(|_| candidates.len() == 1)).cloned()
    }
}

/// All objects.
#[derive(Debug, Default)]
pub(crate) struct TranslationTable {
    objects: Vec<ObjectNames>,
    /// Objects by folded name of any language.
    by_name: HashMap<String, Vec<usize>>,
}

impl TranslationTable {
    /// The table that comes with recount. Reading it takes a few milliseconds, once.
    pub(crate) fn get() -> &'static TranslationTable {
        static TABLE: LazyLock<TranslationTable> = LazyLock::new(|| TranslationTable::read(&text()));
        &TABLE
    }

    fn read(text: &str) -> TranslationTable {
        let mut table = TranslationTable::default();
        for line in text.lines().skip(1) {
            let (line, is_counter) = line.strip_prefix(' ').map_or((line, false), |line| (line, true));
            let mut names = line.split('\t');
            let english: Arc<str> = names.next().unwrap_or_default().into();
            let names = std::iter::once(&*english).chain(names.filter(|name| !name.is_empty()));
            if is_counter {
                let Some(object) = table.objects.last_mut() else { continue };
                for name in names {
                    let candidates = object.counters.entry(fold_name(name)).or_default();
                    if !candidates.contains(&english) {
                        candidates.push(Arc::clone(&english));
                    }
                }
            } else {
                let number = table.objects.len();
                for name in names {
                    let candidates = table.by_name.entry(fold_name(name)).or_default();
                    if !candidates.contains(&number) {
                        candidates.push(number);
                    }
                }
                table.objects.push(ObjectNames { english: Arc::clone(&english), ..ObjectNames::default() });
            }
        }
        table
    }

    /// The object with a name in any language. Of several, the one with this English name, or otherwise the
    /// one that has most of the counters.
    pub(crate) fn object<'c>(
        &self,
        name: &str,
        counters: &(impl Iterator<Item = &'c str> + Clone),
    ) -> Option<&ObjectNames> {
        let numbers = self.by_name.get(&fold_name(name))?;
        let candidates = || numbers.iter().filter_map(|number| self.objects.get(*number));
        let own = candidates().find(|object| object.english.eq_ignore_ascii_case(name));
        let known =
            |object: &ObjectNames| counters.clone().filter(|name| !object.counter(name).is_empty()).count();
        // On a tie, the first.
        own.or_else(|| candidates().rev().max_by_key(|object| known(object)))
    }
}
