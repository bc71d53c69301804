//! The small payloads: header, facts, texts, records, events (`formats/rcap.md`).

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Hex, Writer};
use recount_model::{Event, EventKind, Facts, NameTable, Timestamp};

use crate::bytes::{Bytes, Short, write_text};
use crate::record::RecordKind;

/// Bytes of a record frame's payload before the record.
pub(crate) const LEN_RECORD_HEAD: usize = 24;

/// The file as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

    /// The fields before `writer`, in the order of the structure.
    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.shown("capture_id", &mut self.capture_id, |id| Hex(&id).to_string())?;
        f.time("time_created", &mut self.created)
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let Ok(()) = self.clone().fields(&mut Writer::new(ByteOrder::Little, &mut out));
        write_text(&self.writer, &mut out);
        out
    }

    pub(crate) fn read(payload: &[u8]) -> Result<Header, Short> {
        let (mut bytes, mut header) = (Bytes::new(payload), Header::default());
        header.fields(&mut bytes)?;
        Ok(Header { writer: bytes.text("writer")?.to_owned(), ..header })
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

/// Checks the number of a record, with which its structure begins. It is limited so that adding to it can't overflow.
pub(crate) fn check_number(number: u64, field: &'static str) -> Result<(), Short> {
    if i64::try_from(number).is_ok() {
        return Ok(());
    }
    Err(Short { field, ofs: 0, what: format!("expected less than 2^63, found {number}") })
}

/// The fields before a record in its frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordHead {
    /// Number of the record in the capture, from 0.
    pub(crate) number: u64,
    pub(crate) time: Timestamp,
    pub(crate) kind: RecordKind,
}

impl RecordHead {
    /// The fields in the order of the structure.
    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("number", &mut self.number)?;
        f.time("time", &mut self.time)?;
        f.shown("kind", &mut self.kind.0, |kind| RecordKind(kind).shown())?;
        f.hidden("reserved", &mut [0_u8; 6])
    }

    pub(crate) fn write(mut self) -> Vec<u8> {
        let mut out = Vec::with_capacity(LEN_RECORD_HEAD);
        let Ok(()) = self.fields(&mut Writer::new(ByteOrder::Little, &mut out));
        out
    }

    pub(crate) fn read(payload: &[u8]) -> Result<RecordHead, Short> {
        let mut head = RecordHead::default();
        head.fields(&mut Bytes::new(payload))?;
        check_number(head.number, "number")?;
        Ok(head)
    }
}

/// What an event's record has before its text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventHead {
    kind: u16,
    extent: i64,
    count: u64,
}

impl EventHead {
    /// The fields in the order of the structure.
    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.shown("event_kind", &mut self.kind, |kind| {
            let name = EventKind::from_number(kind).map_or("unknown", EventKind::as_str);
            format!("{kind} ({name})")
        })?;
        f.hidden("reserved", &mut [0_u8; 6])?;
        f.field("extent", &mut self.extent)?;
        f.field("count", &mut self.count)
    }
}

/// An event as a record's bytes; its time is the record's.
pub(crate) fn write_event(event: &Event) -> Vec<u8> {
    let mut out = Vec::new();
    let mut head = EventHead { kind: event.kind as u16, extent: event.extent, count: event.count };
    let Ok(()) = head.fields(&mut Writer::new(ByteOrder::Little, &mut out));
    write_text(&event.text, &mut out);
    out
}

/// An event of a record taken at `time`; `None`: of a kind that this program doesn't know.
pub(crate) fn read_event(time: Timestamp, record: &[u8]) -> Result<Option<Event>, Short> {
    let (mut bytes, mut head) = (Bytes::new(record), EventHead::default());
    head.fields(&mut bytes)?;
    let text = bytes.text("text")?.to_owned();
    let EventHead { kind, extent, count } = head;
    Ok(EventKind::from_number(kind).map(|kind| Event { time, kind, extent, count, text }))
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
