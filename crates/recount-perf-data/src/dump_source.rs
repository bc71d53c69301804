//! Files of blocks as a source of samples.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{
    CaptureInfo, Content, CountsSince, Decoded, FindingKind, Health, NameTable, ObjectDef, Opened,
    SampleTime, Selection, Source, Timestamp,
};

use crate::BlockDecoder;
use crate::block_copies::Copies;
use crate::block_run::object_def;
use crate::perf_clock::{PerfClock, epochs};
use crate::{BlockItem, DataBlock, Header, Object, blocks};

/// One or several files, each with one or several consecutive blocks. Every block is a sample.
#[derive(Clone)]
pub struct DumpSource {
    files: Vec<(String, Arc<dyn Content>)>,
    names: NameTable,
    /// In time order.
    blocks: Vec<BlockPlace>,
    hosts: Vec<Arc<str>>,
    opened: Opened,
}

/// Where a block is, and its machine.
#[derive(Clone, Copy)]
struct BlockPlace {
    file: usize,
    ofs: usize,
    len: usize,
    host: usize,
    clock: PerfClock,
    epoch: u32,
    /// Which of the different sets of objects it has, if there are blocks of one time.
    round: u32,
}

/// Blocks of one time that are compared with each other: bounds the work.
const MAX_AT_ONCE: usize = 16;

impl DumpSource {
    /// Whether a file begins with a block.
    pub fn recognise(bytes: &[u8]) -> bool {
        DataBlock::recognise(bytes)
    }

