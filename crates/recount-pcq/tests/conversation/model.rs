//! Random additions, removals and populations against a plain list of what a query should have.

use proptest::prelude::*;
use recount_pcq::conversation::{InstanceValues, PerflibClient, READ_FAULT, RawValue};
use recount_pcq::{ANY_COUNTER, CounterIdentifierBuf, CounterIdentifiers, ReturnCode};

use super::population::{Shown, block, dword, error, large, shown};
use super::script::{LARGE_RAWCOUNT, RAWCOUNT, Rig, counterset, guid, instance};

/// GUID's number, counter id, instance id and name.
type Counter = (u8, u32, u32, &'static str);
type Set = Option<Vec<InstanceValues>>;

#[derive(Clone, Debug)]
enum Step {
    Add(Vec<Counter>),
    Remove(Vec<Counter>),
    Populate(usize, Set),
}

/// Counters of the countersets 1 (multiple instances) and 2 (a single one).
const COUNTERS: [&[(u32, u32)]; 2] = [&[(10, RAWCOUNT), (11, LARGE_RAWCOUNT)], &[(20, LARGE_RAWCOUNT)]];

fn counters() -> impl Strategy<Value = Vec<Counter>> {
    let counter = (
        1_u8..4,
        prop::sample::select(vec![10, 11, 20, ANY_COUNTER]),
        0_u32..2,
        prop::sample::select(vec!["a", "b", "*", ""]),
    );
    prop::collection::vec(counter, 1..5)
}

fn set(at: usize) -> impl Strategy<Value = Set> {
    let value = prop_oneof![
        Just(RawValue::Missing),
        any::<u32>().prop_map(RawValue::Dword),
        any::<u64>().prop_map(RawValue::Large)
    ];
    let values = prop::collection::vec(value, COUNTERS[at].len());
    let names = prop::sample::select(if at == 0 { vec!["a", "b", "c"] } else { vec!["", "a"] });
    let one = (names, 0_u32..2, values).prop_map(|(name, id, values)| instance(name, id, &values));
    let instances = prop::collection::vec(one, 0..4 - 2 * at).prop_map(|mut all| {
        all.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
        all.dedup_by(|one, other| (&one.name, one.id) == (&other.name, other.id));
        all
    });
    prop_oneof![1 => Just(None), 6 => instances.prop_map(Some)]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => counters().prop_map(Step::Add),
        2 => counters().prop_map(Step::Remove),
        1 => set(0).prop_map(|set| Step::Populate(0, set)),
        1 => set(1).prop_map(|set| Step::Populate(1, set)),
    ];
    prop::collection::vec(step, 1..25)
}

/// What the query should have, and what there is.
struct Model {
    asked: Vec<Counter>,
    sets: [Set; 2],
}

/// The instance id counts only where an instance is named.
fn plain(counter: Counter) -> Counter {
    match counter {
        (set, id, _, "*") => (set, id, 0, "*"),
        (2, id, _, "") => (2, id, 0, ""),
        named => named,
    }
}

fn has_counter((set, id, ..): Counter) -> Result<(), ReturnCode> {
    match set {
        1 | 2 if id == ANY_COUNTER => Ok(()),
        1 if id == 10 || id == 11 => Ok(()),
        2 if id == 20 => Ok(()),
        1 | 2 => Err(ReturnCode::WMI_ITEMID_NOT_FOUND),
        _ => Err(ReturnCode::WMI_GUID_NOT_FOUND),
    }
}

impl Model {
    fn add(&mut self, counter: Counter) -> ReturnCode {
        if let Err(code) = has_counter(counter) {
            return code;
        }
        let (set, _, id, name) = plain(counter);
        if self.asked.contains(&plain(counter)) {
            return ReturnCode::ALREADY_EXISTS;
        }
        let needs_instance = !(name == "*" || (set == 2 && name.is_empty()));
        if needs_instance {
            let Some(instances) = &self.sets[usize::from(set) - 1] else { return READ_FAULT };
            if !instances.iter().any(|instance| instance.name == name && instance.id == id) {
                return ReturnCode::PATH_NOT_FOUND;
            }
        }
        self.asked.push(plain(counter));
        ReturnCode::SUCCESS
    }

    fn remove(&mut self, counter: Counter) -> ReturnCode {
        if let Err(code) = has_counter(counter) {
            return code;
        }
        let before = self.asked.len();
        self.asked.retain(|asked| *asked != plain(counter));
        if self.asked.len() < before { ReturnCode::SUCCESS } else { ReturnCode::INVALID_PARAMETER }
    }

