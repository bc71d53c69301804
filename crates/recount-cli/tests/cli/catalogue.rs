//! `recount catalogue`

use std::fs;
use std::path::Path;

use super::run::{Outputs, recount, sample};

#[test]
fn a_summary_and_the_broken_ones() {
    let outputs = Outputs::new();
    let captures = outputs.path("captures");
    fs::create_dir(&captures).expect("a directory");
    for name in ["objects.blg", "session.pcq", "damaged.blg"] {
        fs::copy(sample(name), Path::new(&captures).join(name)).expect("a copy");
    }
    fs::write(Path::new(&captures).join("README.txt"), "Dear reader").expect("written");
    let catalogue = outputs.path("catalogue.parquet");
    let done = recount(&["catalogue", &captures, "-o", &catalogue]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert_eq!(done.stdout, format!("{catalogue}: 3 captures, 1 other file: 4 read, 0 unchanged\n"));
    assert!(
        done.stderr.starts_with(&format!("warning: {captures}/damaged.blg: truncated: ")),
        "{}",
        done.stderr
    );
    assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);

    fs::remove_file(Path::new(&captures).join("damaged.blg")).expect("removed");
    let said = recount(&["catalogue", &captures, "-o", &catalogue]).fine();
    assert_eq!(said, format!("{catalogue}: 2 captures, 1 other file: 0 read, 3 unchanged, 1 gone\n"));
    assert_eq!(recount(&["catalogue", "-q", &captures, "-o", &catalogue]).fine(), "");
}

#[test]
fn errors_say_what_to_do() {
    let outputs = Outputs::new();
    let catalogue = outputs.path("catalogue.parquet");
    let said = recount(&["catalogue", "nowhere", "-o", &catalogue]).failed();
    assert!(said.contains("error: nowhere: No such file") && said.contains("hint: check the path"), "{said}");
    let letter = outputs.write("letter.txt", "Dear reader");
    let said = recount(&["catalogue", &sample("objects.blg"), "-o", &letter]).failed();
    assert!(said.contains("expected a catalogue of captures") && said.contains("--force"), "{said}");
    let said = recount(&["catalogue", &sample("objects.blg"), "-o", "/nowhere/at/all.parquet"]).failed();
    assert!(said.contains("the directory /nowhere/at does not exist"), "{said}");
}
