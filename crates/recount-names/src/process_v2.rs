//! `Process V2`, with which Windows since 11 and Server 2022 names processes by their ids: `chrome:4312`. It has the counters of
//! `Process`, so it is read as that.

use std::sync::Arc;

use recount_model::{Instance, Instances, ObjectDef, number_namesakes};

/// Its name.
pub(crate) const NAME: &str = "Process V2";

/// What it is read as.
pub(crate) const READ_AS: &str = "Process";

/// Its definition as that of `Process`.
pub(crate) fn as_process(object: &ObjectDef) -> ObjectDef {
    let mut object = ObjectDef { name: READ_AS.into(), ..object.clone() };
    for counter in &mut object.counters {
        if counter.name.eq_ignore_ascii_case("Process ID") {
            counter.name = "ID Process".into();
        }
    }
    object
}

/// Its instances by the names of their programs, with their ids.
pub(crate) fn instances(instances: &Instances) -> Instances {
    let renamed = |instance: &Instance| {
        let Some((name, id)) = instance.name.rsplit_once(':') else { return instance.clone() };
        let Ok(id) = id.parse::<u64>() else { return instance.clone() };
        Instance { name: name.into(), id: instance.id.or(Some(id)), ..instance.clone() }
    };
    let mut all: Vec<Instance> = instances.iter().map(renamed).collect();
    number_namesakes(&mut all);
    Arc::from(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_taken_off_the_name() {
        let named = ["chrome:4312", "chrome:77", "_Total", "a:b", "Idle:0"].map(Instance::named);
        let found = instances(&Instances::from(named));
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
