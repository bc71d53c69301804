//! `recount digest`

use clap::Args;
use recount::analysis::digest::{DEFAULT_MAX_BYTES, Digest as Found, DigestOptions, LEAST_MAX_BYTES};
use recount::analysis::shown::answer_len;
use recount::{Selection, TimeBound, Timeline, digest};

use crate::args::{Inputs, Json, span_words, time_bound};
use crate::exit::{Outcome, nothing, report_health};
use crate::paragraph::{hung, room};
use crate::rule_sets::rule_sets;
use crate::{output, progress};

/// The most important about captures in one short answer, with the next questions as commands: for scripts and models
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount digest monday.blg
  recount digest monday.blg --json
  recount digest web1.rcap --begin 14:00 --end 14:30 --max-bytes 3000

Machine, span, health, findings of rules, what changed for good, utilisation, saturation and errors of every resource, the load over \
time, the processes that used most, what the capture lacks, and what to ask next. The answer is the same whenever it is asked for. If it \
would be longer than --max-bytes, what matters least is left out, and the line \"left out\" counts it. Critical findings never are, so very many of them make it longer. \
docs/agents.md says how to read it.")]
pub(crate) struct Digest {
    #[command(flatten)]
    inputs: Inputs,
    /// Rule sets: names of those that come with recount, files of rules or threshold files of PAL, or none
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    rules: Vec<String>,
    /// First time to use, as for stats
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time_bound)]
    begin: Option<TimeBound>,
    /// Last time to use, as for stats
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time_bound)]
    end: Option<TimeBound>,
    /// The answer's length in bytes
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_BYTES, value_parser = max_bytes)]
    max_bytes: usize,
    #[command(flatten)]
    json: Json,
}

fn max_bytes(text: &str) -> Result<usize, String> {
    let number: usize = text.parse().map_err(|_| "expected a number of bytes".to_owned())?;
    if number < LEAST_MAX_BYTES {
        return Err(format!("a digest needs at least {LEAST_MAX_BYTES} bytes"));
    }
    Ok(number)
}

pub(crate) fn run(arguments: &Digest, quiet: bool) -> anyhow::Result<Outcome> {
    let sets = rule_sets(&arguments.rules)?;
    let captures = arguments.inputs.open_in_english()?;
    let span = recount::Span {
        begin: arguments.begin.clone(),
        end: arguments.end.clone(),
        ..recount::Span::default()
    };
    let timeline = Timeline::of(&captures, &span)?;
    let options = DigestOptions {
        inputs: arguments.inputs.words(),
        span: span_words(arguments.begin.as_ref(), arguments.end.as_ref()),
        max_bytes: arguments.max_bytes,
    };
    let length = |found: &Found| length(found, arguments.json.json);
    let bar = progress::bar(&captures, quiet);
    let (found, health) = digest(&timeline, &sets, &options, &length, &progress::steps(&bar))?;
    bar.finish_and_clear();
    if found.capture.num_series == 0 {
        return Err(nothing(&timeline, &Selection::all()));
    }
    if arguments.json.json {
        output::print_json(&found)?;
    } else {
        output::print(&hung(&found.text(), LEN_WORD, &["next"], room()))?;
    }
    report_health(&timeline.name(), &health);
    Ok(Outcome::of(&health))
}

/// Each line begins with a word of at most as many characters, spaces included.
const LEN_WORD: usize = 10;

/// How long it is in the form in which it is printed; what costs many tokens counts more.
fn length(found: &Found, is_json: bool) -> usize {
    if is_json {
        serde_json::to_string(found).map_or(usize::MAX, |text| answer_len(&text) + 1)
    } else {
        answer_len(&found.text())
    }
}
