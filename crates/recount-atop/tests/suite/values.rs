//! The values computed from stored fields, in logs made here.

use std::ops::ControlFlow;

use recount_atop::AtopLog;
use recount_model::{
    Cooked, FindingKind, Instance, ProcessDescription, ProcessNote, Selection, Source, Status, Timestamp,
};
use recount_samples::other_logs::atop::{START, Sample, Structure, file, header, open, three};

type Cell = Result<f64, Status>;

fn decode(log: &AtopLog) -> Vec<Cooked> {
    let all: Vec<u32> = (0..log.times().len() as u32).collect();
    let decoded = log.decode(&all, &Selection::all());
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    decoded.cooked
}

/// The values of a counter, one per sample that has the instance; `None` if there is no such counter.
fn values(cooked: &[Cooked], object: &str, instance: &str, counter: &str) -> Option<Vec<Cell>> {
    let mut found = None;
    for cooked in cooked.iter().filter(|cooked| &*cooked.object.name == object) {
        let number = cooked.object.counter_named(counter)?;
        let column = cooked.columns.iter().find(|column| column.counter == number)?;
        let num = cooked.instances.len();
        let Some(at) = cooked.instances.iter().position(|other| other.shown() == instance) else { continue };
        let cells = (0..cooked.num_samples()).map(|sample| sample * num + at);
        let cells = cells.map(|cell| column.value_at(cell).ok_or(column.status_at(cell)));
        found.get_or_insert_with(Vec::new).extend(cells);
    }
    found
}

#[test]
fn every_version_is_read() {
    for minor in 3..=13 {
        let mut samples = three(minor);
        samples[2].tasks[0].set("cpu.system", 250).set("mem.major_faults", 30);
        let log = open(file(minor, &samples)).expect("a log");
        let cooked = decode(&log);
        let of = |object: &str, instance: &str, counter: &str| values(&cooked, object, instance, counter);
        let boot = Err(Status::FirstSample);
        assert_eq!(of("CPL", "", "csw"), Some(vec![boot, Ok(60.0), Ok(60.0)]), "2.{minor}");
        assert_eq!(of("CPU", "_Total", "sys"), Some(vec![boot, Ok(25.0), Ok(25.0)]));
        assert_eq!(of("MEM", "", "free"), Some(vec![Ok(1_024_000.0); 3]));
        assert_eq!(of("PRC", "", "#trun"), Some(vec![Ok(3.0); 3]));
        assert_eq!(of("Process", "busy", "RSIZE"), Some(vec![Ok(2_097_152.0); 3]));
        assert_eq!(of("Process", "busy", "CPU"), Some(vec![boot, Ok(50.0), Ok(75.0)]));
        assert_eq!(of("Process", "busy", "MAJFLT"), Some(vec![boot, Ok(0.0), Ok(3.0)]));
        let processors = cooked.iter().find(|cooked| &*cooked.object.name == "CPU").expect("processors");
        let names: Vec<String> = processors.instances.iter().map(Instance::shown).collect();
        assert_eq!(names, ["0", if minor == 13 { "2" } else { "1" }, "_Total"], "2.{minor}");
        assert_eq!(log.info().format, format!("atop raw log, version 2.{minor}"));
        assert_eq!(log.info().hosts, ["web1".into()]);
        assert_eq!(log.times()[0].utc.to_string(), "2026-11-22T00:00:00Z");
        assert_eq!(
            log.info().boot_time.map(|time| time.to_string()).as_deref(),
            Some("2026-11-21T23:43:20Z")
        );
        // Fields that a version lacks give no counters.
        let has = |object: &str, counter: &str| {
            of(object, if object == "Process" { "busy" } else { "" }, counter).is_some()
        };
        assert_eq!(has("Process", "NVCSW"), minor >= 9, "2.{minor}");
        assert_eq!(has("Process", "RDELAY"), minor >= 6, "2.{minor}");
        assert_eq!(has("Process", "CPUMAX"), (8..=10).contains(&minor), "2.{minor}");
        assert_eq!(has("MEM", "avail"), minor >= 10, "2.{minor}");
        assert_eq!(has("SWP", "swcac"), minor >= 6, "2.{minor}");
    }
}

