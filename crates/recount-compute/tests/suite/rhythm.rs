//! Which intervals are gaps, and how much a value counts in a mean.

use std::convert::Infallible;
use std::sync::Arc;

use recount_compute::{Cooked, CookedColumn, Input, PipelineOptions, Rhythm, run};
use recount_model::{
    CaptureInfo, CounterDef, Decoded, Instance, ObjectDef, Opened, SampleTime, Selection, Source, Timestamp,
};

/// A recorder that takes some objects more seldom than others: the second of each sample, and its object. Ten objects are a round.
struct Rounds {
    objects: Vec<u32>,
    /// The round of each sample.
    of_samples: Vec<u32>,
    opened: Opened,
}

impl Rounds {
    fn input(host: &str, samples: &[(i64, u32)], continues: Option<usize>) -> Input {
        let times = samples.iter().map(|(second, _)| at(*second)).collect();
        let hosts = [host].iter().filter(|host| !host.is_empty()).map(|host| Arc::from(*host)).collect();
        let info = CaptureInfo { hosts, ..CaptureInfo::default() };
        let source = Rounds {
            objects: samples.iter().map(|(_, object)| *object).collect(),
            of_samples: samples.iter().map(|(_, object)| object / 10).collect(),
            opened: Opened { info, times, ..Opened::default() },
        };
        Input { continues, ..Input::new(Arc::new(source), (0..samples.len() as u32).collect()) }
    }
}

fn at(second: i64) -> SampleTime {
    SampleTime { utc: Timestamp(second * Timestamp::TICKS_PER_SECOND), offset_min: 0 }
}

impl Source for Rounds {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn round(&self, sample: usize) -> u32 {
        self.of_samples[sample]
    }

    fn len_sample(&self, _sample: usize) -> usize {
        100
    }

    fn decode(&self, samples: &[u32], _selection: &Selection) -> Decoded {
        let cooked = |sample: &u32| {
            let (at, object) = (*sample as usize, self.objects[*sample as usize]);
            let before = (0..at).rev().find(|before| self.objects[*before] == object);
            let seconds = |before: usize| self.times()[at].utc.seconds_since(self.times()[before].utc);
            let host = self.info().hosts.first().cloned().unwrap_or_else(|| "".into());
            let column =
                CookedColumn { counter: 0, values: vec![1.0], status: None, covers: None, texts: None };
            Cooked {
                host,
                object: Arc::new(ObjectDef {
                    name: format!("Object {object}").into(),
                    counters: vec![CounterDef { name: "Counter".into(), ..CounterDef::default() }],
                    ..ObjectDef::default()
                }),
                instances: [Instance::unnamed()].into(),
                times: vec![self.times()[at]],
                interval_s: vec![before.map(seconds)],
                gaps: Vec::new(),
                first_s: Vec::new(),
                continued: vec![before.is_some()],
                columns: vec![column],
                raw: None,
            }
        };
        Decoded { cooked: samples.iter().map(cooked).collect(), ..Decoded::default() }
    }
}

/// How much each value of an object counts, in seconds.
fn weights(inputs: &[Input], object: u32) -> Vec<f64> {
    let mut found = Vec::new();
    let options = PipelineOptions { len_slice: 250, ..PipelineOptions::default() };
    run::<Infallible>(inputs, &options, |batch, _| {
        for cooked in batch.iter().filter(|cooked| *cooked.object.name == *format!("Object {object}")) {
            found.push(cooked.weight_of(0, 0));
        }
        Ok(())
    })
    .unwrap_or_else(|never| match never {});
    found
}

#[test]
fn each_round_has_its_rhythm() {
    let often = (0..=20).chain(50..60).map(|at| (2 * at, 0));
    let seldom = [1, 21, 41, 121].map(|second| (second, 10));
    let mut samples: Vec<(i64, u32)> = often.chain(seldom).collect();
    samples.sort_unstable();
    let input = [Rounds::input("", &samples, None)];
    // The first value has no interval: it counts as long as one is as a rule. After the 21st is a gap of 60 s.
    let mut expected = [2.0; 31];
    expected[21] = 0.0;
    assert_eq!(weights(&input, 0), expected);
    // 20 s are usual there, and 80 s a gap.
    assert_eq!(weights(&input, 10), [20.0, 20.0, 20.0, 0.0]);
}

