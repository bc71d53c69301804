//! The table of names in other languages (`data/README.md`).

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, LazyLock};

use flate2::read::ZlibDecoder;
use recount_model::fold_name;

const COMPRESSED: &[u8] = include_bytes!("../data/counter-names.z");
/// Names in languages that the table lacks, in the same form.
const OTHER_LANGUAGES: [&str; 1] = [include_str!("../data/russian.txt")];

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
        static TABLE: LazyLock<TranslationTable> = LazyLock::new(|| {
            let mut table = TranslationTable::default();
            table.read(text().lines().skip(1));
            for text in OTHER_LANGUAGES {
                table.read(text.lines());
            }
            table
        });
        &TABLE
    }

    /// Adds lines of objects and their counters: names in English and in others, separated by tabs.
    fn read<'l>(&mut self, lines: impl Iterator<Item = &'l str>) {
        let mut current = None;
        for line in lines {
            let (line, is_counter) = line.strip_prefix(' ').map_or((line, false), |line| (line, true));
            let mut names = line.split('\t');
            let english: Arc<str> = names.next().unwrap_or_default().into();
            let names = std::iter::once(&*english).chain(names.filter(|name| !name.is_empty()));
            if is_counter {
                let Some(object) = current.and_then(|number: usize| self.objects.get_mut(number)) else {
                    continue;
                };
                for name in names {
                    let candidates = object.counters.entry(fold_name(name)).or_default();
                    if !candidates.contains(&english) {
                        candidates.push(Arc::clone(&english));
                    }
                }
            } else {
                let number = self.objects.iter().position(|object| object.english == english);
                let number = number.unwrap_or_else(|| {
                    self.objects
                        .push(ObjectNames { english: Arc::clone(&english), ..ObjectNames::default() });
                    self.objects.len() - 1
                });
                current = Some(number);
                for name in names {
                    let candidates = self.by_name.entry(fold_name(name)).or_default();
                    if !candidates.contains(&number) {
                        candidates.push(number);
                    }
                }
            }
        }
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
