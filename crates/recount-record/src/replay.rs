//! Replays raw dumps as if they were live samples.

use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{Content, Facts, NameTable, Place, Timestamp};
use recount_perf_data::{BlockItem, DataBlock, Header, blocks};

use crate::{LiveSource, TakeError, Taken};

/// Files of `PERF_DATA_BLOCK`s back to back (`formats/perf-data-block.md#recognising`) as a source: every block is
/// a sample, in time order, byte for byte. A sample's time is its block's.
pub struct ReplaySource {
    files: Vec<(String, Arc<dyn Content>)>,
    names: NameTable,
    /// The remaining blocks, last first.
    coming: Vec<Coming>,
    current: Option<(Timestamp, BlockPlace)>,
    host: String,
}

#[derive(Clone, Copy)]
struct BlockPlace {
    file: usize,
    ofs: usize,
    len: usize,
}

struct Coming {
    time: Timestamp,
    what: Result<BlockPlace, FormatError>,
}

impl ReplaySource {
    /// Finds the blocks of all files, given as name and bytes; `names` has the names of their objects and
    /// counters.
    ///
    /// An invalid first block in a file is an error. Where a later one is invalid, or other bytes are between two blocks,
    /// one sample fails, and replay continues with the next valid block.
    pub fn open(
        files: Vec<(String, Arc<dyn Content>)>,
        names: NameTable,
    ) -> Result<ReplaySource, FormatError> {
        let mut coming = Vec::new();
        let mut host = String::new();
        for (file, (name, content)) in files.iter().enumerate() {
            let no_block = |error| FormatError::NoBlock { file: name.clone(), source: Box::new(error) };
            let first = find_blocks(file, content.bytes(), &mut coming).map_err(no_block)?;
            if let (true, Some(first)) = (host.is_empty(), first) {
                first.system_name().trim_start_matches('\\').clone_into(&mut host);
            }
        }
        // A stable sort: blocks with equal times stay in the order of the files.
        coming.sort_by_key(|one| one.time);
        coming.reverse();
        // Errors name their file.
        Ok(ReplaySource { files, names, coming, current: None, host })
    }

    fn bytes(&self, place: BlockPlace) -> Option<&[u8]> {
        let (_, content) = self.files.get(place.file)?;
        content.bytes().get(place.ofs..place.ofs + place.len)
    }

    /// How many blocks are left.
    pub fn num_left(&self) -> usize {
        self.coming.iter().filter(|one| one.what.is_ok()).count()
    }
}

/// Appends the blocks of one file, and the faults between them, each with the time of the block before. Returns the first block.
fn find_blocks<'a>(
    file: usize,
    bytes: &'a [u8],
    coming: &mut Vec<Coming>,
) -> Result<Option<DataBlock<'a>>, FormatError> {
    let mut first = None;
    let mut last = Timestamp::default();
    for item in blocks(bytes) {
        let what = match item {
            BlockItem::Block(block) => {
                let ofs = block.ofs_in_file();
                time_of(block.header(), ofs).map(|time| (time, ofs as usize, block))
            }
            BlockItem::Unreadable(error) => Err(error),
            BlockItem::Skipped { ofs, len } => Err(FormatError::Unexpected {
                place: Place::structure(Header::NAME, ofs as u64),
                expected: "a block".to_owned(),
                found: format!("{len} other bytes before the next one"),
            }),
        };
        let what = match what {
            Ok((time, ofs, block)) => {
                last = time;
                let place = BlockPlace { file, ofs, len: block.bytes().len() };
                first.get_or_insert(block);
                Ok(place)
            }
            Err(error) if first.is_none() => return Err(error),
            Err(error) => Err(error),
        };
        coming.push(Coming { time: last, what });
    }
    Ok(first)
}

/// When a block was taken: `PerfTime100nSec` or, if that is zero, `SystemTime`. A block without a time can't
/// be stored in a log.
fn time_of(header: &Header, ofs: u64) -> Result<Timestamp, FormatError> {
    /// `PERF_DATA_BLOCK`, formats/perf-data-block.md#header.
    const OFS_PERF_TIME_100NS: u64 = 72;
    match header.perf_time_100ns {
        0 => header.system_time.as_utc().ok_or_else(|| FormatError::Unexpected {
            place: Place::field(Header::NAME, ofs, "PerfTime100nSec", ofs + OFS_PERF_TIME_100NS),
            expected: "a time here or in SystemTime".to_owned(),
            found: "none in either".to_owned(),
        }),
        ticks => Ok(Timestamp(ticks)),
    }
}

impl LiveSource for ReplaySource {
    fn facts(&mut self) -> Facts {
        let names: Vec<&str> = self.files.iter().map(|(name, _)| name.as_str()).collect();
        let facts = [("host", self.host.clone()), ("source", format!("replay of {}", names.join(", ")))];
        facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect()
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        if self.names.is_empty() { Vec::new() } else { vec![("009".to_owned(), self.names.clone())] }
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        if let Some((_, done)) = self.current.take()
            && let Some((_, content)) = self.files.get(done.file)
        {
            content.release(done.ofs..done.ofs + done.len);
        }
        let Some(Coming { time, what }) = self.coming.pop() else { return Ok(None) };
        self.current = Some((time, what?));
        Ok(Some(Taken { time, ..Taken::default() }))
    }

    fn coming(&self) -> Vec<&[u8]> {
        self.coming.iter().rev().filter_map(|one| self.bytes(*one.what.as_ref().ok()?)).collect()
    }

