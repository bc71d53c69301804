//! Facts about the machine, with the names of formats/rcap.md#facts. The zone has its Windows name.

use std::time::SystemTime;

use recount_model::{Facts, Timestamp};

use super::read::ValueReader;
use super::registry::{Key, Machine};

const VERSION: Key = Key::LocalMachine(r"SOFTWARE\Microsoft\Windows NT\CurrentVersion");
const PROCESSOR: Key = Key::LocalMachine(r"HARDWARE\DESCRIPTION\System\CentralProcessor\0");
const ENVIRONMENT: Key = Key::LocalMachine(r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment");

/// The first build of Windows 11, whose `ProductName` still says 10.
const BUILD_11: u32 = 22_000;

/// The facts. `host` is the name in the blocks.
pub(super) fn read_facts(system: &mut impl Machine, host: &str, now: SystemTime) -> Facts {
    let mut facts = Facts::new();
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            facts.insert(name.to_owned(), value);
        }
    };
    let version = Version::read(system);
    let mut reader = ValueReader::new();
    let zone = system.zone();
    set("host", Some(host.to_owned()));
    set("os", version.text());
    set("kernel", version.number());
    set("architecture", reader.read_text(system, ENVIRONMENT, "PROCESSOR_ARCHITECTURE").map(architecture));
    set("cpu-count", system.num_processors().map(|count| count.to_string()));
    set("cpu-model", reader.read_text(system, PROCESSOR, "ProcessorNameString"));
    set("memory-bytes", system.len_memory().map(|bytes| bytes.to_string()));
    set("page-size", system.len_page().map(|bytes| bytes.to_string()));
    set(
        "boot-time",
        system.uptime_ms().and_then(|uptime| boot_time(now, uptime)).map(|time| time.to_string()),
    );
    set("time-zone", zone.as_ref().map(|zone| zone.name().to_owned()));
    set("time-zone-posix", zone.and_then(|zone| zone.rule.posix()));
    facts
}

/// When the machine was booted, to the second: the uptime clock has a resolution of about 16 ms.
fn boot_time(now: SystemTime, uptime_ms: u64) -> Option<Timestamp> {
    let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let seconds = u64::try_from(since_epoch.as_millis()).ok()?.checked_sub(uptime_ms)? / 1_000;
    Some(Timestamp::from_unix_nanos(i64::try_from(seconds).ok()?.checked_mul(1_000_000_000)?))
}

/// Names of processor architectures as on other systems.
fn architecture(name: String) -> String {
    match name.as_str() {
        "AMD64" => "x86_64".into(),
        "ARM64" => "aarch64".into(),
        _ => name,
    }
}

/// The system's version, from the registry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Version {
    /// `ProductName`: `Windows 10 Pro`.
    product: Option<String>,
    /// `DisplayVersion`, formerly `ReleaseId`: `22H2`.
    release: Option<String>,
    /// `CurrentMajorVersionNumber` and `CurrentMinorVersionNumber`; before Windows 10, `CurrentVersion`, which has stayed
    /// at `6.3` since.
    major_minor: Option<String>,
    /// `CurrentBuildNumber`.
    build: Option<String>,
    /// `UBR`: the last number of the four.
    revision: Option<u32>,
}

impl Version {
    fn read(system: &mut impl Machine) -> Version {
        let mut reader = ValueReader::new();
        let major = reader.read_number(system, VERSION, "CurrentMajorVersionNumber");
        let minor = reader.read_number(system, VERSION, "CurrentMinorVersionNumber");
        Version {
            product: reader.read_text(system, VERSION, "ProductName"),
            release: reader
                .read_text(system, VERSION, "DisplayVersion")
                .or_else(|| reader.read_text(system, VERSION, "ReleaseId")),
            major_minor: match (major, minor) {
                (Some(major), Some(minor)) => Some(format!("{major}.{minor}")),
                _ => reader.read_text(system, VERSION, "CurrentVersion"),
            },
            build: reader.read_text(system, VERSION, "CurrentBuildNumber"),
            revision: reader.read_number(system, VERSION, "UBR"),
        }
    }

