//! Real archives, truncated and with flipped bits: undamaged parts are read as before, in bounded memory.

use crate::support;

use std::path::Path;
use std::sync::Arc;

use recount_model::{Content, Selection, Source};
use recount_pcp::{Archive, find_archive};
use recount_testdata::{assert_memory_is_bounded, cuts, flips, shared_path};

/// Archives with one volume each, of both versions.
const ARCHIVES: [&str; 10] = [
    "good/pmatop-log",
    "good/viewqa3",
    "good/omnibus_v2",
    "good/omnibus_v3",
    "good/reduce-1",
    "good/sample-proc_v2",
    "good/sample-proc_v3",
    "good/ok-foo_v3",
    "good/gap",
    "good/dyninsts",
];

/// Places per archive: 1,000 cuts and as many flips in total.
const NUM_PLACES: usize = 100;

struct Files {
    names: Vec<String>,
    bytes: Vec<Vec<u8>>,
}

impl Files {
    fn of(name: &str) -> Files {
        let found = find_archive(&shared_path("pcp").join(name)).expect("readable").expect("an archive");
        let file = |path| {
            let (name, content) = support::plain(path);
            (name, content.bytes().to_vec())
        };
        let (names, bytes) = found.files.iter().map(file).unzip();
        Files { names, bytes }
    }

    fn volume(&self) -> usize {
        self.names.iter().position(|name| name.ends_with(".0")).expect("a volume")
    }

    fn meta(&self) -> usize {
        self.names
            .iter()
            .position(|name| Path::new(name).extension() == Some("meta".as_ref()))
            .expect("descriptions")
    }

    /// The archive with the bytes of one file replaced.
    fn with(&self, file: usize, bytes: &[u8]) -> Option<Archive> {
        let other = |(at, name): (usize, &String)| {
            let bytes = if at == file { bytes.to_vec() } else { self.bytes[at].clone() };
            (name.clone(), Arc::new(bytes) as Arc<dyn Content>)
        };
        Archive::open(self.names.iter().enumerate().map(other).collect()).ok()
    }
}

fn word(bytes: &[u8], ofs: usize) -> usize {
    u32::from_be_bytes(bytes[ofs..ofs + 4].try_into().expect("4 bytes")) as usize
}

/// Where the records of a volume begin, by the lengths before them, whether they have values, and the end.
fn records(volume: &[u8]) -> Vec<(usize, bool)> {
    let is_v3 = volume[7] == 3;
    let mut ofs = word(volume, 0);
    let mut records = Vec::new();
    while ofs < volume.len() {
        records.push((ofs, word(volume, ofs + if is_v3 { 16 } else { 12 }) > 0));
        ofs += word(volume, ofs);
    }
    records.push((ofs, false));
    records
}

