//! Files of sysstat, as a source.

mod boots;
mod doubtful;
mod early;
mod several_files;
mod small;
mod stored_damage;
mod stored_files;
mod stored_reports;
mod stored_rhel6;
mod stored_sadf;
mod support;
