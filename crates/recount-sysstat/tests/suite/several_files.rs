//! Files of one time line: the last sample of a day is compared with the first of the next.

use std::sync::Arc;

use recount_bytes::ByteOrder;
use recount_compute::{Input, PipelineOptions, run};
use recount_model::{Selection, Source, Status};
use recount_samples::other_logs::sa::{Entry, Writer};
use recount_sysstat::SaSource;

const CPU: Entry = (1, 0x8b, 3, true, 80, [10, 0, 0]);
const NET: Entry = (12, 0x8d, 1, true, 80, [7, 0, 1]);

type Cell = Result<f64, Status>;

/// A file of these samples: the 1/100 s after the start, and the bytes that eth0 received up to then, at 1000 Mbit/s.
fn file(samples: &[(u64, u64)]) -> Arc<SaSource> {
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[NET]);
    for (after_cs, received) in samples {
        let bytes = writer.record(1, *after_cs);
        bytes.put(1_u32).quads(&[1, 1, *received, 0, 0, 0, 0]).put(1000_u32).text("eth0", 16).text("", 4);
    }
    Arc::new(SaSource::open(Arc::new(writer.bytes.all.clone())).expect("opens"))
}

/// The values of a counter, of one file after the other; the first samples of the second are left out.
fn values(files: [&Arc<SaSource>; 2], num_left_out: u32, counter: &str) -> Vec<Cell> {
    let input = |file: &Arc<SaSource>, first: u32, continues| {
        let source: Arc<dyn Source> = Arc::<SaSource>::clone(file);
        let samples = (first..source.times().len() as u32).collect();
        Input { continues, ..Input::new(source, samples) }
    };
    let inputs = [input(files[0], 0, None), input(files[1], num_left_out, Some(0))];
    let mut options = PipelineOptions::default();
    options.cook.selection = Selection::from_iter([format!(r"\{counter}").parse().expect("a path")]);
    let mut found = Vec::new();
    run::<()>(&inputs, &options, |batch, _| {
        for cooked in batch {
            let column = &cooked.columns[0];
            let cells = (0..cooked.num_samples()).map(|cell| match column.status_at(cell) {
                Status::Ok => Ok(column.values[cell]),
                status => Err(status),
            });
            found.extend(cells);
        }
        Ok(())
    })
    .expect("cooked");
    found
}

/// How much of a line was used is known between any two samples, whichever files they are in.
#[test]
fn the_use_of_a_line_goes_on_from_file_to_file() {
    const FIRST: Cell = Err(Status::FirstSample);
    // 1 % of the speed are 1.25 MB/s.
    let at = |step: u64| (1000 * step, 12_500_000 * step);
    let later = file(&(3..6).map(at).collect::<Vec<_>>());
    for (earlier, of_seam) in [
        (vec![at(0)], Ok(1.0)),
        (vec![at(1), at(2)], Ok(1.0)),
        (vec![(0, 0), (1000, 0), (2000, 0)], Ok(3.0)),
        // The bytes fell, so the interface was registered again.
        (vec![(2000, 90_000_000)], Err(Status::NoPreviousInstance)),
    ] {
        let num = earlier.len();
        let found = values([&file(&earlier), &later], 0, r"sar.net_dev(*)\%ifutil");
        assert_eq!(found[0], FIRST);
        assert_eq!(found[num..], [of_seam, Ok(1.0), Ok(1.0)], "{earlier:?}");
    }
    // The earlier file's last sample is the later one's first, which is left out.
    let earlier = file(&[(0, 0), (2000, 0), at(3)]);
    assert_eq!(values([&earlier, &later], 1, r"sar.net_dev(*)\%ifutil")[2..], [Ok(3.0), Ok(1.0), Ok(1.0)]);
}

/// A file of samples every 10 s; per CPU its user and idle ticks, all 0 if it is off.
fn processors<const NUM_CPUS: usize>(samples: &[(u64, [[u64; 2]; NUM_CPUS])]) -> Arc<SaSource> {
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[CPU]);
    for (step, cpus) in samples {
        let bytes = writer.record(1, 1000 * step);
        bytes.put(1 + NUM_CPUS as u32).quads(&[0; 10]);
        for [user, idle] in cpus {
            bytes.quads(&[*user, 0, 0, *idle, 0, 0, 0, 0, 0, 0]);
        }
    }
    Arc::new(SaSource::open(Arc::new(writer.bytes.all.clone())).expect("opens"))
}

