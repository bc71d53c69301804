//! Named sets of objects.

use std::fmt;
use std::str::FromStr;

use recount_model::{Pattern, Selection};

/// Which objects to record, by profile name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// All except expensive and rarely needed ones: `Thread`.
    #[default]
    Default,
    /// How busy the machine as a whole is.
    Minimal,
    /// Which processes cause the load.
    Processes,
    /// Everything.
    Full,
}

/// A profile that doesn't exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no profile is called {0:?}; there are: default, minimal, processes, full")]
pub struct UnknownProfile(pub String);

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 4] = [Profile::Default, Profile::Minimal, Profile::Processes, Profile::Full];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Profile::Default => "default",
            Profile::Minimal => "minimal",
            Profile::Processes => "processes",
            Profile::Full => "full",
        }
    }

    /// Whether an object belongs to it. `default_on` is the source's default for the object.
    pub fn has(self, object: &str, default_on: bool) -> bool {
        match self {
            Profile::Default => default_on,
            Profile::Minimal => {
                ["Processor", "System", "Memory", "PhysicalDisk", "Network Interface"].contains(&object)
            }
            Profile::Processes => ["Processor", "System", "Memory", "Process"].contains(&object),
            Profile::Full => true,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Profile, UnknownProfile> {
        let found = Profile::ALL.into_iter().find(|profile| profile.as_str() == text);
        found.ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

/// Whether an object is to be recorded (as a whole): it is in the profile, and one of its counters may match
/// a path, or its name contains a text that isn't a path.
///
/// Without a profile, a matching object is recorded even if it is off by default. The host of a pattern is
/// ignored: a live source has only one.
pub fn is_wanted(profile: Option<Profile>, selection: &Selection, object: &str, default_on: bool) -> bool {
    if selection.is_all() {
        return profile.unwrap_or_default().has(object, default_on);
    }
    let named = |pattern: &Pattern| match pattern {
        Pattern::Path(path) => pattern.may_match_object(path.host.as_deref().unwrap_or_default(), object),
        // Names of counters and instances aren't known in advance.
        Pattern::Contains(_) => pattern.matches("", object, None, ""),
    };
    profile.is_none_or(|profile| profile.has(object, default_on)) && selection.patterns().iter().any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTS: [(&str, bool); 7] = [
        ("Processor", true),
        ("Processor Information", true),
        ("System", true),
        ("Memory", true),
        ("PhysicalDisk", true),
        ("Process", true),
        ("Thread", false),
    ];

    fn wanted(profile: Option<&str>, patterns: &[&str]) -> Vec<&'static str> {
        let profile = profile.map(|name| name.parse().expect(name));
        let selection: Selection = patterns.iter().map(|text| text.parse::<Pattern>().expect(text)).collect();
        let is_wanted = |(name, on): &(&str, bool)| is_wanted(profile, &selection, name, *on);
        OBJECTS.into_iter().filter(is_wanted).map(|(name, _)| name).collect()
    }

    #[test]
    fn profiles() {
        let all: Vec<&str> = OBJECTS.into_iter().map(|(name, _)| name).collect();
        assert_eq!(wanted(None, &[]), all[..6]);
        assert_eq!(wanted(Some("default"), &[]), all[..6]);
        assert_eq!(wanted(Some("full"), &[]), all);
        assert_eq!(wanted(Some("minimal"), &[]), ["Processor", "System", "Memory", "PhysicalDisk"]);
        assert_eq!(wanted(Some("processes"), &[]), ["Processor", "System", "Memory", "Process"]);
        assert_eq!(
            "everything".parse::<Profile>().expect_err("no such profile").to_string(),
            "no profile is called \"everything\"; there are: default, minimal, processes, full"
        );
        for profile in Profile::ALL {
            assert_eq!(profile.to_string().parse(), Ok(profile));
            assert!(UnknownProfile(String::new()).to_string().contains(profile.as_str()));
        }
    }

    #[test]
    fn patterns_choose_whole_objects() {
        assert_eq!(wanted(None, &[r"\Process(a*)\% Processor Time"]), ["Process"]);
        assert_eq!(wanted(None, &[r"\\anyhost\Mem*\*", r"\thread"]), ["Memory", "Thread"]);
        assert_eq!(wanted(None, &["disk"]), ["PhysicalDisk"]);
        assert_eq!(wanted(None, &["thread", "mem*y"]), ["Memory", "Thread"]);
        assert!(wanted(None, &["zzzz"]).is_empty());
        assert_eq!(wanted(Some("minimal"), &[r"\Process*(*)\*"]), ["Processor"]);
        assert_eq!(wanted(Some("full"), &["proc"]), ["Processor", "Processor Information", "Process"]);
        assert!(wanted(Some("minimal"), &[r"\Thread"]).is_empty());
    }
}
