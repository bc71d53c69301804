//! `recount diff`

use serde_json::Value;

use super::run::{Outputs, recount, sample};

/// A capture of two counters, around levels, with noise that has a memory.
fn capture(outputs: &Outputs, name: &str, levels: [f64; 2], seed: u64) -> String {
    let mut text = String::from(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Process(app)\\% Processor Time\",\"\\\\A\\PhysicalDisk(0)\\Disk Bytes/sec\"\n",
    );
    let (mut state, mut noise) = (seed, 0.0);
    for at in 0..400 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        noise = 0.8 * noise + (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5;
        let (minute, second) = (at / 60, at % 60);
        let values = levels.map(|level| level + noise);
        text.push_str(&format!(
            "\"11/21/2026 10:{minute:02}:{second:02}.000\",\"{}\",\"{}\"\n",
            values[0], values[1]
        ));
    }
    outputs.write(name, text)
}

#[test]
fn a_change_for_the_worse_is_a_regression() {
    let outputs = Outputs::new();
    let base = capture(&outputs, "base.csv", [20.0, 100.0], 1);
    let same = capture(&outputs, "same.csv", [20.0, 100.0], 2);
    let worse = capture(&outputs, "worse.csv", [25.0, 150.0], 3);
    let json = outputs.path("d.json");
    let verdicts = |new: &str, code| -> Vec<String> {
        let done = recount(&["diff", &base, new, "--json", &json, "--force"]);
        assert_eq!(done.code, Some(code), "{}{}", done.stdout, done.stderr);
        let json: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("JSON")).expect("JSON");
        let changes = json["changes"].as_array().expect("changes").clone();
        changes.iter().map(|change| format!("{} {}", change["counter"], change["verdict"])).collect()
    };
    assert_eq!(
        verdicts(&same, 0),
        ["\"Disk Bytes/sec\" \"same\"", "\"% Processor Time\" \"same\""]
            .map(String::from)
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
    // Of throughput it isn't known whether more is worse.
    assert_eq!(verdicts(&worse, 1), ["\"% Processor Time\" \"regression\"", "\"Disk Bytes/sec\" \"change\""]);
}

/// Values of one counter, a second apart.
fn series(outputs: &Outputs, name: &str, path: &str, values: &[f64]) -> String {
    let rows = values
        .iter()
        .enumerate()
        .map(|(at, value)| format!("\"11/21/2026 10:{:02}:{:02}.000\",\"{value}\"\n", at / 60, at % 60));
    let head = format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\{path}\"\n");
    outputs.write(name, head + &rows.collect::<Vec<_>>().concat())
}

fn tolerance_of(outputs: &Outputs, path: &str) -> String {
    let text = format!(
        "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n[[tolerance]]\nid = \"cpu\"\ncounter = '\\{path}'\n\
         metric = \"mean\"\nallow = \"+5%\"\nseverity = \"critical\"\n"
    );
    outputs.write("t.toml", text)
}

/// A capture that is at two levels has few independent values: a large difference is neither certain nor the same.
#[test]
fn what_may_be_chance_is_not_called_the_same() {
    let outputs = Outputs::new();
    let cpu = r"Processor(_Total)\% Processor Time";
    let at = |name: &str, level: f64| {
        let values: Vec<f64> =
            (0..600).map(|at| if at < 150 { 5.0 } else { level } + f64::from(at % 7)).collect();
        series(&outputs, name, cpu, &values)
    };
    let (base, twice) = (at("base.csv", 20.0), at("twice.csv", 40.0));
    let text = recount(&["diff", &base, &twice]).fine();
    assert!(
        text.starts_with("verdict") && text.contains("\nunsure ") && text.contains(" 1 unsure, 0 the same"),
        "{text}"
    );
    let text = recount(&["diff", &base, &base]).fine();
    assert!(text.starts_with("0 regressions") && text.contains(" 0 unsure, 1 the same"), "{text}");
}

