//! The captures of `samples/`: that dumps and values are what they were, that the values are right, and what damage does
//! to them.

mod cells;
mod damage;
mod golden;
mod places;
mod values_capture_logs;
mod values_counter_lists;
mod values_dumps_and_text;
mod values_objects;
mod values_other_logs;
mod values_session;
