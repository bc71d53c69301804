//! Which table a name in a query means.

/// A table, by what it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableName {
    /// A performance object.
    Object(String),
    /// The catalogue of counters.
    Counters,
    /// Why values are missing.
    Nulls,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// This table.
    Table(TableName),
    /// Several objects, if letter case and punctuation are left aside.
    Ambiguous(Vec<String>),
    /// None that is known.
    Unknown,
}

/// Finds the table that a query means by a name: the object of that very name, or one that differs in letter case, or one
/// that differs in punctuation too (`physical_disk`, `networkinterface`); else `counters` and `nulls`.
pub fn resolve<'a>(name: &str, objects: impl Iterator<Item = &'a str> + Clone) -> Resolved {
    if objects.clone().any(|object| object == name) {
        return Resolved::Table(TableName::Object(name.to_owned()));
    }
    let same_but_case = |object: &&str| object.to_lowercase() == name.to_lowercase();
    let same_letters = |object: &&str| letters(object) == letters(name) && !letters(name).is_empty();
    for found in
        [objects.clone().filter(same_but_case).collect::<Vec<_>>(), objects.filter(same_letters).collect()]
    {
        match found.as_slice() {
            [] => {}
            [one] => return Resolved::Table(TableName::Object((*one).to_owned())),
            several => return Resolved::Ambiguous(several.iter().map(ToString::to_string).collect()),
        }
    }
    match name.to_lowercase().as_str() {
        "counters" => Resolved::Table(TableName::Counters),
        "nulls" => Resolved::Table(TableName::Nulls),
        _ => Resolved::Unknown,
    }
}

fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The names most like one that isn't there, the nearest first.
pub(crate) fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    const MAX_TOLD: usize = 5;
    const LEAST: f64 = 0.7;
    let likeness = |other: &str| {
        let (one, two) = (letters(name), letters(other));
        let contains = !one.is_empty() && (two.contains(&one) || (!two.is_empty() && one.contains(&two)));
        let like = strsim::jaro_winkler(&one, &two);
        if contains { like.max(0.9) } else { like }
    };
    let mut all: Vec<(f64, &str)> =
        known.map(|other| (likeness(other), other)).filter(|(like, _)| *like >= LEAST).collect();
    all.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
    all.dedup_by(|a, b| a.1 == b.1);
    all.into_iter().take(MAX_TOLD).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_very_name_comes_first() {
        let objects = ["Process", "PROCESS", "PhysicalDisk", "counters", "A/B", "A B"];
        let found = |name: &str| resolve(name, objects.into_iter());
        let object = |name: &str| Resolved::Table(TableName::Object(name.to_owned()));
        assert_eq!(found("Process"), object("Process"));
        assert_eq!(found("process"), Resolved::Ambiguous(vec!["Process".into(), "PROCESS".into()]));
        assert_eq!(found("physical_disk"), object("PhysicalDisk"));
        assert_eq!(found("physicaldisk"), object("PhysicalDisk"));
        assert_eq!(found("Counters"), object("counters"));
        assert_eq!(found("NULLS"), Resolved::Table(TableName::Nulls));
        assert_eq!(found("a_b"), Resolved::Ambiguous(vec!["A/B".into(), "A B".into()]));
        assert_eq!(found("Memory"), Resolved::Unknown);
    }

    #[test]
    fn near_names_are_told() {
        let columns = ["% Processor Time", "% User Time", "Working Set", "ID Process"];
        assert_eq!(near("ProcessorTime", columns.into_iter())[0], "% Processor Time");
        assert_eq!(near("Workingset", columns.into_iter()), ["Working Set"]);
        assert!(near("zzz", columns.into_iter()).is_empty());
    }
}
