//! Any stretch of any capture has the values of the whole, to the bit.

use crate::support;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use recount_compute::{Cooked, Input, Landmarks, PipelineOptions, Rhythm, Stretch, run_in_rhythm};
use recount_model::{
    AggregateFunction, Aggregation, CaptureInfo, Decoded, Opened, Run, Selection, Source, Timestamp,
};

use support::aggregated::{census, entry};
use support::at_second;
use support::census::{Census, Entry};

const NUM_SAMPLES: usize = 40;

/// Several objects, each in some of the samples.
#[derive(Debug)]
struct Mixture {
    parts: Vec<Census>,
    opened: Opened,
}

impl Source for Mixture {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn len_sample(&self, _sample: usize) -> usize {
        100
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let decode = |part: &Census| part.decode(samples, selection).runs;
        let mut runs: Vec<Run> = self.parts.iter().flat_map(decode).collect();
        runs.sort_by_key(|run| run.clocks.time.first().map(|time| time.utc));
        Decoded { runs, ..Decoded::default() }
    }
}

/// The instances of an object in a sample; mostly the same ones, of which each goes on counting.
fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let raw = prop_oneof![9 => 0..1_000_u64, 1 => Just(u64::from(u32::MAX))];
    let one = ("[abc]", option::weighted(0.5, 1..3_u64), [raw.clone(), raw.clone(), raw.clone(), raw]);
    vec(one.prop_map(|(name, id, raw)| entry(&name, id, raw)), 1..4)
}

/// An object that is in some of the samples, often or rarely.
fn part(name: &'static str, aggregation: Aggregation, chance: f64) -> impl Strategy<Value = Census> {
    let functions = [AggregateFunction::Total, AggregateFunction::Average, AggregateFunction::Maximum];
    vec(option::weighted(chance, entries()), NUM_SAMPLES).prop_map(move |samples| {
        census(aggregation, functions, samples).with_object(|object| object.name = name.into())
    })
}

/// One object with two definitions, which take turns.
fn turns() -> impl Strategy<Value = [Census; 2]> {
    (part("Turns", Aggregation::None, 0.7), vec(0..8_u32, NUM_SAMPLES)).prop_map(|(whole, turn)| {
        let of = |is_second: bool| {
            let mut part =
                whole.with_object(|object| object.counters[0].default_scale = i32::from(is_second));
            for (entries, turn) in part.samples.iter_mut().zip(&turn) {
                if (*turn == 0) != is_second {
                    *entries = None;
                }
            }
            part
        };
        [of(false), of(true)]
    })
}

fn mixtures() -> impl Strategy<Value = Mixture> {
    let often = part("Often", Aggregation::None, 0.9);
    let rarely = part("Rarely", Aggregation::None, 0.08);
    let total = part("Total", Aggregation::Global, 0.3);
    let history = option::of(part("History", Aggregation::GlobalHistory, 0.3));
    (often, rarely, total, history, turns()).prop_map(|(often, rarely, total, history, turns)| {
        let parts = [often, rarely, total].into_iter().chain(history).chain(turns).collect();
        let times = (0..NUM_SAMPLES).map(|s| at_second(s as i64)).collect();
        let info = CaptureInfo { has_aggregates: true, ..CaptureInfo::default() };
        Mixture { parts, opened: Opened { info, times, ..Opened::default() } }
    })
}

/// The samples, with gaps, as up to three files that continue each other, or not.
fn inputs(source: &Arc<dyn Source>, cuts: [usize; 2], continues: [bool; 2]) -> Vec<Input> {
    let (first, second) = (cuts[0].min(cuts[1]), cuts[0].max(cuts[1]));
    let input = |samples: std::ops::Range<usize>, continues| {
        let samples = (samples.start as u32..samples.end as u32).filter(|sample| sample % 13 < 9).collect();
        Input { continues, ..Input::new(Arc::clone(source), samples) }
    };
    vec![
        input(0..first, None),
        input(first..second, continues[0].then_some(0)),
        input(second..NUM_SAMPLES, continues[1].then_some(1)),
    ]
}

/// Object, counter, instance and time; value, status, interval, and weight in a mean.
type Cells = BTreeMap<(String, usize, String, i64), (u64, String, Option<u64>, u64)>;

