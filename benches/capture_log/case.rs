//! The cases, each run in a process of its own.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::encode::{LEVEL_QUICK, LEVEL_SMALL, Setting};
use crate::input::Input;
use crate::measured::Measured;
use crate::memory::Watch;
use crate::{decode, encode, unzip};

/// In front of a case's name on the command line of its process.
pub(crate) const FLAG: &str = "--case";

/// One object of the generated input, and of a Linux capture.
const ONE_OBJECT: &str = r"\Memory\*";

/// Something measured. Those that read need the file of the one that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// A log.
    Write(Setting),
    /// Compressed blocks, and their level.
    Zip(i32),
    /// Records out of a log.
    Records(Setting),
    /// Runs out of a log, and on how many threads.
    Runs(Setting, usize),
    /// One object's runs out of a log.
    OneObject(Setting),
    /// Blocks out of what [`Case::Zip`] made.
    Unzip(i32),
}

const NAMES: [(Case, &str); 12] = [
    (Case::Write(Setting::Recorder), "write-recorder"),
    (Case::Write(Setting::Pack), "write-pack"),
    (Case::Zip(LEVEL_QUICK), "zstd-3"),
    (Case::Zip(LEVEL_SMALL), "zstd-19"),
    (Case::Records(Setting::Recorder), "records-recorder"),
    (Case::Runs(Setting::Recorder, 1), "runs-recorder-1"),
    (Case::Runs(Setting::Recorder, 2), "runs-recorder-2"),
    (Case::Runs(Setting::Pack, 1), "runs-pack-1"),
    (Case::Runs(Setting::Pack, 2), "runs-pack-2"),
    (Case::OneObject(Setting::Recorder), "one-object"),
    (Case::Unzip(LEVEL_QUICK), "unzip-3"),
    (Case::Unzip(LEVEL_SMALL), "unzip-19"),
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
    pub(crate) fn measure(self, input: Input, num_runs: usize) -> Result<Measured> {
        let mut runs = (0..num_runs).map(|_| self.spawn(input)).collect::<Result<Vec<_>>>()?;
        let seconds = |run: &Measured| run.get("seconds").unwrap_or(0.0);
        runs.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
        Ok(runs.swap_remove(num_runs / 2))
    }

    fn spawn(self, input: Input) -> Result<Measured> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(FLAG).arg(self.name()).arg(input.name()).stderr(Stdio::inherit());
        let output = command.output().with_context(|| format!("run {command:?}"))?;
        ensure!(output.status.success(), "{} failed: {}", self.name(), output.status);
        Measured::from_lines(std::str::from_utf8(&output.stdout)?)
    }

    /// Runs the case in this process and prints what it measured.
    #[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
    pub(crate) fn run(self, input: Input) -> Result<()> {
        let watch = Watch::begin();
        let mut measured = match self {
            Case::Write(setting) => encode::write_log(input, setting)?,
            Case::Zip(level) => encode::zstd(input, level)?,
            Case::Records(setting) => decode::records(input, setting)?,
            Case::Runs(setting, num_threads) => decode::runs(input, setting, num_threads, None)?,
            Case::OneObject(setting) => decode::runs(input, setting, 1, Some(ONE_OBJECT))?,
            Case::Unzip(level) => unzip::run(input, level)?,
        };
        let peak = watch.end();
        ensure!(peak.resident > 0, "/proc/self/status has no peak memory");
        measured.set("peak resident", peak.resident as f64);
        measured.set("peak anonymous", peak.anonymous as f64);
        print!("{}", measured.to_lines());
        Ok(())
    }
}
