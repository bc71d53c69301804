//! Top instances, and the instances at a time.

use std::collections::{BTreeMap, BTreeSet};

use recount_compute::Cooked;
use serde_json::{Value, json};

use crate::client::{Server, sample};
use crate::fixture;
use crate::known::{Cell, are_same, cooked, figures, is_close, is_same, known, known_by_id};
use crate::values::log;

const UNIX_EPOCH: i64 = recount_model::Timestamp::UNIX_EPOCH.0;

fn ms(ticks: i64) -> f64 {
    (ticks - UNIX_EPOCH) as f64 / 1e4
}

/// Process ids and values of every sample.
type Samples = BTreeMap<i64, BTreeMap<u64, Vec<Option<f64>>>>;

fn samples(all: &[Cooked]) -> Samples {
    let mut samples = Samples::new();
    for cooked in all.iter().filter(|cooked| &*cooked.object.name == "Process") {
        for (sample, time) in cooked.times.iter().enumerate() {
            let of_time = samples.entry(time.utc.0).or_default();
            for (at, instance) in cooked.instances.iter().enumerate() {
                let cell = sample * cooked.instances.len() + at;
                let values = cooked.columns.iter().map(|column| column.value_at(cell)).collect();
                of_time.insert(instance.id.expect("an id"), values);
            }
        }
    }
    samples
}

fn rows(answer: &Value) -> &Vec<Value> {
    answer["rows"].as_array().expect("rows")
}

#[test]
fn stepping_shows_who_was_there_who_came_and_who_went() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 700);
    let samples = samples(&cooked(std::slice::from_ref(&path)));
    let server = Server::counted(&[path]);
    let times: Vec<i64> = samples.keys().copied().collect();
    let ids = |at: usize| samples[&times[at]].keys().copied().collect::<BTreeSet<u64>>();
    let mut at = ms(times[0]);
    let (mut num_began, mut num_ended) = (0, 0);
    for index in 0..times.len() {
        let step = i32::from(index > 0);
        let request =
            json!({"side": 0, "object": "Process", "at": at, "step": step, "sort": "% Processor Time"});
        let answer = server.post("instances", &request);
        assert_eq!(
            (answer["index"].as_u64(), answer["num_samples"].as_u64()),
            (Some(index as u64), Some(700))
        );
        at = answer["time_ms"].as_f64().expect("a time");
        assert!((at - ms(times[index])).abs() < 1e-3);
        let known = &samples[&times[index]];
        assert_eq!(rows(&answer).len(), known.len());
        let mut before = f64::INFINITY;
        for row in rows(&answer) {
            let id: u64 = row["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
            let values: Vec<Option<f64>> =
                row["values"].as_array().expect("values").iter().map(Value::as_f64).collect();
            assert!(are_same(&values, &known[&id]), "{index} {id}");
            let sorted = values[0].unwrap_or(f64::NEG_INFINITY);
            assert!(sorted <= before);
            before = sorted;
            let began = index > 0 && !ids(index - 1).contains(&id);
            let ended = index + 1 < times.len() && !ids(index + 1).contains(&id);
            assert_eq!(
                (row["began"].as_bool(), row["ended"].as_bool()),
                (Some(began), Some(ended)),
                "{index} {id}"
            );
            num_began += usize::from(began);
            num_ended += usize::from(ended);
        }
    }
    assert!(num_began > 5 && num_ended > 5, "processes come and go: {num_began}, {num_ended}");
    // Nothing follows the last sample.
    let last = server.post("instances", &json!({"object": "Process", "at": at, "step": 1}));
    assert_eq!(last["index"], 699);
    let refused = server.ask("instances", &json!({"object": "Nothing", "at": at}));
    assert_eq!(refused.status, 404);
}

