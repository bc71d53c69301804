//! The series of a page, and references to them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::MAX_LEN_BLOB;
use crate::report::blob::{
    CounterData, Data, FindingData, InstanceData, MarkData, ObjectData, Stored, blob, kept,
};
use crate::report::health::ms;
use crate::report::noted::{MAX_CHANGED, Noted};
use crate::report::observe::Observed;
use crate::report::overview::Chart;
use crate::rules::Finding;
use crate::shown::{duration, quantity, short, task_id, unit_of};
use crate::stats::SeriesId;

/// How many series a page can hold.
const MAX_SERIES: usize = 20_000;
/// How many spans of a finding are listed individually.
const MAX_SPANS: usize = 8;

#[derive(Serialize)]
pub(super) struct FindingText {
    pub(super) severity: &'static str,
    pub(super) rule_id: String,
    pub(super) title: String,
    pub(super) group: String,
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) host: Option<String>,
    pub(super) headline: String,
    /// The headline without the place.
    pub(super) brief: String,
    /// The worst span.
    pub(super) when: Option<String>,
    pub(super) value: String,
    pub(super) threshold: String,
    pub(super) measure: String,
    pub(super) spans: Vec<SpanText>,
    pub(super) spans_more: u64,
    pub(super) explanation: Vec<String>,
    pub(super) links: Vec<String>,
    pub(super) series: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct SpanText {
    pub(super) begin: String,
    pub(super) end: String,
    pub(super) duration: String,
    pub(super) begin_ms: f64,
    pub(super) end_ms: f64,
}

#[derive(Serialize)]
pub(super) struct ChartText {
    pub(super) title: String,
    pub(super) unit: &'static str,
    pub(super) series: Vec<usize>,
    pub(super) note: Option<String>,
    pub(super) stacked: bool,
    pub(super) logarithmic: bool,
    /// The chart as SVG, with all names escaped.
    pub(super) drawing: Option<String>,
}

#[derive(Serialize)]
pub(super) struct ObjectText {
    pub(super) name: String,
    pub(super) num_instances: usize,
    pub(super) num_series: usize,
    pub(super) slug: String,
}

/// The series of a page, numbered.
pub(super) struct Stock {
    /// Indexes in `Observed::figures` of the series kept, in order.
    kept: Vec<usize>,
    index: HashMap<SeriesId, usize>,
    shown: BTreeSet<SeriesId>,
    pub(super) num_left_out: usize,
    /// Objects of the roster by name: the same object on several machines counts as one.
    objects: Vec<(String, Vec<usize>)>,
}

impl Stock {
    pub(super) fn new(observed: &Observed, charts: &[Chart], findings: &[Finding]) -> Stock {
        let mut shown: BTreeSet<SeriesId> =
            charts.iter().flat_map(|chart| chart.series.iter().copied()).collect();
        shown.extend(findings.iter().filter_map(series_of));
        let interest: Vec<(bool, u64)> =
            observed.figures.iter().map(|(id, figures)| (shown.contains(id), figures.count)).collect();
        let kept_places = kept(&interest, MAX_SERIES);
        let mut kept: Vec<usize> = kept_places.into_iter().collect();
        kept.sort_unstable();
        let index = kept.iter().enumerate().map(|(at, place)| (observed.figures[*place].0, at)).collect();
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut order: Vec<&str> = Vec::new();
        for (object, entry) in observed.roster.objects().iter().enumerate() {
            let of_name = by_name.entry(&entry.name).or_default();
            if of_name.is_empty() {
                order.push(&entry.name);
            }
            of_name.push(object);
        }
        let objects = order.into_iter().map(|name| (name.to_owned(), by_name[name].clone())).collect();
        Stock { num_left_out: observed.figures.len() - kept.len(), kept, index, shown, objects }
    }

    pub(super) fn objects(&self, observed: &Observed) -> Vec<ObjectText> {
        let mut slugs: BTreeSet<String> = BTreeSet::new();
        let mut text = |(name, places): &(String, Vec<usize>)| {
            let of_object = |place: &&usize| places.contains(&(observed.figures[**place].0.object as usize));
            let num_series = self.kept.iter().filter(of_object).count();
            let num_instances =
                places.iter().map(|place| observed.roster.objects()[*place].instances.len()).sum();
            let slug = slug(name, &mut slugs);
            ObjectText { name: short(name), num_instances, num_series, slug }
        };
        self.objects.iter().map(&mut text).collect()
    }

