//! Names that say nothing about whose they are, so that they stay (docs/send-a-capture.md lists them).

/// Instances that rules and readers know.
const WORDS: [&str; 9] = ["*", "_total", "total", "idle", "system", "_global_", "lo", "default", "unknown"];

/// Usual names of devices: `9` stands for one to four digits, `@` for one or two letters.
const DEVICES: [&str; 30] = [
    "@:",
    "sd@",
    "sd@9",
    "hd@",
    "hd@9",
    "vd@",
    "vd@9",
    "xvd@",
    "xvd@9",
    "nvme9n9",
    "nvme9n9p9",
    "mmcblk9",
    "mmcblk9p9",
    "dm-9",
    "md9",
    "loop9",
    "sr9",
    "zram9",
    "eth9",
    "ens9",
    "eno9",
    "enp9s9",
    "enp9s9f9",
    "wlan9",
    "wlp9s9",
    "bond9",
    "docker9",
    "virbr9",
    "harddiskvolume9",
    r"\??\@:\pagefile.sys",
];

/// Slices and scopes that every systemd has.
const CGROUPS: [&str; 4] = ["system.slice", "user.slice", "machine.slice", "init.scope"];

/// Whether a name stays unless it is asked for.
pub(super) fn stays(name: &str) -> bool {
    let name = name.to_lowercase();
    let is = |name: &str| {
        WORDS.contains(&name) || CGROUPS.contains(&name) || DEVICES.iter().any(|form| fits(form, name))
    };
    // `0,3` and `0,_Total` of processors, `1 D: E:` of disks.
    is(&name) || !name.is_empty() && name.split([',', ' ']).all(|part| is_number(part) || is(part))
}

/// A number of a processor, a disk or a process: not as long as that of a customer or a telephone.
fn is_number(text: &str) -> bool {
    (1..=7).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn fits(form: &str, name: &str) -> bool {
    fn leading(name: &str, max: usize, is: fn(&u8) -> bool) -> usize {
        name.bytes().take(max).take_while(is).count()
    }
    let mut rest = name;
    for c in form.bytes() {
        let len = match c {
            b'9' => leading(rest, 4, u8::is_ascii_digit),
            b'@' => leading(rest, 2, u8::is_ascii_alphabetic),
            c => usize::from(rest.as_bytes().first() == Some(&c)),
        };
        if len == 0 {
            return false;
        }
        rest = &rest[len..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_nobody_stays() {
        let stay = [
            "_Total",
            "total",
            "Idle",
            "System",
            "0",
            "0,3",
            "0,_Total",
            "1 D: E:",
            "0 C:",
            "C:",
            "sda",
            "sdab12",
            "nvme0n1p3",
            "eth0",
            "enp0s31f6",
            "lo",
            "dm-0",
            "HarddiskVolume3",
            r"\??\C:\pagefile.sys",
            "4194304",
            "*",
            "system.slice",
        ];
        for name in stay {
            assert!(stays(name), "{name}");
        }
        let go = [
            "",
            "chrome",
            "sqlservr",
            "10.0.0.1",
            "4915112345678",
            "nas1",
            "sdcard",
            "eth-payroll",
            "web1 payroll",
            "veth12ab",
            "C:\\payroll",
            "0:1",
            "enp0s",
            "system-x",
        ];
        for name in go {
            assert!(!stays(name), "{name}");
        }
    }
}