#[test]
fn left_over_memory_is_never_a_value() {
    for minor in 3..=13 {
        // The GPU values of this process are left-over heap memory: no flag marks them as valid.
        let log = open(file(minor, &three(minor))).expect("a log");
        for cooked in decode(&log).iter().filter(|cooked| &*cooked.object.name == "Process") {
            for column in &cooked.columns {
                let name = &cooked.object.counters[column.counter].name;
                for cell in 0..cooked.num_cells() {
                    let value = column.value_at(cell).unwrap_or(0.0);
                    let is_known = value < 1000.0 || ["RSIZE", "VSIZE", "elapsed"].contains(&&**name);
                    assert!(is_known && value >= 0.0, "2.{minor} {name} {value}");
                    let is_gpu = name.starts_with("GPU");
                    assert!(!is_gpu || column.value_at(cell).is_none(), "2.{minor} {name}");
                }
            }
        }
    }
}

#[test]
fn values_of_tasks_need_their_flags() {
    let mut samples = three(12);
    for sample in &mut samples {
        let task = &mut sample.tasks[0];
        task.set("disk.read_sectors", 20).set("net.tcp_in", 40);
        task.set("gpu.state", i64::from(b'A')).set("gpu.gpus", 1).set("gpu.busy", -1).set("gpu.mem_now", 3);
        task.set("gpu.mem_cum", 50).set("gpu.samples", 10);
    }
    samples[2].flags = 0x20 | 0x04 | 0x80;
    let cooked = decode(&open(file(12, &samples)).expect("a log"));
    let last = |counter: &str| values(&cooked, "Process", "busy", counter).expect(counter)[1..].to_vec();
    let unknown = Err(Status::InvalidData);
    assert_eq!(last("RDDSK"), [unknown, Ok(1024.0)]);
    assert_eq!(last("TCPRCV"), [unknown, Ok(4.0)]);
    assert_eq!(last("GPUS"), [unknown, Ok(1.0)]);
    assert_eq!(last("GPULIFE"), [unknown, unknown], "-1 is unknown");
    assert_eq!(last("GPUMEM"), [unknown, Ok(3072.0)]);
    assert_eq!(last("GPUMEMAVG"), [unknown, Ok(5.0 * 1024.0)]);
}

#[test]
fn a_counter_that_went_back_has_no_value() {
    let mut samples = three(12);
    let system = &mut samples[1].system;
    system.set_at("cpu.cpus.iowait", 0, (1 << 32) - 3).set("cpu.all.iowait", (1 << 32) - 3);
    system.set("disk.n_disks", 2).text_at("disk.disks.name", 0, "sda").text_at("disk.disks.name", 1, "sdb");
    system.set_at("disk.disks.io_ms", 0, 20_001).set_at("disk.disks.reads", 0, 5);
    system.set_at("disk.disks.io_ms", 1, 5_000).set_at("disk.disks.reads", 1, 20);
    system.set_at("disk.disks.discards", 1, -1).set("net.tcp.InSegs", -7).set("mem.oom_kills", -1);
    system.set("psi.present", 1).set("psi.io_some.total", -20).set("psi.cpu_some.total", 500_000);
    let cooked = decode(&open(file(12, &samples)).expect("a log"));
    let of = |object: &str, instance: &str, counter: &str| {
        let values = values(&cooked, object, instance, counter).expect(counter);
        if values.len() == 3 { values[1] } else { values[0] }
    };
    let reset = Err(Status::CounterReset);
    assert_eq!(of("CPU", "0", "sys"), reset);
    assert_eq!(of("CPU", "1", "sys"), Ok(25.0));
    assert_eq!(of("CPU", "_Total", "sys"), reset);
    assert_eq!(of("DSK", "sda", "read"), reset);
    assert_eq!(of("DSK", "sdb", "read"), Ok(2.0));
    assert_eq!(of("DSK", "sdb", "busy"), Ok(50.0));
    assert_eq!(of("DSK", "sdb", "avio"), Ok(250.0));
    assert_eq!(of("DSK", "sdb", "B/w"), Err(Status::NoOperations));
    assert_eq!(of("DSK", "sdb", "discrd"), Err(Status::InvalidData));
    assert_eq!(of("TCP", "", "InSegs"), reset);
    assert_eq!(of("PAG", "", "oomkill"), Err(Status::InvalidData));
    assert_eq!(of("PSI", "", "iosome"), reset);
    assert_eq!(of("PSI", "", "cpusome"), Ok(5.0));
}

