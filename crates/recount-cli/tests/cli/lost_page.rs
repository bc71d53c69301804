//! A file that becomes shorter while it is mapped.

use std::fs::File;
use std::io::{self, Read};
use std::process::Stdio;

use super::run::{Outputs, command, sample};

#[test]
fn ends_with_a_message() {
    let outputs = Outputs::new();
    let path = outputs.write("a.blg", std::fs::read(sample("objects.blg")).expect("a file"));
    let mut running = command()
        .args(["dump", &path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("recount runs");
    // Once there is output, the file is mapped. There is more of it than a pipe holds.
    let mut out = running.stdout.take().expect("piped");
    out.read_exact(&mut [0]).expect("output");
    File::options().write(true).open(&path).and_then(|file| file.set_len(0)).expect("truncated");
    io::copy(&mut out, &mut io::sink()).expect("the rest");
    let done = running.wait_with_output().expect("ends");
    let error = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{error}");
    assert!(error.starts_with("error: a file became shorter while it was being read"), "{error}");
}
