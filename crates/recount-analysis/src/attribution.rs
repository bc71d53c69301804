//! Who used the processors: groups of processes, and what has no name.

mod grouped;
mod groups;
mod shares;

pub use grouped::GroupNames;
pub use groups::{GroupBy, ProcessGroup, groups};
pub use shares::{GroupProcesses, GroupShares, UsedShares, UsedTime};

/// Less than this share of one processor is noise: the time of processes is counted in ticks.
const LEAST_OF_ONE: f64 = 1.0;
/// So is less than this part of what the processors did.
const LEAST_OF_ALL: f64 = 0.01;

/// What the processors did and no process of the capture has used: of processes that were too short to be seen, of interrupts, of other
/// guests of the host. All are shares of one processor, in %. `None` if it is no more than noise.
pub fn not_attributed(busy: f64, attributed: f64) -> Option<f64> {
    let rest = busy - attributed;
    (rest >= LEAST_OF_ONE && rest >= LEAST_OF_ALL * busy).then_some(rest)
}

/// `12 processes`; `12 processes, 9 with CPU` if only some of them are active, of which the number and a word are given.
pub fn num_processes(num: u64, active: Option<(u64, &str)>) -> String {
    let all = if num == 1 { "1 process".to_owned() } else { format!("{num} processes") };
    match active {
        Some((active, what)) if active < num => format!("{all}, {active} {what}"),
        _ => all,
    }
}

#[cfg(test)]
mod tests;