#[test]
fn a_tolerance_with_too_few_values_is_not_passed() {
    let outputs = Outputs::new();
    let cpu = r"Process(app)\% Processor Time";
    let [base, new] = [10.0, 30.0].map(|level: f64| {
        let values: Vec<f64> = (0..6).map(|at| level + f64::from(at % 3)).collect();
        series(&outputs, &format!("{level}.csv"), cpu, &values)
    });
    let (tolerance, junit) = (tolerance_of(&outputs, cpu), outputs.path("j.xml"));
    let done = recount(&["diff", &base, &new, "--rules", &tolerance, "--junit", &junit]);
    assert_eq!(done.code, Some(2), "{}{}", done.stdout, done.stderr);
    assert!(done.stderr.contains("too few values on one side or both"), "{}", done.stderr);
    assert!(
        done.stdout.contains("0 beyond tolerance, 1 not checked; without tolerances: "),
        "{}",
        done.stdout
    );
    assert!(std::fs::read_to_string(junit).expect("a file").contains("errors=\"1\""));
    // A change within the tolerance needs no test.
    assert_eq!(recount(&["diff", &base, &base, "--rules", &tolerance]).code, Some(0));
}

/// Windows has processors under two names.
#[test]
fn a_processor_is_compared_by_either_name() {
    let outputs = Outputs::new();
    let values = |level: f64| -> Vec<f64> { (0..120).map(|at| level + f64::from(at % 5)).collect() };
    let old = series(&outputs, "old.csv", r"Processor(3)\% Processor Time", &values(10.0));
    let new = series(&outputs, "new.csv", r"Processor Information(0,3)\% Processor Time", &values(30.0));
    let text = recount(&["diff", &old, &new]);
    assert_eq!(text.code, Some(1), "{}{}", text.stdout, text.stderr);
    assert!(text.stdout.contains("0 series with values only in the base, 0 only in"), "{}", text.stdout);
    for path in [r"Processor(3)\% Processor Time", r"Processor Information(0,3)\% Processor Time"] {
        let done = recount(&["diff", &old, &new, "--rules", &tolerance_of(&Outputs::new(), path)]);
        assert_eq!(done.code, Some(1), "{path}: {}{}", done.stdout, done.stderr);
    }
}

/// What differs between the bases as well is no change, and violates no tolerance.
#[test]
fn a_change_is_one_from_each_base() {
    let outputs = Outputs::new();
    let slow = capture(&outputs, "slow.csv", [20.0, 100.0], 1);
    let fast = capture(&outputs, "fast.csv", [15.0, 100.0], 2);
    let new = capture(&outputs, "new.csv", [20.0, 150.0], 3);
    let worse = capture(&outputs, "worse.csv", [25.0, 100.0], 4);
    let tolerances = outputs.write(
        "t.toml",
        "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n[[tolerance]]\nid = \"cpu\"\ncounter = '\\Process(app)\\% Processor Time'\n\
         metric = \"mean\"\nallow = \"+5%\"\nseverity = \"critical\"\n",
    );
    let json = |captures: &[&str], code: i32| -> Value {
        let done = recount(&[&["diff"], captures, &["--json"]].concat());
        assert_eq!(done.code, Some(code), "{captures:?}: {}{}", done.stdout, done.stderr);
        serde_json::from_str(&done.stdout).expect("JSON")
    };
    let verdict = |json: &Value, counter: &str| {
        let changes = json["changes"].as_array().expect("changes");
        let of_it = changes.iter().find(|change| change["counter"] == counter).expect("the counter");
        of_it["verdict"].as_str().expect("a verdict").to_owned()
    };
    let of = |captures: &[&str], code: i32| {
        let json = json(captures, code);
        [verdict(&json, "% Processor Time"), verdict(&json, "Disk Bytes/sec")]
    };
    assert_eq!(of(&[&fast, &new], 1), ["regression", "change"]);
    // In any order: one of the bases is as slow.
    assert_eq!(of(&[&fast, &slow, &new], 0), ["same", "change"]);
    assert_eq!(of(&[&slow, &fast, &new], 0), ["same", "change"]);
    assert_eq!(of(&[&fast, &slow, &worse], 1), ["regression", "same"]);
    // It is between the two.
    assert_eq!(of(&[&fast, &worse, &slow], 0), ["same", "same"]);
    let rules = |captures: &[&str]| recount(&[&["diff"], captures, &["--rules", &tolerances]].concat());
    assert_eq!(rules(&[&fast, &new]).code, Some(1));
    assert_eq!(rules(&[&fast, &slow, &worse]).code, Some(1));
    let kept = rules(&[&fast, &slow, &new]);
    assert_eq!(kept.code, Some(0), "{}{}", kept.stdout, kept.stderr);
    assert!(kept.stdout.contains("allowed is +5%, but compared with"), "{}", kept.stdout);
    assert!(kept.stdout.contains("1 change from the first base isn't confirmed by"), "{}", kept.stdout);
}

