//! Logs that were built between releases, and headers whose counts and lengths are wrong.

use recount_atop::{AtopError, AtopLog};
use recount_model::{FindingKind, Health, Selection, Source};
use recount_samples::other_logs::atop::{Sample, Structure, file, open, three};

/// All values as text, by sample, and what is wrong.
fn read(log: &AtopLog) -> (Vec<String>, Health) {
    let mut health = log.health().clone();
    let mut of_sample = |sample: u32| {
        let decoded = log.decode(&[sample], &Selection::all());
        health.absorb(decoded.health);
        let show = |cooked: &recount_model::Cooked| {
            let instances: Vec<String> = cooked.instances.iter().map(ToString::to_string).collect();
            let columns: Vec<_> =
                cooked.columns.iter().map(|column| (&column.values, &column.status)).collect();
            format!("{:?} {} {instances:?} {columns:?}\n", cooked.times, cooked.object.name)
        };
        decoded.cooked.iter().map(show).collect::<String>()
    };
    let samples = (0..log.times().len() as u32).map(&mut of_sample).collect();
    (samples, health)
}

fn with_version(mut bytes: Vec<u8>, minor: u8) -> Vec<u8> {
    bytes[4] = minor;
    bytes
}

/// The number of one release, and the structures of the next.
#[test]
fn a_build_between_releases_is_read_by_its_lengths() {
    for (word, layout) in [(10, 11), (9, 10), (7, 3), (12, 13), (6, 7)] {
        let sound = file(layout, &three(layout));
        let log = open(with_version(sound.clone(), word)).expect("a log");
        assert_eq!(log.health().count(FindingKind::Odd), 1, "{word} {layout}: {:?}", log.health());
        let told = log.health().findings()[0].to_string();
        assert!(told.contains(&format!("in a log of atop 2.{word}, found")), "{told}");
        assert!(told.contains(&format!("it is read as 2.{layout}")), "{told}");
        assert_eq!(log.info().format, format!("atop raw log, version 2.{word}, read as 2.{layout}"));
        assert_eq!(read(&log).0, read(&open(sound).expect("a log")).0);
        let mut dump = String::new();
        recount_atop::dump(&with_version(file(layout, &three(layout)), word), 1, &mut dump).expect("a dump");
        assert!(dump.contains("system part") && !dump.contains("aren't those of one version"), "{word}");
    }
    // 2.4 to 2.6, and 2.8 and 2.9, share their lengths, but not their fields.
    for (word, layout) in [(3, 4), (7, 8), (10, 9)] {
        let refused = open(with_version(file(layout, &three(layout)), word));
        let error = refused.err().expect("refused");
        assert!(matches!(error, AtopError::OtherLength { .. }), "{word} {layout}");
        let releases = if layout == 4 { "2.4, 2.5 and 2.6" } else { "2.8 and 2.9" };
        let expected = format!("the lengths are those of atop {releases}, whose fields differ");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

/// Three samples, of which the second has cgroups.
fn samples() -> Vec<Sample> {
    let mut samples = three(12);
    samples[1].flags = 0x100;
    samples[1].cgroups = vec![Structure::cgroup("", 0, -1, 1), Structure::cgroup("a.slice", 1, 0, 2)];
    samples
}

/// A sample that ends where none begins, and whose parts don't unpack, is left out as a whole, with the values of its header.
#[test]
fn a_sample_that_ends_elsewhere_is_suspect() {
    let samples = three(12);
    let sound = file(12, &samples);
    let second = 480 + samples[0].bytes().len();
    let mut damaged = sound.clone();
    // The task part is shorter than it says.
    damaged[second + 20] -= 8;
    let log = open(damaged).expect("a log");
    assert_eq!((log.times().len(), log.health().count(FindingKind::Dropped)), (2, 2), "{:?}", log.health());
    assert!(
        log.health()
            .findings()
            .iter()
            .any(|told| told.what.contains("don't unpack to what its header states"))
    );
    // The same place, but the sample is sound: its checksums say so.
    let third = second + samples[1].bytes().len();
    let between = [&sound[..third], &[0x55; 40], &sound[third..]].concat();
    assert_eq!(open(between).expect("a log").times().len(), 3);
}

/// Every count and length of a header, made wrong in turn: what differs afterwards is reported.
#[test]
fn wrong_counts_never_change_values_silently() {
    let samples = samples();
    let sound = file(12, &samples);
    let (expected, _) = read(&open(sound.clone()).expect("a log"));
    let second = 480 + samples[0].bytes().len();
    for header in [480, second, second + samples[1].bytes().len()] {
        for (at, len) in
            [(10, 2), (16, 4), (20, 4), (24, 4), (28, 4), (36, 4), (72, 4), (76, 4), (80, 4), (84, 4)]
        {
            for change in [1_u32, 2, 3, 8, 64, 0x1000] {
                for is_more in [true, false] {
                    let mut damaged = sound.clone();
                    let field = &mut damaged[header + at..header + at + len];
                    let mut word = [0; 4];
                    word[..len].copy_from_slice(field);
                    let right = u32::from_le_bytes(word);
                    let wrong = if is_more { right.wrapping_add(change) } else { right.wrapping_sub(change) };
                    field.copy_from_slice(&wrong.to_le_bytes()[..len]);
                    let Ok(log) = open(damaged) else { continue };
                    let (values, health) = read(&log);
                    // Times and intervals are rounded, and an uptime can't be compared with anything.
                    let is_rounding = at == 24 && (wrong.abs_diff(right) == 1 || header == 480);
                    let is_told = !health.is_sound() || is_rounding;
                    assert!(values == expected || is_told, "{header:#x} + {at}: {right} becomes {wrong}");
                }
            }
        }
    }
}