fn add(cells: &mut Cells, batch: &[Cooked]) {
    for cooked in batch {
        for column in &cooked.columns {
            let num = cooked.instances.len();
            for cell in (0..cooked.num_cells()).filter(|cell| column.covers(cell % num)) {
                let (sample, instance) = (cell / num, cell % num);
                let key = (
                    cooked.object.name.to_string(),
                    column.counter,
                    format!("{:?}", cooked.instances[instance]),
                    cooked.times[sample].utc.0,
                );
                let status = column.status_at(cell).as_str().to_owned();
                let interval = cooked.interval_of(sample, instance).map(f64::to_bits);
                let value = column.value_at(cell).map_or(0, f64::to_bits);
                let weight = cooked.weight_of(sample, instance).to_bits();
                assert!(cells.insert(key, (value, status, interval, weight)).is_none(), "each cell once");
            }
        }
    }
}

fn of_whole(inputs: &[Input], options: &PipelineOptions) -> Cells {
    of_whole_in(inputs, &Arc::new(Rhythm::of(inputs)), options)
}

fn of_whole_in(inputs: &[Input], rhythm: &Arc<Rhythm>, options: &PipelineOptions) -> Cells {
    let mut cells = Cells::new();
    let done = run_in_rhythm(inputs, rhythm, options, |batch, _| {
        add(&mut cells, &batch);
        Ok::<(), Infallible>(())
    });
    assert!(done.is_ok());
    cells
}

fn of_stretch(stretch: &Stretch<'_>, options: &PipelineOptions) -> Cells {
    let mut cells = Cells::new();
    stretch.batches(options).for_each(|(batch, _)| add(&mut cells, &batch));
    cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_stretch_has_the_values_of_the_whole(
        mixture in mixtures(),
        cuts in [0..=NUM_SAMPLES, 0..=NUM_SAMPLES],
        continues in any::<[bool; 2]>(),
        stretches in vec((0..NUM_SAMPLES, 0..NUM_SAMPLES), 4),
        len_slice in prop_oneof![Just(1_usize), Just(700), Just(1 << 20)],
    ) {
        let source: Arc<dyn Source> = Arc::new(mixture);
        let inputs = inputs(&source, cuts, continues);
        let whole = of_whole(&inputs, &PipelineOptions { len_slice: 1 << 20, ..PipelineOptions::default() });
        let options = PipelineOptions { len_slice, ..PipelineOptions::default() };
        // What is remembered of one stretch must not harm the next.
        let landmarks = Landmarks::default();
        for (begin, end) in stretches {
            let (begin, end) = (begin.min(end), begin.max(end));
            let [from, to] = [begin, end].map(|second| at_second(second as i64).utc);
            let expected = |from: Timestamp, to: Timestamp| -> Cells {
                let cells = whole.iter().filter(|((.., time), _)| (from.0..=to.0).contains(time));
                cells.map(|(key, cell)| (key.clone(), cell.clone())).collect()
            };
            let between = Stretch::between(&inputs, &landmarks, Some(from), Some(to));
            prop_assert_eq!(of_stretch(&between, &options), expected(from, to));
            // Samples before the needed values are only looked at.
            let middle = at_second(usize::midpoint(begin, end) as i64).utc;
            let mut late = of_stretch(&between.exact_from(middle), &options);
            late.retain(|(.., time), _| *time >= middle.0);
            prop_assert_eq!(late, expected(middle, to));
            // The same samples, input by input.
            let mut joined = Cells::new();
            for (number, input) in inputs.iter().enumerate() {
                let at = |second: usize| input.samples.partition_point(|sample| (*sample as usize) < second);
                let part = at(begin)..at(end + 1);
                joined.extend(of_stretch(&Stretch::of_input(&inputs, &landmarks, number, part), &options));
            }
            prop_assert_eq!(joined, expected(from, to));
            // As inputs that begin there.
            let begun: Vec<Input> = inputs.iter().map(|input| {
                let at = |second: usize| input.samples.partition_point(|sample| (*sample as usize) < second);
                let before = input.samples[..at(begin)].to_vec();
                Input { before, samples: input.samples[at(begin)..at(end + 1)].to_vec(), ..input.clone() }
            }).collect();
            prop_assert_eq!(of_whole_in(&begun, &landmarks.rhythm(&inputs), &options), expected(from, to));
        }
    }
}
