//! All frames of a log, whatever they hold, each read whole.

use crate::bytes::Short;
use crate::frame::{self, FrameHead, LEN_FRAME_HEAD, MAGIC};
use crate::{CaptureError, Log};

/// A frame whose head is sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) ofs: u64,
    pub(crate) head: FrameHead,
    /// What is wrong with the rest of it.
    pub(crate) fault: Option<Short>,
}

/// How much is searched at a time for the next frame behind damage.
const LEN_WINDOW: usize = 1 << 20;

/// Visits every frame of a log, over damage. Frames whose payload is damaged are visited, too, if what counts on them
/// (`is_listed`, by place) could make something of them, and otherwise searched for others.
///
/// Going forward by lengths in heads and checking the length behind each frame is the same as going backward by those.
pub(crate) fn frames(
    log: &Log,
    is_listed: &dyn Fn(u64) -> bool,
    mut each: impl FnMut(Frame, &[u8]),
) -> Result<(), CaptureError> {
    let mut bytes = Vec::new();
    let mut ofs = 0;
    loop {
        log.input.read(ofs, LEN_FRAME_HEAD, &mut bytes)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let head = FrameHead::read(&bytes).ok().filter(|head| head.tag == log.tag);
        let mut next = None;
        if let Some(head) = head {
            log.input.read(ofs, head.len_frame(), &mut bytes)?;
            if bytes.len() == head.len_frame() {
                let fault = frame::check_tail(&bytes).err();
                if fault.is_none() || is_listed(ofs) {
                    next = Some(ofs + bytes.len() as u64);
                }
                each(Frame { ofs, head, fault }, &bytes);
            }
        }
        ofs = match next {
            Some(next) => next,
            None => match next_head(log, ofs + 1, &mut bytes)? {
                Some(next) => next,
                None => return Ok(()),
            },
        };
    }
}

/// The next place where a sound frame head of this log stands.
fn next_head(log: &Log, mut ofs: u64, bytes: &mut Vec<u8>) -> Result<Option<u64>, CaptureError> {
    loop {
        log.input.read(ofs, LEN_WINDOW, bytes)?;
        let mut from = 0;
        while let Some(at) = bytes[from..].windows(MAGIC.len()).position(|window| window == MAGIC) {
            let at = from + at;
            if FrameHead::read(&bytes[at..]).is_ok_and(|head| head.tag == log.tag) {
                return Ok(Some(ofs + at as u64));
            }
            from = at + 1;
        }
        if bytes.len() < LEN_WINDOW {
            return Ok(None);
        }
        ofs += (LEN_WINDOW - LEN_FRAME_HEAD + 1) as u64;
    }
}
