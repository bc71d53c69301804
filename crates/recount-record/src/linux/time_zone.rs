//! The local time zone: its name, and its rule as a POSIX TZ string.

use std::fs;
use std::path::{Path, PathBuf};

/// The directory of the IANA time zone database.
const FOLDER: &str = "/usr/share/zoneinfo";
const LOCALTIME: &str = "/etc/localtime";
/// Zone files are a few kB.
const MAX_LEN: u64 = 1 << 20;

/// What is known about a time zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TimeZone {
    /// IANA name, `Europe/Berlin`.
    pub(super) name: Option<String>,
    /// POSIX TZ string, `CET-1CEST,M3.5.0,M10.5.0/3`.
    pub(super) posix: Option<String>,
}

impl TimeZone {
    /// The zone that programs on this machine use: `TZ`, otherwise `/etc/localtime`, otherwise UTC.
    pub(super) fn local() -> TimeZone {
        match std::env::var("TZ") {
            Ok(setting) => TimeZone::of_setting(&setting, Path::new(FOLDER)),
            Err(_) => TimeZone::of_link(Path::new(LOCALTIME)),
        }
    }

    /// The meaning of a `TZ` setting: a zone of the database (optionally after a colon), or a rule.
    fn of_setting(setting: &str, folder: &Path) -> TimeZone {
        let setting = setting.strip_prefix(':').unwrap_or(setting);
        if setting.is_empty() {
            return TimeZone { name: None, posix: Some("UTC0".to_owned()) };
        }
        // An absolute path replaces the directory.
        let path: PathBuf = folder.join(setting);
        if let Ok(file) = read(&path) {
            let name = (!setting.starts_with('/')).then(|| setting.to_owned()).or_else(|| name_in(&path));
            return TimeZone { name, posix: footer(&file) };
        }
        let is_rule = setting.starts_with('<') || setting.contains(|c: char| c.is_ascii_digit());
        TimeZone { name: None, posix: is_rule.then(|| setting.to_owned()) }
    }

    /// The zone of a file that is usually a link into the database.
    fn of_link(path: &Path) -> TimeZone {
        match read(path) {
            Ok(file) => {
                let target = fs::read_link(path).ok().or_else(|| path.canonicalize().ok());
                TimeZone { name: target.as_deref().and_then(name_in), posix: footer(&file) }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                TimeZone { name: None, posix: Some("UTC0".to_owned()) }
            }
            Err(_) => TimeZone::default(),
        }
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if path.metadata()?.len() > MAX_LEN {
        return Err(std::io::ErrorKind::FileTooLarge.into());
    }
    fs::read(path)
}

/// The name of a zone, from the path of its file.
fn name_in(path: &Path) -> Option<String> {
    let path = path.to_str()?;
    let (_, name) = path.rsplit_once("/zoneinfo/")?;
    let name = name.strip_prefix("posix/").or_else(|| name.strip_prefix("right/")).unwrap_or(name);
    if name.is_empty() { None } else { Some(name.to_owned()) }
}

/// The footer of a `TZif` file of version 2 or later (RFC 9636, section 3.3): the rule for times after the last one listed,
/// between two line feeds at the end. `None` if there is no rule.
fn footer(file: &[u8]) -> Option<String> {
    let is_known = file.starts_with(b"TZif") && file.get(4).is_some_and(|version| *version >= b'2');
    let text = file.strip_suffix(b"\n").filter(|_| is_known)?;
    let start = text.iter().rposition(|byte| *byte == b'\n')? + 1;
    let rule = std::str::from_utf8(text.get(start..)?).ok()?;
    let is_text = !rule.is_empty() && rule.bytes().all(|byte| byte.is_ascii_graphic());
    if is_text { Some(rule.to_owned()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

    fn tzif(rule: &str) -> Vec<u8> {
        [b"TZif2".as_slice(), &[0; 39], b"TZif2", &[0; 39], b"\n", rule.as_bytes(), b"\n"].concat()
    }

    #[test]
    fn the_footer_is_the_rule() {
        assert_eq!(footer(&tzif(BERLIN)).as_deref(), Some(BERLIN));
        assert_eq!(footer(&tzif("<-03>3")).as_deref(), Some("<-03>3"));
        // No rule; version 1; cut off; not a zone at all.
        assert_eq!(footer(&tzif("")), None);
        assert_eq!(footer(&[b"TZif\0".as_slice(), &[0; 39], b"\nUTC0\n"].concat()), None);
        let cut = tzif(BERLIN);
        assert_eq!(footer(&cut[..cut.len() - 1]), None);
        assert_eq!(footer(b"text\nUTC0\n"), None);
    }

    #[test]
    fn settings_name_zones_or_are_rules() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("Europe")).expect("made");
        fs::write(folder.path().join("Europe/Berlin"), tzif(BERLIN)).expect("written");
        let of = |setting| {
            let zone = TimeZone::of_setting(setting, folder.path());
            (zone.name, zone.posix)
        };
        let berlin = (Some("Europe/Berlin".to_owned()), Some(BERLIN.to_owned()));
        assert_eq!((of("Europe/Berlin"), of(":Europe/Berlin")), (berlin.clone(), berlin));
        assert_eq!(of("EST5EDT,M3.2.0,M11.1.0"), (None, Some("EST5EDT,M3.2.0,M11.1.0".to_owned())));
        assert_eq!(of(""), (None, Some("UTC0".to_owned())));
        assert_eq!(of("Europe/Atlantis"), (None, None));
    }

    #[test]
    fn the_link_names_the_zone() {
        let folder = tempfile::tempdir().expect("a folder");
        let zones = folder.path().join("zoneinfo/Europe");
        fs::create_dir_all(&zones).expect("made");
        fs::write(zones.join("Berlin"), tzif(BERLIN)).expect("written");
        let link = folder.path().join("localtime");
        std::os::unix::fs::symlink(zones.join("Berlin"), &link).expect("linked");
        let zone = TimeZone::of_link(&link);
        assert_eq!((zone.name.as_deref(), zone.posix.as_deref()), (Some("Europe/Berlin"), Some(BERLIN)));
        let none = TimeZone::of_link(&folder.path().join("none"));
        assert_eq!((none.name, none.posix.as_deref()), (None, Some("UTC0")));
    }
}
