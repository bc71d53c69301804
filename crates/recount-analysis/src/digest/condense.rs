//! A digest of bounded length: what matters least is left out first.

use recount_model::SampleTime;

use super::answer::{
    Digest, DigestCapture, DigestChange, DigestFinding, DigestGap, DigestHealth, DigestMissing,
};
use super::load::{Load, LoadTable};
use super::next::{Moved, moved, next};
use super::options::{DigestOptions, stated, stated_end};
use super::processes::{Processes, processes};
use super::resources::{Resource, busiest, resources};
use super::series::{all_series, rounded};
use crate::report::{HealthText, Observed, health};
use crate::rules::{Finding, Severity};
use crate::shown::{plural, short};

/// How long a digest is by default, in bytes. That is at most 2,000 tokens of `o200k_base` and
/// `cl100k_base`: the least that was measured is 2.25 bytes a token, in logs of sysstat, whose digests have the most numbers.
pub const DEFAULT_MAX_BYTES: usize = 4_400;

/// A shorter one would say too little.
pub const LEAST_MAX_BYTES: usize = 2_000;

/// How much of everything there is room for.
#[derive(Clone, Copy, PartialEq)]
struct Room {
    findings: usize,
    notes: usize,
    changed: usize,
    processes: usize,
    /// Of each kind.
    resources: usize,
    /// Which of the tables of the load, the longest first.
    load: usize,
    health: usize,
    next: usize,
    /// Characters of a sentence.
    sentence: usize,
}

/// From much to little.
const ROOMS: [Room; 8] = [
    Room {
        findings: 24,
        notes: 12,
        changed: 8,
        processes: 5,
        resources: 12,
        load: 0,
        health: 12,
        next: 8,
        sentence: 400,
    },
    Room {
        findings: 12,
        notes: 5,
        changed: 5,
        processes: 5,
        resources: 4,
        load: 0,
        health: 6,
        next: 8,
        sentence: 400,
    },
    Room {
        findings: 8,
        notes: 3,
        changed: 5,
        processes: 4,
        resources: 3,
        load: 1,
        health: 4,
        next: 8,
        sentence: 320,
    },
    Room {
        findings: 6,
        notes: 2,
        changed: 3,
        processes: 3,
        resources: 2,
        load: 1,
        health: 3,
        next: 6,
        sentence: 260,
    },
    Room {
        findings: 5,
        notes: 1,
        changed: 2,
        processes: 3,
        resources: 2,
        load: 1,
        health: 2,
        next: 5,
        sentence: 200,
    },
    Room {
        findings: 4,
        notes: 0,
        changed: 1,
        processes: 2,
        resources: 1,
        load: 1,
        health: 1,
        next: 3,
        sentence: 120,
    },
    Room {
        findings: 2,
        notes: 0,
        changed: 0,
        processes: 1,
        resources: 1,
        load: 9,
        health: 1,
        next: 1,
        sentence: 60,
    },
    Room {
        findings: 2,
        notes: 0,
        changed: 0,
        processes: 0,
        resources: 0,
        load: 9,
        health: 1,
        next: 1,
        sentence: 60,
    },
];

/// The digest of a capture: as much as has room in `max_bytes` bytes, as `length` counts them. Critical findings of rules are always
/// there, even if that takes more.
pub fn digest(
    observed: &Observed,
    load: Load,
    options: &DigestOptions,
    length: &dyn Fn(&Digest) -> usize,
) -> Digest {
    let whole = Whole::new(observed, load);
    let made = |room: &Room| made(&whole, room, options);
    let fits = |digest: &Digest| length(digest) <= options.max_bytes;
    let longest = made(&ROOMS[0]);
    if fits(&longest) {
        return longest;
    }
    // From little to much: each part gets more room as long as there is some, so that one that is too long costs no other its place.
    let mut room = ROOMS[ROOMS.len() - 1];
    let mut best = made(&room);
    for larger in ROOMS.iter().rev().skip(1) {
        for part in PARTS {
            let mut tried = room;
            part(&mut tried, larger);
            if tried == room {
                continue;
            }
            let digest = made(&tried);
            if fits(&digest) {
                (room, best) = (tried, digest);
            }
        }
    }
    best
}

