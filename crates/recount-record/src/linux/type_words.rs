//! The type words that this source uses, by their names in winperf.h: `formats/counter-types.md`.

pub(super) const PERF_COUNTER_COUNTER: u32 = 0x1041_0400;
pub(super) const PERF_COUNTER_BULK_COUNT: u32 = 0x1041_0500;
pub(super) const PERF_COUNTER_RAWCOUNT: u32 = 0x0001_0000;
pub(super) const PERF_COUNTER_LARGE_RAWCOUNT: u32 = 0x0001_0100;
pub(super) const PERF_100NSEC_TIMER: u32 = 0x2051_0500;
pub(super) const PERF_100NSEC_TIMER_INV: u32 = 0x2151_0500;
pub(super) const PERF_PRECISION_100NS_TIMER: u32 = 0x2057_0500;
pub(super) const PERF_COUNTER_100NS_QUEUELEN_TYPE: u32 = 0x0055_0500;
pub(super) const PERF_ELAPSED_TIME: u32 = 0x3024_0500;
pub(super) const PERF_RAW_FRACTION: u32 = 0x2002_0400;
pub(super) const PERF_RAW_BASE: u32 = 0x4003_0403;
pub(super) const PERF_AVERAGE_BULK: u32 = 0x4002_0500;
pub(super) const PERF_AVERAGE_BASE: u32 = 0x4003_0402;
pub(super) const PERF_LARGE_RAW_BASE: u32 = 0x4003_0500;

/// `PERF_AVERAGE_TIMER` with a 64-bit value, whose fields determine the same formula. The predefined type has
/// 32 bits: at 10 million ticks per second it wraps every 429 s of accumulated time. A disk with 100 requests
/// in flight accumulates that in 4.3 s, and nearly any disk within an hour. The averages would then be wrong
/// without any sign of it.
pub(super) const LARGE_AVERAGE_TIMER: u32 = 0x3002_0500;