/// A base that lacks a counter, or has too few values of it, has no say, wherever it stands.
#[test]
fn a_base_that_knows_nothing_has_no_say() {
    let outputs = Outputs::new();
    let base = capture(&outputs, "base.csv", [20.0, 100.0], 1);
    let new = capture(&outputs, "new.csv", [25.0, 100.0], 2);
    let text = std::fs::read_to_string(&base).expect("a capture");
    let short = outputs.write("short.csv", text.lines().take(7).collect::<Vec<_>>().join("\n"));
    let other = outputs.write("other.csv", text.replace("Process(app)", "Process(other)"));
    for bases in [[&short, &base], [&base, &short], [&other, &base], [&base, &other]] {
        let html = outputs.path("page.html");
        let done = recount(&["diff", bases[0], bases[1], &new, "--html", &html, "--force"]);
        assert_eq!(done.code, Some(1), "{bases:?}: {}{}", done.stdout, done.stderr);
        assert!(done.stdout.contains("1 regression, "), "{bases:?}: {}", done.stdout);
    }
}

/// A recording of a machine with so many processors, all of them 20 % busy.
fn processors(outputs: &Outputs, name: &str, host: &str, num: u32) -> String {
    let column = |cpu: u32| format!(",\"\\\\{host}\\Processor({cpu})\\% Processor Time\"");
    let row = |at: u32| format!("\"11/21/2026 10:00:{at:02}.000\"{}\n", ",\"20\"".repeat(num as usize));
    let (columns, rows) = ((0..num).map(column).collect::<String>(), (0..60).map(row).collect::<String>());
    outputs.write(name, format!("\"(PDH-CSV 4.0) (UTC)(0)\"{columns}\n{rows}"))
}

#[test]
fn machines_that_differ_are_told() {
    let outputs = Outputs::new();
    let base = processors(&outputs, "base.csv", "BUILD4", 4);
    let told = |new: &str| {
        let done = recount(&["diff", &base, new]).fine();
        done.lines().find(|line| line.starts_with("note: ")).map(str::to_owned)
    };
    let other = processors(&outputs, "other.csv", "BUILD9", 8);
    let larger = processors(&outputs, "larger.csv", "BUILD4", 8);
    assert_eq!(
        told(&other).as_deref(),
        Some(
            "note: the captures aren't of the same machines: BUILD4 (4 processors) in the base, BUILD9 (8 processors) in the new one"
        )
    );
    assert_eq!(
        told(&larger).as_deref(),
        Some("note: the base has values of 4 processors, the new capture of 8")
    );
    assert_eq!(told(&base), None);
}

#[test]
fn programs_of_one_capture_are_named() {
    let outputs = Outputs::new();
    let log = |name: &str, programs: &[(&str, f64, usize)]| {
        let columns =
            programs.iter().map(|(name, ..)| format!(",\"\\\\A\\Process({name})\\% Processor Time\""));
        let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\n", columns.collect::<Vec<_>>().concat());
        for at in 0..120 {
            text.push_str(&format!("\"11/21/2026 12:{:02}:{:02}.000\"", at / 6, at % 6 * 10));
            for (_, used, num_samples) in programs {
                let cell = if at < *num_samples { used.to_string() } else { " ".to_owned() };
                text.push_str(&format!(",\"{cell}\""));
            }
            text.push('\n');
        }
        outputs.write(name, text)
    };
    let base = log("base.csv", &[("app", 20.0, 120), ("old", 5.0, 120), ("Idle", 60.0, 120)]);
    let new = log(
        "new.csv",
        &[
            ("app", 20.0, 120),
            ("yes", 96.0, 120),
            ("cc1", 30.0, 60),
            ("cc1#1", 30.0, 60),
            ("short", 96.0, 1),
            ("a", 2.0, 120),
            ("b", 3.0, 120),
            ("_Total", 150.0, 120),
        ],
    );
    let text = recount(&["diff", &base, &new]).fine();
    // cc1: two processes for half of the time.
    assert!(
        text.contains(
            "note: programs only in the new one: yes (96 % of a processor), cc1 (30 %), b (3 %), and 1 more\n"
        ),
        "{text}"
    );
    assert!(text.contains("note: programs only in the base: old (5 % of a processor)\n"), "{text}");
    let markdown = outputs.path("c.md");
    recount(&["diff", &base, &new, "--markdown", &markdown]).fine();
    assert!(
        std::fs::read_to_string(markdown).expect("written").contains("yes (96 % of a processor), cc1 (30 %)")
    );
    // Names that differ in case only are one, as for the counters.
    let other = log("other.csv", &[("APP", 20.0, 120), ("old", 5.0, 120)]);
    assert!(!recount(&["diff", &base, &other]).fine().contains("programs only in"));
    // A process whose processor time isn't there is there.
    let memory = log("memory.csv", &[("app", 20.0, 120), ("yes", 96.0, 120)]);
    let text = std::fs::read_to_string(&memory).expect("written");
    let memory = outputs
        .write("memory.csv", text.replace(r"Process(yes)\% Processor Time", r"Process(yes)\Working Set"));
    let text = recount(&["diff", &memory, &new]).fine();
    assert!(text.contains("programs only in the new one: cc1 (30 % of a processor)"), "{text}");
    // Of a capture without processes nothing is known.
    let none = outputs.write(
        "none.csv",
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Memory\\Pages/sec\"\n\"11/21/2026 12:00:00.000\",\"1\"\n",
    );
    assert!(!recount(&["diff", &none, &new]).stdout.contains("programs only in"));
}

