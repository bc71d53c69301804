//! Wildcard patterns over counter paths.

use std::fmt;
use std::str::FromStr;

use crate::counter_path::Occurrence;
use crate::{CounterPath, Instance, PathError};

/// A pattern that selects counters.
///
/// - A counter path whose parts may contain `*`: `\Process(svchost*)\% *`. Parts left out match everything: a
///   missing host any host, a missing instance any instance, a missing counter any counter.
/// - Any other text: matches anywhere in the path; `*` in it stands for any number of characters. A text with a dot also
///   matches as the name of a metric of Performance Co-Pilot, object and counter with a dot between: `kernel.all.load`,
///   `disk.dev.*`.
///
/// Case doesn't matter. `#*` selects every instance of a name; a name without a number selects only the
/// first, as in PDH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A path with wildcards.
    Path(CounterPath),
    /// A lower-case text that the path must contain.
    Contains(String),
}

impl FromStr for Pattern {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Pattern, PathError> {
        let text = text.trim();
        if !text.starts_with('\\') {
            return Ok(Pattern::Contains(text.to_lowercase()));
        }
        match text.parse() {
            Ok(path) => Ok(Pattern::Path(path)),
            // `\Processor(0)` and `\Memory`: every counter of it.
            Err(PathError::NoCounter(_)) => {
                format!(r"{}\*", text.trim_end_matches('\\')).parse().map(Pattern::Path)
            }
            Err(error) => Err(error),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Path(path) => path.fmt(f),
            Pattern::Contains(text) => f.write_str(text),
        }
    }
}

impl Pattern {
    /// Whether some counter of an object of a host could match.
    pub fn may_match_object(&self, host: &str, object: &str) -> bool {
        match self {
            Pattern::Path(path) => {
                path.host.as_deref().is_none_or(|pattern| glob(pattern, host)) && glob(&path.object, object)
            }
            Pattern::Contains(_) => true,
        }
    }

    /// Whether some counter of an object could match, on some host.
    pub fn may_match_object_anywhere(&self, object: &str) -> bool {
        match self {
            Pattern::Path(path) => glob(&path.object, object),
            Pattern::Contains(_) => true,
        }
    }

    /// Whether a counter of an object could match, for some instance on some host.
    pub fn may_match_counter(&self, object: &str, counter: &str) -> bool {
        match self {
            Pattern::Path(path) => glob(&path.object, object) && glob(&path.counter, counter),
            Pattern::Contains(_) => true,
        }
    }

    /// Whether one counter of one instance matches. `instance` is `None` for an object without instances.
    pub fn matches(&self, host: &str, object: &str, instance: Option<&Instance>, counter: &str) -> bool {
        match self {
            Pattern::Path(path) => {
                self.may_match_object(host, object)
                    && glob(&path.counter, counter)
                    && path.instance.as_deref().is_none_or(|name| {
                        matches_instance(path.parent.as_deref(), name, path.index, instance)
                    })
            }
            Pattern::Contains(text) => {
                let shown = instance.map_or_else(String::new, |instance| format!("({instance})"));
                let path = format!(r"\\{host}\{object}{shown}\{counter}").to_lowercase();
                let is_in_path =
                    if text.contains('*') { glob(&format!("*{text}*"), &path) } else { path.contains(text) };
                is_in_path || text.contains('.') && glob(text, &format!("{object}.{counter}"))
            }
        }
    }
}

fn matches_instance(
    parent: Option<&str>,
    name: &str,
    index: Option<Occurrence>,
    instance: Option<&Instance>,
) -> bool {
    let Some(instance) = instance else {
        // PDH counter lists also write `\System(*)\...` for an object without instances.
        return name == "*" && parent.is_none_or(|parent| parent == "*");
    };
    let parent_matches = match (parent, instance.parent.as_deref()) {
        (None, _) => true,
        (Some(pattern), parent) => glob(pattern, parent.unwrap_or("")),
    };
    if parent_matches && name_matches(name, index, instance) {
        return true;
    }
    match (parent, &instance.parent) {
        (None, _) => index.is_none() && glob(name, &instance.shown()),
        // A slash may be part of a name, as in `kworker/0:1`.
        (Some(parent), None) => name_matches(&format!("{parent}/{name}"), index, instance),
        (Some(_), Some(_)) => false,
    }
}

fn name_matches(name: &str, index: Option<Occurrence>, instance: &Instance) -> bool {
    match index {
        Some(Occurrence::Any) => glob(name, &instance.name),
        Some(Occurrence::Number(number)) => {
            let is_nth = || instance.ordinal == number && glob(name, &instance.name);
            // The number may be part of the name.
            let is_named = || instance.ordinal == 0 && glob(&format!("{name}#{number}"), &instance.name);
            is_nth() || (instance.name.contains('#') && is_named())
        }
        None if name.contains('*') => glob(name, &shown_name(instance)),
        None => glob(name, &shown_name(instance)) || (instance.ordinal == 0 && glob(name, &instance.name)),
    }
}

