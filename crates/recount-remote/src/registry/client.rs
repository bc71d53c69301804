//! The methods, called over a connection.

use super::{code, opnum};
use crate::rpc::{NdrReader, NdrWriter, RpcClient, RpcError};
use crate::transport::Transport;

/// An open key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(pub [u8; 20]);

/// A predefined key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// `HKEY_PERFORMANCE_DATA`
    PerformanceData,
    /// `HKEY_PERFORMANCE_TEXT`
    PerformanceText,
    /// `HKEY_PERFORMANCE_NLSTEXT`
    PerformanceNlsText,
    /// `HKEY_LOCAL_MACHINE`
    LocalMachine,
}

impl Root {
    const fn opnum(self) -> u16 {
        match self {
            Root::PerformanceData => opnum::OPEN_PERFORMANCE_DATA,
            Root::PerformanceText => opnum::OPEN_PERFORMANCE_TEXT,
            Root::PerformanceNlsText => opnum::OPEN_PERFORMANCE_NLS_TEXT,
            Root::LocalMachine => opnum::OPEN_LOCAL_MACHINE,
        }
    }
}

/// The answer to a query of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryAnswer {
    /// 0 if the value is here (winerror.h); `ERROR_MORE_DATA` if it is longer than was asked for.
    pub code: u32,
    /// The value's type.
    pub kind: u32,
    /// The value.
    pub data: Vec<u8>,
}

/// The remote registry of a server.
pub struct RegistryClient<T> {
    rpc: RpcClient<T>,
}

/// What an answer has besides its value: pointers, counts and the return code.
const LEN_AROUND: usize = 128;
/// `KEY_READ`
const READ: u32 = 0x0002_0019;
/// Any pointer but null (C706 14.3.10).
const REFERENT: u32 = 0x0002_0000;

impl<T: Transport> RegistryClient<T> {
    /// Over an association that has bound [`WINREG`](super::WINREG).
    pub fn new(rpc: RpcClient<T>) -> RegistryClient<T> {
        RegistryClient { rpc }
    }

    fn call<V>(
        &mut self,
        name: &'static str,
        opnum: u16,
        stub: NdrWriter,
        max: usize,
        read: impl FnOnce(&mut NdrReader<'_>) -> Result<V, RpcError>,
    ) -> Result<V, RpcError> {
        let (answer, order) = self.rpc.call(opnum, &stub.into_bytes(), max.saturating_add(LEN_AROUND))?;
        let mut reader = NdrReader::new(name, &answer, order);
        let value = read(&mut reader)?;
        reader.end(0).map(|()| value)
    }

    /// Opens a predefined key; the error is a code of winerror.h.
    pub fn open(&mut self, root: Root) -> Result<Result<Handle, u32>, RpcError> {
        let mut stub = NdrWriter::default();
        // The server's name, which it knows.
        stub.u32(0);
        stub.u32(READ);
        self.call("OpenKey", root.opnum(), stub, 0, opened)
    }

    /// Opens a key below another.
    pub fn open_key(&mut self, key: Handle, path: &str) -> Result<Result<Handle, u32>, RpcError> {
        let mut stub = NdrWriter::default();
        stub.bytes(&key.0);
        unicode_string(&mut stub, path);
        stub.u32(0);
        stub.u32(READ);
        self.call("BaseRegOpenKey", opnum::OPEN_KEY, stub, 0, opened)
    }

    /// Closes a key.
    pub fn close(&mut self, key: Handle) -> Result<u32, RpcError> {
        let mut stub = NdrWriter::default();
        stub.bytes(&key.0);
        self.call("BaseRegCloseKey", opnum::CLOSE_KEY, stub, 0, |reader| {
            reader.context_handle()?;
            reader.u32()
        })
    }

    /// Reads a value of at most `max` bytes.
    pub fn query_value(&mut self, key: Handle, name: &str, max: u32) -> Result<QueryAnswer, RpcError> {
        let mut stub = NdrWriter::default();
        stub.bytes(&key.0);
        unicode_string(&mut stub, name);
        stub.u32(REFERENT);
        stub.u32(0);
        // Room for the value, of which nothing is sent.
        stub.u32(REFERENT + 4);
        for number in [max, 0, 0] {
            stub.u32(number);
        }
        stub.u32(REFERENT + 8);
        stub.u32(max);
        stub.u32(REFERENT + 12);
        stub.u32(0);
        self.call("BaseRegQueryValue", opnum::QUERY_VALUE, stub, max as usize, |reader| {
            let kind = pointed(reader)?.unwrap_or_default();
            let mut data = Vec::new();
            if reader.u32()? != 0 {
                // Samba says how much it would need; what counts is how much there is.
                let room = reader.u32()?;
                let count = reader.varying(room)?;
                if count > max {
                    return Err(reader.fail(format!("at most {max} bytes"), count));
                }
                data = reader.take(count as usize)?.to_vec();
            }
            pointed(reader)?;
            pointed(reader)?;
            let code = reader.u32()?;
            if code != 0 {
                data.clear();
            }
            Ok(QueryAnswer { code, kind, data })
        })
    }
}

fn opened(reader: &mut NdrReader<'_>) -> Result<Result<Handle, u32>, RpcError> {
    let handle = Handle(reader.context_handle()?);
    Ok(match reader.u32()? {
        0 if handle == Handle([0; 20]) => Err(code::INVALID_HANDLE),
        0 => Ok(handle),
        other => Err(other),
    })
}

/// A number behind a pointer that may be null.
fn pointed(reader: &mut NdrReader<'_>) -> Result<Option<u32>, RpcError> {
    if reader.u32()? == 0 { Ok(None) } else { reader.u32().map(Some) }
}

/// `RRP_UNICODE_STRING` (MS-RRP 2.2.4), whose length counts its null.
fn unicode_string(stub: &mut NdrWriter, text: &str) {
    let len = u16::try_from((text.encode_utf16().count() + 1) * 2).unwrap_or(u16::MAX);
    stub.align(4);
    stub.u16(len);
    stub.u16(len);
    stub.u32(REFERENT);
    stub.string(text);
    stub.align(4);
}
