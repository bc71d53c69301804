//! Damage only affects the damaged parts and is reported with its place; nothing panics, hangs or takes
//! unbounded memory.

use recount_atop::{AtopError, AtopLog};
use recount_model::{Decoded, FindingKind, Health, Selection, Source};
use recount_samples::other_logs::atop::{START, Sample, Structure, file, header, open, three};
use recount_samples::other_logs::zlib::zip;

fn decode(log: &AtopLog) -> Decoded {
    let all: Vec<u32> = (0..log.times().len() as u32).collect();
    log.decode(&all, &Selection::all())
}

fn findings(health: &Health) -> Vec<(FindingKind, u64)> {
    health
        .findings()
        .iter()
        .map(|finding| (finding.kind, finding.place.as_ref().map_or(0, |place| place.ofs)))
        .collect()
}

fn times(log: &AtopLog) -> Vec<i64> {
    let seconds = |nanos: i64| nanos / 1_000_000_000 - START;
    log.times().iter().map(|time| seconds(time.utc.unix_nanos().expect("in range"))).collect()
}

/// Where the samples begin, and the end.
fn offsets(samples: &[Sample]) -> Vec<usize> {
    let mut offsets = vec![480];
    for sample in samples {
        offsets.push(offsets[offsets.len() - 1] + sample.bytes().len());
    }
    offsets
}

#[test]
fn what_cannot_be_read_is_reported() {
    let text = |bytes: Vec<u8>| open(bytes).err().expect("an error").to_string();
    let sound = file(12, &three(12));
    let with = |ofs: usize, bytes: &[u8]| {
        let mut changed = sound.clone();
        changed[ofs..ofs + bytes.len()].copy_from_slice(bytes);
        changed
    };
    assert_eq!(text(b"PK".to_vec()), "file header.magic at byte 0x0: expected 0xfeedbeef, found 0x0");
    assert!(text(with(0, &[0xFE, 0xED, 0xBE, 0xEF])).contains("big-endian"));
    assert_eq!(text(sound[..100].to_vec()), "file header at byte 0x0: expected 480 bytes, found 100");
    assert!(text(with(4, &[26, 0x81])).contains("expected atop 2.3 to 2.13, found 1.26"));
    assert!(text(with(4, &[2, 0x82])).contains("found 2.2"));
    let newer = text(with(4, &[14, 0x82]));
    assert!(
        newer.contains("found 2.14, whose values can't be located; host web1, kernel 6.1.0, 3 samples"),
        "{newer}"
    );
    assert!(newer.contains("2026-11-22T00:00:00Z to 2026-11-22T00:00:20Z"), "{newer}");
    assert_eq!(
        text(with(32, &[1])),
        "file header.len_task at byte 0x20 (structure starts at 0x0): expected 968 in a log of atop 2.12, found 769: a \
         changed or 32-bit recorder wrote it"
    );
    assert!(text(sound[..480].to_vec()).ends_with("no whole sample: the file ends after its header"));
    assert!(matches!(open(sound[..485].to_vec()), Err(AtopError::NoSamples { .. })));
    // Bit 15 of the version isn't part of it, and fields that aren't set get their usual values.
    let log = open(with(5, &[0x02])).expect("a log");
    assert!(log.health().is_sound());
    let log = open(with(14, &[0, 0])).expect("a log");
    assert_eq!((log.header().hertz, log.health().count(FindingKind::Odd)), (100, 1));
}

#[test]
fn a_torn_end_keeps_what_is_before() {
    let samples = three(12);
    let (bytes, offsets) = (file(12, &samples), offsets(&samples));
    for end in [offsets[2] + 1, offsets[2] + 95, offsets[2] + 96, offsets[3] - 1] {
        let log = open(bytes[..end].to_vec()).expect("a log");
        assert_eq!(times(&log), [0, 10], "{end}");
        assert_eq!(findings(log.health()), [(FindingKind::Truncated, offsets[2] as u64)]);
    }
    let mut zeros = bytes.clone();
    zeros.resize(bytes.len() + 5_000, 0);
    let log = open(zeros).expect("a log");
    assert_eq!(
        (times(&log), findings(log.health())),
        (vec![0, 10, 20], vec![(FindingKind::Damaged, bytes.len() as u64)])
    );
}

