//! Values that two captures have: of one time, counter and instance, the same value counts once.
//!
//! Whole samples that another capture of their recording has never get here (`recount/src/repeats/`). What is left are computed
//! values of captures that share some of their counters, tables and texts beside the logs that they were made from, and raw
//! recordings that contradict each other (the rule is in `cells.rs`). The order of the captures decides only between those that say the same.

mod blanks;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use recount_model::{Authority, Cooked, CookedColumn, Selection, Source, Status, Timestamp};

use crate::cells::{Block, Cell, Match};
use crate::chained::Chains;
use crate::{Input, tolerance_s};

/// Where computed values are from.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    /// The number of the capture, which is that of its first input.
    pub(crate) capture: usize,
    /// The first input of those that continue each other.
    pub(crate) chain: usize,
    /// Whether they were made from raw values.
    pub(crate) is_raw: bool,
}

/// Leaves out the values that another capture has, too. Different values stay. Of captures with raw values, which are
/// different recordings, each has the values that it has alone. Where a capture has all of the interval of another's value in
/// shorter steps, because that one was thinned out or has lost samples, the value over the shorter interval stays.
pub(crate) fn without_repeated(
    inputs: &[Input],
    all: Vec<Cooked>,
    origins: &[Origin],
    chains: &Chains,
) -> Vec<Cooked> {
    let mut by_object: BTreeMap<(Arc<str>, Arc<str>), Vec<usize>> = BTreeMap::new();
    for (at, cooked) in all.iter().enumerate() {
        let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name));
        by_object.entry(key).or_default().push(at);
    }
    let is_shared = |members: &[usize]| {
        members.windows(2).any(|pair| origins[pair[0]].capture != origins[pair[1]].capture)
    };
    by_object.retain(|_, members| is_shared(members));
    let mut left_out: Vec<Option<CookedMask>> = all.iter().map(|_| None).collect();
    if !by_object.is_empty() {
        let blocks: Vec<Block<'_>> = all.iter().map(Block::of_cooked).collect();
        let source = |Origin { capture, chain, is_raw }: &Origin| {
            if *is_raw { chains.source(inputs, *chain) } else { &*inputs[*capture].source }
        };
        let sources = origins.iter().map(source).collect();
        let unread = RefCell::default();
        let stretches = Stretches { inputs, all: &all, blocks: &blocks, origins, chains, sources, unread };
        for members in by_object.values() {
            stretches.compare(members, &mut left_out);
        }
    }
    blanks::leave_out_of_absent_objects(inputs, (&all, origins), &mut left_out);
    let kept = all.into_iter().zip(left_out).flat_map(|(cooked, mask)| match mask {
        Some(mask) => mask.apply(cooked),
        None => vec![cooked],
    });
    kept.collect()
}

/// Per cell of all columns of a stretch of values: whether it is left out.
pub struct CookedMask {
    num_cells: usize,
    cells: Vec<bool>,
}

impl CookedMask {
    /// Nothing is left out.
    pub fn of(cooked: &Cooked) -> CookedMask {
        let num_cells = cooked.num_cells();
        CookedMask { num_cells, cells: vec![false; num_cells * cooked.columns.len()] }
    }

    /// A cell of a column, by its index there.
    pub fn cell(&mut self, column: usize, cell: usize) -> &mut bool {
        &mut self.cells[column * self.num_cells + cell]
    }

    /// Which cells of a sample are left out, column by column.
    fn of_sample(&self, cooked: &Cooked, sample: usize) -> Vec<bool> {
        let num = cooked.instances.len();
        let of = |column: usize| {
            let start = column * self.num_cells + sample * num;
            &self.cells[start..start + num]
        };
        (0..cooked.columns.len()).flat_map(of).copied().collect()
    }

    /// The rest, cut where something else is left out.
    pub fn apply(&self, cooked: Cooked) -> Vec<Cooked> {
        let mut pieces: Vec<(Range<usize>, Vec<bool>)> = Vec::new();
        for sample in 0..cooked.num_samples() {
            let mask = self.of_sample(&cooked, sample);
            match pieces.last_mut() {
                Some((range, same)) if *same == mask => range.end = sample + 1,
                _ => pieces.push((sample..sample + 1, mask)),
            }
        }
        if let [(_, mask)] = pieces.as_slice()
            && !mask.contains(&true)
        {
            return vec![cooked];
        }
        let made = pieces.iter().map(|(range, mask)| piece(&cooked, range.clone(), mask));
        made.filter(|piece| !piece.columns.is_empty()).collect()
    }
}

