//! What the kernel has added to a process because it waited for children that ended: their own I/O, and what they had inherited
//! (`formats/linux-objects.md`, "Children that ended").

use super::spec::NUM_IO_COUNTERS;

/// Ancestors looked at: a process may change its parent while the list is read.
const MAX_DEPTH: usize = 64;
/// The first process, which gets orphans.
const INIT: u64 = 1;

/// The values of the IO counters.
pub(super) type IoValues = [u64; NUM_IO_COUNTERS];

/// How much a listed process has read and written since the previous sample, children included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) pid: u64,
    pub(super) parent: u64,
    /// Whether it has ended and is listed only because nobody has waited for it: its children belong to others then.
    pub(super) has_ended: bool,
    /// `None` if it is unknown. What was inherited has been taken off.
    pub(super) io: Option<IoValues>,
}

/// A process that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bequest {
    pub(super) pid: u64,
    pub(super) parent: u64,
    /// Its parent when it was last listed: another one if it had ended by then, and its parent ended before anybody waited for it.
    pub(super) last_parent: u64,
    /// All that it has read and written.
    pub(super) io: IoValues,
    /// Whether nobody had it in the previous sample.
    pub(super) is_kept: bool,
}

/// Takes off what was inherited: `steps` by ascending id, `ended` by ascending id. Calls `taken` with the place of the heir, and returns whether
/// there was one, by the order of `ended`.
pub(super) fn take_off(
    steps: &mut [Step],
    ended: &[Bequest],
    taken: &mut dyn FnMut(usize, &IoValues),
) -> Vec<bool> {
    let mut take = |child: &Bequest| {
        if child.io.iter().all(|value| *value == 0) {
            return true;
        }
        // Who grew by less than the child had, in any counter, has not inherited it.
        let fits = |step: &Step| {
            step.io.is_some_and(|grown| grown.iter().zip(&child.io).all(|(grown, value)| grown >= value))
        };
        let heir = heirs(steps, ended, child).find(|at| fits(&steps[*at]));
        if let Some(at) = heir
            && let Some(grown) = steps[at].io.as_mut()
        {
            for (grown, value) in grown.iter_mut().zip(&child.io) {
                *grown -= value;
            }
            taken(at, &child.io);
        }
        heir.is_some()
    };
    ended.iter().map(&mut take).collect()
}

/// Who may have waited for a process, the likeliest first: its parent; if that has ended, too, those that waited for it in turn; and who got its
/// orphans, which is `init` if nobody nearer asked for them. One that has ended and is still listed has left nothing to its own parent yet.
fn heirs<'a>(
    steps: &'a [Step],
    ended: &'a [Bequest],
    child: &Bequest,
) -> impl Iterator<Item = usize> + use<'a> {
    let step = |pid: u64| steps.binary_search_by_key(&pid, |step| step.pid).ok();
    let gone = |pid: u64| {
        let at = ended.binary_search_by_key(&pid, |ended| ended.pid).ok()?;
        Some(ended[at].parent)
    };
    let above = move |pid: &u64| gone(*pid).or_else(|| Some(steps[step(*pid)?].parent));
    let parent = step(child.parent);
    let has_ended = parent.is_some_and(|at| steps[at].has_ended);
    let depth = if parent.is_some() && !has_ended { 1 } else { MAX_DEPTH };
    let adopter = (depth > 1).then_some(child.last_parent);
    let line = move |first: Option<u64>| std::iter::successors(first, above).take(depth);
    let likeliest = has_ended.then_some([child.parent, INIT]).into_iter().flatten();
    likeliest.chain(line(Some(child.parent))).chain(line(adopter)).filter_map(step)
}
