//! Processes that end between two samples, on this machine. The kernel gives exit records to root only; other users fail here.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use recount_model::{EndedProcess, ProcessNote};

use crate::linux::LinuxSource;
use crate::linux::collector::Tick;
use crate::linux::exits::ExitRecords;
use crate::linux::process::ProcessCollector;
use crate::linux::process::sampler::{Decoded, Sampler};
use crate::{Describe, ExitsWanted, LiveSource, ProcessOptions};

fn collector() -> ProcessCollector {
    let exits = ExitRecords::open().expect("exit records, which root may have");
    ProcessCollector::new(Some(exits), Describe::Full).expect("processes")
}

fn ended(tick: &Tick) -> Vec<EndedProcess> {
    let ended = tick.notes.iter().filter_map(|note| match note {
        ProcessNote::Ended(ended) => Some(ended.clone()),
        ProcessNote::Described(_) => None,
    });
    ended.collect()
}

/// Processor time of the children that this process has waited for, 100 ns: `cutime` and `cstime`.
fn time_of_children() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("there");
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    let ticks = fields.split(' ').skip(13).take(2).map(|ticks| ticks.parse::<u64>().expect("a number"));
    ticks.sum::<u64>() * 100_000
}

#[test]
fn a_storm_is_counted_to_the_last_process() {
    const NUM: usize = 400;
    let mut process = collector();
    let mut sampler = Sampler::new(vec![&mut process]);
    sampler.take();
    let (me, before) = (u64::from(std::process::id()), time_of_children());
    for _ in 0..NUM {
        let script = "i=0; while [ $i -lt 4000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", script]).status().expect("started").success());
    }
    let spent = time_of_children() - before;
    let sample = sampler.take();
    let mine: Vec<Decoded> = sample
        .instances("Process")
        .into_iter()
        .filter(|instance| instance.get("Creating Process ID") == me && instance.get("Ended Processes") > 0)
        .collect();
    let total = |counter: &str| mine.iter().map(|instance| instance.get(counter)).sum::<u64>();
    assert_eq!(total("Ended Processes"), NUM as u64);
    let counted = total("% Processor Time");
    // Ticks, and without what the kernel does to end a process.
    assert!((spent * 7 / 10..spent * 12 / 10).contains(&counted), "{counted} of {spent}");
    // More than have an instance each, so some are together.
    assert!(mine.len() < NUM);
    let notes = ended(&sampler.tick);
    let of_mine = notes.iter().filter(|ended| u64::from(ended.parent) == me).map(|ended| ended.count);
    assert_eq!(of_mine.sum::<u64>(), NUM as u64);
}

#[test]
fn a_shell_has_not_written_what_its_child_wrote() {
    const LEN: u64 = 64 << 20;
    let mut process = collector();
    let mut sampler = Sampler::new(vec![&mut process]);
    let script = "read x; dd if=/dev/zero of=/dev/null bs=1M count=64 2>/dev/null; echo done; read x";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut shell = shell.spawn().expect("started");
    let id = u64::from(shell.id());
    std::thread::sleep(Duration::from_millis(200));
    let of_shell = |sample: &crate::linux::process::sampler::Sample| {
        sample.find("Process", "ID Process", id).expect("it runs").get("IO Write Bytes/sec")
    };
    let before = of_shell(&sampler.take());
    let stdin = shell.stdin.as_mut().expect("a pipe");
    stdin.write_all(b"go\n").expect("written");
    let mut line = String::new();
    let stdout = shell.stdout.as_mut().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).expect("a line");
    let sample = sampler.take();
    let instances = sample.instances("Process");
    let is_dd = |instance: &&Decoded| instance.name == "dd" && instance.get("Creating Process ID") == id;
    let dd = instances.iter().find(is_dd).expect("its child");
    assert_eq!((dd.get("IO Write Bytes/sec"), dd.known("IO Write Operations/sec")), (LEN, None));
    let grown = of_shell(&sample) - before;
    assert!(grown < 64 << 10, "{grown}");
    shell.stdin.take();
    shell.wait().expect("it ends");
}

#[test]
fn threads_belong_to_their_process_and_its_end_has_a_status() {
    let mut process = collector();
    let mut sampler = Sampler::new(vec![&mut process]);
    sampler.take();
    let script = "
import threading, time, sys
def work():
    begin = time.thread_time()
    while time.thread_time() - begin < 0.1: pass
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit(3)";
    let before = time_of_children();
    let status = Command::new("python3").args(["-c", script]).status().expect("started");
    assert_eq!(status.code(), Some(3));
    let spent = time_of_children() - before;
    let sample = sampler.take();
    let notes = ended(&sampler.tick);
    let me = std::process::id();
    let python = notes.iter().find(|ended| ended.parent == me).expect("it ended");
    assert_eq!((python.exit_status, python.count, &*python.name), (Some(3 << 8), 1, "python3"));
    let counted = python.user_time + python.privileged_time;
    assert!(
        (spent * 7 / 10..spent * 12 / 10).contains(&counted) && counted > 2_500_000,
        "{counted} of {spent}"
    );
    assert!(python.peak_memory.is_some_and(|peak| peak > 4 << 20));
    let row = sample.find("Process", "ID Process", python.pid.into()).expect("its instance");
    assert_eq!((row.get("% Processor Time"), row.get("Working Set")), (counted, 0));
    // The next sample doesn't have it.
    assert_eq!(sampler.take().find("Process", "ID Process", python.pid.into()), None);
}

#[test]
fn a_process_is_described_and_described_again_when_it_executes_another_program() {
    let options = ProcessOptions { exits: ExitsWanted::Off, describe: Describe::Full };
    let mut source = LinuxSource::with_processes(&|name, _| name == "Process", options).expect("a source");
    let mut shell = Command::new("sh");
    let script = "read x; true --password hunter2";
    let mut shell = shell.args(["-c", script]).stdin(Stdio::piped()).spawn().expect("started");
    std::thread::sleep(Duration::from_millis(200));
    let described = |source: &mut LinuxSource, all: bool, pid: u32| {
        source.take().expect("a sample");
        let notes = source.processes(all).into_iter().filter_map(|note| match note {
            ProcessNote::Described(described) if described.pid == pid => Some(described),
            _ => None,
        });
        notes.collect::<Vec<_>>()
    };
    let first = described(&mut source, true, shell.id());
    assert_eq!(first.len(), 1);
    assert_eq!((&*first[0].name, first[0].parent), ("sh", std::process::id()));
    assert_eq!(first[0].command.join(" "), format!("sh -c {script}").replace("hunter2", "***"));
    assert!(first[0].executable.is_some() && first[0].user_id.is_some() && first[0].session.is_some());
    assert_eq!(described(&mut source, false, shell.id()), []);
    shell.kill().expect("killed");
    shell.wait().expect("it ends");
    let mut sleep = Command::new("sh");
    let mut sleep = sleep.args(["-c", "sleep 0.5; exec sleep 30"]).spawn().expect("started");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(described(&mut source, false, sleep.id()).len(), 1);
    std::thread::sleep(Duration::from_millis(900));
    let again = described(&mut source, false, sleep.id());
    assert_eq!(again.len(), 1);
    assert_eq!((&*again[0].name, again[0].command.join(" ").as_str()), ("sleep", "sleep 30"));
    assert_eq!(described(&mut source, true, sleep.id()).len(), 1);
    sleep.kill().expect("killed");
    sleep.wait().expect("it ends");
}
