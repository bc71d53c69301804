//! Who used the processors over a span, by program or another group of processes: `POST api/programs`.

use recount_analysis::attribution::{GroupBy, GroupProcesses, GroupShares, ProcessGroup, UsedTime};
use recount_compute::CookOptions;
use recount_model::{ENDED_PROCESSES, Pattern, Selection, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Refusal, side_of, span_of};
use crate::engine::Engine;
use crate::engine::cancel::Cancel;
use crate::engine::load::load_span;
use crate::engine::side::Side;
use crate::engine::time::{Span, ms};

#[derive(Debug, Deserialize)]
pub(crate) struct ProgramsRequest {
    #[serde(default)]
    side: usize,
    from: f64,
    to: f64,
    /// `None`: by program.
    by: Option<GroupBy>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ProgramsAnswer {
    by: GroupBy,
    /// What the capture's processes can be grouped by.
    groupings: Vec<GroupBy>,
    /// The span that the stretches share equally: from a sample to a sample.
    from: f64,
    to: f64,
    /// Shares of all processors, from 0 to 1, by stretch.
    not_attributed: Vec<f64>,
    /// Its mean over the time of which processors and processes have values.
    not_attributed_mean: Option<f64>,
    groups: Vec<Group>,
}

/// What there is to draw, or why there is nothing.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ProgramsReply {
    Drawn(ProgramsAnswer),
    Nothing { why: &'static str },
}

#[derive(Debug, Serialize)]
struct Group {
    name: String,
    used: Vec<f64>,
    /// Over the time of which there are values.
    mean: f64,
    /// `None` of the rest.
    processes: Option<Processes>,
}

#[derive(Debug, Serialize)]
struct Processes {
    num: u64,
    num_with_cpu: u64,
    /// The processes that used most, with seconds.
    most: Vec<(String, f64)>,
    trees: Vec<Tree>,
}

#[derive(Debug, Serialize)]
struct Tree {
    name: String,
    num: u64,
    num_with_cpu: u64,
    cpu_s: Option<f64>,
}

impl Engine {
    pub(crate) fn programs(
        &self,
        request: &ProgramsRequest,
        cancel: &Cancel,
    ) -> Result<ProgramsReply, Refusal> {
        let side = side_of(self, request.side)?;
        if side.facts.hosts.len() > 1 {
            let why = "The capture is of several machines: their processors have no common total.";
            return Ok(ProgramsReply::Nothing { why });
        }
        let span = of_samples(&side, span_of(&side, request.from, request.to)?);
        let mut used = UsedTime::new(Timestamp(span.from), Timestamp(span.to));
        let cook = CookOptions { selection: selection(), ..CookOptions::default() };
        self.answer(|| load_span(&side, span, &cook, cancel, |batch| used.add(&batch)))?;
        let Some(used) = used.finish(side.timeline.descriptions()) else {
            let why = "This span has no values of processors and processes that could be compared.";
            return Ok(ProgramsReply::Nothing { why });
        };
        cancel.check()?;
        let shares = used.by(request.by.unwrap_or(GroupBy::Command));
        let means: Vec<f64> = shares.groups.iter().map(|(_, used)| shares.mean(used)).collect();
        let not_attributed_mean = shares.mean_not_attributed;
        let GroupShares { by, groups, not_attributed, processes, .. } = shares;
        let mut processes = processes.into_iter().map(of_group);
        let groups = groups
            .into_iter()
            .zip(means)
            .map(|((name, used), mean)| Group { name, used: short(used), mean, processes: processes.next() })
            .collect();
        let at = |time: i64| ms(time.saturating_add(side.shift));
        let (from, to) = (at(span.from), at(span.to));
        let not_attributed = short(not_attributed);
        let groupings = used.groupings();
        Ok(ProgramsReply::Drawn(ProgramsAnswer {
            by,
            groupings,
            from,
            to,
            not_attributed,
            not_attributed_mean,
            groups,
        }))
    }
}

/// From the last sample up to the begin, so that the first interval is whole, to the last one up to the end.
fn of_samples(side: &Side, span: Span) -> Span {
    let times = &side.facts.times;
    let until = |time: i64| times.partition_point(|one| one.utc.0 <= time);
    let from = until(span.from).saturating_sub(1);
    let to = until(span.to).saturating_sub(1).max(from + 1).min(times.len().saturating_sub(1));
    let at = |index: usize| times.get(index).map_or(span.from, |time| time.utc.0);
    Span { from: at(from), to: at(to) }
}

fn selection() -> Selection {
    let counters = [
        r"\Process(*)\% Processor Time",
        r"\Process(*)\Creating Process ID",
        r"\Processor(*)\% Processor Time",
    ];
    let ended = format!(r"\Process(*)\{ENDED_PROCESSES}");
    let patterns = counters.into_iter().chain([&*ended]);
    patterns.filter_map(|pattern| pattern.parse::<Pattern>().ok()).collect()
}

fn of_group(group: GroupProcesses) -> Processes {
    let tree = |tree: ProcessGroup| Tree {
        name: tree.name,
        num: tree.num,
        num_with_cpu: tree.num_with_cpu,
        cpu_s: tree.cpu_s,
    };
    let trees = group.trees.into_iter().map(tree).collect();
    Processes { num: group.num, num_with_cpu: group.num_with_cpu, most: group.most, trees }
}

/// Shares as they are drawn: nobody sees a hundredth of a per cent.
fn short(mut shares: Vec<f64>) -> Vec<f64> {
    for share in &mut shares {
        *share = (*share * 1e4).round() / 1e4;
    }
    shares
}
