//! Keyed pseudonyms: one key gives a name the same pseudonym in every capture, and without the key a guessed name can't be tried.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// What a name is of. The pseudonym begins with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Host,
    Process,
    User,
    Disk,
    Interface,
    Cgroup,
    Container,
    Instance,
    Path,
    Word,
    Mark,
    Boot,
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Kind::Host => "host",
            Kind::Process => "process",
            Kind::User => "user",
            Kind::Disk => "disk",
            Kind::Interface => "interface",
            Kind::Cgroup => "cgroup",
            Kind::Container => "container",
            Kind::Instance => "instance",
            Kind::Path => "path",
            Kind::Word => "word",
            Kind::Mark => "mark",
            Kind::Boot => "boot",
        }
    }

    /// That of an object's instances.
    pub(super) fn of_object(object: &str) -> Kind {
        let object = object.to_lowercase();
        let begins = |words: &[&str]| words.iter().any(|word| object.starts_with(word));
        if object == "cgroup" {
            Kind::Cgroup
        } else if begins(&[".net", "thread"]) || begins(&["process"]) && !begins(&["processor"]) {
            Kind::Process
        } else if begins(&["physicaldisk", "logicaldisk", "disk", "filesystem"]) {
            Kind::Disk
        } else if begins(&["network"]) {
            Kind::Interface
        } else {
            Kind::Instance
        }
    }
}

/// Makes pseudonyms. Machines whose names differ only in case are one; of other names nobody knows whether they are.
pub(super) struct Pseudonyms {
    mac: Hmac<Sha256>,
    given: HashMap<(Kind, String), Arc<str>>,
    /// The names that have the pseudonyms given so far.
    taken: HashMap<Arc<str>, String>,
    replaced: BTreeMap<Kind, u64>,
}

impl Pseudonyms {
    /// Hexadecimal digits of a pseudonym: with 10,000 names, two share theirs in one of 20,000 captures, and then one has more.
    const NUM_DIGITS: usize = 10;

    /// `None` for a key that can't be used.
    pub(super) fn new(key: &[u8]) -> Option<Pseudonyms> {
        let mac = Hmac::new_from_slice(key).ok()?;
        Some(Pseudonyms { mac, given: HashMap::new(), taken: HashMap::new(), replaced: BTreeMap::new() })
    }

    /// The pseudonym of a name. Its digits depend on the name alone, whatever the name is of.
    pub(super) fn of(&mut self, kind: Kind, name: &str) -> Arc<str> {
        let folded = if kind == Kind::Host { name.to_lowercase() } else { name.to_owned() };
        if let Some(given) = self.given.get(&(kind, folded.clone())) {
            return Arc::clone(given);
        }
        let mut digits = String::new();
        let digest = self.mac.clone().chain_update(folded.as_bytes()).finalize().into_bytes();
        for byte in digest {
            // Writing to a text can't fail.
            let _ = write!(digits, "{byte:02x}");
        }
        let lens = [Self::NUM_DIGITS, 2 * Self::NUM_DIGITS, digits.len()];
        let candidates = lens.map(|len| Arc::<str>::from(format!("{}-{}", kind.as_str(), &digits[..len])));
        let is_free = |candidate: &&Arc<str>| !self.taken.contains_key(*candidate);
        let given = Arc::clone(candidates.iter().find(is_free).unwrap_or(&candidates[2]));
        self.taken.insert(Arc::clone(&given), folded.clone());
        self.given.insert((kind, folded), Arc::clone(&given));
        *self.replaced.entry(kind).or_default() += 1;
        given
    }

    /// How many names of each kind were replaced.
    pub(super) fn replaced(&self) -> Vec<(&'static str, u64)> {
        self.replaced.iter().map(|(kind, num)| (kind.as_str(), *num)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(key: &str) -> Pseudonyms {
        Pseudonyms::new(key.as_bytes()).expect("a key")
    }

    #[test]
    fn a_key_gives_a_name_one_pseudonym() {
        let (mut one, mut same, mut other) = (with("one key"), with("one key"), with("another key"));
        let name = one.of(Kind::Process, "sqlservr");
        assert_eq!((&*name)[..8], *"process-");
        assert_eq!(name.len(), 18);
        same.of(Kind::Host, "web1");
        assert_eq!(same.of(Kind::Process, "sqlservr"), name);
        assert_ne!(same.of(Kind::Process, "SQLSERVR"), name, "two instances, where case counts");
        assert_eq!(same.of(Kind::Host, "WEB1"), same.of(Kind::Host, "web1"));
        assert_ne!(other.of(Kind::Process, "sqlservr"), name);
        // What it is of changes the word only.
        assert_eq!(one.of(Kind::User, "sqlservr")[5..], name[8..]);
        assert_eq!(one.replaced(), [("process", 1), ("user", 1)]);
    }

    /// The digest of RFC 4231, test case 2.
    #[test]
    fn the_digits_are_of_hmac_sha256() {
        let name = with("Jefe").of(Kind::Word, "what do ya want for nothing?");
        assert_eq!(&*name, "word-5bdcc146bf");
    }

    #[test]
    fn no_two_names_share_a_pseudonym() {
        let mut names = with("a key");
        let first = names.of(Kind::Process, "a");
        // As if another name had the same first digits.
        let mut names = with("a key");
        names.taken.insert(Arc::clone(&first), "b".to_owned());
        let longer = names.of(Kind::Process, "a");
        assert!(longer.starts_with(&*first) && longer.len() == first.len() + 10, "{longer}");
        assert_eq!(names.of(Kind::Process, "a"), longer);
    }
}
