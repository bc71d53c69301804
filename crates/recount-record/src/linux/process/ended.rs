//! Processes that ended since the previous sample, by their exit records: each is an instance with its last values.
//!
//! One that the previous sample has goes on from there; of one that no sample has, everything was counted since. More of these than fit
//! are added up by name, user and the nearest ancestor that still runs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use recount_model::{EndedProcess, Event, EventKind, ProcessNote, Timestamp};

use super::growing_total::Before;
use super::inheritance::{Bequest, IoValues};
use super::io::Io;
use super::name::instance_name;
use super::row::Row;
use super::spec::{self, NUM_OPEN_COUNTERS};
use super::start::StartClock;
use super::users::Users;
use super::{Found, Known};
use crate::Describe;
use crate::linux::collector::Tick;
use crate::linux::exits::{Ended, ExitIo, ExitRecords, TakenExits};

/// Processes that no sample has, and which still have an instance each.
const MAX_SINGLE: usize = 256;
/// Instances for the others.
const MAX_GROUPS: usize = 256;
/// The name of what is left.
const REST: &str = "(others)";
/// Ancestors looked at.
const MAX_DEPTH: usize = 64;

/// By how much a record's start may be earlier than that in `/proc`, which has ticks of 10 ms, and how much later, since the record is dated when
/// it is received.
const EARLIER_100NS: i64 = 500_000;
const LATER_100NS: i64 = 10_000_000;

/// A process that ended, with the values of its instance.
pub(super) struct Departed {
    pub(super) name: Arc<str>,
    pub(super) row: Row,
    pub(super) before: Before,
    /// All that the kernel counted as its I/O: what it inherited, too.
    io: IoValues,
}

/// What ended, from sample to sample.
pub(super) struct Departures {
    exits: Box<dyn Exits>,
    sample_boot_100ns: i64,
    /// Bequests of this sample without instances: of processes whose exit records are lost.
    lost: Vec<Bequest>,
    /// Bequests that nobody had yet when the previous sample was taken: it may have read the heir before the child ended.
    kept: Vec<Bequest>,
}

/// Where exit records come from.
pub(super) trait Exits {
    /// What ended since the previous sample.
    fn take(&self, since_boot_100ns: i64, is_alive: &dyn Fn(u32) -> bool) -> TakenExits;
}

impl Exits for ExitRecords {
    fn take(&self, since_boot_100ns: i64, is_alive: &dyn Fn(u32) -> bool) -> TakenExits {
        ExitRecords::take(self, since_boot_100ns, is_alive)
    }
}

impl Departures {
    pub(super) fn new(exits: impl Exits + 'static) -> Departures {
        Departures { exits: Box::new(exits), sample_boot_100ns: 0, lost: Vec::new(), kept: Vec::new() }
    }

    /// The processes that ended since the previous sample, with their last values. `found` and `gone` are by ascending id.
    pub(super) fn take(
        &mut self,
        tick: &mut Tick,
        (clock, users): (&StartClock, &Users),
        found: &mut [Found],
        gone: &mut [Known],
    ) -> Vec<Departed> {
        let before_boot_100ns = std::mem::replace(&mut self.sample_boot_100ns, tick.since_boot_100ns);
        let place = |found: &[Found], pid: u32| {
            found.binary_search_by_key(&pid, |found| found.process.pid.cast_unsigned()).ok()
        };
        let taken = self.exits.take(tick.since_boot_100ns, &|pid| place(found, pid).is_some());
        self.lost.clear();
        if clock.sample_before_100ns() == 0 {
            return Vec::new();
        }
        note_losses(&taken, tick);
        let mut unseen = Vec::new();
        for ended in taken.ended {
            let living = place(found, ended.pid).map(|at| &mut found[at].process);
            let by_pid = gone.binary_search_by_key(&ended.pid, |known| known.pid.cast_unsigned());
            let dead = by_pid.ok().map(|at| &mut gone[at]);
            let same = [living, dead].into_iter().flatten().find(|known| is_same(known, &ended, clock));
            match same {
                Some(known) if ended.count == 1 => known.exit = Some(ended),
                _ => unseen.push(ended),
            }
        }
        let mut departed = Vec::new();
        for known in gone.iter_mut() {
            let Some(last) = known.row else { continue };
            match known.exit.take() {
                Some(ended) => departed.push(seen(known, &last, &ended, tick, (clock, users))),
                None => {
                    self.lost.push(bequest(&last, &sum(&last.io().unwrap_or_default(), &known.inherited)));
                }
            }
        }
        let mut used: HashSet<u32> = found.iter().map(|found| found.process.pid.cast_unsigned()).collect();
        used.extend(departed.iter().map(|departed| departed.row.values[spec::ID_PROCESS] as u32));
        let is_alive = |pid: u32| place(found, pid).is_some();
        for ended in within_bounds(unseen, &used, &is_alive) {
            departed.push(not_seen(&ended, before_boot_100ns, tick, (clock, users)));
        }
        departed
    }

