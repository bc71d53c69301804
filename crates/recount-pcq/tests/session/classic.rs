//! The same raw numbers as a classic block and as a 2.0 session: the inputs of the formulas are the same.

use recount_bytes::ByteOrder;
use recount_model::{CounterType, Formula, Multi, NameTable, Run, SampleTime, Second, Timer, Timestamp};
use recount_pcq::CounterRegInfo;
use recount_perf_data::{DataBlock, ObjectRuns};
use recount_samples::blocks::{BlockBuf, InstancesBuf, ObjectBuf};

use crate::links::{Needs, TYPES};
use crate::support::*;

const ORDER: ByteOrder = ByteOrder::Little;

/// Raw numbers of one sample. The clock of the object and its frequency are those of all instances.
#[derive(Clone, Copy)]
struct Raw {
    second: u64,
    /// Per instance: the counter, its base, its instance count.
    rows: [(u64, u64, u64); 2],
    object_time: u64,
    object_freq: u64,
}

const SAMPLES: [Raw; 3] = [
    Raw { second: 100, rows: [(5, 1, 2), (u64::MAX - 9, 0, 4)], object_time: 900, object_freq: 1000 },
    Raw { second: 101, rows: [(1 << 33, 7, 2), (3, 8, 4)], object_time: 1_950, object_freq: 1000 },
    Raw { second: 103, rows: [(1 << 40, 7, 3), (0, u64::MAX, 0)], object_time: 4_000, object_freq: 2000 },
];

/// As an object of a block: the counter, directly followed by its base or multi base.
fn classic(word: u32, needs: Needs) -> Run {
    let companion = match needs {
        Needs::Base(base) => Some(base),
        Needs::Multi => Some(0x4203_0500),
        // PERF_PRECISION_OBJECT_TIMER is followed by a time stamp.
        Needs::TimeAndFrequency if CounterType(word).recipe(8).formula == Formula::PrecisionTimer => {
            Some(0x4003_0500)
        }
        Needs::TimeAndFrequency | Needs::Nothing => None,
    };
    let mut runs = ObjectRuns::new("".into(), SAMPLES.len());
    for raw in SAMPLES {
        let mut object = ObjectBuf::new(1, true);
        (object.header.perf_time, object.header.perf_freq) = (raw.object_time as i64, raw.object_freq as i64);
        let own = object.add_counter(1, CounterType(word));
        if CounterType(word).size() == recount_model::Size::VariableLen {
            object.counters[own].definition.len_value = 10;
        }
        let companion = companion.map(|word| object.add_counter(2, CounterType(word)));
        let instances = raw.rows.iter().zip(["a", "b"]).map(|((value, base, multi), name)| {
            let mut values = object.zeroed_values();
            object.set_value(&mut values, ORDER, own, *value);
            let beside = match needs {
                Needs::Multi => *multi,
                Needs::TimeAndFrequency => raw.object_time,
                _ => *base,
            };
            if let Some(companion) = companion {
                assert!(object.set_value(&mut values, ORDER, companion, beside));
            }
            recount_samples::blocks::InstanceBuf::named(name, ORDER, values)
        });
        object.instances = InstancesBuf::Many(instances.collect());
        let mut block = BlockBuf::new("", ORDER);
        let clocks = clocks(raw.second);
        (block.header.perf_time, block.header.perf_freq) = (clocks.perf_time as i64, clocks.perf_freq as i64);
        block.header.perf_time_100ns = clocks.perf_time_100ns as i64;
        block.objects.push(object);
        let bytes = block.write().expect("fits");
        let block = DataBlock::parse(&bytes, 0).expect("sound");
        let object = block.objects().next().expect("an object").expect("sound");
        let time = SampleTime { utc: Timestamp(clocks.perf_time_100ns as i64), offset_min: 0 };
        runs.push(&block, &object, time, &NameTable::new()).expect("sound");
    }
    runs.finish().remove(0)
}

