//! Messages: how sessions are kept.

use crate::support;

use proptest::prelude::*;
use recount_bytes::SystemTime;
use recount_model::{Piece, Split, Timestamp};
use recount_pcq::{
    DataClocks, Guid, InstanceBuf, Message, MessageHeader, MessageSplit, QueryDataBuf, ReturnCode, dump,
    messages, opnum, request,
};
use support::{GUID, hex, rows};

fn write(header: MessageHeader, buffer: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Message { header, buffer }.write(&mut out);
    out
}

fn sample(buffer: &[u8]) -> Vec<u8> {
    let header = MessageHeader { opnum: opnum::QUERY_COUNTER_DATA, query: 1, ..MessageHeader::default() };
    write(header, buffer)
}

/// An answer with one block of each type that has values.
fn data() -> Vec<u8> {
    let mut buf = QueryDataBuf::new(DataClocks::default());
    let rows = [(InstanceBuf::new(1, "ab"), [1; 8]), (InstanceBuf::new(2, "cde"), [2; 8])];
    buf.push_error(3);
    buf.push_single([4; 4]);
    buf.push_multi_counters(&[(5, [5; 8]), (6, [6; 8])]);
    buf.push_multi_instances(&rows);
    buf.push_counter_set(&[7, 8], &rows.map(|(instance, value)| (instance, vec![value, value])));
    buf.finish()
}

#[test]
fn a_message_is_48_bytes_and_a_buffer() {
    let bytes = hex(&format!(
        "50 43 51 4d  34000000  0100 0500  09040000  {GUID}  6a100000 efbeadde  0807060504030201  aabbccdd"
    ));
    let header = MessageHeader {
        opnum: opnum::QUERY_REGISTRATION_INFO,
        request_code: request::COUNTER_NAMES,
        argument: 0x409,
        guid: "f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11".parse().expect("a GUID"),
        return_code: ReturnCode::WMI_ITEMID_NOT_FOUND,
        query: 0xDEAD_BEEF,
        time: Timestamp(0x0102_0304_0506_0708),
    };
    assert_eq!(rows(&write(header, &[0xAA, 0xBB, 0xCC, 0xDD])), rows(&bytes));
    let longer = [&bytes[..], &[1, 2, 3]].concat();
    let message = Message::parse(&longer, 0).expect("sound");
    assert_eq!((message.header, message.buffer), (header, [0xAA, 0xBB, 0xCC, 0xDD].as_slice()));
    assert_eq!((message.len(), message.is_sample(), message.time_of_sample()), (52, false, header.time));
}

#[test]
fn samples_are_of_when_their_values_were_collected() {
    let time = |perf_time_100ns, system_time| {
        let clocks = DataClocks { perf_time_100ns, system_time, ..DataClocks::default() };
        let header = MessageHeader {
            opnum: opnum::QUERY_COUNTER_DATA,
            time: Timestamp(99),
            ..MessageHeader::default()
        };
        let bytes = write(header, &QueryDataBuf::new(clocks).finish());
        let message = Message::parse(&bytes, 0).expect("sound");
        assert!(message.is_sample());
        message.time_of_sample()
    };
    let date = SystemTime { year: 1601, month: 1, day: 1, second: 1, ..Default::default() };
    assert_eq!(time(7, date), Timestamp(7));
    assert_eq!(time(0, date), Timestamp(10_000_000));
    assert_eq!(time(0, SystemTime::default()), Timestamp(99));
    let failed =
        MessageHeader { opnum: opnum::QUERY_COUNTER_DATA, time: Timestamp(5), ..MessageHeader::default() };
    assert_eq!(Message { header: failed, buffer: &[] }.time_of_sample(), Timestamp(5));
}