fn shown_name(instance: &Instance) -> String {
    if instance.ordinal > 0 {
        format!("{}#{}", instance.name, instance.ordinal)
    } else {
        instance.name.to_string()
    }
}

/// Whether `text` matches `pattern`, in which `*` stands for any number of characters. Case doesn't matter.
fn glob(pattern: &str, text: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    // `split` yields at least one part.
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, instance: Option<&Instance>) -> bool {
        let pattern: Pattern = pattern.parse().expect(pattern);
        pattern.matches("WEB1", "Process", instance, "% Processor Time")
    }

    #[test]
    fn globs() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "ABBC", true),
            ("a*c", "abcd", false),
            ("*b*", "abc", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
            ("", "", true),
            ("é*", "École", true),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn counters_are_told_without_an_instance() {
        let may_match = |pattern: &str| {
            let pattern: Pattern = pattern.parse().expect(pattern);
            pattern.may_match_counter("Process", "% Processor Time")
        };
        for pattern in [r"\\web2\Process(a*)\% *", r"\Process(svchost#2)", "svc", r"\*\*"] {
            assert!(may_match(pattern), "{pattern}");
        }
        for pattern in [r"\Thread(*)\*", r"\Process(*)\ID Process"] {
            assert!(!may_match(pattern), "{pattern}");
        }
        let pattern: Pattern = r"\\web2\Process(*)\ID Process".parse().expect("a pattern");
        assert!(pattern.may_match_object_anywhere("process") && !pattern.may_match_object_anywhere("Thread"));
    }

    #[test]
    fn missing_parts_match_everything() {
        let svchost = Instance { ordinal: 3, ..Instance::named("svchost") };
        for pattern in [
            r"\Process",
            r"\\web1\process(*)\*",
            r"\Process(svc*)",
            r"\Process(svchost#3)\% *",
            r"\Process(svchost#*)",
            "processor time",
            "svchost#3",
            "*",
            "svc*",
            "process(svc*)",
        ] {
            assert!(matches(pattern, Some(&svchost)), "{pattern}");
        }
        for pattern in [r"\Process(svchost)\*", r"\\web2\Process", r"\Thread", r"\Process(svchost#2)", "disk"]
        {
            assert!(!matches(pattern, Some(&svchost)), "{pattern}");
        }
        assert!(matches(r"\Process(*)\*", None));
        assert!(!matches(r"\Process(a)\*", None));
    }

    #[test]
    fn names_of_metrics_match() {
        let matches = |pattern: &str, object: &str, counter: &str| {
            let pattern: Pattern = pattern.parse().expect(pattern);
            pattern.matches("web1.example.org", object, Some(&Instance::named("1 minute")), counter)
        };
        for pattern in ["kernel.all.load", "Kernel.*.load", "kernel.all", "kernel.all.*", "*.load"] {
            assert!(matches(pattern, "kernel.all", "load"), "{pattern}");
        }
        for pattern in ["kernel.all.loa", "all.load", "disk.dev.*", "kernel.all.load.x"] {
            assert!(!matches(pattern, "kernel.all", "load"), "{pattern}");
        }
        assert!(matches("disk.dev.read", "disk.dev", "read"));
        assert!(!matches("disk.dev.read", "disk.dev", "read_bytes"), "a name is a whole name");
    }

    #[test]
    fn parents_match() {
        let thread = Instance { parent: Some("java".into()), ..Instance::named("7") };
        for pattern in [r"\Process(java/*)", r"\Process(java/7)", r"\Process(*/7)", r"\Process(7)"] {
            assert!(matches(pattern, Some(&thread)), "{pattern}");
        }
        assert!(!matches(r"\Process(perl/7)", Some(&thread)));
    }

    #[test]
    fn a_slash_may_be_part_of_a_name() {
        let worker = Instance { ordinal: 1, ..Instance::named("kworker/0:1") };
        for pattern in
            [r"\Process(kworker/0:1#1)", r"\Process(kworker/*)", r"\Process(kworker/0:1#*)", r"\Process(k*)"]
        {
            assert!(matches(pattern, Some(&worker)), "{pattern}");
        }
        for pattern in [r"\Process(kworker/0:1)", r"\Process(kworker/1:*)", r"\Process(0:1#1)"] {
            assert!(!matches(pattern, Some(&worker)), "{pattern}");
        }
    }

    #[test]
    fn a_number_may_be_part_of_a_name() {
        let literal = Instance::named("cache#1");
        for pattern in [r"\Process(cache#1)\*", r"\Process(ca*#1)", r"\Process(cache*)", "cache#1"] {
            assert!(matches(pattern, Some(&literal)), "{pattern}");
        }
        let second = Instance { ordinal: 1, ..literal };
        for pattern in [r"\Process(cache#1)\*", r"\Process(cache#2)"] {
            assert!(!matches(pattern, Some(&second)), "{pattern}");
        }
    }
}
