//! The page of a comparison, with the same frame as a report.

use std::collections::HashMap;

use recount_page::{PageError, render};
use serde::Serialize;

use super::METHOD;
use super::changes::{Change, Difference, Verdict};
use super::side::Side;
use super::tolerance::Breach;
use crate::report::blob::{
    CounterData, Data, InstanceData, MarkData, ObjectData, Pairs, Stored, blob, rounded,
};
use crate::report::{CaptureText, Frame, MAX_LEN_BLOB, ms};
use crate::shown::{quantity, short};

/// How many changes are listed without the script.
const MAX_TOLD: usize = 200;
/// How many pairs a page can hold.
const MAX_PAIRS: usize = 10_000;
/// How many pairs are drawn initially.
const NUM_TOP: usize = 6;

#[derive(Serialize)]
struct Page {
    #[serde(flatten)]
    frame: Frame,
    base: CaptureText,
    new: CaptureText,
    changes: Vec<ChangeText>,
    num_regression: usize,
    num_improvement: usize,
    num_change: usize,
    num_same: usize,
    num_unsure: usize,
    regressions: Vec<BreachText>,
    notes: Vec<String>,
    top: Vec<usize>,
    method: [&'static str; METHOD.len()],
}

#[derive(Serialize)]
struct ChangeText {
    path: String,
    object: String,
    instance: Option<String>,
    counter: String,
    unit: &'static str,
    base_mean: String,
    new_mean: String,
    mean_change: String,
    base_p95: String,
    new_p95: String,
    p95_change: String,
    p_value: String,
    effect: String,
    verdict: &'static str,
    pair: Option<usize>,
}

#[derive(Serialize)]
struct BreachText {
    rule_id: String,
    title: String,
    #[serde(rename = "where")]
    place: String,
    text: String,
    pair: Option<usize>,
}

/// The page, as one self-contained file. `notes` list what could not be judged.
pub fn diff_html(
    difference: &Difference,
    breaches: &[Breach],
    notes: &[String],
    title: &str,
) -> Result<String, PageError> {
    let num_shown = difference.changes.len().min(MAX_PAIRS);
    let capture = |side: &Side, label: &str| {
        let mut text = CaptureText::new(&side.facts, side.num_series(), side.roster.objects().len());
        text.label = Some(short(label));
        text.is_sound = Some(side.health.is_complete());
        text
    };
    let has_one_name = difference.base.facts.names == difference.new.facts.names;
    let label = |side: &Side| {
        let names = side.facts.names.join(", ");
        // Of two spans the times say which is which.
        let span = side.facts.span().filter(|_| has_one_name);
        span.map_or(names.clone(), |(begin, end)| {
            format!("{names} {}", side.facts.shown_span(begin.utc, end.utc))
        })
    };
    let page = Page {
        base: capture(&difference.base, &label(&difference.base)),
        new: capture(&difference.new, &label(&difference.new)),
        changes: difference.changes.iter().take(MAX_TOLD).enumerate().map(change_text).collect(),
        num_regression: difference.count(Verdict::Regression),
        num_improvement: difference.count(Verdict::Improvement),
        num_change: difference.count(Verdict::Change),
        num_same: difference.count(Verdict::Same),
        num_unsure: difference.count(Verdict::Unsure),
        regressions: breaches.iter().map(|breach| breach_text(breach, difference, num_shown)).collect(),
        notes: all_notes(difference, notes).iter().map(|note| short(note)).collect(),
        top: top(difference, breaches, num_shown),
        method: METHOD,
        frame: Frame::new(title, data(difference, breaches, num_shown)),
    };
    render("diff.html", &page)
}

/// What could not be compared, and why.
pub(super) fn all_notes(difference: &Difference, notes: &[String]) -> Vec<String> {
    let of_all = difference.machines().into_iter().chain(difference.of_further_bases());
    let mut all: Vec<String> = of_all.chain(difference.programs()).chain(notes.iter().cloned()).collect();
    for (count, side) in [(difference.num_only_base, "base"), (difference.num_only_new, "new one")] {
        if count > 0 {
            all.push(format!("{count} series have values in the {side} only and aren't compared"));
        }
    }
    for (side, name) in [(&difference.base, "base"), (&difference.new, "new")] {
        if !side.health.is_complete() {
            all.push(format!(
                "parts of the {name} capture could not be read: {} findings",
                side.health.total()
            ));
        }
    }
    for base in difference.further_bases.iter().filter(|base| !base.side.health.is_complete()) {
        all.push(format!("parts of the base {} could not be read", base.name()));
    }
    all
}

fn top(difference: &Difference, breaches: &[Breach], num_shown: usize) -> Vec<usize> {
    let mut top: Vec<usize> = Vec::new();
    let notable = difference
        .changes
        .iter()
        .enumerate()
        .filter(|(_, change)| change.verdict <= Verdict::Change && change.same_as.is_none());
    for at in breaches.iter().map(|breach| breach.change).chain(notable.map(|(at, _)| at)) {
        if top.len() == NUM_TOP {
            break;
        }
        if at < num_shown && !top.contains(&at) {
            top.push(at);
        }
    }
    top
}

fn change_text((at, change): (usize, &Change)) -> ChangeText {
    let value = |value: f64| if value.is_nan() { "-".to_owned() } else { quantity(value, change.unit) };
    let relative = |figure: &super::Figure| relative(figure.relative());
    ChangeText {
        path: short(&change.path.to_string()),
        object: short(&change.path.object),
        instance: change.instance.as_deref().map(short),
        counter: short(&change.path.counter),
        unit: change.unit,
        base_mean: value(change.mean.base),
        new_mean: value(change.mean.new),
        mean_change: relative(&change.mean),
        base_p95: value(change.p95.base),
        new_p95: value(change.p95.new),
        p95_change: relative(&change.p95),
        p_value: probability(change.probability),
        effect: format!("{:+.2}", change.effect),
        verdict: change.verdict.as_str(),
        pair: (at < MAX_PAIRS).then_some(at),
    }
}

pub(super) fn relative(share: Option<f64>) -> String {
    match share {
        Some(share) if share.is_finite() => format!("{:+.1} %", 100.0 * share),
        _ => "-".to_owned(),
    }
}

pub(super) fn probability(probability: Option<f64>) -> String {
    match probability {
        Some(p) if p < 0.001 => "< 0.001".to_owned(),
        Some(p) => format!("{p:.3}"),
        None => "-".to_owned(),
    }
}

fn breach_text(breach: &Breach, difference: &Difference, num_shown: usize) -> BreachText {
    let change = &difference.changes[breach.change];
    BreachText {
        rule_id: format!("{}/{}", short(&breach.set), short(&breach.tolerance)),
        title: breach.explanation.lines().next().map(short).unwrap_or_default(),
        place: short(&change.path.to_string()),
        text: breach.text.clone(),
        pair: (breach.change < num_shown).then_some(breach.change),
    }
}

fn data(difference: &Difference, breaches: &[Breach], num_shown: usize) -> String {
    let changes = &difference.changes[..num_shown];
    let top = top(difference, breaches, num_shown);
    let mut places = Places::default();
    let mut pairs = Pairs::default();
    let mut stored: Vec<Stored<'_>> = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        let (object, counter, instance) = places.of(change);
        let is_shown = top.contains(&at);
        for (side, (id, figures)) in
            [(difference.base_of(change), &change.base), (&difference.new, &change.new)]
        {
            let course = side.points.of(id.object as usize, id.instance as usize, id.counter as usize);
            stored.push(Stored { object, counter, instance, figures, course, is_shown });
        }
        pairs.base.push(Some(2 * at));
        pairs.new.push(Some(2 * at + 1));
        pairs.v.push(match change.verdict {
            Verdict::Same => 0,
            Verdict::Regression => 1,
            Verdict::Improvement => 2,
            Verdict::Change => 3,
            Verdict::Unsure => 4,
        });
        pairs.p.push(change.probability.and_then(rounded));
        pairs.e.push(rounded(change.effect));
        pairs.note.push(String::new());
    }
    let buckets = difference.new.points.buckets();
    let gaps = |side: &Side| {
        let begin = side.points.buckets().begin;
        let elapsed = |time: recount_model::SampleTime| ms(time.utc) - ms(begin);
        side.facts.gaps.iter().map(|(from, to)| [elapsed(*from), elapsed(*to)]).collect()
    };
    let marks = difference.new.facts.marks.iter().map(|mark| MarkData {
        ms: ms(mark.time) - ms(buckets.begin),
        text: short(&mark.text),
        change: false,
    });
    let mut data = Data {
        begin_ms: 0.0,
        step_ms: buckets.width / 1e4,
        num_buckets: buckets.count,
        elapsed: true,
        hosts: 1,
        objects: places.objects,
        gaps: gaps(&difference.new),
        base_gaps: gaps(&difference.base),
        marks: marks.filter(|mark| mark.ms >= 0.0).collect(),
        pairs: Some(pairs),
        ..Data::default()
    };
    blob(&mut data, &stored, buckets, MAX_LEN_BLOB)
}

/// Objects, counters and instances of the changes, numbered.
#[derive(Default)]
struct Places {
    objects: Vec<ObjectData>,
    by_object: HashMap<String, usize>,
    by_counter: HashMap<(usize, String), usize>,
    by_instance: HashMap<(usize, String), usize>,
}

impl Places {
    fn of(&mut self, change: &Change) -> (usize, usize, Option<usize>) {
        let name = &change.path.object;
        let object = *self.by_object.entry(name.clone()).or_insert_with(|| {
            self.objects.push(ObjectData { name: short(name), counters: Vec::new(), instances: Vec::new() });
            self.objects.len() - 1
        });
        let data = &mut self.objects[object];
        let counter = *self.by_counter.entry((object, change.path.counter.clone())).or_insert_with(|| {
            data.counters.push(CounterData {
                name: short(&change.path.counter),
                unit: change.unit,
                help: None,
            });
            data.counters.len() - 1
        });
        let instance = change.instance.as_ref().map(|instance| {
            *self.by_instance.entry((object, instance.clone())).or_insert_with(|| {
                data.instances.push(InstanceData { name: short(instance), id: None, host: None });
                data.instances.len() - 1
            })
        });
        (object, counter, instance)
    }
}