#[test]
fn a_stream_goes_on_behind_damage() {
    let mut stream = Vec::new();
    for number in 0..3_u8 {
        stream.extend(sample(&[number; 5]));
        stream.resize(stream.len().next_multiple_of(Message::ALIGNMENT), 0);
    }
    let read = |bytes: &[u8], ofs| {
        let items = messages(bytes, ofs);
        items.map(|item| (item.ofs, item.end, item.message.is_ok())).collect::<Vec<_>>()
    };
    assert_eq!(read(&stream, 0), [(0, 56, true), (56, 112, true), (112, 168, true)]);
    assert_eq!(read(&stream, 112), [(112, 168, true)]);
    assert_eq!(read(&stream[..165], 112), [(112, 165, true)], "no padding behind the last");
    assert_eq!(read(&stream[..164], 112), [(112, 164, false)]);
    stream[60] = 0;
    assert_eq!(read(&stream, 0), [(0, 56, true), (56, 112, false), (112, 168, true)]);
    let error = messages(&stream, 56).next().and_then(|item| item.message.err()).expect("damaged");
    assert_eq!(
        error.to_string(),
        "message.len_message at byte 0x3c (structure starts at 0x38): expected at least 48, found 0"
    );
    stream[112] = 0;
    assert_eq!(read(&stream, 0), [(0, 56, true), (56, 168, false)]);
    assert_eq!(read(&[], 0), []);
}

#[test]
fn a_sample_falls_into_headers_ids_instances_and_values() {
    let record = sample(&data());
    let mut pieces = Vec::new();
    MessageSplit::default().split(&record, &mut pieces);
    let lengths: Vec<(u32, u32)> = pieces.iter().map(|piece| (piece.section, piece.len)).collect();
    let expected = [
        (Piece::FRAME, 96),
        (0, 16),
        (1, 16),
        (1, 16),
        (2, 16),
        (2, 16),
        (2, 32),
        (3, 16),
        (3, 8),
        (3, 16),
        (3, 16),
        (3, 16),
        (3, 16),
        (4, 16),
        (4, 16),
        (4, 8),
        (4, 16),
        (4, 32),
        (4, 16),
        (4, 32),
    ];
    assert_eq!(lengths, expected);
    // What belongs to an instance has its key, which another sample has again.
    let keys = |pieces: &[Piece]| pieces.iter().map(|piece| piece.key).collect::<Vec<_>>();
    let of_rows = keys(&pieces[16..]);
    assert!(of_rows[0] == of_rows[1] && of_rows[2] == of_rows[3] && of_rows[0] != of_rows[2]);
    let mut again = Vec::new();
    MessageSplit::default().split(&record, &mut again);
    assert_eq!(pieces, again);
}

#[test]
fn what_leads_nowhere_stays_in_one_piece() {
    let sound = sample(&data());
    let mut wrong_size = sound.clone();
    wrong_size[96 + 8] = 17;
    let mut wrong_total = sound.clone();
    wrong_total[48] -= 8;
    let longer = [&sound[..], &[0; 8]].concat();
    let names = write(MessageHeader { opnum: 1, request_code: 5, ..MessageHeader::default() }, &[0; 20]);
    for record in [wrong_size, wrong_total, longer, names, Vec::from(*b"PCQM"), vec![0; 70]] {
        let mut pieces = Vec::new();
        MessageSplit::default().split(&record, &mut pieces);
        let lengths: Vec<(u32, usize)> =
            pieces.iter().map(|piece| (piece.section, piece.len as usize)).collect();
        assert_eq!(lengths, [(Piece::FRAME, record.len())]);
    }
    // A block of an unknown type is one piece of its section: the others are read apart from it.
    let mut unknown = sound;
    unknown[96 + 16 + 4] = 9;
    let mut pieces = Vec::new();
    MessageSplit::default().split(&unknown, &mut pieces);
    assert_eq!((pieces[2].section, pieces[2].len, pieces.len()), (1, 32, 19));
}