#[test]
fn reading_goes_on_after_damage() {
    let samples = three(12);
    let (bytes, offsets) = (file(12, &samples), offsets(&samples));
    // The length of the second's system part leads past the end, into the third, or nowhere.
    for wrong in [0, 1, offsets[2] - offsets[1], 5_000_000] {
        let mut changed = bytes.clone();
        changed[offsets[1] + 16..offsets[1] + 20].copy_from_slice(&(wrong as u32).to_le_bytes());
        let log = open(changed).expect("a log");
        assert!(!log.health().is_complete());
        assert_eq!(times(&log), [0, 20], "{wrong}");
        assert!(decode(&log).health.is_sound());
    }
    // Other bytes between two samples.
    let mut between = bytes[..offsets[1]].to_vec();
    between.extend([0x55; 1_000]);
    between.extend(&bytes[offsets[1]..]);
    let log = open(between).expect("a log");
    assert_eq!(times(&log), [0, 10, 20]);
    let at = offsets[1] as u64;
    assert_eq!(findings(log.health()), [(FindingKind::Damaged, at), (FindingKind::Dropped, at + 1_000)]);
}

/// What follows is of another machine, perhaps.
#[test]
fn samples_after_a_damaged_header_are_nobodys() {
    let (first, second) = (file(12, &three(12)), file(12, &three(12)));
    // Magic, version, length of the header, and the name of the system.
    for at in [0, 4, 10, 36] {
        for torn in [0, 30] {
            let mut joined = first[..first.len() - torn].to_vec();
            let ofs_header = joined.len();
            joined.extend(&second);
            joined[ofs_header + at] ^= 0x40;
            let log = open(joined).expect("a log");
            // The torn one doesn't unpack.
            assert_eq!(log.times().len(), if torn == 0 { 3 } else { 2 }, "{at} {torn}");
            let found = findings(log.health());
            assert!(found.contains(&(FindingKind::Dropped, ofs_header as u64)), "{at} {torn}: {found:?}");
        }
    }
}

#[test]
fn an_impossible_time_costs_its_sample_only() {
    // 2262, 5917, before 1970.
    for wrong in [9_214_646_400, 124_562_000_000, i64::MAX, -1] {
        for at in 0..3 {
            let samples = three(12);
            let (mut bytes, offsets) = (file(12, &samples), offsets(&samples));
            bytes[offsets[at]..offsets[at] + 8].copy_from_slice(&i64::to_le_bytes(wrong));
            let log = open(bytes).expect("a log");
            let found: Vec<String> = log.health().findings().iter().map(ToString::to_string).collect();
            assert_eq!(
                found,
                [format!(
                    "damaged: sample.time at byte {:#x}: expected 1 to 9214646399 seconds since 1970, a time up to the \
                     year 2261, found {wrong}: the sample is left out",
                    offsets[at]
                )]
            );
            let mut expected = vec![0, 10, 20];
            expected.remove(at);
            assert_eq!(times(&log), expected);
            assert!(decode(&log).health.is_sound());
        }
    }
}

#[test]
fn a_bad_part_costs_its_sample_only() {
    let samples = three(12);
    let (bytes, offsets) = (file(12, &samples), offsets(&samples));
    let mut changed = bytes;
    changed[offsets[1] + 96 + 40] ^= 0x10;
    let log = open(changed).expect("a log");
    let decoded = decode(&log);
    assert_eq!(findings(&decoded.health), [(FindingKind::Damaged, offsets[1] as u64 + 96)]);
    let num = |object: &str| {
        let of_object = decoded.cooked.iter().filter(|cooked| &*cooked.object.name == object);
        of_object.map(recount_model::Cooked::num_samples).sum::<usize>()
    };
    assert_eq!((num("MEM"), num("Process"), num("PRC")), (2, 3, 3));
}

#[test]
fn the_pid_part_is_checked() {
    let mut samples = three(12);
    samples[1].flags = 0x100;
    samples[1].cgroups = vec![Structure::cgroup("", 0, -1, 1)];
    let (mut bytes, offsets) = (file(12, &samples), offsets(&samples));
    assert!(decode(&open(bytes.clone()).expect("a log")).health.is_sound());
    // Its checksum.
    bytes[offsets[2] - 4..offsets[2]].fill(0);
    let len_pids = zip(&[0; 4]).len();
    let log = open(bytes).expect("a log");
    let decoded = decode(&log);
    let at = (offsets[2] - len_pids) as u64;
    assert_eq!(findings(&decoded.health), [(FindingKind::Damaged, at)]);
    let what = decoded.health.findings()[0].to_string();
    assert!(what.starts_with(&format!("damaged: pid part at byte {at:#x}: ")), "{what}");
    assert!(what.ends_with(": no value depends on it"), "{what}");
    assert!(decoded.cooked.iter().any(|cooked| &*cooked.object.name == "CGR"), "the cgroups are read");
    // It isn't unpacked for other objects.
    let selection = Selection::from_iter([r"\MEM\free".parse().expect("a pattern")]);
    assert!(log.decode(&[0, 1, 2], &selection).health.is_sound());
}