#[test]
fn an_interval_of_no_length_has_no_rates() {
    let mut samples = three(12);
    samples[2].time = samples[1].time;
    samples[2].interval = 1;
    let log = open(file(12, &samples)).expect("a log");
    let cooked = decode(&log);
    let last = |object: &str, counter: &str| values(&cooked, object, "", counter).expect(counter)[2];
    assert_eq!(last("CPL", "csw"), Err(Status::ClockNotAdvancing));
    assert_eq!(last("MEM", "tot"), Ok(4_096_000.0));
    assert_eq!(values(&cooked, "CPU", "0", "idle").expect("idle")[2], Ok(75.0), "a share needs no clock");
}

#[test]
fn an_interval_that_contradicts_the_times_divides_nothing() {
    for wrong in [12, u32::MAX] {
        let mut samples = three(12);
        samples[1].interval = 11;
        samples[2].interval = wrong;
        samples[2].system.set("disk.n_disks", 1).text_at("disk.disks.name", 0, "sda");
        samples[2].system.set_at("disk.disks.io_ms", 0, 30_000).set_at("disk.disks.reads", 0, 5);
        let ofs = 480 + samples[..2].iter().map(|sample| sample.bytes().len()).sum::<usize>();
        let log = open(file(12, &samples)).expect("a log");
        let found: Vec<String> = log.health().findings().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [format!(
                "damaged: sample.interval at byte {:#x} (structure starts at {ofs:#x}): expected at most 11 seconds by the \
                 time of the sample before, found {wrong}: values per second are left out of this sample",
                ofs + 24
            )]
        );
        let cooked = decode(&log);
        let of = |object: &str, instance: &str, counter: &str| {
            values(&cooked, object, instance, counter).expect(counter).pop().expect("a sample")
        };
        assert_eq!(values(&cooked, "CPL", "", "csw").expect("csw")[1], Ok(600.0 / 11.0), "rounded");
        assert_eq!(of("CPL", "", "csw"), Err(Status::InvalidData));
        assert_eq!(of("Process", "busy", "CPU"), Err(Status::InvalidData));
        assert_eq!(of("MEM", "", "tot"), Ok(4_096_000.0));
        assert_eq!(of("CPU", "0", "idle"), Ok(75.0), "a share needs no interval");
        assert_eq!(of("DSK", "sda", "avio"), Err(Status::CounterReset), "busy for longer than can be");
        let intervals = cooked.iter().flat_map(|cooked| &cooked.interval_s);
        assert!(intervals.flatten().all(|interval| *interval <= 11.0));
    }
}

#[test]
fn an_interval_may_be_longer_than_the_time_since_another_run() {
    // The clock was set back, or the recorder started again.
    let mut samples = three(12);
    samples[2].interval = 600;
    samples[2].time = START + 5;
    let log = open(file(12, &samples)).expect("a log");
    assert_eq!(log.health().count(FindingKind::Damaged), 0);
    samples[2].flags = 1;
    samples[2].time = START + 20;
    assert!(open(file(12, &samples)).expect("a log").health().is_sound());
}

#[test]
fn runs_of_several_boots_have_no_common_boot_time() {
    let runs = |uptimes: [u32; 3]| {
        let mut samples = Vec::new();
        for (run, uptime) in (0..).zip(uptimes) {
            let mut of_run = three(12);
            for sample in &mut of_run {
                sample.time += 100 * run;
            }
            of_run[0].interval = uptime;
            samples.extend(of_run);
        }
        let log = open(file(12, &samples)).expect("a log");
        let details = log.info().details.clone();
        let detail = |name: &str| details.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        assert_eq!(detail("recorder-runs").as_deref(), Some("3"));
        (log.info().boot_time.map(|time| time.to_string()), detail("boots"), log)
    };
    // The clock was set by a few seconds.
    let (boot_time, boots, _) = runs([1000, 1100, 1195]);
    assert_eq!((boot_time.as_deref(), boots), (Some("2026-11-21T23:43:20Z"), None));
    // The third is after another boot.
    let (boot_time, boots, log) = runs([1000, 1100, 50]);
    assert_eq!((boot_time, boots.as_deref()), (None, Some("2")));
    let boot = |sample: usize| log.counts_since(sample).boot_time.map(|time| time.to_string());
    assert_eq!(boot(5).as_deref(), Some("2026-11-21T23:43:20Z"));
    assert_eq!(boot(8).as_deref(), Some("2026-11-22T00:02:30Z"));
}

