//! Processes by what they have in common.

use std::collections::{BTreeMap, HashMap};

use recount_tables::processes::{Family, LEN_SHORT_ID, ProcessRow, program_of};

/// What a group is if that isn't known.
pub(super) const UNKNOWN: &str = "-";
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "busybox"];

/// What the processes of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupBy {
    /// Their user.
    User,
    /// Their unit of systemd.
    Unit,
    /// Their container.
    Container,
    /// Their program, and the script of an interpreter.
    Command,
    /// Their program, the nearest ancestor that says why they run, and their unit: `cc1plus` below `make` of `ci.service`.
    Tree,
}

impl GroupBy {
    /// Every one, with its name in rules and commands.
    pub const NAMES: [(&str, GroupBy); 5] = [
        ("user", GroupBy::User),
        ("unit", GroupBy::Unit),
        ("container", GroupBy::Container),
        ("command", GroupBy::Command),
        ("tree", GroupBy::Tree),
    ];

    /// Its name in rules and commands.
    pub fn name(self) -> &'static str {
        GroupBy::NAMES.into_iter().find(|(_, by)| *by == self).map_or("", |(name, _)| name)
    }
}

/// Processes that have something in common.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ProcessGroup {
    /// What it is; `-` if that isn't known.
    pub name: String,
    /// How many processes.
    pub num: u64,
    /// How many of them have used processor time.
    pub num_with_cpu: u64,
    /// Processor time in seconds.
    pub cpu_s: Option<f64>,
    /// Bytes: read, written, read from storage, written to storage.
    pub bytes: [Option<f64>; 4],
    /// The most memory that one of them had resident, in bytes.
    pub peak_memory: Option<f64>,
}

/// The groups of processes, that with the most processor time first.
pub fn groups(rows: &[ProcessRow], by: GroupBy) -> Vec<ProcessGroup> {
    let mut all = Sums::default();
    let family = Family::of(rows);
    for row in rows {
        all.add(row, group_name(&family, row, by));
    }
    all.sorted()
}

/// The groups of some of the processes, in parts by a name that each of them has.
pub(super) fn groups_of(
    rows: &[ProcessRow],
    by: GroupBy,
    part: impl Fn(&ProcessRow) -> Option<String>,
) -> HashMap<String, Vec<ProcessGroup>> {
    let mut parts: HashMap<String, Sums> = HashMap::new();
    let family = Family::of(rows);
    for row in rows {
        if let Some(name) = part(row) {
            parts.entry(name).or_default().add(row, group_name(&family, row, by));
        }
    }
    parts.into_iter().map(|(name, sums)| (name, sums.sorted())).collect()
}

/// Groups by name.
#[derive(Default)]
struct Sums(BTreeMap<String, ProcessGroup>);

impl Sums {
    fn add(&mut self, row: &ProcessRow, name: Option<String>) {
        let add = |sum: &mut Option<f64>, more: Option<f64>| {
            *sum = [*sum, more].into_iter().flatten().reduce(|a, b| a + b);
        };
        let group = self.0.entry(name.unwrap_or_else(|| UNKNOWN.to_owned())).or_default();
        group.num += row.count;
        group.num_with_cpu += row.num_with_cpu();
        add(&mut group.cpu_s, row.cpu_s[0]);
        group.bytes.iter_mut().zip(row.bytes).for_each(|(sum, more)| add(sum, more));
        group.peak_memory = [group.peak_memory, row.peak_memory].into_iter().flatten().reduce(f64::max);
    }

    fn sorted(self) -> Vec<ProcessGroup> {
        let all = self.0.into_iter();
        let mut all: Vec<ProcessGroup> = all.map(|(name, group)| ProcessGroup { name, ..group }).collect();
        let used = |group: &ProcessGroup| group.cpu_s.unwrap_or(0.0);
        all.sort_by(|a, b| used(b).total_cmp(&used(a)).then_with(|| a.name.cmp(&b.name)));
        all
    }
}

/// What a process is grouped by. `None` if that isn't known.
pub(super) fn group_name(family: &Family<'_>, row: &ProcessRow, by: GroupBy) -> Option<String> {
    match by {
        GroupBy::User => row.user_name().or_else(|| row.user_id().map(|id| format!("uid {id}"))),
        GroupBy::Unit => row.unit().map(str::to_owned),
        GroupBy::Container => {
            let id = || row.container().map(|id| id.chars().take(LEN_SHORT_ID).collect());
            row.container_name().map(str::to_owned).or_else(id)
        }
        GroupBy::Command => Some(program(row)),
        GroupBy::Tree => Some(tree(family, row)),
    }
}

/// `cc1plus below make of ci.service`.
fn tree(family: &Family<'_>, row: &ProcessRow) -> String {
    let own = program(row);
    let below = below(family, row, &own).map(|name| format!(" below {name}")).unwrap_or_default();
    let unit = row.unit().map(|unit| format!(" of {unit}")).unwrap_or_default();
    format!("{own}{below}{unit}")
}

/// The nearest ancestor in the same unit that says something: of another name, not the first process of a system or a container, and
/// nothing that only starts others. If there is none, the nearest shell that was given what to do.
fn below(family: &Family<'_>, row: &ProcessRow, own: &str) -> Option<String> {
    let is_near = |parent: &&ProcessRow| parent.unit() == row.unit() && parent.pid != Some(1);
    let line = || family.ancestors(row).take_while(is_near).map(program);
    let telling = line().find(|name| name != own && !is_starter(name));
    telling.or_else(|| line().find(|name| name != own && is_shell_with_words(name)))
}

/// The program of a process.
fn program(row: &ProcessRow) -> String {
    row.description.as_ref().map_or_else(|| row.name.to_string(), program_of)
}

/// Whether a program only starts others: shells without a script, what waits for another program, and drivers of compilers.
fn is_starter(program: &str) -> bool {
    const STARTERS: [&str; 31] = [
        "systemd",
        "init",
        "sshd",
        "login",
        "su",
        "sudo",
        "runuser",
        "setpriv",
        "tmux: server",
        "screen",
        "env",
        "nice",
        "ionice",
        "chrt",
        "taskset",
        "nohup",
        "setsid",
        "timeout",
        "time",
        "xargs",
        "unshare",
        "ccache",
        "sccache",
        "distcc",
        "collect2",
        "explorer",
        "cmd",
        "powershell",
        "services",
        "wininit",
        "strace",
    ];
    STARTERS.contains(&program)
        || is_driver(program)
        || SHELLS.contains(&program)
        || is_shell_with_words(program)
}

/// A shell that was given what to do in its command line: `sh -c make all`.
fn is_shell_with_words(program: &str) -> bool {
    program.split_once(' ').is_some_and(|(shell, words)| SHELLS.contains(&shell) && words.starts_with('-'))
}

/// Whether a program is the driver of a compiler: `g++`, `x86_64-linux-gnu-gcc-12`.
fn is_driver(program: &str) -> bool {
    const DRIVERS: [&str; 6] = ["cc", "c++", "gcc", "g++", "clang", "clang++"];
    let is_version = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let without = program.rsplit_once('-').filter(|(_, version)| is_version(version));
    let name = without.map_or(program, |(name, _)| name);
    DRIVERS.contains(&name.rsplit('-').next().unwrap_or(name))
}
