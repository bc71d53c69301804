//! Instances and their identity.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use crate::Timestamp;
use crate::counter_path::{Occurrence, split_instance};

/// The instance table of a run, in the order of the source.
pub type Instances = Arc<[Instance]>;

/// One instance of a performance object.
///
/// The *shown* name (`svchost#3`) is what Windows shows. When an earlier process of the same name exits, it
/// moves to another process, so samples aren't matched by it: see [`Instance::is_same`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instance {
    /// Name without occurrence number; empty for the single unnamed instance of an object without instances.
    pub name: Arc<str>,
    /// Name of the parent instance (the process of a thread, the disk of a volume).
    pub parent: Option<Arc<str>>,
    /// Occurrence number among instances of the same name in the same sample: 0 for the first, 1 for `#1`.
    pub ordinal: u32,
    /// The id that distinguishes instances of the same name: `UniqueID`, or the raw value of `ID Process` /
    /// `ID Thread`.
    pub id: Option<u64>,
    /// When the process, thread or other thing started, if the capture says so.
    pub start: Option<Timestamp>,
    /// What its raw values count from.
    pub basis: Basis,
    /// The last sample before its counters were found to have started afresh, if its name and id don't say so.
    pub renewed_after: Option<Timestamp>,
}

/// What raw values count from. The default is a counter's own zero. A reader that corrects raw values, or adds them up, gives a
/// number that is the same for values that count from the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Basis {
    /// The one in the sample before.
    pub before: u64,
    /// The one in this sample.
    pub now: u64,
}

impl Basis {
    /// One that is the same in the sample before.
    pub const fn steady(now: u64) -> Basis {
        Basis { before: now, now }
    }

    /// Whether values that count from this can be compared with those of an earlier sample.
    fn goes_on_from(self, earlier: Basis) -> bool {
        earlier.now == self.before || earlier.now == self.now
    }
}

impl Instance {
    /// An instance known by name only.
    pub fn named(name: impl Into<Arc<str>>) -> Instance {
        Instance { name: name.into(), ..Instance::default() }
    }

    /// Without what tells it from earlier and later ones of the same name and id.
    pub fn without_history(&self) -> Instance {
        Instance { start: None, basis: Basis::default(), renewed_after: None, ..self.clone() }
    }

    /// The unnamed instance that represents an object without instances.
    pub fn unnamed() -> Instance {
        Instance::default()
    }

    /// Whether this represents an object without instances.
    pub fn is_unnamed(&self) -> bool {
        self.name.is_empty() && self.parent.is_none() && self.id.is_none()
    }

    /// Whether this is a sum over other instances: `_Total`, or a name whose last part is `_Total`, such as
    /// `0,_Total`.
    pub fn is_total(&self) -> bool {
        let last = self.name.rsplit_once(',').map_or(&*self.name, |(_, last)| last);
        last.eq_ignore_ascii_case("_Total")
    }

    /// Whether this is the sum over all other instances: `_Total`, but not the `0,_Total` of a socket.
    pub fn is_grand_total(&self) -> bool {
        self.name.eq_ignore_ascii_case("_Total")
    }

    /// Whether `self`, in one sample, and `earlier`, in the sample before (taken at `time_earlier`), are the
    /// same thing, so that a value may be computed between them.
    ///
    /// Name and parent must agree. With an id, the ids must agree, the occurrence number may differ, and the
    /// start time must not be after the earlier sample (otherwise the id was reused). Without an id the
    /// occurrence number must agree. Raw values must count from the same, and must not have started afresh since.
    pub fn is_same(&self, earlier: &Instance, time_earlier: Timestamp) -> bool {
        if self.key() != earlier.key() || !self.basis.goes_on_from(earlier.basis) {
            return false;
        }
        if self.renewed_after != earlier.renewed_after
            && self.renewed_after.is_some_and(|sample| sample >= time_earlier)
        {
            return false;
        }
        match self.start {
            Some(start) if self.start != earlier.start => start <= time_earlier,
            _ => true,
        }
    }

    /// Whether `self` goes on with what `earlier` began: it is the same, or the same process or thread under another name,
    /// because it executed another program.
    pub fn continues(&self, earlier: &Instance, time_earlier: Timestamp) -> bool {
        self.is_same(earlier, time_earlier) || self.task().is_some_and(|task| earlier.task() == Some(task))
    }

    /// Id and start of a process or thread: no two have both in common.
    fn task(&self) -> Option<(u64, Timestamp)> {
        self.id.filter(|id| *id != 0).zip(self.start)
    }

    /// What identical instances of consecutive samples share: for look-up only; [`Instance::is_same`]
    /// decides.
    pub fn key(&self) -> (&str, Option<&str>, Option<u64>, u32) {
        let ordinal = if self.id.is_some() { 0 } else { self.ordinal };
        (&self.name, self.parent.as_deref(), self.id, ordinal)
    }

