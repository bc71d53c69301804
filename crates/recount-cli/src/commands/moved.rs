//! `recount moved`

use clap::Args;
use recount::analysis::moved::{Moved as Found, moved_json, moved_markdown};
use recount::analysis::target::{NoTarget, TargetOptions};
use recount::{Capture, Health, MovedError, MovedOptions, Span, Timeline, companions, moved};
use recount_output::Access;

use crate::answer::{AnswerArguments, AnswerForm};
use crate::args::{Beside, Counters, Inputs, span_bound};
use crate::exit::{Outcome, nothing, outcome_of, report_unmatched};
use crate::mistake::mistake;
use crate::{output, progress};

/// What changed in a span of time: which counters, in which groups, since when, and which processes
#[derive(Debug, Args)]
#[command(mut_arg("format", |format| format.value_parser(AnswerForm::of_sentences())), after_help = "Examples:
  recount moved monday.blg --span 14:00..14:10
  recount moved monday.rcap --span mark:deploy..mark+10m:deploy --against 13:00..13:30
  recount moved db.blg --with web.rcap --span 14:00..14:10
  recount moved monday.blg --target '\\PhysicalDisk(_Total)\\Avg. Disk sec/Transfer'
  recount moved monday.blg --span +5m..+7m -c '\\PhysicalDisk(*)\\*' --json

The span is compared with the time before it, four times its length. Every counter is tested, and the probabilities are corrected for \
their number; what is left is grouped by what moved together and ordered by size. docs/something-happened.md is an example, and says what \
is computed.")]
pub(crate) struct Moved {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    beside: Beside,
    /// The span to explain: two times as --begin of other commands takes them, with .. between them (14:00..14:10, mark:a..mark:b,
    /// +5m..)
    #[arg(
        long,
        value_name = "A..B",
        allow_hyphen_values = true,
        value_parser = span_bound,
        required_unless_present = "target"
    )]
    span: Option<Span>,
    /// Instead: which counters move with this one, at the same time, before or after it, in the whole capture or in --span
    #[arg(long, value_name = "COUNTER", conflicts_with = "against")]
    target: Option<String>,
    /// The time to compare it with [default: the time before, four times as long]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, value_parser = span_bound)]
    against: Option<Span>,
    #[command(flatten)]
    counters: Counters,
    /// How many groups to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,
    #[command(flatten)]
    answer: AnswerArguments,
}

pub(crate) fn run(arguments: &Moved, quiet: bool) -> anyhow::Result<Outcome> {
    let form = arguments.answer.check(&arguments.beside.inputs(&arguments.inputs.inputs))?;
    if matches!(form, AnswerForm::Csv | AnswerForm::Parquet) {
        mistake!(
            "the answer is sentences and groups: --format table, markdown or json, or --output with .txt, .md or .json"
        );
    }
    let selection = arguments.counters.selection()?;
    let options = MovedOptions {
        selection: selection.clone(),
        span: arguments.span.clone().unwrap_or_default(),
        against: arguments.against.clone(),
    };
    let (inputs, reading) = (&arguments.inputs, arguments.inputs.reading());
    let captures =
        arguments.beside.add_to(inputs.open_in_english()?, |paths| reading.open_in_english(paths))?;
    if let Some(target) = &arguments.target {
        let options = TargetOptions { target: target.parse()?, selection };
        return run_target(arguments, form, &captures, &options, quiet);
    }
    let timeline = Timeline::whole(&captures)?;
    let bar = progress::bar(&captures, quiet);
    let found = match moved(&timeline, &options, &progress::steps(&bar)) {
        Err(MovedError::Cancelled(cancelled)) => return Err(cancelled.into()),
        found => found?,
    };
    bar.finish_and_clear();
    if found.counts.series == 0 {
        return Err(nothing(&timeline, &selection));
    }
    write(arguments, form, &found, &recount::access_of(&captures))?;
    report_unmatched(&selection, &captures);
    Ok(outcome_of(&timeline.name(), Health::default(), found.health, true))
}

/// What moves with a counter.
fn run_target(
    arguments: &Moved,
    form: AnswerForm,
    captures: &[Capture],
    options: &TargetOptions,
    quiet: bool,
) -> anyhow::Result<Outcome> {
    let timeline = Timeline::of(captures, &arguments.span.clone().unwrap_or_default())?;
    let bar = progress::bar(captures, quiet);
    let found = match companions(&timeline, options, &progress::steps(&bar)) {
        Err(NoTarget::Cancelled(cancelled)) => return Err(cancelled.into()),
        found => found?,
    };
    bar.finish_and_clear();
    let most = arguments.top as usize;
    let text = match form {
        AnswerForm::Json => output::json_line(&found)?,
        AnswerForm::Markdown => found.markdown(most),
        _ => arguments.answer.sentences(&found.sentences(most)),
    };
    arguments.answer.put(&recount::access_of(captures), text.as_bytes())?;
    Ok(outcome_of(&timeline.name(), Health::default(), found.health, arguments.span.is_some()))
}

fn write(arguments: &Moved, form: AnswerForm, found: &Found, access: &Access) -> anyhow::Result<()> {
    let text = match form {
        AnswerForm::Json => output::json_line(&moved_json(found)?)?,
        AnswerForm::Markdown => moved_markdown(found, arguments.top as usize),
        _ => arguments.answer.sentences(&found.sentences(arguments.top as usize)),
    };
    arguments.answer.put(access, text.as_bytes())
}
