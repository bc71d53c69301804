//! How the instances of a counterset are aggregated (MS-PCQ 2.2.4.1 `InstanceType`, 2.2.4.2 `AggregateFunc`).

/// Over which instances the counters of an object are aggregated. The aggregates are computed from cooked
/// values, in addition to those of the instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Aggregation {
    /// None: a classic object, or a counterset of type single instance or multiple instances.
    #[default]
    None,
    /// All instances of the sample (global aggregate).
    Global,
    /// A set of instances that the reader chooses (multiple-instance aggregate): those that it names, otherwise
    /// those of the sample.
    Multiple,
    /// All instances of the sample, plus instances that no longer exist, with their last values (global
    /// aggregate history).
    GlobalHistory,
}

/// What is computed over the values of the instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AggregateFunction {
    /// Nothing.
    #[default]
    Undefined,
    /// Their sum.
    Total,
    /// Their arithmetic mean.
    Average,
    /// The smallest.
    Minimum,
    /// The largest.
    Maximum,
}

impl AggregateFunction {
    /// Every function that computes something, in numerical order.
    pub const ALL: [AggregateFunction; 4] = [
        AggregateFunction::Total,
        AggregateFunction::Average,
        AggregateFunction::Minimum,
        AggregateFunction::Maximum,
    ];

    /// Name of the instance that shows the aggregate; `None` if there is nothing to show.
    pub const fn instance_name(self) -> Option<&'static str> {
        match self {
            AggregateFunction::Undefined => None,
            AggregateFunction::Total => Some("_Total"),
            AggregateFunction::Average => Some("_Average"),
            AggregateFunction::Minimum => Some("_Minimum"),
            AggregateFunction::Maximum => Some("_Maximum"),
        }
    }
}