    /// Whether two captures may mean the same thing by these instances of one time, whose shown names agree: so do ids and
    /// start times if both have them. Parts of a recording may know to different seconds when the machine was booted, since when starts are counted.
    fn may_be(&self, other: &Instance) -> bool {
        const MOST_APART: u64 = 2 * Timestamp::TICKS_PER_SECOND as u64;
        let is_near = |(one, other): (Timestamp, Timestamp)| one.0.abs_diff(other.0) <= MOST_APART;
        self.id.zip(other.id).is_none_or(|(one, other)| one == other)
            && self.start.zip(other.start).is_none_or(is_near)
    }

    /// The name Windows shows: `parent/name#n`.
    pub fn shown(&self) -> String {
        self.to_string()
    }

    /// The instance with this shown name. A slash or number that is part of a name can't be distinguished
    /// from a parent or an occurrence number; either way, [`Instance::shown`] returns the same text.
    pub fn from_shown(shown: &str) -> Instance {
        let (parent, name, occurrence) = split_instance(shown);
        let ordinal = match occurrence {
            Some(Occurrence::Number(number)) => number,
            _ => 0,
        };
        let instance = Instance { parent: parent.map(Into::into), ordinal, ..Instance::named(name) };
        // `a#0` and `a#07` aren't how a number is shown.
        if instance.shown() == shown { instance } else { Instance::named(shown) }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = &self.parent {
            write!(f, "{parent}/")?;
        }
        f.write_str(&self.name)?;
        if self.ordinal > 0 {
            write!(f, "#{}", self.ordinal)?;
        }
        Ok(())
    }
}

/// Gives instances of the same name their occurrence numbers, in order of appearance. Names are compared
/// without case, as on Windows. A number is left out if another instance is called so: next to `a#1`, the second
/// `a` is `a#2`.
pub fn number_namesakes(instances: &mut [Instance]) {
    let key = |instance: &Instance| {
        (instance.name.to_lowercase(), instance.parent.as_deref().map(str::to_lowercase))
    };
    let taken: HashSet<_> =
        instances.iter().filter(|instance| instance.name.contains('#')).map(key).collect();
    let mut seen: HashMap<(String, Option<String>), u32> = HashMap::with_capacity(instances.len());
    for instance in instances {
        let key = key(instance);
        let is_taken = |number: u32| {
            number > 0 && !taken.is_empty() && taken.contains(&(format!("{}#{number}", key.0), key.1.clone()))
        };
        let mut number = seen.get(&key).copied().unwrap_or_default();
        while is_taken(number) {
            number += 1;
        }
        instance.ordinal = number;
        seen.insert(key, number + 1);
    }
}

/// Per instance, the place of the one that another capture has at the same time and that may be the same: exactly the same if
/// there is one, otherwise one that is shown alike, and whose id and start time agree if both have them. What is shown doesn't
/// say what is a parent, and which number is part of a name.
pub fn places_among(instances: &[Instance], others: &[Instance]) -> Vec<Option<usize>> {
    let exact: HashMap<&Instance, usize> = others.iter().enumerate().map(|(at, one)| (one, at)).collect();
    let mut places: Vec<Option<usize>> =
        instances.iter().map(|instance| exact.get(instance).copied()).collect();
    if places.iter().all(Option::is_some) {
        return places;
    }
    let mut is_free = vec![true; others.len()];
    places.iter().flatten().for_each(|&at| is_free[at] = false);
    let mut shown: HashMap<String, Vec<usize>> = HashMap::with_capacity(others.len());
    for (at, other) in others.iter().enumerate().filter(|(at, _)| is_free[*at]) {
        shown.entry(other.shown()).or_default().push(at);
    }
    for (instance, place) in instances.iter().zip(&mut places).filter(|(_, place)| place.is_none()) {
        let Some(alike) = shown.get_mut(&instance.shown()) else { continue };
        let has_id = |at: &usize| instance.id.is_some() && others[*at].id == instance.id;
        let may_be = |at: &usize| instance.may_be(&others[*at]);
        let of_id = alike.iter().position(|at| has_id(at) && may_be(at));
        let found = of_id.or_else(|| alike.iter().position(may_be));
        // Of several that are shown alike, each is one.
        *place = found.map(|found| alike.remove(found));
    }
    places
}

