//! A small writer of archives, of both versions, with nothing shared with the reader.

/// The bytes of `.meta` and of the volumes.
#[derive(Clone, Debug, Default)]
pub struct ArchiveBytes {
    version: u32,
    start: u64,
    pub meta: Vec<u8>,
    pub volumes: Vec<Vec<u8>>,
}

/// A value set: metric, and instances with their values, or an error.
pub enum Set<'a> {
    Place(u32, &'a [(i32, u32)]),
    Block(u32, u8, &'a [(i32, Vec<u8>)]),
    Error(u32, i32),
}

pub const NO_DOMAIN: u32 = u32::MAX;
pub const COUNTER: u32 = 1;
pub const INSTANT: u32 = 3;

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

impl ArchiveBytes {
    pub fn new(version: u32, host: &str, zone: &str) -> ArchiveBytes {
        ArchiveBytes::starting_at(1_000_000_000, version, host, zone)
    }

    /// The labels say when it begins, in seconds since 1970.
    pub fn starting_at(start: u64, version: u32, host: &str, zone: &str) -> ArchiveBytes {
        let mut archive = ArchiveBytes { version, start, ..ArchiveBytes::default() };
        archive.meta = archive.label(-1, host, zone);
        archive.volumes.push(archive.label(0, host, zone));
        archive
    }

    fn label(&self, volume: i32, host: &str, zone: &str) -> Vec<u8> {
        let padded = |text: &str, len: usize| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.resize(len, 0);
            bytes
        };
        let mut payload = words(&[0x5005_2600 + self.version, 4711]);
        payload.extend(self.time(self.start, 0));
        payload.extend(words(&[volume as u32]));
        if self.version == 3 {
            payload.extend([words(&[0, 0]), padded(host, 256), padded(zone, 256), padded("", 256)].concat());
        } else {
            payload.extend([padded(host, 64), padded(zone, 40)].concat());
        }
        framed(&payload)
    }

    /// Seconds, and nanoseconds in them.
    fn time(&self, seconds: u64, nanos: u32) -> Vec<u8> {
        if self.version == 3 {
            words(&[seconds as u32, (seconds >> 32) as u32, nanos])
        } else {
            words(&[seconds as u32, nanos / 1_000])
        }
    }

    pub fn metric(
        &mut self,
        pmid: u32,
        name: &str,
        value_type: u32,
        domain: u32,
        semantics: u32,
        units: u32,
    ) {
        let mut payload = words(&[1, pmid, value_type, domain, semantics, units, 1, name.len() as u32]);
        payload.extend(name.as_bytes());
        self.meta.extend(framed(&payload));
    }

    /// A full record of an instance domain.
    pub fn domain(&mut self, seconds: u64, domain: u32, instances: &[(i32, &str)]) {
        let kind = if self.version == 3 { 5 } else { 2 };
        let instances: Vec<_> = instances.iter().map(|(number, name)| (*number, Some(*name))).collect();
        self.domain_record(kind, seconds, domain, &instances);
    }

    /// What changes in an instance domain; without a name: it goes.
    pub fn delta(&mut self, seconds: u64, domain: u32, instances: &[(i32, Option<&str>)]) {
        self.domain_record(6, seconds, domain, instances);
    }

    fn domain_record(&mut self, kind: u32, seconds: u64, domain: u32, instances: &[(i32, Option<&str>)]) {
        let mut payload = words(&[kind]);
        payload.extend(self.time(seconds, 0));
        payload.extend(words(&[domain, instances.len() as u32]));
        payload.extend(instances.iter().flat_map(|(number, _)| number.to_be_bytes()));
        let (mut offsets, mut texts) = (Vec::new(), Vec::new());
        for (_, name) in instances {
            offsets.push(name.map_or(u32::MAX, |_| texts.len() as u32));
            texts.extend(name.iter().flat_map(|name| [name.as_bytes(), &[0]].concat()));
        }
        payload.extend(words(&offsets));
        payload.extend(texts);
        self.meta.extend(framed(&payload));
    }

    /// Labels of instances, or an error code in place of them.
    pub fn labels(&mut self, seconds: u64, domain: u32, sets: &[(i32, Result<&str, i32>)]) {
        const INSTANCES: u32 = 0x20;
        let mut payload = words(&[if self.version == 3 { 7 } else { 3 }]);
        payload.extend(self.time(seconds, 0));
        payload.extend(words(&[INSTANCES, domain, sets.len() as u32]));
        for (instance, labels) in sets {
            let json = labels.unwrap_or_default();
            payload.extend(words(&[*instance as u32, json.len() as u32]));
            payload.extend(json.as_bytes());
            match labels {
                Ok(_) => payload.extend(words(&[1, 0, 0])),
                Err(code) => payload.extend(words(&[*code as u32])),
            }
        }
        self.meta.extend(framed(&payload));
    }

    /// Begins another volume.
    pub fn volume(&mut self) {
        let label = self.volumes[0][..if self.version == 3 { 808 } else { 132 }].to_vec();
        self.volumes.push(label);
    }

    /// A record; without sets: a mark.
    pub fn record(&mut self, seconds: u64, nanos: u32, sets: &[Set<'_>]) {
        let mut head = self.time(seconds, nanos);
        head.extend(words(&[sets.len() as u32]));
        let len_sets: usize = sets
            .iter()
            .map(|set| match set {
                Set::Place(_, cells) => 12 + 8 * cells.len(),
                Set::Block(_, _, cells) => 12 + 8 * cells.len(),
                Set::Error(..) => 8,
            })
            .sum();
        let mut at = 4 + head.len() + len_sets;
        let mut blocks = Vec::new();
        for set in sets {
            match set {
                Set::Place(pmid, cells) => {
                    head.extend(words(&[*pmid, cells.len() as u32, 0]));
                    head.extend(cells.iter().flat_map(|(number, value)| words(&[*number as u32, *value])));
                }
                Set::Block(pmid, value_type, cells) => {
                    head.extend(words(&[*pmid, cells.len() as u32, 1]));
                    for (number, value) in *cells {
                        head.extend(words(&[*number as u32, ((at + 8) / 4) as u32]));
                        let len = 4 + value.len();
                        let mut block = words(&[u32::from(*value_type) << 24 | len as u32]);
                        block.extend(value);
                        block.resize(block.len().next_multiple_of(4), b'~');
                        at += block.len();
                        blocks.extend(block);
                    }
                }
                Set::Error(pmid, code) => head.extend(words(&[*pmid, *code as u32])),
            }
        }
        head.extend(blocks);
        let record = framed(&head);
        self.volumes.last_mut().expect("a volume").extend(record);
    }
}

fn framed(payload: &[u8]) -> Vec<u8> {
    let len = (payload.len() as u32 + 8).to_be_bytes();
    [&len, payload, &len].concat()
}
