//! Other recorders, from Debian's packages sysstat, atop and pcp, none of which needs a service.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Metrics for pmlogger: the ones that its usual configurations log, and processes.
const METRICS: &str = "kernel.all.cpu kernel.percpu.cpu kernel.all.pswitch kernel.all.intr kernel.all.sysfork \
    kernel.all.runnable kernel.all.running kernel.all.blocked kernel.all.nprocs kernel.all.load kernel.all.pressure \
    mem.physmem mem.util mem.vmstat swap disk.dev.read disk.dev.write disk.dev.read_bytes disk.dev.write_bytes \
    disk.dev.read_rawactive disk.dev.write_rawactive disk.dev.avactive disk.dev.read_merge disk.dev.write_merge \
    disk.dev.discard disk.dev.discard_bytes disk.dev.flush disk.dev.inflight network.interface network.tcp network.udp \
    network.udp6 network.ip network.ip6 network.sockstat filesys vfs.files proc.psinfo.utime proc.psinfo.stime \
    proc.psinfo.pid proc.psinfo.ppid proc.psinfo.threads proc.psinfo.rss proc.psinfo.vsize proc.psinfo.minflt \
    proc.psinfo.maj_flt proc.io.read_bytes proc.io.write_bytes proc.io.cancelled_write_bytes proc.memory.vmdata \
    proc.memory.vmstack proc.fd.count";

/// The recorders while they run.
pub(crate) struct Recorders {
    children: Vec<(&'static str, Child)>,
    pmcd: Pmcd,
    logs: Logs,
}

/// What they wrote.
pub(crate) struct Logs {
    pub(crate) own: PathBuf,
    pub(crate) sa: PathBuf,
    pub(crate) atop: PathBuf,
    /// One of the files of the archive.
    pub(crate) pcp: PathBuf,
}

impl Recorders {
    /// Starts them all, at one sample per second.
    pub(crate) fn start(folder: &Path, lasts: Duration) -> Recorders {
        let pmcd = Pmcd::start(folder);
        let logs = Logs {
            own: folder.join("own.rcap"),
            sa: folder.join("sa"),
            atop: folder.join("atop.raw"),
            pcp: folder.join("pcp.0"),
        };
        // The sample at the beginning is one, too.
        let (seconds, num) = (format!("{}s", lasts.as_secs()), (lasts.as_secs() + 1).to_string());
        let pmlogger = pmcd.pmlogger(folder, lasts);
        let mut own = Command::new(env!("CARGO_BIN_EXE_recount"));
        own.args(["record", "--quiet", "--interval", "1s", "--for", &seconds, "-o"]).arg(&logs.own);
        let mut sadc = Command::new("/usr/lib/sysstat/sadc");
        sadc.args(["-S", "XALL", "1", &num]).arg(&logs.sa);
        let mut atop = Command::new("atop");
        atop.arg("-w").arg(&logs.atop).args(["1", &num]);
        let recorders = [("pmlogger", pmlogger), ("recount", own), ("sadc", sadc), ("atop", atop)];
        let children = recorders.map(|(name, mut command)| {
            let child = command.stdout(Stdio::null()).spawn();
            (
                name,
                child.unwrap_or_else(|error| panic!("{name}: {error}: is its package installed? (.ci/run)")),
            )
        });
        Recorders { children: children.into(), pmcd, logs }
    }

    pub(crate) fn wait(self) -> Logs {
        for (name, mut child) in self.children {
            let status = child.wait().expect("an end");
            assert!(status.success(), "{name}: {status}");
        }
        drop(self.pmcd);
        self.logs
    }
}

/// PCP's collector, on a separate socket.
struct Pmcd {
    child: Child,
    /// Short, as the paths of sockets have to be.
    directory: TempDir,
    names: PathBuf,
}

impl Pmcd {
    fn start(folder: &Path) -> Pmcd {
        const TOOLS: &str = "/usr/lib/pcp/bin";
        let directory = tempfile::tempdir().expect("a directory");
        let names = names(folder);
        let agents = folder.join("pmcd.conf");
        let agent = |name: &str, number: u32| {
            format!("{name} {number} dso {name}_init /var/lib/pcp/pmdas/{name}/pmda_{name}.so\n")
        };
        fs::write(&agents, [agent("linux", 60), agent("proc", 3), agent("pmcd", 2)].concat())
            .expect("written");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a port")
            .port();
        let user = Command::new("id").arg("-un").output().expect("id").stdout;
        let child = Command::new(format!("{TOOLS}/pmcd"))
            .env("PCP_RUN_DIR", directory.path())
            .args(["-f", "-A", "-Q", "-i", "127.0.0.1", "-H", "recorded", "-p", &port.to_string()])
            .args(["-U", String::from_utf8_lossy(&user).trim(), "-c"])
            .arg(&agents)
            .arg("-n")
            .arg(&names)
            .arg("-s")
            .arg(directory.path().join("socket"))
            .arg("-l")
            .arg(folder.join("pmcd.log"))
            .spawn()
            .expect("running pmcd of the package pcp (.ci/run)");
        let pmcd = Pmcd { child, directory, names };
        let begin = Instant::now();
        while !pmcd.directory.path().join("socket").exists() {
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "pmcd has no socket: see pmcd.log in {}",
                folder.display()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        pmcd
    }

    fn pmlogger(&self, folder: &Path, lasts: Duration) -> Command {
        let metrics = folder.join("pmlogger.conf");
        let text = format!("log mandatory on 1 sec {{\n{}\n}}\n", METRICS.replace(' ', "\n"));
        fs::write(&metrics, text).expect("written");
        let mut command = Command::new("pmlogger");
        command
            .env("PMNS_DEFAULT", &self.names)
            .arg("-h")
            .arg(format!("unix://{}/socket", self.directory.path().display()))
            .arg("-c")
            .arg(metrics)
            .args(["-t", "1sec", "-T", &format!("{}sec", lasts.as_secs()), "-l"])
            .arg(folder.join("pmlogger.log"))
            .arg(folder.join("pcp"));
        command
    }
}

impl Drop for Pmcd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The names of the metrics, which the package leaves to its service to put together.
fn names(folder: &Path) -> PathBuf {
    const PARTS: &str = "/usr/lib/pcp/pmns";
    let folder = folder.join("names");
    fs::create_dir_all(&folder).expect("a folder");
    for part in ["stdpmid.pcp", "stdpmid.local", "root_linux", "root_proc"] {
        let to = if part == "stdpmid.pcp" { "stdpmid" } else { part };
        fs::copy(Path::new(PARTS).join(part), folder.join(to)).expect("a part of the package pcp (.ci/run)");
    }
    let merged = Command::new("/usr/lib/pcp/bin/pmnsmerge")
        .args(["-a", "root_linux", "root_proc", "root"])
        .env("PATH", "/usr/lib/pcp/bin:/usr/bin:/bin")
        .current_dir(&folder)
        .output()
        .expect("running pmnsmerge");
    assert!(merged.status.success(), "{merged:?}");
    folder.join("root")
}
