//! Lines that are typed, and the list of objects.

use recount::KnownObject;

/// A line longer than this is neither a time nor a name.
const MAX_LEN: usize = 200;

/// What a line is typed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptedFor {
    Time,
    Filter,
}

/// A line that is being typed.
#[derive(Clone, Debug)]
pub(super) struct Prompt {
    pub(super) asked: PromptedFor,
    pub(super) text: String,
}

/// The list of objects, narrowed by what is typed.
#[derive(Clone, Debug, Default)]
pub(super) struct Chooser {
    pub(super) text: String,
    pub(super) selected: usize,
}

/// Appends a character, if it is one that is seen.
pub(super) fn push(text: &mut String, c: char) {
    if !c.is_control() && text.len() < MAX_LEN {
        text.push(c);
    }
}

impl Chooser {
    /// The objects that match, best first.
    pub(super) fn found<'o>(&self, objects: &'o [KnownObject]) -> Vec<&'o KnownObject> {
        let scored = objects.iter().filter_map(|object| Some((score(&self.text, &object.name)?, object)));
        let mut scored: Vec<(usize, &KnownObject)> = scored.collect();
        scored.sort_by_key(|(score, _)| *score);
        scored.into_iter().map(|(_, object)| object).collect()
    }
}

/// The distance of a name from the typed text, whose letters it must contain in this order; 0 is nearest. Adjacent and
/// early letters are nearer.
fn score(typed: &str, name: &str) -> Option<usize> {
    let (typed, name) = (typed.to_lowercase(), name.to_lowercase());
    if let Some(at) = name.find(&typed) {
        return Some(at);
    }
    let mut letters = name.chars().enumerate();
    let mut distance = name.len();
    let mut before = None;
    for wanted in typed.chars().filter(|c| !c.is_whitespace()) {
        let (at, _) = letters.by_ref().find(|(_, letter)| *letter == wanted)?;
        distance += before.map_or(at, |before: usize| at - before - 1);
        before = Some(at);
    }
    Some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_first() {
        let object = |name: &str| KnownObject { name: name.into(), instanced: true };
        let objects =
            ["Network Interface", "Processor", "PhysicalDisk", "Process", "Paging File"].map(object);
        let found = |typed: &str| -> Vec<String> {
            let chooser = Chooser { text: typed.to_owned(), selected: 0 };
            chooser.found(&objects).into_iter().map(|object| object.name.to_string()).collect()
        };
        assert_eq!(found("disk"), ["PhysicalDisk"]);
        assert_eq!(found("NET"), ["Network Interface"]);
        assert_eq!(found("pf"), ["Paging File"]);
        assert_eq!(found("proc"), ["Processor", "Process"], "equal ones stay in their order");
        assert_eq!(found("").len(), objects.len());
        assert!(found("xyz").is_empty());
    }
}
