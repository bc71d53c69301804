//! Counter paths as PDH writes and reads them.

use std::fmt;
use std::str::FromStr;

use crate::Instance;

/// `\\host\object(parent/instance#n)\counter`, any part of which may contain wildcards (`*`).
///
/// Parsing keeps every part as written, and printing restores it. As in PDH, `#0` is not printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CounterPath {
    /// Machine, without its leading backslashes.
    pub host: Option<String>,
    /// Performance object.
    pub object: String,
    /// Parent instance.
    pub parent: Option<String>,
    /// Instance, without its occurrence number.
    pub instance: Option<String>,
    /// Occurrence number after `#`.
    pub index: Option<Occurrence>,
    /// Counter.
    pub counter: String,
}

/// What follows the `#` in an instance name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Occurrence {
    /// A number.
    Number(u32),
    /// `#*`: every instance of that name.
    Any,
}

/// Why a text isn't a counter path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// It doesn't begin with a backslash.
    #[error(
        "counter path `{0}` doesn't begin with a backslash; write it like \\Processor(_Total)\\% Processor Time"
    )]
    NoBackslash(String),
    /// The object is missing.
    #[error("counter path `{0}` names no performance object; write it like \\Memory\\Available Bytes")]
    NoObject(String),
    /// A parenthesis isn't closed.
    #[error("counter path `{0}`: the parenthesis of the instance isn't closed before a backslash")]
    OpenInstance(String),
    /// No counter after the object.
    #[error("counter path `{0}` names no counter; end it with \\* for every counter")]
    NoCounter(String),
}

impl CounterPath {
    /// The path of a counter. The host is empty if unknown; `instance` is `None` for an object without
    /// instances.
    pub fn of(host: &str, object: &str, instance: Option<&Instance>, counter: &str) -> CounterPath {
        CounterPath {
            host: (!host.is_empty()).then(|| host.to_owned()),
            object: object.to_owned(),
            parent: instance.and_then(|instance| instance.parent.as_deref()).map(str::to_owned),
            instance: instance.map(|instance| instance.name.to_string()),
            index: instance
                .map(|instance| Occurrence::Number(instance.ordinal))
                .filter(|n| *n != Occurrence::Number(0)),
            counter: counter.to_owned(),
        }
    }
}

impl FromStr for CounterPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<CounterPath, PathError> {
        let (host, rest) = split_host(text)?;
        let (object, instance, counter) = split_object(text, rest)?;
        let mut path =
            CounterPath { host, object: object.into(), counter: counter.into(), ..Self::default() };
        if object.is_empty() {
            return Err(PathError::NoObject(text.into()));
        }
        if counter.is_empty() {
            return Err(PathError::NoCounter(text.into()));
        }
        if let Some(instance) = instance {
            let (parent, name, index) = split_instance(instance);
            (path.parent, path.instance, path.index) = (parent.map(Into::into), Some(name.into()), index);
        }
        Ok(path)
    }
}

/// `\\host` in front, if any; the rest without its leading backslash.
fn split_host(text: &str) -> Result<(Option<String>, &str), PathError> {
    if let Some(behind) = text.strip_prefix(r"\\") {
        let (host, rest) = behind.split_once('\\').ok_or_else(|| PathError::NoObject(text.into()))?;
        return Ok((Some(host.into()), rest));
    }
    match text.strip_prefix('\\') {
        Some(rest) => Ok((None, rest)),
        None => Err(PathError::NoBackslash(text.into())),
    }
}

/// Object, the text in parentheses, counter.
///
/// Instances and counters may themselves contain parentheses and backslashes, so the instance ends at the
/// first `)\` at which its parentheses are balanced, or, if they never are, at the first `)\`.
fn split_object<'a>(text: &str, rest: &'a str) -> Result<(&'a str, Option<&'a str>, &'a str), PathError> {
    let open = rest.find('(');
    let backslash = rest.find('\\');
    match (open, backslash) {
        (Some(open), backslash) if backslash.is_none_or(|at| open < at) => {
            let (object, behind) = (&rest[..open], &rest[open + 1..]);
            let mut depth = 1_i32;
            let mut first = None;
            for (at, c) in behind.char_indices() {
                match c {
                    '(' => depth += 1,
                    ')' => {
                        depth -= 1;
                        if behind[at + 1..].starts_with('\\') {
                            first.get_or_insert(at);
                            if depth == 0 {
                                return Ok((object, Some(&behind[..at]), &behind[at + 2..]));
                            }
                        }
                    }
                    _ => {}
                }
            }
            match first {
                Some(at) => Ok((object, Some(&behind[..at]), &behind[at + 2..])),
                None if behind.ends_with(')') => Err(PathError::NoCounter(text.into())),
                None => Err(PathError::OpenInstance(text.into())),
            }
        }
        (_, Some(at)) => Ok((&rest[..at], None, &rest[at + 1..])),
        (_, None) => Err(PathError::NoCounter(text.into())),
    }
}