/// Leaks: all values are larger, but they only rise, so there is hardly more than one independent value. If the base rises, too, it
/// could have gone on to the new values: that isn't certain, and isn't the same. If it stands still, it couldn't.
#[test]
fn what_is_far_apart_is_certain_if_the_base_could_not_have_it() {
    let outputs = Outputs::new();
    let capture = |name: &str, first: f64, slope: f64| -> String {
        let mut text = String::from("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Process(app)\\Private Bytes\"\n");
        for at in 0..60 {
            let bytes = first + slope * f64::from(at) + f64::from(at % 7) * 1e5;
            text.push_str(&format!("\"11/21/2026 10:00:{at:02}.000\",\"{bytes}\"\n"));
        }
        outputs.write(name, text)
    };
    let still = capture("still.csv", 250e6, 1e4);
    let leak = capture("leak.csv", 250e6, 4e7);
    let goes_on = capture("on.csv", 250e6 + 60.0 * 4e7, 4e7);
    let again = capture("again.csv", 250e6, 1e4);
    let verdicts = |base: &str, new: &str| recount(&["diff", base, new]).stdout;
    let found = verdicts(&leak, &goes_on);
    assert!(
        found.contains("1 unsure, 0 the same") && found.contains(r"\Process(app)\Private Bytes"),
        "{found}"
    );
    let found = verdicts(&still, &leak);
    assert!(found.starts_with("verdict") && found.contains("1 regression, "), "{found}");
    assert!(verdicts(&still, &again).contains("0 unsure, 1 the same"), "{}", verdicts(&still, &again));
}

/// It was 0 throughout, and is at 3,000 for 80 of 120 values.
#[test]
fn what_left_zero_for_most_of_the_time_is_not_the_same() {
    let outputs = Outputs::new();
    let mut text = String::from("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Zero\\Things/sec\"\n");
    for at in 0..480 {
        let value = if (370..450).contains(&at) { 3_000.0 + f64::from(at * 7 % 11) * 60.0 } else { 0.0 };
        text.push_str(&format!("\"11/21/2026 10:{:02}:{:02}.000\",\"{value}\"\n", at / 60, at % 60));
    }
    let path = outputs.write("zero.csv", text);
    let found =
        recount(&["diff", &path, "--base", "10:00:00..10:05:59", "--new", "10:06:00..10:07:59"]).stdout;
    assert!(found.contains("1 other change, 0 unsure, 0 the same"), "{found}");
}

#[test]
fn one_size_in_three_units_is_one_change() {
    let outputs = Outputs::new();
    let capture = |name: &str, level: f64, seed: u64| -> String {
        let names = ["Bytes", "KBytes", "MBytes"].map(|unit| format!(",\"\\\\A\\Memory\\Available {unit}\""));
        let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\n", names.concat());
        let mut state = seed;
        for at in 0..400 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bytes = (level + (state >> 40) as f64).floor();
            let [kib, mib] = [1_024.0, 1_048_576.0].map(|unit: f64| (bytes / unit).floor());
            let (minute, second) = (at / 60, at % 60);
            text.push_str(&format!(
                "\"11/21/2026 10:{minute:02}:{second:02}.000\",\"{bytes}\",\"{kib}\",\"{mib}\"\n"
            ));
        }
        outputs.write(name, text)
    };
    let (base, new) = (capture("base.csv", 9e8, 1), capture("new.csv", 4e8, 2));
    let json = outputs.path("d.json");
    let done = recount(&["diff", &base, &new, "--json", &json]);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("JSON")).expect("JSON");
    let changes = json["changes"].as_array().expect("changes");
    let lead: Vec<&Value> = changes.iter().filter(|change| change["same_as"].is_null()).collect();
    assert_eq!((changes.len(), lead.len()), (3, 1), "{}", done.stdout);
    assert_eq!(done.stdout.matches("Available").count(), 1, "{}", done.stdout);
}

