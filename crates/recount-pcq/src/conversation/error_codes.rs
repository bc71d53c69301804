//! Win32 error codes that aren't listed in MS-PCQ 3.1.4.1, which allows any "standard Windows error"
//! (MS-ERREF 2.2) in these places.

use crate::ReturnCode;

/// `ERROR_READ_FAULT`: the provider can't be read now. As the return code of a method, this is about
/// everything; as the status of a counter, about its counterset or its value.
pub const READ_FAULT: ReturnCode = ReturnCode(0x1E);

/// `ERROR_HANDLE_EOF`: the provider has no more values, because it plays back a recording.
pub const HANDLE_EOF: ReturnCode = ReturnCode(0x26);

/// `ERROR_RESOURCE_LANG_NOT_FOUND`: "an error MUST be returned" if the language of `RequestLCID` isn't
/// installed (MS-PCQ 3.1.4.1.2), and this is the code for that.
pub const RESOURCE_LANG_NOT_FOUND: ReturnCode = ReturnCode(0x717);
