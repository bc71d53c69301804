//! Finds the counter and instance of each row of a sample.

use std::collections::HashMap;

use super::interned::NONE;

/// Maximum cells per row in the table of instances by counters, and the number always allowed: far more than
/// in real captures, but not enough to exhaust memory.
const MAX_CELLS_PER_ROW: usize = 64;
const MIN_CELLS_ALLOWED: usize = 1 << 16;

/// Rows as a table of instances by counters, which may have gaps.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// Numbers of the instances' shown names.
    pub(super) instances: Vec<u32>,
    /// Numbers of the counters' names; repeated for counters with the same name.
    pub(super) counters: Vec<u32>,
    /// Per row, the indexes of its counter and its instance.
    pub(super) slots: Vec<(usize, usize)>,
}

/// The position of the previous row's counter.
#[derive(Clone, Copy)]
enum PreviousCounter {
    /// The instance's first row.
    Nothing,
    Counter(usize),
    /// A counter at this position in the order.
    InOrder(usize),
}

/// A shape under construction.
#[derive(Default)]
struct PendingShape {
    shape: Shape,
    instance_at: HashMap<u32, usize>,
    /// By name and ordinal among counters of that name.
    counter_at: HashMap<(u32, u32), usize>,
    /// How often an instance, by index, had a counter, by name.
    num_seen: HashMap<(usize, u32), u32>,
    /// Counters in order: one that only a later instance has comes after the one that it follows there.
    order: Vec<usize>,
}

impl Shape {
    /// For rows with these instances and counters.
    pub(super) fn of(instances: &[u32], counters: &[u32]) -> Shape {
        let mut draft = PendingShape::default();
        let mut before = (NONE, PreviousCounter::Nothing);
        for (&instance, &counter) in instances.iter().zip(counters) {
            if before.0 != instance {
                before = (instance, PreviousCounter::Nothing);
            }
            before.1 = draft.push(instance, counter, before.1);
        }
        draft.finish()
    }

    /// Whether nearly all of the table is empty.
    pub(super) fn is_too_sparse(&self) -> bool {
        let num_cells = self.instances.len().saturating_mul(self.counters.len());
        num_cells > MIN_CELLS_ALLOWED.max(self.slots.len().saturating_mul(MAX_CELLS_PER_ROW))
    }
}

impl PendingShape {
    fn push(&mut self, instance: u32, counter: u32, before: PreviousCounter) -> PreviousCounter {
        let shape = &mut self.shape;
        let at_instance = *self.instance_at.entry(instance).or_insert(shape.instances.len());
        if at_instance == shape.instances.len() {
            shape.instances.push(instance);
        }
        let num_seen = self.num_seen.entry((at_instance, counter)).or_default();
        let next = shape.counters.len();
        let at = *self.counter_at.entry((counter, *num_seen)).or_insert(next);
        *num_seen += 1;
        shape.slots.push((at, at_instance));
        if at < next {
            return PreviousCounter::Counter(at);
        }
        shape.counters.push(counter);
        let place = match before {
            PreviousCounter::Nothing => 0,
            PreviousCounter::InOrder(place) => place + 1,
            PreviousCounter::Counter(before) => {
                self.order.iter().position(|at| *at == before).map_or(0, |at| at + 1)
            }
        };
        self.order.insert(place, at);
        PreviousCounter::InOrder(place)
    }

    fn finish(self) -> Shape {
        let PendingShape { mut shape, order, .. } = self;
        let mut places = vec![0; order.len()];
        for (place, at) in order.iter().enumerate() {
            places[*at] = place;
        }
        shape.counters = order.iter().map(|at| shape.counters[*at]).collect();
        for (counter, _) in &mut shape.slots {
            *counter = places[*counter];
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_keep_their_order_though_instances_lack_some() {
        // a has X and Z, b has W, X, Y and Z.
        let shape = Shape::of(&[1, 1, 2, 2, 2, 2], &[7, 9, 6, 7, 8, 9]);
        assert_eq!(shape.instances, [1, 2]);
        assert_eq!(shape.counters, [6, 7, 8, 9]);
        assert_eq!(shape.slots, [(1, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)]);
    }

    #[test]
    fn counters_of_one_name_are_distinguished() {
        let shape = Shape::of(&[NONE; 3], &[7, 7, 8]);
        assert_eq!(shape.counters, [7, 7, 8]);
        assert_eq!(shape.slots, [(0, 0), (1, 0), (2, 0)]);
    }

    #[test]
    fn holes_are_bounded() {
        let diagonal: Vec<u32> = (0..1000).collect();
        assert!(Shape::of(&diagonal, &diagonal).is_too_sparse());
        assert!(!Shape::of(&diagonal[..200], &diagonal[..200]).is_too_sparse());
    }
}
