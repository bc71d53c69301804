//! Methods and their request codes.

use std::fmt;

/// Numbers of the methods (MS-PCQ 3.1.4.1).
pub mod opnum {
    /// `PerflibV2EnumerateCounterSet`.
    pub const ENUMERATE_COUNTER_SET: u16 = 0;
    /// `PerflibV2QueryCounterSetRegistrationInfo`.
    pub const QUERY_REGISTRATION_INFO: u16 = 1;
    /// `PerflibV2EnumerateCounterSetInstances`.
    pub const ENUMERATE_INSTANCES: u16 = 2;
    /// `PerflibV2OpenQueryHandle`.
    pub const OPEN_QUERY_HANDLE: u16 = 3;
    /// `PerflibV2CloseQueryHandle`.
    pub const CLOSE_QUERY_HANDLE: u16 = 4;
    /// `PerflibV2QueryCounterInfo`.
    pub const QUERY_COUNTER_INFO: u16 = 5;
    /// `PerflibV2QueryCounterData`.
    pub const QUERY_COUNTER_DATA: u16 = 6;
    /// `PerflibV2ValidateCounters`.
    pub const VALIDATE_COUNTERS: u16 = 7;
}

/// Values of `RequestCode` (MS-PCQ 3.1.4.1.2).
pub mod request {
    /// Information about the counterset.
    pub const COUNTER_SET: u16 = 1;
    /// Information about a counter, whose id is the argument.
    pub const COUNTER: u16 = 2;
    /// Name of the counterset.
    pub const SET_NAME: u16 = 3;
    /// Description of the counterset.
    pub const SET_DESCRIPTION: u16 = 4;
    /// Names of the counters.
    pub const COUNTER_NAMES: u16 = 5;
    /// Descriptions of the counters.
    pub const COUNTER_DESCRIPTIONS: u16 = 6;
    /// Name of the provider.
    pub const PROVIDER_NAME: u16 = 7;
    /// GUID of the provider.
    pub const PROVIDER_GUID: u16 = 8;
    /// English name of the counterset.
    pub const ENGLISH_SET_NAME: u16 = 9;
    /// English names of the counters.
    pub const ENGLISH_COUNTER_NAMES: u16 = 10;
}

/// A name in brackets after a number, if it has one.
pub(super) struct Name(pub(super) Option<&'static str>);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " ({name})"))
    }
}

/// The name of a method.
pub(super) fn method(number: u16) -> Option<&'static str> {
    Some(match number {
        opnum::ENUMERATE_COUNTER_SET => "PerflibV2EnumerateCounterSet",
        opnum::QUERY_REGISTRATION_INFO => "PerflibV2QueryCounterSetRegistrationInfo",
        opnum::ENUMERATE_INSTANCES => "PerflibV2EnumerateCounterSetInstances",
        opnum::OPEN_QUERY_HANDLE => "PerflibV2OpenQueryHandle",
        opnum::CLOSE_QUERY_HANDLE => "PerflibV2CloseQueryHandle",
        opnum::QUERY_COUNTER_INFO => "PerflibV2QueryCounterInfo",
        opnum::QUERY_COUNTER_DATA => "PerflibV2QueryCounterData",
        opnum::VALIDATE_COUNTERS => "PerflibV2ValidateCounters",
        _ => return None,
    })
}

/// The meaning of a method's request code.
pub(super) fn asked(method: u16, code: u16) -> Option<&'static str> {
    if method != opnum::QUERY_REGISTRATION_INFO {
        return None;
    }
    Some(match code {
        request::COUNTER_SET => "counterset",
        request::COUNTER => "counter",
        request::SET_NAME => "name of the counterset",
        request::SET_DESCRIPTION => "description of the counterset",
        request::COUNTER_NAMES => "names of the counters",
        request::COUNTER_DESCRIPTIONS => "descriptions of the counters",
        request::PROVIDER_NAME => "name of the provider",
        request::PROVIDER_GUID => "GUID of the provider",
        request::ENGLISH_SET_NAME => "English name of the counterset",
        request::ENGLISH_COUNTER_NAMES => "English names of the counters",
        _ => return None,
    })
}