#[test]
fn the_top_of_a_span_and_of_the_one_before() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 4_200);
    let (shown, by_id) = (known(std::slice::from_ref(&path)), known_by_id(std::slice::from_ref(&path)));
    let server = Server::counted(&[path]);
    // Short spans are decoded, process by process; of long ones only the edges.
    for (from, to) in [(900, 960), (2_100, 4_100), (0, 4_199), (1_900, 2_050)] {
        let is_short = to - from <= 1_500;
        let known = if is_short { &by_id } else { &shown };
        let (from, to) = (fixture::time(from) - 10_000, fixture::time(to));
        let request = json!({"object": "Process", "counter": "Working Set", "from": ms(from), "to": ms(to), "limit": 1_000});
        let answer = server.post("top", &request);
        let (from, to) = (from.min(to), to);
        let of = |from: i64, to: i64| -> BTreeMap<&str, Vec<&Cell>> {
            let series = known.iter().filter(|(path, _)| path.ends_with(r"\Working Set"));
            series
                .map(|(path, cells)| {
                    let is_in = |cell: &&Cell| (from..=to).contains(&cell.time) && cell.value.is_some();
                    (path.as_str(), cells.iter().filter(is_in).collect::<Vec<_>>())
                })
                .filter(|(_, cells)| !cells.is_empty())
                .collect()
        };
        let (now, before) = (of(from, to), of(from - (to - from), from - 1));
        assert_eq!(rows(&answer).len(), now.len());
        let mut share_before = f64::INFINITY;
        let mut num_several = 0;
        for row in rows(&answer) {
            let path = if is_short {
                format!(r"{}\Working Set", row["id"].as_str().expect("an id"))
            } else {
                row["path"].as_str().expect("a path").to_owned()
            };
            let path = path.as_str();
            // A name has an id if all its values have the same one.
            assert_eq!(row["id"].is_null(), row["several"].as_bool().expect("a word"), "{row}");
            num_several += usize::from(row["id"].is_null());
            let cells = &now[path];
            let [_, mean, max] = figures(cells.iter().copied()).expect("values");
            let number = |key: &str| row[key].as_f64().expect("a number");
            assert!(is_close(number("mean"), mean), "{path}: {} is not {mean}", number("mean"));
            assert!(is_same(row["max"].as_f64(), Some(max)), "{path}");
            assert!(is_close(number("share"), mean * number("presence")) && number("presence") <= 1.0);
            assert!(number("share") <= share_before);
            share_before = number("share");
            // Eight of them exist all the time.
            let is_lasting =
                path.contains("nginx") || path.starts_with("10") && path.len() == r"100\Working Set".len();
            assert!(!is_lasting || number("presence") > 0.99, "{path}: {}", number("presence"));
            let (first, last) = ends(cells);
            assert_eq!((row["last"].as_f64(), number("growth")), (Some(last), last - first), "{path}");
            match before.get(path) {
                None => assert!(row["before"].is_null(), "{path}"),
                Some(cells) => {
                    let [_, mean, max] = figures(cells.iter().copied()).expect("values");
                    let found = &row["before"];
                    assert!(is_close(found["mean"].as_f64().expect("a number"), mean), "{path}");
                    assert_eq!(found["max"].as_f64(), Some(max), "{path}");
                }
            }
        }
        assert_eq!(num_several > 0, !is_short, "names pass from process to process");
    }
    let refused = server.ask("top", &json!({"object": "Process", "counter": "x", "from": 0, "to": 1}));
    assert_eq!(refused.status, 404);
}

/// `svchost` is first 700, later 800, and `svchost#1` first 800, then 900: values stay with their processes.
#[test]
fn names_that_pass_on_take_no_values_along() {
    let server = Server::counted(&[sample("objects.blg")]);
    let capture = server.get("capture");
    let request = json!({"object": "Process", "counter": "% Processor Time", "from": capture["begin_ms"], "to": capture["end_ms"]});
    let answer = server.post("top", &request);
    let figures = |id: &str| {
        let row = rows(&answer).iter().find(|row| row["id"] == id).expect("a process");
        ["mean", "max", "growth"]
            .map(|key| row[key].as_f64().map(|value| (value * 1_000.0).round() / 1_000.0))
    };
    assert_eq!(figures("800"), [Some(5.333), Some(5.333), Some(0.0)]);
    assert_eq!(figures("900"), [Some(6.0), Some(6.0), Some(0.0)]);
    assert_eq!(figures("700")[..2], [Some(4.667), Some(4.667)]);
    // The name alone identifies neither of them.
    let objects = capture["sides"][0]["objects"].as_array().expect("a list");
    let process = objects.iter().find(|object| object["name"] == "Process").expect("processes");
    let instances = process["instances"].as_array().expect("a list");
    let named = |name: &str| instances.iter().find(|one| one["name"] == name).expect("a name");
    for name in ["svchost", "svchost#1"] {
        assert_eq!(
            (&named(name)["id"], &named(name)["several"]),
            (&Value::Null, &Value::Bool(true)),
            "{name}"
        );
    }
    assert!(instances.iter().any(|one| one["id"].is_string() && one["several"].is_null()), "{instances:?}");
    // A line of the name says whose each sample is, so that it can be cut; one of a single process needs no such words.
    let series = |name: &str| json!({"side": 0, "path": format!(r"\Process({name})\% Processor Time")});
    let window = json!({"from": capture["begin_ms"], "to": capture["end_ms"], "width": 500, "wait": true,
        "series": [series("svchost"), series("_Total")]});
    let answer = server.post("points", &window);
    let ids = |at: usize| answer["series"][at]["samples"]["id"].as_array().cloned().unwrap_or_default();
    let mut owners = ids(0);
    owners.dedup();
    assert_eq!((owners, ids(1)), (vec![json!("700"), json!("800")], Vec::new()), "{answer}");
}