    /// The first and the last time of a file's blocks; `None` if none has a time.
    pub fn span_of(bytes: &[u8]) -> Option<(Timestamp, Timestamp)> {
        let time = |item: BlockItem<'_>| match item {
            BlockItem::Block(block) => Some(time_of(block.header())?.utc),
            _ => None,
        };
        let spans = blocks(bytes).filter_map(time).map(|time| (time, time));
        spans.reduce(|(begin, end), (time, _)| (begin.min(time), end.max(time)))
    }

    /// Finds the blocks of all files and sorts them by time.
    ///
    /// The next block starts directly after a block or at the next multiple of 8 bytes. Other bytes there are skipped
    /// up to the next block that can be read, with a finding; without one they are the rest of a buffer that was too
    /// long. Copies of a block are one sample. An invalid first block in a file is an error; a later one is reported as a finding and skipped.
    pub fn open(files: Vec<(String, Arc<dyn Content>)>, names: NameTable) -> Result<DumpSource, FormatError> {
        let mut source = DumpSource {
            files: Vec::new(),
            names,
            blocks: Vec::new(),
            hosts: Vec::new(),
            opened: Opened::default(),
        };
        let mut found = Vec::new();
        let mut copies = Copies::default();
        for file in 0..files.len() {
            source.find_blocks(&files, file, &mut copies, &mut found)?;
        }
        source.find_epochs(&files, &mut found);
        copies.note(&files, &mut source.opened.health);
        // A stable sort: blocks with equal times stay in the order of the files.
        found.sort_by_key(|(time, _)| *time);
        let (times, blocks): (Vec<_>, _) = found.into_iter().unzip();
        (source.opened.times, source.blocks) = (times.into(), blocks);
        source.files = files;
        source.compare_at_once();
        source.opened.info = CaptureInfo {
            format: "performance data blocks (PERF_DATA_BLOCK)".into(),
            hosts: source.hosts.clone(),
            ..CaptureInfo::default()
        };
        Ok(source)
    }

    fn find_blocks(
        &mut self,
        files: &[(String, Arc<dyn Content>)],
        file: usize,
        copies: &mut Copies,
        found: &mut Vec<(SampleTime, BlockPlace)>,
    ) -> Result<(), FormatError> {
        let (name, content) = &files[file];
        for (number, item) in blocks(content.bytes()).enumerate() {
            let block = match item {
                BlockItem::Block(block) => block,
                BlockItem::Unreadable(error) if number == 0 => {
                    return Err(FormatError::NoBlock { file: name.to_owned(), source: Box::new(error) });
                }
                BlockItem::Unreadable(error) => {
                    note(&mut self.opened.health, name, &error);
                    continue;
                }
                BlockItem::Skipped { ofs, len } => {
                    let what = format!("{name}: {len} bytes skipped to the next block");
                    self.opened.health.note(FindingKind::Damaged, block_place(ofs), what);
                    continue;
                }
            };
            let ofs = block.ofs_in_file() as usize;
            let time = time_of(block.header()).unwrap_or_else(|| {
                let what = format!("{name}: the block has neither a PerfTime100nSec nor a valid SystemTime");
                self.opened.health.note(FindingKind::Odd, block_place(ofs), what);
                SampleTime::default()
            });
            if let Some(fault) = block.system_name_fault() {
                let what = format!("{name}: {}: the name of the machine is lost", fault.what());
                self.opened.health.note(FindingKind::Damaged, fault.place().cloned(), what);
            }
            let len = block.bytes().len();
            let host = self.host_of(&block);
            if copies.is_known(files, (time.utc, host), (file, ofs..ofs + len)) {
                continue;
            }
            let clock = PerfClock::of(block.header(), time.utc);
            found.push((time, BlockPlace { file, ofs, len, host, clock, epoch: 0, round: 0 }));
        }
        Ok(())
    }

    /// Finds the epochs of each machine's blocks, one file after the other in the order of time: only within a file, going back means that a clock
    /// was set.
    fn find_epochs(&mut self, files: &[(String, Arc<dyn Content>)], found: &mut [(SampleTime, BlockPlace)]) {
        let mut begins: HashMap<usize, Timestamp> = HashMap::new();
        for (time, place) in found.iter() {
            begins.entry(place.file).and_modify(|begin| *begin = time.utc.min(*begin)).or_insert(time.utc);
        }
        for host in 0..self.hosts.len() {
            let of_host = found.iter_mut().map(|(_, place)| place).filter(|place| place.host == host);
            let mut blocks: Vec<&mut BlockPlace> = of_host.collect();
            blocks.sort_by_key(|place| (begins[&place.file], place.file));
            let clocks: Vec<(usize, PerfClock)> =
                blocks.iter().map(|place| (place.file, place.clock)).collect();
            for (place, (epoch, why)) in blocks.iter_mut().zip(epochs(&clocks)) {
                place.epoch = epoch;
                if let Some(why) = why {
                    let what = format!("{}: {why}", files[place.file].0);
                    self.opened.health.note(FindingKind::Odd, block_place(place.ofs), what);
                }
            }
        }
    }

    fn host_of(&mut self, block: &DataBlock<'_>) -> usize {
        let name = block.system_name();
        let name = name.trim_start_matches('\\');
        if let Some(host) = self.hosts.iter().position(|host| host.to_lowercase() == name.to_lowercase()) {
            return host;
        }
        self.hosts.push(name.into());
        self.hosts.len() - 1
    }

    /// Reports objects that several blocks of one time have, and finds out which blocks have the same objects. Of two with the same clocks that
    /// contradict each other, one has an epoch of its own.
    fn compare_at_once(&mut self) {
        if (0..self.blocks.len()).all(|at| self.at_once(at).next().is_none()) {
            return;
        }
        let mut rounds: HashMap<Vec<u32>, u32> = HashMap::new();
        let (mut num_shared, mut first) = (0_usize, None);
        let mut contradictions: Vec<usize> = Vec::new();
        for at in 0..self.blocks.len() {
            let known = self.known_objects(at);
            let Some((file, block)) = self.block(self.blocks[at]) else { continue };
            let objects: Vec<Object<'_>> = block.objects().map_while(Result::ok).collect();
            if objects.iter().any(|object| known.contains(&key_of(object))) {
                num_shared += 1;
                first.get_or_insert_with(|| (file.to_owned(), block.ofs_in_file() as usize));
            }
            let is_other = |object: &Object<'_>| {
                let name = object.header().name_index;
                known.iter().any(|(known, bytes)| *known == name && *bytes != object.bytes())
            };
            if objects.iter().any(is_other) {
                contradictions.push(at);
            }
            let mut names: Vec<u32> = objects.iter().map(|object| object.header().name_index).collect();
            names.sort_unstable();
            let next = rounds.len() as u32;
            self.blocks[at].round = *rounds.entry(names).or_insert(next);
        }
        self.part_contradictions(&contradictions);
        let Some((file, ofs)) = first else { return };
        let samples =
            if num_shared == 1 { "1 sample has".to_owned() } else { format!("{num_shared} samples have") };
        let what = format!(
            "{file}: {samples} the time and some of the objects of another, with the same bytes: these objects are counted once"
        );
        self.opened.health.note(FindingKind::Odd, block_place(ofs), what);
    }

    fn part_contradictions(&mut self, samples: &[usize]) {
        let definitions = if samples.is_empty() { Definitions::new() } else { self.definitions() };
        let samples: BTreeSet<usize> =
            samples.iter().flat_map(|sample| self.parted_by(*sample, &definitions)).collect();
        let begin = self.blocks.iter().map(|block| block.epoch + 1).max().unwrap_or(0);
        for (at, epoch) in samples.into_iter().zip(begin..) {
            self.blocks[at].epoch = epoch;
            let (file, ofs) = (&self.files[self.blocks[at].file].0, self.blocks[at].ofs);
            let what = format!("{file}: the block has the time of another, and other values: both are kept");
            self.opened.health.note(FindingKind::Odd, block_place(ofs), what);
        }
    }

    /// Of a block and each one before it that contradicts it with the same clocks, the one that has to go.
    fn parted_by(&self, at: usize, definitions: &Definitions<'_>) -> Vec<usize> {
        let is_odd = self.has_unusual_definition(definitions, at);
        let clock = self.blocks[at].clock;
        let contradicting = self
            .at_once(at)
            .filter(|other| self.blocks[*other].clock == clock && self.contradict(*other, at));
        // Damage shows in a definition that most blocks don't have.
        let is_other_worse = |other: usize| !is_odd && self.has_unusual_definition(definitions, other);
        contradicting.map(|other| if is_other_worse(other) { other } else { at }).collect()
    }

    /// Whether two blocks have different bytes of an object.
    fn contradict(&self, one: usize, other: usize) -> bool {
        let known: HashMap<u32, &[u8]> =
            self.objects_of(self.blocks[one]).map(|object| key_of(&object)).collect();
        self.objects_of(self.blocks[other]).any(|object| {
            let (name, bytes) = key_of(&object);
            known.get(&name).is_some_and(|known| *known != bytes)
        })
    }

    fn definitions(&self) -> Definitions<'_> {
        let mut definitions = Definitions::new();
        for &place in &self.blocks {
            for object in self.objects_of(place) {
                let of_object = definitions.entry((place.host, object.header().name_index)).or_default();
                of_object.num_blocks += 1;
                *of_object.by_bytes.entry(object.definition_bytes()).or_default() += 1;
            }
        }
        definitions
    }

    /// Whether most blocks define one of its objects otherwise.
    fn has_unusual_definition(&self, definitions: &Definitions<'_>, at: usize) -> bool {
        let place = self.blocks[at];
        self.objects_of(place).any(|object| {
            let known = definitions.get(&(place.host, object.header().name_index));
            known.is_some_and(|known| {
                2 * known.by_bytes.get(object.definition_bytes()).copied().unwrap_or_default()
                    < known.num_blocks
            })
        })
    }

    /// The blocks before a block that are of the same time, machine and epoch.
    fn at_once(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let place = self.blocks[at];
        let before = (at.saturating_sub(MAX_AT_ONCE)..at).rev();
        let before = before.take_while(move |other| self.times()[*other].utc == self.times()[at].utc);
        before.filter(move |other| {
            let other = self.blocks[*other];
            (other.host, other.epoch) == (place.host, place.epoch)
        })
    }

    /// The objects of these blocks.
    fn known_objects(&self, at: usize) -> HashSet<ObjectKey<'_>> {
        let objects = self.at_once(at).flat_map(|other| self.objects_of(self.blocks[other]));
        objects.map(|object| key_of(&object)).collect()
    }

    fn objects_of(&self, place: BlockPlace) -> impl Iterator<Item = Object<'_>> {
        let block = self.block(place).map(|(_, block)| block);
        block.into_iter().flat_map(|block| block.objects().map_while(Result::ok))
    }

    /// A block that `open` accepted, with the name of its file.
    fn block(&self, place: BlockPlace) -> Option<(&str, DataBlock<'_>)> {
        let (name, content) = self.files.get(place.file)?;
        let bytes = content.bytes().get(place.ofs..place.ofs + place.len)?;
        Some((name, DataBlock::parse(bytes, place.ofs as u64).ok()?))
    }

    fn host(&self, host: usize) -> Arc<str> {
        self.hosts.get(host).cloned().unwrap_or_default()
    }
}