/// All raw values of a sample, as text.
fn values(archive: &Archive, sample: usize) -> String {
    let runs = archive.decode(&[sample as u32], &Selection::all()).runs;
    let of = |run: &recount_model::Run| {
        let cells: Vec<_> = run.columns.iter().map(|column| &column.first).collect();
        format!("{} {:?} {cells:?} {:?}\n", run.object.name, run.instances, run.faults)
    };
    let mut lines: Vec<String> = runs.iter().map(of).collect();
    lines.sort();
    lines.concat()
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_is_before_the_end_is_read() {
    let mut num_read = 0;
    for name in ARCHIVES {
        let files = Files::of(name);
        let bytes = &files.bytes[files.volume()];
        let whole = files.with(files.volume(), bytes).expect(name);
        let records = records(bytes);
        let ends: Vec<usize> = records.windows(2).filter(|pair| pair[0].1).map(|pair| pair[1].0).collect();
        assert_eq!(ends.len(), whole.times().len(), "{name}");
        for end in cuts(bytes.len(), NUM_PLACES) {
            let num = ends.iter().filter(|offset| **offset <= end).count();
            let Some(archive) = files.with(files.volume(), &bytes[..end]) else {
                assert!(end <= records[0].0, "{name} {end}");
                continue;
            };
            assert_eq!(archive.times(), &whole.times()[..num], "{name} {end}");
            if num > 0 {
                // How metrics are grouped into objects depends on the records present.
                let (found, expected) = (num_values(&archive, num - 1), num_values(&whole, num - 1));
                assert_eq!(found, expected, "{name} {end}");
                num_read += 1;
            }
        }
    }
    assert!(num_read > 700, "{num_read}");
    assert_memory_is_bounded();
}

/// The raw values of a sample, whatever objects they are in.
fn num_values(archive: &Archive, sample: usize) -> Vec<u64> {
    let runs = archive.decode(&[sample as u32], &Selection::all()).runs;
    let mut values: Vec<u64> =
        runs.iter().flat_map(|run| run.columns.iter().flat_map(|column| column.first.clone())).collect();
    values.retain(|value| *value != 0);
    values.sort_unstable();
    values
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_is_beside_a_flipped_bit_is_read() {
    let (mut num_read, mut num_gone) = (0, 0);
    for name in ARCHIVES {
        let files = Files::of(name);
        let bytes = &files.bytes[files.volume()];
        let whole = files.with(files.volume(), bytes).expect(name);
        let records = records(bytes);
        let samples: Vec<usize> = records.windows(2).filter(|pair| pair[0].1).map(|pair| pair[0].0).collect();
        let num = samples.len();
        let expected: Vec<Vec<u64>> = (0..num).map(|sample| num_values(&whole, sample)).collect();
        for (at, bit) in flips(&samples, 0..20, records[0].0..bytes.len(), NUM_PLACES) {
            let hit = records.partition_point(|(begin, _)| *begin <= at).saturating_sub(1);
            let begin = records[hit].0;
            let mut flipped = bytes.clone();
            flipped[at] ^= bit;
            let archive = files.with(files.volume(), &flipped).unwrap_or_else(|| panic!("{name} {at}"));
            // Marks aren't samples, and the damaged record may have any time.
            for sample in (0..num).filter(|sample| samples[*sample] != begin) {
                let time = whole.times()[sample];
                let found = archive.times().iter().enumerate().filter(|(_, found)| **found == time);
                let is_there =
                    found.map(|(at, _)| num_values(&archive, at)).any(|found| found == expected[sample]);
                num_read += usize::from(is_there);
                num_gone += usize::from(!is_there);
            }
        }
    }
    assert!(num_gone * 200 < num_read, "{num_gone} of {num_read}");
    assert!(num_read > 10_000, "{num_read}");
    assert_memory_is_bounded();
}

/// The label identifies the file: an archive must have one, and its contents cause no panic.
#[test]
#[ignore = "reads ../shared/data"]
fn a_flipped_bit_in_a_label_is_read_or_refused() {
    let (mut num_opened, mut num_refused) = (0, 0);
    for name in ARCHIVES {
        let files = Files::of(name);
        for file in [files.volume(), files.meta()] {
            let bytes = &files.bytes[file];
            for (at, bit) in flips(&[], 0..0, 0..word(bytes, 0), NUM_PLACES) {
                let mut flipped = bytes.clone();
                flipped[at] ^= bit;
                match files.with(file, &flipped) {
                    Some(archive) => {
                        (0..archive.times().len().min(2)).for_each(|sample| _ = values(&archive, sample));
                        num_opened += 1;
                    }
                    None => num_refused += 1,
                }
            }
        }
    }
    assert!(num_opened > 1_000 && num_refused > 20, "{num_opened} {num_refused}");
    assert_memory_is_bounded();
}

#[test]
#[ignore = "reads ../shared/data"]
fn damaged_descriptions_cost_what_they_describe() {
    let mut num_read = 0;
    for name in ARCHIVES {
        let files = Files::of(name);
        let bytes = &files.bytes[files.meta()];
        for place in 0..NUM_PLACES {
            let at = bytes.len() * place / NUM_PLACES;
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (place % 8);
            for bytes in [flipped, bytes[..at].to_vec()] {
                let Some(archive) = files.with(files.meta(), &bytes) else { continue };
                for sample in 0..archive.times().len().min(3) {
                    num_read += usize::from(!values(&archive, sample).is_empty());
                }
            }
        }
    }
    assert!(num_read > 2_000, "{num_read}");
    assert_memory_is_bounded();
}

/// Every count and length of real archives, made wrong in turn.
#[test]
#[ignore = "reads ../shared/data"]
fn wrong_counts_never_change_values_silently() {
    for name in ["good/omnibus_v2", "good/omnibus_v3", "good/sample-proc_v2", "good/gap", "good/ok-foo_v3"] {
        let Files { names, bytes } = Files::of(name);
        let files: Vec<(String, Vec<u8>)> = names.into_iter().zip(bytes).collect();
        support::counted::assert_wrong_counts_are_reported(&files, 11);
    }
}
