//! Streams of messages.

use recount_bytes::FormatError;

use super::Message;

/// A range of a stream: a message, or unreadable bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamItem<'a> {
    /// Where it starts in the stream.
    pub ofs: usize,
    /// Where the next item starts: after the padding, or at the next signature.
    pub end: usize,
    /// The message, or why there is none.
    pub message: Result<Message<'a>, FormatError>,
}

/// The messages of a stream (`.pcq`, formats/ms-pcq.md#streams) from byte `ofs` on, which must be a multiple
/// of 8.
///
/// Bytes without a valid message form an item, and reading continues at the next signature at a multiple of
/// 8.
pub fn messages(bytes: &[u8], ofs: usize) -> Messages<'_> {
    Messages { bytes, ofs }
}

/// See [`messages`].
#[derive(Clone, Debug)]
pub struct Messages<'a> {
    bytes: &'a [u8],
    ofs: usize,
}

impl Messages<'_> {
    fn next_signature(&self) -> usize {
        let first = (self.ofs + 1).next_multiple_of(Message::ALIGNMENT);
        let is_start = |ofs: &usize| self.bytes.get(*ofs..).is_some_and(Message::recognise);
        (first..self.bytes.len()).step_by(Message::ALIGNMENT).find(is_start).unwrap_or(self.bytes.len())
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = StreamItem<'a>;

    fn next(&mut self) -> Option<StreamItem<'a>> {
        let ofs = self.ofs;
        let rest = self.bytes.get(ofs..).filter(|rest| !rest.is_empty())?;
        let message = Message::parse(rest, ofs as u64);
        let end = match &message {
            Ok(message) => (ofs + message.len()).next_multiple_of(Message::ALIGNMENT).min(self.bytes.len()),
            Err(_) => self.next_signature(),
        };
        self.ofs = end;
        Some(StreamItem { ofs, end, message })
    }
}
