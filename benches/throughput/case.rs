//! The cases, each run in a process of its own.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::baseline::Encodings;
use crate::measured::Measured;
use crate::memory::Watch;
use crate::{baseline, blocks, container, convert, cook};

/// In front of a case's name on the command line of its process.
pub(crate) const FLAG: &str = "--case";

/// Something measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// `convert` on one thread.
    Convert1,
    /// `convert` on two threads.
    Convert2,
    /// `convert` on two threads, to the disk.
    ConvertDisk,
    /// arrow-rs writing the same arrays.
    Baseline,
    /// arrow-rs writing them as it does by default.
    BaselineDefault,
    /// The container.
    Container,
    /// Blocks.
    Blocks,
    /// Cooking.
    Cook,
}

const NAMES: [(Case, &str); 8] = [
    (Case::Convert1, "convert-1"),
    (Case::Convert2, "convert-2"),
    (Case::ConvertDisk, "convert-disk"),
    (Case::Baseline, "baseline"),
    (Case::BaselineDefault, "baseline-default"),
    (Case::Container, "container"),
    (Case::Blocks, "blocks"),
    (Case::Cook, "cook"),
];

impl Case {
    pub(crate) fn named(name: &str) -> Result<Case> {
        let found = NAMES.iter().find(|(_, known)| *known == name);
        found.map(|(case, _)| *case).with_context(|| format!("no case {name:?}"))
    }

    fn name(self) -> &'static str {
        NAMES.iter().find(|(case, _)| *case == self).map_or("", |(_, name)| name)
    }

    /// Runs the case in a new process; the one of several runs that took the median time.
    pub(crate) fn measure(self, log: &Path, num_runs: usize) -> Result<Measured> {
        let mut runs = (0..num_runs).map(|_| self.spawn(log)).collect::<Result<Vec<_>>>()?;
        let seconds = |run: &Measured| run.get("seconds").unwrap_or(0.0);
        runs.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
        Ok(runs.swap_remove(num_runs / 2))
    }

    fn spawn(self, log: &Path) -> Result<Measured> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(FLAG).arg(self.name()).arg(log).stderr(Stdio::inherit());
        let output = command.output().with_context(|| format!("run {command:?}"))?;
        ensure!(output.status.success(), "{} failed: {}", self.name(), output.status);
        Measured::from_lines(std::str::from_utf8(&output.stdout)?)
    }

    /// Runs the case in this process and prints what it measured.
    #[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
    pub(crate) fn run(self, log: &Path) -> Result<()> {
        let watch = Watch::begin();
        let mut measured = match self {
            Case::Convert1 => convert::run(log, 1, &convert::memory_directory())?,
            Case::Convert2 => convert::run(log, 2, &convert::memory_directory())?,
            Case::ConvertDisk => convert::run(log, 2, &convert::disk_directory())?,
            Case::Baseline => baseline::run(log, Encodings::OfConvert)?,
            Case::BaselineDefault => baseline::run(log, Encodings::OfArrow)?,
            Case::Container => container::run(log)?,
            Case::Blocks => blocks::run(log)?,
            Case::Cook => cook::run(log)?,
        };
        let peak = watch.end();
        if peak.resident == 0 {
            bail!("/proc/self/status has no peak memory");
        }
        measured.set("peak resident", peak.resident as f64);
        measured.set("peak anonymous", peak.anonymous as f64);
        print!("{}", measured.to_lines());
        Ok(())
    }
}