/// Parent, name and occurrence number of `parent/name#n`.
pub(crate) fn split_instance(instance: &str) -> (Option<&str>, &str, Option<Occurrence>) {
    let (parent, rest) = match instance.split_once('/') {
        Some((parent, rest)) => (Some(parent), rest),
        None => (None, instance),
    };
    if let Some((name, number)) = rest.rsplit_once('#') {
        if number == "*" {
            return (parent, name, Some(Occurrence::Any));
        }
        // With a zero in front it is part of the name.
        let is_number =
            number.bytes().all(|b| b.is_ascii_digit()) && (number == "0" || !number.starts_with('0'));
        if let (true, Ok(number)) = (is_number, number.parse()) {
            return (parent, name, Some(Occurrence::Number(number)));
        }
    }
    (parent, rest, None)
}

impl fmt::Display for CounterPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(host) = &self.host {
            write!(f, r"\\{host}")?;
        }
        write!(f, r"\{}", self.object)?;
        if let Some(instance) = &self.instance {
            f.write_str("(")?;
            if let Some(parent) = &self.parent {
                write!(f, "{parent}/")?;
            }
            f.write_str(instance)?;
            match self.index {
                Some(Occurrence::Number(number)) if number > 0 => write!(f, "#{number}")?,
                Some(Occurrence::Any) => f.write_str("#*")?,
                _ => {}
            }
            f.write_str(")")?;
        }
        write!(f, r"\{}", self.counter)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> CounterPath {
        text.parse().expect(text)
    }

    #[test]
    fn paths_are_made_of_parts() {
        let instance = Instance::from_shown("java/12#3");
        let path = CounterPath::of("WEB1", "Thread", Some(&instance), "% Processor Time");
        assert_eq!(path, parse(r"\\WEB1\Thread(java/12#3)\% Processor Time"));
        assert_eq!(CounterPath::of("", "Memory", None, "Pages/sec"), parse(r"\Memory\Pages/sec"));
        let first = CounterPath::of("", "Process", Some(&Instance::named("a")), "IO");
        assert_eq!(first, parse(r"\Process(a)\IO"));
    }

    #[test]
    fn parts_are_found() {
        let path = parse(r"\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Bytes/Read");
        assert_eq!(path.host.as_deref(), Some("GEORGIS3"));
        assert_eq!((path.object.as_str(), path.counter.as_str()), ("PhysicalDisk", "Avg. Disk Bytes/Read"));
        assert_eq!((path.parent, path.instance.as_deref()), (None, Some("0 C:")));

        let path = parse(r"\Thread(java/12#3)\% Processor Time");
        assert_eq!((path.parent.as_deref(), path.instance.as_deref()), (Some("java"), Some("12")));
        assert_eq!((path.host, path.index), (None, Some(Occurrence::Number(3))));

        let path = parse(r"\Network Interface(Intel(R) 82579LM)\Bytes Total/sec");
        assert_eq!(path.instance.as_deref(), Some("Intel(R) 82579LM"));

        let path = parse(r"\Process(*/*#*)\*");
        assert_eq!((path.parent.as_deref(), path.index), (Some("*"), Some(Occurrence::Any)));

        let path = parse(r"\Memory\Pool (Paged)\Bytes");
        assert_eq!((path.object.as_str(), path.counter.as_str()), ("Memory", r"Pool (Paged)\Bytes"));
    }

    #[test]
    fn wholes_are_given_back() {
        for text in [
            r"\\H\O\C",
            r"\O(i#2)\C",
            r"\O(i#02)\C",
            r"\\h\O(p/i#10)\Bytes/sec",
            r"\O(C# code)\C",
            r"\O(a)b)\C",
            r"\O()\C",
            r"\*(*)\*",
        ] {
            assert_eq!(parse(text).to_string(), text);
        }
        assert_eq!(parse(r"\O(i#0)\C").to_string(), r"\O(i)\C");
    }

    #[test]
    fn errors_say_what_is_missing() {
        let error = |text: &str| text.parse::<CounterPath>().expect_err(text);
        assert_eq!(error("Processor"), PathError::NoBackslash("Processor".into()));
        assert_eq!(error(r"\\host"), PathError::NoObject(r"\\host".into()));
        assert_eq!(error(r"\\host\\c"), PathError::NoObject(r"\\host\\c".into()));
        assert_eq!(error(r"\Processor(0)"), PathError::NoCounter(r"\Processor(0)".into()));
        assert_eq!(error(r"\Memory\"), PathError::NoCounter(r"\Memory\".into()));
        assert_eq!(error(r"\Processor(0\x"), PathError::OpenInstance(r"\Processor(0\x".into()));
    }

    proptest! {
        #[test]
        fn any_text_parses_or_fails_and_reprints_stably(text in r"\\{0,3}[a-b*()/#\\0-2 ]{0,24}") {
            if let Ok(path) = text.parse::<CounterPath>() {
                let printed = path.to_string();
                prop_assert_eq!(printed.parse::<CounterPath>().map(|p| p.to_string()), Ok(printed));
            }
        }
    }
}