/// Of few samples, which are decoded, and of many, which were counted.
#[test]
fn what_no_process_has_used_is_known() {
    let counters = [
        r"Processor(0)\% Processor Time",
        r"Processor(1)\% Processor Time",
        r"Processor(_Total)\% Processor Time",
        r"Process(x)\% Processor Time",
        r"Process(y)\% Processor Time",
        r"Process(y)\Working Set",
        r"Process(Idle)\% Processor Time",
        r"Process(_Total)\% Processor Time",
    ];
    for num_samples in [50, 2_500] {
        let mut text = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
        for counter in counters {
            text.push_str(&format!(",\"\\\\WEB1\\{counter}\""));
        }
        text.push('\n');
        for at in 0..num_samples {
            let (minute, second) = (at / 60, at % 60);
            text.push_str(&format!(
                "\"11/20/2026 08:{minute:02}:{second:02}.000\",98,94,96,60,40,1000,8,108\n"
            ));
        }
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("x.csv");
        std::fs::write(&path, text).expect("written");
        let server = Server::counted(&[path]);
        let capture = server.get("capture");
        let ask = |object: &str, counter: &str| {
            let request = json!({"object": object, "counter": counter, "from": capture["begin_ms"], "to": capture["end_ms"]});
            server.post("top", &request)["unattributed"].clone()
        };
        let rest = ask("Process", "% Processor Time").as_f64().expect("a number");
        assert!(is_close(rest, 92.0), "{num_samples}: {rest}");
        assert!(ask("Process", "Working Set").is_null() && ask("Processor", "% Processor Time").is_null());
    }
}

/// A process that existed for a moment has a small share of the span, however busy it was.
#[test]
fn who_was_there_for_long_comes_first() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 200);
    let server = Server::counted(&[path]);
    let (from, to) = (fixture::time(0), fixture::time(199));
    let request = |by: &str| json!({"object": "Process", "counter": "% Processor Time", "from": ms(from), "to": ms(to), "by": by, "limit": 1_000});
    for by in ["share", "mean"] {
        let answer = server.post("top", &request(by));
        let values: Vec<f64> = rows(&answer).iter().map(|row| row[by].as_f64().expect("a number")).collect();
        assert!(values.is_sorted_by(|one, other| one >= other), "{by}: {values:?}");
        let short = rows(&answer).iter().filter(|row| row["presence"].as_f64().expect("a number") < 0.5);
        assert!(short.count() > 0, "processes come and go");
    }
}

fn ends(cells: &[&Cell]) -> (f64, f64) {
    (cells[0].value.expect("a value"), cells[cells.len() - 1].value.expect("a value"))
}

/// The top few of many, by each of the figures: none with a larger value is missing.
#[test]
fn the_top_few_by_each_figure() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 4_200);
    let (shown, by_id) = (known(std::slice::from_ref(&path)), known_by_id(std::slice::from_ref(&path)));
    let server = Server::counted(&[path]);
    for (from, to) in [(900, 960), (100, 4_100)] {
        let known = if to - from <= 1_500 { &by_id } else { &shown };
        let (from, to) = (fixture::time(from) - 10_000, fixture::time(to));
        let mut all: Vec<[f64; 3]> = Vec::new();
        for (_, cells) in known.iter().filter(|(path, _)| path.ends_with(r"\Working Set")) {
            let is_in = |cell: &&Cell| (from..=to).contains(&cell.time) && cell.value.is_some();
            let cells: Vec<&Cell> = cells.iter().filter(is_in).collect();
            let Some([_, mean, max]) = figures(cells.iter().copied()) else { continue };
            let (first, last) = ends(&cells);
            all.push([mean, max, last - first]);
        }
        for (by, name) in ["mean", "max", "growth"].into_iter().enumerate() {
            let request = json!({"object": "Process", "counter": "Working Set", "from": ms(from), "to": ms(to), "by": name, "limit": 4});
            let answer = server.post("top", &request);
            assert_eq!(answer["num_instances"].as_u64(), Some(all.len() as u64));
            all.sort_by(|a, b| b[by].total_cmp(&a[by]));
            let found: Vec<f64> = rows(&answer).iter().map(|row| row[name].as_f64().expect(name)).collect();
            let expected = all.iter().take(4).map(|figures| figures[by]);
            assert_eq!(found.len(), 4);
            assert!(
                found.iter().zip(expected).all(|(found, expected)| is_close(*found, expected)),
                "{name}: {found:?}"
            );
        }
    }
}

