use super::*;
use recount_model::{CookedColumn, SampleTime, Status, Timestamp};

#[test]
fn every_name_is_one_of_our_own_recorder() {
    let of_row = |row: &ObjectEquivalents| {
        row.counters.iter().map(|(_, name)| (row.object, *name)).collect::<Vec<_>>()
    };
    recount_testdata::assert_names_are_ours(CANONICAL.iter().flat_map(of_row));
}

fn def(name: &str, counters: &[&str], instanced: bool) -> Arc<ObjectDef> {
    let counter = |name: &&str| CounterDef { name: (*name).into(), ..CounterDef::default() };
    let counters = counters.iter().map(counter).collect();
    Arc::new(ObjectDef { name: name.into(), counters, instanced, ..ObjectDef::default() })
}

fn time(second: i64) -> SampleTime {
    SampleTime { utc: Timestamp(second * Timestamp::TICKS_PER_SECOND), offset_min: 0 }
}

fn objects() -> Objects {
    let defs = [
        def("CPU", &["idle+wait", "guest"], true),
        def("MEM", &["free", "cache"], false),
        def("PAG", &["swin"], false),
        def("SWP", &["tot", "vmcom"], false),
        def("TCP", &["InSegs", "AttemptFails"], false),
    ];
    defs.map(|def| ("web1".into(), def)).into()
}

/// Two samples, of which the second lacks PAG.
fn decoded() -> Decoded {
    let cooked = |(host, object): (Arc<str>, Arc<ObjectDef>), start: f64| {
        let num = if &*object.name == "PAG" { 1 } else { 2 };
        let column = |counter: usize| CookedColumn {
            counter,
            values: (0..num).map(|at| start + counter as f64 + f64::from(at) / 10.0).collect(),
            status: Some(vec![Status::Ok; num as usize]),
            covers: None,
            texts: None,
        };
        Cooked {
            host,
            instances: [if object.instanced { Instance::named("0") } else { Instance::unnamed() }].into(),
            times: (0..i64::from(num)).map(time).collect(),
            interval_s: vec![Some(1.0); num as usize],
            gaps: Vec::new(),
            first_s: Vec::new(),
            continued: vec![true],
            columns: (0..object.counters.len()).map(column).collect(),
            object,
            raw: None,
        }
    };
    let objects = objects().into_iter().zip([100.0, 200.0, 300.0, 400.0, 500.0]);
    Decoded { cooked: objects.map(|(object, start)| cooked(object, start)).collect(), ..Decoded::default() }
}

fn values(names: &Names, selection: &str) -> Vec<(String, Vec<f64>)> {
    let patterns = if selection.is_empty() { vec![] } else { vec![selection.parse().expect("a pattern")] };
    let decoded = names.renamed(decoded(), &Selection::from_iter(patterns));
    let of_object = |cooked: &Cooked| {
        let named = |column: &CookedColumn| {
            let name = &cooked.object.counters[column.counter].name;
            let path = format!("{}({})\\{name}", cooked.object.name, cooked.instances[0]);
            (path, column.values.clone())
        };
        cooked.columns.iter().map(named).collect::<Vec<_>>()
    };
    decoded.cooked.iter().flat_map(of_object).collect()
}

