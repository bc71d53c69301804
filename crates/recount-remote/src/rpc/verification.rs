//! Verification trailers: what a client repeats behind the parameters of a protected call (MS-RPCE 2.2.2.13).

use recount_bytes::ByteOrder;

use super::{NdrReader, PacketType, RpcError, Syntax, fault};

/// `rpc_sec_verification_trailer.signature`
const SIGNATURE: [u8; 8] = [0x8A, 0xE3, 0x13, 0x71, 0x02, 0xF4, 0x36, 0x71];
/// Where it may begin, counted from the end: more than all commands of MS-RPCE need.
const MAX_LEN: usize = 1024;

/// The bits of `command`: what it is, whether it is the last, and whether it may not be ignored.
const KIND: u16 = 0x3FFF;
const LAST: u16 = 0x4000;
const MUST_PROCESS: u16 = 0x8000;

const BITMASK_1: u16 = 1;
const PCONTEXT: u16 = 2;
const HEADER_2: u16 = 3;

/// A call, as its unprotected headers describe it.
pub(super) struct CallHeads {
    /// The interface that it was bound to.
    pub(super) interface: Option<Syntax>,
    /// The transfer syntax.
    pub(super) transfer: Syntax,
    pub(super) order: ByteOrder,
    pub(super) call_id: u32,
    pub(super) context_id: u16,
    pub(super) opnum: u16,
}

/// The length of the parameters without the trailer, if they have one.
///
/// Fails with the status of a fault if the trailer contradicts the call, or has a command that has to be processed and isn't
/// known.
pub(super) fn check(stub: &[u8], call: &CallHeads) -> Result<usize, u32> {
    let first = stub.len().saturating_sub(MAX_LEN);
    let tail = stub.get(first..).unwrap_or_default();
    let found = tail.windows(SIGNATURE.len()).rposition(|window| window == SIGNATURE);
    let Some(ofs) = found.map(|found| first + found) else { return Ok(stub.len()) };
    let commands = stub.get(ofs + SIGNATURE.len()..).unwrap_or_default();
    // Some clients write their numbers in the order of the call, others always little-endian.
    let checked = check_commands(commands, call, call.order);
    match checked.or_else(|_| check_commands(commands, call, ByteOrder::Little)) {
        Ok(true) => Ok(ofs),
        Ok(false) => Err(fault::ACCESS_DENIED),
        // These are parameters, or nothing that is known; the method says which.
        Err(_) => Ok(stub.len()),
    }
}

/// Whether the commands agree with the call. Fails if there is something else in their place.
fn check_commands(bytes: &[u8], call: &CallHeads, order: ByteOrder) -> Result<bool, RpcError> {
    const NAME: &str = "verification trailer";
    let mut reader = NdrReader::new(NAME, bytes, order);
    let mut agrees = true;
    loop {
        let (command, len) = (reader.u16()?, reader.u16()?);
        let mut value = NdrReader::new(NAME, reader.take(len.into())?, order);
        agrees &= match command & KIND {
            // Signatures cover headers here whatever the client supports, so there is nothing to compare.
            BITMASK_1 => value.u32().is_ok(),
            PCONTEXT => {
                let (interface, transfer) = (Syntax::read(&mut value)?, Syntax::read(&mut value)?);
                call.interface == Some(interface) && transfer == call.transfer
            }
            HEADER_2 => is_header(&mut value, call)?,
            _ => command & MUST_PROCESS == 0,
        };
        if command & LAST != 0 {
            // Padding of the fragment may follow.
            return reader.end(3).map(|()| agrees);
        }
    }
}

