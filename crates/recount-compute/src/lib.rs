//! From raw values to cooked values.
//!
//! A raw value of a performance counter means little by itself: a *rate* is a difference divided by seconds,
//! a *timer* a share of elapsed time, an *average* a difference divided by the number of operations. The
//! counter's type word says which it is; `formats/counter-types.md` has the formulas, and the table in
//! `recount-model` (`PREDEFINED`) assigns them. *Cooking* applies them to whole runs of samples.
//!
//! - [`cook`] turns one [`Run`](recount_model::Run) into [`Cooked`] columns. Most formulas need the previous
//!   sample, so it also takes the previous run and uses its last sample.
//! - [`CookOptions`] selects counters, raw values and scaling.
//! - [`run`](crate::run()) cooks whole captures, and adds the aggregates over instances that a counterset
//!   defines.
//!
//! If there is no value, a [`Status`](recount_model::Status) says why. Nothing is clamped, rounded or
//! guessed.
//!
//! ```
//! use std::sync::Arc;
//!
//! use recount_compute::{CookOptions, cook};
//! use recount_model::{
//!     Clocks, Column, CounterDef, CounterType, Instance, Multi, ObjectDef, Run, SampleTime, Second, Status, Timer,
//!     Timestamp,
//! };
//!
//! let switches = CounterDef {
//!     name: "Context Switches/sec".into(),
//!     index: None,
//!     help: None,
//!     counter_type: Some(CounterType(0x1041_0400)), // PERF_COUNTER_COUNTER
//!     default_scale: 0,
//!     detail_level: None,
//!     len_value: 4,
//!     time_base: None,
//!     ..CounterDef::default()
//! };
//! let second = |n: i64| SampleTime { utc: Timestamp(n * Timestamp::TICKS_PER_SECOND), offset_min: 0 };
//! let run = Run {
//!     host: "WEB1".into(),
//!     object: Arc::new(ObjectDef {
//!         name: "System".into(),
//!         index: None,
//!         help: None,
//!         instanced: false,
//!         counters: vec![switches],
//!         ..ObjectDef::default()
//!     }),
//!     instances: vec![Instance::unnamed()].into(),
//!     clocks: Clocks {
//!         time: vec![second(0), second(2)],
//!         perf_time: vec![1_000, 7_000],
//!         perf_freq: vec![3_000; 2],
//!         ..Clocks::default()
//!     },
//!     columns: vec![Column {
//!         first: vec![4_294_967_290, 94], // wraps at 2^32
//!         second: Second::Clock(Timer::Tick),
//!         multi: Multi::None,
//!         ..Column::default()
//!     }],
//!     faults: vec![],
//! };
//!
//! let cooked = cook(&Arc::new(run), None, &CookOptions::default());
//! assert_eq!(cooked.columns[0].status_at(0), Status::FirstSample);
//! assert_eq!(cooked.columns[0].value_at(1), Some(50.0)); // 100 in 2 seconds
//! assert_eq!(cooked.interval_s, [None, Some(2.0)]);
//! ```

mod aggregate;
mod cancelled;
mod carry;
pub mod cells;
mod chained;
mod compact;
mod cook;
mod covered;
mod ended;
mod faults;
mod formula;
mod frequency;
mod input;
mod living;
mod operand;
mod pipeline;
mod plain_sum;
mod reaped;
mod renewed;
mod repeated;
mod resample;
mod rhythm;
mod run;
mod select;
mod sheet;
mod spread;
mod stretch;
mod tails;
mod thinned;
mod timeline;
mod wrap;

pub use aggregate::{Aggregate, AggregateCatalogue, TakenNames};
pub use cancelled::{Cancelled, OnProgress, unwatched};
pub use chained::Chained;
pub use cook::{CookOptions, cook};
pub use covered::Covered;
pub use input::{Input, chain_of};
pub use pipeline::{PipelineOptions, Progress, scan, survey};
pub use recount_model::{Cooked, CookedColumn};
pub use repeated::CookedMask;
pub use resample::SampleFilter;
pub use rhythm::Rhythm;
pub use run::{run, run_in_rhythm};
pub use select::select_cooked;
pub use stretch::{Landmarks, Stretch};
pub use thinned::{covers, tolerance_s};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