#[test]
fn a_dump_has_a_line_per_field() {
    let mut buf =
        QueryDataBuf::new(DataClocks { perf_time_100ns: 132_251_763_060_070_000, ..Default::default() });
    buf.push_counter_set(&[7], &[(InstanceBuf::new(1, "ab"), vec![[1, 0, 0, 0]])]);
    let mut bytes = buf.finish();
    bytes[4] = 2;
    let record = sample(&bytes);
    let mut text = String::new();
    dump(&Message::parse(&record, 0).expect("sound"), 0x1000, &mut text).expect("writing to a string");
    let expected = "\
0x00001000 message
0x00001000   signature = \"PCQM\"
0x00001004   len_message = 168
0x00001008   opnum = 6 (PerflibV2QueryCounterData)
0x0000100a   request_code = 0
0x0000100c   argument = 0x0
0x00001010   counterset_guid = 00000000-0000-0000-0000-000000000000
0x00001020   return_code = ERROR_SUCCESS
0x00001024   query = 1
0x00001028   time = 0 (1601-01-01T00:00:00Z)
0x00001030   _PERF_DATA_HEADER
0x00001030     dwTotalSize = 120
0x00001034     dwNumCounter = 2
0x00001038     PerfTimeStamp = 0
0x00001040     PerfTime100NSec = 132251763060070000 (2020-02-03T04:05:06.007Z)
0x00001048     PerfFreq = 0
0x00001050     SystemTime = 0000-00-00 00:00:00.000, day of week 0
0x00001060     _PERF_COUNTER_HEADER 0
0x00001060       dwStatus = ERROR_SUCCESS
0x00001064       dwType = PERF_COUNTERSET
0x00001068       dwSize = 72
0x0000106c       Reserved = 0
0x00001070       _PERF_MULTI_COUNTERS
0x00001070         dwSize = 16
0x00001074         dwCounters = 1
0x00001078         counter id = 7
0x0000107c         padding = 00 00 00 00
0x00001080       _PERF_MULTI_INSTANCES
0x00001080         dwTotalSize = 40
0x00001084         dwInstances = 1
0x00001088         _PERF_INSTANCE_HEADER 0
0x00001088           Size = 16
0x0000108c           InstanceId = 1
0x00001090           name = \"ab\"
0x00001096           padding = 00 00
0x00001098           _PERF_COUNTER_DATA [7]
0x00001098             dwDataSize = 4
0x0000109c             dwSize = 16
0x000010a0             value = 1
0x000010a4             padding = 00 00 00 00
! _PERF_DATA_HEADER.dwNumCounter at byte 0x1034 (structure starts at 0x1030): expected at most 1, found 2
";
    assert_eq!(text, expected);
}

/// Both kinds of tables (formats/ms-pcq.md#tables-of-strings) with the same strings.
#[test]
fn dumps_show_what_offsets_count_from() {
    let dumped = |buffer: &str| {
        let (opnum, request_code) = (opnum::QUERY_REGISTRATION_INFO, request::COUNTER_NAMES);
        let header = MessageHeader { opnum, request_code, ..MessageHeader::default() };
        let mut text = String::new();
        dump(&Message { header, buffer: &hex(buffer) }, 0, &mut text).expect("writing to a string");
        text.split_once("_STRING_COUNTER_HEADER 0\n").expect("a first entry").1.to_owned()
    };
    let expected = "\
0x00000038       dwCounterId = 7
0x0000003c       dwOffset = 4
0x0000004c       string = \"b\"
0x00000040     _STRING_COUNTER_HEADER 1
0x00000040       dwCounterId = 8
0x00000044       dwOffset = 0
0x00000048       string = \"a\"
";
    assert_eq!(
        dumped("20000000 02000000  07000000 04000000  08000000 00000000  6100 0000 6200 0000"),
        expected
    );
    let expected = "\
0x00000038       dwCounterId = 7
0x0000003c       dwOffset = 28 (from the start of the table)
0x0000004c       string = \"b\"
0x00000040     _STRING_COUNTER_HEADER 1
0x00000040       dwCounterId = 8
0x00000044       dwOffset = 0xffffffff (no string)
";
    assert_eq!(
        dumped("20000000 02000000  07000000 1c000000  08000000 ffffffff  6100 0000 6200 0000"),
        expected
    );
}

