//! Seconds since 1970.

use recount_model::Timestamp;

/// Seconds since 1970 as a time; beyond the calendar, the last possible time.
pub(crate) fn utc(seconds: u64) -> Timestamp {
    let ticks =
        i64::try_from(seconds).ok().and_then(|seconds| seconds.checked_mul(Timestamp::TICKS_PER_SECOND));
    Timestamp(ticks.and_then(|ticks| ticks.checked_add(Timestamp::UNIX_EPOCH.0)).unwrap_or(i64::MAX))
}