    /// What the processes that ended leave to the process that waited for them, by ascending id.
    pub(super) fn bequests(&mut self, departed: &[Departed]) -> Vec<Bequest> {
        let mut bequests = std::mem::take(&mut self.kept);
        bequests.extend(departed.iter().map(|departed| {
            let last = match &departed.before {
                Before::Seen(last) => last,
                Before::Newborn | Before::Unseen => &departed.row,
            };
            Bequest {
                last_parent: last.values[spec::CREATING_PROCESS],
                ..bequest(&departed.row, &departed.io)
            }
        }));
        bequests.append(&mut self.lost);
        // Stable, so that kept ones come first.
        bequests.sort_by_key(|bequest| bequest.pid);
        bequests
    }

    /// Keeps the bequests that nobody had yet, for the next sample only.
    pub(super) fn keep(&mut self, bequests: Vec<Bequest>, had: &[bool]) {
        let left = bequests.into_iter().zip(had).filter(|(bequest, had)| !**had && !bequest.is_kept);
        self.kept = left.map(|(bequest, _)| Bequest { is_kept: true, ..bequest }).collect();
    }
}

/// Reports that records are lost.
fn note_losses(taken: &TakenExits, tick: &mut Tick) {
    let mut lost = |count: u64, text: &str| {
        if count > 0 {
            let time = Timestamp(tick.time_100ns);
            tick.events.push(Event { time, kind: EventKind::Lost, extent: 0, count, text: text.to_owned() });
        }
    };
    lost(taken.num_overruns, "exit records of processes: the kernel's buffer was full");
    lost(taken.num_dropped, "exit records of processes: too many of different names and parents");
}

/// Whether a record is of a known process, and not of another one with its id.
fn is_same(known: &Known, ended: &Ended, clock: &StartClock) -> bool {
    known.start.is_some_and(|start| {
        let later = ended.start_boot_100ns.saturating_sub(clock.since_boot_100ns(start));
        (-EARLIER_100NS..=LATER_100NS).contains(&later)
    })
}

fn bequest(row: &Row, io: &IoValues) -> Bequest {
    let (pid, parent) = (row.values[spec::ID_PROCESS], row.values[spec::CREATING_PROCESS]);
    Bequest { pid, parent, last_parent: parent, io: *io, is_kept: false }
}

fn sum(one: &IoValues, other: &IoValues) -> IoValues {
    std::array::from_fn(|at| one[at].saturating_add(other[at]))
}

