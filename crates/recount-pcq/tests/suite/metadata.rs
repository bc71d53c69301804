//! Countersets, texts, instances and identifiers, byte by byte as in the diagrams of MS-PCQ 3.1.4.1.

use crate::support;

use recount_model::{CounterAttributes, CounterType};
use recount_pcq::{
    ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, CounterIdentifiers, CounterRegInfo, CounterSetRegInfo,
    Guid, InstanceBuf, Instances, Registration, ReturnCode, StringOrigin, StringTable, StringTableBuf, Text,
    parse_guids,
};
use support::{GUID, hex, rows};

/// `PERF_COUNTER_COUNTER`, id 5.
const COUNTER: &str =
    "05000000 00044110 0800000000000000 64000000 feffffff 06000000 07000000 08000000 09000000
    03000000 efbeadde";

fn counter() -> CounterRegInfo {
    CounterRegInfo {
        counter_id: 5,
        counter_type: CounterType(0x1041_0400),
        attributes: CounterAttributes::DISPLAY_AS_REAL,
        detail_level: 100,
        default_scale: -2,
        base_counter_id: 6,
        perf_time_id: 7,
        perf_freq_id: 8,
        multi_id: 9,
        aggregate_func: 3,
        reserved: 0xDEAD_BEEF,
    }
}

fn written(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out);
    out
}

#[test]
fn guids_read_and_show_in_their_order_of_bytes() {
    let bytes = hex(&format!("{GUID} 00112233 4455 6677 8899 aabbccddeeff"));
    let guids = parse_guids(&bytes, 0).expect("two");
    let texts: Vec<String> = guids.iter().map(Guid::to_string).collect();
    assert_eq!(texts, ["f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11", "33221100-5544-7766-8899-aabbccddeeff"]);
    assert_eq!(written(|out| guids.iter().for_each(|guid| guid.write(out))), bytes);
    assert_eq!(parse_guids(&[], 0), Ok(Vec::new()));
    assert_eq!(Guid::parse(&bytes[..16], 0), Ok(guids[0]));
    for text in ["f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11", "{F9FB0E1C-8B1F-4B1E-8D53-3F5D1C9E0A11}"] {
        assert_eq!(text.parse(), Ok(guids[0]), "{text}");
    }
    let error = "f9fb0e1c".parse::<Guid>().expect_err("too short").to_string();
    assert!(error.ends_with("found \"f9fb0e1c\""), "{error}");
}

/// Request code 1, figure 1.
#[test]
fn a_registration_is_a_counterset_and_its_counters() {
    let bytes = hex(&format!("{GUID} 00000000 c8000000 02000000 0c000000 {COUNTER} {COUNTER}"));
    let registration = Registration::parse(&bytes, 0).expect("sound");
    let set = CounterSetRegInfo {
        guid: "f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11".parse().expect("a GUID"),
        counter_set_type: 0,
        detail_level: 200,
        num_counters: 2,
        instance_type: 0xC,
    };
    assert_eq!(registration, Registration { set, counters: vec![counter(), counter()] });
    assert_eq!(rows(&written(|out| registration.write(out))), rows(&bytes));
    let none = hex(&format!("{GUID} 01000000 64000000 00000000 00000000"));
    let registration = Registration::parse(&none, 0).expect("sound");
    assert_eq!((registration.set.counter_set_type, registration.counters.len()), (1, 0));
}

/// Request code 2.
#[test]
fn a_counter_stands_alone() {
    let bytes = hex(COUNTER);
    assert_eq!(CounterRegInfo::parse(&bytes, 0), Ok(counter()));
    assert_eq!(written(|out| counter().write(out)), bytes);
}

/// Request codes 3, 4, 7 and 9.
#[test]
fn a_text_ends_with_a_null() {
    let bytes = hex("4700 f600 3dd8 bedc 0000");
    let text = Text::parse(&bytes, 0).expect("sound");
    assert_eq!((text.to_string_lossy().as_str(), text.padding), ("Gö💾", &[] as &[u8]));
    assert!(text.is("Gö💾") && !text.is("Gö") && !text.is_empty());
    assert_eq!(Text::encode("Gö💾"), bytes);
    let padded = hex("6100 0000 ffff");
    let text = Text::parse(&padded, 0).expect("sound");
    assert_eq!((text.to_string_lossy().as_str(), text.padding), ("a", [0xFF_u8, 0xFF].as_slice()));
    assert_eq!(written(|out| text.write(out)), padded);
    assert_eq!(Text::encode("a\0b"), hex("6100 0000"));
    assert_eq!(Text::parse(&hex("00d8 0000"), 0).expect("sound").to_string_lossy(), "\u{fffd}");
}

