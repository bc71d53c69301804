//! Messages of generic netlink (`netlink(7)`, `Documentation/userspace-api/netlink/intro.rst` of the kernel), in the machine's byte order.

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::by_fields;

/// Of every number.
pub(super) const NATIVE: ByteOrder =
    if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };

/// `NLMSG_ERROR`: the answer to a request that asked for one.
const ERROR: u16 = 2;
/// `NLM_F_REQUEST | NLM_F_ACK`.
const REQUEST: u16 = 1 | 4;
/// Bits of an attribute's type that aren't part of it.
const FLAGS_OF_TYPE: u16 = 0xC000;
/// Bytes of a generic message's head.
const LEN_HEAD: usize = 20;
const LEN_ATTRIBUTE_HEAD: usize = 4;
/// Of messages and attributes.
const ALIGNMENT: usize = 4;

/// The head of a message: `nlmsghdr` and `genlmsghdr`.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    len: u32,
    kind: u16,
    flags: u16,
    sequence: u32,
    port: u32,
    command: u8,
    version: u8,
    reserved: u16,
}

impl Head {
    fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("nlmsg_len", &mut self.len)?;
        f.field("nlmsg_type", &mut self.kind)?;
        f.field("nlmsg_flags", &mut self.flags)?;
        f.field("nlmsg_seq", &mut self.sequence)?;
        f.field("nlmsg_pid", &mut self.port)?;
        f.field("cmd", &mut self.command)?;
        f.field("version", &mut self.version)?;
        f.hidden("reserved", &mut self.reserved)
    }
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message<'a> {
    /// The answer to a request: 0, or the number of an error.
    Done(i32),
    /// A message of a family, with its attributes.
    Of(u16, &'a [u8]),
}

/// A request to a family with one attribute.
pub(super) fn request(family: u16, command: u8, (kind, value): (u16, &[u8])) -> Vec<u8> {
    let len_attribute = LEN_ATTRIBUTE_HEAD + value.len();
    let len = LEN_HEAD + len_attribute.next_multiple_of(ALIGNMENT);
    let mut out = Vec::with_capacity(len);
    let mut head =
        Head { len: len as u32, kind: family, flags: REQUEST, command, version: 1, ..Head::default() };
    let Ok(()) = head.fields(&mut Writer::new(NATIVE, &mut out));
    let Ok(()) =
        attribute_head((&mut (len_attribute as u16), &mut { kind }), &mut Writer::new(NATIVE, &mut out));
    out.extend_from_slice(value);
    out.resize(len, 0);
    out
}

fn attribute_head<F: Fields>((len, kind): (&mut u16, &mut u16), f: &mut F) -> Result<(), F::Error> {
    f.field("nla_len", len)?;
    f.field("nla_type", kind)
}

/// The messages of a datagram, up to the first that can't be read.
pub(super) fn messages(mut datagram: &[u8]) -> impl Iterator<Item = Message<'_>> {
    std::iter::from_fn(move || {
        let (_, head) = by_fields("netlink message", NATIVE, Head::fields)(datagram).ok()?;
        let message = datagram.get(..head.len as usize)?;
        datagram = datagram.get(message.len().next_multiple_of(ALIGNMENT)..).unwrap_or_default();
        let after = message.get(LEN_HEAD - ALIGNMENT..)?;
        if head.kind == ERROR {
            let error = i32::from_ne_bytes(*after.first_chunk()?);
            return Some(Message::Done(error.checked_neg().unwrap_or(i32::MAX)));
        }
        Some(Message::Of(head.kind, message.get(LEN_HEAD..)?))
    })
}

/// The attributes in some bytes, by type, up to the first that can't be read.
pub(super) fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let read = |found: &mut (u16, u16), f: &mut _| attribute_head((&mut found.0, &mut found.1), f);
        let (_, (len, kind)) = by_fields("netlink attribute", NATIVE, read)(bytes).ok()?;
        let value = bytes.get(LEN_ATTRIBUTE_HEAD..usize::from(len))?;
        bytes = bytes.get(usize::from(len).next_multiple_of(ALIGNMENT)..).unwrap_or_default();
        Some((kind & !FLAGS_OF_TYPE, value))
    })
}

/// The first attribute of a type.
pub(super) fn attribute(bytes: &[u8], kind: u16) -> Option<&[u8]> {
    attributes(bytes).find(|(found, _)| *found == kind).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_request_reads_back() {
        let bytes = request(23, 3, (2, b"TASKSTATS\0"));
        assert_eq!(bytes.len(), 36);
        let [Message::Of(23, inside)] = messages(&bytes).collect::<Vec<_>>()[..] else { panic!("a message") };
        assert_eq!(attributes(inside).collect::<Vec<_>>(), [(2, &b"TASKSTATS\0"[..])]);
        assert_eq!(attribute(inside, 1), None);
    }

    #[test]
    fn an_error_is_an_answer() {
        let mut bytes = request(ERROR, 0, (0, b""));
        bytes[16..20].copy_from_slice(&(-1_i32).to_ne_bytes());
        assert_eq!(messages(&bytes).collect::<Vec<_>>(), [Message::Done(1)]);
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..100), len in 0_u8..40) {
            let mut bytes = bytes;
            if let Some(first) = bytes.first_chunk_mut::<4>() {
                *first = u32::from(len).to_ne_bytes();
            }
            for message in messages(&bytes) {
                if let Message::Of(_, inside) = message {
                    prop_assert!(attributes(inside).count() <= inside.len());
                }
            }
        }
    }
}