/// The end of a process that the previous sample has. Its values never fall: threads that ended before there were records are missing in these.
fn seen(
    known: &Known,
    last: &Row,
    ended: &Ended,
    tick: &mut Tick,
    (clock, users): (&StartClock, &Users),
) -> Departed {
    let start_100ns = known.start.map_or(0, |start| start.time_100ns);
    let mut open = open_values(ended, start_100ns);
    last_times(&mut open, last, ended.run_100ns);
    for faults in [spec::PAGE_FAULTS, spec::MAJOR_FAULTS] {
        open[faults] = open[faults].max(last.values[faults]);
    }
    open[spec::PRIORITY_BASE] = last.values[spec::PRIORITY_BASE];
    let mut row = Row::new(open);
    if let Some(before) = last.io() {
        // Calls aren't in the record, and what was seen of them is known.
        let now = io_values(&ended.io);
        let mut io: IoValues = std::array::from_fn(|at| before[at].max(now[at]));
        io[Io::DATA_BYTES] = io[Io::READ_BYTES].saturating_add(io[Io::WRITE_BYTES]);
        row.set_io(io);
    }
    let name = if ended.comm.is_empty() { Arc::clone(&known.name) } else { named(&ended.comm, &known.name) };
    let mut ended = note(&name, &row, ended, start_100ns, (tick, clock));
    ended.user = ended.user_id.and_then(|user_id| users.name(user_id));
    ended.cgroup = known.described.as_ref().and_then(|described| described.cgroup.clone());
    tick.notes.push(ProcessNote::Ended(ended));
    let io = sum(&row.io().unwrap_or_default(), &known.inherited);
    Departed { name, row, before: Before::Seen(*last), io }
}

/// Puts the processor times in place of a process that a sample has. They never fall, and go on from what `/proc` showed, which is what the
/// scheduler measured: the ticks that hit the process can be seconds more or less by now.
fn last_times(open: &mut [u64; NUM_OPEN_COUNTERS], last: &Row, run_100ns: u64) {
    let [total, user, privileged] = [spec::PROCESSOR_TIME, spec::USER_TIME, spec::PRIVILEGED_TIME];
    if run_100ns > 0 {
        open[user] = part_of(run_100ns, open[user], open[total]);
        open[total] = run_100ns;
    }
    open[total] = open[total].max(last.values[total]);
    let (least, most) = (last.values[user], open[total] - last.values[privileged].min(open[total]));
    open[user] = open[user].clamp(least.min(most), most);
    open[privileged] = open[total] - open[user];
}

/// The share that a part has of a whole, of another whole.
fn part_of(other: u64, part: u64, whole: u64) -> u64 {
    (u128::from(other) * u128::from(part) / u128::from(whole.max(1))) as u64
}

/// The end of a process that no sample has, or of several.
fn not_seen(
    ended: &Ended,
    before_boot_100ns: i64,
    tick: &mut Tick,
    (clock, users): (&StartClock, &Users),
) -> Departed {
    // One that a sample should have had, but couldn't be read: what it has counted since is unknown.
    let is_older = ended.start_boot_100ns.saturating_add(EARLIER_100NS) < before_boot_100ns;
    let start_100ns = clock.of_boot(ended.start_boot_100ns).min(tick.time_100ns);
    let start_100ns = if is_older { start_100ns } else { start_100ns.max(clock.sample_before_100ns() + 1) };
    let mut row = Row::new(open_values(ended, start_100ns));
    row.set_io(io_values(&ended.io));
    let name = named(&ended.comm, "");
    let mut note = note(&name, &row, ended, start_100ns, (tick, clock));
    note.user = note.user_id.and_then(|user_id| users.name(user_id));
    tick.notes.push(ProcessNote::Ended(note));
    let io = io_values(&ended.io);
    Departed { name, row, before: if is_older { Before::Unseen } else { Before::Newborn }, io }
}

/// The name of an instance; the same allocation if it is as before.
fn named(comm: &[u8], before: &str) -> Arc<str> {
    let name = instance_name(comm);
    if *name == *before { before.into() } else { name.into_owned().into() }
}

