//! The instances active at one moment.

use crate::ReturnCode;
use crate::conversation::{Collected, CountersetInfo, InstanceValues, READ_FAULT};

/// `InstanceType` of a counterset with one instance (MS-PCQ 2.2.4.1).
const SINGLE_INSTANCE: u32 = 0;

/// A provider's values, checked against its registration.
#[derive(Debug)]
pub(super) struct Population {
    pub(super) collected: Collected,
}

impl Population {
    pub(super) fn new(collected: Collected) -> Population {
        Population { collected }
    }

    /// The active instances of the counterset with index `at`.
    ///
    /// Fails with [`READ_FAULT`] if they can't be read now, and with `ERROR_WMI_INVALID_REGINFO` if they
    /// contradict the registration: "information about one instance ..., but the application ... returned
    /// instance information about multiple instances" (MS-PCQ 3.1.4.1.3), or if the number of values differs
    /// from the number of counters.
    pub(super) fn instances(
        &self,
        at: usize,
        info: &CountersetInfo,
    ) -> Result<&[InstanceValues], ReturnCode> {
        let instances = match self.collected.sets.get(at) {
            Some(Some(instances)) => instances.as_slice(),
            Some(None) => return Err(READ_FAULT),
            None => return Err(ReturnCode::WMI_INVALID_REGINFO),
        };
        let num_counters = info.registration.counters.len();
        let is_sound = instances.iter().all(|instance| instance.values.len() == num_counters);
        if !is_sound || (is_single(info) && instances.len() > 1) {
            return Err(ReturnCode::WMI_INVALID_REGINFO);
        }
        Ok(instances)
    }
}

/// Whether a counterset has one instance.
pub(super) fn is_single(info: &CountersetInfo) -> bool {
    info.registration.set.instance_type == SINGLE_INSTANCE
}
