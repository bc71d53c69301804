//! The text formats of cgroup files (the kernel's cgroup-v2.rst, "Format").

use crate::linux::process::number::unsigned;

/// The values of some keys of a flat keyed file: `KEY VALUE` per line. `None` if one is missing or isn't a
/// number.
pub(super) fn flat<const N: usize>(text: &[u8], keys: [&[u8]; N]) -> Option<[u64; N]> {
    let mut values = [None; N];
    for line in text.split(|byte| *byte == b'\n') {
        let Some(space) = line.iter().position(|byte| *byte == b' ') else { continue };
        if let Some(at) = keys.iter().position(|key| *key == &line[..space]) {
            values[at] = unsigned(&line[space + 1..]);
        }
    }
    all(values)
}

/// The sums over all lines of a nested keyed file of the values of some keys: `NAME KEY=VALUE KEY=VALUE ...`
/// per line. A line without a key, as for devices that count nothing, adds nothing to its sum. `None` if a
/// value isn't a number.
pub(super) fn nested_sums<const N: usize>(text: &[u8], keys: [&[u8]; N]) -> Option<[u64; N]> {
    let mut sums = [0_u64; N];
    for (key, value) in pairs(text) {
        if let Some(at) = keys.iter().position(|wanted| *wanted == key) {
            sums[at] = sums[at].wrapping_add(unsigned(value)?);
        }
    }
    Some(sums)
}

/// `total` of the lines `some` and `full` of a pressure file, in microseconds. `None` if one is missing or
/// isn't a number.
pub(super) fn pressure(text: &[u8]) -> Option<[u64; 2]> {
    let mut totals = [None; 2];
    for line in text.split(|byte| *byte == b'\n') {
        let at = match () {
            () if line.starts_with(b"some ") => 0,
            () if line.starts_with(b"full ") => 1,
            () => continue,
        };
        totals[at] =
            pairs(line).find_map(|(key, value)| if key == b"total" { unsigned(value) } else { None });
    }
    all(totals)
}

/// The number in a single-value file; `None` if it isn't a number (`max`).
pub(super) fn single(text: &[u8]) -> Option<u64> {
    unsigned(text.trim_ascii_end())
}

fn pairs(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    text.split(|byte| matches!(byte, b' ' | b'\n')).filter_map(|word| {
        let equals = word.iter().position(|byte| *byte == b'=')?;
        Some((&word[..equals], &word[equals + 1..]))
    })
}

fn all<const N: usize>(values: [Option<u64>; N]) -> Option<[u64; N]> {
    values.iter().all(Option::is_some).then(|| values.map(Option::unwrap_or_default))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_keys_are_whole_words() {
        let text = b"usage_usec 10\nuser_usec 7\nsystem_usec 3\ncore_sched.force_idle_usec 0\nnr_periods 5\n";
        assert_eq!(flat(text, [b"system_usec", b"user_usec"]), Some([3, 7]));
        assert_eq!(flat(text, [b"user_usec", b"usec"]), None);
        assert_eq!(flat(b"a 1\nb -1\n", [b"a", b"b"]), None);
    }

    #[test]
    fn nested_values_are_summed_over_devices() {
        let text = b"253:0 rbytes=1 wbytes=20 rios=300 wios=4000 dbytes=5 dios=6\n8:16 \n\
                     8:0 rbytes=10 wbytes=200 rios=3000 wios=40000 dbytes=50 dios=60\n";
        assert_eq!(nested_sums(text, [b"wbytes", b"rios"]), Some([220, 3300]));
        assert_eq!(nested_sums(b"", [b"wbytes", b"rios"]), Some([0, 0]));
        assert_eq!(nested_sums(b"8:0 rbytes=1x\n", [b"rbytes"]), None);
    }

    #[test]
    fn pressure_is_the_total() {
        let text = b"some avg10=0.92 avg60=1.08 avg300=0.31 total=43281400\nfull avg10=0.86 avg60=1.03 avg300=0.29 total=25360280\n";
        assert_eq!(pressure(text), Some([43_281_400, 25_360_280]));
        // The cpu.pressure of old kernels.
        assert_eq!(pressure(b"some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"), None);
    }

    #[test]
    fn a_single_value_may_be_none() {
        assert_eq!(single(b"4096\n"), Some(4096));
        assert_eq!(single(b"max\n"), None);
    }
}