/// Per instance, the place of the same one in the sample before, which was taken at `time_earlier`.
///
/// Most instances keep their position, so that is tried first. The others are looked up by identity. If two
/// earlier instances have the same identity (in a source that doesn't number instances of the same name),
/// neither is continued.
pub fn match_instances(
    earlier: &[Instance],
    time_earlier: Timestamp,
    instances: &[Instance],
) -> Vec<Option<usize>> {
    let mut free = vec![true; earlier.len()];
    let mut source: Vec<Option<usize>> = Vec::with_capacity(instances.len());
    for (index, instance) in instances.iter().enumerate() {
        let same = earlier.get(index).is_some_and(|earlier| {
            instance.ordinal == earlier.ordinal && instance.is_same(earlier, time_earlier)
        });
        if same {
            free[index] = false;
        }
        source.push(same.then_some(index));
    }
    if source.iter().all(Option::is_some) {
        return source;
    }
    let mut by_key = HashMap::with_capacity(earlier.len());
    for (index, earlier) in earlier.iter().enumerate().filter(|(index, _)| free[*index]) {
        by_key.entry(earlier.key()).and_modify(|found| *found = None).or_insert(Some(index));
    }
    for (instance, source) in instances.iter().zip(&mut source).filter(|(_, source)| source.is_none()) {
        // Remove it, so that no two instances continue the same one.
        let found = by_key.remove(&instance.key()).flatten();
        *source = found.filter(|at| instance.is_same(&earlier[*at], time_earlier));
    }
    match_renamed(earlier, instances, &mut source);
    source
}

