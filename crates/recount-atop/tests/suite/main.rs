//! Logs of atop, as a source.

mod damage;
mod printed;
mod stored_bomb;
mod stored_damage;
mod stored_expected;
mod stored_layout;
mod suspects;
mod values;