    pub(super) fn finding(&self, observed: &Observed, finding: &Finding) -> FindingText {
        let facts = &observed.facts;
        let span = |span: &crate::rules::Span| SpanText {
            begin: facts.shown(span.begin),
            end: facts.shown(span.end),
            duration: duration(span.seconds),
            begin_ms: ms(span.begin),
            end_ms: ms(span.end),
        };
        let mut longest: Vec<&crate::rules::Span> = finding.spans.iter().collect();
        longest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        longest.truncate(MAX_SPANS);
        longest.sort_by_key(|span| span.begin);
        let per = if finding.aggregate == "trend" { " an hour" } else { "" };
        FindingText {
            severity: finding.severity.as_str(),
            rule_id: format!("{}/{}", finding.set, finding.rule),
            title: short(&finding.title),
            group: short(&finding.group),
            place: finding.place(),
            host: (facts.hosts.len() > 1).then(|| short(&finding.host)),
            headline: finding.headline.clone(),
            brief: brief(finding),
            when: Some(facts.shown_span(finding.worst.begin, finding.worst.end)),
            // The value of an expression isn't a counter's; the headline has those.
            value: if finding.counters.is_empty() {
                format!("{}{per}", quantity(finding.value, &finding.unit))
            } else {
                String::new()
            },
            threshold: finding.threshold.clone(),
            measure: match finding.aggregate {
                "any" => short(&finding.subject),
                aggregate => format!("{aggregate} of {}", short(&finding.subject)),
            },
            spans_more: finding.num_spans.saturating_sub(longest.len() as u64),
            spans: longest.into_iter().map(span).collect(),
            explanation: paragraphs(&finding.explanation),
            links: finding.links.iter().filter(|link| link.starts_with("https://")).cloned().collect(),
            series: series_of(finding).and_then(|id| self.index.get(&id).copied()),
        }
    }

    pub(super) fn chart(&self, observed: &Observed, chart: &Chart) -> ChartText {
        let title = match chart.series.first() {
            Some(id) if chart.title.is_empty() => {
                let object = &observed.roster.objects()[id.object as usize];
                short(&format!("{}: {}", object.name, object.counters[id.counter as usize].name))
            }
            _ => short(&chart.title),
        };
        let series = chart.series.iter().filter_map(|id| self.index.get(id).copied()).collect();
        ChartText {
            title,
            unit: chart.unit,
            series,
            note: chart.note.clone(),
            stacked: chart.stacked,
            logarithmic: chart.logarithmic,
            drawing: None,
        }
    }

    pub(super) fn blob(&self, observed: &Observed, findings: &[Finding]) -> String {
        let buckets = observed.points.buckets();
        let facts = &observed.facts;
        let objects = self.objects.iter().map(|(name, places)| object_data(observed, name, places)).collect();
        let finding = |finding: &Finding| FindingData {
            series: series_of(finding).and_then(|id| self.index.get(&id).copied()),
            severity: finding.severity.as_str(),
            spans: finding.spans.iter().map(|span| [ms(span.begin), ms(span.end)]).collect(),
        };
        let mut data = Data {
            begin_ms: ms(buckets.begin),
            step_ms: buckets.width / 1e4,
            num_buckets: buckets.count,
            offset_min: facts.offset_min(),
            zone: facts.zone_text(),
            hosts: facts.hosts.len(),
            objects,
            gaps: facts.gaps.iter().map(|(begin, end)| [ms(begin.utc), ms(end.utc)]).collect(),
            marks: marks(observed),
            findings: findings.iter().map(finding).collect(),
            ..Data::default()
        };
        let stored: Vec<Stored<'_>> = self.kept.iter().map(|place| self.stored(observed, *place)).collect();
        blob(&mut data, &stored, buckets, MAX_LEN_BLOB)
    }

