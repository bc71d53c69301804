//! The objects of the system part.

use recount_model::Instance;

use super::draft::{PendingObject, unnamed};
use crate::objects::value::{Context, FieldRow};
use crate::objects::{Listing, Name};
use crate::store::AtopLog;
use crate::structure::layout::{Slot, Type};

/// The times that add up to all of a processor's time.
const TICKS: [&str; 8] = ["system", "user", "nice", "idle", "iowait", "irq", "softirq", "steal"];

/// A time larger than this many intervals has gone back, which the recorder writes as a huge difference.
const MAX_TIMES_INTERVAL: f64 = 2.0;

impl AtopLog {
    pub(super) fn list_system(&self, system: &[u8], context: &mut Context, drafts: &mut [PendingObject<'_>]) {
        // 1 is a placeholder.
        context.has_cycles = self.int(system, "cpu.all.instructions") > 1;
        for draft in drafts.iter_mut() {
            match draft.object.listing {
                Listing::System => draft.push(unnamed(), 0, &FieldRow::of(system, 0), context),
                Listing::Pressure if self.int(system, "psi.present") != 0 => {
                    draft.push(unnamed(), 0, &FieldRow::of(system, 0), context);
                }
                Listing::Processors => self.list_processors(system, context, draft),
                Listing::Array { array, count, name } => {
                    let room = self.layouts.system.room(array);
                    let count = usize::try_from(self.int(system, count)).unwrap_or(0).min(room);
                    for entry in 0..count {
                        let Some(instance) = self.array_instance(system, array, name, entry) else { break };
                        let is_reset = !context.is_since_boot && self.is_reset(system, array, entry, context);
                        draft.push(
                            instance,
                            0,
                            &FieldRow { is_reset, ..FieldRow::of(system, entry) },
                            context,
                        );
                    }
                }
                _ => continue,
            }
            draft.is_there = true;
        }
    }

    fn field(&self, array: &str, name: &str) -> Option<Slot> {
        self.layouts.system.slot(&format!("{array}.{name}"))
    }

    /// The instance of an entry; `None` if the list ends before it.
    fn array_instance(&self, system: &[u8], array: &str, name: Name, entry: usize) -> Option<Instance> {
        let text = |field: &str| match self.field(array, field) {
            Some(slot) if matches!(slot.of, Type::Text(_)) => slot.text(system, entry).into_owned(),
            Some(slot) => slot.int(system, entry).to_string(),
            None => entry.to_string(),
        };
        match name {
            Name::Text(field) => Some(text(field)).filter(|name| !name.is_empty()).map(Instance::named),
            Name::Number(field) => Some(Instance::named(text(field))),
            Name::Pair(parent, name) => {
                Some(Instance { parent: Some(text(parent).into()), ..Instance::named(text(name)) })
            }
        }
    }

    /// Whether a time of an entry is longer than the interval can be.
    fn is_reset(&self, system: &[u8], array: &str, entry: usize, context: &Context) -> bool {
        let interval = context.longest * MAX_TIMES_INTERVAL;
        let int = |name: &str| self.field(array, name).map(|slot| slot.int(system, entry));
        if let Some(busy) = int("io_ms") {
            return busy as f64 > interval * 1e3;
        }
        if int("iowait").is_none() {
            return false;
        }
        let ticks: f64 = TICKS.iter().filter_map(|name| int(name)).map(|ticks| ticks as f64).sum();
        let num = match array {
            "cpu.cpus" => 1,
            "cpu.all" => self.num_processors(system),
            _ => int("n_cpus").unwrap_or(1),
        };
        ticks > interval * f64::from(self.header.hertz) * num.max(1) as f64
    }

    /// Number of processors: the number of slots, if the version stores it separately from the number online.
    fn num_processors(&self, system: &[u8]) -> i64 {
        let slots = self.layouts.system.slot("cpu.n_slots");
        slots.map_or_else(|| self.int(system, "cpu.n_cpus"), |slot| slot.int(system, 0))
    }

    fn list_processors(&self, system: &[u8], context: &Context, draft: &mut PendingObject<'_>) {
        let room = self.layouts.system.room("cpu.cpus");
        let num = usize::try_from(self.num_processors(system)).unwrap_or(0).min(room);
        let online = self.field("cpu.cpus", "online");
        let times: Vec<Slot> =
            TICKS.iter().chain(&["guest"]).filter_map(|name| self.field("cpu.cpus", name)).collect();
        let mut is_any_reset = false;
        for entry in 0..num {
            let is_there = match online {
                Some(online) => online.int(system, entry) != 0,
                // Before 2.13 one that is offline has no time at all.
                None => times.iter().any(|slot| slot.int(system, entry) != 0),
            };
            if !is_there {
                continue;
            }
            let is_reset = !context.is_since_boot && self.is_reset(system, "cpu.cpus", entry, context);
            is_any_reset |= is_reset;
            let number =
                self.field("cpu.cpus", "number").map_or(entry as i64, |slot| slot.int(system, entry));
            let row = FieldRow { is_reset, ..FieldRow::of(system, entry) };
            draft.push(Instance::named(number.to_string()), 0, &row, context);
        }
        let is_reset = is_any_reset || !context.is_since_boot && self.is_reset(system, "cpu.all", 0, context);
        draft.push(Instance::named("_Total"), 1, &FieldRow { is_reset, ..FieldRow::of(system, 0) }, context);
    }
}
