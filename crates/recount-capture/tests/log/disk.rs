//! A disk that records its operations, and what a crash may leave of them.

use std::io;
use std::sync::{Arc, Mutex};

use recount_capture::{ReadAt, Storage};

use crate::series::Random;

/// The unit that disks write completely or not at all.
const LEN_SECTOR: usize = 512;

/// An operation on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Write { ofs: usize, bytes: Vec<u8> },
    SetLen(usize),
    Sync,
}

/// The outcome of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// It fails; of a write, this much was done.
    Fails {
        len: usize,
    },
    /// It fails with this error of the system, and nothing was done.
    Broken {
        code: i32,
    },
}

/// Decides on the operations, by their number.
type Judge = Box<dyn FnMut(usize, &Operation) -> Outcome + Send>;

/// A disk, shared between a writer and its observer.
#[derive(Clone, Default)]
pub(crate) struct Disk {
    content: Arc<Mutex<Content>>,
}

#[derive(Default)]
struct Content {
    bytes: Vec<u8>,
    operations: Vec<Operation>,
    judge: Option<Judge>,
}

impl Disk {
    pub(crate) fn new(judge: impl FnMut(usize, &Operation) -> Outcome + Send + 'static) -> Disk {
        let disk = Disk::default();
        disk.content.lock().expect("lock").judge = Some(Box::new(judge));
        disk
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.content.lock().expect("lock").bytes.clone()
    }

    pub(crate) fn operations(&self) -> Vec<Operation> {
        self.content.lock().expect("lock").operations.clone()
    }

    pub(crate) fn num_operations(&self) -> usize {
        self.content.lock().expect("lock").operations.len()
    }

    fn carry_out(&self, operation: Operation) -> io::Result<()> {
        let mut content = self.content.lock().expect("lock");
        let number = content.operations.len();
        let outcome = content.judge.as_mut().map_or(Outcome::Done, |judge| judge(number, &operation));
        match (&outcome, &operation) {
            (Outcome::Done, _) => apply(&mut content.bytes, &operation),
            (Outcome::Fails { len }, Operation::Write { ofs, bytes }) => {
                let part = bytes[..(*len).min(bytes.len())].to_vec();
                apply(&mut content.bytes, &Operation::Write { ofs: *ofs, bytes: part });
            }
            (Outcome::Fails { .. } | Outcome::Broken { .. }, _) => {}
        }
        content.operations.push(operation);
        match outcome {
            Outcome::Done => Ok(()),
            Outcome::Fails { .. } => Err(io::ErrorKind::StorageFull.into()),
            Outcome::Broken { code } => Err(io::Error::from_raw_os_error(code)),
        }
    }
}

impl Storage for Disk {
    fn write_at(&mut self, ofs: u64, bytes: &[u8]) -> io::Result<()> {
        self.carry_out(Operation::Write { ofs: ofs as usize, bytes: bytes.to_vec() })
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.carry_out(Operation::SetLen(len as usize))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.carry_out(Operation::Sync)
    }
}

impl ReadAt for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.content.lock().expect("lock").bytes.len() as u64)
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        self.content.lock().expect("lock").bytes.read_at(ofs, out)
    }
}

fn apply(file: &mut Vec<u8>, operation: &Operation) {
    match operation {
        // A write of nothing doesn't make a file longer.
        Operation::Write { bytes, .. } if bytes.is_empty() => {}
        Operation::Write { ofs, bytes } => {
            file.resize(file.len().max(ofs + bytes.len()), 0);
            file[*ofs..ofs + bytes.len()].copy_from_slice(bytes);
        }
        Operation::SetLen(len) => file.resize(*len, 0),
        Operation::Sync => {}
    }
}

/// The file after all of these.
pub(crate) fn after(operations: &[Operation]) -> Vec<u8> {
    let mut file = Vec::new();
    for operation in operations {
        apply(&mut file, operation);
    }
    file
}

/// The file when a process is killed during the last of these: all before it are complete, and a part of it
/// is done.
pub(crate) fn killed_amid(operations: &[Operation], random: &mut Random) -> Vec<u8> {
    let Some((last, before)) = operations.split_last() else { return Vec::new() };
    let mut file = after(before);
    if let Operation::Write { ofs, bytes } = last {
        let bytes = bytes[..random.below(bytes.len() + 1)].to_vec();
        apply(&mut file, &Operation::Write { ofs: *ofs, bytes });
    }
    file
}

/// The number of operations up to and including the last sync.
pub(crate) fn num_durable(operations: &[Operation]) -> usize {
    operations.iter().rposition(|operation| *operation == Operation::Sync).map_or(0, |last| last + 1)
}

/// What a power cut may leave: everything up to the last sync, and any of the rest, sector by sector, in any order.
pub(crate) fn power_cut(operations: &[Operation], random: &mut Random) -> Vec<u8> {
    let (durable, pending) = operations.split_at(num_durable(operations));
    let mut file = after(durable);
    let len_durable = file.len();
    // The probability that an operation was done: some disks delay much, some little.
    let likely = [2, 5, 8, 10][random.below(4)];
    let chance = |random: &mut Random| random.below(10) < likely;
    // Mostly the first were written and the last weren't.
    let num = if random.below(2) == 0 { pending.len() } else { random.below(pending.len() + 1) };
    for operation in &pending[..num] {
        match operation {
            Operation::Write { ofs, bytes } if chance(random) => {
                apply(&mut file, &Operation::Write { ofs: *ofs, bytes: bytes.clone() });
            }
            Operation::Write { ofs, bytes } => {
                let mut start = 0;
                while start < bytes.len() {
                    // Sectors count from the start of the file.
                    let end = (start + LEN_SECTOR - (ofs + start) % LEN_SECTOR).min(bytes.len());
                    if chance(random) {
                        let bytes = bytes[start..end].to_vec();
                        apply(&mut file, &Operation::Write { ofs: ofs + start, bytes });
                    }
                    start = end;
                }
            }
            Operation::SetLen(_) if !chance(random) => {}
            other => apply(&mut file, other),
        }
    }
    match random.below(4) {
        // The length is stored separately from the bytes: it may be the old one, or include bytes that were
        // not written.
        0 => file.truncate(len_durable),
        1 => file.resize(file.len().max(after(operations).len()), 0),
        _ => {}
    }
    file
}
