//! Packing and unpacking restores every byte of all shared files, of all samples, and of generated variants of them.

use std::path::{Path, PathBuf};

use recount::{UnpackOptions, UnpackedSort, pack, unpack};

const NUM_VARIANTS: usize = 200;

/// Every file below a directory, in the order of names.
fn files_below(directory: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// All shared files, and all samples but logs, which are packed already.
fn originals() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    files_below(&recount_testdata::shared_path(""), &mut files);
    let num_shared = files.len();
    assert!(num_shared >= 5, "{files:?}");
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples"), &mut files);
    assert!(files.len() >= num_shared + 20, "{files:?}");
    let read = |path: PathBuf| (path.display().to_string(), std::fs::read(&path).expect("readable"));
    files.into_iter().map(read).filter(|(_, bytes)| !is_log(bytes)).collect()
}

fn is_log(bytes: &[u8]) -> bool {
    bytes.windows(4).take(64 << 10).any(|window| window == [0x8D, b'R', b'C', b'F'])
}

/// Packs and unpacks bytes; returns the result and the length of the log.
fn there_and_back(directory: &Path, name: &str, bytes: &[u8]) -> u64 {
    let (file, log) = (directory.join("file.bin"), directory.join("file.rcap"));
    std::fs::write(&file, bytes).expect("written");
    let packed =
        pack(&file, None, true, &recount::unwatched).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!((packed.path.as_path(), packed.len_file), (log.as_path(), bytes.len() as u64), "{name}");
    assert_eq!(packed.len_packed, log.metadata().expect("the log").len(), "{name}");
    let back = directory.join("back.bin");
    let mut options = UnpackOptions::default();
    (options.output, options.force) = (Some(back.clone()), true);
    let unpacked = unpack(&log, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!((unpacked.sort, unpacked.len), (UnpackedSort::File, bytes.len() as u64), "{name}");
    assert!(std::fs::read(&back).expect("unpacked") == bytes, "{name}: bytes differ");
    packed.len_packed
}

#[test]
#[ignore = "reads ../shared/data"]
fn every_file_comes_back() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, bytes) in originals() {
        let len_packed = there_and_back(directory.path(), &name, &bytes);
        // Kept as they are at the worst: frames, facts and an index, and no more.
        assert!(len_packed < bytes.len() as u64 + 2_000, "{name}: {len_packed}");
        // What a file as it is can be made smaller by. The aim for captures: the issue asks for half of it.
        if name.ends_with("tx-basic.blg") {
            assert!(len_packed * 20 < bytes.len() as u64, "{name}: {len_packed}");
        }
    }
}

/// Numbers as random as the tests need, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// Some damage: cut off at either end, bits flipped, stretches zeroed, swapped or repeated, another file behind.
fn variant(originals: &[(String, Vec<u8>)], random: &mut Random) -> Vec<u8> {
    let any = |random: &mut Random| originals[random.below(originals.len())].1.clone();
    let mut bytes = any(random);
    for _ in 0..=random.below(3) {
        let (len, at) = (bytes.len(), random.below(bytes.len()));
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(..at)),
            2 => (0..=random.below(20)).for_each(|_| {
                let at = random.below(len);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }),
            3 => bytes.extend(any(random)),
            4 => {
                let end = (at + random.below(5_000)).min(len);
                bytes[at..end].fill(0);
            }
            5 => {
                let end = (at + random.below(100_000)).min(len);
                let stretch = bytes[at..end].to_vec();
                bytes.extend(stretch);
            }
            6 => drop(bytes.splice(at..at, (0..random.below(300)).map(|byte| byte as u8))),
            _ => bytes.rotate_left(at),
        }
    }
    bytes
}

#[test]
#[ignore = "reads ../shared/data"]
fn every_variant_comes_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let originals = originals();
    let mut random = Random(20_261_121);
    for bytes in [&b""[..], b"x", b"P\0E\0R\0F\0", b"\0P\0E\0R\0F", &vec![0; 100_000]] {
        there_and_back(directory.path(), &format!("{} bytes", bytes.len()), bytes);
    }
    for number in 0..NUM_VARIANTS {
        let bytes = variant(&originals, &mut random);
        there_and_back(directory.path(), &format!("variant {number}"), &bytes);
    }
}

/// Longer than a chunk, so that it falls into several.
#[test]
#[ignore = "reads ../shared/data"]
fn a_file_of_many_chunks_comes_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = recount_testdata::shared("blg/tx-basic.blg");
    let mut bytes = log.repeat(110);
    let len = bytes.len();
    (0..1_000).for_each(|k| bytes[k * 43_017 % len] ^= k as u8);
    let len_packed = there_and_back(directory.path(), "many", &bytes);
    assert!(len_packed < len as u64 / 10, "{len_packed}");
}