/// Request code 5, figure 2: consecutive names of 6 and of 8 bytes, and padding at the end.
#[test]
fn two_counter_names() {
    let bytes = hex("28000000 02000000  07000000 00000000  09000000 06000000
         6100 6200 0000  6300 6400 6500 0000  0000");
    let table = StringTable::parse(&bytes, 0).expect("sound");
    assert_eq!((table.len, table.num_counters()), (40, 2));
    let texts = [(7, "ab".to_owned()), (9, "cde".to_owned())];
    assert_eq!(table.iter().collect::<Vec<_>>(), texts);
    assert_eq!(rows(&written(|out| table.write(out))), rows(&bytes));
    let buf = StringTableBuf { entries: texts.into() };
    assert_eq!(rows(&written(|out| buf.write(out))), rows(&bytes));
}

#[test]
fn strings_share_bytes_and_come_in_any_order() {
    let bytes = hex("26000000 03000000  01000000 02000000  02000000 00000000  03000000 02000000
         6100 6200 0000  cccc");
    let table = StringTable::parse(&bytes, 0).expect("sound");
    let texts: Vec<String> = table.iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["b", "ab", "b"]);
    let offsets: Vec<u32> = table.offsets().map(|(_, ofs_string)| ofs_string).collect();
    assert_eq!(offsets, [2, 0, 2]);
    // The buffer is longer than the table.
    assert_eq!(table.trailing, [0xCC, 0xCC]);
    assert_eq!(written(|out| table.write(out)), bytes);
    let empty = hex("08000000 00000000");
    assert_eq!(StringTable::parse(&empty, 0).expect("sound").iter().count(), 0);
    assert_eq!(written(|out| StringTableBuf::default().write(out)), empty);
}

/// `PERF_STRING_BUFFER_HEADER` of `perflib.h`: the strings of [`two_counter_names`], with offsets from the start of the table,
/// and a counter that has none.
#[test]
fn a_table_of_the_local_interface() {
    let bytes = hex("30000000 03000000  07000000 20000000  08000000 ffffffff  09000000 26000000
         6100 6200 0000  6300 6400 6500 0000  0000");
    let table = StringTable::parse(&bytes, 0).expect("sound");
    assert_eq!((table.len, table.num_counters(), table.origin), (48, 3, StringOrigin::Table));
    assert_eq!(table.iter().collect::<Vec<_>>(), [(7, "ab".to_owned()), (9, "cde".to_owned())]);
    let offsets: Vec<(u32, u32)> = table.offsets().collect();
    assert_eq!(offsets, [(7, 0x20), (8, u32::MAX), (9, 0x26)]);
    assert_eq!(rows(&written(|out| table.write(out))), rows(&bytes));
}

/// The offsets of one table count from one place: one below the end of the headers decides for all.
#[test]
fn the_least_offset_says_what_all_count_from() {
    let origin = |bytes: &str| {
        let bytes = hex(bytes);
        let table = StringTable::parse(&bytes, 0).expect("sound");
        (table.origin, table.iter().map(|(_, text)| text).collect::<Vec<_>>())
    };
    // 24, the end of the headers, leads past the first 24 bytes of strings if 0 does not.
    let strings = "61006200 63006400 65006600 67006800 69006a00 6b000000  7a000000";
    assert_eq!(
        origin(&format!("34000000 02000000  01000000 00000000  02000000 18000000  {strings}")),
        (StringOrigin::Strings, vec!["abcdefghijk".to_owned(), "z".to_owned()])
    );
    assert_eq!(
        origin(&format!("34000000 02000000  01000000 30000000  02000000 18000000  {strings}")),
        (StringOrigin::Table, vec!["z".to_owned(), "abcdefghijk".to_owned()])
    );
    // A counter without a string says nothing about the others.
    assert_eq!(
        origin("24000000 02000000  01000000 ffffffff  02000000 02000000  61006200 63006400 00000000"),
        (StringOrigin::Strings, vec!["bcd".to_owned()])
    );
    assert_eq!(origin("10000000 01000000  01000000 ffffffff"), (StringOrigin::Strings, Vec::new()));
}

/// Figure 3: names of 6 and of 8 bytes, and padding that may contain anything.
#[test]
fn two_instances() {
    let bytes = hex("10000000 01000000  6100 6200 0000 cdab   10000000 02000000  6300 6400 6500 0000");
    let instances: Vec<_> = Instances::parse(&bytes, 0).map(|instance| instance.expect("sound")).collect();
    let read: Vec<_> = instances
        .iter()
        .map(|instance| (instance.size, instance.id, instance.name.to_string_lossy()))
        .collect();
    assert_eq!(read, [(16, 1, "ab".to_owned()), (16, 2, "cde".to_owned())]);
    assert_eq!(instances[0].name.padding, [0xCD, 0xAB]);
    assert_eq!(rows(&written(|out| instances.iter().for_each(|instance| instance.write(out)))), rows(&bytes));
    let mut zeroed = bytes;
    zeroed[14..16].fill(0);
    let out = written(|out| {
        InstanceBuf::new(1, "ab").write(out);
        InstanceBuf::new(2, "cde").write(out);
    });
    assert_eq!(rows(&out), rows(&zeroed));
    assert_eq!(Instances::parse(&[], 0).count(), 0);
}

/// Figure 4: names of 6 and of 8 bytes; the padding is zero.
#[test]
fn two_identifiers() {
    let bytes = hex(&format!(
        "{GUID} 00000000 30000000 05000000 01000000 00000000 00000000  6100 6200 0000 0000
         {GUID} 68100000 30000000 ffffffff 02000000 01000000 00000000  2a00 0000 0000 0000"
    ));
    let identifiers: Vec<_> =
        CounterIdentifiers::parse(&bytes, 0).map(|identifier| identifier.expect("sound")).collect();
    let [first, second] = identifiers[..] else { panic!("two, not {}", identifiers.len()) };
    assert_eq!(
        (first.status, first.size, first.counter_id, first.instance_id, first.index),
        (0, 48, 5, 1, 0)
    );
    assert!(first.name.is("ab") && first.guid.to_string().starts_with("f9fb0e1c-"));
    assert_eq!(ReturnCode(second.status), ReturnCode::WMI_GUID_NOT_FOUND);
    assert_eq!((second.counter_id, second.instance_id, second.index), (ANY_COUNTER, 2, 1));
    assert!(second.name.is(ANY_INSTANCE));
    assert_eq!(written(|out| identifiers.iter().for_each(|one| one.write(out))), bytes);
    let out = written(|out| {
        CounterIdentifierBuf::new(first.guid, 5, 1, "ab").write(out);
        second.to_buf().write(out);
    });
    assert_eq!(rows(&out), rows(&bytes));
}

/// 3.1.4.1.7: that of a single instance "MUST be followed by a string instance name", not by a null-terminated one.
#[test]
fn the_name_of_a_single_instance_needs_no_null() {
    for (size, name, text) in [("30", "6100 6200 6300 6400", "abcd"), ("28", "", "")] {
        let bytes = hex(&format!("{GUID} 00000000 {size}000000 05000000 00000000 00000000 07000000 {name}"));
        let identifiers: Vec<_> = CounterIdentifiers::parse(&bytes, 0).collect();
        let [Ok(identifier)] = &identifiers[..] else { panic!("{identifiers:?}") };
        assert_eq!((identifier.name.to_string_lossy().as_str(), identifier.reserved), (text, 7));
        assert!(!identifier.name.is_terminated);
        assert_eq!(written(|out| identifier.write(out)), bytes);
    }
}

#[test]
fn return_codes_have_their_names() {
    for (code, name) in [
        (0x0, "ERROR_SUCCESS"),
        (0x3, "ERROR_PATH_NOT_FOUND"),
        (0x5, "ERROR_ACCESS_DENIED"),
        (0x8, "ERROR_NOT_ENOUGH_MEMORY"),
        (0xE, "ERROR_OUTOFMEMORY"),
        (0x57, "ERROR_INVALID_PARAMETER"),
        (0xB7, "ERROR_ALREADY_EXISTS"),
        (0x5AA, "ERROR_NO_SYSTEM_RESOURCES"),
        (0x1068, "ERROR_WMI_GUID_NOT_FOUND"),
        (0x1069, "ERROR_WMI_INSTANCE_NOT_FOUND"),
        (0x106A, "ERROR_WMI_ITEMID_NOT_FOUND"),
        (0x1073, "ERROR_WMI_INVALID_REGINFO"),
        (0x1234, "0x1234"),
    ] {
        assert_eq!(ReturnCode(code).to_string(), name);
        assert_eq!(ReturnCode(code).is_success(), code == 0);
    }
}
