//! Patterns that match no counter, and the names that were probably meant by them.

use std::sync::Arc;

use recount_model::{ObjectDef, Pattern, Selection};

use crate::Capture;
use crate::contents::found_objects::FoundObjects;

/// How alike two names have to be, from 0 to 1.
const ALIKE: f64 = 0.85;

/// Patterns that are named in a message.
const MAX_NAMED: usize = 10;

/// That patterns match no counter of the captures, each with the name that was probably meant; `None` if there is no pattern.
pub fn unmatched_text<'p>(
    patterns: impl IntoIterator<Item = &'p Pattern>,
    captures: &[Capture],
) -> Option<String> {
    let mut patterns = patterns.into_iter();
    let named: Vec<(&Pattern, Option<String>)> =
        patterns.by_ref().take(MAX_NAMED).map(|pattern| (pattern, near_name(pattern, captures))).collect();
    let shown = match named.as_slice() {
        [] => return None,
        [(pattern, Some(near))] => format!("{pattern}; {near}"),
        [(pattern, None)] => pattern.to_string(),
        all => {
            let shown = |(pattern, near): &(&Pattern, Option<String>)| match near {
                Some(near) => format!("{pattern} ({near})"),
                None => pattern.to_string(),
            };
            format!("any of {}", all.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
    };
    let more = match patterns.count() {
        0 => String::new(),
        num => format!(", and {num} more patterns"),
    };
    Some(format!("no counter matches {shown}{more}"))
}

/// What was probably meant by a pattern that matches no counter of the captures: `there is an object Processor`. `None`: no
/// name is like it.
fn near_name(pattern: &Pattern, captures: &[Capture]) -> Option<String> {
    let objects: Vec<Arc<ObjectDef>> = captures.iter().flat_map(objects_of).collect();
    let Pattern::Path(path) = pattern else { return near_any(&pattern.to_string(), &objects) };
    // Parts are compared as they are written: that names may contain backslashes and parentheses is no help here.
    let meant: Vec<&Arc<ObjectDef>> =
        objects.iter().filter(|object| may_be(&path.object, &object.name)).collect();
    if meant.is_empty() {
        let near = nearest(&path.object, objects.iter().map(|object| &*object.name))?;
        return Some(format!("there is an object {near}"));
    }
    let counters = || meant.iter().flat_map(|object| shown_counters(object).map(move |name| (object, name)));
    if !counters().any(|(_, name)| may_be(&path.counter, name)) {
        let near = nearest(&path.counter, counters().map(|(_, name)| name))?;
        let (object, _) = counters().find(|(_, name)| *name == near)?;
        return Some(format!("{} has a counter {near}", object.name));
    }
    near_instance(path.instance.as_deref()?, &meant[0].name, captures)
}

/// Tidy tables only say with their rows which objects they have.
fn objects_of(capture: &Capture) -> Vec<Arc<ObjectDef>> {
    let known = capture.source.objects();
    if !known.is_empty() {
        return known.into_iter().map(|(_, object)| object).collect();
    }
    let (found, _) = FoundObjects::read(std::slice::from_ref(capture), &Selection::all());
    found.objects.into_iter().map(|found| Arc::new(found.object)).collect()
}

/// Whether a part of a path may mean a name.
fn may_be(part: &str, name: &str) -> bool {
    part.contains('*') || part.to_lowercase() == name.to_lowercase()
}

fn shown_counters(object: &ObjectDef) -> impl Iterator<Item = &str> {
    object.counters.iter().filter(|counter| !counter.is_hidden()).map(|counter| &*counter.name)
}

/// A text may be of any part of a path.
fn near_any(text: &str, objects: &[Arc<ObjectDef>]) -> Option<String> {
    let counters = || objects.iter().flat_map(|object| shown_counters(object));
    if let Some(near) = nearest(text, counters()) {
        return Some(format!("there is a counter {near}"));
    }
    let near = nearest(text, objects.iter().map(|object| &*object.name))?;
    Some(format!("there is an object {near}"))
}

/// Instances are only known after reading.
fn near_instance(name: &str, object: &str, captures: &[Capture]) -> Option<String> {
    let of_object = Pattern::Path(recount_model::CounterPath::of("", object, None, "*"));
    let (found, _) = FoundObjects::read(captures, &Selection::from_iter([of_object]));
    let names: Vec<String> =
        found.objects.iter().flat_map(|found| &found.instances).map(|one| one.name.to_string()).collect();
    let near = nearest(name, names.iter().map(String::as_str))?;
    Some(format!("{object} has an instance {near}"))
}

/// The name most like another; none if all are unlike it, or it is there itself.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = Some(letters(name)).filter(|wanted| !wanted.is_empty())?;
    let likeness = |other: &str| strsim::jaro_winkler(&wanted, &letters(other));
    let (like, near) =
        known.map(|other| (likeness(other), other)).max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (like > ALIKE && !near.eq_ignore_ascii_case(name)).then_some(near)
}

/// Without blanks and signs, which are what people leave out.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(pattern: &str) -> Option<String> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
        let capture = crate::open(path).expect("a sample");
        near_name(&pattern.parse().expect("a pattern"), &[capture])
    }

    #[test]
    fn a_table_has_near_names_too() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("a.parquet");
        let log = crate::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg"));
        let (target, options) = (crate::Target::Path(path.clone()), crate::ConvertOptions::default());
        let timeline = log.expect("a sample").timeline();
        crate::convert(&timeline, &target, &options, &crate::unwatched).expect("converted");
        let table = crate::open(&path).expect("a table");
        let pattern = r"\Procesor(*)\% User Time".parse().expect("a pattern");
        assert_eq!(near_name(&pattern, &[table]).as_deref(), Some("there is an object Processor"));
    }

    #[test]
    fn the_wrong_part_is_named() {
        assert_eq!(near(r"\Procesor(*)\% User Time").as_deref(), Some("there is an object Processor"));
        assert_eq!(near(r"\Processor(*)\User Time").as_deref(), Some("Processor has a counter % User Time"));
        assert_eq!(
            near(r"\Processor(Total)\% User Time").as_deref(),
            Some("Processor has an instance _Total")
        );
        assert_eq!(near("Usr Time").as_deref(), Some("there is a counter % User Time"));
        assert_eq!(near(r"\Zebra(*)\*"), None);
        assert_eq!(near("zebra"), None);
        // Nothing is like a pattern of no letters.
        assert_eq!(near(r"\Processor(*)\% User*"), None);
    }
}
