//! Processes as people know them: who they are, and a row for each (`formats/tables.md#processes`).

mod described;
mod family;
mod name;
mod read;
mod row;
mod rows;
mod table;

pub use described::Descriptions;
pub use family::{Family, inherit_places};
pub use name::{LEN_SHORT_ID, is_process, place_of, program_of, shown_process};
pub use read::{NOT_ATTRIBUTED, PROCESSORS, Processes, read_processes, read_processes_with};
pub use row::{Place, ProcessRow};
pub use rows::{PROCESS_COUNTERS, ProcessRows};
pub use table::processes_batch;