#[test]
fn a_clock_set_back_begins_an_epoch() {
    let mut samples = three(12);
    samples.extend(three(12));
    samples[3].time = START + 5;
    samples[4].time = START + 15;
    samples[5].time = START + 25;
    let log = open(file(12, &samples)).expect("a log");
    assert_eq!(log.health().count(FindingKind::Odd), 1);
    let epochs: Vec<u32> = (0..6).map(|sample| log.epoch(sample)).collect();
    assert_eq!(epochs, [0, 1, 0, 1, 0, 1]);
    assert!(log.times().is_sorted_by_key(|time| time.utc));
    assert!(decode(&log).iter().all(|cooked| cooked.num_samples() == 1), "nothing spans epochs");
}

#[test]
fn exited_processes_and_threads_have_their_own_rules() {
    let mut samples = three(12);
    let task = |pid: i64, tgid: i64, is_process: i64, state: u8| {
        let mut task = Structure::task(12);
        task.set("gen.pid", pid).set("gen.tgid", tgid).set("gen.is_process", is_process);
        task.set("gen.state", i64::from(state)).set("cpu.user", 100);
        task
    };
    let mut killed = task(50, 50, 1, b'E');
    killed.text("gen.name", "gone").set("gen.exit_code", 9 | i64::from(i32::MIN)).set("mem.resident", 7);
    let mut failed = task(51, 51, 1, b'E');
    failed.text("gen.name", "bad").set("gen.exit_code", 3 << 8);
    let mut zombie_ended = task(42, 42, 1, b'E');
    zombie_ended.set("gen.start", START - 99);
    let mut worker = task(43, 42, 0, b'S');
    worker.text("gen.name", "worker");
    samples[2].tasks.extend([worker, killed, failed, zombie_ended]);
    let cooked = decode(&open(file(12, &samples)).expect("a log"));
    let of = |instance: &str, counter: &str| values(&cooked, "Process", instance, counter).expect(counter);
    assert_eq!(of("gone", "EXC"), [Ok(265.0)]);
    assert_eq!(of("bad", "EXC"), [Ok(3.0)]);
    assert_eq!(of("gone", "CPU"), [Ok(10.0)]);
    assert_eq!(of("gone", "RSIZE"), [Err(Status::InvalidData)]);
    assert_eq!(of("busy", "CPU").len(), 3, "the zombie is there once");
    assert_eq!(values(&cooked, "Process", "busy#1", "CPU"), None);
    assert_eq!(values(&cooked, "Thread", "busy/worker", "CPU"), Some(vec![Ok(10.0)]));
    let process = cooked.iter().rfind(|cooked| &*cooked.object.name == "Process").expect("processes");
    assert_eq!(process.instances[1].id, Some(50));
    assert_eq!(
        process.instances[1].start.map(|start| start.to_string()).as_deref(),
        Some("2026-11-21T23:58:20Z")
    );
}

