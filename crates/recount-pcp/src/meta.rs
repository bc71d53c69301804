//! `.meta`: descriptions of the metrics, and the positions of the instance domains' records.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{Content, FindingKind, Health};

use crate::PcpError;
use crate::gaps::{Gaps, may_be_domain};
use crate::structure::{
    DomainId, DomainRecord, Frame, Frames, Label, LabelRecord, MetricRecord, Pmid, Stamp, TextRecord,
    Version, kind, unexpected,
};
use crate::units::Units;
use crate::value::ValueType;

/// A metric.
#[derive(Clone, Debug)]
pub(crate) struct Metric {
    pub(crate) pmid: u32,
    /// Its names; the first is shown.
    pub(crate) names: Vec<String>,
    pub(crate) value_type: ValueType,
    /// Its instance domain; `None`: it has a single value.
    pub(crate) domain: Option<u32>,
    pub(crate) is_counter: bool,
    pub(crate) units: Units,
}

impl Metric {
    pub(crate) fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }
}

/// The records of one instance domain, in the order of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domain {
    /// Time, and offset in `.meta`.
    pub(crate) records: Vec<(Stamp, usize)>,
    /// Those that list all instances, in the order of the file: offset and time.
    fulls: Vec<(usize, Stamp)>,
    /// When the names of its instances are unknown, because records were lost.
    unknown: Vec<Range<Stamp>>,
}

impl Domain {
    /// Number of its records at or before a time.
    pub(crate) fn known_at(&self, time: Stamp) -> usize {
        self.records.partition_point(|(begins, _)| *begins <= time)
    }

    /// Whether the names of instances are unknown at a time.
    pub(crate) fn is_unknown_at(&self, time: Stamp) -> bool {
        let at = self.unknown.partition_point(|range| range.end <= time);
        self.unknown.get(at).is_some_and(|range| range.contains(&time))
    }
}

/// All of `.meta`.
pub(crate) struct Meta {
    content: Arc<dyn Content>,
    pub(crate) label: Label,
    pub(crate) metrics: Vec<Metric>,
    by_pmid: HashMap<u32, usize>,
    domains: BTreeMap<u32, Domain>,
    /// The time of the last record of any domain.
    last_domain: Option<Stamp>,
    gaps: Gaps,
    /// One line about a metric (by its id) or an instance domain.
    helps: HashMap<(bool, u32), Arc<str>>,
    /// Labels of the whole host, as JSON.
    pub(crate) context: Option<String>,
    pub(crate) health: Health,
}

impl Meta {
    pub(crate) fn read(file: &str, content: &Arc<dyn Content>) -> Result<Meta, PcpError> {
        let label = Label::read(file, content.bytes())?;
        let mut meta = Meta {
            content: Arc::clone(content),
            label,
            metrics: Vec::new(),
            by_pmid: HashMap::new(),
            domains: BTreeMap::new(),
            last_domain: None,
            gaps: Gaps::default(),
            helps: HashMap::new(),
            context: None,
            health: Health::default(),
        };
        let mut texts = BTreeMap::new();
        let is_sound = |frame: &Frame<'_>| kind::is_known(frame.kind());
        let mut frames = Frames::new(content.bytes(), meta.version().len_label(), "record", is_sound);
        loop {
            let start = frames.ofs();
            let Some(frame) = frames.next() else { break };
            let read = frame.and_then(|frame| meta.add(file, &frame, &mut texts));
            if let Err(error) = read {
                meta.lose(file, start..frames.ofs(), &error);
            }
        }
        meta.helps = texts.into_iter().map(|(of, text)| (of, text.into())).collect();
        meta.gaps.finish();
        for domain in meta.domains.values_mut() {
            // Stable: of several records with the same time, the last in the file counts.
            domain.records.sort_by_key(|(time, _)| *time);
            if !meta.gaps.is_empty() {
                domain.unknown = meta.gaps.unknown(&domain.fulls, &domain.records);
            }
        }
        Ok(meta)
    }

    pub(crate) fn version(&self) -> Version {
        self.label.version
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.content.bytes()
    }

    pub(crate) fn metric_of(&self, pmid: u32) -> Option<usize> {
        self.by_pmid.get(&pmid).copied()
    }

    pub(crate) fn domain(&self, id: u32) -> Option<&Domain> {
        self.domains.get(&id)
    }

    pub(crate) fn help_of_metric(&self, pmid: u32) -> Option<&Arc<str>> {
        self.helps.get(&(true, pmid))
    }

