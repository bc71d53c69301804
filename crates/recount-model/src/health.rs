//! What was lost while reading: damage and oddities are reported alongside the data, never instead of it.

use std::fmt;
use std::sync::Arc;

use crate::Place;

/// How many findings of one kind are kept in full; the rest are only counted, so that a badly damaged input
/// can't fill memory with findings.
const MAX_KEPT_PER_KIND: u64 = 50;

/// What a [`Finding`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// The input ends before the structure it announces.
    Truncated,
    /// Bytes that violate the format.
    Damaged,
    /// The producer reports that it lost something.
    Lost,
    /// A sample, or a part of one, was left out.
    Dropped,
    /// Valid, but ambiguous or not understood: left as it is.
    Odd,
    /// Odd in the times of samples only, such as an unknown time zone: values aren't affected.
    Time,
    /// Normal for such a recording, such as files of other users' processes that can't be read without root: the
    /// values missing because of it have a status that says so.
    Expected,
}

impl FindingKind {
    /// Every kind, in the order of the enum.
    pub const ALL: [FindingKind; 7] = [
        FindingKind::Truncated,
        FindingKind::Damaged,
        FindingKind::Lost,
        FindingKind::Dropped,
        FindingKind::Odd,
        FindingKind::Time,
        FindingKind::Expected,
    ];

    /// The kinds that leave nothing out.
    pub const HARMLESS: [FindingKind; 3] = [FindingKind::Odd, FindingKind::Time, FindingKind::Expected];

    /// Lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            FindingKind::Truncated => "truncated",
            FindingKind::Damaged => "damaged",
            FindingKind::Lost => "lost",
            FindingKind::Dropped => "dropped",
            FindingKind::Odd => "odd",
            FindingKind::Time => "time",
            FindingKind::Expected => "expected",
        }
    }
}

/// One problem or oddity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The capture that it is about, where there are several; or a file that isn't one.
    pub capture: Option<Arc<str>>,
    /// Where.
    pub place: Option<Place>,
    /// What was found, what was expected, and how it was handled.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.kind.as_str())?;
        if let Some(capture) = &self.capture {
            write!(f, "{capture}: ")?;
        }
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.what)
    }
}

/// All findings of one reading, in the order they were found, limited in number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    findings: Vec<Finding>,
    counts: [u64; FindingKind::ALL.len()],
}

impl Health {
    /// Records a finding.
    pub fn note(&mut self, kind: FindingKind, place: impl Into<Option<Place>>, what: impl Into<String>) {
        self.add(Finding { kind, capture: None, place: place.into(), what: what.into() });
    }

    /// Records a finding about a file that isn't the capture, or is one of several.
    pub fn note_of(&mut self, file: &str, kind: FindingKind, what: impl Into<String>) {
        self.add(Finding { kind, capture: Some(file.into()), place: None, what: what.into() });
    }

    fn add(&mut self, finding: Finding) {
        let count = &mut self.counts[finding.kind as usize];
        *count += 1;
        if *count <= MAX_KEPT_PER_KIND {
            self.findings.push(finding);
        }
    }

    /// Says which of several captures the findings are about, where they don't say so.
    #[must_use]
    pub fn of_capture(mut self, name: &Arc<str>) -> Health {
        for finding in &mut self.findings {
            finding.capture.get_or_insert_with(|| Arc::clone(name));
        }
        self
    }

    /// Adds the findings of another reading.
    pub fn absorb(&mut self, other: Health) {
        let mut unkept = other.counts;
        for finding in other.findings {
            unkept[finding.kind as usize] -= 1;
            self.add(finding);
        }
        for (count, unkept) in self.counts.iter_mut().zip(unkept) {
            *count += unkept;
        }
    }

    /// The findings of all kinds but one.
    #[must_use]
    pub fn without(mut self, kind: FindingKind) -> Health {
        self.findings.retain(|finding| finding.kind != kind);
        self.counts[kind as usize] = 0;
        self
    }

    /// The findings added since the state `earlier`.
    #[must_use]
    pub fn since(mut self, earlier: &Health) -> Health {
        self.findings.drain(..earlier.findings.len().min(self.findings.len()));
        for (count, earlier) in self.counts.iter_mut().zip(earlier.counts) {
            *count = count.saturating_sub(earlier);
        }
        self
    }

    /// The findings kept in full.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many findings of a kind there were, kept or not.
    pub fn count(&self, kind: FindingKind) -> u64 {
        self.counts[kind as usize]
    }

    /// How many findings there were.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether everything in the input was read: something may be odd, but nothing is truncated, damaged, lost or
    /// dropped.
    pub fn is_complete(&self) -> bool {
        self.total() == FindingKind::HARMLESS.map(|kind| self.count(kind)).iter().sum::<u64>()
    }

    /// Whether there are no findings, except those that are normal for such a recording.
    pub fn is_sound(&self) -> bool {
        self.total() == self.count(FindingKind::Expected)
    }
}

impl FromIterator<Health> for Health {
    /// The findings of several readings, in their order.
    fn from_iter<I: IntoIterator<Item = Health>>(readings: I) -> Health {
        readings.into_iter().fold(Health::default(), |mut all, reading| {
            all.absorb(reading);
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_since() {
        let mut health = Health::default();
        health.note(FindingKind::Damaged, Place::at(1), "bad");
        let earlier = health.clone();
        health.note(FindingKind::Odd, Place::at(2), "odd");
        let since = health.since(&earlier);
        assert_eq!((since.total(), since.count(FindingKind::Odd)), (1, 1));
        assert_eq!(since.findings().iter().map(|finding| finding.what.as_str()).collect::<Vec<_>>(), ["odd"]);
    }

    #[test]
    fn findings_of_several_captures_say_which_one_they_are_about() {
        let mut health = Health::default();
        health.note(FindingKind::Damaged, Place::at(1), "bad");
        let mut all = health.clone().of_capture(&"a.blg".into());
        all.absorb(health);
        let all = all.of_capture(&"b.blg".into());
        let shown: Vec<String> = all.findings().iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["damaged: a.blg: byte 0x1: bad", "damaged: b.blg: byte 0x1: bad"]);
    }

    #[test]
    fn keeps_a_bounded_number_and_counts_all() {
        let mut one = Health::default();
        for i in 0..200 {
            one.note(FindingKind::Damaged, Place::at(i), "bad");
        }
        let mut all = Health::default();
        all.note(FindingKind::Damaged, None, "first");
        all.absorb(one);
        assert_eq!(all.count(FindingKind::Damaged), 201);
        assert_eq!(all.findings().len(), 50);
        assert_eq!(all.findings()[1].to_string(), "damaged: byte 0x0: bad");
        let mut odd = Health::default();
        odd.note(FindingKind::Odd, None, "strange");
        odd.note(FindingKind::Expected, None, "as usual");
        odd.note(FindingKind::Time, None, "an unknown zone");
        assert!(odd.is_complete() && !odd.is_sound() && !all.is_complete());
        let odd = odd.without(FindingKind::Time);
        assert_eq!((odd.total(), odd.findings().len(), odd.count(FindingKind::Odd)), (2, 2, 1));
    }
}