/// Some samples, without the cells of a mask.
fn piece(cooked: &Cooked, samples: Range<usize>, mask: &[bool]) -> Cooked {
    let num = cooked.instances.len();
    let cells = samples.start * num..samples.end * num;
    let column = |(at, column): (usize, &CookedColumn)| {
        let mask = &mask[at * num..(at + 1) * num];
        let covers: Vec<bool> = (0..num).map(|at| column.covers(at) && !mask[at]).collect();
        covers.contains(&true).then(|| CookedColumn {
            counter: column.counter,
            values: column.values[cells.clone()].to_vec(),
            status: column.status.as_ref().map(|all| all[cells.clone()].to_vec()),
            covers: if mask.contains(&true) { Some(covers.into()) } else { column.covers.clone() },
            texts: column.texts.as_ref().map(|all| all[cells.clone()].to_vec()),
        })
    };
    Cooked {
        host: Arc::clone(&cooked.host),
        object: Arc::clone(&cooked.object),
        instances: Arc::clone(&cooked.instances),
        times: cooked.times[samples.clone()].to_vec(),
        gaps: of_piece(&cooked.gaps, &samples),
        first_s: cooked.first_s.get(samples.clone()).unwrap_or_default().to_vec(),
        interval_s: cooked.interval_s[samples.clone()].to_vec(),
        // From the second sample on, every instance is in the one before.
        continued: if samples.start == 0 { cooked.continued.clone() } else { vec![true; num] },
        columns: cooked.columns.iter().enumerate().filter_map(column).collect(),
        raw: cooked.raw.as_ref().map(|raw| Arc::new(raw.part(samples))),
    }
}

/// The numbers of some samples, counted from the first one of a range.
fn of_piece(samples: &[u32], range: &Range<usize>) -> Vec<u32> {
    let inside = samples.iter().filter(|sample| range.contains(&(**sample as usize)));
    inside.map(|sample| sample - range.start as u32).collect()
}

/// Stretches of values, and where they are from.
struct Stretches<'a> {
    inputs: &'a [Input],
    all: &'a [Cooked],
    blocks: &'a [Block<'a>],
    /// Where each is from.
    origins: &'a [Origin],
    chains: &'a Chains,
    /// The capture of each, or what it is a part of. Of captures with computed values none continues another one.
    sources: Vec<&'a dyn Source>,
    /// Per capture and sample: whether it can't be read.
    unread: RefCell<HashMap<(usize, usize), bool>>,
}

/// A cell, and its stretch.
#[derive(Clone, Copy)]
struct Place<'a> {
    stretch: usize,
    cell: Cell<'a, 'a>,
}

impl<'a> Stretches<'a> {
    /// Compares the stretches of one object with each other at the times that several captures have.
    fn compare(&self, members: &[usize], left_out: &mut [Option<CookedMask>]) {
        let Stretches { all, origins, .. } = *self;
        let mut known: HashMap<Timestamp, Vec<(usize, usize)>> = HashMap::new();
        let mut matches: HashMap<(usize, usize), Match> = HashMap::new();
        for &at in members {
            for (sample, time) in all[at].times.iter().enumerate() {
                let others = known.entry(time.utc).or_default();
                for &(other, of_other) in others.iter() {
                    if origins[other].capture == origins[at].capture {
                        continue;
                    }
                    let [two, one] = [at, other].map(|stretch| &self.blocks[stretch]);
                    let is_raw = [at, other].iter().all(|stretch| self.is_raw(*stretch));
                    let make = || if is_raw { Match::of_shown(two, one) } else { Match::of(two, one) };
                    let places = matches.entry((at, other)).or_insert_with(make);
                    self.compare_samples([(other, of_other), (at, sample)], places, left_out);
                    self.leave_out_blanks([(other, of_other), (at, sample)], places, left_out);
                }
                others.push((at, sample));
            }
        }
    }

    fn compare_samples(
        &self,
        [(other, of_other), (at, sample)]: [(usize, usize); 2],
        places: &Match,
        left_out: &mut [Option<CookedMask>],
    ) {
        for (counter, of_one) in places.counters.iter().enumerate() {
            let Some(of_one) = *of_one else { continue };
            for (instance, place) in places.instances.iter().enumerate() {
                let Some(place) = *place else { continue };
                let one = self.place(other, of_other, of_one, place);
                let two = self.place(at, sample, counter, instance);
                if one.cell.is_there()
                    && two.cell.is_there()
                    && let Some(worse) = self.worse(one, two)
                {
                    self.leave_out(worse, left_out);
                }
            }
        }
    }