/// It was sampled meanwhile, and the object wasn't there, or a table doesn't say that it is sampled more seldom.
#[test]
fn the_time_in_which_an_object_is_absent_is_no_gap() {
    let samples: Vec<(i64, u32)> = (0..30).map(|at| (10 * at, u32::from(at % 6 == 3))).collect();
    let input = [Rounds::input("", &samples, None)];
    assert_eq!(weights(&input, 1), [10.0, 60.0, 60.0, 60.0, 60.0]);
    assert_eq!(weights(&input, 0).iter().sum::<f64>().to_bits(), 300.0_f64.to_bits());
}

#[test]
fn of_two_intervals_the_longer_may_be_a_gap() {
    let of = |seconds: &[i64]| {
        let samples: Vec<(i64, u32)> = seconds.iter().map(|second| (*second, 0)).collect();
        weights(&[Rounds::input("", &samples, None)], 0)
    };
    assert_eq!(of(&[0, 15, 3_600]), [15.0, 15.0, 0.0]);
    // Nobody knows for how long the first value held.
    assert_eq!(of(&[0, 3_600, 3_615]), [0.0, 0.0, 15.0]);
    // A single one says nothing, nor does a single sample.
    assert_eq!(of(&[0, 3_600]), [3_600.0, 3_600.0]);
    assert_eq!(of(&[0]), [0.0]);
}

/// Other captures change nothing; a file of a single sample has the rhythm of those that it continues.
#[test]
fn captures_have_rhythms_of_their_own() {
    let minutes = Rounds::input("A", &[(0, 0), (60, 0), (120, 0)], None);
    let seconds = Rounds::input("B", &(0..120).map(|second| (second, 0)).collect::<Vec<_>>(), None);
    assert_eq!(weights(std::slice::from_ref(&minutes), 0), [60.0; 3]);
    let both = weights(&[minutes.clone(), seconds], 0);
    assert_eq!(both.iter().filter(|weight| **weight > 1.0).count(), 3);
    let next = Rounds::input("A", &[(180, 0)], Some(0));
    assert_eq!(weights(&[minutes, next], 0), [60.0; 4]);
}

/// Files with alternate samples of one recording have its rhythm, as one file would; days that follow each other have their own.
#[test]
fn files_that_alternate_have_one_rhythm() {
    let samples = |seconds: &[i64]| seconds.iter().map(|second| (*second, 0)).collect::<Vec<_>>();
    let of_seconds = |others: &[i64], wanted: f64| {
        let one = Rounds::input("A", &samples(&[0, 20, 40, 60, 80]), None);
        let other = Rounds::input("A", &samples(others), Some(0));
        weights(&[one, other], 0).iter().filter(|weight| weight.to_bits() == wanted.to_bits()).count()
    };
    // Each file's first value has no interval.
    let alternate = [10, 30, 50, 70, 90];
    assert_eq!([10.0, 20.0].map(|seconds| of_seconds(&alternate, seconds)), [2, 8]);
    let next = [90, 100, 110, 120];
    assert_eq!([10.0, 20.0].map(|seconds| of_seconds(&next, seconds)), [4, 5]);
}

/// A recording that is cut has the means of the whole.
#[test]
fn a_file_that_is_cut_at_a_gap_has_the_gap() {
    let samples: Vec<(i64, u32)> = [0, 10, 20, 30, 900, 910, 920].map(|second| (second, 0)).into();
    let whole = weights(&[Rounds::input("A", &samples, None)], 0);
    assert_eq!(whole, [10.0, 10.0, 10.0, 10.0, 0.0, 10.0, 10.0]);
    for cut in [1, 4, 6] {
        let parts = [&samples[..cut], &samples[cut..]].map(|part| Rounds::input("A", part, None));
        assert_eq!(weights(&parts, 0), whole, "{cut}");
        // Beside another machine, too.
        let often = (0..1_000).map(|second| (second, 10)).collect::<Vec<_>>();
        let [one, other] = parts;
        assert_eq!(weights(&[one, Rounds::input("B", &often, None), other], 0), whole, "{cut}");
    }
}

/// The first and the last record of a PCP archive have metrics of their own, beside those that others have.
#[test]
fn two_samples_are_no_rhythm() {
    let between = (1..8).map(|second| (second, 0));
    let samples: Vec<(i64, u32)> = [(0, 10)].into_iter().chain(between).chain([(8, 10), (40, 0)]).collect();
    let inputs = [Rounds::input("", &samples, None)];
    let rhythm = Rhythm::of(&inputs);
    assert_eq!((rhythm.interval_s(), rhythm.gaps(&inputs, None)), (Some(1.0), vec![(at(8), at(40))]));
    assert_eq!(weights(&inputs, 10), [1.0, 8.0]);
}

