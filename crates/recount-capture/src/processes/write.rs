//! Writes what is known of processes.

use recount_bytes::ByteOrder;
use recount_bytes::fields::Writer;
use recount_model::{EndedProcess, ProcessDescription, ProcessNote};

use super::dictionary::Written;
use super::entries::{DescribedFields, EndedFields, NOT_KNOWN};
use crate::RecordKind;
use crate::bytes::write_text;

/// Makes records of notes; it remembers which texts the log has already.
#[derive(Debug, Default)]
pub(crate) struct NoteWriter {
    dictionary: Written,
    entries: Vec<u8>,
    record: Vec<u8>,
}

impl NoteWriter {
    /// The record of the notes of a kind, unless there are none. It has to be written before the next is made.
    pub(crate) fn record(&mut self, kind: RecordKind, notes: &[ProcessNote]) -> Option<&[u8]> {
        self.dictionary.begin();
        self.entries.clear();
        let mut num = 0_u32;
        for note in notes {
            let ofs_len = self.entries.len();
            match note {
                ProcessNote::Described(described) if kind == RecordKind::PROCESSES => {
                    self.entries.extend_from_slice(&[0; 4]);
                    self.described(described);
                }
                ProcessNote::Ended(ended) if kind == RecordKind::ENDED_PROCESSES => {
                    self.entries.extend_from_slice(&[0; 4]);
                    self.ended(ended);
                }
                _ => continue,
            }
            let len = (self.entries.len() - ofs_len - 4) as u32;
            self.entries[ofs_len..ofs_len + 4].copy_from_slice(&len.to_le_bytes());
            num += 1;
        }
        if num == 0 {
            return None;
        }
        self.record.clear();
        self.dictionary.head(&mut self.record);
        self.record.extend_from_slice(&num.to_le_bytes());
        self.record.extend_from_slice(&self.entries);
        Some(&self.record)
    }

    /// The last record could not be written, so its texts aren't known.
    pub(crate) fn note_failed(&mut self) {
        self.dictionary.start_over();
    }

    fn described(&mut self, described: &ProcessDescription) {
        let texts = &mut self.dictionary;
        let mut fields = DescribedFields {
            pid: described.pid,
            parent: described.parent,
            start: described.start,
            text_name: texts.number(Some(&described.name)),
            text_executable: texts.number(described.executable.as_ref()),
            user_id: described.user_id.unwrap_or(NOT_KNOWN),
            text_user: texts.number(described.user.as_ref()),
            text_cgroup: texts.number(described.cgroup.as_ref()),
            text_container_name: texts.number(described.container_name.as_ref()),
            session: described.session.unwrap_or(NOT_KNOWN),
            text_scheduling_class: texts.number(described.scheduling_class.as_ref()),
            flags: if described.is_command_cut { DescribedFields::IS_CUT } else { 0 },
            num_words: described.command.len() as u32,
        };
        let mut writer = Writer::new(ByteOrder::Little, &mut self.entries);
        let Ok(()) = fields.fields(&mut writer, &|_| String::new());
        for word in &described.command {
            write_text(word, &mut self.entries);
        }
    }

    fn ended(&mut self, ended: &EndedProcess) {
        let texts = &mut self.dictionary;
        let mut fields = EndedFields {
            pid: ended.pid,
            parent: ended.parent,
            start: ended.start,
            end: ended.end,
            text_name: texts.number(Some(&ended.name)),
            user_id: ended.user_id.unwrap_or(NOT_KNOWN),
            text_user: texts.number(ended.user.as_ref()),
            text_cgroup: texts.number(ended.cgroup.as_ref()),
            user_time: ended.user_time,
            privileged_time: ended.privileged_time,
            len_read: ended.len_read,
            len_written: ended.len_written,
            len_storage_read: ended.len_storage_read,
            len_storage_written: ended.len_storage_written,
            peak_memory: ended.peak_memory.unwrap_or(0),
            count: ended.count,
            exit_status: ended.exit_status.unwrap_or(NOT_KNOWN),
            reserved: 0,
        };
        let mut writer = Writer::new(ByteOrder::Little, &mut self.entries);
        let Ok(()) = fields.fields(&mut writer, &|_| String::new());
    }
}
