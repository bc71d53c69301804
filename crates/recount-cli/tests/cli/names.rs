//! Names of captures in other languages, and rules that ask for English ones.

use serde_json::Value;

use super::run::{Outputs, recount};

const RULES: &str = r#"[set]
name = "names"
title = "Names"
version = 1

[[rule]]
id = "busy"
title = "Busy"
group = "g"
severity = "warning"
counter = '\Network Interface(*)\Bytes Total/sec'
threshold = "> 0"
explanation = "e"

[[rule]]
id = "switches"
title = "Switches"
group = "g"
severity = "info"
counter = '\System\Context Switches/sec'
aggregate = "mean"
threshold = "> 0"
explanation = "e"
"#;

/// Object and counter names of the dumps in `samples/series`, by index, in four languages.
const TABLES: [(&str, [&str; 7]); 4] = [
    (
        "English",
        [
            "System",
            "Processor Queue Length",
            "Context Switches/sec",
            "Bytes Total/sec",
            "Network Interface",
            "Current Bandwidth",
            "System Up Time",
        ],
    ),
    (
        "German",
        [
            "System",
            "Prozessor-Warteschlangenlänge",
            "Kontextwechsel/s",
            "Gesamtanzahl Bytes/s",
            "Netzwerkschnittstelle",
            "Aktuelle Bandbreite",
            "Systembetriebszeit",
        ],
    ),
    (
        "French",
        [
            "Système",
            "Longueur de la file du processeur",
            "Changements de contexte/s",
            "Total des octets/s",
            "Interface réseau",
            "Bande passante actuelle",
            "Temps d'activité système",
        ],
    ),
    (
        "Russian",
        [
            "Система",
            "Длина очереди процессора",
            "Контекстных переключений/с",
            "Всего байт/с",
            "Сетевой интерфейс",
            "Текущая пропускная способность",
            "Время работы системы",
        ],
    ),
];
const INDEXES: [u32; 7] = [2, 44, 146, 388, 510, 520, 674];