/// `rpc_sec_vt_header2`: kind, data representation, call, context and method.
fn is_header(value: &mut NdrReader<'_>, call: &CallHeads) -> Result<bool, RpcError> {
    let kind = value.u8()?;
    value.take(3)?;
    let representation = value.take(4)?;
    let order = if call.order == ByteOrder::Little { 0x10 } else { 0 };
    let (call_id, context_id, opnum) = (value.u32()?, value.u16()?, value.u16()?);
    Ok(kind == PacketType::Request as u8
        && representation.first() == Some(&order)
        && (call_id, context_id, opnum) == (call.call_id, call.context_id, call.opnum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::INTERFACE;
    use crate::rpc::{NDR, NdrWriter};

    const PARAMETERS: &[u8] = b"parameters.."; // a multiple of 4

    fn call() -> CallHeads {
        CallHeads {
            interface: Some(INTERFACE),
            transfer: NDR,
            order: ByteOrder::Little,
            call_id: 7,
            context_id: 1,
            opnum: 6,
        }
    }

    fn stub(commands: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let mut stub = PARAMETERS.to_vec();
        stub.extend(SIGNATURE);
        for (command, value) in commands {
            stub.extend(command.to_le_bytes());
            stub.extend((value.len() as u16).to_le_bytes());
            stub.extend(value);
        }
        stub
    }

    fn contexts(interface: Syntax) -> Vec<u8> {
        let mut writer = NdrWriter::default();
        interface.write(&mut writer);
        NDR.write(&mut writer);
        writer.into_bytes()
    }

    fn header(call_id: u8, context_id: u8, opnum: u8) -> Vec<u8> {
        vec![0, 0, 0, 0, 0x10, 0, 0, 0, call_id, 0, 0, 0, context_id, 0, opnum, 0]
    }

    #[test]
    fn trailers_that_agree_are_cut_off() {
        let bits = || (BITMASK_1, vec![1, 0, 0, 0]);
        for commands in [
            vec![(BITMASK_1 | LAST, vec![1, 0, 0, 0])],
            vec![bits(), (PCONTEXT | LAST, contexts(INTERFACE))],
            vec![bits(), (PCONTEXT, contexts(INTERFACE)), (HEADER_2 | LAST, header(7, 1, 6))],
            vec![(PCONTEXT | MUST_PROCESS, contexts(INTERFACE)), (0x100 | LAST, vec![9; 8])],
        ] {
            assert_eq!(check(&stub(&commands), &call()), Ok(PARAMETERS.len()), "{commands:?}");
        }
        let padded = [stub(&[(BITMASK_1 | LAST, vec![1, 0, 0, 0])]), vec![0; 3]].concat();
        assert_eq!(check(&padded, &call()), Ok(PARAMETERS.len()));
    }

    #[test]
    fn a_big_endian_call_may_have_a_little_endian_trailer() {
        let mut head = header(7, 1, 6);
        head[4] = 0;
        let sound = stub(&[(PCONTEXT, contexts(INTERFACE)), (HEADER_2 | LAST, head)]);
        let call = CallHeads { order: ByteOrder::Big, ..call() };
        assert_eq!(check(&sound, &call), Ok(PARAMETERS.len()));
        assert_eq!(check(&sound, &CallHeads { opnum: 0, ..call }), Err(fault::ACCESS_DENIED));
    }

    #[test]
    fn trailers_of_other_calls_are_denied() {
        for commands in [
            vec![(PCONTEXT | LAST, contexts(NDR))],
            vec![(HEADER_2 | LAST, header(8, 1, 6))],
            vec![(HEADER_2 | LAST, header(7, 0, 6))],
            vec![(HEADER_2, header(7, 1, 0)), (BITMASK_1 | LAST, vec![1, 0, 0, 0])],
            vec![(0x100 | MUST_PROCESS | LAST, vec![])],
        ] {
            assert_eq!(check(&stub(&commands), &call()), Err(fault::ACCESS_DENIED), "{commands:?}");
        }
    }

    #[test]
    fn what_only_looks_like_a_trailer_is_left_to_the_method() {
        assert_eq!(check(PARAMETERS, &call()), Ok(PARAMETERS.len()));
        assert_eq!(check(&[], &call()), Ok(0));
        let sound = stub(&[(PCONTEXT | LAST, contexts(INTERFACE))]);
        for len in 0..sound.len() {
            assert_eq!(check(&sound[..len], &call()), Ok(len), "{len}");
        }
        let endless = stub(&[(BITMASK_1, vec![0; 4])]);
        assert_eq!(check(&endless, &call()), Ok(endless.len()));
    }
}
