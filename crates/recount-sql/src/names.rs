//! Resolves the names of tables in a query.

use recount_model::{CounterPath, Pattern};

use crate::QueryError;

/// A kind of table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TableName {
    /// A performance object.
    Object(String),
    /// The catalogue of counters.
    Counters,
    /// Why values are missing.
    Nulls,
    /// The processes, a row for each.
    Processes,
}

/// The names of the tables that belong to no object.
pub(crate) const OTHERS: [&str; 3] = ["counters", "nulls", PROCESSES];
/// As in `formats/tables.md`: `Processes` is an object of Linux.
pub(crate) const PROCESSES: &str = "_processes";

/// Finds the table that a name in a query means: the object with exactly this name, or one that differs in case, or one
/// that also differs in punctuation (`physical_disk`, `networkinterface`); otherwise `counters` and `nulls`. `_processes` is never an
/// object's.
pub(crate) fn resolve<'a>(
    name: &str,
    objects: impl Iterator<Item = &'a str> + Clone,
) -> Result<Option<TableName>, QueryError> {
    if objects.clone().any(|object| object == name) {
        return Ok(Some(TableName::Object(name.to_owned())));
    }
    if name.eq_ignore_ascii_case(PROCESSES) {
        return Ok(Some(TableName::Processes));
    }
    let same_but_case = |object: &&str| object.to_lowercase() == name.to_lowercase();
    let same_letters = |object: &&str| letters(object) == letters(name) && !letters(name).is_empty();
    for found in
        [objects.clone().filter(same_but_case).collect::<Vec<_>>(), objects.filter(same_letters).collect()]
    {
        match found.as_slice() {
            [] => {}
            [one] => return Ok(Some(TableName::Object((*one).to_owned()))),
            several => {
                let tables = several.iter().map(ToString::to_string).collect();
                return Err(QueryError::Ambiguous { name: name.to_owned(), tables });
            }
        }
    }
    Ok(match name.to_lowercase().as_str() {
        "counters" => Some(TableName::Counters),
        "nulls" => Some(TableName::Nulls),
        _ => None,
    })
}

/// Like [`resolve`], but fails if there is no such table.
pub(crate) fn known_table<'a>(
    name: &str,
    objects: impl Iterator<Item = &'a str> + Clone,
) -> Result<TableName, QueryError> {
    resolve(name, objects.clone())?.ok_or_else(|| QueryError::UnknownTable {
        name: name.to_owned(),
        near: near(name, objects.chain(OTHERS)),
    })
}

/// Whether a name means an object, unless another object matches better.
pub(crate) fn may_mean(name: &str, object: &str) -> bool {
    matches!(resolve(name, std::iter::once(object)), Ok(Some(TableName::Object(_))))
}

/// Matches every object that a name may mean, and a few more.
pub(crate) fn pattern_of(name: &str) -> Pattern {
    let object: String = letters(name).chars().flat_map(|letter| ['*', letter]).chain(['*']).collect();
    Pattern::Path(CounterPath::of("", &object, None, "*"))
}

fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The names most similar to one that doesn't exist, the most similar first.
pub(crate) fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    const MAX_LISTED: usize = 5;
    const LEAST: f64 = 0.7;
    const MIN_PART: usize = 3;
    let likeness = |other: &str| {
        let (one, two) = (letters(name), letters(other));
        // A very short text would be part of every name.
        let is_part = |part: &str, whole: &str| part.len() >= MIN_PART && whole.contains(part);
        let contains = is_part(&one, &two) || is_part(&two, &one);
        let like = strsim::jaro_winkler(&one, &two);
        if contains { like.max(0.9) } else { like }
    };
    let mut all: Vec<(f64, &str)> =
        known.map(|other| (likeness(other), other)).filter(|(like, _)| *like >= LEAST).collect();
    all.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
    all.dedup_by(|a, b| a.1 == b.1);
    all.into_iter().take(MAX_LISTED).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_very_name_comes_first() {
        let objects = ["Process", "PROCESS", "PhysicalDisk", "counters", "A/B", "A B"];
        let found = |name: &str| resolve(name, objects.into_iter());
        let object = |name: &str| Some(TableName::Object(name.to_owned()));
        let is_any_of = |name: &str, expected: [&str; 2]| match found(name) {
            Err(QueryError::Ambiguous { tables, .. }) => tables == expected,
            _ => false,
        };
        assert_eq!(found("Process").ok(), Some(object("Process")));
        assert!(is_any_of("process", ["Process", "PROCESS"]));
        assert_eq!(found("physical_disk").ok(), Some(object("PhysicalDisk")));
        assert_eq!(found("physicaldisk").ok(), Some(object("PhysicalDisk")));
        assert_eq!(found("Counters").ok(), Some(object("counters")));
        assert_eq!(found("NULLS").ok(), Some(Some(TableName::Nulls)));
        assert!(is_any_of("a_b", ["A/B", "A B"]));
        assert_eq!(found("Memory").ok(), Some(None));
        // Linux has an object `Processes`.
        let processes = resolve("_processes", ["Processes"].into_iter());
        assert_eq!(processes.ok(), Some(Some(TableName::Processes)));
    }

    #[test]
    fn patterns_match_whatever_a_name_may_mean() {
        for (name, object) in [
            ("physical_disk", "PhysicalDisk"),
            ("ab", "(A/B)"),
            ("Process", "PROCESS"),
            ("%", "%"),
            ("é", "É"),
        ] {
            assert!(may_mean(name, object), "{name}");
            assert!(pattern_of(name).may_match_object_anywhere(object), "{name}");
        }
        assert!(!may_mean("Process", "Processor") && !may_mean("counters", "x"));
        assert!(!pattern_of("memory").may_match_object_anywhere("Process"));
    }

    #[test]
    fn near_names_are_reported() {
        let columns = ["% Processor Time", "% User Time", "Working Set", "ID Process"];
        assert_eq!(near("ProcessorTime", columns.into_iter())[0], "% Processor Time");
        assert_eq!(near("Workingset", columns.into_iter()), ["Working Set"]);
        assert!(near("zzz", columns.into_iter()).is_empty());
    }
}