#[test]
fn tolerances_decide_if_there_are_any() {
    let outputs = Outputs::new();
    let base = capture(&outputs, "base.csv", [20.0, 100.0], 1);
    let worse = capture(&outputs, "worse.csv", [25.0, 150.0], 3);
    let tolerance = |allow: &str| {
        let text = format!(
            "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n\n[[tolerance]]\nid = \"cpu\"\ncounter = '\\Process(app)\\% Processor Time'\nmetric = \"p95\"\nallow = \"{allow}\"\nseverity = \"critical\"\nexplanation = \"More work.\"\n"
        );
        outputs.write("t.toml", text)
    };
    for (allow, code) in [("+5%", 1), ("+50%", 0), ("+4", 1), ("+6", 0), ("-5%", 0)] {
        let done = recount(&["diff", &base, &worse, "--rules", &tolerance(allow)]);
        assert_eq!(done.code, Some(code), "{allow}: {}{}", done.stdout, done.stderr);
        // The summary doesn't contradict the exit code.
        let said = "\n1 beyond tolerance; without tolerances: ";
        assert_eq!(done.stdout.contains(said), code == 1, "{allow}: {}", done.stdout);
    }
    let bad = recount(&["diff", &base, &worse, "--rules", &tolerance("5%")]).failed();
    assert!(bad.contains("t.toml: line 10") && bad.contains("has no sign"), "{bad}");
}

fn tolerances(outputs: &Outputs, all: &[(&str, &str)]) -> String {
    let of = |(counter, rest): &(&str, &str)| {
        format!(
            "[[tolerance]]\nid = '{counter}'\ncounter = '{counter}'\nmetric = \"mean\"\nseverity = \"critical\"\n{rest}\n"
        )
    };
    let all: String = all.iter().map(of).collect();
    outputs.write("t.toml", format!("[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n{all}"))
}

/// What nobody has checked hasn't passed.
#[test]
fn a_tolerance_without_a_counter_is_an_error() {
    const ALLOW: &str = "allow = \"+500%\"";
    let outputs = Outputs::new();
    let base = capture(&outputs, "base.csv", [20.0, 100.0], 1);
    let worse = capture(&outputs, "worse.csv", [25.0, 150.0], 3);
    let (known, unknown) = (r"\Process(app)\% Processor Time", r"\Process(no-such)\% Processor Time");
    let diff = |all: &[(&str, &str)]| {
        let junit = outputs.path("d.xml");
        let rules = tolerances(&outputs, all);
        let done = recount(&["diff", &base, &worse, "--rules", &rules, "--junit", &junit, "--force"]);
        (done.code, done.stderr, std::fs::read_to_string(&junit).expect("JUnit"))
    };
    assert_eq!(diff(&[(known, ALLOW)]).0, Some(0));
    let (code, said, junit) = diff(&[(known, ALLOW), (unknown, ALLOW)]);
    assert_eq!(code, Some(2), "{said}");
    assert!(junit.contains("errors=\"1\"") && junit.contains("type=\"unjudged\""), "{junit}");
    assert!(
        said.contains("t.toml: no counter has values on both sides for") && said.contains(unknown),
        "{said}"
    );
    assert!(said.contains("optional = true"), "{said}");
    let (code, said, junit) = diff(&[(known, ALLOW), (unknown, "allow = \"+5%\"\noptional = true")]);
    assert_eq!(code, Some(0), "{said}");
    assert!(junit.contains("errors=\"0\"") && junit.contains("<skipped"), "{junit}");
    // One that is exceeded doesn't hide that another wasn't checked.
    assert_eq!(diff(&[(known, "allow = \"+5%\""), (unknown, ALLOW)]).0, Some(2));
}

