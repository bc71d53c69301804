//! The vocabulary of performance counters, shared by every part of recount.
//!
//! A *performance object* (`Processor`) has *counters* (`% Processor Time`) and, often, *instances* (`0`,
//! `1`, `_Total`). A *sample* holds the *raw value* of every counter of every instance at one instant,
//! together with the clocks. Raw values become *cooked values* by the formula that the counter's
//! [`CounterType`] names, mostly over the *interval* between two samples.
//!
//! Every format with raw values is decoded into [`Run`]s: stretches of samples of one object in which neither
//! definitions nor instances change, stored column by column. Formats whose values were computed by another
//! program yield [`Cooked`] columns. Readers are [`Source`]s; their [`Health`] reports what they had to leave
//! out.
//!
//! ```
//! use recount_model::{CounterPath, CounterType, Formula};
//!
//! let path: CounterPath = r"\\WEB1\Process(svchost#3)\% Processor Time".parse()?;
//! assert_eq!(path.instance.as_deref(), Some("svchost"));
//! assert_eq!(path.to_string(), r"\\WEB1\Process(svchost#3)\% Processor Time");
//!
//! let word = CounterType(0x2051_0500);
//! assert_eq!(word.name(), Some("PERF_100NSEC_TIMER"));
//! assert_eq!(word.recipe(8).formula, Formula::Timer);
//! # Ok::<(), recount_model::PathError>(())
//! ```

mod aggregation;
mod attributes;
mod capture;
mod changed;
mod clock;
mod cooked;
mod counter_path;
mod counter_reading;
mod counter_type;
mod counter_type_table;
mod field_sum;
mod fold;
mod foreign;
mod health;
mod id_counters;
mod instance;
mod line_speed;
mod log_sink;
mod names;
mod object;
mod pattern;
mod period;
mod piece_key;
mod place;
mod process;
mod process_cgroup;
mod recipe;
mod renewal;
mod run;
mod run_builder;
mod selection;
mod since;
mod sink;
mod source;
mod split;
mod status;
mod stray_times;
mod zone_name;

pub use aggregation::{AggregateFunction, Aggregation};
pub use attributes::{CounterAttributes, NumberStyle};
pub use capture::{Authority, CaptureInfo, Mark, Zone};
pub use changed::{Change, Changed};
pub use clock::{SampleTime, Timestamp, offset_text, usual_step};
pub use cooked::{Cooked, CookedColumn};
pub use counter_path::{CounterPath, Occurrence, PathError};
pub use counter_reading::{CounterReading, average_over, average_time_over, percentage_of, share_of};
pub use counter_type::{CounterType, Display, Size, SubType, Timer, TypeClass};
pub use counter_type_table::{PREDEFINED, Predefined};
pub use field_sum::{FieldSum, FieldTerm};
pub use fold::fold_name;
pub use foreign::{answer_len, answer_len_of, is_unseen, shell_word, table_cell, visible};
pub use health::{Finding, FindingKind, Health};
pub use id_counters::{ENDED_PROCESSES, id_counters, is_process_id, is_thread_id};
pub use instance::{Basis, Instance, Instances, match_instances, number_namesakes, places_among};
pub use line_speed::LineSpeed;
pub use log_sink::{ClosedLog, LogSink, LostLog};
pub use names::{NameTable, text_of_names};
pub use object::{CounterDef, ObjectDef, RawNumber};
pub use pattern::{Pattern, glob};
pub use period::{Period, PeriodError};
pub use piece_key::PieceKeys;
pub use place::Place;
pub use process::{EndedProcess, ProcessDescription, ProcessNote};
pub use process_cgroup::{container_of_cgroup, unit_of_cgroup};
pub use recipe::{Formula, Recipe, Width};
pub use renewal::Renewal;
pub use run::{CellFault, Clocks, Column, Multi, Run, Second, Texts};
pub use run_builder::RunBuilder;
pub use selection::{MatchNote, Selection};
pub use since::CountsSince;
pub use sink::{Event, EventKind, Facts, Sink};
pub use source::{Content, Decoded, Opened, Source};
pub use split::{Piece, Split};
pub use status::Status;
pub use stray_times::stray_times;
pub use zone_name::{ZoneName, ZoneNameError, zone_of_windows};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