#[test]
fn memory_given_back_on_ending_is_no_value() {
    let mut samples = three(12);
    let task = |pid: i64, parent: i64, state: u8| {
        let mut task = Structure::task(12);
        task.set("gen.pid", pid).set("gen.tgid", pid).set("gen.ppid", parent).set("gen.is_process", 1);
        task.set("gen.state", i64::from(state)).text("gen.name", &format!("t{pid}"));
        task
    };
    let mut zombie = task(60, 1, b'Z');
    zombie.set("mem.minor_faults", 100);
    let mut running = task(61, 1, b'S');
    running.set("mem.virtual", 8).set("mem.data", 3).set("mem.stack", 1);
    samples[2].tasks.extend([zombie, running, task(62, 1, b'D'), task(63, 2, b'I')]);
    let cooked = decode(&open(file(12, &samples)).expect("a log"));
    let of = |instance: &str, counter: &str| values(&cooked, "Process", instance, counter).expect(counter)[0];
    let held =
        |instance: &str| ["VSIZE", "RSIZE", "VDATA+VSTACK", "VGROW"].map(|counter| of(instance, counter));
    assert_eq!(held("t60"), [Err(Status::InvalidData); 4], "a zombie");
    assert_eq!(of("t60", "MINFLT"), Ok(10.0), "what it did counts");
    assert_eq!(held("t61"), [Ok(8_192.0), Ok(0.0), Ok(4_096.0), Ok(0.0)]);
    assert_eq!(held("t62"), [Err(Status::InvalidData); 4], "it ends at this moment");
    assert_eq!(held("t63"), [Ok(0.0); 4], "a thread of the kernel has none, ever");
}

/// The kernel adds what a child has written to the process that waits for its end.
#[test]
fn what_a_child_wrote_is_not_its_parents() {
    let task = |pid: i64, parent: i64, state: u8, sectors: i64| {
        let mut task = Structure::task(12);
        task.set("gen.pid", pid).set("gen.tgid", pid).set("gen.ppid", parent).set("gen.is_process", 1);
        task.set("gen.state", i64::from(state)).set("gen.start", START - 100 + pid);
        task.set("disk.written_sectors", sectors).text("gen.name", &format!("t{pid}"));
        task
    };
    // 11 ends unseen, 12 with a record, 13 is a zombie for a while.
    let shell = |sectors: i64| task(10, 1, b'S', sectors);
    let tasks = [
        vec![shell(0), task(11, 10, b'R', 0)],
        vec![shell(20), task(11, 10, b'R', 2_000)],
        vec![shell(4_000)],
        vec![shell(5_000), task(12, 10, b'E', 0), task(13, 10, b'Z', 40)],
        vec![shell(20), task(13, 10, b'Z', 0)],
        vec![shell(40)],
        vec![shell(60)],
    ];
    let samples: Vec<Sample> = (0..)
        .zip(tasks)
        .map(|(number, tasks)| {
            let mut sample = Sample::new(12, START + 10 * number, 10);
            sample.flags = 0x20 | u16::from(number == 0);
            sample.tasks = tasks;
            sample
        })
        .collect();
    let log = open(file(12, &samples)).expect("a log");
    let (boot, unknown) = (Err(Status::FirstSample), Err(Status::InvalidData));
    let canonical = log.canonical().expect("names of Windows");
    let written = |samples: &[u32]| {
        let cooked = canonical.decode(samples, &Selection::all()).cooked;
        values(&cooked, "Process", "t10", "Storage Write Bytes/sec").expect("a shell")
    };
    let expected = [boot, Ok(1_024.0), unknown, unknown, Ok(1_024.0), unknown, Ok(3_072.0)];
    assert_eq!(written(&[0, 1, 2, 3, 4, 5, 6]), expected);
    for (sample, expected) in (0..).zip(expected) {
        assert_eq!(written(&[sample]), [expected], "{sample} alone");
    }
    let own = decode(&log);
    let of_atop = values(&own, "Process", "t10", "WRDSK").expect("a shell");
    assert_eq!(of_atop[2..4], [Ok(204_800.0), Ok(256_000.0)], "atop's own");
}

#[test]
fn cgroups_are_named_by_their_paths() {
    let mut samples = three(12);
    for sample in &mut samples {
        sample.flags |= 0x100;
        sample.cgroups = vec![
            Structure::cgroup("", 0, -1, 0),
            Structure::cgroup("system.slice", 1, 0, 1),
            Structure::cgroup("ssh.service", 2, 1, 0),
        ];
    }
    let cooked = decode(&open(file(12, &samples)).expect("a log"));
    let of = |path: &str, counter: &str| values(&cooked, "CGR", path, counter).expect(path)[1];
    assert_eq!(of("/", "CPUUSR"), Ok(2.5));
    assert_eq!(of("/system.slice", "NPROCS"), Ok(1.0));
    assert_eq!(of("/system.slice/ssh.service", "MEMORY"), Err(Status::InvalidData));
}