#[test]
fn a_difference_below_the_floor_passes() {
    let outputs = Outputs::new();
    let base = capture(&outputs, "base.csv", [20.0, 100.0], 1);
    let worse = capture(&outputs, "worse.csv", [25.0, 150.0], 3);
    let code = |counter: &str, rest: &str| {
        recount(&["diff", &base, &worse, "--rules", &tolerances(&outputs, &[(counter, rest)])]).code
    };
    let (share, bytes) = (r"\Process(app)\% Processor Time", r"\PhysicalDisk(0)\Disk Bytes/sec");
    assert_eq!(code(share, "allow = \"+5%\"\nfloor = \"6\""), Some(0));
    assert_eq!(code(share, "allow = \"+5%\"\nfloor = \"4 %\""), Some(1));
    assert_eq!(code(bytes, "allow = \"+5%\"\nfloor = \"1 KiB\""), Some(0));
    assert_eq!(code(bytes, "allow = \"+5%\"\nfloor = \"40 B\""), Some(1));
    // An amount that isn't one, or not one of the counter.
    for floor in ["much", "-1", "1 ms", "50 %"] {
        assert_eq!(code(bytes, &format!("allow = \"+5%\"\nfloor = \"{floor}\"")), Some(2), "{floor}");
    }
    assert_eq!(code(share, "allow = \"+1 MiB\""), Some(2));
}

/// 1 means a regression, and nothing else.
#[test]
fn damage_has_an_exit_code_of_its_own() {
    let outputs = Outputs::new();
    let base = capture(&outputs, "base.csv", [20.0, 100.0], 1);
    let torn = |name: &str, level: f64| {
        let whole = capture(&outputs, name, [level, 100.0], 2);
        let mut bytes = std::fs::read(&whole).expect("a capture");
        bytes.truncate(bytes.len() - 4);
        outputs.write(&format!("torn-{name}"), bytes)
    };
    for (new, code) in [(torn("same.csv", 20.0), 3), (torn("worse.csv", 40.0), 1)] {
        let junit = outputs.path("d.xml");
        let done = recount(&["diff", &base, &new, "--junit", &junit, "--force"]);
        assert_eq!(done.code, Some(code), "{}{}", done.stdout, done.stderr);
        let junit = std::fs::read_to_string(&junit).expect("JUnit");
        assert!(junit.contains("<testcase name=\"new\"") && junit.contains("type=\"unread\""), "{junit}");
        assert!(!junit.contains("<testcase name=\"base\""), "{junit}");
        assert_eq!(junit.contains("<failure"), code == 1, "{junit}");
    }
}

#[test]
fn forms_and_errors() {
    let outputs = Outputs::new();
    let base = capture(&outputs, "base.csv", [20.0, 100.0], 1);
    let worse = capture(&outputs, "worse.csv", [25.0, 150.0], 3);
    let (html, markdown, junit) = (outputs.path("d.html"), outputs.path("d.md"), outputs.path("d.xml"));
    let done = recount(&["diff", &base, &worse, "--html", &html, "--markdown", &markdown, "--junit", &junit]);
    assert_eq!(done.code, Some(1));
    let read = |path: &str| std::fs::read_to_string(path).expect(path);
    assert!(read(&html).contains("Kolmogorov"));
    assert!(read(&markdown).contains("| regression | "), "{}", read(&markdown));
    assert!(read(&junit).contains("failures=\"1\""), "{}", read(&junit));
    assert!(
        recount(&["diff", &base, &sample("objects.blg")])
            .failed()
            .contains("no counter has values in both captures")
    );
    let unmarked = recount(&["diff", &base, &worse, "--align", "marker"]).failed();
    assert!(unmarked.contains("has no marks"), "{unmarked}");
    assert!(recount(&["diff", &base, &worse, "--mark", "x"]).failed().contains("--align marker"));
}

#[test]
fn both_begin_at_their_marks() {
    let outputs = Outputs::new();
    let log = |name: &str, at: &str| {
        let path = outputs.write(name, std::fs::read(sample("rcap-1/closed.rcap")).expect("a log"));
        recount(&["mark", &path, "deploy", "--at", at]).fine();
        path
    };
    let (base, new) = (log("a.rcap", "+5s"), log("b.rcap", "+10s"));
    let json = outputs.path("d.json");
    let done = recount(&["diff", &base, &new, "--align", "marker", "--mark", "deploy", "--json", &json]);
    assert_ne!(done.code, Some(2), "{}", done.stderr);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("JSON")).expect("JSON");
    let of_faults = json["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .find(|change| change["path"] == r"\Memory\Page Faults/sec");
    let counts = |side: &str| of_faults.map(|change| change[side]["count"].as_u64());
    // 24 samples a second apart, a few of which were missed on purpose.
    assert!(counts("base") > counts("new") && counts("new").flatten().is_some_and(|n| n >= 10), "{json}");
}
