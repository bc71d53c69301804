//! Return codes of methods.

use std::fmt;

use nom::error::ParseError;
use nom::{IResult, Parser};
use recount_bytes::ByteOrder;
use recount_bytes::fields::Scalar;

/// The `error_status_t` of a method, and the `Status` of a counter: a Win32 error code (MS-PCQ 2.2.2 and the tables of return
/// values in 3.1.4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReturnCode(pub u32);

impl ReturnCode {
    /// `ERROR_SUCCESS`.
    pub const SUCCESS: ReturnCode = ReturnCode(0);
    /// `ERROR_PATH_NOT_FOUND`: no active instance with that name.
    pub const PATH_NOT_FOUND: ReturnCode = ReturnCode(0x3);
    /// `ERROR_ACCESS_DENIED`: the authentication level is less than `RPC_C_AUTHN_LEVEL_PKT_PRIVACY`.
    pub const ACCESS_DENIED: ReturnCode = ReturnCode(0x5);
    /// `ERROR_NOT_ENOUGH_MEMORY`: the client's buffer is too small.
    pub const NOT_ENOUGH_MEMORY: ReturnCode = ReturnCode(0x8);
    /// `ERROR_OUTOFMEMORY`: the server could not allocate.
    pub const OUT_OF_MEMORY: ReturnCode = ReturnCode(0xE);
    /// `ERROR_INVALID_PARAMETER`.
    pub const INVALID_PARAMETER: ReturnCode = ReturnCode(0x57);
    /// `ERROR_ALREADY_EXISTS`: the counter was added before.
    pub const ALREADY_EXISTS: ReturnCode = ReturnCode(0xB7);
    /// `ERROR_NO_SYSTEM_RESOURCES`.
    pub const NO_SYSTEM_RESOURCES: ReturnCode = ReturnCode(0x5AA);
    /// `ERROR_WMI_GUID_NOT_FOUND`: no counterset with that GUID.
    pub const WMI_GUID_NOT_FOUND: ReturnCode = ReturnCode(0x1068);
    /// `ERROR_WMI_INSTANCE_NOT_FOUND`: the counterset has no active instances.
    pub const WMI_INSTANCE_NOT_FOUND: ReturnCode = ReturnCode(0x1069);
    /// `ERROR_WMI_ITEMID_NOT_FOUND`: the counterset has no counter with that id.
    pub const WMI_ITEMID_NOT_FOUND: ReturnCode = ReturnCode(0x106A);
    /// `ERROR_WMI_INVALID_REGINFO`: the provider's answer contradicts its registration.
    pub const WMI_INVALID_REGINFO: ReturnCode = ReturnCode(0x1073);

    /// Whether it means success.
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }

    /// Its name in the document.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            ReturnCode::SUCCESS => "ERROR_SUCCESS",
            ReturnCode::PATH_NOT_FOUND => "ERROR_PATH_NOT_FOUND",
            ReturnCode::ACCESS_DENIED => "ERROR_ACCESS_DENIED",
            ReturnCode::NOT_ENOUGH_MEMORY => "ERROR_NOT_ENOUGH_MEMORY",
            ReturnCode::OUT_OF_MEMORY => "ERROR_OUTOFMEMORY",
            ReturnCode::INVALID_PARAMETER => "ERROR_INVALID_PARAMETER",
            ReturnCode::ALREADY_EXISTS => "ERROR_ALREADY_EXISTS",
            ReturnCode::NO_SYSTEM_RESOURCES => "ERROR_NO_SYSTEM_RESOURCES",
            ReturnCode::WMI_GUID_NOT_FOUND => "ERROR_WMI_GUID_NOT_FOUND",
            ReturnCode::WMI_INSTANCE_NOT_FOUND => "ERROR_WMI_INSTANCE_NOT_FOUND",
            ReturnCode::WMI_ITEMID_NOT_FOUND => "ERROR_WMI_ITEMID_NOT_FOUND",
            ReturnCode::WMI_INVALID_REGINFO => "ERROR_WMI_INVALID_REGINFO",
            _ => return None,
        })
    }
}

impl Scalar for ReturnCode {
    const LEN: usize = 4;

    fn parse<'a, E: ParseError<&'a [u8]>>(i: &'a [u8], order: ByteOrder) -> IResult<&'a [u8], ReturnCode, E> {
        (|i| u32::parse(i, order)).map(ReturnCode).parse_complete(i)
    }

    fn write(self, order: ByteOrder, out: &mut Vec<u8>) {
        self.0.write(order, out);
    }
}

/// Its name in the document, otherwise the number in hexadecimal.
impl fmt::Display for ReturnCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => write!(f, "{:#x}", self.0),
        }
    }
}
