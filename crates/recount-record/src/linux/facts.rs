//! Facts about the machine: formats/linux-objects.md#facts.

use std::fs;

use recount_model::{Facts, Timestamp};
use rustix::system::uname;

use super::fields::{Fields, Form};
use super::time_zone::TimeZone;

/// The name of the machine.
pub(super) fn host() -> String {
    uname().nodename().to_string_lossy().into_owned()
}

/// All known facts; unknown ones are left out.
pub(super) fn facts() -> Facts {
    let mut facts = Facts::new();
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            facts.insert(name.to_owned(), value);
        }
    };
    let system = uname();
    let kernel = system.release().to_string_lossy().into_owned();
    let release = read("/etc/os-release").or_else(|| read("/usr/lib/os-release"));
    let stat = read("/proc/stat").unwrap_or_default();
    let zone = TimeZone::local();
    fact("host", Some(host()));
    fact("os", Some(os(release.as_deref().and_then(pretty_name), &kernel)));
    fact("kernel", Some(kernel));
    fact("architecture", Some(system.machine().to_string_lossy().into_owned()));
    fact("cpu-count", Some(num_cpus(&stat)).filter(|num| *num > 0).map(|num| num.to_string()));
    fact("cpu-model", read("/proc/cpuinfo").as_deref().and_then(cpu_model));
    fact("memory-bytes", read("/proc/meminfo").as_deref().and_then(memory_bytes));
    fact("boot-time", boot_time(&stat));
    fact("boot-id", read("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()));
    fact("time-zone", zone.name);
    fact("time-zone-posix", zone.posix);
    fact("page-size", Some(rustix::param::page_size().to_string()));
    fact("clock-ticks-per-second", Some(rustix::param::clock_ticks_per_second().to_string()));
    facts
}

fn read(path: &str) -> Option<String> {
    fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn os(pretty_name: Option<String>, kernel: &str) -> String {
    match pretty_name {
        Some(name) => format!("{name}, Linux {kernel}"),
        None => format!("Linux {kernel}"),
    }
}

/// `PRETTY_NAME` of an os-release(5) file, whose values may be quoted as in a shell.
fn pretty_name(text: &str) -> Option<String> {
    let value = text.lines().filter_map(|line| line.strip_prefix("PRETTY_NAME=")).next_back()?.trim();
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let literal = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
    let name = match (quoted, literal) {
        (Some(quoted), _) => unquoted(quoted),
        (None, Some(literal)) => literal.to_owned(),
        (None, None) => unquoted(value),
    };
    if name.is_empty() { None } else { Some(name) }
}

/// Removes the backslashes before characters that are special in double quotes.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, characters.clone().next()) {
            ('\\', Some(next @ ('"' | '$' | '\\' | '`'))) => {
                out.push(next);
                characters.next();
            }
            _ => out.push(character),
        }
    }
    out
}

/// Number of processors online: lines `cpuN` of `/proc/stat`.
fn num_cpus(stat: &str) -> usize {
    let names = stat.lines().filter_map(|line| line.strip_prefix("cpu"));
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_digit())).count()
}

/// The first processor's model, by its field names on x86, POWER and s390, and 32-bit ARM.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let value_of = |wanted: &str| {
        cpuinfo.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| name.trim_end() == wanted)
    };
    let (_, model) = ["model name", "cpu", "cpu model", "Processor"].into_iter().find_map(value_of)?;
    Some(model.trim().to_owned())
}

fn memory_bytes(meminfo: &str) -> Option<String> {
    let kb = field(meminfo, "MemTotal")?;
    Some(kb.checked_mul(1024)?.to_string())
}

/// When the machine was booted, to the second, as RFC 3339 in UTC.
fn boot_time(stat: &str) -> Option<String> {
    let seconds = i64::try_from(field(stat, "btime")?).ok()?;
    Some(Timestamp::from_unix_nanos(seconds.checked_mul(1_000_000_000)?).to_string())
}

fn field(text: &str, name: &'static str) -> Option<u64> {
    let mut fields = Fields::find(Form::Named, text, &[name]);
    fields.read(text).ok()?;
    fields.values().first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read() {
        let release = "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian \\\"12\\\" (bookworm)\"\nID=debian\n";
        assert_eq!(pretty_name(release).as_deref(), Some("Debian \"12\" (bookworm)"));
        assert_eq!(pretty_name("PRETTY_NAME='Arch Linux'\n").as_deref(), Some("Arch Linux"));
        assert_eq!(pretty_name("PRETTY_NAME=Alpine\n").as_deref(), Some("Alpine"));
        assert_eq!(pretty_name("NAME=x\n"), None);
        assert_eq!(os(None, "6.1"), "Linux 6.1");
        let stat = "cpu  1\ncpu0 1\ncpu1 1\nintr 5\nbtime 1795242226\n";
        assert_eq!((num_cpus(stat), boot_time(stat).as_deref()), (2, Some("2026-11-21T06:23:46Z")));
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: AMD EPYC\n").as_deref(), Some("AMD EPYC"));
        assert_eq!(cpu_model("processor\t: 0\n"), None);
        assert_eq!(memory_bytes("MemTotal:   24684092 kB\n").as_deref(), Some("25276510208"));
    }

    #[cfg(feature = "live-tests")]
    #[test]
    fn live_this_machine_is_described() {
        let facts = facts();
        for name in
            ["host", "os", "kernel", "architecture", "cpu-count", "memory-bytes", "boot-time", "page-size"]
        {
            assert!(facts.contains_key(name), "{name} is missing in {facts:?}");
        }
        let ticks = super::super::fields::number(&facts["clock-ticks-per-second"]).expect("a number");
        assert!((24..=1_200).contains(&ticks), "{ticks}");
        assert_eq!(facts["host"], host());
    }
}