impl Source for DumpSource {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn with_names(&self, names: &NameTable) -> Option<Arc<dyn Source>> {
        let mut all = names.clone();
        all.merge(&self.names);
        Some(Arc::new(DumpSource { names: all, ..self.clone() }))
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.blocks.get(sample).map_or(0, |place| place.epoch)
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        self.blocks.get(sample).map_or_else(CountsSince::default, |place| place.clock.counts_since())
    }

    fn round(&self, sample: usize) -> u32 {
        self.blocks.get(sample).map_or(0, |place| place.round)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.blocks.get(sample).map_or(0, |place| place.len)
    }

    /// Every definition in any block, in order of first appearance.
    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        let mut seen = HashSet::new();
        let mut objects = Vec::new();
        for &place in &self.blocks {
            let Some((_, block)) = self.block(place) else { continue };
            for object in block.objects().map_while(Result::ok) {
                let key = (
                    place.host,
                    object.header().name_index,
                    object.is_instanced(),
                    block.header().order == recount_bytes::ByteOrder::Big,
                    object.definition_bytes(),
                );
                if seen.insert(key) {
                    objects.extend(
                        object_def(&object, &self.names).ok().map(|def| (self.host(place.host), def)),
                    );
                }
            }
        }
        objects
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoder = BlockDecoder::new(&self.names, selection, samples.len());
        for &sample in samples {
            let Some(&place) = self.blocks.get(sample as usize) else { continue };
            let Some(&time) = self.times().get(sample as usize) else { continue };
            let (Some((file, block)), Some(host)) = (self.block(place), self.hosts.get(place.host)) else {
                continue;
            };
            let known = self.known_objects(sample as usize);
            decoder.push_unless(
                |object| known.contains(&key_of(object)),
                file,
                (place.host, host),
                &block,
                time,
            );
            if let Some((_, content)) = self.files.get(place.file) {
                content.release(place.ofs..place.ofs + place.len);
            }
        }
        decoder.finish()
    }
}

/// What is equal in copies of an object: its name index and its bytes.
type ObjectKey<'b> = (u32, &'b [u8]);

/// Per machine and object, its definitions.
type Definitions<'b> = HashMap<(usize, u32), DefinitionsOfObject<'b>>;

/// How many blocks have an object, and how many have each of its definitions.
#[derive(Default)]
struct DefinitionsOfObject<'b> {
    num_blocks: usize,
    by_bytes: HashMap<&'b [u8], usize>,
}

fn key_of<'b>(object: &Object<'b>) -> ObjectKey<'b> {
    (object.header().name_index, object.bytes())
}

/// When a block was taken: `PerfTime100nSec` or, if that is zero, `SystemTime` as UTC.
fn time_of(header: &Header) -> Option<SampleTime> {
    let utc = match header.perf_time_100ns {
        0 => header.system_time.as_utc()?,
        ticks => Timestamp(ticks),
    };
    Some(SampleTime { utc, offset_min: 0 })
}

fn block_place(ofs: usize) -> recount_model::Place {
    recount_model::Place::structure(Header::NAME, ofs as u64)
}

fn note(health: &mut Health, file: &str, error: &FormatError) {
    health.note(error.kind(), error.place().cloned(), format!("{file}: {}", error.what()));
}
