//! Describes the captures: `GET api/capture` and `GET api/progress`.

use std::collections::HashMap;

use recount::analysis::shown::short;
use recount_analysis::roster::{CounterEntry, ObjectEntry};
use recount_analysis::shown::{task_id, unit_of};
use serde::Serialize;

use crate::engine::Engine;
use crate::engine::counted::Counted;
use crate::engine::overview::OverviewChart;
use crate::engine::saved_view::SavedView;
use crate::engine::side::{Side, read};
use crate::engine::state::State;
use crate::engine::time::{ms, ms_after, ms_before};

/// Everything about the captures except their values.
#[derive(Serialize)]
pub(crate) struct CaptureAnswer {
    version: u64,
    state: &'static str,
    progress: f64,
    growing: bool,
    has_sql: bool,
    inputs: Vec<String>,
    title: String,
    begin_ms: f64,
    end_ms: f64,
    step_ms: Option<f64>,
    offset_min: i64,
    zone: String,
    sides: Vec<SideText>,
    overview: Vec<OverviewChart>,
    view: Option<SavedView>,
}

/// What is polled.
#[derive(Serialize)]
pub(crate) struct ProgressAnswer {
    version: u64,
    state: &'static str,
    progress: f64,
    growing: bool,
    end_ms: f64,
}

#[derive(Serialize)]
struct SideText {
    label: String,
    hosts: Vec<String>,
    names: Vec<String>,
    begin_ms: f64,
    end_ms: f64,
    shift_ms: f64,
    num_samples: usize,
    gaps: Vec<[f64; 2]>,
    marks: Vec<MarkText>,
    objects: Vec<ObjectText>,
}

#[derive(Serialize)]
struct MarkText {
    ms: f64,
    text: String,
}

#[derive(Serialize)]
struct ObjectText {
    name: String,
    counters: Vec<CounterText>,
    instances: Vec<InstanceText>,
    instanced: bool,
}

#[derive(Serialize)]
struct CounterText {
    name: String,
    unit: &'static str,
    help: Option<String>,
    #[serde(rename = "type")]
    type_name: String,
}

#[derive(Serialize)]
struct InstanceText {
    name: String,
    /// `None` if there is no id, before everything is counted, and if several instances had the name.
    id: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    several: bool,
    host: Option<String>,
}

fn word(state: State) -> &'static str {
    if state.is_done { "done" } else { "counting" }
}

impl Engine {
    pub(crate) fn capture(&self) -> CaptureAnswer {
        let (state, sides) = (self.state(), self.sides());
        let spans = || sides.iter().filter_map(|side| Some(side.span()?.moved(side.shift)));
        let first = &sides[0].facts;
        CaptureAnswer {
            version: state.version,
            state: word(state),
            progress: state.progress,
            growing: state.is_growing,
            has_sql: cfg!(feature = "sql"),
            inputs: first.names.iter().map(|name| file_name(name)).collect(),
            title: self.opening.title.clone(),
            begin_ms: spans().map(|span| span.from).min().map_or(0.0, ms_before),
            end_ms: spans().map(|span| span.to).max().map_or(0.0, ms_after),
            step_ms: first.interval_s.map(|seconds| (seconds * 1e7).round() / 1e4),
            offset_min: first.offset_min(),
            zone: first.zone_text(),
            sides: sides.iter().map(|side| side_text(side, state.is_done)).collect(),
            overview: self.overview().to_vec(),
            view: self.saved_view(),
        }
    }

    pub(crate) fn progress(&self) -> ProgressAnswer {
        let (state, sides) = (self.state(), self.sides());
        let end = sides.iter().filter_map(|side| Some(side.span()?.moved(side.shift).to)).max();
        ProgressAnswer {
            version: state.version,
            state: word(state),
            progress: state.progress,
            growing: state.is_growing,
            end_ms: end.map_or(0.0, ms_after),
        }
    }
}

fn side_text(side: &Side, is_counted: bool) -> SideText {
    let facts = &side.facts;
    let span = side.span().map(|span| span.moved(side.shift));
    let at = |time: recount::Timestamp| ms(time.0.saturating_add(side.shift));
    SideText {
        label: facts.names.iter().map(|name| file_name(name)).collect::<Vec<_>>().join(", "),
        hosts: facts.hosts.clone(),
        names: facts.names.clone(),
        begin_ms: span.map_or(0.0, |span| ms_before(span.from)),
        end_ms: span.map_or(0.0, |span| ms_after(span.to)),
        shift_ms: side.shift as f64 / 1e4,
        num_samples: facts.times.len(),
        gaps: facts.gaps.iter().map(|(begin, end)| [at(begin.utc), at(end.utc)]).collect(),
        marks: facts
            .marks
            .iter()
            .map(|mark| MarkText { ms: at(mark.time), text: mark.text.clone() })
            .collect(),
        objects: objects(&read(side), facts.hosts.len() > 1, is_counted),
    }
}

/// The objects of all machines, by name.
fn objects(counted: &Counted, with_hosts: bool, is_counted: bool) -> Vec<ObjectText> {
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    let mut objects: Vec<ObjectText> = Vec::new();
    for entry in counted.roster.objects() {
        let at = *by_name.entry(&entry.name).or_insert_with(|| {
            objects.push(ObjectText {
                name: entry.name.to_string(),
                counters: Vec::new(),
                instances: Vec::new(),
                instanced: false,
            });
            objects.len() - 1
        });
        let object = &mut objects[at];
        add_counters(object, entry);
        for instance in &entry.instances {
            let several = instance.is_shared;
            let id = task_id(&entry.name, instance.instance.as_ref());
            object.instanced |= instance.shown.is_some();
            object.instances.push(InstanceText {
                name: instance.shown.as_deref().unwrap_or_default().to_owned(),
                id: id.filter(|_| is_counted && !several).map(|id| id.to_string()),
                several,
                host: with_hosts.then(|| entry.host.to_string()),
            });
        }
    }
    objects
}

fn add_counters(object: &mut ObjectText, entry: &ObjectEntry) {
    for counter in &entry.counters {
        if !object.counters.iter().any(|known| *known.name == *counter.name) {
            object.counters.push(counter_text(counter));
        }
    }
}

fn counter_text(counter: &CounterEntry) -> CounterText {
    CounterText {
        name: counter.name.to_string(),
        unit: unit_of(&counter.name, counter.unit),
        help: counter.help.as_deref().map(short),
        type_name: counter.counter_type.map(|word| word.to_string()).unwrap_or_default(),
    }
}

fn file_name(path: &str) -> String {
    let name = std::path::Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.display().to_string())
}
