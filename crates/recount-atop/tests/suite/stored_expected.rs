//! Compares values with those that the release that wrote each log prints (`atop -P ALL`): every printed number from
//! which one of our counters is made, in every sample and every line.

use crate::printed;

use std::sync::Arc;

use printed::{Block, Expected, LOGS, Line, blocks, expected};
use recount_atop::AtopLog;
use recount_model::{Cooked, Decoded, Instance, Selection, Source, Status};
use recount_testdata::shared;

fn open(name: &str) -> AtopLog {
    AtopLog::open(Arc::new(printed::unzip(&shared(&format!("atop/{name}"))))).expect(name)
}

fn decode(log: &AtopLog, sample: u32) -> Decoded {
    let decoded = log.decode(&[sample], &Selection::all());
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    decoded
}

/// The value of a counter of an instance; `None` if there is no such thing.
fn cell(
    cooked: &[Cooked],
    object: &str,
    instance: impl Fn(&Instance) -> bool,
    counter: &str,
) -> Option<Result<f64, Status>> {
    let cooked = cooked.iter().find(|cooked| &*cooked.object.name == object)?;
    let at = cooked.instances.iter().position(instance)?;
    let counter = cooked.object.counter_named(counter)?;
    let column = cooked.columns.iter().find(|column| column.counter == counter)?;
    column.covers(at).then(|| column.value_at(at).ok_or(column.status_at(at)))
}

#[derive(Default)]
struct Tally {
    num_cells: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn check(&mut self, what: &str, found: Option<Result<f64, Status>>, expected: &Expected) {
        let tolerance = expected.tolerance;
        let expected = expected.value;
        self.num_cells += 1;
        let is_equal = match (found, expected) {
            (Some(Ok(found)), Ok(expected)) => (found - expected).abs() <= tolerance + 1e-12 * expected.abs(),
            (Some(found), expected) => found == expected,
            (None, _) => false,
        };
        if !is_equal {
            self.wrong.push(format!("{what}: expected {expected:?}, found {found:?}"));
        }
    }
}

fn compare(tally: &mut Tally, name: &str, minor: u8, block: &Block, cooked: &[Cooked]) {
    for line in &block.lines {
        // In 2.4 to 2.11 the GPU values of tasks that use none are uninitialised memory, and not always text.
        let is_same = |other: &&Line| other.values[0] == line.values[0];
        let is_thread = || {
            let of_process = lines_of(block, "PRC").filter(is_same).any(|other| other.values[13] == "y");
            let uses_gpu = lines_of(block, "PRE").filter(is_same).any(|other| other.values[3] != "N");
            line.values[3] == "N" && (uses_gpu || !of_process)
        };
        if line.label == "PRE" && (name != "gpu-2.12.raw.gz" || is_thread()) {
            continue;
        }
        if is_zombie_too(block, line) {
            continue;
        }
        let cells = expected(block, line, minor);
        if line.label == "PRG" && !line.values[1].starts_with("kworker/") {
            let of_task = cooked.iter().filter(|cooked| *cooked.object.name == *cells[0].object);
            let mut instances = of_task.flat_map(|cooked| cooked.instances.iter());
            let named =
                instances.find(|instance| instance.id == cells[0].pid && instance.start == cells[0].start);
            assert_eq!(named.map(|instance| &*instance.name), Some(line.values[1].as_str()), "{name}");
        }
        for expected in cells {
            let is_task = |instance: &Instance| {
                instance.id == expected.pid
                    && expected.start.is_none_or(|start| instance.start == Some(start))
            };
            let is_instance = |instance: &Instance| match &expected.instance {
                _ if expected.pid.is_some() => is_task(instance),
                Some(name) => instance.shown() == *name,
                None => instance.is_unnamed(),
            };
            let mut found = cell(cooked, expected.object, is_instance, expected.counter);
            if let Some((object, counter)) = expected.plus {
                let other = cell(cooked, object, is_instance, counter);
                found = found.zip(other).map(|(one, other)| Ok(one? + other?));
            }
            let Expected { object, instance, pid, counter, .. } = &expected;
            let what =
                format!("{name} {} {} {object} {instance:?} {pid:?} {counter}", block.number, line.label);
            tally.check(&what, found, &expected);
        }
    }
}