fn sample(name: &str) -> String {
    format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The dumps with names of a language, as a `.blg` that recount writes.
/// A log of the dumps whose names are those of a language. Those of Russian are known by their indexes only, which a capture
/// log keeps.
fn log(outputs: &Outputs, language: &str, names: &[&str; 7]) -> String {
    let pairs = INDEXES.iter().zip(names).map(|(index, name)| format!("{index}\n{name}\n"));
    let table = outputs.write(&format!("{language}.txt"), pairs.collect::<String>());
    let log = outputs.path(&format!("{language}.blg"));
    let dumps = ["1", "2", "3"].map(|number| sample(&format!("series/{number}.bin")));
    let [first, second, third] = dumps.each_ref().map(String::as_str);
    if language == "Russian" {
        let log = outputs.path("Russian.rcap");
        recount(&["record", "-o", &log, "--source", first, second, third, "--names", &table]).fine();
        return log;
    }
    recount(&["convert", first, second, third, "--names", &table, "-o", &log]).fine();
    log
}

fn findings(log: &str, rules: &str, json: &str, more: &[&str]) -> Value {
    let arguments = [&["report", log, "--rules", rules, "--json", json, "--force"], more].concat();
    let done = recount(&arguments);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let report: Value = serde_json::from_slice(&std::fs::read(json).expect(json)).expect("JSON");
    report["findings"].clone()
}

#[test]
fn logs_of_every_language_give_the_same_findings() {
    let outputs = Outputs::new();
    let (rules, json) = (outputs.write("rules.toml", RULES), outputs.path("report.json"));
    let mut all = Vec::new();
    for (language, names) in &TABLES {
        let log = log(&outputs, language, names);
        let shown = recount(&["list", &log]).fine();
        assert!(shown.contains(names[4]), "{language}: {shown}");
        let in_english = recount(&["list", &log, "--names", "en"]).fine();
        assert!(
            in_english.contains(r"\Network Interface(Intel[R] 82574L)\Current Bandwidth"),
            "{language}: {in_english}"
        );
        assert_eq!(recount(&["list", &log, "--names", "windows"]).fine(), in_english, "{language}");
        all.push(findings(&log, &rules, &json, &[]));
        if *language != "English" {
            assert_eq!(
                findings(&log, &rules, &json, &["--names", "own"]),
                Value::Array(Vec::new()),
                "{language}"
            );
        }
    }
    let of_english = all[0].as_array().expect("a list");
    let found: Vec<_> = of_english.iter().map(|finding| finding["rule"].as_str().expect("a rule")).collect();
    assert!(found.contains(&"busy") && found.contains(&"switches"), "{found:?}");
    for (found, (language, _)) in all.iter().zip(&TABLES) {
        assert_eq!(found, &all[0], "{language}");
    }
}

/// Text and tidy Parquet have no indexes: names are known by the tables.
#[test]
fn tables_in_another_language_are_read_too() {
    for (language, names) in [&TABLES[1], &TABLES[3]] {
        check_tables(language, names);
    }
}

fn check_tables(language: &str, names: &[&str; 7]) {
    let outputs = Outputs::new();
    let log = log(&outputs, language, names);
    let (rules, json) = (outputs.write("rules.toml", RULES), outputs.path("report.json"));
    let expected = findings(&log, &rules, &json, &[]);
    assert!(expected.as_array().is_some_and(|found| !found.is_empty()));
    for extension in ["csv", "tsv", "parquet"] {
        let table = outputs.path(&format!("table.{extension}"));
        recount(&["convert", &log, "-o", &table]).fine();
        let listed = recount(&["list", &table, "--names", "en"]).fine();
        assert!(listed.contains(r"\System\Context Switches/sec"), "{extension}: {listed}");
        let of_table = findings(&table, &rules, &json, &[]);
        let rules_of = |found: &Value| -> Vec<String> {
            let found = found.as_array().expect("a list").iter();
            found.map(|finding| finding["rule"].to_string() + &finding["value"].to_string()).collect()
        };
        assert_eq!(rules_of(&of_table), rules_of(&expected), "{extension}");
        // By either name, unless the caller says which.
        for counter in [names[2], "Context Switches/sec"] {
            let shown = recount(&["show", &table, counter]).fine();
            assert!(shown.contains(counter), "{extension}: {shown}");
        }
        let path = r"\System\Context Switches/sec";
        assert!(recount(&["stats", &table, "-c", path]).fine().contains(path));
        for command in
            [&["show", &table, path, "--names", "own"][..], &["stats", &table, "-c", path, "--names", "own"]]
        {
            assert!(recount(command).failed().contains("no counter matches"), "{command:?}");
        }
    }
}

/// The tables lack Greek, and text has no indexes.
#[test]
fn names_that_are_not_known_are_noted() {
    const GREEK: [&str; 7] = [
        "Σύστημα",
        "Μήκος ουράς επεξεργαστή",
        "Αλλαγές περιβάλλοντος/δευτ.",
        "Σύνολο byte/δευτ.",
        "Διασύνδεση δικτύου",
        "Τρέχον εύρος ζώνης",
        "Χρόνος λειτουργίας συστήματος",
    ];
    let outputs = Outputs::new();
    let log = log(&outputs, "Greek", &GREEK);
    let (csv, rules) = (outputs.path("greek.csv"), outputs.write("rules.toml", RULES));
    recount(&["convert", &log, "-o", &csv]).fine();
    let note = "no English names known for `Διασύνδεση δικτύου`, `Σύστημα`: left as they are";
    for arguments in [&["list", &csv, "--names", "en"][..], &["report", &csv, "--rules", &rules]] {
        let done = recount(arguments);
        assert_eq!((done.code, done.stderr.matches(note).count()), (Some(0), 1), "{}", done.stderr);
    }
    // No clock is known of a log that recount wrote.
    let blg = outputs.path("greek.blg");
    recount(&["convert", &log, "-o", &blg]).fine();
    assert!(!recount(&["info", &blg]).fine().contains("processor clock"));
    let own = recount(&["list", &csv]);
    assert!(!own.stderr.contains("English"), "{}", own.stderr);
}

#[test]
fn a_file_gives_the_names_that_are_not_known() {
    let outputs = Outputs::new();
    let header = r#""(PDH-CSV 4.0) (China Standard Time)(-480)","\\HAN\内存\可用 MB","\\HAN\内存\页面/秒""#;
    let rows = [0, 1, 2].map(|minute| format!(r#""11/20/2026 09:0{minute}:00.000","12","{minute}""#));
    let capture = outputs.write("zh.csv", [header.to_owned(), rows.join("\n"), String::new()].join("\n"));
    let blind = recount(&["report", &capture]);
    assert!(!blind.stdout.contains("was 12 MiB"), "{}", blind.stdout);
    for (name, text) in [
        ("zh.tsv", "内存\tMemory\n可用 MB\tAvailable MBytes\n"),
        ("zh.txt", "内存,Memory\n可用 MB,Available MBytes\n"),
    ] {
        let names = outputs.write(name, text);
        let listed = recount(&["list", &capture, "--names", &names]).fine();
        assert!(
            listed.contains(r"\Memory\Available MBytes") && listed.contains(r"\Memory\页面/秒"),
            "{listed}"
        );
        let found = recount(&["report", &capture, "--names", &names]);
        assert!(found.stdout.contains("Available MBytes was 12 MiB"), "{}", found.stdout);
        assert!(found.stderr.contains(r"no English names known for `Memory\页面/秒`"), "{}", found.stderr);
    }
    let swapped = outputs.write("swapped.tsv", "Memory\t内存\n");
    let note = "no object or counter has one of the names in the file of names";
    assert!(recount(&["list", &capture, "--names", &swapped]).stderr.contains(note));
    let one = outputs.write("one.tsv", "可用 MB\tPages/sec\n页面/秒\tPages/sec\n");
    let told = recount(&["list", &capture, "--names", &one]).stderr;
    assert!(told.contains("`可用 MB` and `页面/秒` are both Pages/sec now"), "{told}");
    let wrong = outputs.write("wrong.tsv", "内存\tMemory\nDear reader\n");
    let error = recount(&["list", &capture, "--names", &wrong]).failed();
    assert!(
        error.contains("wrong.tsv: neither pairs") && error.contains("line 2: expected two columns"),
        "{error}"
    );
}