    fn block(&self, (set, id, instance_id, name): Counter) -> Shown {
        let at = usize::from(set) - 1;
        let Some(instances) = &self.sets[at] else { return error(READ_FAULT) };
        let is_asked = |counter: &u32| id == ANY_COUNTER || id == *counter;
        let ids: Vec<u32> = COUNTERS[at].iter().map(|(counter, _)| *counter).filter(is_asked).collect();
        let values = |instance: &InstanceValues| -> Vec<Vec<u8>> {
            let all = COUNTERS[at].iter().zip(&instance.values);
            all.filter(|((counter, _), _)| is_asked(counter)).map(|(_, value)| bytes(*value)).collect()
        };
        if name == "*" {
            let rows: Vec<_> = instances.iter().map(|one| (one.name.as_str(), one.id, values(one))).collect();
            return if id == ANY_COUNTER {
                block("set", &ids, &rows)
            } else {
                block("instances", &[], &rows)
            };
        }
        let is_any = set == 2 && name.is_empty();
        let found = instances.iter().find(|one| is_any || (one.name == name && one.id == instance_id));
        match found.map(values) {
            None if is_any => error(ReturnCode::WMI_INSTANCE_NOT_FOUND),
            None => error(ReturnCode::PATH_NOT_FOUND),
            Some(values) if id == ANY_COUNTER => block("counters", &ids, &[("", 0, values)]),
            Some(values) if values[0].is_empty() => error(READ_FAULT),
            Some(values) => block("single", &[], &[("", 0, values)]),
        }
    }
}

fn bytes(value: RawValue) -> Vec<u8> {
    match value {
        RawValue::Missing => Vec::new(),
        RawValue::Dword(value) => dword(value),
        RawValue::Large(value) => large(value),
    }
}

fn identifiers(counters: &[Counter]) -> Vec<CounterIdentifierBuf> {
    let identifier =
        |(set, id, instance, name): &Counter| CounterIdentifierBuf::new(guid(*set), *id, *instance, *name);
    counters.iter().map(identifier).collect()
}

proptest! {
    #[test]
    fn queries_hold_what_was_added_in_its_order(steps in steps()) {
        let infos = [counterset(1, 6, COUNTERS[0]), counterset(2, 0, COUNTERS[1])];
        let rig = Rig::new(infos.into_iter().map(|info| (info, Some(Vec::new()))).collect());
        let script = std::rc::Rc::clone(&rig.script);
        let mut client = PerflibClient::new(rig.server);
        let query = client.open_query().expect("a query");
        let mut model = Model { asked: Vec::new(), sets: [Some(Vec::new()), Some(Vec::new())] };
        for step in steps {
            match step {
                Step::Add(counters) => {
                    let (statuses, _) = client.add(query, &identifiers(&counters)).expect("an answer");
                    let expected: Vec<_> = counters.iter().map(|counter| model.add(*counter)).collect();
                    prop_assert_eq!(statuses, expected);
                }
                Step::Remove(counters) => {
                    let (statuses, _) = client.remove(query, &identifiers(&counters)).expect("an answer");
                    let expected: Vec<_> = counters.iter().map(|counter| model.remove(*counter)).collect();
                    prop_assert_eq!(statuses, expected);
                }
                Step::Populate(at, set) => {
                    script.borrow_mut().sets[at].clone_from(&set);
                    model.sets[at] = set;
                }
            }
            let info = client.query_info(query).expect("an answer");
            let asked: Vec<_> = CounterIdentifiers::parse(info.buffer(), 0)
                .map(|one| one.expect("sound").to_buf())
                .collect();
            let indexes: Vec<u32> = asked.iter().map(|one| one.index).collect();
            prop_assert_eq!(indexes, (0..model.asked.len() as u32).collect::<Vec<_>>());
            let is_asked = |(one, model): (&CounterIdentifierBuf, &Counter)| {
                (one.guid, one.counter_id, one.name.as_str()) == (guid(model.0), model.1, model.3)
            };
            prop_assert!(asked.iter().zip(&model.asked).all(is_asked));
            let answer = client.query_data(query).expect("an answer");
            let expected: Vec<Shown> = model.asked.iter().map(|counter| model.block(*counter)).collect();
            prop_assert_eq!(shown(&answer), expected);
        }
        client.close_query(query).expect("closed");
        prop_assert_eq!(client.server().len_state(), 0);
    }
}