    fn put_back(&mut self) {
        if let Some((time, place)) = self.current {
            self.coming.push(Coming { time, what: Ok(place) });
        }
    }

    fn sample(&self) -> &[u8] {
        self.current.and_then(|(_, place)| self.bytes(place)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [&[u8]; 2] =
        [include_bytes!("../../../samples/series/1.bin"), include_bytes!("../../../samples/series/2.bin")];

    /// The results of taking samples, in order: a sample's bytes, or an error.
    fn taken(bytes: Vec<u8>) -> Vec<Result<Vec<u8>, String>> {
        let files: Vec<(String, Arc<dyn Content>)> = vec![("dump.bin".to_owned(), Arc::new(bytes))];
        let mut source = ReplaySource::open(files, NameTable::new()).expect("a dump");
        let mut taken = Vec::new();
        loop {
            match source.take() {
                Ok(None) => return taken,
                Ok(Some(_)) => taken.push(Ok(source.sample().to_vec())),
                Err(error) => taken.push(Err(error.to_string())),
            }
        }
    }

    #[test]
    fn replay_continues_after_damage() {
        let [one, two] = SAMPLES;
        let both = [Ok(one.to_vec()), Ok(two.to_vec())];
        assert_eq!(taken([one, two].concat()), both);
        assert_eq!(taken([one, two, b"the rest of a buffer"].concat()), both);

        let after_text = taken([one, b"Dear reader,", two].concat());
        assert_eq!((&after_text[0], &after_text[2]), (&both[0], &both[1]));
        let error = after_text[1].as_ref().expect_err("not a block");
        let place = format!("PERF_DATA_BLOCK at byte {:#x}", one.len());
        assert!(error.starts_with(&place) && error.contains("found 12 other bytes"), "{error}");

        // A length beyond the end of the file.
        let mut damaged = one.to_vec();
        damaged[20..24].fill(0xFF);
        let after_damage = taken([one, &damaged, two].concat());
        assert_eq!((&after_damage[0], &after_damage[2]), (&both[0], &both[1]));
        let error = after_damage[1].as_ref().expect_err("damaged");
        assert!(error.contains("TotalByteLength"), "{error}");
        assert_eq!(after_damage.len(), 3);
    }
}

#[cfg(test)]
mod stored {
    use recount_testdata::shared;

    use super::*;

    const REAL: &str = "perf-data-block/process-165-instances.bin";

    fn open(files: Vec<Vec<u8>>) -> Result<ReplaySource, FormatError> {
        let named = |(at, bytes): (usize, Vec<u8>)| -> (String, Arc<dyn Content>) {
            (format!("{at}.bin"), Arc::new(bytes))
        };
        ReplaySource::open(files.into_iter().enumerate().map(named).collect(), NameTable::new())
    }

    /// The real block, cut to its length, with another time.
    fn at(time: i64) -> Vec<u8> {
        let bytes = shared(REAL);
        let mut bytes = DataBlock::parse(&bytes, 0).expect("a block").bytes().to_vec();
        bytes[72..80].copy_from_slice(&time.to_le_bytes());
        bytes
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_real_dump_is_taken_as_it_is() {
        let whole = shared(REAL);
        let mut source = open(vec![whole.clone()]).expect("a dump");
        let mut taken: Vec<(Timestamp, Vec<u8>)> = Vec::new();
        while let Some(one) = source.take().expect("a sound block") {
            taken.push((one.time, source.sample().to_vec()));
        }
        let block = DataBlock::parse(&whole, 0).expect("a block");
        assert_eq!(taken[0], (Timestamp(block.header().perf_time_100ns), block.bytes().to_vec()));
        assert_eq!(source.facts()["host"], block.system_name());
        assert!(source.sample().is_empty());
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn blocks_come_in_the_order_of_time() {
        let mut source = open(vec![[at(50), at(30)].concat(), at(40)]).expect("dumps");
        assert_eq!(source.num_left(), 3);
        for time in [30, 40, 50] {
            assert_eq!(source.take().expect("sound").expect("one more").time, Timestamp(time));
            assert_eq!(source.sample(), at(time));
        }
        assert_eq!(source.take().expect("the end"), None);
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn damage_fails_once_and_the_next_file_goes_on() {
        let mut torn = [at(30), at(50)].concat();
        torn.truncate(torn.len() - 1);
        let mut source = open(vec![torn, at(40)]).expect("dumps");
        assert_eq!(source.take().expect("sound").map(|taken| taken.time), Some(Timestamp(30)));
        let error = source.take().expect_err("torn").to_string();
        let place = format!("PERF_DATA_BLOCK.TotalByteLength at byte {:#x}", at(30).len() + 20);
        assert!(error.starts_with(&place), "{error}");
        assert!(source.sample().is_empty());
        assert_eq!(source.take().expect("sound").map(|taken| taken.time), Some(Timestamp(40)));
        assert_eq!(source.take().expect("the end"), None);
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn what_is_no_dump_is_an_error() {
        let error = open(vec![at(1), b"Dear reader".to_vec()]).err().expect("no dump");
        assert!(error.to_string().starts_with("1.bin: no performance data block: "), "{error}");
        let mut timeless = at(0);
        timeless[36..52].fill(0);
        let error = open(vec![timeless]).err().expect("no time").to_string();
        assert!(error.contains("PERF_DATA_BLOCK.PerfTime100nSec at byte 0x48"), "{error}");
    }
}