#[test]
fn counters_go_to_the_objects_that_they_are_of() {
    let names = Names::of(&objects());
    let of = |path: &str| {
        let values = values(&names, "");
        let found = values.iter().filter(|(name, _)| name == path);
        found.flat_map(|(_, values)| values.clone()).collect::<Vec<f64>>()
    };
    assert_eq!(of(r"Processor(0)\% Idle Time"), [100.0, 100.1]);
    assert_eq!(of(r"CPU(0)\guest"), [101.0, 101.1], "what isn't the same keeps its name");
    assert_eq!(of(r"Memory()\Free & Zero Page List Bytes"), [200.0, 200.1]);
    assert_eq!(of(r"Memory()\Swap Pages Input/sec"), [300.0]);
    assert_eq!(of(r"Memory()\Committed Bytes"), [401.0, 401.1]);
    assert_eq!(of(r"Paging File(_Total)\Size Bytes"), [400.0, 400.1]);
    assert_eq!(of(r"TCP()\Segments Received/sec"), [500.0, 500.1]);
    assert_eq!(of(r"TCP()\AttemptFails"), [501.0, 501.1], "in the object of the same name");
    // One row of an object per sample, wherever its values come from.
    let decoded = names.renamed(decoded(), &Selection::all());
    let memory: Vec<&Cooked> =
        decoded.cooked.iter().filter(|cooked| &*cooked.object.name == "Memory").collect();
    assert_eq!(memory.iter().map(|cooked| cooked.times[0]).collect::<Vec<_>>(), [time(0), time(1)]);
    assert!(memory.iter().all(|cooked| cooked.columns.is_sorted_by_key(|column| column.counter)));
    assert_eq!(values(&names, r"\Memory\Committed Bytes").len(), 2);
    let objects: Vec<String> = names.objects.iter().map(|(_, def)| def.name.to_string()).collect();
    assert_eq!(objects, ["Processor", "CPU", "Memory", "MEM", "Paging File", "TCP"]);
}

/// With real logs.
mod stored {
    use std::collections::BTreeMap;
    use std::io::Read;

    use recount_model::{Source, Timestamp};

    use super::super::*;
    use crate::AtopLog;

    fn open(name: &str) -> AtopLog {
        let packed = recount_testdata::shared(&format!("atop/{name}"));
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).expect("gzip");
        AtopLog::open(Arc::new(bytes)).expect(name)
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn every_row_is_of_a_counter_that_logs_have() {
        let log = open("gpu-2.12.raw.gz");
        let (own, objects) = (log.objects(), log.canonical().expect("names").objects());
        for row in CANONICAL {
            for (counter, name) in row.counters {
                let has = |object: &str, counter: &str, all: &[(Arc<str>, Arc<ObjectDef>)]| {
                    all.iter().any(|(_, def)| &*def.name == object && def.counter_named(counter).is_some())
                };
                assert!(has(row.own, counter, &own), "{} {counter}", row.own);
                assert!(has(row.object, name, &objects), "{} {name}", row.object);
            }
        }
    }

    /// The values of a counter, as bits, by time and place among the instances of the sample.
    fn cells(cooked: &[Cooked], object: &str, counter: &str) -> BTreeMap<(Timestamp, usize), u64> {
        let mut cells = BTreeMap::new();
        for cooked in cooked.iter().filter(|cooked| &*cooked.object.name == object) {
            let at = cooked.object.counter_named(counter);
            let column = cooked.columns.iter().find(|column| Some(column.counter) == at);
            for cell in 0..cooked.num_cells() {
                let (sample, instance) = (cell / cooked.instances.len(), cell % cooked.instances.len());
                if let Some(value) = column.and_then(|column| column.value_at(cell)) {
                    cells.insert((cooked.times[sample].utc, instance), value.to_bits());
                }
            }
        }
        cells
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn values_are_the_same_under_other_names() {
        for name in ["gpu-2.12.raw.gz", "load-2.8.1.raw.gz", "atop_2_3.log.gz", "appended-2.12.raw.gz"] {
            let log = open(name);
            let all: Vec<u32> = (0..log.times().len() as u32).collect();
            let renamed = log.canonical().expect("names").decode(&all, &Selection::all()).cooked;
            let own = log.decode(&all, &Selection::all()).cooked;
            let mut num_cells = 0;
            for row in CANONICAL {
                for (counter, name) in row.counters {
                    let (found, of_own) = (cells(&renamed, row.object, name), cells(&own, row.own, counter));
                    num_cells += found.len();
                    // A process doesn't have what its children have done.
                    if row.object == "Process" && name.starts_with("Storage ") {
                        assert!(
                            found.len() > of_own.len() / 2,
                            "{name}: {} of {}",
                            found.len(),
                            of_own.len()
                        );
                        let same = found.iter().all(|(cell, value)| of_own.get(cell) == Some(value));
                        assert!(same, "{name}: a cell has another value");
                    } else {
                        assert_eq!(found, of_own, "{name} {}", row.object);
                    }
                }
            }
            assert!(num_cells > 400, "{name}: {num_cells}");
        }
    }
}
