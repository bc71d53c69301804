//! Buffers that grow until the answer fits.

use super::ClientError;
use crate::conversation::{Method, Reply, RpcFault};
use crate::{Guid, ReturnCode};

/// How often a server may find a buffer too small: the number of instances may grow between two calls, but
/// not indefinitely.
const MAX_ATTEMPTS: u32 = 16;

/// Calls a method with larger and larger buffers until it doesn't return `ERROR_NOT_ENOUGH_MEMORY`. Returns
/// the return code, the data, and the size that sufficed.
///
/// `first` and `max` are sizes in the unit of `dwInSize`. Nothing is allocated here by the server's numbers.
/// The data must have the stated length and fit into the buffer.
pub(super) fn call_growing(
    method: Method,
    first: u32,
    max: u32,
    mut call: impl FnMut(u32) -> Result<Reply, RpcFault>,
) -> Result<(ReturnCode, Vec<u8>, u32), ClientError> {
    let mut size = first.min(max);
    for _ in 0..MAX_ATTEMPTS {
        let reply = call(size)?;
        let return_code = reply.return_code;
        if return_code != ReturnCode::NOT_ENOUGH_MEMORY {
            let data = if return_code.is_success() { checked(method, reply, size)? } else { Vec::new() };
            return Ok((return_code, data, size));
        }
        if size >= max || reply.rtn_size > max {
            return Err(ClientError::TooLarge { method, needed: reply.rtn_size, max });
        }
        // A little more than was needed a moment ago; if the server states less than it was given, twice as
        // much.
        let stated = reply.rtn_size.saturating_add(reply.rtn_size / 8);
        size = if reply.rtn_size > size { stated } else { size.saturating_mul(2).max(1) }.min(max);
    }
    Err(ClientError::NeverEnough { method, num_attempts: MAX_ATTEMPTS, last: size })
}

fn checked(method: Method, reply: Reply, size: u32) -> Result<Vec<u8>, ClientError> {
    let contradiction = |field, expected: String, found: String| {
        Err(ClientError::Contradiction { method, field, expected, found })
    };
    if reply.out_size > size {
        return contradiction("pdwOutSize", format!("at most {size}"), reply.out_size.to_string());
    }
    let len_unit = if method == Method::EnumerateCounterSet { Guid::LEN } else { 1 };
    let len = u64::from(reply.out_size) * len_unit as u64;
    if reply.data.len() as u64 != len {
        return contradiction(
            "lpData",
            format!("{len} bytes, as pdwOutSize says"),
            reply.data.len().to_string(),
        );
    }
    Ok(reply.data)
}
