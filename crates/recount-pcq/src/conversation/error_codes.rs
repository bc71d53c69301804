//! Win32 error codes that MS-PCQ 3.1.4.1 has no row for. It allows any "standard Windows error" (MS-ERREF 2.2) in these places.

use crate::ReturnCode;

/// `ERROR_READ_FAULT`: the provider can't be read now. As the return code of a method, nothing can; as the status of a
/// counter, its counterset or its value.
pub const READ_FAULT: ReturnCode = ReturnCode(0x1E);

/// `ERROR_RESOURCE_LANG_NOT_FOUND`: "an error MUST be returned" if the language of `RequestLCID` isn't installed (MS-PCQ
/// 3.1.4.1.2), and this is what the codes have for it.
pub const RESOURCE_LANG_NOT_FOUND: ReturnCode = ReturnCode(0x717);
