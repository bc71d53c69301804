//! A part of a ledger as bytes (`formats/ledger.md#the-file`).

use std::sync::Arc;

use recount_model::{SampleTime, Timestamp};

use super::digest::{Atom, Digest, Sample};
use super::totals::{Total, Totals};
use super::unit::Unit;
use super::{IN_TABLE, Part};
use crate::Hint;

const SIGNATURE: &[u8; 16] = b"recount-ledger 3";
/// Without the flag of corrections.
const SIGNATURE_2: &[u8; 16] = b"recount-ledger 2";
/// Also without `plain` and totals.
const SIGNATURE_1: &[u8; 16] = b"recount-ledger 1";
/// Bytes of a sample without its objects, and of one of these, at least.
const LEN_SAMPLE: usize = 14;
const LEN_ATOM: usize = 37;
/// Bytes of a sample's totals without these, and of one of them.
const LEN_TOTALS: usize = 12;
const LEN_TOTAL: usize = 24;
/// Flags of a digest.
const LOCAL: u8 = 1;
const CORRECTED: u8 = 2;
/// In place of decimals: all digits.
const ALL_DIGITS: u8 = 255;

/// Why bytes aren't a part of a ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// They begin otherwise.
    #[error("not a ledger of this version: expected \"recount-ledger 3\" (or 1, 2) at 0x0")]
    Signature,
    /// They end too early, or something is in the wrong place.
    #[error("the ledger is damaged at {ofs:#x}, {structure}: expected {expected}")]
    Damaged {
        /// Offset.
        ofs: usize,
        /// What is there.
        structure: &'static str,
        /// What should be there.
        expected: &'static str,
    },
}

impl Hint for LedgerError {
    fn hint(&self) -> Option<&'static str> {
        Some("ingest into another folder, or restore the table's folder _recount")
    }
}

pub(super) fn write(part: &Part) -> Vec<u8> {
    let mut bytes = SIGNATURE.to_vec();
    let Part { id, base, digest, .. } = part;
    let zone = digest.zone.as_deref().unwrap_or_default();
    for text in [id, base, zone] {
        put_text(&mut bytes, text);
    }
    bytes.push((u8::from(digest.is_local) * LOCAL) | (u8::from(digest.is_corrected) * CORRECTED));
    put_units(&mut bytes, &digest.units);
    put_u32(&mut bytes, digest.samples.len());
    for sample in &digest.samples {
        bytes.extend(sample.time.utc.0.to_le_bytes());
        bytes.extend(sample.time.offset_min.to_le_bytes());
        put_u32(&mut bytes, sample.atoms.len());
        for atom in &sample.atoms {
            bytes.extend(atom.unit.to_le_bytes());
            bytes.extend(atom.count.to_le_bytes());
            bytes.extend(atom.before.to_le_bytes());
            bytes.extend(atom.step.to_le_bytes());
            bytes.extend(atom.shape.to_le_bytes());
            bytes.extend(atom.hash.to_le_bytes());
            bytes.extend(atom.plain.to_le_bytes());
            bytes.push(u8::from(atom.is_damaged));
        }
    }
    put_totals(&mut bytes, &digest.totals);
    bytes
}

fn put_totals(bytes: &mut Vec<u8>, totals: &Totals) {
    bytes.push(totals.decimals.unwrap_or(ALL_DIGITS));
    put_units(bytes, &totals.units);
    put_u32(bytes, totals.samples.len());
    for (time, totals) in &totals.samples {
        bytes.extend(time.0.to_le_bytes());
        put_u32(bytes, totals.len());
        for total in totals {
            bytes.extend(total.unit.to_le_bytes());
            bytes.extend(total.count.to_le_bytes());
            bytes.extend(total.step.to_le_bytes());
            bytes.extend(total.sum.to_le_bytes());
        }
    }
}

fn put_units(bytes: &mut Vec<u8>, units: &[Unit]) {
    put_u32(bytes, units.len());
    for Unit { host, object, counter } in units {
        for text in [host, object, counter.as_ref().unwrap_or(&Arc::default())] {
            put_text(bytes, text);
        }
    }
}

fn put_u32(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_u32(bytes, text.len());
    bytes.extend(text.as_bytes());
}

/// Reads a part; its recording is left to the caller.
pub(super) fn read(bytes: &[u8]) -> Result<Part, LedgerError> {
    let versions = [(SIGNATURE_1, 1), (SIGNATURE_2, 2), (SIGNATURE, 3)];
    let of_version = |(signature, version): (&[u8; 16], u8)| Some((bytes.strip_prefix(signature)?, version));
    let (rest, version) = versions.into_iter().find_map(of_version).ok_or(LedgerError::Signature)?;
    let mut reader = Reader { rest, ofs: SIGNATURE.len(), version };
    let (id, base) = (reader.text("id")?.to_owned(), reader.text("id of the capture")?.to_owned());
    let zone = Some(reader.text("zone")?).filter(|zone| !zone.is_empty()).map(str::to_owned);
    let [flags] = reader.array("flags")?;
    if flags & !(LOCAL | CORRECTED) != 0 || (version < 3 && flags & CORRECTED != 0) {
        return Err(reader.damaged("flags", "0 to 3; up to version 2, 0 or 1"));
    }
    let [is_local, is_corrected] = [LOCAL, CORRECTED].map(|flag| flags & flag != 0);
    let units = reader.units()?;
    let num = reader.count("samples", LEN_SAMPLE)?;
    let mut samples: Vec<Sample> = Vec::with_capacity(num);
    for _ in 0..num {
        let sample = reader.sample(units.len())?;
        if samples.last().is_some_and(|last| last.time.utc >= sample.time.utc) {
            return Err(reader.damaged("sample", "a later time than before"));
        }
        samples.push(sample);
    }
    let totals = if version == 1 { Totals::default() } else { reader.totals()? };
    if !reader.rest.is_empty() {
        return Err(reader.damaged("end", "no more bytes"));
    }
    let owners = samples.iter().map(|sample| vec![IN_TABLE; sample.atoms.len()]).collect();
    let digest = Digest { units, samples, is_local, is_corrected, zone, totals };
    Ok(Part { recording: id.clone(), id, base, digest, owners, is_changed: false })
}