#[test]
fn dumps_show_every_buffer() {
    let guid = hex(GUID);
    let table = hex("20000000 02000000  07000000 00000000  09000000 00000000  6100 6200 6300 0000");
    let counters = [&guid[..], &[0; 8], &[1, 0, 0, 0], &[0; 4], &[0; 48]].concat();
    for (number, request_code, buffer, expected) in [
        (0, 0, guid.clone(), "0x00000030     GUID = f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11\n"),
        (1, 1, counters, "0x00000064       DefaultScale = 0\n"),
        (1, 2, vec![0; 48], "0x0000004c     PerfTimeId = 0\n"),
        (1, 4, hex("6100 0000"), "0x00000030     string = \"a\"\n"),
        (1, 6, table, "0x00000048       string = shares its bytes with strings above\n"),
        (1, 8, guid.clone(), "0x00000030     GUID = f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11\n"),
        (1, 11, vec![1; 70], "01 01 ... (70 bytes)\n"),
        (2, 0, hex("10000000 05000000 6100 0000 01020304"), "0x0000003c     padding = 01 02 03 04\n"),
        (5, 0, hex("0000"), "! _PERF_COUNTER_IDENTIFIER.CounterSetGuid at byte 0x30: the bytes end inside"),
        (
            7,
            0,
            [&guid[..], &[0xB7, 0, 0, 0, 40, 0, 0, 0], &[0; 16]].concat(),
            "Status = ERROR_ALREADY_EXISTS\n",
        ),
    ] {
        let header = MessageHeader { opnum: number, request_code, ..MessageHeader::default() };
        let mut text = String::new();
        dump(&Message { header, buffer: &buffer }, 0, &mut text).expect("writing to a string");
        assert!(text.contains(expected), "{expected}\nnot in\n{text}");
    }
    let header = MessageHeader { return_code: ReturnCode(8), ..MessageHeader::default() };
    let mut text = String::new();
    dump(&Message { header, buffer: &guid[..3] }, 0, &mut text).expect("writing to a string");
    assert!(text.ends_with("0x00000030     buffer = 1c 0e fb\n"), "{text}");
}

proptest! {
    #[test]
    fn messages_round_trip(
        words in any::<(u16, u16, u32, u32, u32, i64)>(),
        guid in any::<[u8; 16]>(),
        buffer in prop::collection::vec(any::<u8>(), 0..200),
        ofs in 0_u64..1000,
    ) {
        let (opnum, request_code, argument, return_code, query, time) = words;
        let return_code = ReturnCode(return_code);
        let (guid, time) = (Guid(guid), Timestamp(time));
        let header = MessageHeader { opnum, request_code, argument, guid, return_code, query, time };
        let bytes = write(header, &buffer);
        let message = Message::parse(&bytes, ofs).expect("sound");
        prop_assert_eq!((message.header, message.buffer), (header, &buffer[..]));
        prop_assert_eq!(write(message.header, message.buffer), bytes);
    }

    #[test]
    fn pieces_make_up_any_bytes(
        edits in prop::collection::vec((0_usize..500, any::<u8>()), 0..4),
        len in 0_usize..600,
        extra in 0_usize..9,
    ) {
        let mut record = sample(&data());
        for (at, value) in edits {
            if let Some(byte) = record.get_mut(at) {
                *byte = value;
            }
        }
        record.truncate(len);
        record.extend(std::iter::repeat_n(0, extra));
        let mut pieces = Vec::new();
        MessageSplit::default().split(&record, &mut pieces);
        prop_assert_eq!(pieces.iter().map(|piece| piece.len as usize).sum::<usize>(), record.len());
    }
}