    fn stored<'a>(&self, observed: &'a Observed, place: usize) -> Stored<'a> {
        let (id, figures) = &observed.figures[place];
        let entry = &observed.roster.objects()[id.object as usize];
        let (object, places) = self
            .objects
            .iter()
            .enumerate()
            .find_map(|(at, (name, places))| (**name == *entry.name).then_some((at, places)))
            .unwrap_or((0, &self.objects[0].1));
        let before = places.iter().take_while(|other| **other != id.object as usize);
        let before: Vec<&crate::roster::ObjectEntry> =
            before.map(|object| &observed.roster.objects()[*object]).collect();
        let counters: usize = before.iter().map(|entry| entry.counters.len()).sum();
        let instances: usize = before.iter().map(|entry| entry.instances.len()).sum();
        Stored {
            object,
            counter: counters + id.counter as usize,
            instance: entry.instances[id.instance as usize]
                .instance
                .as_ref()
                .map(|_| instances + id.instance as usize),
            figures,
            course: observed.points.of(id.object as usize, id.instance as usize, id.counter as usize),
            is_shown: self.shown.contains(id),
        }
    }
}

/// The counters and the instances of all machines, in sequence.
fn object_data(observed: &Observed, name: &str, places: &[usize]) -> ObjectData {
    let several = observed.facts.hosts.len() > 1;
    let entries = || places.iter().map(|place| &observed.roster.objects()[*place]);
    let counters = entries().flat_map(|entry| &entry.counters).map(|counter| CounterData {
        name: short(&counter.name),
        unit: unit_of(&counter.name, counter.unit),
        help: counter.help.as_deref().map(short),
    });
    let instances = entries().flat_map(|entry| {
        entry.instances.iter().map(move |instance| InstanceData {
            name: instance.shown.as_deref().map(short).unwrap_or_default(),
            id: task_id(&entry.name, instance.instance.as_ref()).map(|id| id.to_string()),
            host: several.then(|| short(&entry.host)),
        })
    });
    ObjectData { name: short(name), counters: counters.collect(), instances: instances.collect() }
}

/// The text about the place.
fn brief(finding: &Finding) -> String {
    let of_place = finding.headline.strip_prefix(&finding.place()).and_then(|rest| rest.strip_prefix(": "));
    of_place.unwrap_or(&finding.headline).to_owned()
}

fn series_of(finding: &Finding) -> Option<SeriesId> {
    let (object, instance, counter) = finding.series?;
    Some(SeriesId { object: object as u32, instance, counter })
}

fn paragraphs(text: &str) -> Vec<String> {
    let paragraphs = text.split("\n\n").map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.filter(|text| !text.is_empty()).collect()
}

/// A unique name for links: letters, digits and hyphens.
fn slug(name: &str, known: &mut BTreeSet<String>) -> String {
    const MAX_LEN: usize = 40;
    let plain: String = name
        .chars()
        .take(MAX_LEN)
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    let plain = plain.trim_matches('-');
    let plain = if plain.is_empty() { "object" } else { plain };
    let numbered = (2_u32..).map(|number| format!("{plain}-{number}"));
    // One of that many must be free.
    let slug = std::iter::once(plain.to_owned())
        .chain(numbered)
        .find(|slug| !known.contains(slug))
        .unwrap_or_default();
    known.insert(slug.clone());
    slug
}

/// The marks of the capture, and the changes, in the order of time.
fn marks(observed: &Observed) -> Vec<MarkData> {
    let mark =
        |mark: &recount_model::Mark| MarkData { ms: ms(mark.time), text: short(&mark.text), change: false };
    let change = |noted: &Noted| MarkData {
        ms: ms(noted.time),
        text: format!("changed: {}", short(&noted.text)),
        change: true,
    };
    let own = observed.facts.marks.iter().map(mark);
    let changed = observed.changed.iter().take(MAX_CHANGED).filter(|noted| noted.kind == "changed");
    let mut all: Vec<MarkData> = own.chain(changed.map(change)).collect();
    all.sort_by(|a, b| a.ms.total_cmp(&b.ms));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain_and_unique() {
        let mut known = BTreeSet::new();
        let slugs = ["Network Interface", "network interface", "<script>", "🙂", "📀"]
            .map(|name| slug(name, &mut known));
        assert_eq!(slugs, ["network-interface", "network-interface-2", "script", "object", "object-2"]);
    }

    #[test]
    fn paragraphs_are_plain_text() {
        assert_eq!(paragraphs("one\ntwo\n\n\n  three  "), ["one two", "three"]);
    }
}
