//! Running the command.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// How a run ended and what it said.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    /// Asserts exit code 0 and empty standard error; returns standard output.
    pub(crate) fn fine(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// Asserts exit code 2 and empty standard output; returns standard error.
    pub(crate) fn failed(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{}", self.stderr);
        self.stderr
    }
}

/// The command, isolated from the environment's settings.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recount"));
    for variable in ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the command without standard input.
pub(crate) fn recount<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Done {
    let output = command().args(arguments).stdin(Stdio::null()).output().expect("running recount");
    Done {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs the command with standard input; returns the bytes of standard output.
pub(crate) fn recount_with_input(arguments: &[&str], input: Vec<u8>) -> (Option<i32>, Vec<u8>) {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("running recount");
    let mut stdin = child.stdin.take().expect("a pipe");
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("an end");
    let fed = feeder.join().expect("no panic");
    // A command that fails may end before it has read its input.
    assert!(fed.is_ok() || !output.status.success(), "{fed:?}");
    (output.status.code(), output.stdout)
}

/// A terminal: the end that sees what is written on it, and the screen. Other systems have no `setsid --ctty`, which makes it that of a command.
#[cfg(target_os = "linux")]
pub(crate) fn terminal() -> (File, File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&terminal).expect("a terminal");
    unlockpt(&terminal).expect("a terminal");
    let name = ptsname(&terminal, Vec::new()).expect("its name").into_string().expect("UTF-8");
    let screen = File::options().read(true).write(true).open(name).expect("its other end");
    (terminal.into(), screen)
}

/// A file of `samples/`; a missing one fails the test.
pub(crate) fn sample(name: &str) -> String {
    existing(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name))
}

/// The one real log.
pub(crate) fn tx_basic() -> String {
    existing(&recount_testdata::shared_path("blg/tx-basic.blg"))
}

/// Asserts that a text has each of these sentences.
pub(crate) fn assert_says(text: &str, sentences: &[&str]) {
    for sentence in sentences {
        assert!(text.contains(sentence), "{sentence}: {text}");
    }
}

fn existing(path: &Path) -> String {
    assert!(path.exists(), "{} is missing", path.display());
    path.display().to_string()
}

/// A directory for outputs.
pub(crate) struct Outputs(tempfile::TempDir);

impl Outputs {
    pub(crate) fn new() -> Outputs {
        Outputs(tempfile::tempdir().expect("a temporary directory"))
    }

    /// The path of a file in it, which need not exist.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Writes a file into it, and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.path().join(name), bytes).expect("writing");
        self.path(name)
    }

    /// The files in it, at any depth, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        collect(self.0.path(), "", &mut files);
        files.sort();
        files
    }
}

fn collect(directory: &Path, prefix: &str, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push(name);
        }
    }
}
