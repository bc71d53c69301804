//! `recount view`, started for a test and ended with it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server, and the address of its page.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recount"));
        command.arg("view").args(arguments).args(["--no-open", "--quiet"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("running recount view");
        let stdout = child.stdout.take().expect("its output");
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url).expect("an address");
        assert!(url.starts_with("http://127.0.0.1:"), "{url:?} is no address");
        Server { child, url: url.trim().to_owned() }
    }

    /// Whether it has ended by itself, within some seconds.
    pub(crate) fn has_ended(&mut self) -> bool {
        for _ in 0..100 {
            if self.child.try_wait().expect("a state").is_some() {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