/// As a counterset: the counter, and all that it could be linked to.
fn session(word: u32, needs: Needs) -> Run {
    let base = if let Needs::Base(base) = needs { base } else { RAWCOUNT };
    let linked = CounterRegInfo {
        base_counter_id: 2,
        multi_id: 3,
        perf_time_id: 4,
        perf_freq_id: 5,
        ..counter(1, word)
    };
    let counters = vec![
        linked,
        counter(2, base),
        counter(3, RAWCOUNT),
        counter(4, LARGE_RAWCOUNT),
        counter(5, LARGE_RAWCOUNT),
    ];
    let sized = |word: u32, value: u64| match CounterType(word).size() {
        recount_model::Size::Dword => dword(value as u32),
        recount_model::Size::Large => large(value),
        _ => b"t\0e\0x\0t\0\0\0".to_vec(),
    };
    let mut recorded = Recorded::default();
    recorded.register(&registration(1, MULTIPLE, counters)).info(QUERY, &[asked_all(1, 0)]);
    for raw in SAMPLES {
        let rows = raw.rows.iter().zip([(1, "a"), (2, "b")]).map(|((value, by, multi), (id, name))| {
            let values = vec![
                sized(word, *value),
                sized(base, *by),
                dword(*multi as u32),
                large(raw.object_time),
                large(raw.object_freq),
            ];
            (instance(id, name), values)
        });
        let mut answer = answer(raw.second);
        answer.push_counter_set(&[1, 2, 3, 4, 5], &rows.collect::<Vec<_>>());
        recorded.data(answer);
    }
    recorded.runs().remove(0)
}

/// A clock of the run, per cell.
fn ticks(run: &Run, timer: Timer) -> Vec<u64> {
    run.clocks.ticks(timer).iter().flat_map(|ticks| vec![*ticks; run.instances.len()]).collect()
}

/// The inputs of the first counter's formula: first values, second values, instance counts, frequency.
#[derive(Debug, PartialEq)]
struct Operands {
    first: Vec<u64>,
    second: Option<Vec<u64>>,
    multi: Option<Vec<u64>>,
    frequency: Option<Vec<u64>>,
    len_value: u32,
}

impl Operands {
    fn of(run: &Run) -> Operands {
        let (column, def) = (&run.columns[0], &run.object.counters[0]);
        let word = def.counter_type.expect("raw");
        let recipe = word.recipe(def.len_value);
        let of_counter = |counter: usize| run.columns[counter].first.clone();
        let per_cell = |all: &[u64]| all.iter().flat_map(|one| vec![*one; run.instances.len()]).collect();
        let frequency = match (column.frequency, recipe.clock) {
            (Some(counter), Some(_)) => Some(of_counter(counter)),
            (None, Some(Timer::Tick)) => Some(per_cell(&run.clocks.perf_freq)),
            (None, Some(Timer::Object)) => Some(per_cell(&run.clocks.object_freq)),
            // 10,000,000 per second, or not needed.
            (None, Some(Timer::HundredNs)) | (_, None) => None,
        };
        Operands {
            first: column.first.clone(),
            second: match &column.second {
                Second::None => None,
                Second::Clock(timer) => Some(ticks(run, *timer)),
                Second::Base(base) => Some(of_counter(*base)),
                Second::Own(values) => Some(values.clone()),
            },
            multi: match &column.multi {
                Multi::None => None,
                Multi::Base(base) => Some(of_counter(*base)),
                Multi::Own(values) => Some(values.clone()),
            },
            frequency,
            len_value: def.len_value,
        }
    }
}

#[test]
fn every_type_has_the_same_operands_in_both_forms() {
    for (word, needs, _) in TYPES {
        let (classic, session) = (classic(word, needs), session(word, needs));
        let name = CounterType(word);
        assert_eq!((classic.num_samples(), session.num_samples()), (3, 3), "{name}");
        assert_eq!(shown(&classic), shown(&session));
        let mut expected = Operands::of(&classic);
        let found = Operands::of(&session);
        if needs == Needs::Multi {
            // MULTI_BASE has 64 bits, and the RAWCOUNT of 2.0 has 32.
            assert!(
                expected.multi.as_ref().expect("linked").iter().all(|count| u32::try_from(*count).is_ok())
            );
        }
        if name.size() == recount_model::Size::VariableLen {
            expected.len_value = found.len_value;
        }
        assert_eq!(found, expected, "{name}");
        assert!(classic.faults.is_empty() && session.faults.is_empty());
        let is_needed = |formula: Formula| formula.needs_base() || formula.needs_clock();
        assert_eq!(found.second.is_some(), is_needed(name.recipe(8).formula), "{name}");
        assert_eq!(found.multi.is_some(), name.recipe(8).formula.needs_multi(), "{name}");
    }
}
