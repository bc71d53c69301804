//! The small payloads: header, facts, texts, records, events.

use std::fmt;

use recount_bytes::fields::{Fields, Lines};

use super::cursor::show;
use super::processes::processes;
use crate::RecordKind;
use crate::payload::{self, EventHead, Header, LEN_RECORD_HEAD, RecordHead};

pub(super) fn header(payload: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    show("header", payload, lines, |fields| {
        Header::default().fields(fields)?;
        fields.text("writer")
    })
}

pub(super) fn facts(payload: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    show("facts", payload, lines, |fields| {
        let mut num = 0_u32;
        fields.field("num_facts", &mut num)?;
        for _ in 0..num {
            let (name, value) = (fields.bytes.text("name")?, fields.bytes.text("value")?);
            fields.lines.value(
                name.escape_debug(),
                8 + name.len() + value.len(),
                format_args!("{value:?}"),
            )?;
        }
        Ok(())
    })
}

pub(super) fn texts(payload: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    show("texts", payload, lines, |fields| {
        fields.text("language")?;
        fields.field("num_texts", &mut 0_u32)?;
        fields.field("len_texts", &mut 0_u32)?;
        fields.lines.compressed(|lines| {
            lines.value("texts_compressed", 0, format_args!("{} bytes", fields.bytes.len_left()))?;
            let (_, texts) = payload::read_texts(payload)?;
            Ok(texts.iter().try_for_each(|(index, text)| lines.value(index, 0, format_args!("{text:?}")))?)
        })
    })
}

/// The kind of a record, as far as it can be read.
pub(super) fn record_kind(payload: &[u8]) -> RecordKind {
    RecordHead::read(payload).map_or(RecordKind(0), |head| head.kind)
}

pub(super) fn record(payload: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    show("record", payload, lines, |fields| {
        let mut head = RecordHead::default();
        head.fields(fields)?;
        let record = payload.get(LEN_RECORD_HEAD..).unwrap_or_default();
        Ok(fields.lines.nested(|lines| content(head.kind, record, lines))?)
    })
}

/// Whether the log itself knows what is in records of this kind.
pub(super) fn is_shown(kind: RecordKind) -> bool {
    kind == RecordKind::EVENT || kind.is_about_processes()
}

/// A record's bytes, if the log itself knows what they mean.
pub(super) fn content(kind: RecordKind, record: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    if kind.is_about_processes() {
        return show(
            if kind == RecordKind::PROCESSES { "processes" } else { "processes that ended" },
            record,
            lines,
            |fields| processes(kind, fields),
        );
    }
    if !is_shown(kind) {
        return lines.value("record", record.len(), format_args!("{} bytes", record.len()));
    }
    show("event", record, lines, |fields| {
        EventHead::default().fields(fields)?;
        fields.text("text")
    })
}
