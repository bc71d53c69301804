//! The captures of `samples/`: dumps and values haven't changed, the values are right, and damage is handled.

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