/// Finds processes and threads that have executed another program since.
fn match_renamed(earlier: &[Instance], instances: &[Instance], source: &mut [Option<usize>]) {
    if source.iter().all(Option::is_some) {
        return;
    }
    let mut by_task: HashMap<(u64, Timestamp), Option<usize>> = HashMap::with_capacity(earlier.len());
    for (index, earlier) in earlier.iter().enumerate() {
        if let Some(task) = earlier.task() {
            by_task.entry(task).and_modify(|found| *found = None).or_insert(Some(index));
        }
    }
    let taken: HashSet<usize> = source.iter().flatten().copied().collect();
    for (instance, source) in instances.iter().zip(source).filter(|(_, source)| source.is_none()) {
        let found = instance.task().and_then(|task| by_task.remove(&task)).flatten();
        *source = found.filter(|at| !taken.contains(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(name: &str, id: u64, start: i64) -> Instance {
        Instance { id: Some(id), start: Some(Timestamp(start)), ..Instance::named(name) }
    }

    #[test]
    fn only_values_that_count_from_the_same_are_compared() {
        let all = |before, now| Instance { basis: Basis { before, now }, ..Instance::named("all") };
        let goes_on = |later: &Instance, earlier: &Instance| later.is_same(earlier, Timestamp(0));
        // Corrected from the second sample on.
        let one_file = [all(0, 0), all(0, 7), all(7, 7), all(7, 7)];
        assert!(one_file.windows(2).all(|pair| goes_on(&pair[1], &pair[0])));
        let next_file = all(0, 0);
        assert_eq!([0, 1, 3].map(|last: usize| goes_on(&next_file, &one_file[last])), [true, false, false]);
    }

    #[test]
    fn what_was_registered_again_before_the_earlier_sample_goes_on() {
        let eth0 = |renewed_after: Option<i64>| Instance {
            renewed_after: renewed_after.map(Timestamp),
            ..Instance::named("eth0")
        };
        let goes_on = |earlier: (i64, Option<i64>), later: Option<i64>| {
            eth0(later).is_same(&eth0(earlier.1), Timestamp(earlier.0))
        };
        // Registered again between 20 and 30.
        assert!(!goes_on((20, None), Some(20)));
        assert!(!goes_on((10, None), Some(20)), "of every second sample, too");
        assert!(goes_on((30, Some(20)), Some(20)));
        // Two files of every second sample: the other one saw it between 15 and 25.
        assert!(goes_on((20, None), Some(15)), "which of its counters fell decides");
        assert!(goes_on((30, Some(20)), Some(15)));
        assert!(goes_on((30, Some(20)), None), "a file that begins afterwards");
    }

    #[test]
    fn totals_are_known_by_their_name() {
        for total in ["_Total", "_total", "0,_Total", "a,b,_Total"] {
            assert!(Instance::named(total).is_total(), "{total}");
        }
        for other in ["", "_Total_", "my_Total", "_Total,0", "Total", "_Total#1"] {
            assert!(!Instance::named(other).is_total(), "{other}");
        }
        assert!(Instance::from_shown("_Total/_Total#1").is_total());
        assert_eq!(
            ["_total", "0,_Total", "_Total#1"].map(|name| Instance::named(name).is_grand_total()),
            [true, false, false]
        );
    }

    #[test]
    fn numbers_that_are_names_are_left_out() {
        let mut all = ["zed", "zed#1", "Zed", "zed#1", "zed"].map(Instance::named);
        number_namesakes(&mut all);
        assert_eq!(all.map(|instance| instance.to_string()), ["zed", "zed#1", "Zed#2", "zed#1#1", "zed#3"]);
    }

    #[test]
    fn namesakes_are_numbered_in_order() {
        let mut all: Vec<Instance> = ["a", "b", "A", "a"].map(Instance::named).into();
        number_namesakes(&mut all);
        let shown: Vec<String> = all.iter().map(Instance::shown).collect();
        assert_eq!(shown, ["a", "b", "A#1", "a#2"]);
    }

    #[test]
    fn a_process_that_executes_another_program_goes_on() {
        let earlier = [process("init", 1, 5), process("bash", 20, 100), process("bash", 21, 100)];
        let later = [process("init", 1, 5), process("python3", 21, 100), process("python3", 20, 170)];
        // The id 20 was used again, by another process.
        assert_eq!(match_instances(&earlier, Timestamp(150), &later), [Some(0), Some(2), None]);
        assert!(later[1].continues(&earlier[2], Timestamp(150)));
        assert!(!later[2].continues(&earlier[1], Timestamp(150)));
        // Without a start, nobody knows.
        let unknown = |name: &str| Instance { start: None, ..process(name, 20, 0) };
        assert_eq!(match_instances(&[unknown("bash")], Timestamp(150), &[unknown("python3")]), [None]);
    }

    #[test]
    fn instances_of_two_captures_are_the_same_if_nothing_speaks_against_it() {
        let shown = |names: &[&str]| names.iter().map(|name| Instance::from_shown(name)).collect::<Vec<_>>();
        let number = |ordinal, name: &str, id| Instance { ordinal, ..process(name, id, 100) };
        // A table of shown names beside the capture.
        let own = [
            number(0, "svchost", 7),
            number(1, "svchost", 8),
            number(0, "kworker/0:1", 9),
            number(0, "a#1", 3),
        ];
        let table = shown(&["svchost#1", "a#1", "kworker/0:1", "svchost"]);
        assert_eq!(places_among(&own, &table), [Some(3), Some(0), Some(2), Some(1)]);
        assert_eq!(places_among(&table, &own), [Some(1), Some(3), Some(2), Some(0)]);
        // Ids decide where both have them, and of two that are shown alike, each is one.
        let ids = |ids: &[u64]| {
            ids.iter().map(|id| Instance { start: None, ..process("sh", *id, 0) }).collect::<Vec<_>>()
        };
        assert_eq!(
            places_among(&[process("sh", 5, 9), process("sh", 6, 9)], &ids(&[6, 5])),
            [Some(1), Some(0)]
        );
        assert_eq!(places_among(&[process("sh", 5, 9)], &ids(&[6])), [None]);
        assert_eq!(places_among(&ids(&[5, 6]), &shown(&["sh", "sh"])), [Some(0), Some(1)]);
        assert_eq!(places_among(&ids(&[5, 6]), &shown(&["sh"])), [Some(0), None]);
    }

    #[test]
    fn what_is_shown_is_given_back() {
        let named = |parent: Option<&str>, name: &str, ordinal| Instance {
            parent: parent.map(Into::into),
            ordinal,
            ..Instance::named(name)
        };
        assert_eq!(Instance::from_shown("java/12#3"), named(Some("java"), "12", 3));
        assert_eq!(Instance::from_shown("C# code"), Instance::named("C# code"));
        assert_eq!(Instance::from_shown("a#07"), Instance::named("a#07"));
        for shown in ["", "a", "a#0", "a#1", "a#*", "#2", "/", "/a", "a/", "a/b/c#9", "p/a#0", "x#4294967296"]
        {
            assert_eq!(Instance::from_shown(shown).shown(), shown);
        }
    }

    #[test]
    fn an_id_outlives_its_occurrence_number() {
        let before = Instance { ordinal: 2, ..process("svchost", 7, 100) };
        let after = Instance { ordinal: 1, ..process("svchost", 7, 100) };
        assert!(after.is_same(&before, Timestamp(500)));
        assert!(!process("svchost", 8, 100).is_same(&before, Timestamp(500)));
    }

    #[test]
    fn a_reused_id_is_another_thing() {
        let before = process("cc1", 7, 100);
        assert!(!process("cc1", 7, 501).is_same(&before, Timestamp(500)));
        // Clocks may report a slightly different start; before the earlier sample that doesn't matter.
        assert!(process("cc1", 7, 101).is_same(&before, Timestamp(500)));
    }

    #[test]
    fn without_an_id_the_occurrence_number_counts() {
        let one = Instance { ordinal: 1, ..Instance::named("x") };
        assert!(!one.is_same(&Instance::named("x"), Timestamp(0)));
        assert_eq!(one.shown(), "x#1");
    }
}
