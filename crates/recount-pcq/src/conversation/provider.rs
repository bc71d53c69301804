//! The data that a server serves.

use crate::{Guid, Registration};

/// Countersets and their values (MS-PCQ 3.1.1.4: a provider is what updates the values).
pub trait CounterProvider {
    /// Why values can't be collected.
    type Error: std::error::Error;

    /// The countersets. Their GUIDs must be distinct.
    fn countersets(&self) -> &[CountersetInfo];

    /// Reads the values of all instances of all countersets now. `None` if there are no more, as after the last sample of
    /// a replay.
    fn collect(&mut self) -> Result<Option<Collected>, Self::Error>;

    /// Gives the last values back, because no client got them: a replay collects them again.
    fn put_back(&mut self) {}
}

/// A counterset: everything that can be requested about it. Its texts are in English, the only language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountersetInfo {
    /// The counterset and its counters. `NumCounters` is ignored: their actual number counts.
    pub registration: Registration,
    /// Name of the counterset.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Per counter of the registration, in the same order.
    pub counters: Vec<CounterTexts>,
    /// Name of the provider.
    pub provider_name: String,
    /// GUID of the provider; zeros if it has none.
    pub provider_guid: Guid,
}

/// Texts of a counter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterTexts {
    /// Its name.
    pub name: String,
    /// What it counts.
    pub description: String,
}

/// All values at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// A high-resolution clock, in ticks of `perf_freq`.
    pub perf_time: u64,
    /// Ticks of `perf_time` per second.
    pub perf_freq: u64,
    /// 100 ns since 1601-01-01 UTC.
    pub time_100ns: u64,
    /// The same as a date, the words of `SYSTEMTIME`.
    pub system_time: [u16; 8],
    /// The active instances of each counterset, in the order of [`CounterProvider::countersets`]. `None` if
    /// the counterset can't be read now.
    pub sets: Vec<Option<Vec<InstanceValues>>>,
}

/// The values of an instance. Name and id together identify an instance of a counterset (MS-PCQ 2.2.4.5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceValues {
    /// Its name; it may be empty for a single instance.
    pub name: String,
    /// Its id.
    pub id: u32,
    /// One value per counter, in the order of the registration.
    pub values: Vec<RawValue>,
}

/// The raw value of a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RawValue {
    /// It can't be read now.
    #[default]
    Missing,
    /// 32 bits.
    Dword(u32),
    /// 64 bits.
    Large(u64),
}
