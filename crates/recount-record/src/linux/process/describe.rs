//! Who processes are: read once for each, and again when it executes another program.

use std::collections::HashSet;
use std::sync::Arc;

use recount_model::{ProcessDescription, Timestamp, container_of_cgroup, unit_of_cgroup};

use super::containers::ContainerNames;
use super::number::unsigned;
use super::proc_dir::{Path, ProcDir};
use super::stat::Stat;
use super::users::Users;
use crate::{Describe, masked};

/// Bytes of a command line that are read.
const LEN_READ: usize = 32 << 10;
/// Bytes of a command line that are kept.
const MAX_LEN_COMMAND: usize = 2048;
/// Texts that are kept to be shared.
const MAX_SHARED: usize = 4096;

/// What a process is recognised by between samples: where its arguments are in memory changes with every program that it executes.
pub(super) type Image = (u64, u64);

/// Describes processes.
pub(super) struct Describer {
    level: Describe,
    pub(super) users: Users,
    container_names: ContainerNames,
    buffer: Vec<u8>,
    /// Texts that several processes have in common.
    shared: HashSet<Arc<str>>,
}

impl Describer {
    pub(super) fn new(level: Describe) -> Describer {
        let len = if level == Describe::None { 0 } else { LEN_READ };
        Describer {
            level,
            users: Users::default(),
            container_names: ContainerNames::default(),
            buffer: vec![0; len],
            shared: HashSet::new(),
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.level != Describe::None
    }

    /// Describes a process. What can't be read is missing: the process may be that of another user, or have ended.
    pub(super) fn describe(
        &mut self,
        proc_dir: &ProcDir,
        (pid, name): (i32, &Arc<str>),
        (stat, start_100ns): (&StatOfDescription, i64),
        time_100ns: i64,
    ) -> ProcessDescription {
        let mut described = ProcessDescription {
            since: Timestamp(time_100ns),
            pid: pid.cast_unsigned(),
            start: Timestamp(start_100ns),
            parent: u32::try_from(stat.parent).unwrap_or(0),
            name: Arc::clone(name),
            session: Some(stat.session),
            scheduling_class: class(stat.policy).map(|class| self.share(class)),
            ..ProcessDescription::default()
        };
        if stat.is_kernel_thread {
            (described.user_id, described.user) = (Some(0), self.users.name(0));
            return described;
        }
        let exe = proc_dir.read_link(&Path::of_process(pid, "exe")).ok();
        described.executable = exe.map(|exe| self.share(&String::from_utf8_lossy(&exe)));
        described.user_id = self.read(proc_dir, pid, "status").and_then(effective_user);
        described.user = described.user_id.and_then(|user_id| self.users.name(user_id));
        let cgroup = self.read(proc_dir, pid, "cgroup").and_then(cgroup_of);
        if let Some(cgroup) = cgroup {
            described.unit = unit_of_cgroup(&cgroup).map(|unit| self.share(unit));
            described.container = container_of_cgroup(&cgroup).map(|id| self.share(&id));
            described.container_name =
                described.container.as_deref().and_then(|id| self.container_names.name(id));
            described.cgroup = Some(self.share(&cgroup));
        }
        if self.level == Describe::Full {
            let capacity = self.buffer.len();
            let text = self.read(proc_dir, pid, "cmdline").map(<[u8]>::to_vec).unwrap_or_default();
            let (command, is_cut) = command_of(&text, text.len() == capacity);
            described.command = command.iter().map(|word| self.share(word)).collect();
            described.is_command_cut = is_cut;
        }
        described
    }

    fn read(&mut self, proc_dir: &ProcDir, pid: i32, file: &str) -> Option<&[u8]> {
        proc_dir.read_whole(&Path::of_process(pid, file), &mut self.buffer).ok()
    }

    /// A text as others have it.
    fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(shared) = self.shared.get(text) {
            return Arc::clone(shared);
        }
        if self.shared.len() >= MAX_SHARED {
            self.shared.retain(|text| Arc::strong_count(text) > 1);
        }
        let text: Arc<str> = text.into();
        if self.shared.len() < MAX_SHARED {
            self.shared.insert(Arc::clone(&text));
        }
        text
    }
}

/// What a description has from `stat`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StatOfDescription {
    pub(super) parent: u64,
    pub(super) session: u32,
    pub(super) policy: u64,
    pub(super) is_kernel_thread: bool,
    pub(super) image: Image,
}

