//! The viewer's terminal output; `live_view` tests its page in a browser.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::record::signal;
use crate::run::{command, sample};

/// Damage that only decoding reveals is reported once everything has been counted, exactly once, and affects the exit
/// code.
#[test]
fn damage_found_while_counting_is_reported() {
    let damaged = sample("rcap-1/damaged.rcap");
    let mut viewer = command()
        .args(["view", "--no-open", &damaged])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("running recount");
    let mut lines = BufReader::new(viewer.stderr.take().expect("its messages")).lines().map_while(Result::ok);
    let opened: Vec<String> = lines.by_ref().take_while(|line| line != "Press Ctrl-C to stop").collect();
    assert!(opened.iter().all(|line| line.starts_with("note: ")), "{opened:?}");
    let counted = lines.next().expect("what was found");
    assert!(counted.starts_with("warning: ") && counted.contains("damaged.rcap: "), "{counted}");
    signal(&viewer, "INT");
    for line in lines {
        assert!(line.starts_with("warning: "), "{line}");
    }
    assert_eq!(viewer.wait().expect("an end").code(), Some(1));
}
