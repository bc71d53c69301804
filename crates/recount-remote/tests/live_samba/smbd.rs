//! A separate Samba, with its own configuration, user and ports, which ends with the test.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use recount_remote::Account;
use zeroize::Zeroizing;

pub(crate) const PASSWORD: &str = "correct horse";
const PROGRAMS: &str = "/usr/libexec/samba";

/// Who serves the pipe `winreg`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Winreg {
    Samba,
    /// Nobody until the test does; the other pipes are there.
    Test,
}

/// The servers: of SMB, and of its pipes.
pub(crate) struct Samba {
    pub(crate) port: u16,
    pub(crate) user: String,
    pub(crate) folder: PathBuf,
    children: Vec<Child>,
}

impl Samba {
    /// Starts it with more lines in the section `global`.
    pub(crate) fn start(settings: &str) -> Samba {
        Samba::with(settings, Winreg::Samba, |_| {})
    }

    /// Starts it after `prepare` was called with its folder.
    pub(crate) fn with(settings: &str, winreg: Winreg, prepare: impl FnOnce(&Path)) -> Samba {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let folder = std::env::temp_dir().join(format!("recount-samba-{port}"));
        let mut text = format!(
            "[global]\nserver role = standalone server\nnetbios name = WEB1\nworkgroup = LAB\nsmb ports = {port}\n\
             interfaces = 127.0.0.1\nbind interfaces only = yes\ndisable netbios = yes\ndisable spoolss = yes\n\
             load printers = no\nrpc start on demand helpers = no\nlog file = {0}/log\n\
             passdb backend = tdbsam:{0}/private/passdb.tdb\nncalrpc dir = {0}/ncalrpc\n{settings}\n",
            folder.display()
        );
        for name in ["private", "state", "cache", "lock", "pid"] {
            fs::create_dir_all(folder.join(name)).expect("a folder");
            let setting =
                if name == "private" { "private dir".to_owned() } else { format!("{name} directory") };
            writeln!(text, "{setting} = {}/{name}", folder.display()).expect("text");
        }
        let settings = folder.join("smb.conf");
        fs::write(&settings, text).expect("written");
        let user = output(Command::new("id").arg("-un"));
        let mut samba = Samba { port, user: user.trim().to_owned(), folder, children: Vec::new() };
        samba.add_user(&settings);
        prepare(&samba.folder);
        let programs = match winreg {
            Winreg::Samba => vec!["--libexec-rpcds".to_owned()],
            Winreg::Test => {
                ["classic", "lsad", "epmapper"].map(|name| format!("{PROGRAMS}/rpcd_{name}")).into()
            }
        };
        let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
        samba.spawn(&format!("{PROGRAMS}/samba-dcerpcd"), &programs, &settings);
        samba.spawn("smbd", &[], &settings);
        samba.wait(if winreg == Winreg::Samba { "winreg" } else { "lsarpc" });
        samba
    }

    fn add_user(&self, settings: &Path) {
        let mut child = Command::new("pdbedit")
            .arg("-s")
            .arg(settings)
            .args(["-a", "-t", "-u", &self.user])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("pdbedit: install Samba");
        let mut input = child.stdin.take().expect("its input");
        write!(input, "{PASSWORD}\n{PASSWORD}\n").expect("written");
        drop(input);
        assert!(child.wait().expect("ended").success(), "pdbedit failed");
    }

    fn spawn(&mut self, program: &str, arguments: &[&str], settings: &Path) {
        let file = self.folder.join(format!("out{}", self.children.len()));
        let out = File::create(file).expect("a file");
        let child = Command::new(program)
            .args(arguments)
            .arg("-s")
            .arg(settings)
            .args(["--foreground", "--no-process-group", "--debug-stdout"])
            // When smbd ends, it ends its process group.
            .process_group(0)
            .stdin(Stdio::null())
            .stderr(out.try_clone().expect("a clone"))
            .stdout(out)
            .spawn();
        self.children.push(child.unwrap_or_else(|error| panic!("{program}: {error}: install Samba")));
    }

    /// Until SMB and the pipe accept connections. The socket of the pipe is there a moment before its server listens.
    fn wait(&self, pipe: &str) {
        let until = Instant::now() + Duration::from_mins(1);
        let pipe = self.folder.join("ncalrpc/np").join(pipe);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() || UnixStream::connect(&pipe).is_err() {
            assert!(
                Instant::now() < until,
                "Samba doesn't listen; its words are in {}",
                self.folder.display()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn account(&self, password: &str) -> Account {
        Account::new(&self.user, Zeroizing::new(password.to_owned())).expect("a user")
    }
}

impl Drop for Samba {
    /// The folder stays after a failure, with what the servers said.
    fn drop(&mut self) {
        for child in &mut self.children {
            // Not killed, so that it ends its own children.
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let _ = child.wait();
        }
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("runs");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}
