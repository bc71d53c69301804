//! The command, run as users run it: standard output, standard error and exit codes.

mod catalogue;
mod completions;
mod convert_blg;
mod convert_formats;
mod convert_inputs;
mod convert_new;
mod convert_outputs;
mod convert_selection;
mod diff;
mod dump;
mod errors;
mod follow;
#[cfg(all(unix, feature = "full-tests"))]
mod full_mark_live;
#[cfg(feature = "full-tests")]
mod full_query;
mod help;
mod info;
mod list;
mod logs;
#[cfg(unix)]
mod lost_page;
mod mark;
#[cfg(unix)]
mod modes;
mod names;
mod pack;
mod pdh_text;
mod record;
mod record_bad_day;
mod repair;
mod report;
mod report_findings;
mod report_rules;
mod rules;
mod run;
mod session;
mod show;
mod stats;
mod tables;
mod terminal;
mod texts;
mod top;
mod verify;
mod view;
mod zones;