    /// `10.0.19045.4046`.
    fn number(&self) -> Option<String> {
        let mut number = format!("{}.{}", self.major_minor.as_deref()?, self.build.as_deref()?);
        if let Some(revision) = self.revision {
            number.push_str(&format!(".{revision}"));
        }
        Some(number)
    }

    /// `Windows 10 Pro 22H2 (10.0.19045.4046)`. `None` if the registry says nothing: another system may answer as Windows
    /// does.
    fn text(&self) -> Option<String> {
        if *self == Version::default() {
            return None;
        }
        let build = self.build.as_deref().and_then(|build| build.parse::<u32>().ok());
        let mut text = match &self.product {
            Some(product) if build.is_some_and(|build| build >= BUILD_11) => {
                product.replacen("Windows 10", "Windows 11", 1)
            }
            Some(product) => product.clone(),
            None => "Windows".into(),
        };
        if let Some(release) = &self.release {
            text.push_str(&format!(" {release}"));
        }
        if let Some(number) = self.number() {
            text.push_str(&format!(" ({number})"));
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::windows::registry::ValueKind;
    use crate::windows::tests::FakeSystem;
    use crate::windows::zone::ZoneFields;

    fn set_number(system: &mut FakeSystem, value: &str, number: u32) {
        system.set(VERSION, value, ValueKind::NUMBER, number.to_le_bytes().to_vec());
    }

    #[test]
    fn facts_of_a_machine() {
        let zone = ZoneFields { key_name: "UTC".into(), ..ZoneFields::default() };
        let mut system = FakeSystem {
            num_processors: Some(8),
            len_memory: Some(17_179_869_184),
            uptime_ms: 90_500,
            zone: Some(zone),
            ..FakeSystem::default()
        };
        system.set_text(VERSION, "ProductName", "Windows 10 Pro");
        system.set_text(VERSION, "ReleaseId", "2009");
        system.set_text(VERSION, "DisplayVersion", "22H2");
        system.set_text(VERSION, "CurrentBuildNumber", "19045");
        system.set_text(VERSION, "CurrentVersion", "6.3");
        system.set_text(ENVIRONMENT, "PROCESSOR_ARCHITECTURE", "AMD64");
        system.set_text(PROCESSOR, "ProcessorNameString", "A Processor @ 3.0 GHz   ");
        set_number(&mut system, "CurrentMajorVersionNumber", 10);
        set_number(&mut system, "CurrentMinorVersionNumber", 0);
        set_number(&mut system, "UBR", 4046);
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let expected = [
            ("architecture", "x86_64"),
            ("boot-time", "2023-11-14T22:11:49Z"),
            ("cpu-count", "8"),
            ("cpu-model", "A Processor @ 3.0 GHz"),
            ("host", "WEB1"),
            ("kernel", "10.0.19045.4046"),
            ("memory-bytes", "17179869184"),
            ("os", "Windows 10 Pro 22H2 (10.0.19045.4046)"),
            ("time-zone", "UTC"),
            ("time-zone-posix", "<STD>00:00"),
        ];
        let expected: Facts = expected.map(|(name, value)| (name.into(), value.into())).into();
        assert_eq!(read_facts(&mut system, "WEB1", now), expected);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let facts = read_facts(&mut FakeSystem::default(), "", SystemTime::UNIX_EPOCH);
        let expected: Facts = [("boot-time".into(), "1970-01-01T00:00:00Z".into())].into();
        assert_eq!(facts, expected);
        assert_eq!(boot_time(SystemTime::UNIX_EPOCH, 1), None);
    }

    #[test]
    fn windows_7_has_its_version_in_a_text() {
        let mut system = FakeSystem::default();
        system.set_text(VERSION, "ProductName", "Windows 7 Professional");
        system.set_text(VERSION, "CurrentVersion", "6.1");
        system.set_text(VERSION, "CurrentBuildNumber", "7601");
        assert_eq!(Version::read(&mut system).text().as_deref(), Some("Windows 7 Professional (6.1.7601)"));
    }

    #[test]
    fn windows_11_by_its_build() {
        let product = Some("Windows 10 Home".to_owned());
        let version = Version { product, build: Some("22631".into()), ..Version::default() };
        assert_eq!(version.text().as_deref(), Some("Windows 11 Home"));
    }
}
