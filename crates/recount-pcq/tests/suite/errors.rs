//! Exact errors of invalid buffers.

use crate::support;

use recount_bytes::FormatError;
use recount_pcq::{
    CounterIdentifiers, CounterRegInfo, Guid, Instances, Message, QueryData, Registration, StringTable, Text,
    parse_guids,
};
use support::{GUID, hex};

fn told<T>(read: Result<T, FormatError>) -> String {
    match read {
        Ok(_) => "sound".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// The first error of the blocks of an answer: 48 bytes of header, `dwNumCounter` 1.
fn blocks(block: &str) -> String {
    let block = hex(block);
    let mut bytes = (48 + block.len() as u32).to_le_bytes().to_vec();
    bytes.extend([1, 0, 0, 0]);
    bytes.extend([0; 40]);
    bytes.extend(block);
    let data = QueryData::parse(&bytes, 0x1000).expect("a sound header");
    told(data.blocks().collect::<Result<Vec<_>, _>>())
}

#[test]
fn guids() {
    assert_eq!(
        told(parse_guids(&hex(&format!("{GUID} 01020304")), 0x1000)),
        "counterset GUIDs.GUID at byte 0x1010: the bytes end inside this field, 4 left"
    );
    assert_eq!(
        told(Guid::parse(&[0; 15], 0x1000)),
        "provider GUID.GUID at byte 0x1000: the bytes end inside this field, 15 left"
    );
    assert_eq!(
        told(Guid::parse(&[7; 17], 0x1000)),
        "provider GUID.end at byte 0x1010 (structure starts at 0x1000): expected the end of the buffer, found 07"
    );
}

#[test]
fn registrations() {
    let set = |num: u32| [hex(GUID), vec![0; 8], num.to_le_bytes().to_vec(), vec![0; 4]].concat();
    for (bytes, error) in [
        (
            [set(2), vec![0; 48]].concat(),
            "_PERF_COUNTERSET_REG_INFO.NumCounters at byte 0x1018 (structure starts at 0x1000): \
             expected at most 1, found 2",
        ),
        (
            [set(u32::MAX), vec![0; 95]].concat(),
            "_PERF_COUNTERSET_REG_INFO.NumCounters at byte 0x1018 (structure starts at 0x1000): \
             expected at most 1, found 4294967295",
        ),
        (
            [set(1), vec![0; 96]].concat(),
            "_PERF_COUNTERSET_REG_INFO.end at byte 0x1050 (structure starts at 0x1000): \
             expected the end of the buffer, found 00 00 00 00 00 00 00 00",
        ),
        (
            set(0)[..30].to_vec(),
            "_PERF_COUNTERSET_REG_INFO.InstanceType at byte 0x101c (structure starts at 0x1000): \
             the bytes end inside this field, 2 left",
        ),
    ] {
        assert_eq!(told(Registration::parse(&bytes, 0x1000)), error);
    }
    assert_eq!(
        told(CounterRegInfo::parse(&[0; 47], 0)),
        "_PERF_COUNTER_REG_INFO.Reserved at byte 0x2c (structure starts at 0x0): \
         the bytes end inside this field, 3 left"
    );
    assert_eq!(
        told(CounterRegInfo::parse(&[0; 49], 0)),
        "_PERF_COUNTER_REG_INFO.end at byte 0x30 (structure starts at 0x0): expected the end of the buffer, found 00"
    );
}

#[test]
fn texts() {
    assert_eq!(
        told(Text::parse(&hex("6100 6200"), 0x1000)),
        "string.null at byte 0x1004 (structure starts at 0x1000): the bytes end inside this field, 0 left"
    );
    assert_eq!(
        told(Text::parse(&hex("6100 00"), 0x1000)),
        "string.null at byte 0x1002 (structure starts at 0x1000): expected a null that ends the string, found 00"
    );
    for (bytes, error) in [
        (
            "19000000 01000000  01000000 02000000  6100 0000 00000000",
            "_STRING_BUFFER_HEADER.dwSize at byte 0x1000: expected at most 24, found 25",
        ),
        ("07000000 00000000", "_STRING_BUFFER_HEADER.dwSize at byte 0x1000: expected at least 8, found 7"),
        (
            "0f000000 01000000  01000000 00000000",
            "_STRING_BUFFER_HEADER.dwCounters at byte 0x1004 (structure starts at 0x1000): \
             expected at most 0, found 1",
        ),
        (
            "14000000 01000000  01000000 04000000  6100 0000",
            "_STRING_COUNTER_HEADER.dwOffset at byte 0x100c (structure starts at 0x1008): \
             expected at most 2, found 4",
        ),
        // An odd offset, without a null after it.
        (
            "15000000 01000000  01000000 03000000  61 0000 6200",
            "_STRING_COUNTER_HEADER.dwOffset at byte 0x100c (structure starts at 0x1008): \
             expected at most 1, found 3",
        ),
        // Offsets that count from the start of the table.
        (
            "14000000 01000000  01000000 14000000  6100 0000",
            "_STRING_COUNTER_HEADER.dwOffset at byte 0x100c (structure starts at 0x1008): \
             expected at most 18, found 20",
        ),
        (
            "12000000 01000000  01000000 00000000  6100 0000",
            "_STRING_COUNTER_HEADER.dwOffset at byte 0x100c (structure starts at 0x1008): \
             expected the offset of a null-terminated string, found 0",
        ),
    ] {
        assert_eq!(told(StringTable::parse(&hex(bytes), 0x1000)), error);
    }
}

#[test]
fn instances() {
    for (bytes, error) in [
        ("07000000 00000000", "_PERF_INSTANCE_HEADER.Size at byte 0x1000: expected at least 8, found 7"),
        (
            "11000000 00000000 6100 0000",
            "_PERF_INSTANCE_HEADER.Size at byte 0x1000: expected at most 12, found 17",
        ),
        (
            "0c000000 00000000 6100 0000",
            "_PERF_INSTANCE_HEADER.Size at byte 0x1000: expected a multiple of 8, found 12",
        ),
        (
            "10000000 00000000 6100 6200 6300 6400",
            "_PERF_INSTANCE_HEADER.name at byte 0x1010 (structure starts at 0x1000): \
             the bytes end inside this field, 0 left",
        ),
        (
            "10000000 00000000 6100 0000 0000 0000 08000000",
            "_PERF_INSTANCE_HEADER.Size at byte 0x1010: expected at most 4, found 8",
        ),
    ] {
        assert_eq!(told(Instances::parse(&hex(bytes), 0x1000).collect::<Result<Vec<_>, _>>()), error);
    }
}

#[test]
fn identifiers() {
    let identifier = |size: &str| format!("{GUID} 00000000 {size}000000 00000000 00000000 00000000 00000000");
    for (bytes, error) in [
        (identifier("27"), "expected at least 40, found 39"),
        (identifier("30"), "expected at most 40, found 48"),
        (identifier("2c") + "6100 0000", "expected a multiple of 8, found 44"),
    ] {
        let found = told(CounterIdentifiers::parse(&hex(&bytes), 0x1000).collect::<Result<Vec<_>, _>>());
        let place = "_PERF_COUNTER_IDENTIFIER.Size at byte 0x1014 (structure starts at 0x1000): ";
        assert_eq!(found, format!("{place}{error}"));
    }
}

#[test]
fn answers() {
    let parse = |total: u32, len: usize| {
        let bytes = [&total.to_le_bytes(), vec![0; len - 4].as_slice()].concat();
        told(QueryData::parse(&bytes, 0x1000).map(|_| ()))
    };
    assert_eq!(parse(47, 48), "_PERF_DATA_HEADER.dwTotalSize at byte 0x1000: expected at least 48, found 47");
    assert_eq!(parse(65, 64), "_PERF_DATA_HEADER.dwTotalSize at byte 0x1000: expected at most 64, found 65");
    assert_eq!(
        parse(48, 33),
        "_PERF_DATA_HEADER.SystemTime at byte 0x1020 (structure starts at 0x1000): \
         the bytes end inside this field, 1 left"
    );
    assert_eq!(
        blocks(""),
        "_PERF_DATA_HEADER.dwNumCounter at byte 0x1004 (structure starts at 0x1000): expected at most 0, found 1"
    );
    assert_eq!(
        blocks(&"00000000 00000000 10000000 00000000".repeat(2)),
        "_PERF_DATA_HEADER.dwNumCounter at byte 0x1004 (structure starts at 0x1000): expected at least 2, found 1"
    );
}

#[test]
fn blocks_and_their_headers() {
    for (block, error) in [
        (
            "00000000 05000000 10000000 00000000",
            "_PERF_COUNTER_HEADER.dwType at byte 0x1034 (structure starts at 0x1030): \
             expected 0, 1, 2, 4 or 6, found 5",
        ),
        (
            "00000000 00000000 0f000000 00000000",
            "_PERF_COUNTER_HEADER.dwSize at byte 0x1038 (structure starts at 0x1030): \
             expected at least 16, found 15",
        ),
        (
            "00000000 00000000 11000000 00000000",
            "_PERF_COUNTER_HEADER.dwSize at byte 0x1038 (structure starts at 0x1030): \
             expected at most 16, found 17",
        ),
        // "MUST contain one _PERF_COUNTER_HEADER structure".
        (
            "00000000 00000000 18000000 00000000  00000000 00000000",
            "_PERF_COUNTER_HEADER.dwSize at byte 0x1038 (structure starts at 0x1030): \
             expected at most 16, found 24",
        ),
        (
            "00000000 01000000 28000000 00000000  08000000 10000000 0000000000000000  0000000000000000",
            "_PERF_COUNTER_HEADER.dwSize at byte 0x1038 (structure starts at 0x1030): \
             expected at most 32, found 40",
        ),
    ] {
        assert_eq!(blocks(block), error);
    }
}

#[test]
fn values_in_blocks() {
    for (block, error) in [
        (
            "00000000 01000000 20000000 00000000  09000000 18000000 0000000000000000",
            "_PERF_COUNTER_DATA.dwDataSize at byte 0x1040: expected at most 8, found 9",
        ),
        (
            "00000000 01000000 20000000 00000000  08000000 0f000000 0000000000000000",
            "_PERF_COUNTER_DATA.dwSize at byte 0x1044 (structure starts at 0x1040): \
             expected at least 16, found 15",
        ),
        (
            "00000000 01000000 20000000 00000000  01000000 0a000000 0000000000000000",
            "_PERF_COUNTER_DATA.dwSize at byte 0x1044 (structure starts at 0x1040): \
             expected 8 + dwDataSize, or that up to a multiple of 8, found 10",
        ),
        // The padding counts in one size and not in the other.
        (
            "00000000 01000000 1c000000 00000000  04000000 10000000 00000000 00000000",
            "_PERF_COUNTER_DATA.dwSize at byte 0x1044 (structure starts at 0x1040): \
             expected at most 12, found 16",
        ),
        (
            "00000000 02000000 20000000 00000000  0c000000 02000000 00000000 00000000",
            "_PERF_MULTI_COUNTERS.dwCounters at byte 0x1044 (structure starts at 0x1040): \
             expected at most 1, found 2",
        ),
        (
            "00000000 02000000 20000000 00000000  10000000 00000000 00000000 00000000",
            "_PERF_MULTI_COUNTERS.dwSize at byte 0x1040: \
             expected 8 + 4 * dwCounters, or that up to a multiple of 8, found 16",
        ),
        (
            "00000000 02000000 20000000 00000000  0c000000 01000000 00000000 00000000",
            "_PERF_COUNTER_DATA.dwDataSize at byte 0x1050: the bytes end inside this field, 0 left",
        ),
        (
            "00000000 04000000 20000000 00000000  08000000 ffffffff 08000000 00000000",
            "_PERF_INSTANCE_HEADER.Size at byte 0x1048: the bytes end inside this field, 0 left",
        ),
        (
            "00000000 04000000 20000000 00000000  10000000 00000000 08000000 00000000",
            "_PERF_MULTI_INSTANCES.dwTotalSize at byte 0x1040: expected at most 8, found 16",
        ),
        (
            "00000000 06000000 20000000 00000000  08000000 00000000 11000000 00000000",
            "_PERF_MULTI_INSTANCES.dwTotalSize at byte 0x1048: expected at most 8, found 17",
        ),
    ] {
        assert_eq!(blocks(block), error);
    }
}

#[test]
fn messages() {
    for (bytes, error) in [
        ("50 43 51 4e", "message.signature at byte 0x1000: expected \"PCQM\", found 50 43 51 4e"),
        (
            "50 43 51 4d  2f000000",
            "message.len_message at byte 0x1004 (structure starts at 0x1000): expected at least 48, found 47",
        ),
        (
            "50 43 51 4d  31000000",
            "message.len_message at byte 0x1004 (structure starts at 0x1000): expected at most 48, found 49",
        ),
        (
            "50 43 51 4d  30000000 0000",
            "message.request_code at byte 0x100a (structure starts at 0x1000): \
             the bytes end inside this field, 0 left",
        ),
    ] {
        assert_eq!(told(Message::parse(&hex(bytes), 0x1000)), error);
    }
}
