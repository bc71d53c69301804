//! Raw dumps: `big-endian.bin`, and `series/`, three dumps of one machine with its name table.

use std::io;

use crate::blocks::ObjectBuf;
use recount_bytes::ByteOrder;
use recount_model::{NameTable, Timestamp};

use super::block::{Clocks, Counter, Rows, block, object};
use super::log::{after, seconds};

const SYSTEM: [Counter; 3] = [(146, 0x1041_0400, -2), (44, 0x0001_0000, 1), (674, 0x3024_0500, -5)];
const NETWORK: [Counter; 2] = [(388, 0x1041_0500, -4), (520, 0x0001_0100, -6)];

/// 1998-07-01T12:00:00Z, as an RS/6000 or a MIPS machine running NT 4 would have told it.
const BIG_ENDIAN_TIME: Timestamp = seconds(12_543_768_000);

/// One block in which every number is big-endian.
pub(crate) fn big_endian() -> io::Result<Vec<u8>> {
    const ORDER: ByteOrder = ByteOrder::Big;
    let time = BIG_ENDIAN_TIME;
    let system = vec![0xFEDC_BA98, 3, (time.0 - 1_234 * Timestamp::TICKS_PER_SECOND) as u64];
    let clock = (time.0, Timestamp::TICKS_PER_SECOND);
    let network = vec![("tr0".to_owned(), vec![0x0102_0304_0506_0708, 16_000_000])];
    let objects = vec![
        object(ORDER, 2, &SYSTEM, Rows::Single(system), clock),
        object(ORDER, 510, &NETWORK, Rows::Many(network), (0, 0)),
    ];
    let clocks = Clocks { utc: time, shown: time, perf_time: 0x0001_0000_0000, perf_freq: 1_000_000 };
    block(ORDER, "RISC", clocks, objects)
}

/// 2024-02-29T23:59:50Z: the dumps are from before, at and after midnight.
const START: Timestamp = seconds(13_353_724_790);
const INTERVAL_S: i64 = 10;
const PERF_FREQ: i64 = 10_000_000;

/// The files of `series/`.
pub(crate) fn series() -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    let dump = |k: u64| {
        let utc = after(START, k as i64 * INTERVAL_S);
        let perf_time = 1_000_000_000 + k as i64 * INTERVAL_S * PERF_FREQ;
        let clocks = Clocks { utc, shown: utc, perf_time, perf_freq: PERF_FREQ };
        block(ByteOrder::Little, "SERIES", clocks, objects(k, utc))
    };
    let names = NameTable::from_text(
        "1\n1847\n2\nSystem\n44\nProcessor Queue Length\n146\nContext Switches/sec\n388\nBytes Total/sec\n510\n\
         Network Interface\n520\nCurrent Bandwidth\n674\nSystem Up Time",
    );
    Ok(vec![
        ("series/1.bin", dump(0)?),
        ("series/2.bin", dump(1)?),
        ("series/3.bin", dump(2)?),
        ("series/Counter 009.txt", names.to_text().into_bytes()),
    ])
}

fn objects(k: u64, utc: Timestamp) -> Vec<ObjectBuf> {
    const ORDER: ByteOrder = ByteOrder::Little;
    let system = vec![70_000 + 12_345 * k, 2 * k, (START.0 - 3_600 * Timestamp::TICKS_PER_SECOND) as u64];
    let name = "Intel[R] 82574L".to_owned();
    let network = vec![(name, vec![5_000_000_000 + 250_000 * k, 1_000_000_000])];
    vec![
        object(ORDER, 2, &SYSTEM, Rows::Single(system), (utc.0, Timestamp::TICKS_PER_SECOND)),
        object(ORDER, 510, &NETWORK, Rows::Many(network), (0, 0)),
    ]
}
