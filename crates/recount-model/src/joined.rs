//! Logs that were joined to one file, as by `cat`: what several of them have counts once, and the rest is one sequence.

use std::collections::BTreeMap;

/// How the samples of joined logs are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinedSamples {
    /// The samples that count, in the order in which they follow each other: a sequence of logs, then the next sequence.
    pub order: Vec<usize>,
    /// How many are also in another of the logs.
    pub num_repeated: usize,
}

/// A sequence of samples, of one log or of several.
struct Sequence<K> {
    samples: Vec<usize>,
    by_moment: BTreeMap<K, Vec<usize>>,
    is_ascending: bool,
}

/// Puts logs together that follow each other in time or have samples in common. Those that have other samples of one moment, or alternate
/// without any in common, stay apart.
///
/// `log_of` has the number of the log that each sample is of, ascending; `moment` is when a sample was taken; `is_same` tells
/// whether two samples of one moment are the same.
pub fn joined_samples<K: Ord + Copy>(
    log_of: &[usize],
    moment: impl Fn(usize) -> K,
    is_same: impl Fn(usize, usize) -> bool,
) -> JoinedSamples {
    let all: Vec<usize> = (0..log_of.len()).collect();
    let mut logs: Vec<&[usize]> = all.chunk_by(|one, other| log_of[*one] == log_of[*other]).collect();
    logs.sort_by_key(|log| moment(log[0]));
    let mut sequences: Vec<Sequence<K>> = Vec::new();
    let mut num_repeated = 0;
    for log in logs {
        let is_ascending = log.windows(2).all(|pair| moment(pair[0]) <= moment(pair[1]));
        let rest_in = |sequence: &Sequence<K>| -> Option<Vec<usize>> {
            let mut rest = Vec::new();
            for &sample in log {
                match sequence.by_moment.get(&moment(sample)) {
                    None => rest.push(sample),
                    Some(known) if known.iter().any(|known| is_same(*known, sample)) => {}
                    Some(_) => return None,
                }
            }
            let is_apart = || {
                let ends = (sequence.by_moment.first_key_value(), sequence.by_moment.last_key_value());
                matches!(ends, (Some((first, _)), Some((last, _)))
                    if *last < moment(log[0]) || moment(log[log.len() - 1]) < *first)
            };
            let follows = is_ascending && sequence.is_ascending && (rest.len() < log.len() || is_apart());
            (rest.is_empty() || follows).then_some(rest)
        };
        let found = sequences.iter_mut().find_map(|sequence| rest_in(sequence).map(|rest| (sequence, rest)));
        if let Some((sequence, rest)) = found {
            num_repeated += log.len() - rest.len();
            sequence.add(&rest, &moment);
        } else {
            let mut sequence = Sequence { samples: Vec::new(), by_moment: BTreeMap::new(), is_ascending };
            sequence.add(log, &moment);
            sequences.push(sequence);
        }
    }
    sequences.sort_by_key(|sequence| sequence.samples.iter().min().copied());
    JoinedSamples {
        order: sequences.into_iter().flat_map(|sequence| sequence.samples).collect(),
        num_repeated,
    }
}

impl<K: Ord> Sequence<K> {
    fn add(&mut self, samples: &[usize], moment: impl Fn(usize) -> K) {
        for &sample in samples {
            self.by_moment.entry(moment(sample)).or_default().push(sample);
        }
        self.samples.extend(samples);
        if self.is_ascending {
            self.samples.sort_by_key(|sample| moment(*sample));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Logs as moments and values.
    fn joined(logs: &[&[(i64, u8)]]) -> (Vec<(i64, u8)>, usize) {
        let samples: Vec<(i64, u8)> = logs.concat();
        let log_of: Vec<usize> = logs.iter().enumerate().flat_map(|(at, log)| vec![at; log.len()]).collect();
        let found =
            joined_samples(&log_of, |at| samples[at].0, |one, other| samples[one].1 == samples[other].1);
        (found.order.into_iter().map(|at| samples[at]).collect(), found.num_repeated)
    }

    #[test]
    fn whatever_the_order_the_samples_are_one_sequence() {
        let whole: Vec<(i64, u8)> = (0..9).map(|at| (at, at as u8)).collect();
        let (begin, end) = (&whole[..6], &whole[4..]);
        assert_eq!(joined(&[begin, end]), (whole.clone(), 2));
        assert_eq!(joined(&[end, begin]), (whole.clone(), 2));
        assert_eq!(joined(&[&whole, begin, end, &whole]), (whole.clone(), 20));
        assert_eq!(joined(&[&whole[5..], &whole[..5]]), (whole.clone(), 0), "without any in common");
        let gaps: Vec<(i64, u8)> = [0, 1, 4, 5, 8].map(|at| whole[at]).to_vec();
        assert_eq!(joined(&[&gaps, &whole[1..5], &whole[5..9]]), (whole.clone(), 4));
    }

    #[test]
    fn logs_that_contradict_each_other_or_alternate_stay_apart() {
        let log: &[(i64, u8)] = &[(0, 0), (2, 2), (4, 4)];
        let other: &[(i64, u8)] = &[(0, 0), (2, 9), (4, 4)];
        assert_eq!(joined(&[log, other]), ([log, other].concat(), 0));
        let between: &[(i64, u8)] = &[(1, 1), (3, 3)];
        assert_eq!(joined(&[log, between]), ([log, between].concat(), 0));
    }

    #[test]
    fn a_log_whose_clock_was_set_back_is_known_again_as_a_whole() {
        let log: &[(i64, u8)] = &[(5, 0), (6, 1), (2, 2), (6, 3)];
        assert_eq!(joined(&[log, log]), (log.to_vec(), 4));
        assert_eq!(joined(&[log, &log[..2]]), (log.to_vec(), 2));
    }
}
