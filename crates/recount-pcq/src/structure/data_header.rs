//! The header before the blocks of an answer.

use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Parsed, by_fields};
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
    pub(super) fn read(i: &[u8]) -> Parsed<'_, DataHeader> {
        let max_len = i.len().max(Self::LEN);
        by_fields(Self::NAME, ByteOrder::Little, |header: &mut DataHeader, f| header.fields(max_len, f))(i)
    }

    /// Appends the 48 bytes.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(usize::MAX, &mut Writer::new(ByteOrder::Little, out));
    }

    /// The fields in the order of the structure.
    pub(super) fn fields<F: Fields>(&mut self, max_len: usize, f: &mut F) -> Result<(), F::Error> {
        f.bounded("dwTotalSize", &mut self.len_total, Self::LEN, max_len)?;
        f.field("dwNumCounter", &mut self.num_counters)?;
        self.clocks.fields(f)
    }
}

impl DataClocks {
    /// Offset in the header.
    const OFS: usize = 8;

    /// The clocks of a buffer, ignoring its length fields; `None` if it is shorter than a header.
    pub(super) fn peek(buffer: &[u8]) -> Option<DataClocks> {
        let clocks =
            by_fields(DataHeader::NAME, ByteOrder::Little, DataClocks::fields)(buffer.get(Self::OFS..)?);
        clocks.ok().map(|(_, clocks)| clocks)
    }

    fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("PerfTimeStamp", &mut self.perf_time)?;
        f.shown("PerfTime100NSec", &mut self.perf_time_100ns, |time| match i64::try_from(time) {
            Ok(ticks) => format!("{ticks} ({})", Timestamp(ticks)),
            Err(_) => time.to_string(),
        })?;
        f.field("PerfFreq", &mut self.perf_freq)?;
        f.field("SystemTime", &mut self.system_time)
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