    fn place(&self, stretch: usize, row: usize, counter: usize, instance: usize) -> Place<'a> {
        let (source, block, is_raw) = (self.source(stretch), &self.blocks[stretch], self.is_raw(stretch));
        Place { stretch, cell: Cell { source, block, row, counter, instance, is_raw } }
    }

    fn source(&self, stretch: usize) -> &'a dyn Source {
        self.sources[stretch]
    }

    /// The inputs with the samples of a stretch's source.
    fn inputs_of(&self, stretch: usize) -> Vec<&'a Input> {
        let Origin { capture, chain, is_raw } = self.origins[stretch];
        if is_raw {
            return self.chains.members(chain).iter().map(|member| &self.inputs[*member]).collect();
        }
        let of_capture = |input: &&Input| Arc::ptr_eq(&input.source, &self.inputs[capture].source);
        self.inputs.iter().filter(of_capture).collect()
    }

    /// Whether a stretch was made from raw values.
    fn is_raw(&self, stretch: usize) -> bool {
        self.origins[stretch].is_raw
    }

    fn leave_out(&self, Place { stretch, cell }: Place<'_>, left_out: &mut [Option<CookedMask>]) {
        let cooked = &self.all[stretch];
        if let Some(column) = cell.block.column_number(cell.counter) {
            let mask = left_out[stretch].get_or_insert_with(|| CookedMask::of(cooked));
            *mask.cell(column, cell.row * cooked.instances.len() + cell.instance) = true;
        }
    }

    /// A text has a cell for each of its counters at each time. It says nothing if it is blank and a capture that knows better
    /// has no such instance.
    fn leave_out_blanks(
        &self,
        [(other, of_other), (at, sample)]: [(usize, usize); 2],
        places: &Match,
        left_out: &mut [Option<CookedMask>],
    ) {
        let rank = |stretch: usize| (self.is_raw(stretch), self.source(stretch).info().authority);
        let (stretch, sample, known) = if rank(at) < rank(other) {
            (at, sample, places.instances.iter().map(Option::is_some).collect())
        } else {
            let mut known = vec![false; self.all[other].instances.len()];
            places.instances.iter().flatten().for_each(|place| known[*place] = true);
            (other, of_other, known)
        };
        let is_text = self.source(stretch).info().authority == Authority::Text;
        if !is_text || rank(at) == rank(other) {
            return;
        }
        for instance in (0..known.len()).filter(|instance| !known[*instance]) {
            for column in &self.all[stretch].columns {
                let place = self.place(stretch, sample, column.counter, instance);
                if place.cell.is_there() && place.cell.status() == Status::InvalidData {
                    self.leave_out(place, left_out);
                }
            }
        }
    }

    /// Which of two values of one time isn't needed beside the other; `None` if both are.
    fn worse(&self, one: Place<'a>, two: Place<'a>) -> Option<Place<'a>> {
        if self.is_raw(one.stretch) && self.is_raw(two.stretch) {
            return worse_of_recordings(one, two);
        }
        match [one, two].map(|place| place.cell.value()) {
            [None, None] => worse_of_both_missing(one, two),
            [Some(_), None] => Some(self.worse_of_missing(two, one)),
            [None, Some(_)] => Some(self.worse_of_missing(one, two)),
            [Some(a), Some(b)] if a == b => Some(if self.is_better(two, one) { one } else { two }),
            [Some(_), Some(_)] => {
                let pairs = [(one, two), (two, one)];
                pairs.into_iter().find(|(short, long)| self.covers(*short, *long)).map(|(_, long)| long)
            }
        }
    }

    /// Of a missing value and one that is there. A missing one contradicts nothing, unless its capture knows why there can be
    /// none; and it says what a value over a longer interval mustn't replace.
    fn worse_of_missing(&self, missing: Place<'a>, there: Place<'a>) -> Place<'a> {
        if missing.cell.rules_out(&there.cell) || self.covers(missing, there) { there } else { missing }
    }

    /// Whether the first of two equal values says more: it is over a shorter interval, or from a capture that knows more.
    fn is_better(&self, one: Place<'a>, other: Place<'a>) -> bool {
        let [of_one, of_other] = [one, other].map(|place| place.cell);
        match [of_one, of_other].map(|cell| cell.interval_s()) {
            [Some(_), Some(_)] if of_other.is_longer(&of_one) => true,
            [Some(_), Some(_)] if of_one.is_longer(&of_other) => false,
            [Some(_), None] if self.lacks_sample_before(other) => true,
            [None, Some(_)] if self.lacks_sample_before(one) => false,
            _ => {
                let knowledge = knowledge(&of_one).cmp(&knowledge(&of_other));
                knowledge.then(of_other.len_s().total_cmp(&of_one.len_s())).is_gt()
            }
        }
    }

    /// Whether a capture doesn't know what was before a value: it begins there, or again after a loss, which may have taken the first
    /// samples after a restart, too, or the sample before can't be read. Elsewhere it knows that there was nothing, such as after a restart.
    fn lacks_sample_before(&self, Place { stretch, cell }: Place<'_>) -> bool {
        let capture = self.origins[stretch].capture;
        let (source, time) = (&self.inputs[capture].source, cell.time());
        let sample = source.times().partition_point(|sample| sample.utc < time);
        let (epoch, round) = (source.epoch(sample), source.round(sample));
        for before in (0..sample).rev() {
            if source.epoch(before) != epoch {
                let num_ends =
                    source.epoch_despite_losses(before).abs_diff(source.epoch_despite_losses(sample));
                return source.epoch(before).abs_diff(epoch) > num_ends;
            }
            if source.round(before) == round {
                return self.is_unread(capture, before);
            }
        }
        true
    }

    fn is_unread(&self, capture: usize, sample: usize) -> bool {
        let decode = || {
            let decoded = self.inputs[capture].source.decode(&[sample as u32], &Selection::all());
            decoded.runs.is_empty() && decoded.cooked.is_empty()
        };
        *self.unread.borrow_mut().entry((capture, sample)).or_insert_with(decode)
    }

    /// Whether a capture has the values of which a computed one is the sum or the mean.
    fn covers(&self, short: Place<'_>, long: Place<'_>) -> bool {
        short.cell.covers(&long.cell) && (!self.is_raw(long.stretch) || self.uses_all(short, long))
    }

    /// Whether all samples that a capture has within an interval, after its begin, are used. If they are thinned out, so are those
    /// of raw values, which then are over longer intervals as they should be.
    fn uses_all(&self, short: Place<'_>, long: Place<'_>) -> bool {
        let (end, len_s) = (long.cell.time(), long.cell.len_s());
        let begin = end.minus_seconds(len_s - tolerance_s(len_s));
        let is_inside = |time: &Timestamp| (begin..=end).contains(time);
        let times = short.cell.source.times();
        let first = times.partition_point(|sample| sample.utc < begin);
        let known = times[first..].iter().map(|sample| sample.utc).take_while(is_inside);
        let mut used: Vec<Timestamp> = Vec::new();
        for Input { source, samples, .. } in self.inputs_of(short.stretch) {
            let time = |sample: &u32| source.times()[*sample as usize].utc;
            let first = samples.partition_point(|sample| time(sample) < begin);
            used.extend(samples[first..].iter().map(time).take_while(is_inside));
        }
        used.sort_unstable();
        known.into_iter().all(|time| used.binary_search(&time).is_ok())
    }
}

