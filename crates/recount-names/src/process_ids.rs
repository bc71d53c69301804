//! Processes that Windows names by their ids. `Process V2` of Windows since 11 and Server 2022 does (`chrome:4312`), and `Process` if
//! `ProcessNameFormat` is 2 in the registry (`chrome_4312`). Both are read as `Process` with the names of programs.

use std::sync::{Arc, Mutex, PoisonError};

use recount_model::{
    Change, Decoded, Instance, Instances, ObjectDef, Pattern, Selection, Source, number_namesakes,
};

use crate::renamed::selected;

/// What processes are read as.
const READ_AS: &str = "Process";

/// How an object names processes.
struct Naming {
    object: &'static str,
    separator: char,
}

static PROCESS_V2: Naming = Naming { object: "Process V2", separator: ':' };
static PROCESS: Naming = Naming { object: READ_AS, separator: '_' };

/// The change of a capture whose processes are named by their ids.
pub(crate) struct NamedById {
    naming: &'static Naming,
    /// The object's last definition, and that as `Process`.
    known: Mutex<Option<(Arc<ObjectDef>, Arc<ObjectDef>)>>,
}

/// Processes with fixed ids.
const SYSTEM: [&str; 2] = ["Idle_0", "System_4"];

impl NamedById {
    /// How a capture with English names does, if it does.
    pub(crate) fn of(source: &dyn Source, has_object: impl Fn(&str) -> bool) -> Option<NamedById> {
        if has_object(READ_AS) {
            has_ids_in_names(source).then(|| NamedById::new(&PROCESS))
        } else {
            has_object(PROCESS_V2.object).then(|| NamedById::new(&PROCESS_V2))
        }
    }

    fn new(naming: &'static Naming) -> NamedById {
        NamedById { naming, known: Mutex::default() }
    }

    /// The object's definition as that of `Process`; any other as it is.
    fn as_process(&self, object: &Arc<ObjectDef>) -> Arc<ObjectDef> {
        if *object.name != *self.naming.object || *object.name == *READ_AS {
            return Arc::clone(object);
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((own, process)) = &*known
            && (Arc::ptr_eq(own, object) || own == object)
        {
            return Arc::clone(process);
        }
        let mut process = ObjectDef { name: READ_AS.into(), ..ObjectDef::clone(object) };
        for counter in &mut process.counters {
            if counter.name.eq_ignore_ascii_case("Process ID") {
                counter.name = "ID Process".into();
            }
        }
        let process = Arc::new(process);
        *known = Some((Arc::clone(object), Arc::clone(&process)));
        process
    }
}

impl Naming {
    /// Instances by the names of their programs, with their ids.
    fn instances(&self, instances: &Instances) -> Instances {
        let renamed = |instance: &Instance| match self.name_and_id(instance) {
            Some((name, id)) => {
                Instance { name: name.into(), id: instance.id.or(Some(id)), ..instance.clone() }
            }
            None => instance.clone(),
        };
        let mut all: Vec<Instance> = instances.iter().map(renamed).collect();
        number_namesakes(&mut all);
        Arc::from(all)
    }

    fn name_and_id<'a>(&self, instance: &'a Instance) -> Option<(&'a str, u64)> {
        let (name, id) = instance.name.rsplit_once(self.separator)?;
        Some((name, id.parse().ok()?))
    }
}

impl Change for NamedById {
    const KNOWS_SELECTION: bool = false;

    fn object(&self, (host, object): (Arc<str>, Arc<ObjectDef>)) -> (Arc<str>, Arc<ObjectDef>) {
        (host, self.as_process(&object))
    }

    fn decoded(&self, mut decoded: Decoded, selection: &Selection) -> Decoded {
        for run in decoded.runs.iter_mut().filter(|run| *run.object.name == *self.naming.object) {
            run.instances = self.naming.instances(&run.instances);
            run.object = self.as_process(&run.object);
        }
        for cooked in decoded.cooked.iter_mut().filter(|cooked| *cooked.object.name == *self.naming.object) {
            cooked.instances = self.naming.instances(&cooked.instances);
            cooked.object = self.as_process(&cooked.object);
        }
        selected(decoded, selection)
    }
}

/// Whether all processes have ids in their names: those of the system, or those that are known otherwise, are among them. A program may well be called
/// `worker_1`.
fn has_ids_in_names(source: &dyn Source) -> bool {
    if source.times().is_empty() {
        return false;
    }
    let Ok(pattern) = r"\Process(*)\*".parse::<Pattern>() else { return false };
    let mut selection = Selection::all();
    selection.push(pattern);
    let first = source.survey(&[0], &selection);
    let of_runs = first.runs.iter().map(|run| (&run.object, &run.instances));
    let of_cooked = first.cooked.iter().map(|cooked| (&cooked.object, &cooked.instances));
    let processes: Vec<&Instance> = of_runs
        .chain(of_cooked)
        .filter(|(object, _)| *object.name == *READ_AS)
        .flat_map(|(_, instances)| instances.iter())
        .filter(|instance| !instance.is_unnamed() && !instance.name.eq_ignore_ascii_case("_Total"))
        .collect();
    let is_of_system = |instance: &&Instance| SYSTEM.contains(&&*instance.name);
    let is_named_by_id = |instance: &&Instance| PROCESS.name_and_id(instance).is_some();
    let has_this_id = |instance: &&Instance| {
        instance.id.is_some() && instance.id == PROCESS.name_and_id(instance).map(|named| named.1)
    };
    !processes.is_empty()
        && processes.iter().all(is_named_by_id)
        && (processes.iter().any(is_of_system) || processes.iter().all(has_this_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_taken_off_the_name() {
        let named = ["chrome:4312", "chrome:77", "_Total", "a:b", "Idle:0"].map(Instance::named);
        let found = PROCESS_V2.instances(&Instances::from(named));
        let found: Vec<(&str, u32, Option<u64>)> =
            found.iter().map(|instance| (&*instance.name, instance.ordinal, instance.id)).collect();
        assert_eq!(
            found,
            [
                ("chrome", 0, Some(4312)),
                ("chrome", 1, Some(77)),
                ("_Total", 0, None),
                ("a:b", 0, None),
                ("Idle", 0, Some(0)),
            ]
        );
    }
}
