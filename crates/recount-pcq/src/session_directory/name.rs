//! The meaning of a file name for the buffer in it.

use crate::{opnum, request};

/// The method whose answer a buffer is, and its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    pub(super) opnum: u16,
    pub(super) request_code: u16,
    /// Language or counter id of a request; whether counters were added.
    pub(super) argument: u32,
}

impl Call {
    pub(super) fn plain(opnum: u16) -> Call {
        Call { opnum, ..Call::default() }
    }

    fn request(request_code: u16, argument: u32) -> Call {
        Call { opnum: opnum::QUERY_REGISTRATION_INFO, request_code, argument }
    }
}

/// Files of requests without an argument.
const PLAIN: [(&str, u16); 5] = [
    ("registration", request::COUNTER_SET),
    ("provider-name", request::PROVIDER_NAME),
    ("provider-guid", request::PROVIDER_GUID),
    ("english-name", request::ENGLISH_SET_NAME),
    ("english-counter-names", request::ENGLISH_COUNTER_NAMES),
];

/// Files of requests in a language: its id may follow, as four hexadecimal digits.
const LOCALISED: [(&str, u16); 4] = [
    ("name", request::SET_NAME),
    ("description", request::SET_DESCRIPTION),
    ("counter-names", request::COUNTER_NAMES),
    ("counter-descriptions", request::COUNTER_DESCRIPTIONS),
];

/// A file in the directory of a counterset.
pub(super) fn counterset_call(file: &str) -> Option<Call> {
    let stem = file.strip_suffix(".bin")?;
    if let Some((_, code)) = PLAIN.iter().find(|(name, _)| *name == stem) {
        return Some(Call::request(*code, 0));
    }
    if stem == "instances" {
        return Some(Call::plain(opnum::ENUMERATE_INSTANCES));
    }
    if let Some((_, code)) = LOCALISED.iter().find(|(name, _)| *name == stem) {
        return Some(Call::request(*code, 0));
    }
    let (name, argument) = stem.rsplit_once('-')?;
    if name == "counter" {
        return argument.parse().ok().map(|id| Call::request(request::COUNTER, id));
    }
    let (_, code) = LOCALISED.iter().find(|(known, _)| *known == name)?;
    let language = (argument.len() == 4).then(|| u32::from_str_radix(argument, 16).ok())??;
    Some(Call::request(*code, language))
}

/// The number of a query, from the name of its directory: `query-1`.
pub(super) fn query_number(directory: &str) -> Option<u32> {
    directory.strip_prefix("query-")?.parse().ok()
}

/// A file in the directory of a query, with its sequence number: `000002-data.bin`.
pub(super) fn query_call(file: &str) -> Option<(u64, Call)> {
    let (number, what) = file.strip_suffix(".bin")?.split_once('-')?;
    let call = match what {
        "info" => Call::plain(opnum::QUERY_COUNTER_INFO),
        "data" => Call::plain(opnum::QUERY_COUNTER_DATA),
        "add" => Call { argument: 1, ..Call::plain(opnum::VALIDATE_COUNTERS) },
        "remove" => Call::plain(opnum::VALIDATE_COUNTERS),
        _ => return None,
    };
    Some((number.parse().ok()?, call))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_in_a_file() {
        let call = |file| counterset_call(file).map(|call| (call.opnum, call.request_code, call.argument));
        assert_eq!(call("registration.bin"), Some((1, 1, 0)));
        assert_eq!(call("counter-17.bin"), Some((1, 2, 17)));
        assert_eq!(call("name.bin"), Some((1, 3, 0)));
        assert_eq!(call("counter-names-0407.bin"), Some((1, 5, 0x407)));
        assert_eq!(call("english-counter-names.bin"), Some((1, 10, 0)));
        assert_eq!(call("instances.bin"), Some((2, 0, 0)));
        for other in
            ["registration", "registration.txt", "counter-x.bin", "name-7.bin", "name-zzzz.bin", "x-1.bin"]
        {
            assert_eq!(counterset_call(other), None, "{other}");
        }
        let query = |file| query_call(file).map(|(number, call)| (number, call.opnum, call.argument));
        assert_eq!(query("000007-data.bin"), Some((7, 6, 0)));
        assert_eq!(query("1-info.bin"), Some((1, 5, 0)));
        assert_eq!((query("2-add.bin"), query("3-remove.bin")), (Some((2, 7, 1)), Some((3, 7, 0))));
        assert_eq!((query("x-data.bin"), query("4-other.bin")), (None, None));
        assert_eq!((query_number("query-3"), query_number("queries")), (Some(3), None));
    }
}