/// How much is known of a value, to be compared.
fn knowledge(cell: &Cell<'_, '_>) -> (bool, Authority, bool, bool) {
    let counter = &cell.block.object.counters[cell.counter];
    let (is_raw, authority) = cell.rank();
    let has_unit = counter.counter_type.is_some() || counter.unit.is_some();
    (is_raw, authority, cell.block.instances[cell.instance].id.is_some(), has_unit)
}

/// Of two recordings with raw values, which contradict each other: each has its own samples before, and so its own rates.
fn worse_of_recordings<'a>(one: Place<'a>, two: Place<'a>) -> Option<Place<'a>> {
    match [one, two].map(|place| place.cell.value()) {
        [None, None] => worse_of_both_missing(one, two),
        // A text is a value, too.
        [Some(_), None] => two.cell.text().is_none().then_some(two),
        [None, Some(_)] => one.cell.text().is_none().then_some(one),
        [Some(a), Some(b)] => {
            let is_same = a == b && one.cell.status() == two.cell.status();
            is_same.then(|| if one.cell.len_s() > two.cell.len_s() { one } else { two })
        }
    }
}

/// Of two cells without a value. Texts are values of a kind.
fn worse_of_both_missing<'a>(one: Place<'a>, two: Place<'a>) -> Option<Place<'a>> {
    let texts = [one.cell.text(), two.cell.text()];
    let are_other_texts = texts[0] != texts[1] && texts.iter().all(Option::is_some);
    (!are_other_texts).then(|| if says_more(&two.cell, &one.cell) { one } else { two })
}

/// Whether the first of two missing values says more than the other.
fn says_more(one: &Cell<'_, '_>, other: &Cell<'_, '_>) -> bool {
    let by_text = one.text().is_some().cmp(&other.text().is_some());
    let by_reason = one.reason().cmp(&other.reason());
    let by_interval = other.len_s().total_cmp(&one.len_s());
    let by_status = || one.status().cmp(&other.status());
    by_text.then(by_reason).then(by_interval).then(one.rank().cmp(&other.rank())).then_with(by_status).is_gt()
}
