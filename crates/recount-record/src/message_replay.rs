//! Replays recorded MS-PCQ sessions as if they were live answers.

use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{Content, Facts};
use recount_pcq::{Message, SessionSource, messages};

use crate::{LiveSource, SampleForm, TakeError, Taken};

/// Streams of messages (`formats/ms-pcq.md#streams`) as a source: every answer of `PerflibV2QueryCounterData`
/// is a sample, and the messages between them come before the next sample, byte for byte.
pub struct MessageReplay {
    files: Vec<(String, Arc<dyn Content>)>,
    /// File and position of the next message.
    next: (usize, usize),
    /// Messages since the last call.
    between: Vec<Vec<u8>>,
    sample: Vec<u8>,
}

impl MessageReplay {
    /// Opens streams given as name and bytes. A file that isn't a stream ([`SessionSource::recognise`]) is an
    /// error. Damage makes one sample fail; replay continues at the next valid message.
    pub fn open(files: Vec<(String, Arc<dyn Content>)>) -> Result<MessageReplay, FormatError> {
        for (name, content) in &files {
            if !SessionSource::recognise(content.bytes())
                && let Err(source) = Message::parse(content.bytes(), 0)
            {
                return Err(FormatError::NoBlock { file: name.clone(), source: Box::new(source) });
            }
        }
        Ok(MessageReplay { files, next: (0, 0), between: Vec::new(), sample: Vec::new() })
    }
}

impl LiveSource for MessageReplay {
    fn facts(&mut self) -> Facts {
        let names: Vec<&str> = self.files.iter().map(|(name, _)| name.as_str()).collect();
        Facts::from([("source".to_owned(), format!("replay of {}", names.join(", ")))])
    }

    fn texts(&mut self) -> Vec<(String, recount_model::NameTable)> {
        Vec::new()
    }

    fn form(&self) -> SampleForm {
        SampleForm::Message
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        self.sample.clear();
        while let Some((_, content)) = self.files.get(self.next.0) {
            let bytes = content.bytes();
            let Some(item) = messages(bytes, self.next.1).next() else {
                self.next = (self.next.0 + 1, 0);
                continue;
            };
            let start = self.next.1;
            self.next.1 = item.end;
            let message = item.message.inspect_err(|_| content.release(start..item.end))?;
            let message_bytes = bytes.get(item.ofs..item.ofs + message.len()).unwrap_or_default();
            let sample = message.is_sample().then(|| message.time_of_sample());
            if sample.is_some() {
                self.sample.extend_from_slice(message_bytes);
            } else {
                self.between.push(message_bytes.to_vec());
            }
            // Not earlier: pages that are touched again would be loaded again.
            content.release(start..item.end);
            if let Some(time) = sample {
                return Ok(Some(Taken { time, ..Taken::default() }));
            }
        }
        Ok(None)
    }

    fn sample(&self) -> &[u8] {
        &self.sample
    }

    fn messages(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.between)
    }
}
