//! The rows of counter-vectors.csv: inputs of every type, and the results.

use recount_model::{Clocks, Column, CounterDef, CounterType, Instance, Multi, Recipe, Run, Second, Timer};

use super::{at_second, counter, object};

/// Inputs of one sample.
#[derive(Clone, Copy)]
pub struct Sample {
    pub raw: u64,
    pub base: u64,
    pub perf_time: u64,
    pub time_100ns: u64,
    pub object_time: u64,
}

pub struct Vector {
    pub case: String,
    pub word: u32,
    pub perf_freq: u64,
    pub object_freq: u64,
    pub samples: Vec<Sample>,
    pub multi: u64,
    pub value: Option<f64>,
    pub status: String,
}

pub fn vectors() -> Vec<Vector> {
    let text = String::from_utf8(recount_testdata::shared("counter-vectors.csv")).expect("text");
    text.lines().skip(1).map(parse).collect()
}

fn parse(line: &str) -> Vector {
    let fields: Vec<&str> = line.split(',').collect();
    assert_eq!(fields.len(), 18, "{line}");
    let number = |at: usize| fields[at].parse::<u64>().unwrap_or_else(|e| panic!("{line}: field {at}: {e}"));
    let sample = |at: usize| Sample {
        raw: number(at),
        base: number(at + 1),
        perf_time: number(at + 2),
        time_100ns: number(at + 3),
        object_time: number(at + 4),
    };
    let word = u32::from_str_radix(fields[1].trim_start_matches("0x"), 16).expect(line);
    let samples = if fields[5].is_empty() { vec![sample(10)] } else { vec![sample(5), sample(10)] };
    Vector {
        case: format!("case {} {}", fields[0], fields[2]),
        word,
        perf_freq: number(3),
        object_freq: number(4),
        samples,
        multi: number(15),
        value: (!fields[16].is_empty()).then(|| fields[16].parse().expect(line)),
        status: fields[17].to_owned(),
    }
}

impl Vector {
    pub fn recipe(&self) -> Recipe {
        CounterType(self.word).recipe(super::len_of(self.word))
    }

    pub fn each(&self, of: impl Fn(&Sample) -> u64) -> Vec<u64> {
        self.samples.iter().map(of).collect()
    }

    pub fn clocks(&self, with_ticks: bool) -> Clocks {
        let time = (0..self.samples.len()).map(|s| at_second(s as i64)).collect();
        if !with_ticks {
            return Clocks { time, ..Clocks::default() };
        }
        Clocks {
            time,
            perf_time: self.each(|s| s.perf_time),
            perf_freq: vec![self.perf_freq; self.samples.len()],
            time_100ns: self.each(|s| s.time_100ns),
            object_time: self.each(|s| s.object_time),
            object_freq: vec![self.object_freq; self.samples.len()],
        }
    }

    /// As in an object's block: clocks of the run, base and instance count as separate counters.
    pub fn as_object(&self) -> Run {
        let recipe = self.recipe();
        let base_word = CounterType(self.word).predefined().and_then(|row| row.base);
        let mut counters = vec![counter("it", self.word)];
        let mut it = super::column(self.each(|s| s.raw), recipe.clock.map_or(Second::None, Second::Clock));
        let mut columns = vec![];
        if let Some(base_word) = base_word {
            counters.push(counter("its base", base_word));
            let multi = recipe.formula.needs_multi();
            (it.second, it.multi) =
                if multi { (it.second, Multi::Base(1)) } else { (Second::Base(1), Multi::None) };
            let base = self.each(|s| if multi { self.multi } else { s.base });
            columns.push(super::column(base, Second::None));
        }
        columns.insert(0, it);
        Self::run(self.clocks(true), counters, columns)
    }

    /// As in a counter list: every counter has its own clock or base.
    pub fn as_counter_list(&self) -> Run {
        let recipe = self.recipe();
        let mut it = counter("it", self.word);
        let (ticks, frequency) = match recipe.clock {
            Some(Timer::Tick) => (self.each(|s| s.perf_time), self.perf_freq),
            Some(Timer::HundredNs) => (self.each(|s| s.time_100ns), 10_000_000),
            Some(Timer::Object) | None => (self.each(|s| s.object_time), self.object_freq),
        };
        it.time_base = Some(frequency);
        let needs_base = recipe.formula.needs_base();
        let second = if needs_base { self.each(|s| s.base) } else { ticks };
        let column = Column {
            first: self.each(|s| s.raw),
            second: Second::Own(second),
            multi: Multi::Own(vec![self.multi; self.samples.len()]),
            ..Column::default()
        };
        Self::run(self.clocks(false), vec![it], vec![column])
    }

    pub fn run(clocks: Clocks, counters: Vec<CounterDef>, columns: Vec<Column>) -> Run {
        Run {
            host: "".into(),
            object: object(counters),
            instances: vec![Instance::unnamed()].into(),
            clocks,
            columns,
            faults: vec![],
        }
    }
}

/// The same run with its cells repeated for `count` instances.
pub fn repeated(run: &Run, count: usize) -> Run {
    let cells =
        |all: &Vec<u64>| all.iter().flat_map(|v| std::iter::repeat_n(*v, count)).collect::<Vec<u64>>();
    let mut wide = run.clone();
    wide.instances = super::letters(count).into();
    for column in &mut wide.columns {
        column.first = cells(&column.first);
        if let Second::Own(all) = &mut column.second {
            *all = cells(all);
        }
        if let Multi::Own(all) = &mut column.multi {
            *all = cells(all);
        }
    }
    wide
}
