//! The small payloads: header, facts, texts, records, events (`formats/rcap.md`).

use recount_model::{Event, EventKind, Facts, NameTable, Timestamp};

use crate::bytes::{Bytes, Short, write_text};
use crate::record::RecordKind;

/// Bytes of a record frame's payload before the record.
pub(crate) const LEN_RECORD_HEAD: usize = 24;

/// The file as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Identifies the capture; its first four bytes are the tag of its frames.
    pub(crate) capture_id: [u8; 16],
    pub(crate) created: Timestamp,
    /// Program and version.
    pub(crate) writer: String,
}

impl Header {
    pub(crate) fn tag(&self) -> u32 {
        let [a, b, c, d, ..] = self.capture_id;
        u32::from_le_bytes([a, b, c, d])
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = self.capture_id.to_vec();
        out.extend_from_slice(&self.created.0.to_le_bytes());
        write_text(&self.writer, &mut out);
        out
    }

    pub(crate) fn read(payload: &[u8]) -> Result<Header, Short> {
        let mut bytes = Bytes::new(payload);
        let mut capture_id = [0; 16];
        capture_id.copy_from_slice(bytes.take("capture_id", 16)?);
        let created = Timestamp(bytes.i64("time_created")?);
        Ok(Header { capture_id, created, writer: bytes.text("writer")?.to_owned() })
    }
}

pub(crate) fn write_facts(facts: &Facts) -> Vec<u8> {
    let mut out = (facts.len() as u32).to_le_bytes().to_vec();
    for (name, value) in facts {
        write_text(name, &mut out);
        write_text(value, &mut out);
    }
    out
}

pub(crate) fn read_facts(payload: &[u8]) -> Result<Facts, Short> {
    let mut bytes = Bytes::new(payload);
    let num = bytes.len("num_facts", payload.len() / 8)?;
    let mut facts = Facts::new();
    for _ in 0..num {
        let name = bytes.text("name")?.to_owned();
        facts.insert(name, bytes.text("value")?.to_owned());
    }
    Ok(facts)
}

pub(crate) fn write_texts<'a>(language: &str, texts: impl Iterator<Item = (u32, &'a str)>) -> Vec<u8> {
    let mut table = Vec::new();
    let mut num = 0_u32;
    for (index, text) in texts {
        table.extend_from_slice(&index.to_le_bytes());
        write_text(text, &mut table);
        num += 1;
    }
    let mut out = Vec::new();
    write_text(language, &mut out);
    out.extend_from_slice(&num.to_le_bytes());
    out.extend_from_slice(&(table.len() as u32).to_le_bytes());
    out.extend_from_slice(&crate::zip::pack(&table));
    out
}

pub(crate) fn read_texts(payload: &[u8]) -> Result<(String, NameTable), Short> {
    /// More than any system's names and help texts take.
    const MAX_LEN: usize = 64 << 20;
    let mut bytes = Bytes::new(payload);
    let language = bytes.text("language")?.to_owned();
    let num = bytes.u32("num_texts")?;
    let len_texts = bytes.len("len_texts", MAX_LEN)?;
    let ofs = bytes.ofs();
    let table = crate::zip::unpack(bytes.rest(), len_texts).ok_or_else(|| {
        let what = "doesn't decompress to the length stated".to_owned();
        Short { field: "texts", ofs, what }
    })?;
    let mut fields = Bytes::new(&table);
    let mut names = NameTable::new();
    for _ in 0..num {
        let index = fields.u32("index")?;
        names.insert(index, fields.text("text")?);
    }
    Ok((language, names))
}

/// The number of a record. It is limited so that adding to it can't overflow.
pub(crate) fn record_number(bytes: &mut Bytes<'_>, field: &'static str) -> Result<u64, Short> {
    match bytes.u64(field)? {
        number if i64::try_from(number).is_ok() => Ok(number),
        number => Err(bytes.bad(field, "less than 2^63", number)),
    }
}

/// The fields before a record in its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordHead {
    /// Number of the record in the capture, from 0.
    pub(crate) number: u64,
    pub(crate) time: Timestamp,
    pub(crate) kind: RecordKind,
}

impl RecordHead {
    pub(crate) fn write(&self) -> [u8; LEN_RECORD_HEAD] {
        let mut out = [0; LEN_RECORD_HEAD];
        out[..8].copy_from_slice(&self.number.to_le_bytes());
        out[8..16].copy_from_slice(&self.time.0.to_le_bytes());
        out[16..18].copy_from_slice(&self.kind.0.to_le_bytes());
        out
    }

    pub(crate) fn read(payload: &[u8]) -> Result<RecordHead, Short> {
        let mut bytes = Bytes::new(payload);
        let (number, time) = (record_number(&mut bytes, "number")?, Timestamp(bytes.i64("time")?));
        let kind = RecordKind(bytes.u16("kind")?);
        bytes.take("reserved", 6)?;
        Ok(RecordHead { number, time, kind })
    }
}

/// An event as a record's bytes; its time is the record's.
pub(crate) fn write_event(event: &Event) -> Vec<u8> {
    let mut out = (event.kind as u16).to_le_bytes().to_vec();
    out.extend_from_slice(&[0; 6]);
    out.extend_from_slice(&event.extent.to_le_bytes());
    out.extend_from_slice(&event.count.to_le_bytes());
    write_text(&event.text, &mut out);
    out
}

/// An event of a record taken at `time`; `None`: of a kind that this program doesn't know.
pub(crate) fn read_event(time: Timestamp, record: &[u8]) -> Result<Option<Event>, Short> {
    let mut bytes = Bytes::new(record);
    let kind = EventKind::from_number(bytes.u16("event_kind")?);
    bytes.take("reserved", 6)?;
    let (extent, count) = (bytes.i64("extent")?, bytes.u64("count")?);
    let text = bytes.text("text")?.to_owned();
    Ok(kind.map(|kind| Event { time, kind, extent, count, text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let header = Header { capture_id: [7; 16], created: Timestamp(5), writer: "recount 1".into() };
        assert_eq!(Header::read(&header.write()), Ok(header.clone()));
        assert_eq!(header.tag(), 0x0707_0707);
        let facts = Facts::from([("host".to_owned(), "wéb1".to_owned()), ("os".to_owned(), String::new())]);
        assert_eq!(read_facts(&write_facts(&facts)), Ok(facts));
        let names = NameTable::from_text("2\nSystem\n4\nMemory");
        assert_eq!(read_texts(&write_texts("009", names.iter())), Ok(("009".to_owned(), names)));
        let kind = EventKind::Missed;
        let event = Event { time: Timestamp(9), kind, extent: -5, count: 2, text: "busy".into() };
        assert_eq!(read_event(Timestamp(9), &write_event(&event)), Ok(Some(event)));
        let head = RecordHead { number: 3, time: Timestamp(-1), kind: RecordKind::BLOCK };
        assert_eq!(RecordHead::read(&head.write()), Ok(head));
        for len in 0..30 {
            assert!(Header::read(&header.write()[..len]).is_err());
        }
    }
}
