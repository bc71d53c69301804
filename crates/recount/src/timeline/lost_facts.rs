//! What a damaged capture has lost of what it says about itself, from another one that has the same samples: which machine it is of, when
//! that was booted, its zone, and the names of its counters.

use std::sync::Arc;

use jiff::tz::TimeZone;
use recount_capture::NUM_PROCESSORS;
use recount_model::{
    CaptureInfo, Change, Changed, CountsSince, Decoded, FindingKind, ObjectDef, Opened, Selection, Source,
    Zone,
};

use crate::Capture;
use crate::open::zoned::set_zone;
use crate::repeats::has_same_values;
use crate::timeline::lost_names::named_as_in;

/// Gives captures that lost their facts those of another that has the same samples.
pub(crate) fn give_lost_facts(captures: &mut [Capture]) {
    for at in 0..captures.len() {
        if !has_lost_facts(&captures[at]) {
            continue;
        }
        let with_facts = (0..captures.len()).find_map(|other| {
            let found = with_facts_of(&captures[at], &captures[other])?;
            Some((captures[other].name(), found))
        });
        if let Some((other, mut capture)) = with_facts {
            let host = capture.source.info().hosts.concat();
            let what = format!(
                "its machine isn't known: it is taken to be {host}, as in {other}, which has the same samples"
            );
            capture.notes.note(FindingKind::Odd, None, what);
            captures[at] = capture;
        }
    }
}

/// Whether it may be damage that a capture with raw values names no machine.
fn has_lost_facts(capture: &Capture) -> bool {
    let source = &capture.source;
    let info = source.info();
    info.hosts.is_empty() && !info.is_cooked && !source.times().is_empty() && !source.health().is_complete()
}

/// The capture with the facts of another, if that one has the same samples.
fn with_facts_of(capture: &Capture, other: &Capture) -> Option<Capture> {
    let (own, known) = (capture.source.info(), other.source.info());
    let [host] = known.hosts.as_slice() else { return None };
    if known.is_zone_unknown != own.is_zone_unknown {
        return None;
    }
    let facts = Facts {
        host: Arc::clone(host),
        zone: known.zone.as_ref().filter(|_| own.zone.is_none()).and_then(rule_of),
        num_processors: fact(known, NUM_PROCESSORS).and_then(|num| num.parse().ok()),
        known: known.clone(),
    };
    let named = named_as_in(&capture.source, &*other.source);
    let source = Changed::of(named.unwrap_or_else(|| Arc::clone(&capture.source)), facts);
    let found = Capture { source, ..capture.clone() };
    let is_copy = capture.log_id.is_some() && capture.log_id == other.log_id;
    (is_copy || has_same_values(&found, other)).then_some(found)
}

fn rule_of(zone: &Zone) -> Option<TimeZone> {
    TimeZone::posix(zone.posix.as_ref()?).ok()
}

fn fact<'i>(info: &'i CaptureInfo, name: &str) -> Option<&'i str> {
    info.details.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The change to what another capture knows.
struct Facts {
    host: Arc<str>,
    zone: Option<TimeZone>,
    num_processors: Option<u32>,
    /// Everything that the other capture says.
    known: CaptureInfo,
}

impl Change for Facts {
    /// A selection names the machine.
    const KNOWS_SELECTION: bool = false;

    fn opened(&self, source: &dyn Source) -> Opened {
        let Opened { mut info, health, mut times } = source.opened().clone();
        if let Some(zone) = &self.zone {
            let mut of_zone = times.to_vec();
            set_zone(&mut of_zone, zone, 0);
            times = of_zone.into();
        }
        info.hosts.clone_from(&self.known.hosts);
        info.os = info.os.or_else(|| self.known.os.clone());
        info.zone = info.zone.or_else(|| self.known.zone.clone());
        info.boot_time = info.boot_time.or(self.known.boot_time);
        info.recording = info.recording.or(self.known.recording);
        if info.details.is_empty() {
            info.details.clone_from(&self.known.details);
        }
        Opened { info, health, times }
    }

    fn counts_since(&self, since: CountsSince) -> CountsSince {
        CountsSince {
            boot_time: since.boot_time.or(self.known.boot_time),
            program: since.program.or(self.known.recording),
        }
    }

    fn object(&self, (_, object): (Arc<str>, Arc<ObjectDef>)) -> (Arc<str>, Arc<ObjectDef>) {
        (Arc::clone(&self.host), object)
    }

    fn decoded(&self, mut decoded: Decoded, _: &Selection) -> Decoded {
        for run in &mut decoded.runs {
            run.host = Arc::clone(&self.host);
            if let Some(zone) = &self.zone {
                set_zone(&mut run.clocks.time, zone, 0);
            }
        }
        for cooked in &mut decoded.cooked {
            cooked.host = Arc::clone(&self.host);
            if let Some(zone) = &self.zone {
                set_zone(&mut cooked.times, zone, 0);
            }
        }
        match self.num_processors {
            Some(num) => {
                decoded.redefined(|object| object.num_processors = object.num_processors.or(Some(num)))
            }
            None => decoded,
        }
    }
}
