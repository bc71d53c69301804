//! Change points: when counters went to another level, or began to rise or fall, and stayed so.
//!
//! Every series is reduced to at most 600 means, divided into stretches that are each a level, a
//! straight line or a curve, and every change between two stretches is tested.

mod answer;
pub(crate) mod breaks;
mod course;
mod curves;
mod filling;
mod fit;
pub(crate) mod lines;
mod moments;
mod observe;
mod overview;
pub(crate) mod partition;
mod plateaus;
mod regular;
mod returns;
pub(crate) mod scatter;
mod season;
mod stairs;
mod stores;
mod straight;
mod words;

pub(crate) use fit::{Bin, bins};

pub use answer::{Change, ChangeKind, Changes, changes_table};
pub use observe::{ChangeOptions, changes};

pub use overview::changes_of_report;

/// How the answer comes about, for readers who have to trust it.
pub const CHANGES_METHOD: [&str; 3] = [
    "Outliers of up to three values are brought nearer to their neighbours. Then each series is divided into the stretches that describe it \
     best, each a level or a straight line, by optimal partitioning (PELT; Killick, Fearnhead and Eckley, 2012). What a stretch costs \
     follows from the noise and from how much neighbours are correlated, both estimated from differences, which changes hardly \
     influence (after Chakar, Lebarbier, Levy-Leduc and Robin, 2017). A course that comes back at least four times is taken out first, if this \
     describes the series better; levels and lines that go up and down at regular distances are no changes. A line is said as a steady rise \
     or fall only if it is clearly better than three levels, or if levels follow it in equal steps; of everything else the median is said. \
     Three lines or more that go the same way, meet, and are less steep, or steeper, each time are one curve, unless neighbours are much \
     alike.",
    "Two stretches are one unless an F-test says otherwise, with the number of independent values and the number of places where the \
     change might have been; the least sure change is taken out first. The probabilities are corrected for the number of series \
     (Benjamini and Yekutieli), and have to be below 1 %. Where neighbours are so much alike that stretches have fewer than twelve independent \
     values, a step between two levels is compared with a walk at random: it counts if it is at least 20 times as far as the series \
     usually goes in five values.",
    "A stretch has at least five values: what is shorter is no change, and neither is what happened that close to the ends.",
];
