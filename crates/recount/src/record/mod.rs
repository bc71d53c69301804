//! Recording into capture logs.

mod options;
#[cfg(feature = "remote")]
mod remote;
mod replay;

use std::collections::BTreeMap;
#[cfg(feature = "remote")]
use std::io;
use std::time::Duration;

use jiff::SignedDuration;
use recount_capture::LogFiles;
use recount_model::{Facts, Selection};
use recount_record::{
    Interrupts, LiveSource, RecordOptions as LoopOptions, RecordProgress, Recorder, SampleForm, SystemClock,
    open_live,
};

pub use options::{RecordError, RecordOptions, RecordSource, Recorded};
pub use recount_capture::DeletedLogs as Deleted;
#[cfg(feature = "remote")]
pub use remote::browse;
pub(crate) use replay::{open_input, open_replay};

/// Default time between samples.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);

/// Records into one or several logs until an end that `options` set, or until `interrupts` request it.
///
/// Blocks until then; `on_progress` is called after every sample. Signals are handled only if the caller connects them
/// ([`Interrupts::on_signals`]).
pub fn record(
    options: &RecordOptions,
    interrupts: &Interrupts,
    on_progress: &mut dyn FnMut(&RecordProgress),
) -> Result<Recorded, RecordError> {
    interrupts.set_ends_at_once(true);
    let source = open_source(&options.source);
    interrupts.set_ends_at_once(false);
    let mut source = source?;
    let facts = source.facts();
    let host = facts.get("host").map_or("", String::as_str);
    let mut files = LogFiles::new(options.log_files()?, host)?;
    let mut num_samples = 0;
    let recorder = Recorder {
        source: source.as_mut(),
        begin_log: &mut |time| files.begin(time),
        clock: &mut SystemClock::new(),
        interrupts,
        on_progress: &mut |progress| {
            num_samples = progress.num_samples;
            on_progress(progress);
        },
    };
    match recorder.record(loop_options(options)?) {
        Ok(report) => {
            files.forget_replaced();
            Ok(Recorded { report, deleted: files.deleted(), files: files.into_paths() })
        }
        Err(error) => {
            // If a command can't be started, or the size is refused, nothing was recorded. The log with its single sample would only block the
            // next attempt.
            use recount_record::RecordError::{Command, TooSmall};
            if matches!(error, TooSmall { .. }) || matches!(error, Command { .. } if num_samples <= 1) {
                files.remove_last();
            } else if is_of_the_disk(&error) {
                files.remove_empty();
            }
            files.restore_replaced();
            Err(RecordError::Recording(error))
        }
    }
}

/// Whether a log can't be begun or written, as on a disk that was full from the beginning.
fn is_of_the_disk(error: &recount_record::RecordError) -> bool {
    use recount_record::RecordError::{Begin, Write};
    matches!(error, Begin { .. } | Write { .. })
}

fn open_source(source: &RecordSource) -> Result<Box<dyn LiveSource>, RecordError> {
    match source {
        RecordSource::Live { profile, selection, form, processes } => {
            Ok(open_live(*profile, selection, *form, *processes)?)
        }
        #[cfg(feature = "remote")]
        RecordSource::Remote { options, selection } => remote::open(options, selection),
        RecordSource::Replay { paths, names } => {
            let files = paths.iter().map(|path| open_input(path)).collect::<Result<_, _>>()?;
            open_replay(files, names)
        }
    }
}

fn loop_options(options: &RecordOptions) -> Result<LoopOptions, RecordError> {
    let is_replay = matches!(options.source, RecordSource::Replay { .. });
    let interval = options.interval.or((!is_replay).then_some(DEFAULT_INTERVAL));
    let command = options.command.split_first().map(|(program, arguments)| {
        let mut command = std::process::Command::new(program);
        command.args(arguments);
        command
    });
    Ok(LoopOptions {
        interval,
        duration: options.duration,
        count: options.count,
        rotation: options.rotation,
        is_replay,
        command,
        facts: facts(options, interval)?,
    })
}

/// Facts about the recording: formats/rcap.md#facts.
#[cfg_attr(
    not(feature = "remote"),
    expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")
)]
fn facts(options: &RecordOptions, interval: Option<Duration>) -> Result<Facts, RecordError> {
    let mut facts = BTreeMap::new();
    let mut put = |name: &str, fact: String| facts.insert(name.to_owned(), fact);
    put("recorder", format!("recount {}", env!("CARGO_PKG_VERSION")));
    if let Some(interval) = interval {
        put("interval", shown(interval));
    }
    put("settings", settings(options));
    #[cfg(feature = "remote")]
    if matches!(options.source, RecordSource::Remote { .. }) {
        // A number that no other recording has.
        let number = getrandom::u64().map_err(|error| RecordError::Io {
            name: "random numbers of the system".into(),
            source: io::Error::other(error.to_string()),
        })?;
        put("recording", format!("{number:016x}"));
    }
    if !options.command.is_empty() {
        let words: Vec<_> = options.command.iter().map(|word| word.to_string_lossy()).collect();
        put("command", recount_record::masked(words.iter().map(AsRef::as_ref)).join(" "));
    }
    Ok(facts)
}

/// The settings that determine what the log contains, in one line.
fn settings(options: &RecordOptions) -> String {
    let mut settings = Vec::new();
    if let RecordSource::Live { profile, selection, form, .. } = &options.source {
        if profile.is_some() || selection.is_all() {
            settings.push(format!("profile {}", profile.unwrap_or_default()));
        }
        if !selection.is_all() {
            settings.push(patterns(selection));
        }
        if *form == SampleForm::Message {
            settings.push("as countersets".to_owned());
        }
    }
    #[cfg(feature = "remote")]
    if let RecordSource::Remote { options, selection } = &options.source {
        let way = match options.via {
            recount_remote::Via::Pcq => "MS-PCQ",
            recount_remote::Via::Registry => "its registry",
        };
        settings.push(format!("another machine, by {way}"));
        if !selection.is_all() {
            settings.push(patterns(selection));
        }
    }
    settings.push(match options.sync {
        recount_capture::Sync::Each => "sync each sample".to_owned(),
        recount_capture::Sync::Every(every) => format!("sync every {}", shown(every)),
        recount_capture::Sync::None => "sync left to the system".to_owned(),
    });
    settings.extend(options.duration.map(|duration| format!("for {}", shown(duration))));
    settings.extend(options.count.map(|count| format!("{count} samples")));
    settings.extend(options.rotation.max_len.map(|max_len| format!("logs of up to {max_len} bytes")));
    settings.extend(options.rotation.max_age.map(|max_age| format!("logs of {}", shown(max_age))));
    settings.join(", ")
}

fn patterns(selection: &Selection) -> String {
    match selection.patterns().len() {
        1 => "1 pattern".to_owned(),
        count => format!("{count} patterns"),
    }
}

/// A duration as users write it: `1h 30m`.
fn shown(duration: Duration) -> String {
    SignedDuration::try_from(duration)
        .map_or_else(|_| format!("{duration:?}"), |duration| format!("{duration:#}"))
}
