//! What happened in a span, which counters moved in groups: `POST api/moved`.

use recount::analysis::moved::{Group, Interval, Member};
use recount::{MovedError, MovedOptions};
use recount_model::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Refusal, side_of, span_of};
use crate::engine::Engine;
use crate::engine::cancel::Cancel;
use crate::engine::side::Side;
use crate::engine::time::{Span, ms};

#[derive(Debug, Deserialize)]
pub(crate) struct MovedRequest {
    #[serde(default)]
    side: usize,
    from: f64,
    to: f64,
    /// The span to compare with: its begin and its end. Without it, the time before.
    against: Option<[f64; 2]>,
}

#[derive(Debug, Serialize)]
pub(crate) struct MovedAnswer {
    /// What was compared, and what limits the answer.
    notes: Vec<String>,
    groups: Vec<GroupText>,
}

#[derive(Debug, Serialize)]
struct GroupText {
    headline: String,
    is_sure: bool,
    /// When it happened, on the common axis.
    from: f64,
    to: f64,
    /// The leader, and those that moved with it.
    series: Vec<SeriesText>,
    num_members: usize,
}

#[derive(Debug, Serialize)]
struct SeriesText {
    path: String,
    unit: &'static str,
    /// Its median before, and that of the part that stands out.
    before: f64,
    after: f64,
}

/// Groups that are sent, and series of each.
const MAX_GROUPS: usize = 12;
const MAX_SERIES: usize = 12;

impl Engine {
    pub(crate) fn moved(&self, request: &MovedRequest, cancel: &Cancel) -> Result<MovedAnswer, Refusal> {
        let side = side_of(self, request.side)?;
        let asked = |span: Span| side.timeline.span_between(Timestamp(span.from), Timestamp(span.to));
        let against = request.against.map(|[from, to]| span_of(&side, from, to)).transpose()?;
        let options = MovedOptions {
            span: asked(span_of(&side, request.from, request.to)?),
            against: against.map(asked),
            ..MovedOptions::default()
        };
        let found = self.answer_in_time(|| recount::moved(&side.timeline, &options, &|_| cancel.decide()));
        let found = found.map_err(|error| match error {
            MovedError::Cancelled(cancelled) => cancelled.into(),
            error => Refusal::new(404, error.to_string()),
        })?;
        // The sentences of groups come first; what follows says what was compared.
        let num_said = found.groups.len().min(MAX_GROUPS);
        Ok(MovedAnswer {
            notes: found.sentences(MAX_GROUPS).split_off(num_said),
            groups: found.groups.iter().take(MAX_GROUPS).map(|group| text(group, &side)).collect(),
        })
    }
}

fn text(group: &Group, side: &Side) -> GroupText {
    let on_axis = |time: Timestamp| ms(time.0.saturating_add(side.shift));
    let Interval { begin, end } = group.leader.event;
    let members = std::iter::once(&group.leader).chain(&group.members).take(MAX_SERIES);
    let series = |member: &Member| SeriesText {
        path: member.path.clone(),
        unit: member.unit,
        before: member.before,
        after: member.after,
    };
    GroupText {
        headline: group.headline.clone(),
        is_sure: group.is_sure,
        from: on_axis(begin),
        to: on_axis(end),
        series: members.map(series).collect(),
        num_members: group.num_members,
    }
}