#[test]
fn a_cpu_that_comes_back_between_files_adds_nothing_to_all() {
    let one = |step: u64| (step, [[1000 + 250 * step, 1000 + 750 * step], [0; 2]]);
    let both =
        |step: u64| (step, [[1000 + 250 * step, 1000 + 750 * step], [900_000 + 500 * step, 500 * step]]);
    let of = |earlier: &[(u64, [[u64; 2]; 2])], later: &[(u64, [[u64; 2]; 2])]| {
        let files = [processors(earlier), processors(later)];
        values([&files[0], &files[1]], 0, r"sar.cpu(all)\%usr")[2..].to_vec()
    };
    let other = Err(Status::NoPreviousInstance);
    assert_eq!(of(&[one(0), one(1)], &[both(2), both(3)]), [other, Ok(37.5)]);
    assert_eq!(of(&[both(0), both(1)], &[one(2), one(3)]), [other, Ok(25.0)]);
    // The same CPUs, and no correction.
    assert_eq!(of(&[one(0), one(1)], &[one(2), one(3)]), [Ok(25.0), Ok(25.0)]);
    assert_eq!(of(&[both(0), both(1)], &[both(2), both(3)]), [Ok(37.5), Ok(37.5)]);
}

/// The other file lists one CPU more, and all that it lists are on.
#[test]
fn a_cpu_that_is_plugged_in_between_files_adds_nothing_to_all() {
    let of_one = |step: u64| [1000 + 250 * step, 1000 + 750 * step];
    let two = |step: u64| (step, [of_one(step); 2]);
    let three = |step: u64| (step, [of_one(step), of_one(step), [900_000 + 250 * step, 750 * step]]);
    let earlier = [processors(&[two(0), two(1)]), processors(&[three(0), three(1)])];
    let later = [processors(&[two(2), two(3)]), processors(&[three(2), three(3)])];
    let of = |earlier, later| values([earlier, later], 0, r"sar.cpu(all)\%usr")[2..].to_vec();
    let other = Err(Status::NoPreviousInstance);
    assert_eq!(of(&earlier[0], &later[0]), [Ok(25.0), Ok(25.0)]);
    assert_eq!(of(&earlier[0], &later[1]), [other, Ok(25.0)]);
    assert_eq!(of(&earlier[1], &later[0]), [other, Ok(25.0)]);
    assert_eq!(of(&earlier[1], &later[1]), [Ok(25.0), Ok(25.0)]);
}

/// The kernel moves waiting to idleness. Within a file the earlier times are corrected; between two files nobody has, so there is no
/// value, of the CPU or of all.
#[test]
fn times_that_fell_between_files_are_no_values() {
    /// User, system, idle and iowait.
    fn file(samples: &[(u64, [[u64; 4]; 2])]) -> Arc<SaSource> {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[CPU]);
        for (step, cpus) in samples {
            let bytes = writer.record(1, 1000 * step);
            bytes.put(3_u32).quads(&[0; 10]);
            for [user, sys, idle, iowait] in cpus {
                bytes.quads(&[*user, 0, *sys, *idle, *iowait, 0, 0, 0, 0, 0]);
            }
        }
        Arc::new(SaSource::open(Arc::new(writer.bytes.all.clone())).expect("opens"))
    }
    let steady = |step: u64| [400 * step, 100 * step, 500 * step, 3_100];
    let first = |step: u64| (step, [steady(step), steady(step)]);
    // Its iowait fell by 50, and its idle time rose.
    let later = |step: u64| (step, [steady(step), [400 * step, 100 * step, 500 * step, 3_050]]);
    let whole = file(&[first(0), first(1), later(2), later(3)]);
    let parts = [file(&[first(0), first(1)]), file(&[later(2), later(3)])];
    let overlapping = [file(&[first(0), first(1)]), file(&[first(1), later(2), later(3)])];
    let none = Err(Status::NoPreviousInstance);
    for (instance, counter, seam) in [
        ("0", "%usr", Ok(40.0)),
        ("1", "%usr", none),
        ("1", "%idle", none),
        ("all", "%usr", none),
        ("all", "%idle", none),
    ] {
        let path = format!(r"sar.cpu({instance})\{counter}");
        let of_whole = values([&whole, &whole], 4, &path);
        let found = values([&parts[0], &parts[1]], 0, &path);
        assert_eq!(found[2], seam, "{path}");
        assert_eq!(([found[0], found[1]], found[3]), ([of_whole[0], of_whole[1]], of_whole[3]), "{path}");
        // The later file has the earlier one's last sample, and so corrects.
        let found = values([&overlapping[0], &overlapping[1]], 1, &path);
        assert_eq!(found, of_whole, "{path}");
    }
    // Before, the CPU whose times fall had no ticks at all, so it isn't compared.
    let asleep = file(&[first(0), (1, [steady(1), steady(0)])]);
    for (instance, seam) in [("0", Ok(40.0)), ("1", none), ("all", none)] {
        let found = values([&asleep, &parts[1]], 0, &format!(r"sar.cpu({instance})\%usr"));
        assert_eq!(found[2], seam, "{instance}");
    }
}
