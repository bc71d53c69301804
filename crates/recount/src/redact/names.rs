//! Which part of a name is replaced, and which stays.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recount_model::{
    EndedProcess, Instance, ProcessDescription, ProcessNote, container_of_cgroup, glob, unit_of_cgroup,
};

use super::kept::stays;
use super::pseudonym::{Kind, Pseudonyms};

/// Units of systemd keep what sort they are of.
const UNITS: [&str; 8] = [".service", ".scope", ".slice", ".socket", ".mount", ".swap", ".device", ".timer"];

/// The names of a capture and of all others with the same key.
pub(super) struct Names {
    pseudonyms: Mutex<Pseudonyms>,
    /// Wildcards of names that stay.
    keep: Vec<String>,
}

impl Names {
    pub(super) fn new(pseudonyms: Pseudonyms, keep: &[String]) -> Names {
        Names { pseudonyms: Mutex::new(pseudonyms), keep: keep.to_vec() }
    }

    fn pseudonyms(&self) -> MutexGuard<'_, Pseudonyms> {
        self.pseudonyms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many names of each kind were replaced.
    pub(super) fn replaced(&self) -> Vec<(&'static str, u64)> {
        self.pseudonyms().replaced()
    }

    fn is_kept(&self, name: &str) -> bool {
        self.keep.iter().any(|pattern| glob(pattern, name))
    }

    /// A name as a whole.
    pub(super) fn whole(&self, kind: Kind, name: &str) -> Arc<str> {
        if name.is_empty() || self.is_kept(name) { name.into() } else { self.pseudonyms().of(kind, name) }
    }

    /// A machine, with its backslashes or without.
    pub(super) fn host(&self, host: &str) -> Arc<str> {
        let name = host.trim_start_matches('\\');
        let backslashes = &host[..host.len() - name.len()];
        format!("{backslashes}{}", self.whole(Kind::Host, name)).into()
    }

    /// The name of an instance: `parent/instance`, `name#1` and the id behind the name of a process keep their form.
    pub(super) fn instance(&self, kind: Kind, name: &str) -> String {
        if stays(name) || self.is_kept(name) {
            return name.to_owned();
        }
        let parts: Vec<String> = name.split('/').map(|part| self.part(kind, part)).collect();
        parts.join("/")
    }

    fn part(&self, kind: Kind, part: &str) -> String {
        let (base, rest) = part.split_at(part.len() - len_suffix(kind, part));
        if part.is_empty() || [part, base].iter().any(|name| stays(name) || self.is_kept(name)) {
            return part.to_owned();
        }
        format!("{}{rest}", self.whole(kind, base))
    }

