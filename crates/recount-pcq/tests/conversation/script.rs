//! A scripted provider.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use recount_model::CounterType;
use recount_pcq::conversation::{
    AuthenticationLevel, Collected, CounterProvider, CounterTexts, CountersetInfo, InstanceValues,
    PerflibServer, PerflibV2, RawValue, ServerLimits,
};
use recount_pcq::{CounterRegInfo, CounterSetRegInfo, Guid, Registration};

pub(super) const RAWCOUNT: u32 = 0x0001_0000;
pub(super) const LARGE_RAWCOUNT: u32 = 0x0001_0100;

/// Changes the served data.
type Change = Box<dyn FnMut(&mut Vec<Option<Vec<InstanceValues>>>)>;

/// The provider's data; a test keeps a reference and changes it between calls.
#[derive(Default)]
pub(super) struct Script {
    pub(super) infos: Vec<CountersetInfo>,
    pub(super) sets: Vec<Option<Vec<InstanceValues>>>,
    /// Collecting fails altogether.
    pub(super) is_failing: bool,
    pub(super) num_collected: u64,
    /// Happens after each collection.
    pub(super) after: Option<Change>,
}

/// See [`Script`].
pub(super) struct Scripted {
    script: Rc<RefCell<Script>>,
    infos: Vec<CountersetInfo>,
}

impl Scripted {
    /// Serves other countersets from now on.
    pub(super) fn register(&mut self, infos: Vec<CountersetInfo>) {
        self.infos = infos;
    }
}

impl CounterProvider for Scripted {
    type Error = std::io::Error;

    fn countersets(&self) -> &[CountersetInfo] {
        &self.infos
    }

    fn collect(&mut self) -> Result<Option<Collected>, std::io::Error> {
        let mut script = self.script.borrow_mut();
        script.num_collected += 1;
        if script.is_failing {
            return Err(std::io::Error::other("told to fail"));
        }
        let collected = Collected {
            perf_time: 1_000 * script.num_collected,
            perf_freq: 1_000,
            time_100ns: TIME + 10_000_000 * script.num_collected,
            system_time: [2024, 5, 3, 15, 12, 0, 0, 0],
            sets: script.sets.clone(),
        };
        if let Some(mut after) = script.after.take() {
            after(&mut script.sets);
            script.after = Some(after);
        }
        Ok(Some(collected))
    }
}

/// 2024-05-15 12:00:00 UTC.
pub(super) const TIME: u64 = 133_602_480_000_000_000;

/// A server over a script, and the script. The binding has the required authentication level.
pub(super) struct Rig {
    pub(super) script: Rc<RefCell<Script>>,
    pub(super) server: PerflibServer<Scripted>,
}

impl Rig {
    pub(super) fn new(sets: Vec<(CountersetInfo, Option<Vec<InstanceValues>>)>) -> Rig {
        Rig::with_limits(sets, ServerLimits::default())
    }

    pub(super) fn with_limits(
        sets: Vec<(CountersetInfo, Option<Vec<InstanceValues>>)>,
        limits: ServerLimits,
    ) -> Rig {
        let (infos, sets): (Vec<_>, Vec<_>) = sets.into_iter().unzip();
        let script = Script { infos: infos.clone(), sets, ..Script::default() };
        let script = Rc::new(RefCell::new(script));
        let provider = Scripted { script: Rc::clone(&script), infos };
        let mut server = PerflibServer::with_limits(provider, limits);
        server.set_authentication_level(AuthenticationLevel::PKT_PRIVACY);
        Rig { script, server }
    }

    pub(super) fn script(&self) -> RefMut<'_, Script> {
        self.script.borrow_mut()
    }

    /// The countersets become those of the script, as when a provider registers or withdraws some.
    pub(super) fn register(&mut self) {
        let infos = self.script.borrow().infos.clone();
        self.server.provider().register(infos);
    }
}

pub(super) fn guid(number: u8) -> Guid {
    Guid([number; 16])
}

/// A counterset with counters of the given ids and types.
pub(super) fn counterset(number: u8, instance_type: u32, counters: &[(u32, u32)]) -> CountersetInfo {
    let set = CounterSetRegInfo {
        guid: guid(number),
        counter_set_type: 0,
        detail_level: 100,
        num_counters: counters.len() as u32,
        instance_type,
    };
    let counter = |(id, word): &(u32, u32)| CounterRegInfo {
        aggregate_func: 1,
        ..CounterRegInfo::unlinked(*id, CounterType(*word))
    };
    let texts = |(id, _): &(u32, u32)| CounterTexts {
        name: format!("Counter {id}"),
        description: format!("Counts {id}."),
    };
    CountersetInfo {
        registration: Registration { set, counters: counters.iter().map(counter).collect() },
        name: format!("Set {number}"),
        description: format!("About {number}."),
        counters: counters.iter().map(texts).collect(),
        provider_name: "script".to_owned(),
        provider_guid: guid(0xEE),
    }
}

pub(super) fn instance(name: &str, id: u32, values: &[RawValue]) -> InstanceValues {
    InstanceValues { name: name.to_owned(), id, values: values.to_vec() }
}

/// A disk counterset with two instances, a single-instance one, and an aggregate one that is empty.
pub(super) fn usual() -> Vec<(CountersetInfo, Option<Vec<InstanceValues>>)> {
    use RawValue::{Dword, Large, Missing};
    let disks = counterset(1, 2, &[(10, RAWCOUNT), (11, LARGE_RAWCOUNT), (12, RAWCOUNT)]);
    let memory = counterset(2, 0, &[(1, LARGE_RAWCOUNT), (2, RAWCOUNT)]);
    let sessions = counterset(3, 4, &[(7, RAWCOUNT)]);
    vec![
        (
            disks,
            Some(vec![
                instance("C:", 0, &[Dword(100), Large(1 << 40), Missing]),
                instance("Data", 5, &[Dword(200), Large(2 << 40), Dword(7)]),
            ]),
        ),
        (memory, Some(vec![instance("", 0, &[Large(u64::MAX), Dword(u32::MAX)])])),
        (sessions, Some(Vec::new())),
    ]
}