/// The values that every instance has.
fn open_values(ended: &Ended, start_100ns: i64) -> [u64; NUM_OPEN_COUNTERS] {
    let mut values = [0; NUM_OPEN_COUNTERS];
    values[spec::PROCESSOR_TIME] = ended.user_100ns.saturating_add(ended.system_100ns);
    values[spec::USER_TIME] = ended.user_100ns;
    values[spec::PRIVILEGED_TIME] = ended.system_100ns;
    values[spec::PAGE_FAULTS] = ended.num_minor_faults.saturating_add(ended.num_major_faults);
    values[spec::MAJOR_FAULTS] = ended.num_major_faults;
    values[spec::PRIORITY_BASE] = ended.priority.unwrap_or(0);
    values[spec::ELAPSED_TIME] = start_100ns.cast_unsigned();
    values[spec::ID_PROCESS] = u64::from(ended.pid);
    values[spec::CREATING_PROCESS] = u64::from(ended.parent);
    values[spec::ENDED] = ended.count;
    values
}

/// The I/O of an exit record, without calls, which it lacks.
pub(super) fn io_values(io: &ExitIo) -> IoValues {
    Io {
        rchar: io.rchar,
        wchar: io.wchar,
        read_bytes: io.read_bytes,
        write_bytes: io.write_bytes,
        cancelled_write_bytes: io.cancelled_write_bytes,
        ..Io::default()
    }
    .values()
}

/// How it ended.
fn note(
    name: &Arc<str>,
    row: &Row,
    ended: &Ended,
    start_100ns: i64,
    (tick, clock): (&Tick, &StartClock),
) -> EndedProcess {
    let end = clock.of_boot(ended.end_boot_100ns).clamp(start_100ns, tick.time_100ns.max(start_100ns));
    let io = row.io().unwrap_or_default();
    EndedProcess {
        sample: Timestamp(tick.time_100ns),
        pid: ended.pid,
        start: Timestamp(start_100ns),
        end: Timestamp(end),
        parent: ended.parent,
        name: Arc::clone(name),
        user_id: (tick.describe != Describe::None).then_some(ended.user_id),
        user: None,
        cgroup: None,
        user_time: row.values[spec::USER_TIME],
        privileged_time: row.values[spec::PRIVILEGED_TIME],
        len_read: io[Io::READ_BYTES],
        len_written: io[Io::WRITE_BYTES],
        len_storage_read: io[Io::STORAGE_READ],
        len_storage_written: io[Io::STORAGE_WRITTEN],
        peak_memory: Some(ended.peak_kib.saturating_mul(1024)).filter(|len| *len > 0),
        exit_status: Some(ended.exit_status),
        count: ended.count,
    }
}

