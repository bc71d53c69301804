//! The command, run as users run it: standard output, standard error and exit codes.

mod baseline;
mod catalogue;
mod changes;
mod completions;
mod convert_blg;
mod convert_formats;
mod convert_inputs;
mod convert_new;
mod convert_outputs;
mod convert_selection;
mod diff;
mod diff_both_ways;
mod digest;
mod dump;
mod errors;
mod follow;
mod help;
mod info;
mod json;
mod list;
#[cfg(all(unix, feature = "live-tests"))]
mod live_mark;
#[cfg(feature = "live-tests")]
mod live_query;
mod logs;
#[cfg(unix)]
mod lost_page;
mod mark;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(unix)]
mod modes;
mod moved;
mod moved_truth;
mod names;
mod pack;
mod pdh_text;
mod quiet_machine;
mod record;
mod record_bad_day;
mod redact;
mod repair;
mod report;
mod report_events;
mod report_findings;
mod report_lacks;
mod report_machines;
mod report_rules;
mod rules;
mod run;
mod series;
mod session;
mod show;
mod since_start;
mod stats;
mod stored_answers;
mod stored_digest;
#[cfg(unix)]
mod stored_moved;
mod stored_said;
mod tables;
mod terminal;
mod texts;
mod top;
mod top_groups;
mod verify;
mod view;
mod zones;