impl StatOfDescription {
    pub(super) fn of(stat: &Stat<'_>) -> StatOfDescription {
        StatOfDescription {
            parent: stat.parent,
            session: stat.session,
            policy: stat.policy,
            is_kernel_thread: stat.is_kernel_thread(),
            image: (stat.start_of_stack, stat.start_of_arguments),
        }
    }
}

/// `sched(7)`.
fn class(policy: u64) -> Option<&'static str> {
    Some(match policy {
        0 => "other",
        1 => "fifo",
        2 => "rr",
        3 => "batch",
        5 => "idle",
        6 => "deadline",
        7 => "ext",
        _ => return None,
    })
}

/// The second number of the line `Uid`.
fn effective_user(status: &[u8]) -> Option<u32> {
    let line = status.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"Uid:"))?;
    let mut numbers = line.split(|byte| matches!(byte, b'\t' | b' ')).filter(|number| !number.is_empty());
    u32::try_from(unsigned(numbers.nth(1)?)?).ok()
}

/// The path in the hierarchy that systemd uses, version 2 or the one named `systemd`; or the longest, if they say nothing.
fn cgroup_of(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let lines = || {
        text.lines().filter_map(|line| {
            let mut fields = line.splitn(3, ':');
            Some((fields.next()?, fields.next()?, fields.next()?))
        })
    };
    let unified = lines().find(|(number, names, path)| *number == "0" && names.is_empty() && *path != "/");
    let systemd = || lines().find(|(_, names, path)| *names == "name=systemd" && *path != "/");
    let longest = || lines().max_by_key(|(.., path)| path.len());
    unified.or_else(systemd).or_else(longest).map(|(.., path)| path.to_owned())
}

/// The words of a command line, with secrets masked, and whether its end is missing. `is_partial`: not all of it was read.
fn command_of(text: &[u8], is_partial: bool) -> (Vec<String>, bool) {
    let text = text.strip_suffix(b"\0").unwrap_or(text);
    if text.is_empty() {
        return (Vec::new(), false);
    }
    let words: Vec<_> = text.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    // Of a word that isn't whole nobody knows whether it is a secret.
    let whole = if is_partial { &words[..words.len() - 1] } else { &words[..] };
    let (mut command, mut len, mut is_cut) = (Vec::new(), 0, is_partial);
    for word in masked(whole.iter().map(AsRef::as_ref)) {
        let room = MAX_LEN_COMMAND.saturating_sub(len);
        if word.len() > room {
            let end = (0..=room).rev().find(|end| word.is_char_boundary(*end)).unwrap_or(0);
            command.push(word[..end].to_owned());
            is_cut = true;
            break;
        }
        len += word.len() + 1;
        command.push(word.into_owned());
    }
    (command, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_masked_and_cut() {
        let (command, is_cut) = command_of(b"psql\0--password\0hunter2\0\0db\0", false);
        assert_eq!(
            (command, is_cut),
            (["psql", "--password", "***", "", "db"].map(String::from).to_vec(), false)
        );
        assert_eq!(command_of(b"", false), (Vec::new(), false));
        let long = [b"java\0".to_vec(), vec![b'x'; 3000]].concat();
        let (command, is_cut) = command_of(&long, false);
        assert_eq!((command.len(), command[1].len(), is_cut), (2, MAX_LEN_COMMAND - 5, true));
        // Nobody knows what the last word is.
        assert_eq!(command_of(b"a\0--password=hunt", true), (vec!["a".to_owned()], true));
    }

    #[test]
    fn cgroups_of_both_versions() {
        let of = |text: &str| cgroup_of(text.as_bytes());
        assert_eq!(of("0::/system.slice/x.service\n").as_deref(), Some("/system.slice/x.service"));
        assert_eq!(of("0::/\n").as_deref(), Some("/"));
        let hybrid = "5:memory:/docker/1\n1:name=systemd:/system.slice/x.service\n0::/\n";
        assert_eq!(of(hybrid).as_deref(), Some("/system.slice/x.service"));
        assert_eq!(of("5:memory:/docker/1\n1:name=systemd:/\n0::/\n").as_deref(), Some("/docker/1"));
        assert_eq!(of("5:cpu,cpuacct:/a:b\n").as_deref(), Some("/a:b"));
        assert_eq!(of("").as_deref(), None);
    }

    #[test]
    fn the_effective_user() {
        assert_eq!(effective_user(b"Name:\tx\nUid:\t1000\t33\t0\t0\n"), Some(33));
        assert_eq!(effective_user(b"Name:\tUid:\n"), None);
    }
}