/// Whether a line is the second of a process that has ended but isn't reaped: we have the first, as a zombie.
fn is_zombie_too(block: &Block, line: &Line) -> bool {
    let is_same = |other: &Line| other.values[0] == line.values[0] && other.values[2] != "E";
    line.label.starts_with("PR") && line.values[2] == "E" && lines_of(block, "PRC").any(is_same)
}

fn lines_of<'b>(block: &'b Block, label: &'b str) -> impl Iterator<Item = &'b Line> {
    block.lines.iter().filter(move |line| line.label == label)
}

/// The numbers of processes and threads are in the sample's header, which atop doesn't print; they follow from the
/// lines of the tasks.
fn check_numbers(tally: &mut Tally, name: &str, block: &Block, cooked: &[Cooked]) {
    let processes = || lines_of(block, "PRC").filter(|line| line.values[13] == "y");
    let num = |is_it: fn(&str) -> bool| processes().filter(|line| is_it(&line.values[2])).count() as f64;
    for (counter, expected) in [
        ("#proc", num(|_| true)),
        ("#present", num(|state| state != "E")),
        ("#exit", num(|state| state == "E")),
        ("#zombie", num(|state| state == "Z")),
    ] {
        let found = cell(cooked, "PRC", Instance::is_unnamed, counter);
        tally.num_cells += 1;
        if found != Some(Ok(expected)) {
            tally
                .wrong
                .push(format!("{name} {} {counter}: expected {expected}, found {found:?}", block.number));
        }
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn every_value_is_the_one_that_atop_prints() {
    let mut all = 0;
    for (name, expected) in LOGS {
        let log = open(name);
        let minor = log.header().version.minor;
        assert!(log.health().is_sound(), "{name} {:?}", log.health());
        let text = printed::unzip(&shared(&format!("atop/expected/{expected}.P.gz")));
        let blocks = blocks(&String::from_utf8_lossy(&text));
        assert_eq!(blocks.len(), log.times().len(), "{name}");
        let mut tally = Tally::default();
        for (sample, block) in blocks.iter().enumerate() {
            assert_eq!(log.times()[sample].utc.unix_nanos(), Some(block.time * 1_000_000_000), "{name}");
            let cooked = decode(&log, sample as u32).cooked;
            compare(&mut tally, name, minor, block, &cooked);
            // There is nothing besides what is printed.
            let num = |object: &str| {
                cooked
                    .iter()
                    .find(|cooked| &*cooked.object.name == object)
                    .map_or(0, |cooked| cooked.instances.len())
            };
            let tasks = |is_process: &str| {
                let lines = lines_of(block, "PRC").filter(|line| !is_zombie_too(block, line));
                lines.filter(|line| line.values[13] == is_process).count()
            };
            assert_eq!(num("Process"), tasks("y"), "{name} {sample}");
            assert_eq!(num("Thread"), tasks("n"), "{name} {sample}");
            assert_eq!(num("CPU"), lines_of(block, "cpu").count() + 1, "{name} {sample}");
            assert_eq!(num("DSK"), lines_of(block, "DSK").count(), "{name} {sample}");
            assert_eq!(num("GPU"), lines_of(block, "GPU").count(), "{name} {sample}");
            assert_eq!(num("NET"), lines_of(block, "NET").filter(|line| line.values[0] != "upper").count());
            assert_eq!(num("CGR"), lines_of(block, "CGR").filter(|line| line.values[0] == "C").count());
            check_numbers(&mut tally, name, block, &cooked);
            for cooked in &cooked {
                assert_eq!(
                    cooked.interval_s,
                    [(!block.is_reset).then_some(block.interval)],
                    "{name} {sample}"
                );
                assert_eq!(&*cooked.host, &*block.host, "{name}");
            }
        }
        let (num, wrong) = (tally.wrong.len(), &tally.wrong[..tally.wrong.len().min(20)]);
        assert_eq!(num, 0, "{wrong:#?}");
        assert!(tally.num_cells > 1_000, "{name}: {}", tally.num_cells);
        all += tally.num_cells;
    }
    assert!(all > 90_000, "{all}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn samples_are_the_same_in_any_stretch() {
    for (name, _) in LOGS {
        let log = open(name);
        let num = log.times().len() as u32;
        let whole = log.decode(&(0..num).collect::<Vec<_>>(), &Selection::all()).cooked;
        for sample in 0..num {
            let time = log.times()[sample as usize];
            for alone in decode(&log, sample).cooked {
                let is_it = |cooked: &&Cooked| cooked.object == alone.object && cooked.times.contains(&time);
                let stretch = whole.iter().find(is_it).expect("the object in the whole");
                assert_eq!(stretch.instances, alone.instances);
                let at = stretch.times.iter().position(|other| *other == time).expect("the time");
                let from = at * alone.instances.len();
                for (one, other) in stretch.columns.iter().zip(&alone.columns) {
                    for cell in 0..alone.instances.len() {
                        assert_eq!(one.value_at(from + cell), other.value_at(cell), "{name}");
                        assert_eq!(one.status_at(from + cell), other.status_at(cell), "{name}");
                    }
                }
            }
        }
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn only_what_is_selected_comes() {
    let log = open("gpu-2.12.raw.gz");
    let all = decode(&log, 3).cooked;
    for (path, object, counter, num_instances) in [
        (r"\CPU(_Total)\avgscal", "CPU", "avgscal", 0),
        (r"\CPU(_Total)\idle", "CPU", "idle", 1),
        (r"\Process(*)\RSIZE", "Process", "RSIZE", 22),
        (r"\PSI\iosome", "PSI", "iosome", 1),
        (r"\CGR(/demo.slice)\NPROCS", "CGR", "NPROCS", 1),
    ] {
        let selection = Selection::from_iter([path.parse().expect("a pattern")]);
        let cooked = log.decode(&[3], &selection).cooked;
        let instances: Vec<Instance> = cooked.iter().flat_map(|cooked| cooked.instances.to_vec()).collect();
        assert_eq!(instances.len(), num_instances, "{path}");
        assert!(cooked.iter().all(|cooked| cooked.columns.len() == 1));
        for instance in instances {
            let of = |cooked: &[Cooked]| cell(cooked, object, |other| *other == instance, counter);
            assert!(of(&cooked).is_some());
            assert_eq!(of(&cooked), of(&all), "{path} {instance}");
        }
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn a_process_that_ends_is_there_for_the_last_time() {
    let log = open("load-2.8.1.raw.gz");
    let (mut num_ended, mut codes) = (0, Vec::new());
    for sample in 1..log.times().len() as u32 {
        let cooked = decode(&log, sample).cooked;
        let process = cooked.iter().find(|cooked| &*cooked.object.name == "Process").expect("processes");
        for instance in &*process.instances {
            let of = |counter| cell(&cooked, "Process", |other| other == instance, counter).expect(counter);
            if of("S") != Ok(f64::from(b'E')) {
                assert_eq!(of("EXC"), Err(Status::InvalidData));
                continue;
            }
            num_ended += 1;
            codes.push(of("EXC").expect("a code") as u32);
            assert!(of("CPU").is_ok());
            for unknown in ["RSIZE", "CPUNR", "RDDSK", "RDELAY", "elapsed", "NICE"] {
                assert_eq!(of(unknown), Err(Status::InvalidData), "{unknown}");
            }
        }
    }
    codes.sort_unstable();
    codes.dedup();
    assert!(num_ended > 10, "{num_ended}");
    assert!(codes.len() > 2 && codes.iter().any(|code| *code > 256), "{codes:?}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn a_second_run_of_the_recorder_begins_with_totals() {
    let log = open("appended-2.12.raw.gz");
    let boots: Vec<usize> = (0..log.times().len())
        .filter(|sample| {
            let cooked = decode(&log, *sample as u32).cooked;
            cell(&cooked, "CPL", Instance::is_unnamed, "csw") == Some(Err(Status::FirstSample))
        })
        .collect();
    assert_eq!(boots.len(), 2);
    let whole = log.decode(&(0..log.times().len() as u32).collect::<Vec<_>>(), &Selection::all()).cooked;
    let memory: Vec<&Cooked> = whole.iter().filter(|cooked| &*cooked.object.name == "MEM").collect();
    assert_eq!(memory.len(), 2, "a stretch per run");
    assert_eq!(memory[1].interval_s[0], None);
    assert!(!memory[1].continued[0]);
}

#[test]
#[ignore = "reads ../shared/data"]
fn every_log_can_be_dumped() {
    for (name, _) in LOGS {
        let bytes = printed::unzip(&shared(&format!("atop/{name}")));
        let mut text = String::new();
        recount_atop::dump(&bytes, 2, &mut text).expect(name);
        assert!(text.lines().count() > 500, "{name}");
        assert!(!text.contains("\n! "), "{name}");
    }
}
