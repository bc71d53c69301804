//! `recount rules`

use super::run::{Outputs, recount, sample};

#[test]
fn every_set_can_be_shown_and_is_sound() {
    let list = recount(&["rules", "list"]).fine();
    let outputs = Outputs::new();
    for set in
        ["load", "linux-system", "windows-system", "disk", "network", "process-leaks", "sql-server", "esxtop"]
    {
        assert!(list.contains(&format!("\n{set}/")), "{set}: {list}");
        let text = recount(&["rules", "show", set]).fine();
        let file = outputs.write(&format!("{set}.toml"), text);
        assert!(recount(&["rules", "check", &file]).fine().ends_with(" rules, sound\n"));
    }
    assert!(recount(&["rules", "show", "nothing"]).failed().contains("there are load, linux-system, "));
}

#[test]
fn mistakes_are_reported_by_line() {
    let outputs = Outputs::new();
    let text = "[set]\nname = \"a\"\ntitle = \"A\"\nversion = 1\n\n[[rule]]\nid = \"x\"\ntitle = \"X\"\ngroup = \"g\"\nseverity = \"warning\"\ncounter = '\\A\\b'\nthreshold = \"90\"\nexplanation = \"e\"\n";
    let file = outputs.write("a.toml", text);
    let done = recount(&["rules", "check", &file]);
    assert_eq!(done.code, Some(1));
    assert!(done.stdout.starts_with(&format!("{file}:12:13: \"x\": ")), "{}", done.stdout);
    assert!(recount(&["rules", "check", &outputs.path("none.toml")]).failed().contains("none.toml"));
}

/// Files of tolerances are checked as well, and each command says which files it takes.
#[test]
fn tolerances_are_no_rules() {
    let outputs = Outputs::new();
    let head = "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n";
    let tolerance = "[[tolerance]]\nid = \"cpu\"\ncounter = '\\A\\b'\nmetric = \"mean\"\nallow = \"+5%\"\nseverity = \"info\"\n";
    let sound = outputs.write("t.toml", format!("{head}{tolerance}"));
    assert!(recount(&["rules", "check", &sound]).fine().ends_with(" 1 tolerance, sound\n"));
    let faulty = outputs.write("f.toml", format!("{head}{}", tolerance.replace("+5%", "5%")));
    let done = recount(&["rules", "check", &faulty]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("f.toml:9:9: \"cpu\": \"5%\" has no sign"), "{}", done.stdout);
    let log = sample("objects.blg");
    assert!(recount(&["report", &log, "--rules", &sound]).failed().contains("recount diff takes them"));
    let rules = outputs.write("r.toml", recount(&["rules", "show", "disk"]).fine());
    assert!(recount(&["diff", &log, &log, "--rules", &rules]).failed().contains("recount report takes them"));
}

#[test]
fn a_limit_for_going_on_is_a_weaker_one() {
    let outputs = Outputs::new();
    let check = |lines: &str| {
        let head = "[set]\nname = \"a\"\ntitle = \"A\"\nversion = 1\n\n[[rule]]\nid = \"x\"\ntitle = \"X\"\ngroup = \"g\"\nseverity = \"info\"\ncounter = '\\A\\b'\nexplanation = \"e\"\n";
        recount(&["rules", "check", &outputs.write("a.toml", format!("{head}{lines}\n"))])
    };
    for sound in [
        "threshold = \"> 90\"\nuntil = \"> 80\"\nfor = \"1min\"\nor-whole = \"10s\"",
        "threshold = \"< 5 %\"\nuntil = \"<= 7 %\"",
        "threshold = \"> 90\"\nfor = \"1min\"\nor-whole = \"0s\"",
    ] {
        check(sound).fine();
    }
    for (lines, fault) in [
        ("threshold = \"> 90\"\nuntil = \"> 95\"", "a.toml:14:9: \"x\": `until` has to hold wherever"),
        ("threshold = \"> 90\"\nuntil = \"< 95\"", "`until` has to hold wherever"),
        ("threshold = \"> 90\"\nuntil = \"80\"", "is not a threshold"),
        (
            "threshold = \"> 90\"\naggregate = \"mean\"\nuntil = \"> 80\"",
            "`until` goes with aggregate = \"any\" only",
        ),
        (
            "threshold = \"> 90\"\nfor = \"1min\"\nor-whole = \"60s\"",
            "`or-whole` is a shorter time than `for`",
        ),
        (
            "threshold = \"> 90\"\nfor = \"1min\"\naggregate = \"max\"\nor-whole = \"9s\"",
            "`or-whole` goes with",
        ),
    ] {
        let done = check(lines);
        assert!(done.code == Some(1) && done.stdout.contains(fault), "{lines}: {}", done.stdout);
    }
}

