//! What is tried with an installed program.

use std::process::Command;

use super::super::place::{Place, VERSION};
use crate::process::text;

/// A capture of the repository, small and with known contents.
pub(super) const SAMPLE: &str = "objects.blg";

/// What is asked of the program, and a part of its answer.
const QUESTIONS: &[(&[&str], &str)] = &[
    (&["info", SAMPLE], "\nsamples               8,"),
    (&["report", SAMPLE], "rules could be checked"),
    (&["query", SAMPLE, "SELECT count(DISTINCT instance) AS found FROM Process"], "found"),
    (&["serve", "--help"], "recount serve"),
];

/// Asks an installed program; `program` gives the command, which runs where [`SAMPLE`] is.
pub(super) fn ask(program: impl Fn() -> Result<Command, String>) -> Result<(), String> {
    let version = text(program()?.arg("--version"))?;
    if version.trim() != format!("recount {VERSION}") {
        return Err(format!("--version is {version}, expected recount {VERSION}"));
    }
    for (question, answer) in QUESTIONS {
        let output = text(program()?.args(*question))?;
        if !output.replace('\r', "").contains(answer) {
            return Err(format!("{}: no {answer:?} in:\n{output}", question.join(" ")));
        }
    }
    println!("{version}: info, report, query and serve work");
    Ok(())
}

/// The sample in the repository.
pub(super) fn sample(place: &Place) -> std::path::PathBuf {
    place.root.join("samples").join(SAMPLE)
}
