//! Who may read what each command writes: docs/many-captures.md, "Outputs".

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::run::{Outputs, command, recount, sample};

fn mode(path: impl AsRef<Path>) -> u32 {
    path.as_ref().metadata().expect("there").permissions().mode() & 0o777
}

fn set(path: &str, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
}

/// The command with a umask; whatever its exit code.
fn with_umask(umask: &str, arguments: &[&str]) {
    let program = command().get_program().to_owned();
    let script = format!("umask {umask}; exec \"$0\" \"$@\"");
    let done = Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(program)
        .args(arguments)
        .output()
        .expect("running recount");
    // Findings of a report are 1.
    assert!(done.status.code() < Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A line for each way to write something: the arguments, of which `OUT` is the output, and the files that it becomes.
fn lines() -> Vec<Vec<&'static str>> {
    let mut lines = vec![
        vec!["pack", "DUMP", "-o", "OUT"],
        vec!["repair", "CUT", "-o", "OUT"],
        vec!["report", "LOG", "-o", "OUT"],
        vec!["report", "LOG", "--markdown", "OUT"],
        vec!["report", "LOG", "--junit", "OUT"],
        vec!["report", "LOG", "--json=OUT"],
        vec!["catalogue", "LOG", "-o", "OUT"],
        vec!["record", "--source", "DUMP", "-o", "OUT"],
        vec!["convert", "LOG", "-o", "OUT", "--layout", "objects"],
        vec!["convert", "LOG", "-o", "OUT", "--partition-by", "date"],
        vec!["convert", "LOG", "DUMP", "-o", "OUT", "--format", "parquet"],
    ];
    for format in ["parquet", "arrow", "csv", "tsv", "blg", "openmetrics", "line-protocol"] {
        lines.push(vec!["convert", "LOG", "-o", "OUT", "--format", format]);
    }
    for format in ["table", "markdown", "csv", "json", "parquet"] {
        lines.push(vec!["stats", "LOG", "-o", "OUT", "--format", format]);
    }
    for output in ["--html=OUT", "--markdown=OUT", "--junit=OUT", "--json=OUT"] {
        lines.push(vec!["diff", "LOG", "LOG", output]);
    }
    lines
}

/// The inputs, all with one mode.
struct Inputs {
    outputs: Outputs,
    files: [(&'static str, String); 3],
}

fn inputs(given: u32) -> Inputs {
    let outputs = Outputs::new();
    let log = outputs.path("log.rcap");
    recount(&["record", "-q", "-o", &log, "-c", r"\System", "--count", "4", "-i", "10ms"]).fine();
    let bytes = std::fs::read(&log).expect("read");
    let cut = outputs.write("cut.rcap", &bytes[..bytes.len() - 20]);
    let dump = outputs.write("dump.bin", std::fs::read(sample("big-endian.bin")).expect("read"));
    let files = [("LOG", log), ("CUT", cut), ("DUMP", dump)];
    for (_, file) in &files {
        set(file, given);
    }
    Inputs { outputs, files }
}

impl Inputs {
    /// Writes one output, and returns the modes of all that was written.
    fn written(&self, umask: &str, line: &[&'static str], number: usize, force: bool) -> Vec<u32> {
        let out = self.outputs.path(&format!("out{number}"));
        let mut words: Vec<String> = line
            .iter()
            .map(|word| match self.files.iter().find(|(name, _)| name == word) {
                Some((_, file)) => file.clone(),
                None => word.replace("OUT", &out),
            })
            .collect();
        if force {
            words.push("--force".to_owned());
        }
        with_umask(umask, &words.iter().map(String::as_str).collect::<Vec<_>>());
        let files = self.outputs.files();
        let inside = files.iter().filter(|file| file.starts_with(&format!("out{number}/")));
        let files = inside.map(|file| mode(self.outputs.path(file)));
        std::iter::once(mode(&out) & !0o111).chain(files).collect()
    }
}

#[test]
fn an_output_is_no_more_readable_than_its_inputs() {
    for (given, umask, expected) in [
        (0o600, "022", 0o600),
        (0o640, "022", 0o640),
        (0o644, "022", 0o644),
        (0o644, "077", 0o600),
        (0o666, "027", 0o640),
    ] {
        let inputs = inputs(given);
        for (number, line) in lines().iter().enumerate() {
            let modes = inputs.written(umask, line, number, false);
            assert!(modes.iter().all(|mode| *mode == expected), "{given:o} {umask} {line:?}: {modes:?}");
        }
    }
}

#[test]
fn a_private_input_among_open_ones_counts() {
    let inputs = inputs(0o644);
    set(&inputs.files[2].1, 0o600);
    let line = ["convert", "LOG", "DUMP", "-o", "OUT", "--format", "parquet"];
    assert!(inputs.written("022", &line, 0, false).iter().all(|mode| *mode == 0o600));
    let [log, _, dump] = &inputs.files;
    let out = inputs.outputs.path("both");
    with_umask("022", &["catalogue", &log.1, &dump.1, "-o", &out]);
    assert_eq!(mode(&out), 0o600);
}

#[test]
fn what_is_replaced_stays_private() {
    let inputs = inputs(0o644);
    for (number, line) in lines().iter().enumerate() {
        inputs.written("022", line, number, false);
        let out = inputs.outputs.path(&format!("out{number}"));
        set(&out, if Path::new(&out).is_dir() { 0o700 } else { 0o600 });
        let modes = inputs.written("022", line, number, true);
        assert!(modes.iter().all(|mode| *mode == 0o600), "{line:?}: {modes:?}");
    }
    // A log of this machine has no input.
    let log = &inputs.files[0].1;
    set(log, 0o600);
    with_umask("022", &["record", "-q", "-f", "-o", log, "-c", r"\System", "--count", "2", "-i", "10ms"]);
    assert_eq!(mode(log), 0o600);
    // In place.
    let cut = &inputs.files[1].1;
    set(cut, 0o600);
    with_umask("022", &["repair", cut, "-f"]);
    assert_eq!(mode(cut), 0o600);
}

#[test]
fn unpacked_files_are_as_private_as_their_log() {
    let inputs = inputs(0o640);
    let dump = &inputs.files[2].1;
    let (packed, same, names) =
        (inputs.outputs.path("p.rcap"), inputs.outputs.path("same.bin"), inputs.outputs.path("names.txt"));
    with_umask("022", &["pack", dump, "-o", &packed]);
    with_umask("022", &["unpack", &packed, "-o", &same]);
    set(&inputs.files[0].1, 0o600);
    let blocks = inputs.outputs.path("blocks.bin");
    with_umask("022", &["unpack", &inputs.files[0].1, "-o", &blocks, "--names", &names]);
    assert_eq!([&packed, &same, &blocks, &names].map(mode), [0o640, 0o640, 0o600, 0o600]);
    // The owner's rights are those of the original.
    set(&packed, 0o440);
    with_umask("022", &["unpack", &packed, "-f", "-o", &same]);
    assert_eq!(mode(&same), 0o440);
}

/// A log of a recording is as private as the one before.
#[test]
fn the_next_log_is_as_private_as_the_last() {
    let outputs = Outputs::new();
    let log = outputs.path("a.rcap");
    // It waits for the other log.
    let num_logs = format!("$(ls '{}' | wc -l)", outputs.path(""));
    let script =
        format!("chmod 600 '{log}'; kill -HUP $PPID; while [ {num_logs} -lt 2 ]; do sleep 0.05; done");
    let words = ["record", "-q", "-o", &log, "-c", r"\System", "-i", "20ms", "--", "sh", "-c", &script];
    with_umask("022", &words);
    let files = outputs.files();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(files.iter().all(|file| mode(outputs.path(file)) == 0o600));
}
