//! What moves with a counter: at the same time, before it, after it, and at its peaks. It is association, not cause.

mod answer;
mod observe;
mod ranks;
mod refined;
mod words;

pub use answer::{Companion, Companions};
pub use observe::{NoTarget, TargetOptions, companions};

/// How the answer comes about, for readers who have to trust it.
pub const TARGET_METHOD: [&str; 3] = [
    "Each counter is reduced to at most 600 means. What is compared is their differences from one to the next, so that a common trend says \
     nothing, and of these the ranks (Spearman), so that single outliers don't decide. The delay is the one, of up to five values to either \
     side, at which the correlation is largest. If the means are of several samples, the counters that move with it are compared again by \
     single samples.",
    "The partial correlation is what is left when both follow the load of the machine, its processor time. Probabilities allow for the \
     delays tried and for the number of counters (Benjamini and Yekutieli), and have to be below 1 %.",
    "A counter moves at the peaks only if it is higher (or lower) while the target is among its highest twentieth, by the rank-sum test, \
     although their differences aren't correlated otherwise.",
];