/// The parts of a digest, the most important first: each takes its room from another.
const PARTS: [fn(&mut Room, &Room); 9] = [
    |room, larger| room.findings = larger.findings,
    |room, larger| room.load = larger.load,
    |room, larger| room.resources = larger.resources,
    |room, larger| room.processes = larger.processes,
    |room, larger| room.notes = larger.notes,
    |room, larger| room.changed = larger.changed,
    |room, larger| room.sentence = larger.sentence,
    |room, larger| room.next = larger.next,
    |room, larger| room.health = larger.health,
];

/// What is the same however long a digest may be.
struct Whole<'a> {
    observed: &'a Observed,
    tables: Vec<LoadTable>,
    resources: Vec<Resource>,
    processes: Processes,
    health: HealthText,
    gaps: Vec<(SampleTime, SampleTime)>,
    interval_s: Option<f64>,
    moved: Option<Moved>,
}

impl<'a> Whole<'a> {
    fn new(observed: &'a Observed, load: Load) -> Whole<'a> {
        let series = all_series(observed);
        Whole {
            observed,
            tables: load.finish(&observed.facts),
            resources: resources(observed, &series),
            processes: processes(observed, &series, ROOMS[0].processes),
            health: health(observed),
            gaps: observed.facts.gaps.clone(),
            interval_s: observed.facts.interval_s,
            moved: moved(observed),
        }
    }
}

fn made(whole: &Whole<'_>, room: &Room, options: &DigestOptions) -> Digest {
    let observed = whole.observed;
    let tables = &whole.tables;
    let mut left_out: Vec<String> = Vec::new();
    let mut leave = |num: usize, what: &str| {
        if num > 0 {
            left_out.push(plural(num as u64, what));
        }
    };
    let findings = findings(observed, room);
    leave(observed.findings.len() - findings.len(), "finding");
    let changed: Vec<DigestChange> = observed
        .changed
        .iter()
        .take(room.changed)
        .map(|noted| DigestChange {
            time: stated(&observed.facts, noted.time),
            kind: noted.kind,
            text: cut(&noted.text, room.sentence),
        })
        .collect();
    leave(observed.changed.len() - changed.len(), "change");
    let resources = busiest(&whole.resources, room.resources);
    leave(whole.resources.len() - resources.len(), "resource");
    let load = tables.get(room.load).or(tables.last().filter(|_| room.load < MOST_TABLES));
    if load.is_none() && !tables.is_empty() {
        left_out.push("the load over time".to_owned());
    }
    let processes = whole.processes.first(room.processes);
    if room.processes == 0 && whole.processes != Processes::default() {
        left_out.push("the processes that used most".to_owned());
    }
    let health = health_of(whole, room, &mut left_out);
    let mut digest = Digest {
        schema: "recount-digest-1",
        capture: capture(whole, room),
        health,
        resources,
        load: load.cloned(),
        findings,
        changed,
        processes,
        lacks: lacks(observed, room),
        left_out,
        next: Vec::new(),
    };
    digest.next = next(whole.moved.as_ref(), &digest, options);
    digest.next.truncate(room.next);
    digest
}

/// A larger number means: none.
const MOST_TABLES: usize = 2;

fn capture(whole: &Whole<'_>, room: &Room) -> DigestCapture {
    let observed = whole.observed;
    let facts = &observed.facts;
    let (begin, end) = facts.span().unzip();
    let few = |names: &[String]| -> Vec<String> {
        let mut few: Vec<String> =
            names.iter().take(room.next).map(|name| cut(&short(name), room.sentence)).collect();
        if names.len() > few.len() {
            few.push(format!("{} more", names.len() - few.len()));
        }
        few
    };
    let seconds = begin.zip(end).map(|(begin, end)| end.utc.seconds_since(begin.utc));
    let marks = facts.marks.iter().take(room.changed);
    DigestCapture {
        files: few(&facts.names),
        hosts: few(&facts.hosts),
        os: facts.os.as_deref().map(|os| cut(&short(os), room.sentence)),
        zone: facts.zone_text(),
        is_zone_unknown: facts.is_zone_unknown,
        begin: begin.map(|time| stated(facts, time.utc)),
        end: end.map(|time| stated_end(facts, time.utc)),
        duration_s: seconds,
        num_samples: facts.times.len(),
        interval_s: whole.interval_s.map(rounded),
        num_series: observed.num_series(),
        marks: marks.map(|mark| (stated(facts, mark.time), cut(&short(&mark.text), room.sentence))).collect(),
    }
}

/// All critical findings, and as many others as there is room for.
fn findings(observed: &Observed, room: &Room) -> Vec<DigestFinding> {
    let num_critical = observed.count(Severity::Critical);
    let mut notes = 0;
    let is_shown = |(at, finding): &(usize, &Finding)| match finding.severity {
        Severity::Critical => true,
        Severity::Warning => *at < room.findings.max(num_critical),
        Severity::Info => {
            notes += 1;
            *at < room.findings && notes <= room.notes
        }
    };
    let all = observed.findings.iter().enumerate().filter(is_shown);
    // Of very many, the sentences would take all the room.
    let sentence = if num_critical > room.findings { room.sentence / 2 } else { room.sentence };
    all.map(|(_, finding)| DigestFinding {
        severity: finding.severity.as_str(),
        rule: format!("{}/{}", finding.set, finding.rule),
        title: cut(&short(&finding.title), sentence),
        evidence: cut(&observed.headline(finding), sentence),
        begin: stated(&observed.facts, finding.worst.begin),
        end: stated_end(&observed.facts, finding.worst.end),
        num_spans: finding.num_spans,
    })
    .collect()
}

fn health_of(whole: &Whole<'_>, room: &Room, left_out: &mut Vec<String>) -> DigestHealth {
    let (observed, health) = (whole.observed, &whole.health);
    let most = room.health;
    let mut leave = |num: u64, what: &str| {
        if num > 0 {
            left_out.push(plural(num, what));
        }
    };
    leave(health.findings.len().saturating_sub(most) as u64 + health.more, "health finding");
    leave(health.gaps.len().saturating_sub(most) as u64, "gap");
    let findings = health.findings.iter().take(most);
    let gaps = whole.gaps.iter().zip(&health.gaps).take(most);
    DigestHealth {
        is_sound: health.is_sound,
        findings: findings.map(|one| cut(&format!("{}: {}", one.kind, one.text), room.sentence)).collect(),
        gaps: gaps
            .map(|((begin, end), text)| DigestGap {
                begin: stated(&observed.facts, begin.utc),
                end: stated(&observed.facts, end.utc),
                duration: text.duration.clone(),
            })
            .collect(),
        missing: health
            .nulls
            .iter()
            .take(most)
            .map(|null| DigestMissing { reason: null.reason, count: null.count, share: null.share.clone() })
            .collect(),
        notes: health.notes.iter().take(most).map(|note| cut(note, room.sentence)).collect(),
    }
}

/// What nobody could look at.
fn lacks(observed: &Observed, room: &Room) -> Vec<String> {
    let open =
        observed.unchecked.iter().map(|open| cut(&format!("{}: {}", open.about, open.reason), room.sentence));
    open.chain(std::iter::once(cut(&observed.checked_briefly(), 200))).collect()
}

/// The first characters of a text.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("größer", 3), "grö…");
        assert_eq!(cut("größer", 6), "größer");
    }
}
