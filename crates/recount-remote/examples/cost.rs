//! Measures the cost of recording other machines (benches/README.md, "Other machines").
//!
//! ```text
//! cost dump FILE            blocks of 300 processes, for `recount serve` and `recount record --source`; names in FILE.txt
//! cost fleet NUM ROUNDS     NUM servers in a process of their own, each sampled every 15 s from this one
//! ```

#![expect(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use recount_bytes::ByteOrder;
use recount_model::{Content, CounterType, NameTable};
use recount_record::{LiveSource, ReplaySource};
use recount_remote::{Account, RemoteOptions, RemoteSource, ServeOptions, Server};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};
use zeroize::Zeroizing;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

const NUM_SAMPLES: u64 = 120;
const NUM_PROCESSES: u64 = 300;
/// As many as Windows' `Process` has.
const NUM_COUNTERS: u32 = 28;
const PROCESS: u32 = 230;
const FIRST_COUNTER: u32 = 1_000;
const INTERVAL: Duration = Duration::from_secs(15);
/// Each has its share of the servers.
const NUM_THREADS: usize = 16;

fn names() -> String {
    let mut names = format!("{PROCESS}\nProcess\n");
    for number in 0..NUM_COUNTERS {
        names.push_str(&format!("{}\nCounter {number}\n", FIRST_COUNTER + number * 2));
    }
    names
}

/// Blocks whose values change from one to the next, as those of processes do: some of them much, most not at all.
fn blocks() -> Result<Vec<u8>> {
    const ORDER: ByteOrder = ByteOrder::Little;
    const LARGE_RAWCOUNT: CounterType = CounterType(0x0001_0100);
    let mut all = Vec::new();
    for sample in 0..NUM_SAMPLES {
        let mut object = ObjectBuf::new(PROCESS, true);
        let counters: Vec<_> =
            (0..NUM_COUNTERS).map(|n| object.add_counter(FIRST_COUNTER + n * 2, LARGE_RAWCOUNT)).collect();
        let instances = (0..NUM_PROCESSES).map(|process| {
            let mut values = object.zeroed_values();
            for (number, counter) in (0..).zip(&counters) {
                let steps = if process % 10 == number % 10 { sample } else { 0 };
                let value = process * 1_000_003 + number * 7_919 + steps * (process + 1) * 104_729;
                object.set_value(&mut values, ORDER, *counter, value);
            }
            InstanceBuf::named(&format!("svchost{process}"), ORDER, values)
        });
        object.instances = InstancesBuf::Many(instances.collect());
        let mut block = BlockBuf::new("WEB1", ORDER);
        block.header.perf_time_100ns = 132_000_000_000_000_000 + i64::try_from(sample)? * 10_000_000;
        block.header.perf_freq = 10_000_000;
        block.objects = vec![object];
        all.extend(block.write()?);
        all.resize(all.len().next_multiple_of(8), 0);
    }
    Ok(all)
}

fn account() -> Result<Account> {
    Ok(Account::new("monitor", Zeroizing::new("correct horse".to_owned()))?)
}

/// Many servers, whose ports are printed; until the end of standard input.
fn serve(num_servers: usize) -> Result {
    let content: Arc<dyn Content> = Arc::new(blocks()?);
    let open = move || -> std::result::Result<Box<dyn LiveSource>, recount_record::TakeError> {
        let files = vec![("blocks".to_owned(), Arc::clone(&content))];
        Ok(Box::new(ReplaySource::open(files, NameTable::from_text(&names()))?))
    };
    let options = ServeOptions::new(Arc::new(open), "cost", account()?);
    let report: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(|line: &str| println!("! {line}"));
    for _ in 0..num_servers {
        let server = Server::listen("127.0.0.1:0")?;
        println!("{}", server.address());
        let (options, report) = (options.clone(), Arc::clone(&report));
        std::thread::spawn(move || server.serve(&options, &AtomicBool::new(false), &report));
    }
    std::io::stdout().flush()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

#[derive(Default)]
struct Sampled {
    num_samples: usize,
    num_failed: usize,
    /// Taken after the next were due.
    num_missed: usize,
    len_samples: usize,
    longest: Duration,
}

fn sample(hosts: &[String], num_rounds: u32, begin: Instant) -> Result<Sampled> {
    let mut sources = Vec::new();
    for host in hosts {
        sources.push(RemoteSource::connect(RemoteOptions::new(host.parse()?, account()?), |_, _| true)?);
    }
    let mut sampled = Sampled::default();
    for round in 0..num_rounds {
        let due = begin + INTERVAL * round;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        for source in &mut sources {
            match source.take() {
                Ok(_) => sampled.num_samples += 1,
                Err(_) => sampled.num_failed += 1,
            }
            source.messages();
            sampled.len_samples += source.sample().len();
            sampled.num_missed += usize::from(due.elapsed() > INTERVAL);
        }
        sampled.longest = sampled.longest.max(due.elapsed());
    }
    Ok(sampled)
}

/// Seconds of CPU and MiB that this process has used.
fn used() -> Result<(f64, u64)> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u32>().ok()).unwrap_or_default();
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.split_whitespace().next()).and_then(|kib| kib.parse::<u64>().ok());
    Ok((f64::from(ticks(11) + ticks(12)) / 100.0, kib.unwrap_or_default() / 1024))
}

fn fleet(num_servers: usize, num_rounds: u32) -> Result {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["serve", &num_servers.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    let hosts = lines.by_ref().take(num_servers).collect::<std::io::Result<Vec<_>>>()?;
    // Connecting takes a while: rounds begin when every connection should be there.
    let begin = Instant::now() + Duration::from_millis(100) * u32::try_from(num_servers)?;
    let per_thread = num_servers.div_ceil(NUM_THREADS);
    let threads: Vec<_> = hosts
        .chunks(per_thread)
        .map(|hosts| {
            let hosts = hosts.to_vec();
            std::thread::spawn(move || sample(&hosts, num_rounds, begin).map_err(|error| error.to_string()))
        })
        .collect();
    std::thread::sleep(begin.saturating_duration_since(Instant::now()));
    let (cpu_connected, _) = used()?;
    let mut all = Sampled::default();
    for thread in threads {
        let sampled = thread.join().map_err(|_| "a panic")??;
        all.num_samples += sampled.num_samples;
        all.num_failed += sampled.num_failed;
        all.num_missed += sampled.num_missed;
        all.len_samples += sampled.len_samples;
        all.longest = all.longest.max(sampled.longest);
    }
    let (cpu, peak) = used()?;
    println!("{num_servers} servers, {num_rounds} rounds every {} s", INTERVAL.as_secs());
    println!("samples {}, failed {}, missed {}", all.num_samples, all.num_failed, all.num_missed);
    println!(
        "longest round {:.2} s, {} bytes a sample",
        all.longest.as_secs_f64(),
        all.len_samples / all.num_samples.max(1)
    );
    println!(
        "CPU to connect {cpu_connected:.1} s; for the rounds {:.1} s; peak {peak} MiB",
        cpu - cpu_connected
    );
    drop(child.stdin.take());
    child.wait()?;
    Ok(())
}

fn main() -> Result {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["dump", file] => {
            std::fs::write(file, blocks()?)?;
            std::fs::write(format!("{file}.txt"), names())?;
            Ok(())
        }
        ["serve", num_servers] => serve(num_servers.parse()?),
        ["fleet", num_servers, num_rounds] => fleet(num_servers.parse()?, num_rounds.parse()?),
        _ => Err("cost dump FILE | cost fleet NUM ROUNDS".into()),
    }
}
