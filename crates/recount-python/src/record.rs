//! Recording this machine, and marking times.

use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use recount::{
    Interrupts, Pattern, ProcessOptions, Profile, RecordOptions, RecordSource, SampleForm, Selection,
    TimeBound,
};

use crate::errors::{failed, recount_error};
use crate::interrupt::{check_process, wait};

/// Records this machine. Ctrl-C ends the recording with a last sample; the exception is raised once the log is closed.
/// Returns the logs, and the numbers of samples, of those that were late, missed and lost, and of bytes.
#[pyfunction]
pub(crate) fn record(
    py: Python<'_>,
    output: Option<PathBuf>,
    length: (Option<f64>, Option<u64>, Option<f64>),
    profile: Option<String>,
    counters: Vec<String>,
    force: bool,
) -> PyResult<(Vec<PathBuf>, [u64; 5])> {
    check_process()?;
    let (duration, count, interval) = length;
    let patterns = counters.iter().map(|text| text.parse::<Pattern>().map_err(|error| failed(py, &error)));
    let selection: Selection = patterns.collect::<PyResult<_>>()?;
    let profile =
        profile.map(|name| name.parse::<Profile>().map_err(|error| PyValueError::new_err(error.to_string())));
    let mut options = RecordOptions::default();
    options.output = output;
    options.force = force;
    options.source = RecordSource::Live {
        profile: profile.transpose()?,
        selection,
        form: SampleForm::Block,
        processes: ProcessOptions::RECORDED,
    };
    options.duration = duration.map(|seconds| length_of(seconds, 0.0)).transpose()?;
    options.interval = interval.map(|seconds| length_of(seconds, MIN_INTERVAL_S)).transpose()?;
    options.count = count;
    let interrupts = Interrupts::new()?;
    let (sender, receiver) = sync_channel(1);
    let inside = interrupts.clone();
    let run = move || {
        // The receiver may be gone.
        let _ = sender.send(recount::record(&options, &inside, &mut |_| ()));
    };
    let thread = std::thread::Builder::new().name("recount-record".into()).spawn(run)?;
    let done = match wait(py, receiver, || interrupts.end()) {
        Ok((_, done)) => done,
        Err(interrupt) => {
            // It ends within the time of a sample. Even if it doesn't, the log is complete.
            py.detach(|| thread.join().is_ok());
            return Err(interrupt);
        }
    };
    let recorded =
        done.ok_or_else(|| recount_error(py, "recording failed: a defect, whose place was printed"))?;
    let recorded = recorded.map_err(|error| failed(py, &error))?;
    let progress = &recorded.report.progress;
    let numbers = [
        progress.num_samples,
        progress.num_late,
        progress.num_missed,
        progress.num_lost,
        progress.len_written,
    ];
    Ok((recorded.files, numbers))
}

/// The shortest interval between samples, as in the command.
const MIN_INTERVAL_S: f64 = 0.01;

fn length_of(seconds: f64, min: f64) -> PyResult<Duration> {
    let length = Duration::try_from_secs_f64(seconds).ok().filter(|_| seconds > 0.0 && seconds >= min);
    length.ok_or_else(|| {
        let least = if min > 0.0 { format!("at least {min}") } else { "more than 0".to_owned() };
        PyValueError::new_err(format!("{seconds} seconds: it must be {least}"))
    })
}

/// Marks a time in a log.
#[pyfunction]
pub(crate) fn mark(
    py: Python<'_>,
    path: PathBuf,
    text: &str,
    at: Option<&str>,
) -> PyResult<(String, String)> {
    let at = at
        .map(|at| at.parse::<TimeBound>().map_err(|error| PyValueError::new_err(format!("{at:?}: {error}"))));
    let marked = recount::mark(&path, text, at.transpose()?.as_ref()).map_err(|error| failed(py, &error))?;
    Ok((marked.mark.time.to_string(), marked.mark.text))
}