#[test]
fn only_the_parts_that_are_asked_for_are_unpacked() {
    let mut bytes = header(12);
    for sample in three(12) {
        let mut sample = sample.bytes();
        // The task part's last byte: its checksum.
        *sample.last_mut().expect("bytes") ^= 1;
        bytes.extend(sample);
    }
    let log = open(bytes).expect("a log");
    let decode = |pattern: &str| {
        let selection = Selection::from_iter([pattern.parse().expect("a pattern")]);
        log.decode(&[0, 1, 2], &selection)
    };
    let memory = decode(r"\MEM\free");
    assert!(memory.health.is_sound());
    assert_eq!(memory.cooked.iter().map(Cooked::num_cells).sum::<usize>(), 3);
    let processes = decode(r"\Process(*)\CPU");
    assert!(processes.cooked.is_empty());
    assert_eq!(processes.health.count(FindingKind::Damaged), 3);
}

/// What a log says about its processes up to a time.
fn descriptions(log: &AtopLog, until: Timestamp) -> Vec<ProcessDescription> {
    let mut all = Vec::new();
    let health = log.processes((Timestamp(0), until), &mut |note| {
        let ProcessNote::Described(one) = note else { panic!("{note:?}") };
        all.push(one);
        ControlFlow::Continue(())
    });
    assert!(health.is_sound());
    all
}

#[test]
fn processes_have_users_parents_and_cgroups() {
    const UNIT: &str = "/system.slice/ci.service";
    for minor in 3..=13 {
        let mut samples = three(minor);
        for (at, sample) in samples.iter_mut().enumerate() {
            sample.tasks.truncate(1);
            sample.tasks[0]
                .set("gen.ruid", 1000)
                .set("gen.euid", if at == 2 { 0 } else { 33 })
                .set("gen.ppid", 7);
            sample.tasks[0].text("gen.cmdline", "busy --password secret");
            if (8..=10).contains(&minor) {
                sample.tasks[0].text("gen.cgroup_path", UNIT);
            }
            if minor > 10 {
                let names = ["", "system.slice", "ci.service"].into_iter().enumerate();
                let cgroup = |(at, name): (usize, &str)| {
                    Structure::cgroup(name, at as i64, at as i64 - 1, [1, 0, 2][at])
                };
                sample.cgroups = names.map(cgroup).collect();
                (sample.flags, sample.pids) = (0x100, vec![1, 0, 42]);
            }
        }
        // One that was only seen when it had ended: whose rights it had isn't known any more.
        let mut ended = samples[1].tasks[0].clone();
        ended.set("gen.state", i64::from(b'E')).set("gen.pid", 43).set("gen.tgid", 43).set("gen.euid", -1);
        samples[1].tasks.push(ended);
        let log = open(file(minor, &samples)).expect("a log");
        let all = descriptions(&log, Timestamp(i64::MAX));
        let said =
            |one: &ProcessDescription| (one.pid, one.parent, one.user_id.unwrap_or(9), one.unit.is_some());
        let has_unit = minor >= 8;
        let expected = [(42, 7, 33, has_unit), (43, 7, 1000, false), (42, 7, 0, has_unit)];
        assert_eq!(all.iter().map(said).collect::<Vec<_>>(), expected, "2.{minor}");
        assert!(all.iter().all(|one| &*one.name == "busy" && one.command.is_empty()), "{all:?}");
        assert_eq!(all[0].cgroup.as_deref(), has_unit.then_some(UNIT), "2.{minor}");
        assert_eq!(descriptions(&log, log.times()[1].utc).len(), 2);
        assert_eq!((all[0].since, all[2].since), (log.times()[0].utc, log.times()[2].utc));
        // The instances of `Process` are found by them.
        let cooked = decode(&log);
        let processes = cooked.iter().find(|cooked| &*cooked.object.name == "Process").expect("processes");
        assert_eq!(processes.instances[0].start, Some(all[0].start));
    }
}
