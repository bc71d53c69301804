//! The header before the blocks of an answer.

use nom::Parser;
use nom::number::complete::{le_u32, le_u64};
use recount_bytes::parse::{Parsed, field, structure, within};
use recount_bytes::{ByteOrder, SystemTime};
use recount_model::Timestamp;

/// `_PERF_DATA_HEADER` (MS-PCQ 2.2.4.7), as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataHeader {
    /// `dwTotalSize`: bytes of this structure and of all blocks.
    pub len_total: u32,
    /// `dwNumCounter`: number of blocks.
    pub num_counters: u32,
    /// The clocks.
    pub clocks: DataClocks,
}

/// The clocks of an answer: when its values were collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataClocks {
    /// `PerfTimeStamp`, in ticks of `perf_freq`.
    pub perf_time: u64,
    /// `PerfTime100NSec`: 100 ns since 1601-01-01 UTC.
    pub perf_time_100ns: u64,
    /// `PerfFreq`: ticks of `perf_time` per second.
    pub perf_freq: u64,
    /// `SystemTime`, on the provider's side.
    pub system_time: SystemTime,
}

impl DataHeader {
    /// Length in bytes.
    pub const LEN: usize = 48;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_DATA_HEADER";

    /// Reads the header at the start of a buffer, which must have at least the stated length.
    pub(super) fn read<'a>(i: &'a [u8]) -> Parsed<'a, DataHeader> {
        structure(Self::NAME, |start: &'a [u8]| {
            let max_len = start.len().max(Self::LEN);
            let (i, len_total) = field("dwTotalSize", within(Self::LEN, max_len, le_u32))(start)?;
            let (i, num_counters) = field("dwNumCounter", le_u32)(i)?;
            let (i, clocks) = DataClocks::read(i)?;
            Ok((i, DataHeader { len_total, num_counters, clocks }))
        })
        .parse(i)
    }

    /// Appends the 48 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.len_total.to_le_bytes());
        out.extend_from_slice(&self.num_counters.to_le_bytes());
        for clock in [self.clocks.perf_time, self.clocks.perf_time_100ns, self.clocks.perf_freq] {
            out.extend_from_slice(&clock.to_le_bytes());
        }
        out.extend(self.clocks.system_time.words().into_iter().flat_map(u16::to_le_bytes));
    }
}

impl DataClocks {
    /// Offset in the header.
    const OFS: usize = 8;

    /// The clocks of a buffer, ignoring its length fields; `None` if it is shorter than a header.
    pub(super) fn peek(buffer: &[u8]) -> Option<DataClocks> {
        DataClocks::read(buffer.get(Self::OFS..)?).ok().map(|(_, clocks)| clocks)
    }

    fn read(i: &[u8]) -> Parsed<'_, DataClocks> {
        let (i, perf_time) = field("PerfTimeStamp", le_u64)(i)?;
        let (i, perf_time_100ns) = field("PerfTime100NSec", le_u64)(i)?;
        let (i, perf_freq) = field("PerfFreq", le_u64)(i)?;
        let (i, system_time) = field("SystemTime", |i| SystemTime::parse(i, ByteOrder::Little))(i)?;
        Ok((i, DataClocks { perf_time, perf_time_100ns, perf_freq, system_time }))
    }

    /// The point in time: `PerfTime100NSec`, otherwise `SystemTime`, which has milliseconds. Zeros and
    /// invalid dates aren't times.
    pub fn time(&self) -> Option<Timestamp> {
        match i64::try_from(self.perf_time_100ns) {
            Ok(ticks) if ticks > 0 => Some(Timestamp(ticks)),
            _ => self.system_time.as_utc(),
        }
    }
}