#[test]
fn nothing_is_taken_on_trust() {
    // A few bytes that claim very many tasks, or endless cgroups.
    let mut sample = three(12).remove(1).bytes();
    for num in [u32::MAX, 1 << 18, 1_000_000] {
        sample[28..32].copy_from_slice(&num.to_le_bytes());
        sample[36..40].copy_from_slice(&num.to_le_bytes());
        let log = open([header(12), sample.clone()].concat()).expect("a log");
        assert_eq!(decode(&log).health.total(), 1, "{num}");
    }
    let mut samples = three(12);
    samples[1].flags = 0x100;
    samples[1].cgroups = vec![vec![0xFF; 432]; 3];
    let mut bytes = file(12, &samples);
    let log = open(bytes.clone()).expect("a log");
    assert_eq!(decode(&log).health.count(FindingKind::Damaged), 1, "a cgroup of length -1");
    let at = offsets(&samples)[1];
    bytes[at + 76..at + 80].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(decode(&open(bytes).expect("a log")).health.count(FindingKind::Damaged), 1);
    // A part that unpacks to more bytes than its structure has.
    let mut sample = Sample::new(3, START, 10);
    sample.system.bytes.push(0);
    let log = open(file(3, &[sample])).expect("a log");
    let health = decode(&log).health;
    assert!(
        health.findings()[0].what.starts_with("expected 711904 bytes unpacked, found more"),
        "{health:?}"
    );
    assert_eq!(zip(&[0; 4])[0] & 0x0F, 8);
}

#[test]
fn counts_beyond_their_room_are_clamped() {
    let mut samples = three(13);
    samples[1].system.set("cpu.n_slots", i64::from(i32::MAX)).set("gpu.n", -5).set("nic.n", 1_000_000);
    samples[1].system.set("numa_mem.n", i64::MAX).set("llc.n", 999);
    let log = open(file(13, &samples)).expect("a log");
    let decoded = decode(&log);
    assert!(decoded.health.is_sound());
    let mut text = String::new();
    recount_atop::dump(&file(13, &samples), 2, &mut text).expect("a dump");
    assert!(text.contains("llc.caches[255]") && !text.contains("llc.caches[256]"));
    assert!(text.ends_with("1 of 3 samples not shown\n"));
}

/// Opens, decodes and dumps any bytes.
fn survives(bytes: &[u8]) {
    let Ok(log) = open(bytes.to_vec()) else { return };
    assert!(log.times().len() <= 3);
    let decoded = decode(&log);
    assert!(decoded.cooked.iter().all(|cooked| cooked.num_cells() < 10_000));
    let mut text = String::new();
    recount_atop::dump(&bytes.to_vec(), 1, &mut text).expect("what opens can be dumped");
}

#[test]
fn no_truncation_panics() {
    let samples = three(12);
    let (bytes, offsets) = (file(12, &samples), offsets(&samples));
    let near_header = |end: usize| offsets.iter().any(|offset| end.abs_diff(*offset) < 100);
    for end in (0..bytes.len()).filter(|end| near_header(*end) || end % 7 == 0) {
        if end % 97 == 0 {
            survives(&bytes[..end]);
        }
        let num_whole = offsets[1..].iter().filter(|offset| **offset <= end).count();
        assert_eq!(open(bytes[..end].to_vec()).map_or(0, |log| log.times().len()), num_whole, "{end}");
    }
}

#[test]
fn no_flipped_bit_panics() {
    let mut samples = three(12);
    samples[1].flags = 0x100;
    samples[1].cgroups = vec![Structure::cgroup("", 0, -1, 1)];
    let bytes = file(12, &samples);
    let offsets = offsets(&samples);
    let in_header = |at: usize| at < 480 || offsets.iter().any(|offset| (*offset..offset + 96).contains(&at));
    let mut num_deep = 0;
    for at in (0..bytes.len()).filter(|at| in_header(*at) || at % 13 == 0) {
        for bit in (0..8).filter(|bit| at % 8 == *bit || in_header(at) && at % 5 == bit % 5) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            if in_header(at) && (at + bit) % 16 != 3 {
                let num = open(flipped).map_or(0, |log| log.times().len());
                assert!(num <= 3);
            } else {
                survives(&flipped);
                num_deep += 1;
            }
        }
    }
    assert!(num_deep > 300, "{num_deep}");
}
