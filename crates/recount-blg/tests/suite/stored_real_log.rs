//! The real log tx-basic.blg, compared with the values documented in the shared data's formats/blg.md.

use std::sync::Arc;

use recount_blg::BlgSource;
use recount_model::{Run, Second, Selection, Source, Timestamp};

use recount_testdata::shared;

fn open(bytes: Vec<u8>) -> BlgSource {
    BlgSource::open(Arc::new(bytes)).expect("a performance log")
}

fn decode_all(source: &BlgSource) -> Vec<Run> {
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    let decoded = source.decode(&samples, &Selection::all());
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    decoded.runs
}

#[test]
#[ignore = "reads ../shared/data"]
fn facts_of_the_header() {
    let source = open(shared("blg/tx-basic.blg"));
    let info = source.info();
    assert_eq!(info.format, "Windows performance log (.blg), counter list");
    assert_eq!(info.hosts.iter().map(|host| &**host).collect::<Vec<_>>(), ["GEORGIS3"]);
    assert_eq!(info.os.as_deref(), Some("Windows 6.2 build 9200 64-bit"));
    let zone = info.zone.as_ref().expect("zone");
    assert_eq!((zone.standard_name.as_str(), zone.bias_min), ("Pacific Standard Time", 480));
    assert_eq!(info.started.map(|time| time.to_string()).as_deref(), Some("2013-02-20T02:50:17.8447225Z"));
    assert_eq!(info.boot_time, Some(Timestamp(0x01CE_0C83_3ED7_98E4)));
    assert!(source.health().is_sound(), "{:?}", source.health());
}

#[test]
#[ignore = "reads ../shared/data"]
fn samples_are_in_utc() {
    let source = open(shared("blg/tx-basic.blg"));
    let times = source.times();
    assert_eq!(times.len(), 601);
    assert_eq!(times[0].utc.to_string(), "2013-02-20T02:50:17.844Z");
    assert_eq!(times[0].civil().expect("civil").to_string(), "2013-02-19T18:50:17.844");
    assert!(times.iter().all(|time| time.offset_min == -480));
    assert!(times.windows(2).all(|pair| (0.9..1.2).contains(&pair[1].utc.seconds_since(pair[0].utc))));
}

#[test]
#[ignore = "reads ../shared/data"]
fn raw_values_of_the_first_block() {
    let source = open(shared("blg/tx-basic.blg"));
    let runs = decode_all(&source);
    assert_eq!(runs.len(), 2);
    let disk = &runs[0];
    assert_eq!((&*disk.object.name, disk.instances.len(), disk.num_samples()), ("PhysicalDisk", 1, 601));
    assert_eq!(disk.instances[0].shown(), "0 C:");
    let raw = |run: &Run, counter: &str, cell: usize| {
        let column = &run.columns[run.object.counter_named(counter).expect(counter)];
        let Second::Own(second) = &column.second else { panic!("{counter} has no second value") };
        (column.first[cell], second[cell])
    };
    assert_eq!(raw(disk, "Avg. Disk Bytes/Read", 0), (16_964_053_504, 852_665));
    assert_eq!(raw(disk, "Avg. Disk Bytes/Write", 0), (59_518_247_936, 7_028_975));
    assert_eq!(raw(disk, "Avg. Disk Queue Length", 0), (9_295_050_349_000, 130_058_022_178_447_225));
    let cpu = &runs[1];
    let shown: Vec<String> = cpu.instances.iter().map(ToString::to_string).collect();
    assert_eq!((&*cpu.object.name, shown.join(" ")), ("Processor", "0 1 2 3 _Total".into()));
    assert_eq!(raw(cpu, "% Processor Time", 0), (1_129_591_718_750, 130_058_022_178_447_225));
    assert_eq!(raw(cpu, "% Processor Time", 4), (1_170_374_257_812, 130_058_022_178_447_225));
    let num_raw: usize = runs.iter().map(|run| run.columns.len() * run.num_cells()).sum();
    assert_eq!(num_raw, 6_010);
}

/// 1,000 offsets spread over the file.
fn spread(len: usize) -> impl Iterator<Item = usize> {
    (0..1_000).map(move |i| (i * 7_919 + i * len / 1_000) % len)
}

/// Everything before the cut is read.
#[test]
#[ignore = "reads ../shared/data"]
fn truncated_anywhere_it_gives_what_precedes() {
    let whole = shared("blg/tx-basic.blg");
    let source = open(whole.clone());
    let complete = decode_all(&source);
    for len in spread(whole.len()) {
        let Ok(cut) = BlgSource::open(Arc::new(whole[..len].to_vec())) else {
            // Up to the first event after the header buffer there is nothing to read.
            assert!(len < 0x1_0450, "nothing read of {len:#x} bytes");
            continue;
        };
        let num_samples = cut.times().len();
        assert_eq!(cut.times(), &source.times()[..num_samples]);
        assert!(!cut.health().is_sound() || len % 0x1_0000 == 0, "{len:#x} bytes, and nothing is amiss");
        // Every whole event before the cut counts: 520 bytes each.
        let full_buffers = len / 0x1_0000;
        assert!(num_samples + 1 >= full_buffers.saturating_sub(1) * 124, "{num_samples} of {len:#x} bytes");
        for (cut, complete) in decode_all(&cut).iter().zip(&complete) {
            for (cut, complete) in cut.columns.iter().zip(&complete.columns) {
                assert_eq!(cut.first, complete.first[..cut.first.len()]);
            }
        }
    }
}

/// A damaged byte costs at most its own sample.
#[test]
#[ignore = "reads ../shared/data"]
fn a_flipped_byte_costs_one_sample_at_most() {
    let whole = shared("blg/tx-basic.blg");
    let times = open(whole.clone()).times().to_vec();
    for ofs in spread(whole.len()) {
        let mut bytes = whole.clone();
        bytes[ofs] ^= 1 << (ofs % 8);
        let source = match BlgSource::open(Arc::new(bytes)) {
            Ok(source) => source,
            Err(error) => panic!("byte {ofs:#x}: {error}"),
        };
        let num_samples = source.times().len();
        assert!(
            (600..=601).contains(&num_samples),
            "byte {ofs:#x}: {num_samples} samples: {:?}",
            source.health()
        );
        let num_known = source.times().iter().filter(|time| times.binary_search(time).is_ok()).count();
        assert!(num_known >= 600, "byte {ofs:#x}: {} times are others", num_samples - num_known);
        let samples: Vec<u32> = (0..num_samples as u32).collect();
        source.decode(&samples, &Selection::all());
    }
}