    /// A path of a file: its directories, and the last part, which may be a program with the digits of its process.
    pub(super) fn path(&self, last: Kind, path: &str) -> Arc<str> {
        if self.is_kept(path) {
            return path.into();
        }
        let mut renamed = String::new();
        let mut rest = path;
        while let Some(at) = rest.find(['/', '\\']) {
            renamed.push_str(&self.path_part(Kind::Path, &rest[..at]));
            renamed.push_str(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        renamed.push_str(&self.path_part(last, rest));
        renamed.into()
    }

    fn path_part(&self, kind: Kind, part: &str) -> Arc<str> {
        if stays(part) { part.into() } else { self.whole(kind, part) }
    }

    /// An instance of an object.
    pub(super) fn of_instance(&self, kind: Kind, instance: &Instance) -> Instance {
        let renamed = |name: &Arc<str>| Arc::<str>::from(self.instance(kind, name));
        Instance {
            name: renamed(&instance.name),
            parent: instance.parent.as_ref().map(renamed),
            ..instance.clone()
        }
    }

    /// What is said of a process.
    pub(super) fn note(&self, note: ProcessNote) -> ProcessNote {
        match note {
            ProcessNote::Described(described) => ProcessNote::Described(self.described(described)),
            ProcessNote::Ended(ended) => ProcessNote::Ended(EndedProcess {
                name: self.instance(Kind::Process, &ended.name).into(),
                user: ended.user.as_ref().map(|user| self.whole(Kind::User, user)),
                cgroup: ended.cgroup.as_ref().map(|cgroup| self.cgroup(cgroup)),
                ..ended
            }),
        }
    }

    fn described(&self, described: ProcessDescription) -> ProcessDescription {
        let cgroup = described.cgroup.as_ref().map(|cgroup| self.cgroup(cgroup));
        let word = |(at, word): (usize, &Arc<str>)| match at {
            0 => self.path(Kind::Process, word),
            _ => self.whole(Kind::Word, word),
        };
        ProcessDescription {
            name: self.instance(Kind::Process, &described.name).into(),
            executable: described.executable.as_ref().map(|path| self.path(Kind::Process, path)),
            command: described.command.iter().enumerate().map(word).collect(),
            user: described.user.as_ref().map(|user| self.whole(Kind::User, user)),
            unit: cgroup.as_deref().and_then(unit_of_cgroup).map(Arc::from),
            container: cgroup.as_deref().and_then(container_of_cgroup).map(Arc::from),
            container_name: described.container_name.as_ref().map(|name| self.whole(Kind::Container, name)),
            cgroup,
            ..described
        }
    }

    fn cgroup(&self, cgroup: &str) -> Arc<str> {
        self.instance(Kind::Cgroup, cgroup).into()
    }
}

/// Bytes at the end of a name that aren't part of it: `#1` of any, `_1234` and `:1234` of a process, `.service` of a cgroup.
fn len_suffix(kind: Kind, name: &str) -> usize {
    if kind == Kind::Cgroup {
        return UNITS.iter().find(|unit| name.ends_with(**unit)).map_or(0, |unit| unit.len());
    }
    let num_digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let mark = name.as_bytes().get(..name.len() - num_digits).and_then(<[u8]>::last);
    let is_suffix = match mark {
        Some(b'#') => true,
        Some(b'_' | b':') => kind == Kind::Process && num_digits <= 7,
        _ => false,
    };
    if is_suffix && num_digits > 0 && name.len() > num_digits + 1 { num_digits + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(keep: &[&str]) -> Names {
        let keep: Vec<String> = keep.iter().map(|name| (*name).to_owned()).collect();
        Names::new(Pseudonyms::new(b"a key").expect("a key"), &keep)
    }

    #[test]
    fn the_form_of_a_name_stays() {
        let names = names(&[]);
        let of = |name: &str| names.instance(Kind::Process, name);
        let base = of("sqlservr");
        assert!(base.starts_with("process-"), "{base}");
        assert_eq!(of("sqlservr#1"), format!("{base}#1"));
        assert_eq!(of("sqlservr_4711"), format!("{base}_4711"));
        assert_eq!(of("sqlservr:4711"), format!("{base}:4711"));
        assert_eq!(of("sqlservr/12"), format!("{base}/12"));
        for kept in ["", "_Total", "Idle", "0,3", "Idle/0", "System#1"] {
            assert_eq!(of(kept), kept);
        }
        let unit = names.instance(Kind::Cgroup, "/system.slice/payroll.service");
        let digits = &names.whole(Kind::Cgroup, "payroll")["cgroup-".len()..];
        assert_eq!(unit, format!("/system.slice/cgroup-{digits}.service"));
        assert_eq!(&*names.host(r"\\WEB1"), format!(r"\\{}", names.host("web1")));
        let path = names.path(Kind::Process, "/opt/sqlservr");
        assert!(path.ends_with(&base) && path.starts_with("/path-"), "{path}");
    }

    #[test]
    fn names_that_are_asked_for_stay() {
        let names = names(&["sql*", "web1"]);
        assert_eq!(names.instance(Kind::Process, "SQLServr#2"), "SQLServr#2");
        assert_eq!(&*names.host(r"\\WEB1"), r"\\WEB1");
        assert_ne!(names.instance(Kind::Process, "mysql"), "mysql");
    }
}