/// Values that several captures have count once in a list of the top, too.
#[test]
fn overlapping_captures_have_the_top_of_the_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let capture = |name: &str, minutes: &mut dyn Iterator<Item = usize>| {
        let mut text = "\"(PDH-CSV 4.0) (UTC)(0)\"".to_owned();
        for instance in ["one", "two"] {
            text += &format!(",\"\\\\A\\Process({instance})\\% Processor Time\"");
        }
        for minute in minutes {
            text += &format!(
                "\n\"06/03/2026 08:{minute:02}:00.000\",\"{}\",\"{}\"",
                minute * minute,
                500 - minute
            );
        }
        let path = directory.path().join(name);
        std::fs::write(&path, text + "\n").expect("written");
        path
    };
    let whole = capture("whole.csv", &mut (0..30));
    let parts = [capture("1.csv", &mut (0..20)), capture("2.csv", &mut (10..30))];
    let top = |paths: &[std::path::PathBuf]| {
        let server = Server::counted(paths);
        let begin = recount::open(&whole).expect("a text").source.times()[0].utc.0;
        let (from, to) = (ms(begin), ms(begin + 29 * 600_000_000));
        let request = json!({"object": "Process", "counter": "% Processor Time", "from": from, "to": to});
        server.post("top", &request)["rows"].clone()
    };
    let expected = top(std::slice::from_ref(&whole));
    assert_eq!(expected.as_array().expect("rows").len(), 2);
    assert_eq!(top(&parts), expected);
    assert_eq!(top(&[parts[1].clone(), whole.clone(), parts[0].clone()]), expected);
}

/// Two processors that were busy for 96 % over a minute, and the processes of two programs.
fn busy(directory: &std::path::Path) -> std::path::PathBuf {
    let paths =
        ["Processor(0)", "Processor(1)", "Processor(_Total)", "Process(cc1plus)", "Process(cc1plus#1)"];
    let paths = paths.into_iter().chain(["Process(java)", "Process(sh)", "Process(Idle)", "Process(_Total)"]);
    let mut text = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
    text.extend(paths.map(|path| format!(",\"\\\\A\\{path}\\% Processor Time\"")));
    for second in (0..=50).step_by(10) {
        text.push_str(&format!("\n\"11/21/2026 12:00:{second:02}.000\",98,94,96,60,40,50,0,8,158"));
    }
    let path = directory.join("busy.csv");
    std::fs::write(&path, text + "\n").expect("a capture");
    path
}

#[test]
fn programs_are_stacked_up_to_what_the_processors_did() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::counted(&[busy(directory.path())]);
    let capture = server.get("capture");
    let (begin, end) = (&capture["begin_ms"], &capture["end_ms"]);
    let answer = server.post("programs", &json!({"side": 0, "from": begin, "to": end}));
    assert_eq!((&answer["by"], &answer["groupings"]), (&json!("command"), &json!(["command", "tree"])));
    assert_eq!((&answer["from"], &answer["to"]), (begin, end));
    let groups = answer["groups"].as_array().expect("groups");
    let mean = |shares: &Value| {
        let shares = shares.as_array().expect("shares");
        assert_eq!(shares.len(), 200);
        shares.iter().filter_map(Value::as_f64).sum::<f64>() / 200.0
    };
    let shown: Vec<(&str, f64)> =
        groups.iter().map(|group| (group["name"].as_str().unwrap_or(""), mean(&group["used"]))).collect();
    // What used nothing has no area.
    assert_eq!(shown.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["cc1plus", "java"]);
    assert!((shown[0].1 - 0.5).abs() < 1e-6 && (shown[1].1 - 0.25).abs() < 1e-6, "{shown:?}");
    assert!((mean(&answer["not_attributed"]) - 0.21).abs() < 1e-6, "{answer}");
    let processes = &groups[0]["processes"];
    assert_eq!((&processes["num"], &processes["num_with_cpu"]), (&json!(2), &json!(2)));
    assert_eq!(processes["trees"][0]["name"], "cc1plus");
    assert_eq!(processes["most"].as_array().map(Vec::len), Some(2));
    // Half of it, and a grouping that knows nothing.
    let half = begin.as_f64().zip(end.as_f64()).map(|(begin, end)| f64::midpoint(begin, end));
    let answer = server.post("programs", &json!({"side": 0, "from": begin, "to": half, "by": "unit"}));
    assert_eq!(
        (&answer["groups"][0]["name"], answer["groups"].as_array().map(Vec::len)),
        (&json!("-"), Some(1))
    );
    assert!((mean(&answer["groups"][0]["used"]) - 0.75).abs() < 1e-6, "{answer}");
}

#[test]
fn a_capture_without_processors_has_no_programs() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::counted(&[log(directory.path(), 20)]);
    let span = json!({"side": 0, "from": ms(fixture::time(0)), "to": ms(fixture::time(19))});
    let answer = server.post("programs", &span);
    let why = "This span has no values of processors and processes that could be compared.";
    assert_eq!(answer, json!({ "why": why }));
}