#[test]
fn thresholds_of_pal_become_rules() {
    let outputs = Outputs::new();
    let pal = concat!(env!("CARGO_MANIFEST_DIR"), "/../recount-pal/tests/pal/WebServer.xml");
    let toml = outputs.path("web.toml");
    let done = recount(&["rules", "import", pal, "-o", &toml]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let summary = "WebServer.xml: 15 of 27 thresholds became 16 rules; 12 skipped: ";
    assert!(done.stderr.contains(summary), "{}", done.stderr);
    assert!(recount(&["rules", "check", &toml]).fine().ends_with(": 16 rules, sound\n"));
    let done = recount(&["rules", "check", pal]);
    assert!(done.code == Some(0) && done.stdout.ends_with(": 16 rules, sound\n"), "{}", done.stdout);
    assert!(done.stderr.ends_with("; 1 inherited file missing: SystemBasics.xml\n"), "{}", done.stderr);
    let garbage = outputs.write("garbage.xml", b"\xff\x00garbage");
    assert!(recount(&["rules", "import", &garbage]).failed().contains("garbage.xml"));
}

/// Without the files that it inherits, a threshold file is incomplete, so they are named.
#[test]
fn inherited_files_that_are_missing_are_named() {
    let outputs = Outputs::new();
    let pal = outputs.write(
        "Web.xml",
        r#"<PAL NAME="Web"><INHERITANCE FILEPATH="A.xml"/>
<INHERITANCE FILEPATH="B.xml"/>
<ANALYSIS NAME="Memory" ENABLED="True" CATEGORY="memory">
<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="Pages" EXPRESSIONPATH="\Memory\Page Faults/sec"/>
<THRESHOLD NAME="Faults" CONDITION="Warning"><CODE>StaticThreshold $Pages lt -1</CODE></THRESHOLD>
</ANALYSIS></PAL>"#,
    );
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    let told = "Web.xml: 1 of 1 threshold became 1 rule; 2 inherited files missing: A.xml, B.xml\n";
    for arguments in
        [&["report", sample, "--rules", &pal][..], &["rules", "check", &pal], &["rules", "import", &pal]]
    {
        let done = recount(arguments);
        assert_eq!(done.code, Some(0));
        assert!(done.stderr.contains(told), "{}", done.stderr);
    }
    let imported = recount(&["rules", "import", &pal]).stderr;
    assert!(imported.contains("Web.xml:2: inherits the thresholds of B.xml, which isn't"), "{imported}");
}

#[test]
fn a_report_takes_thresholds_of_pal_as_they_are() {
    let outputs = Outputs::new();
    let pal = outputs.write(
        "Memory.xml",
        r#"<PAL NAME="Memory"><ANALYSIS NAME="Memory" ENABLED="True" CATEGORY="memory">
<DATASOURCE TYPE="CounterLog" COLLECTIONVARNAME="Pages" EXPRESSIONPATH="\Memory\Page Faults/sec"/>
<THRESHOLD NAME="Faults" CONDITION="Warning"><CODE>StaticThreshold $Pages gt 0</CODE></THRESHOLD>
<THRESHOLD NAME="None" CONDITION="Warning"><CODE>StaticThreshold $Pages lt -1</CODE></THRESHOLD>
<THRESHOLD NAME="Odd" CONDITION="Warning"><CODE>Get-Date</CODE></THRESHOLD></ANALYSIS></PAL>"#,
    );
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    let done = recount(&["report", sample, "--rules", &pal]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(
        done.stderr.contains("2 of 3 thresholds became 2 rules; 1 skipped: other PowerShell (1)"),
        "{}",
        done.stderr
    );
    assert!(done.stdout.contains("Memory: Faults (pal-memory/memory-faults)"), "{}", done.stdout);
    assert!(done.stdout.contains("2 of 2 rules could be checked, 1 finding"), "{}", done.stdout);
}

#[test]
fn recorders_are_given_the_counters_that_rules_look_at() {
    let windows = recount(&["rules", "counters", "--for", "logman"]);
    assert_eq!(windows.code, Some(0), "{}", windows.stderr);
    let paths: Vec<&str> = windows.stdout.lines().collect();
    for path in [
        r"\SQLServer:Locks(*)\Average Wait Time (ms)",
        r"\Processor(*)\% Processor Time",
        r"\Process(*)\Working Set",
        r"\Process(*)\ID Process",
        r"\Memory\Available MBytes",
        r"\HTTP Service Request Queues(*)\CurrentQueueSize",
    ] {
        assert!(paths.contains(&path), "{path}: {}", windows.stdout);
    }
    assert!(
        paths.iter().all(|path| path.starts_with('\\') && !path.contains("_Total")),
        "{}",
        windows.stdout
    );
    // What Linux and esxtop add to objects that Windows has, too.
    for word in ["Pressure", "Swap", "Storage", "IO Wait", "Buffer Errors", r"\*:"] {
        assert!(!windows.stdout.contains(word), "{word}: {}", windows.stdout);
    }
    let mut once = paths.clone();
    once.dedup();
    assert_eq!(once, paths);
    // Some names, not a wall of them.
    let note = windows.stderr.lines().find(|line| line.contains("left out")).unwrap_or_default();
    assert!(note.contains(r"\Cgroup Pressure(*)\") && note.contains(" more"), "{note}");
    assert_eq!(note.matches(", ").count(), 7, "{note}");
    assert!(windows.stderr.contains("MSSQL$NAME: instead"), "{}", windows.stderr);
    assert_eq!(recount(&["rules", "counters", "--for", "typeperf"]).stdout, windows.stdout);

    let linux = recount(&["rules", "counters", "load", "--for", "pmlogger"]);
    assert!(linux.stdout.starts_with("log mandatory on default {\n    "), "{}", linux.stdout);
    assert!(linux.stdout.contains("    kernel.percpu.cpu.user\n"), "{}", linux.stdout);
    assert!(linux.stdout.contains("    proc.psinfo.start_time\n"), "{}", linux.stdout);
}

#[test]
fn counters_of_own_rules_are_given_with_those_that_name_processes() {
    let outputs = Outputs::new();
    let text = "[set]\nname = \"a\"\ntitle = \"A\"\nversion = 1\n\n[[rule]]\nid = \"x\"\ntitle = \"X\"\ngroup = \"g\"\nseverity = \"warning\"\ncounter = '\\Memory\\Available MBytes'\nneeds = '\\Memory\\Cache Bytes'\nthreshold = \"< 90\"\nexplanation = \"e\"\n";
    let file = outputs.write("a.toml", text);
    let expected = "\\Memory\\Available MBytes\n\\Memory\\Cache Bytes\n\\Process(*)\\Creating Process ID\n\
                    \\Process(*)\\ID Process\n\\Process(*)\\Private Bytes\n\\Process(*)\\Working Set\n\
                    \\Process(*)\\Working Set - Private\n";
    assert_eq!(recount(&["rules", "counters", &file, "--for", "typeperf"]).fine(), expected);
    let out = outputs.path("wanted.txt");
    recount(&["rules", "counters", &file, "--for", "typeperf", "-o", &out]).fine();
    assert_eq!(std::fs::read_to_string(&out).expect("a file"), expected);
    assert!(
        recount(&["rules", "counters", &file, "--for", "typeperf", "-o", &out]).failed().contains("exists")
    );
    assert!(
        recount(&["rules", "counters", "nothing", "--for", "logman"]).failed().contains("unknown rule set")
    );
    assert_eq!(recount(&["rules", "counters"]).code, Some(2));
}