    pub(crate) fn help_of_domain(&self, id: u32) -> Option<&Arc<str>> {
        self.helps.get(&(false, id))
    }

    /// Notes damage up to the next sound record, and what isn't known because of it.
    fn lose(&mut self, file: &str, lost: Range<usize>, error: &FormatError) {
        if !may_be_domain(self.bytes(), lost.start, lost.end, error) {
            return note(&mut self.health, file, error);
        }
        self.gaps.add(lost.start, self.last_domain);
        let since = self.last_domain.map_or_else(String::new, |time| format!(" after {time}"));
        let what = format!(
            "{file}: {}; names of instances{since} are unknown until their domain is described again",
            error.what()
        );
        self.health.note(error.kind(), error.place().cloned(), what);
    }

    fn add(
        &mut self,
        file: &str,
        frame: &Frame<'_>,
        texts: &mut BTreeMap<(bool, u32), String>,
    ) -> Result<(), FormatError> {
        let version = self.version();
        match (frame.kind(), version) {
            (kind::METRIC, _) => self.add_metric(file, frame)?,
            (kind::DOMAIN_2, Version::V2) | (kind::DOMAIN_3 | kind::DELTA, Version::V3) => {
                self.add_domain(file, frame)?;
            }
            (kind::LABELS_2, Version::V2) | (kind::LABELS_3, Version::V3) => {
                let labels = LabelRecord::parse(version, frame)?;
                if labels.level == LabelRecord::CONTEXT {
                    self.context = labels.sets.into_iter().next().and_then(|(_, json)| json.ok());
                }
            }
            (kind::TEXT, _) => {
                let record = TextRecord::parse(frame)?;
                match record.kind {
                    TextRecord::ONE_LINE_OF_METRIC => drop(texts.insert((true, record.id), record.text)),
                    TextRecord::ONE_LINE_OF_DOMAIN => drop(texts.insert((false, record.id), record.text)),
                    _ => {}
                }
            }
            (other, version) => {
                let expected = format!("a type of record of version {}", version.number());
                return Err(unexpected("record", frame.ofs, "type", 4, expected, other));
            }
        }
        Ok(())
    }

    fn add_metric(&mut self, file: &str, frame: &Frame<'_>) -> Result<(), FormatError> {
        let record = MetricRecord::parse(frame)?;
        if record.names.is_empty() {
            let at = MetricRecord::OFS_NAMES - 4;
            return Err(unexpected(MetricRecord::NAME, frame.ofs, "number of names", at, "a name", "none"));
        }
        let metric = Metric {
            pmid: record.pmid,
            names: record.names,
            value_type: ValueType::of(record.value_type),
            domain: (record.domain != DomainId::NONE).then_some(record.domain),
            is_counter: record.semantics == 1,
            units: Units(record.units),
        };
        let Some(&known) = self.by_pmid.get(&metric.pmid) else {
            self.by_pmid.insert(metric.pmid, self.metrics.len());
            self.metrics.push(metric);
            return Ok(());
        };
        let known = &self.metrics[known];
        let described = |metric: &Metric| (metric.value_type, metric.domain, metric.is_counter, metric.units);
        if described(known) != described(&metric) {
            let what = format!(
                "{file}: metric {} is described again, as something else: the first description counts",
                Pmid(metric.pmid)
            );
            let place = recount_model::Place::structure(MetricRecord::NAME, frame.ofs);
            self.health.note(FindingKind::Odd, place, what);
        }
        Ok(())
    }

    fn add_domain(&mut self, file: &str, frame: &Frame<'_>) -> Result<(), FormatError> {
        let record = DomainRecord::parse(self.version(), frame)?;
        let num_lost = record.instances().filter(|(_, name)| name.is_err()).count();
        if num_lost > 0 {
            let what = format!(
                "{file}: the names of {num_lost} instances of domain {} are outside the record",
                DomainId(record.domain)
            );
            let place = recount_model::Place::structure(DomainRecord::NAME, frame.ofs);
            self.health.note(FindingKind::Damaged, place, what);
        }
        let domain = self.domains.entry(record.domain).or_default();
        domain.records.push((record.time, frame.ofs as usize));
        if !record.is_delta {
            domain.fulls.push((frame.ofs as usize, record.time));
        }
        self.last_domain = Some(record.time);
        Ok(())
    }
}

pub(crate) fn note(health: &mut Health, file: &str, error: &FormatError) {
    health.note(error.kind(), error.place().cloned(), format!("{file}: {}", error.what()));
}
