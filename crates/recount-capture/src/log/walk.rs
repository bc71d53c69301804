//! Visits all frames of a log, of any kind; each is read completely.

use super::Log;
use super::search::Search;
use crate::CaptureError;
use crate::bytes::Short;
use crate::frame::{self, FrameHead, LEN_FRAME_HEAD};

/// A frame whose head is sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) ofs: u64,
    pub(crate) head: FrameHead,
    /// What is wrong with the rest of it.
    pub(crate) fault: Option<Short>,
}

/// Visits every frame of a log, continuing after damage. Frames with damaged payloads are visited, too; unless
/// `is_listed` says that their offset is listed, they are also searched for other frames.
///
/// Going forward by the lengths in heads and checking the length after each frame is equivalent to going backward by
/// the latter.
pub(crate) fn frames<E: From<CaptureError>>(
    log: &Log,
    is_listed: &dyn Fn(u64) -> bool,
    mut each: impl FnMut(Frame, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let read = |ofs, len, bytes: &mut Vec<u8>| log.input.read(ofs, len, bytes).map_err(CaptureError::Io);
    let (mut bytes, mut search) = (Vec::new(), Search::default());
    let mut ofs = 0;
    loop {
        read(ofs, LEN_FRAME_HEAD, &mut bytes)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let head = FrameHead::read(&bytes).ok().filter(|head| head.tag == log.tag);
        let mut next = None;
        if let Some(head) = head {
            read(ofs, head.len_frame(), &mut bytes)?;
            // The writer may have put another frame here in the meantime, even one of the same length.
            if bytes.len() == head.len_frame() && FrameHead::read(&bytes).is_ok_and(|now| now == head) {
                let fault = frame::check_tail(&bytes).err();
                if fault.is_none() || is_listed(ofs) {
                    next = Some(ofs + bytes.len() as u64);
                }
                each(Frame { ofs, head, fault }, &bytes)?;
            }
        }
        let Some(next) =
            next.map_or_else(|| search.next(&log.input, log.tag, ofs + 1), |next| Ok(Some(next)))?
        else {
            return Ok(());
        };
        ofs = next;
    }
}
