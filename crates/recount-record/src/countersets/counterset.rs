//! Converts an object's definitions to a counterset's registration.

use recount_bytes::FormatError;
use recount_model::{CounterAttributes, CounterType, Formula, NameTable, Timer};
use recount_pcq::conversation::{CounterTexts, CountersetInfo};
use recount_pcq::{CounterRegInfo, CounterSetRegInfo, Guid, Registration};
use recount_perf_data::{CounterDefinition, Object};
use uuid::Uuid;

/// Id of the counter that is the object's own clock, for the counters that use it.
pub const PERF_TIME_ID: u32 = 1;
/// Id of the counter that is the frequency of that clock, in ticks per second.
pub const PERF_FREQ_ID: u32 = 2;

/// `PERF_COUNTER_LARGE_RAWCOUNT`, which MS-PCQ 2.2.4.2 requires for `PerfTimeId` and `PerfFreqId`.
const LARGE_RAWCOUNT: CounterType = CounterType(0x0001_0100);
/// The value for "no counter" in links. The document names none; no counter has this id, since it means any
/// counter.
const NO_COUNTER: u32 = u32::MAX;
/// The detail levels of MS-PCQ 2.2.4.1.
const NOVICE: u32 = 100;
const ADVANCED: u32 = 200;
/// `InstanceType` of MS-PCQ 2.2.4.1.
const SINGLE_INSTANCE: u32 = 0;
const MULTIPLE_INSTANCES: u32 = 2;

/// The namespace of all GUIDs made from names (RFC 9562, section 5.5), generated once for recount.
const NAMESPACE: Uuid = Uuid::from_u128(0x6f1d_5f0e_3c0b_4a5b_9d1e_2a5f_7c84_e913);

/// The GUID of an object as a counterset.
pub fn counterset_guid(family: &str, object: &str) -> Guid {
    guid_of("counterset", family, object)
}

/// The GUID of a family's provider.
pub fn provider_guid(family: &str) -> Guid {
    guid_of("provider", family, "")
}

/// GUIDs of a family are made from names, so they are the same on every machine and in every version.
fn guid_of(kind: &str, family: &str, name: &str) -> Guid {
    named_guid(&format!("{kind}/{family}/{name}"))
}

fn named_guid(name: &str) -> Guid {
    Guid(Uuid::new_v5(&NAMESPACE, name.as_bytes()).to_bytes_le())
}

/// The counterset of an object.
pub(super) fn describe(
    object: &Object<'_>,
    names: &NameTable,
    family: &str,
) -> Result<CountersetInfo, FormatError> {
    let header = object.header();
    let definitions = object.counters().collect::<Result<Vec<_>, _>>()?;
    let name = names.name(header.name_index).to_string();
    let text = |index: u32| names.get(index).unwrap_or_default().to_owned();
    let mut counters: Vec<CounterRegInfo> = definitions
        .iter()
        .enumerate()
        .map(|(at, definition)| counter(definition, definitions.get(at + 1)))
        .collect();
    let mut texts: Vec<CounterTexts> = definitions
        .iter()
        .map(|definition| CounterTexts {
            name: names.name(definition.name_index).to_string(),
            description: text(definition.help_index),
        })
        .collect();
    if has_clock(&definitions) {
        for (id, name, description) in [
            (PERF_TIME_ID, "Object Time", "The object's clock, in ticks."),
            (PERF_FREQ_ID, "Object Frequency", "Ticks per second of the object's clock."),
        ] {
            counters.push(CounterRegInfo {
                attributes: CounterAttributes::NO_DISPLAY,
                detail_level: ADVANCED,
                ..CounterRegInfo::unlinked(id, LARGE_RAWCOUNT)
            });
            texts.push(CounterTexts { name: name.to_owned(), description: description.to_owned() });
        }
    }
    let set = CounterSetRegInfo {
        guid: counterset_guid(family, &name),
        counter_set_type: 0,
        detail_level: detail_level(header.detail_level),
        num_counters: counters.len() as u32,
        instance_type: if object.is_instanced() { MULTIPLE_INSTANCES } else { SINGLE_INSTANCE },
    };
    Ok(CountersetInfo {
        registration: Registration { set, counters },
        name,
        description: text(header.help_index),
        counters: texts,
        provider_name: format!("recount, {family}"),
        provider_guid: provider_guid(family),
    })
}

/// Whether a counter uses the object's own clock.
pub(super) fn has_clock(definitions: &[CounterDefinition<'_>]) -> bool {
    definitions.iter().any(|definition| is_by_object_clock(definition))
}

fn is_by_object_clock(definition: &CounterDefinition<'_>) -> bool {
    definition.counter_type.recipe(definition.len_value).clock == Some(Timer::Object)
}

/// A counter, and the next one if that is its base (formats/perf-data-block.md#counter).
fn counter(definition: &CounterDefinition<'_>, next: Option<&CounterDefinition<'_>>) -> CounterRegInfo {
    let formula = definition.counter_type.recipe(definition.len_value).formula;
    let base = next.filter(|next| next.counter_type.is_base()).map_or(NO_COUNTER, |next| next.name_index);
    let is_by_object_clock = is_by_object_clock(definition);
    let clock = |id| if is_by_object_clock { id } else { NO_COUNTER };
    CounterRegInfo {
        attributes: match formula {
            Formula::Base => CounterAttributes::NO_DISPLAY,
            _ => CounterAttributes::default(),
        },
        detail_level: detail_level(definition.detail_level),
        default_scale: definition.default_scale,
        base_counter_id: if formula.needs_base() { base } else { NO_COUNTER },
        multi_id: if formula.needs_multi() { base } else { NO_COUNTER },
        perf_time_id: clock(PERF_TIME_ID),
        perf_freq_id: clock(PERF_FREQ_ID),
        ..CounterRegInfo::unlinked(definition.name_index, served_type(definition.counter_type))
    }
}

/// The type in the list of MS-PCQ 2.2.4.2 that stands for one that isn't there, as clients need not know others: it has the same
/// formula, and `dwDataSize` says the length of each value, not the type. Of average times the list has only the word of 32
/// bits, in which the times of disks would wrap every 429 s (`formats/ms-pcq.md`).
fn served_type(counter_type: CounterType) -> CounterType {
    const AVERAGE_TIMER: CounterType = CounterType(0x3002_0400);
    const LARGE_AVERAGE_TIMER: CounterType = CounterType(0x3002_0500);
    if counter_type == LARGE_AVERAGE_TIMER { AVERAGE_TIMER } else { counter_type }
}

fn detail_level(level: u32) -> u32 {
    if level <= NOVICE { NOVICE } else { ADVANCED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_times_of_64_bits_are_served_with_a_type_of_the_document() {
        assert_eq!(served_type(CounterType(0x3002_0500)), CounterType(0x3002_0400));
        assert_eq!(served_type(LARGE_RAWCOUNT), LARGE_RAWCOUNT);
    }
}