/// The processes as they get instances: the largest alone, the others together, so that there are not too many and no two have one id.
fn within_bounds(mut unseen: Vec<Ended>, used: &HashSet<u32>, is_alive: &dyn Fn(u32) -> bool) -> Vec<Ended> {
    let parents: HashMap<u32, u32> = unseen.iter().map(|ended| (ended.pid, ended.parent)).collect();
    let time = |ended: &Ended| ended.user_100ns.saturating_add(ended.system_100ns);
    if unseen.len() > MAX_SINGLE {
        unseen.sort_by_key(|ended| std::cmp::Reverse(time(ended)));
    }
    let mut used = used.clone();
    let (mut kept, mut groups) = (Vec::new(), BTreeMap::<(Vec<u8>, u32, u32), Ended>::new());
    let mut rest: Option<Ended> = None;
    for ended in unseen {
        if kept.len() < MAX_SINGLE && ended.count == 1 && used.insert(ended.pid) {
            kept.push(ended);
            continue;
        }
        let above = |pid: &u32| parents.get(pid).copied();
        let ancestors = std::iter::successors(Some(ended.parent), above).take(MAX_DEPTH);
        let ancestor = ancestors.into_iter().find(|pid| is_alive(*pid)).unwrap_or(ended.parent);
        let ended = Ended { parent: ancestor, ..ended };
        let is_new_id = !used.contains(&ended.pid);
        let num_groups = groups.len();
        match groups.entry((ended.comm.clone(), ancestor, ended.user_id)) {
            std::collections::btree_map::Entry::Occupied(mut group) => group.get_mut().join(&ended),
            std::collections::btree_map::Entry::Vacant(free) if is_new_id && num_groups < MAX_GROUPS => {
                used.insert(ended.pid);
                free.insert(ended);
            }
            std::collections::btree_map::Entry::Vacant(_) => match &mut rest {
                Some(rest) => rest.join(&ended),
                None => rest = Some(Ended { comm: REST.into(), pid: 0, parent: 0, ..ended }),
            },
        }
    }
    kept.extend(groups.into_values());
    kept.extend(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(pid: u32, parent: u32, name: &str, time: u64) -> Ended {
        let comm = name.as_bytes().to_vec();
        Ended { pid, parent, comm, user_100ns: time, count: 1, ..Ended::default() }
    }

    /// Ten minutes of ticks that hit it too often: its last interval has what the scheduler measured.
    #[test]
    fn the_last_interval_has_no_ticks_of_a_whole_life() {
        let times = |user, privileged| {
            let mut open = [0; NUM_OPEN_COUNTERS];
            open[spec::PROCESSOR_TIME] = user + privileged;
            (open[spec::USER_TIME], open[spec::PRIVILEGED_TIME]) = (user, privileged);
            open
        };
        let at_end = |run_100ns, user, privileged| {
            let mut open = times(user, privileged);
            last_times(&mut open, &Row::new(times(900, 100)), run_100ns);
            [spec::PROCESSOR_TIME, spec::USER_TIME, spec::PRIVILEGED_TIME].map(|at| open[at])
        };
        assert_eq!(at_end(1_040, 1_800, 200), [1_040, 936, 104]);
        assert_eq!(at_end(990, 1_800, 200), [1_000, 900, 100], "it never falls");
        assert_eq!(at_end(0, 1_000, 200), [1_200, 1_000, 200], "of a kernel that doesn't measure");
    }

    #[test]
    fn a_storm_is_bounded_and_loses_nothing() {
        let mut storm: Vec<Ended> = Vec::new();
        for number in 0..3000 {
            // A shell for each compiler: only make stays.
            storm.push(ended(10_000 + 2 * number, 9, "sh", 1));
            storm.push(ended(10_001 + 2 * number, 10_000 + 2 * number, "cc1plus", 10));
        }
        let kept = within_bounds(storm, &HashSet::from([9]), &|pid| pid == 9);
        assert_eq!(kept.len(), MAX_SINGLE + 2);
        assert_eq!(kept.iter().map(|ended| ended.count).sum::<u64>(), 6000);
        assert_eq!(kept.iter().map(|ended| ended.user_100ns).sum::<u64>(), 33_000);
        let groups: Vec<_> = kept[MAX_SINGLE..].iter().map(|ended| (&*ended.comm, ended.parent)).collect();
        assert_eq!(groups, [(&b"cc1plus"[..], 9), (&b"sh"[..], 9)]);
        let pids: HashSet<u32> = kept.iter().map(|ended| ended.pid).collect();
        assert_eq!(pids.len(), kept.len());
    }

    #[test]
    fn many_names_and_reused_ids_are_bounded_too() {
        let storm: Vec<Ended> =
            (0..2000).map(|number| ended(100 + number % 700, 9, &format!("job{number}"), 1)).collect();
        let kept = within_bounds(storm, &HashSet::new(), &|_| false);
        assert!(kept.len() <= MAX_SINGLE + MAX_GROUPS + 1);
        assert_eq!(kept.iter().map(|ended| ended.count).sum::<u64>(), 2000);
        let pids: HashSet<u32> = kept.iter().map(|ended| ended.pid).collect();
        assert_eq!(pids.len(), kept.len());
    }
}
