//! A stream of messages as a source of samples.

use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{
    CaptureInfo, Content, Decoded, FindingKind, ObjectDef, Opened, Place, SampleTime, Selection, Source,
    Timestamp, stray_times,
};

use super::decoder::MessageDecoder;
use super::history::Session;
use crate::{Message, QueryData, ReturnCode, StreamItem, messages, opnum};

/// The origin of messages in findings.
const ORIGIN: &str = "MS-PCQ session";

/// A stream of messages (`.pcq`, formats/ms-pcq.md#streams): one machine's answers, as received.
pub struct SessionSource {
    content: Arc<dyn Content>,
    session: Session,
    host: Arc<str>,
    /// In time order.
    samples: Vec<SamplePlace>,
    opened: Opened,
}

/// Where a sample is.
#[derive(Clone, Copy)]
struct SamplePlace {
    number: u64,
    ofs: usize,
    end: usize,
    epoch: u32,
}

impl SessionSource {
    /// Whether a file begins with a message, or has one later, after a damaged start.
    pub fn recognise(bytes: &[u8]) -> bool {
        // More than an unreadable chunk of a packed stream.
        const LEN_LOOKED_AT: usize = 32 << 20;
        if Message::recognise(bytes) {
            return true;
        }
        let starts = (0..bytes.len().min(LEN_LOOKED_AT)).step_by(Message::ALIGNMENT);
        let mut rests = starts.filter_map(|start| bytes.get(start..)).filter(|rest| Message::recognise(rest));
        rests.any(|rest| {
            Message::parse(rest, 0).is_ok_and(|message| message.header.opnum <= opnum::VALIDATE_COUNTERS)
        })
    }

    /// Reads all messages except the samples, and finds the samples. The messages don't name the machine.
    ///
    /// Unreadable data is reported, and reading continues at the next signature at a multiple of 8 bytes.
    /// Fails, with the fault of the first bytes, if there is no valid message at all.
    pub fn open(content: Arc<dyn Content>) -> Result<SessionSource, FormatError> {
        SessionSource::open_as(content, "".into())
    }

    /// Like [`SessionSource::open`], for a stream from a known machine, given without leading backslashes.
    pub fn open_as(content: Arc<dyn Content>, host: Arc<str>) -> Result<SessionSource, FormatError> {
        let info = CaptureInfo {
            format: "MS-PCQ session (.pcq)".into(),
            hosts: if host.is_empty() { Vec::new() } else { vec![Arc::clone(&host)] },
            ..CaptureInfo::default()
        };
        let mut source = SessionSource {
            content: Arc::new(Vec::new()),
            session: Session::default(),
            samples: Vec::new(),
            opened: Opened { info, ..Opened::default() },
            host,
        };
        source.read(content.bytes())?;
        source.opened.info.has_aggregates = source.session.has_aggregates();
        source.content = content;
        Ok(source)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), FormatError> {
        let mut found: Vec<(SampleTime, SamplePlace)> = Vec::new();
        let (mut number, mut first_error) = (0, None);
        for StreamItem { ofs, end, message } in messages(bytes, 0) {
            match message {
                Ok(message) => {
                    if message.is_sample() {
                        found.extend(self.sample(number, ofs, end, &message));
                    } else {
                        self.session.apply_at(number, ofs as u64, &message, &mut self.opened.health);
                    }
                    number += 1;
                }
                Err(error) => {
                    self.note(&error, end - ofs);
                    first_error.get_or_insert(error);
                }
            }
        }
        if let (0, Some(error)) = (number, first_error) {
            return Err(error);
        }
        self.leave_out_strays(&mut found);
        // A clock that was set back begins a new epoch.
        for at in 1..found.len() {
            found[at].1.epoch = found[at - 1].1.epoch + u32::from(found[at].0 < found[at - 1].0);
        }
        // A stable sort: samples with equal times stay in the order of the stream.
        found.sort_by_key(|(time, _)| *time);
        let (times, samples): (Vec<_>, _) = found.into_iter().unzip();
        (self.opened.times, self.samples) = (times.into(), samples);
        Ok(())
    }

    /// A sample and its time.
    fn sample(
        &mut self,
        number: u64,
        ofs: usize,
        end: usize,
        message: &Message<'_>,
    ) -> Option<(SampleTime, SamplePlace)> {
        let code = message.header.return_code;
        if !code.is_success() {
            // If the buffer was too small, the client asks again: nothing is lost.
            let is_usual = code == ReturnCode::NOT_ENOUGH_MEMORY;
            let kind = if is_usual { FindingKind::Odd } else { FindingKind::Lost };
            let what = format!("{ORIGIN}: message {number}: the answer is {code}; no sample");
            self.opened.health.note(kind, Place::structure(Message::NAME, ofs as u64), what);
            return None;
        }
        // Without its head, its time isn't known either.
        if let Err(error) = QueryData::parse(message.buffer, (ofs + Message::LEN_HEADER) as u64) {
            self.note(&error, end - ofs);
            return None;
        }
        let time = SampleTime { utc: message.time_of_sample(), offset_min: 0 };
        Some((time, SamplePlace { number, ofs, end, epoch: 0 }))
    }

    fn leave_out_strays(&mut self, found: &mut Vec<(SampleTime, SamplePlace)>) {
        let times: Vec<Timestamp> = found.iter().map(|(time, _)| time.utc).collect();
        for at in stray_times(&times).into_iter().rev() {
            let (time, place) = found.remove(at);
            let place_in_file = Place::structure(Message::NAME, place.ofs as u64);
            let what = format!(
                "{ORIGIN}: message {}: its time, {}, is far from those around it; left out",
                place.number, time.utc
            );
            self.opened.health.note(FindingKind::Damaged, place_in_file, what);
        }
    }

    fn note(&mut self, error: &FormatError, len_skipped: usize) {
        let what = format!("{ORIGIN}: {}; {len_skipped} bytes left out", error.what());
        self.opened.health.note(error.kind(), error.place().cloned(), what);
    }
}

impl Source for SessionSource {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.samples.get(sample).map_or(0, |place| place.epoch)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.samples.get(sample).map_or(0, |place| place.end - place.ofs)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.session.objects().map(|object| (Arc::clone(&self.host), object)).collect()
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let bytes = self.content.bytes();
        let mut decoder = MessageDecoder::new(&self.session, selection, samples.len());
        for &sample in samples {
            let at = sample as usize;
            let (Some(&place), Some(&time)) = (self.samples.get(at), self.times().get(at)) else { continue };
            let ofs = place.ofs as u64;
            match Message::parse(bytes.get(place.ofs..place.end).unwrap_or_default(), ofs) {
                Ok(message) => {
                    decoder.push_at(ofs, ORIGIN, (0, &self.host), place.number, &message, time);
                }
                // It was valid when the stream was opened.
                Err(error) => decoder.note(ORIGIN, &error),
            }
        }
        let places = samples.iter().filter_map(|sample| self.samples.get(*sample as usize));
        self.content.release_all(places.map(|place| place.ofs..place.end));
        decoder.finish()
    }
}
