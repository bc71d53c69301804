//! Findings of rules in captures with known values.

use serde_json::Value;

use super::run::{Outputs, recount};

/// A PDH-CSV of one host: a column per path, a row per second.
fn capture(outputs: &Outputs, name: &str, paths: &[&str], rows: &[Vec<f64>]) -> String {
    let quoted = |path: &&str| format!(",\"\\\\A\\{path}\"");
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\n", paths.iter().map(quoted).collect::<String>());
    for (at, row) in rows.iter().enumerate() {
        let cell = |value: &f64| if value.is_nan() { ",\" \"".to_owned() } else { format!(",\"{value}\"") };
        let (minute, second) = (at / 60, at % 60);
        let cells = row.iter().map(cell).collect::<String>();
        text.push_str(&format!("\"11/21/2026 10:{minute:02}:{second:02}.000\"{cells}\n"));
    }
    outputs.write(name, text)
}

/// Findings of a rule with these lines: instance, object and duration.
fn found(outputs: &Outputs, capture: &str, lines: &str) -> Vec<(String, f64, f64)> {
    let text = format!(
        "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\n{lines}\n"
    );
    let (rules, json) = (outputs.write("r.toml", text), outputs.path("r.json"));
    let done = recount(&["report", capture, "--rules", &rules, "--json", &json, "--force"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("JSON")).expect("JSON");
    let of = |finding: &Value| {
        let instance = finding["instance"].as_str().map_or_else(String::new, |name| format!("({name})"));
        let place = format!("{}{instance}", finding["object"].as_str().expect("an object"));
        let seconds =
            finding["spans"].as_array().expect("spans").iter().filter_map(|span| span["seconds"].as_f64());
        (place, finding["value"].as_f64().expect("a value"), seconds.sum())
    };
    let mut found: Vec<_> = json["findings"].as_array().expect("findings").iter().map(of).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn expressions_align_on_time_and_instance() {
    let outputs = Outputs::new();
    let paths = [
        r"Process(a)\WS",
        r"Process(b)\WS",
        r"Process(_Total)\WS",
        r"Memory\Total",
        r"Disk(a)\Q",
        r"Disk(c)\Q",
    ];
    let rows = vec![vec![100.0, 800.0, 900.0, 1000.0, 5.0, 7.0]; 61];
    let log = capture(&outputs, "c.csv", &paths, &rows);
    let found = |lines: &str| found(&outputs, &log, lines);
    let process = |name: &str, value| (format!("Process({name})"), value, 60.0);
    // A value without instances is combined with each instance, on either side.
    let lines = "expr = 'Process(*)\\WS / Memory\\Total * 100'\nexclude = [\"_Total\"]\nthreshold = \"> 50\"\nfor = \"50s\"";
    assert_eq!(found(lines), [process("b", 80.0)]);
    let lines = "expr = 'Memory\\Total - Process(*)\\WS'\nexclude = [\"_Total\"]\nthreshold = \"> 750\"\nfor = \"50s\"";
    assert_eq!(found(lines), [process("a", 900.0)]);
    // As does one of a named instance, and one over all of them.
    let lines = "expr = 'Process(_Total)\\WS - Process(*)\\WS'\nexclude = [\"_Total\"]\nthreshold = \"> 50\"\nfor = \"50s\"";
    assert_eq!(found(lines), [process("a", 800.0), process("b", 100.0)]);
    let lines = "expr = 'sum(Disk(*)\\Q) - Process(*)\\WS'\nthreshold = \"> -500\"\nfor = \"50s\"";
    assert_eq!(found(lines), [process("a", -88.0)]);
    // Instances of two objects meet by name.
    let lines = "expr = 'Process(*)\\WS + Disk(*)\\Q'\nthreshold = \"> 0\"\nfor = \"50s\"";
    assert_eq!(found(lines), [process("a", 105.0)]);
    let lines = "expr = 'count(Process(*)\\WS)'\nthreshold = \">= 2\"\nfor = \"50s\"";
    assert_eq!(found(lines), [("Process".to_owned(), 2.0, 60.0)]);
    // Two named instances of an object are one value with one value, at the place of the first.
    let lines = "expr = 'Process(_Total)\\WS - Process(b)\\WS - Process(A)\\WS * 0.5'\nmeasure = \"m\"\naggregate = \"mean\"\nthreshold = \"> 0\"";
    assert_eq!(found(lines), [process("_Total", 50.0)]);
    let lines = "expr = 'Process(a)\\WS / Process(A)\\WS'\nthreshold = \"> 0\"\nfor = \"50s\"";
    assert_eq!(found(lines), [process("a", 1.0)]);
}

#[test]
fn what_is_missing_interrupts_and_is_no_zero() {
    let outputs = Outputs::new();
    let rows: Vec<Vec<f64>> = (0..61)
        .map(|at| {
            vec![if (29..31).contains(&at) { f64::NAN } else { 99.0 }, if at < 20 { f64::NAN } else { 99.0 }]
        })
        .collect();
    let log = capture(&outputs, "m.csv", &[r"P(a)\x", r"P(b)\x"], &rows);
    let found = |lines: &str| found(&outputs, &log, lines);
    assert_eq!(found("counter = 'P(*)\\x'\nthreshold = \"> 90\"\nfor = \"35s\"").len(), 1);
    assert_eq!(found("counter = 'P(*)\\x'\nthreshold = \"< 50\""), []);
    // Over instances, whatever has a value counts, for as long as any has.
    assert_eq!(found("expr = 'sum(P(*)\\x)'\nthreshold = \"> 90\"\nfor = \"55s\"").len(), 1);
    assert_eq!(found("counter = 'P(*)\\x'\nthreshold = \"< -1/h\"\naggregate = \"trend\""), []);
    assert_eq!(found("counter = 'P(*)\\x'\nneeds = 'P(*)\\y'\nthreshold = \"> 90\""), []);
    assert_eq!(found("counter = 'P(*)\\x'\nunless = 'P(*)\\y'\nthreshold = \"> 90\"").len(), 2);
}

#[test]
fn a_single_blank_value_interrupts_nothing() {
    let outputs = Outputs::new();
    let rows: Vec<Vec<f64>> = (0..61).map(|at| vec![if at == 30 { f64::NAN } else { 99.0 }]).collect();
    let log = capture(&outputs, "b.csv", &[r"P(a)\x"], &rows);
    // Either side alone is shorter, and the blank second adds nothing.
    let lines = "counter = 'P(*)\\x'\nthreshold = \"> 90\"\nfor = \"35s\"";
    assert_eq!(found(&outputs, &log, lines), [("P(a)".to_owned(), 99.0, 59.0)]);
}

/// Two machines with the same finding.
#[test]
fn findings_name_the_machine_where_there_are_several() {
    let outputs = Outputs::new();
    let rules = outputs.write(
        "r.toml",
        "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"warning\"\nexplanation = \"e\"\ncounter = 'M\\x'\nthreshold = \"> 5\"\n",
    );
    for (name, hosts) in [("one.csv", &["A"][..]), ("two.csv", &["A", "B"])] {
        let paths = hosts.iter().map(|host| format!(",\"\\\\{host}\\M\\x\"")).collect::<Vec<_>>().concat();
        let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{paths}\n");
        for second in 10..40 {
            let cells = ",\"9\"".repeat(hosts.len());
            text.push_str(&format!("\"11/21/2026 10:00:{second}.000\"{cells}\n"));
        }
        let log = outputs.write(name, text);
        let (markdown, junit) = (outputs.path("r.md"), outputs.path("r.xml"));
        let done = recount(&[
            "report",
            &log,
            "--rules",
            &rules,
            "--markdown",
            &markdown,
            "--junit",
            &junit,
            "--force",
        ]);
        let read = |path: &str| std::fs::read_to_string(path).expect("a file");
        let texts = [done.stdout, read(&markdown).replace("&#58;", ":"), read(&junit)];
        for text in &texts {
            assert_eq!(text.contains("A: M: "), hosts.len() > 1, "{text}");
            assert_eq!(text.contains("B: M: "), hosts.len() > 1, "{text}");
        }
    }
}

/// All rules of one group and counter are reported.
#[test]
fn no_finding_hides_another() {
    let outputs = Outputs::new();
    let log = capture(&outputs, "n.csv", &[r"P(a)\x"], &vec![vec![10.0]; 20]);
    let rule = |id: &str, threshold: &str| {
        format!(
            "[[rule]]\nid = \"{id}\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\ncounter = 'P(*)\\x'\nthreshold = \"{threshold}\"\n"
        )
    };
    let text = format!(
        "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n{}{}{}",
        rule("much", "> 5"),
        rule("little", "< 50"),
        rule("none", "> 500")
    );
    let (rules, junit) = (outputs.write("r.toml", text), outputs.path("j.xml"));
    let said = recount(&["report", &log, "--rules", &rules, "--junit", &junit, "--fail-on", "info"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.ends_with("3 of 3 rules could be checked, 2 findings\n"), "{}", said.stdout);
    let junit = std::fs::read_to_string(junit).expect("JUnit");
    assert!(junit.contains("tests=\"3\" skipped=\"0\" failures=\"2\""), "{junit}");
    // With --quiet, findings are still the answer.
    assert_eq!(recount(&["-q", "report", &log, "--rules", &rules]).stdout, said.stdout);
}

/// Each rule that wasn't evaluated has its own reason, in every output.
#[test]
fn rules_that_are_not_evaluated_say_why() {
    let outputs = Outputs::new();
    let rows = vec![vec![10.0, f64::NAN]; 20];
    let log = capture(&outputs, "n.csv", &[r"P(a)\x", r"B\z"], &rows);
    let rule = |id: &str, lines: &str| {
        format!(
            "[[rule]]\nid = \"{id}\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\nthreshold = \"> 5\"\n{lines}\n"
        )
    };
    let mut text = "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n".to_owned();
    let not_evaluated = [
        (
            "long",
            "counter = 'P(*)\\x'\nfor = \"5h\"",
            "too-short",
            r"the values cover 19 s, and the rule needs 5 h",
        ),
        (
            "shut",
            "counter = 'P(*)\\x'\nexclude = [\"a\"]",
            "excluded",
            r"the rule excludes all instances of P(*)\x",
        ),
        (
            "other",
            "counter = 'P(*)\\x'\nunless = 'P(*)\\x'",
            "unless",
            r"the rule is for captures without \P(*)\x",
        ),
        ("needy", "counter = 'P(*)\\x'\nneeds = 'Q\\y'", "no-counters", r"the capture has no \Q\y"),
        ("none", "counter = 'Q\\y'", "no-counters", r"the capture has no Q\y"),
        ("blank", "counter = 'B\\z'", "no-values", r"no values of B\z"),
    ];
    text.push_str(&rule("found", "counter = 'P(*)\\x'\nfor = \"19s\""));
    text.extend(not_evaluated.map(|(id, lines, _, _)| rule(id, lines)));
    let rules = outputs.write("r.toml", text);
    let [json, junit, markdown, html] = ["j.json", "j.xml", "j.md", "j.html"].map(|name| outputs.path(name));
    let done = recount(&[
        "report",
        &log,
        "--rules",
        &rules,
        "--json",
        &json,
        "--junit",
        &junit,
        "--markdown",
        &markdown,
        "-o",
        &html,
    ]);
    let told = "1 of 7 rules could be checked, 1 finding (2 need counters that this capture lacks, 1 needs values that it lacks, \
                1 excludes all instances that it has, 1 needs a longer capture, 1 is for other captures)\n";
    assert!(done.stdout.ends_with(told), "{}", done.stdout);
    let read = |path: &str| std::fs::read_to_string(path).expect(path);
    let json: Value = serde_json::from_str(&read(&json)).expect("JSON");
    assert_eq!(json["rules"]["num_evaluated"], 1);
    let found: Vec<_> = json["rules"]["not_evaluated"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|rule| ["rule", "why", "reason"].map(|key| rule[key].as_str().expect(key).to_owned()))
        .collect();
    assert_eq!(found, not_evaluated.map(|(id, _, why, reason)| [id, why, reason].map(str::to_owned)));
    let junit = read(&junit);
    assert!(junit.contains("tests=\"7\" skipped=\"6\" failures=\"0\""), "{junit}");
    let (markdown, html) = (read(&markdown), read(&html));
    for text in [&junit, &markdown, &html] {
        assert!(text.contains("the values cover 19 s, and the rule needs 5 h"), "{text}");
    }
}

/// An expression has a name if its rule gives it one.
#[test]
fn a_finding_names_what_an_expression_measures() {
    let outputs = Outputs::new();
    let log = capture(&outputs, "n.csv", &[r"S\Queue", r"P(0)\x", r"P(1)\x"], &vec![vec![7.0, 1.0, 1.0]; 20]);
    let headline = |line: &str| {
        let text = format!(
            "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\nexpr = 'S\\Queue - (count(P(*)\\x) * 3)'\nthreshold = \"> 0\"\n{line}\n"
        );
        let rules = outputs.write("r.toml", text);
        let told = recount(&["report", &log, "--rules", &rules]).fine();
        told.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(headline(""), "info      S: Queue was 7 on average for 19 s, at most 7");
    assert_eq!(
        headline("measure = \"Queue less its limit\""),
        "info      S: Queue less its limit was 1 on average for 19 s, at most 1 (Queue 7)"
    );
    let text = "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\ncounter = 'S\\Queue'\nmeasure = \"x\"\nthreshold = \"> 0\"\n";
    let done = recount(&["rules", "check", &outputs.write("m.toml", text)]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stdout.contains("m.toml:12:11: \"r\": `measure` names what `expr` computes"),
        "{}",
        done.stdout
    );
}

/// What an expression computes has its own unit and its own place, which may not be those of its first counter.
#[test]
fn a_finding_says_what_an_expression_computed() {
    let outputs = Outputs::new();
    let paths = [
        r"Process(a)\Working Set",
        r"Process(b)\Working Set",
        r"Process(a)\% Processor Time",
        r"Process(b)\% Processor Time",
        r"Processor(_Total)\% Processor Time",
        r"PhysicalDisk(0)\Avg. Disk sec/Write",
        r"PhysicalDisk(1)\Avg. Disk sec/Write",
        r"Memory\% Committed Bytes In Use",
        r"Paging File(_Total)\% Usage",
    ];
    let row = vec![1_048_576.0, 3_145_728.0, 30.0, 60.0, 50.0, 0.5, 0.1, 50.0, 20.0];
    let log = capture(&outputs, "u.csv", &paths, &vec![row; 20]);
    let headline = |expression: &str, line: &str| {
        let text = format!(
            "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\nexpr = '{expression}'\nthreshold = \"> 0\"\n{line}\n"
        );
        let rules = outputs.write("r.toml", text);
        let told = recount(&["report", &log, "--rules", &rules]).fine();
        told.lines().next().unwrap_or_default().trim_start_matches("info").trim_start().to_owned()
    };
    for (expression, line, expected) in [
        (
            r"count(Process(*)\Working Set)",
            "aggregate = \"max\"",
            "Process a, b: max of count(Process(*)\\Working Set) was 2 over 19 s",
        ),
        (
            r"sum(Process(a*)\Working Set)",
            "aggregate = \"max\"",
            "Process a: max of sum(Process(a*)\\Working Set) was 1 MiB over 19 s",
        ),
        (
            r"avg(Process(b)\Working Set)",
            "aggregate = \"max\"",
            "Process b: max of avg(Process(b)\\Working Set) was 3 MiB over 19 s",
        ),
        (
            r"sum(Process(*)\% Processor Time) / Processor(_Total)\% Processor Time",
            "aggregate = \"mean\"",
            "Process a, b: sum(Process(*)\\% Processor Time) / Processor(_Total)\\% Processor Time was 1.8 on average over 19 s",
        ),
        (
            r"largest(PhysicalDisk(*)\Avg. Disk sec/Write) - smallest(PhysicalDisk(*)\Avg. Disk sec/Write)",
            "",
            "PhysicalDisk 0, 1: largest(PhysicalDisk(*)\\Avg. Disk sec/Write) - smallest(PhysicalDisk(*)\\Avg. Disk sec/Write) was 400 ms on average for 19 s, at most 400 ms",
        ),
        (
            r"Memory\% Committed Bytes In Use / Paging File(_Total)\% Usage",
            "",
            "Paging File _Total: Memory\\% Committed Bytes In Use was 50 %, % Usage 20 % on average for 19 s, at most 50 %",
        ),
        (
            r"Process(*)\% Processor Time / Processor(_Total)\% Processor Time",
            "measure = \"share\"\nmost = 1",
            "Process b: share was 1.2 on average for 19 s, at most 1.2 (Process\\% Processor Time 60 %, Processor(_Total)\\% Processor Time 50 %) (1 more like it)",
        ),
    ] {
        assert_eq!(headline(expression, line), expected, "{expression}");
    }
}

/// No finding is good news only if the rules had something to look at.
#[test]
fn little_that_was_checked_is_not_green() {
    let outputs = Outputs::new();
    let shown = |paths: &[&str]| {
        let value = |path: &&str| if path.starts_with("Memory") { 1e10 } else { 10.0 };
        let row: Vec<f64> = paths.iter().map(value).collect();
        let log = capture(&outputs, "n.csv", paths, &vec![row; 700]);
        let [page, json] = ["n.html", "n.json"].map(|name| outputs.path(name));
        let done = recount(&["report", "-f", &log, "-o", &page, "--json", &json, "--fail-on", "info"]).fine();
        let page = std::fs::read_to_string(page).expect("a page");
        let json = std::fs::read_to_string(json).expect("JSON");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        (done, page.contains(r#"<p class="none unjudged""#), json["rules"]["unchecked"].clone())
    };
    let cpu = r"Processor(_Total)\% Processor Time";
    let (text, is_amber, unchecked) = shown(&[cpu]);
    assert!(is_amber, "{text}");
    let told = r"Too little is known about memory (the capture has no \Memory\Available Bytes, or";
    assert!(text.contains("could be checked, none fired (") && text.contains(told), "{text}");
    let about: Vec<&str> =
        unchecked.as_array().expect("a list").iter().filter_map(|one| one["about"].as_str()).collect();
    assert_eq!(about, ["memory", "disks", "network"]);
    let all = [
        cpu,
        r"Memory\Available Bytes",
        r"PhysicalDisk(sda)\Disk Read Bytes/sec",
        r"Network Interface(eth0)\Bytes Total/sec",
    ];
    let (text, is_amber, unchecked) = shown(&all);
    assert!(!is_amber && !text.contains("Too little") && unchecked == Value::Array(Vec::new()), "{text}");
}

/// Paper and browsers without scripts show findings, marks and gaps, too.
#[test]
fn drawings_have_findings_and_marks() {
    let outputs = Outputs::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/rcap-1/closed.rcap");
    let log = outputs.write("m.rcap", std::fs::read(sample).expect("the sample"));
    recount(&["mark", &log, "deploy <v42>", "--at", "+5s"]).fine();
    let rules = "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"warning\"\nexplanation = \"e\"\ncounter = 'Memory\\Available Bytes'\nthreshold = \"> 0\"\n";
    let (rules, page) = (outputs.write("m.toml", rules), outputs.path("m.html"));
    recount(&["report", &log, "--rules", &rules, "-o", &page]);
    let page = std::fs::read_to_string(page).expect("a page");
    let drawings: Vec<&str> = page.split("<svg class=\"still\"").skip(1).collect();
    assert!(!drawings.is_empty());
    for drawing in &drawings {
        let drawing = drawing.split("</svg>").next().expect("a drawing");
        assert!(
            drawing.contains("<title>deploy &lt;v42&gt;</title>") && drawing.contains("<rect class=\"gap\"")
        );
        let is_of_memory = drawing.starts_with(" role=\"img\" aria-label=\"Chart of Memory\"");
        let (has_finding, key) =
            (drawing.contains("<g class=\"finding warning\""), "grey: gaps, shaded: findings, dashed: marks");
        assert_eq!((has_finding, drawing.contains(key)), (is_of_memory, is_of_memory), "{drawing}");
    }
}

/// What nobody has checked hasn't passed.
#[test]
fn fail_on_needs_a_rule_that_could_be_checked() {
    let outputs = Outputs::new();
    let log = capture(&outputs, "n.csv", &[r"P(a)\x"], &vec![vec![10.0]; 20]);
    let junit = outputs.path("j.xml");
    for level in ["info", "warning", "critical"] {
        let told = recount(&["report", "-f", &log, "--junit", &junit, "--fail-on", level]).failed();
        assert!(told.contains("--fail-on has nothing to judge: 0 of "), "{told}");
    }
    // What there is to say is written all the same.
    let said = std::fs::read_to_string(&junit).expect("JUnit");
    assert!(said.contains("<skipped") && said.contains("errors=\"1\""), "{said}");
    assert!(
        recount(&["report", &log, "--rules", "none", "--fail-on", "info"])
            .failed()
            .contains("No rules were asked for")
    );
    recount(&["report", &log]).fine();
}

/// With --fail-on, 1 means that a rule fired, and nothing else.
#[test]
fn damage_isnt_taken_for_a_rule_that_fired() {
    let outputs = Outputs::new();
    let log = capture(&outputs, "n.csv", &[r"P(a)\x"], &vec![vec![10.0]; 20]);
    let mut torn = std::fs::read(&log).expect("a capture");
    torn.truncate(torn.len() - 4);
    let torn = outputs.write("torn.csv", torn);
    let junit = outputs.path("j.xml");
    let code = |threshold: &str, fail_on: &[&str]| {
        let text = format!(
            "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\ncounter = 'P(*)\\x'\nthreshold = \"{threshold}\"\n"
        );
        let rules = outputs.write("r.toml", text);
        let done =
            recount(&[&["report", "-f", &torn, "--rules", &rules, "--junit", &junit], fail_on].concat());
        let junit = std::fs::read_to_string(&junit).expect("JUnit");
        assert!(junit.contains("<testcase name=\"capture\"") && junit.contains("type=\"unread\""), "{junit}");
        done.code
    };
    assert_eq!(code("> 50", &["--fail-on", "info"]), Some(3));
    assert_eq!(code("> 5", &["--fail-on", "info"]), Some(1));
    assert_eq!(code("> 50", &[]), Some(1));
}

#[test]
fn nothing_to_judge_is_no_success() {
    let outputs = Outputs::new();
    let log = capture(&outputs, "n.csv", &[r"P(a)\x"], &vec![vec![10.0]; 20]);
    let failed = |arguments: &[&str]| {
        recount(&[&["report", log.as_str(), "--fail-on", "info"], arguments].concat()).failed()
    };
    assert!(failed(&["-c", "no such counter"]).contains("no counter matches"));
    assert!(failed(&["--begin", "2030-01-01T00:00:00Z"]).contains("in the requested time range"));
    assert!(failed(&["-o", &log, "--force"]).contains("an input"));
    let same = outputs.path("same");
    assert!(failed(&["-o", &same, &format!("--json={same}")]).contains("another output"));
    #[cfg(unix)]
    assert!(failed(&["-o", "/dev/null", "--force"]).contains("only regular files are replaced"));
}
