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
/// first, as in PDH. The path of a counter as it is printed always selects that counter, whatever its names contain:
/// parentheses, slashes, backslashes and `#1` may be part of a name.
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
    /// Whether some counter of a host could match.
    pub fn may_match_host(&self, host: &str) -> bool {
        match self {
            Pattern::Path(path) => path.host.as_deref().is_none_or(|pattern| glob(pattern, host)),
            Pattern::Contains(_) => true,
        }
    }

    /// Whether some counter of an object of a host could match.
    pub fn may_match_object(&self, host: &str, object: &str) -> bool {
        match self {
            Pattern::Path(path) => {
                self.may_match_host(host) && (glob(&path.object, object) || may_print(path, object))
            }
            Pattern::Contains(_) => true,
        }
    }

    /// Whether some counter of an object could match, on some host.
    pub fn may_match_object_anywhere(&self, object: &str) -> bool {
        match self {
            Pattern::Path(path) => glob(&path.object, object) || may_print(path, object),
            Pattern::Contains(_) => true,
        }
    }

    /// Whether a counter of an object could match, for some instance on some host.
    pub fn may_match_counter(&self, object: &str, counter: &str) -> bool {
        match self {
            Pattern::Path(path) => {
                glob(&path.object, object) && glob(&path.counter, counter)
                    || may_print(path, object) && ends_with(path, counter)
            }
            Pattern::Contains(_) => true,
        }
    }

    /// Whether one counter of one instance matches. `instance` is `None` for an object without instances.
    pub fn matches(&self, host: &str, object: &str, instance: Option<&Instance>, counter: &str) -> bool {
        match self {
            Pattern::Path(path) => {
                let is_by_parts = path.host.as_deref().is_none_or(|pattern| glob(pattern, host))
                    && glob(&path.object, object)
                    && glob(&path.counter, counter)
                    && path.instance.as_deref().is_none_or(|name| {
                        matches_instance(path.parent.as_deref(), name, path.index, instance)
                    });
                is_by_parts || is_printed(path, host, object, instance, counter)
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

/// Whether a path is how this counter is printed, with its host or without, although its parts were divided otherwise.
fn is_printed(
    path: &CounterPath,
    host: &str,
    object: &str,
    instance: Option<&Instance>,
    counter: &str,
) -> bool {
    if !ends_with(path, counter) || !may_print(path, object) {
        return false;
    }
    let text = as_written(path).to_lowercase();
    let is_same = |host: &str| {
        let printed = CounterPath::of(host, object, instance, counter).to_string().to_lowercase();
        printed.trim_end() == text
    };
    is_same("") || (!host.is_empty() && is_same(host))
}

/// The text of a path, with `#0` if it was written.
fn as_written(path: &CounterPath) -> String {
    match (&path.instance, path.index) {
        (Some(name), Some(Occurrence::Number(0))) => {
            CounterPath { instance: Some(format!("{name}#0")), index: None, ..path.clone() }.to_string()
        }
        _ => path.to_string(),
    }
}

/// Whether a path may be how a counter of this name is printed.
fn ends_with(path: &CounterPath, counter: &str) -> bool {
    // What precedes the counter has at least an object.
    let (path, counter) = (path.counter.to_lowercase(), counter.trim_end().to_lowercase());
    path.ends_with(&counter) || counter.ends_with(&path)
}

/// Whether a path may be how a counter of this object is printed.
fn may_print(path: &CounterPath, object: &str) -> bool {
    let begins = |text: &str| {
        let (text, object) = (text.to_lowercase(), object.to_lowercase());
        text.strip_prefix(&object).is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', '\\']))
    };
    // A parenthesis or backslash in the name of an object ends it too early.
    begins(&path.object)
        || (object.contains(['(', '\\']) && {
            let printed = CounterPath { host: None, ..path.clone() }.to_string();
            begins(&printed[1..])
        })
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
pub fn glob(pattern: &str, text: &str) -> bool {
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
    use proptest::prelude::*;

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
    fn counters_are_named_without_an_instance() {
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

    proptest! {
        #[test]
        fn a_printed_path_selects_its_counter(
            host in "|WEB1|web-2",
            object in r"[A-Z][a-b /#]{0,4}( \(b\))?",
            parent in proptest::option::of("[a-b()/#*'\"0-2 ]{1,6}"),
            name in r#"[a-bé()/\\\\#*'"0-2 ]{0,12}"#,
            ordinal in 0_u32..3,
            counter in r"[A-Z%][a-b ()/#\\.0-2]{0,8}",
        ) {
            // `\A(()\%)\` is also every counter of the instance `()\%`.
            prop_assume!(!counter.contains(r")\"));
            let instance = Instance { parent: parent.map(Into::into), ordinal, ..Instance::named(name) };
            for host in [host.as_str(), ""] {
                for instance in [Some(&instance), None] {
                    let printed = CounterPath::of(host, &object, instance, &counter).to_string();
                    let pattern: Pattern = printed.parse().expect("a path");
                    prop_assert!(pattern.matches(host, &object, instance, &counter), "{}", printed);
                    prop_assert!(pattern.may_match_object(host, &object), "{}", printed);
                    prop_assert!(pattern.may_match_object_anywhere(&object), "{}", printed);
                    prop_assert!(pattern.may_match_counter(&object, &counter), "{}", printed);
                }
            }
        }
    }

    #[test]
    fn names_may_look_like_other_parts_of_a_path() {
        for name in
            [r"a)\b", r"C:\x (1)", "((", "a#07", "x#0", "p/q#1", "a)b(", r"\\?\Volume{1}", "'\"", "/", "#"]
        {
            let instance = Instance::named(name);
            let printed = CounterPath::of("", "Process", Some(&instance), "% Processor Time").to_string();
            assert!(matches(&printed, Some(&instance)), "{printed}");
            assert!(!matches(&printed, Some(&Instance::named("another"))), "{printed}");
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