struct Reader<'a> {
    rest: &'a [u8],
    ofs: usize,
    version: u8,
}

impl<'a> Reader<'a> {
    fn damaged(&self, structure: &'static str, expected: &'static str) -> LedgerError {
        LedgerError::Damaged { ofs: self.ofs, structure, expected }
    }

    fn take(&mut self, len: usize, structure: &'static str) -> Result<&'a [u8], LedgerError> {
        let Some((taken, rest)) = self.rest.split_at_checked(len) else {
            return Err(self.damaged(structure, "more bytes"));
        };
        (self.rest, self.ofs) = (rest, self.ofs + len);
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, structure: &'static str) -> Result<[u8; N], LedgerError> {
        let taken = self.take(N, structure)?;
        taken.try_into().map_err(|_| self.damaged(structure, "more bytes"))
    }

    fn u32(&mut self, structure: &'static str) -> Result<u32, LedgerError> {
        self.array(structure).map(u32::from_le_bytes)
    }

    fn flag(&mut self, structure: &'static str) -> Result<bool, LedgerError> {
        let [byte] = self.array(structure)?;
        if byte > 1 { Err(self.damaged(structure, "0 or 1")) } else { Ok(byte == 1) }
    }

    /// A number of things of at least a length, which have to be there.
    fn count(&mut self, structure: &'static str, len: usize) -> Result<usize, LedgerError> {
        let num = self.u32(structure)? as usize;
        if num > self.rest.len() / len { Err(self.damaged(structure, "more bytes")) } else { Ok(num) }
    }

    fn text(&mut self, structure: &'static str) -> Result<&'a str, LedgerError> {
        let len = self.u32(structure)? as usize;
        let bytes = self.take(len, structure)?;
        std::str::from_utf8(bytes).map_err(|_| self.damaged(structure, "UTF-8"))
    }

    fn units(&mut self) -> Result<Vec<Unit>, LedgerError> {
        let num = self.count("objects", 12)?;
        let mut units: Vec<Unit> = Vec::with_capacity(num);
        for _ in 0..num {
            let (host, object) = (self.text("host")?.into(), self.text("object")?.into());
            let counter = Some(self.text("counter")?).filter(|counter| !counter.is_empty()).map(Arc::from);
            units.push(Unit { host, object, counter });
        }
        Ok(units)
    }

    fn totals(&mut self) -> Result<Totals, LedgerError> {
        let [decimals] = self.array("decimals")?;
        let decimals = (decimals != ALL_DIGITS).then_some(decimals);
        let units = self.units()?;
        let num = self.count("totals", LEN_TOTALS)?;
        let mut samples: Vec<(Timestamp, Vec<Total>)> = Vec::with_capacity(num);
        for _ in 0..num {
            let time = Timestamp(i64::from_le_bytes(self.array("time of totals")?));
            if samples.last().is_some_and(|(last, _)| *last >= time) {
                return Err(self.damaged("time of totals", "a later time than before"));
            }
            let num = self.count("totals of a sample", LEN_TOTAL)?;
            let mut totals = Vec::with_capacity(num);
            for _ in 0..num {
                let total = Total {
                    unit: self.u32("counter of a total")?,
                    count: self.u32("number of values of a total")?,
                    step: i64::from_le_bytes(self.array("step of a total")?),
                    sum: f64::from_le_bytes(self.array("sum")?),
                };
                if total.unit as usize >= units.len() {
                    return Err(self.damaged("counter of a total", "the number of a counter"));
                }
                totals.push(total);
            }
            samples.push((time, totals));
        }
        Ok(Totals::loaded(units, samples, decimals))
    }

    fn sample(&mut self, num_units: usize) -> Result<Sample, LedgerError> {
        let utc = Timestamp(i64::from_le_bytes(self.array("time")?));
        let offset_min = i16::from_le_bytes(self.array("offset")?);
        let num = self.count("objects of a sample", LEN_ATOM)?;
        let mut atoms: Vec<Atom> = Vec::with_capacity(num);
        for _ in 0..num {
            let atom = Atom {
                unit: self.u32("object")?,
                count: self.u32("number of values")?,
                before: self.u32("number of values before")?,
                step: i64::from_le_bytes(self.array("step")?),
                shape: u64::from_le_bytes(self.array("shape")?),
                hash: u64::from_le_bytes(self.array("hash")?),
                plain: if self.version == 1 {
                    0
                } else {
                    u64::from_le_bytes(self.array("hash without names")?)
                },
                is_damaged: self.flag("whether it is damaged")?,
            };
            let is_next = atoms.last().is_none_or(|last| last.unit < atom.unit);
            if atom.unit as usize >= num_units || !is_next {
                return Err(self.damaged("object", "the number of an object, ascending"));
            }
            atoms.push(atom);
        }
        Ok(Sample { time: SampleTime { utc, offset_min }, atoms })
    }
}
