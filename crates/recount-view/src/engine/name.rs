//! Series, identified by the names that `stats` and `show` print.

use std::sync::Arc;

use recount_analysis::roster::Roster;
use recount_model::{CounterPath, Instance, Pattern, Selection};

/// One counter of one instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SeriesName {
    /// Machine; empty if unknown.
    pub(crate) host: Arc<str>,
    pub(crate) object: Arc<str>,
    /// As shown; `None` for an object without instances.
    pub(crate) instance: Option<Arc<str>>,
    /// Followed by a number if one definition has several counters of this name.
    pub(crate) counter: Arc<str>,
}

/// A series, by its indices in a roster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) object: usize,
    pub(crate) instance: usize,
    pub(crate) counter: usize,
}

impl SeriesName {
    pub(crate) fn at(roster: &Roster, place: Place) -> Option<SeriesName> {
        let object = roster.objects().get(place.object)?;
        Some(SeriesName {
            host: Arc::clone(&object.host),
            object: Arc::clone(&object.name),
            instance: object.instances.get(place.instance)?.shown.clone(),
            counter: Arc::clone(&object.counters.get(place.counter)?.name),
        })
    }

    /// The path, as PDH writes it.
    pub(crate) fn path(&self) -> String {
        let instance = self.instance.as_deref().map(Instance::from_shown);
        CounterPath::of(&self.host, &self.object, instance.as_ref(), &self.counter).to_string()
    }

    /// The series' place in another capture, on any machine.
    pub(crate) fn place_anywhere(&self, roster: &Roster) -> Option<Place> {
        let same = |entry: &&Arc<str>| SeriesName { host: Arc::clone(entry), ..self.clone() }.place(roster);
        self.place(roster)
            .or_else(|| roster.objects().iter().map(|entry| &entry.host).find_map(|host| same(&host)))
    }

    /// The series' place in a roster by shown names.
    pub(crate) fn place(&self, roster: &Roster) -> Option<Place> {
        let is_object = |entry: &recount_analysis::roster::ObjectEntry| {
            *entry.host == *self.host && *entry.name == *self.object
        };
        let object = roster.objects().iter().position(is_object)?;
        let entry = &roster.objects()[object];
        let instance = entry.instances.iter().position(|known| known.shown == self.instance)?;
        let counter = entry.counters.iter().position(|known| *known.name == *self.counter)?;
        Some(Place { object, instance, counter })
    }
}

/// The series with a given path. The path may omit the machine; the first with such a series is used then.
pub(crate) fn find(roster: &Roster, path: &str) -> Option<Place> {
    roster.objects().iter().enumerate().find_map(|(object, entry)| {
        let behind_host = match path.strip_prefix(r"\\") {
            Some(rest) => rest.strip_prefix(&*entry.host)?,
            None => path,
        };
        let rest = behind_host.strip_prefix('\\')?.strip_prefix(&*entry.name)?;
        let at = |shown: Option<&str>, counter: &str| {
            let counter = entry.counters.iter().position(|known| *known.name == *counter)?;
            let instance = entry.instances.iter().position(|known| known.shown.as_deref() == shown)?;
            Some(Place { object, instance, counter })
        };
        if let Some(counter) = rest.strip_prefix('\\') {
            return at(None, counter);
        }
        // Instances and counters may themselves contain parentheses and backslashes, so both ends are tried.
        let rest = rest.strip_prefix('(')?;
        rest.match_indices(r")\")
            .find_map(|(end, bracket)| at(Some(&rest[..end]), &rest[end + bracket.len()..]))
    })
}

/// Patterns that select what has to be decoded for these series; they also match other instances.
pub(crate) fn selection_of<'a>(names: impl Iterator<Item = &'a SeriesName>) -> Selection {
    let mut patterns: Vec<Pattern> = Vec::new();
    for name in names {
        // A second counter with the same name in a definition was given a number.
        let unnumbered = name.counter.rsplit_once(" (").filter(|(_, number)| number.ends_with(')'));
        for counter in [Some(&*name.counter), unnumbered.map(|(counter, _)| counter)].into_iter().flatten() {
            let pattern = Pattern::Path(CounterPath::of(&name.host, &name.object, None, counter));
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
    }
    patterns.into_iter().collect()
}