/// As in a PCP archive in which an agent is absent for a while.
#[test]
fn an_object_that_is_sampled_with_another_round_for_a_while_has_no_gap() {
    // Nobody samples for a while before the last 20.
    let second = |at: i64| if at < 90 { at } else { at + 200 };
    let samples: Vec<(i64, u32)> = (0..110).map(|at| (second(at), 0)).collect();
    let of = |samples: &[(i64, u32)], rounds: &dyn Fn(usize) -> u32| {
        let mut input = Rounds::input("", samples, None);
        let source = Rounds {
            objects: vec![0; samples.len()],
            of_samples: (0..samples.len()).map(rounds).collect(),
            opened: Opened { times: input.source.times().into(), ..Opened::default() },
        };
        input.source = Arc::new(source);
        weights(&[input], 0)
    };
    assert_eq!(of(&samples[..90], &|at| u32::from((30..60).contains(&at))), [1.0; 90]);
    // The first value counts as an interval of its round.
    assert_eq!(of(&samples[..90], &|at| (at % 3) as u32)[1..], [1.0; 89]);
    // The other round goes on until the gap, and its own before and after.
    let mut expected = [1.0; 110];
    expected[90] = 0.0;
    assert_eq!(of(&samples, &|at| u32::from((30..90).contains(&at))), expected);
}

/// What is sampled seldom doesn't hide that nobody sampled what is sampled often; alone, it does go on.
#[test]
fn a_slow_round_hides_no_gap_of_a_fast_one() {
    let often = (0..=200).chain(230..=400).map(|second| (second, 0));
    let seldom = (0..8).map(|minute| (60 * minute, 10));
    let mut samples: Vec<(i64, u32)> = often.chain(seldom).collect();
    samples.sort_unstable();
    let inputs = [Rounds::input("", &samples, None)];
    assert_eq!(Rhythm::of(&inputs).gaps(&inputs, None), [(at(200), at(230))]);
}

/// Another header in a text is another round: between the two nobody sampled.
#[test]
fn the_time_between_rounds_may_be_a_gap() {
    let samples = [(0, 0), (10, 0), (20, 0), (30, 10), (40, 10), (900, 20), (910, 20), (920, 20)];
    let inputs = [Rounds::input("", &samples, None)];
    let gaps = Rhythm::of(&inputs).gaps(&inputs, None);
    assert_eq!(gaps, [(at(40), at(900))]);
    // So between captures, and where others went on it isn't a gap of the whole.
    let days = [Rounds::input("A", &samples[..5], None), Rounds::input("A", &samples[5..], None)];
    assert_eq!(Rhythm::of(&days).gaps(&days, None), gaps);
    let seldom = Rounds::input("B", &[(0, 0), (500, 0), (1_000, 0)], None);
    let both = [days[0].clone(), days[1].clone(), seldom];
    let rhythm = Rhythm::of(&both);
    assert_eq!((rhythm.gaps(&both, None), rhythm.gaps(&both, Some("A"))), (vec![], gaps));
    assert_eq!(rhythm.gaps(&both, Some("B")), []);
}

#[test]
fn observed_time_has_no_gaps() {
    let of = |host: &str, start: i64, continues| {
        let samples = [0, 10, 20, 100, 110, 120].map(|second| (start + second, 0));
        Rounds::input(host, &samples, continues)
    };
    // Two machines, one sampled three seconds after the other, and a second capture of the first.
    let inputs = [of("A", 0, None), of("B", 3, None), of("A", 5, None)];
    let rhythm = Rhythm::of(&inputs);
    let seconds =
        |host: &str, from: i64, to: i64| rhythm.observed_s(&inputs, host, (at(from).utc, at(to).utc));
    assert_eq!((seconds("B", 0, 200), seconds("A", 0, 200)), (40.0, 50.0));
    // The interval of the first sample of a span begins before it.
    assert_eq!((seconds("B", 20, 23), seconds("B", 20, 27)), (10.0, 10.0));
    assert_eq!((seconds("B", 30, 113), seconds("C", 0, 200)), (10.0, 0.0));
}
