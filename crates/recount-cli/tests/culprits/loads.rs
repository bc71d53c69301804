//! Processes with distinct names, each of which does one thing for a while and measures it.

use std::fs::{self, File};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// Longer than the 30 s that rules ask for, with room for samples that come late, and half an interval more than whole ones: a sample
/// that is taken while a process ends sees its memory given back.
pub(crate) const LASTS: Duration = Duration::from_millis(42_500);
/// Which load the process is.
const LOAD: &str = "RECOUNT_TEST_LOAD";
const MIB: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Load {
    /// All the time of a processor; accounts for seconds of it.
    Burner,
    /// 3 MiB of memory per second; bytes.
    Leaker,
    /// 48 MiB to disk per second; bytes.
    Spooler,
    /// 20 MB per second from one end of the loopback network to the other; bytes.
    Talker,
    /// A little of everything, but nothing that stays.
    Bystander,
    /// Nothing.
    Sleeper,
}

impl Load {
    /// The name of the process: the kernel takes it from the executable.
    fn name(self) -> &'static str {
        match self {
            Load::Burner => "rc-burner",
            Load::Leaker => "rc-leaker",
            Load::Spooler => "rc-spooler",
            Load::Talker => "rc-talker",
            Load::Bystander => "rc-bystander",
            Load::Sleeper => "rc-sleeper",
        }
    }

    fn run(self, folder: &Path) -> f64 {
        match self {
            Load::Burner => burn(),
            Load::Leaker => leak(),
            Load::Spooler => spool(&folder.join("spooled.bin")),
            Load::Talker => talk(),
            Load::Bystander => stand_by(),
            Load::Sleeper => {
                std::thread::sleep(LASTS);
                0.0
            }
        }
    }
}

/// A load that runs.
pub(crate) struct Started {
    child: Child,
    load: Load,
    begin: Timestamp,
    account: PathBuf,
}

/// A load that has ended, by its own account.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) name: &'static str,
    pub(crate) pid: u32,
    pub(crate) begin: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) seconds: f64,
    pub(crate) amount: f64,
}

/// Runs this test program once more, under the load's name.
pub(crate) fn start(load: Load, folder: &Path) -> Started {
    let program = folder.join(load.name());
    if !program.exists() {
        let own = std::env::current_exe().expect("this program");
        std::os::unix::fs::symlink(own, &program).expect("a link");
    }
    let begin = Timestamp::now();
    let child = Command::new(&program)
        .args(["--exact", "loads::load", "--ignored"])
        .env(LOAD, load.name())
        .current_dir(folder)
        .stdout(Stdio::null())
        .spawn()
        .expect("running a load");
    let account = folder.join(format!("{}-{}.txt", load.name(), child.id()));
    Started { child, load, begin, account }
}

impl Started {
    pub(crate) fn wait(mut self) -> Done {
        assert!(self.child.wait().expect("an end").success(), "{:?} failed", self.load);
        let text = fs::read_to_string(&self.account).expect("the account");
        let numbers: Vec<f64> = text.split(' ').map(|number| number.parse().expect("a number")).collect();
        Done {
            name: self.load.name(),
            pid: self.child.id(),
            begin: self.begin,
            end: Timestamp::now(),
            seconds: numbers[0],
            amount: numbers[1],
        }
    }
}

#[test]
#[ignore = "runs as a load"]
fn load() {
    let Some(name) = std::env::var_os(LOAD) else { return };
    let all = [Load::Burner, Load::Leaker, Load::Spooler, Load::Talker, Load::Bystander, Load::Sleeper];
    let load = all.into_iter().find(|load| load.name() == name).expect("a load");
    let folder = std::env::current_dir().expect("a folder");
    let begin = Instant::now();
    let amount = load.run(&folder);
    let account = format!("{} {amount}", begin.elapsed().as_secs_f64());
    fs::write(folder.join(format!("{}-{}.txt", load.name(), std::process::id())), account).expect("account");
}

/// Seconds of processor time.
fn burn() -> f64 {
    let begin = Instant::now();
    let mut spin = 0_u64;
    while begin.elapsed() < LASTS {
        for _ in 0..10_000 {
            spin = std::hint::black_box(spin.wrapping_add(1));
        }
    }
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Bytes that are held in the end. By the clock, so that a busy machine doesn't bend the line.
fn leak() -> f64 {
    let begin = Instant::now();
    let mut held: Vec<Vec<u8>> = Vec::new();
    while begin.elapsed() < LASTS {
        let due = (begin.elapsed().as_secs_f64() * 3.0) as usize;
        while held.len() < due {
            held.push(std::hint::black_box(vec![1; MIB]));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let amount = held.len() * MIB;
    // A sample that sees it given back would bend the line, too: it is held until the process ends.
    std::mem::forget(held);
    amount as f64
}

/// Returns the number of bytes written: to the same place repeatedly, each time waiting for the disk.
fn spool(path: &Path) -> f64 {
    let begin = Instant::now();
    let piece = vec![7_u8; 16 * MIB];
    let mut num_pieces = 0;
    while begin.elapsed() < LASTS {
        let mut file = File::create(path).expect("a file");
        file.write_all(&piece).expect("written");
        file.sync_data().expect("on disk");
        num_pieces += 1;
        let due = Duration::from_secs_f64(f64::from(num_pieces) / 3.0);
        std::thread::sleep(due.saturating_sub(begin.elapsed()));
    }
    fs::remove_file(path).expect("removed");
    f64::from(num_pieces) * (16 * MIB) as f64
}

/// Bytes that were sent to ourselves.
fn talk() -> f64 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut sender = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
    let (mut receiver, _) = listener.accept().expect("a connection");
    let reader =
        std::thread::spawn(move || std::io::copy(&mut receiver, &mut std::io::sink()).expect("read"));
    let begin = Instant::now();
    let piece = vec![7_u8; 200_000];
    let mut num_pieces = 0;
    while begin.elapsed() < LASTS {
        sender.write_all(&piece).expect("sent");
        num_pieces += 1;
        std::thread::sleep(Duration::from_millis(10 * num_pieces).saturating_sub(begin.elapsed()));
    }
    drop(sender);
    reader.join().expect("the reader") as f64
}

/// A twentieth of a processor, and memory that comes and goes every ten seconds.
fn stand_by() -> f64 {
    let begin = Instant::now();
    let mut held: Vec<Vec<u8>> = Vec::new();
    while begin.elapsed() < LASTS {
        let round = Instant::now();
        while round.elapsed() < Duration::from_millis(10) {
            std::hint::black_box(held.len());
        }
        if held.len() == 50 {
            held.clear();
        }
        held.push(vec![1; MIB / 4]);
        std::thread::sleep(Duration::from_millis(190));
    }
    0.0
}
