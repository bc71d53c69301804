//! `recount report`. The page itself is tested in a browser, `tests/live_browser.rs`.

use serde_json::Value;

use super::run::{Outputs, recount, sample};
use super::series::said;

/// A set with a rule on the processors, of a severity.
fn rules(outputs: &Outputs, threshold: &str, severity: &str) -> String {
    let text = format!(
        "[set]\nname = \"mine\"\ntitle = \"Mine\"\nversion = 1\n\n[[rule]]\nid = \"busy\"\ntitle = \"A processor is busy\"\ngroup = \"cpu\"\nseverity = \"{severity}\"\ncounter = '\\Processor(*)\\% Processor Time'\nexclude = [\"_Total\"]\nthreshold = \"{threshold}\"\nexplanation = \"Look at it.\"\n"
    );
    outputs.write(&format!("{severity}.toml"), text)
}

#[test]
fn captures_of_every_kind_have_a_report() {
    let outputs = Outputs::new();
    for name in [
        "objects.blg",
        "counters-dst.blg",
        "circular.blg",
        "rcap-1/closed.rcap",
        "session.pcq",
        "typeperf.tsv",
        "relog-german.csv",
        "series/1.bin",
    ] {
        let html = outputs.path("page.html");
        let done = recount(&["report", &sample(name), "-o", &html, "--force"]);
        assert_eq!(done.code, Some(0), "{name}: {}", done.stderr);
        assert!(std::fs::read_to_string(&html).expect("a page").starts_with("<!"), "{name}");
    }
}

/// A capture of samples of two counters, by the seconds after its begin.
fn uneven(outputs: &Outputs, seconds: &[u32]) -> String {
    let mut text = r#""(PDH-CSV 4.0) (UTC)(0)","\\web1\Processor(_Total)\% Processor Time","\\web1\Memory\Available Bytes""#.to_owned();
    for second in seconds {
        let (minute, rest) = (second / 60, second % 60);
        let values = (second * 7 % 90, 1_000_000_000 + second);
        text.push_str(&format!(
            "\n\"11/20/2026 10:{minute:02}:{rest:02}.000\",\"{}\",\"{}\"",
            values.0, values.1
        ));
    }
    outputs.write("uneven.csv", text + "\n")
}

#[test]
fn few_samples_are_drawn_where_they_are() {
    let outputs = Outputs::new();
    let (capture, page) = (uneven(&outputs, &[0, 30, 75]), outputs.path("page.html"));
    recount(&["report", &capture, "-o", &page]).fine();
    let html = std::fs::read_to_string(&page).expect("a page");
    // Three places, and nothing between them, in the drawings for paper and browsers without scripts.
    let drawings: Vec<&str> = html.split("<svg class=\"still\"").skip(1).collect();
    assert_eq!(drawings.len(), 2);
    for drawing in drawings {
        let (drawing, _) = drawing.split_once("</svg>").expect("an end");
        let (_, path) = drawing.split_once("<g class=\"series-1\"").expect("a line");
        let (path, _) = path.split_once("\" fill=\"none\"").expect("its path");
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (1, 2), "{path}");
    }
}

#[test]
fn a_drawing_has_no_markup_of_the_capture() {
    let outputs = Outputs::new();
    let text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\web1\\Process(<script>x&y)\\% Processor Time\"\n\"11/20/2026 10:00:00.000\",\"1\"\n\"11/20/2026 10:00:01.000\",\"5\"\n";
    let (capture, page) = (outputs.write("odd.csv", text), outputs.path("page.html"));
    recount(&["report", &capture, "-o", &page]).fine();
    let html = std::fs::read_to_string(&page).expect("a page");
    let (_, drawing) = html.split_once("<svg class=\"still\"").expect("a drawing");
    let (drawing, _) = drawing.split_once("</svg>").expect("an end");
    assert!(drawing.contains("&lt;script&gt;x&amp;y") && !drawing.contains("<script>"), "{drawing}");
}

/// These read the shared captures.
mod stored {
    use super::super::run::tx_basic;
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn findings_in_every_form() {
        let (log, outputs) = (tx_basic(), Outputs::new());
        let rules = rules(&outputs, "> 80", "warning");
        let path = |name: &str| outputs.path(name);
        let (html, markdown, junit, json) = (path("r.html"), path("r.md"), path("r.xml"), path("r.json"));
        let arguments = [
            "report",
            &log,
            "--rules",
            &rules,
            "-o",
            &html,
            "--markdown",
            &markdown,
            "--junit",
            &junit,
            "--json",
            &json,
        ];
        let text = recount(&arguments).fine();
        // Computed by hand from `recount convert`: the only interval above 80 %.
        assert!(
            text.starts_with(
                "warning   Processor 0: % Processor Time was 81.3 % on average for 1 s, at most 81.3 %\n"
            ),
            "{text}"
        );
        let read = |path: &str| std::fs::read_to_string(path).expect(path);
        let json: Value = serde_json::from_str(&read(&json)).expect("JSON");
        let finding = &json["findings"][0];
        assert_eq!((&finding["rule"], &finding["instance"]), (&"busy".into(), &"0".into()));
        assert!((finding["value"].as_f64().expect("a number") - 81.251).abs() < 0.001, "{finding}");
        assert_eq!(finding["spans"].as_array().map(Vec::len), Some(1));
        assert_eq!(json["capture"]["num_samples"], 601);
        assert!(read(&markdown).contains("| warning | A processor is busy | Processor 0:"));
        assert!(read(&junit).contains("<failure message=\"warning: Processor 0:"));
        let page = read(&html);
        assert!(page.contains("A processor is busy") && page.len() < 1_000_000, "{}", page.len());
        let again = recount(&arguments).failed();
        assert!(again.contains("already exists"), "{again}");
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn fail_on_decides_the_exit_code() {
        let (log, outputs) = (tx_basic(), Outputs::new());
        let (warning, critical) = (rules(&outputs, "> 80", "warning"), rules(&outputs, "> 80", "critical"));
        for (rules, fail_on, code) in [
            (&warning, &[][..], 0),
            (&warning, &["--fail-on", "warning"], 1),
            (&warning, &["--fail-on", "critical"], 0),
            (&critical, &["--fail-on", "warning"], 1),
            (&critical, &["--fail-on", "critical"], 1),
        ] {
            let arguments = [&["report", &log, "--rules", rules], fail_on].concat();
            assert_eq!(recount(&arguments).code, Some(code), "{arguments:?}");
        }
        // Parts that can't be read are a finding by themselves.
        assert_eq!(recount(&["report", &sample("damaged.blg"), "--rules", "none"]).code, Some(1));
        assert!(recount(&["report", &outputs.path("none.blg")]).failed().contains("none.blg"));
        assert!(
            recount(&["report", &log, "--rules", "nothing"])
                .failed()
                .contains("unknown rule set \"nothing\"")
        );
        assert!(
            recount(&["report", &log, "-o", &outputs.path("no/where.html")])
                .failed()
                .contains("does not exist")
        );
    }
}

/// A capture of several days has a row a day, in local time, with the hour that was worst.
#[test]
fn several_days_are_a_table() {
    const PER_HOUR: usize = 6;
    // A sample tells of the time before it.
    let hours = |hours: usize| hours * PER_HOUR + 1..=(hours + 1) * PER_HOUR;
    // From noon on, for three days and a half.
    let row = |at: usize| {
        let busy = if hours(2).contains(&at) {
            60.0
        } else if hours(14).contains(&at) {
            70.0
        } else {
            10.0
        };
        vec![busy, if at == 39 * PER_HOUR + 1 { 500.0 } else { 8_000.0 }]
    };
    let rows: Vec<Vec<f64>> = (0..84 * PER_HOUR).map(row).collect();
    let paths = [r"Processor(_Total)\% Processor Time", r"Memory\Available MBytes"];
    let text = said(&paths, 600, &rows);
    let table: Vec<&str> = text.lines().skip_while(|line| *line != "The worst hour of each day:").collect();
    let of = |day: &str| table.iter().find(|line| line.starts_with(day)).copied().unwrap_or_default();
    assert!(of("day ").contains("processor") && of("day ").contains("least memory"), "{text}");
    assert!(of("2026-11-21").contains("60 %, 14:00"), "{text}");
    assert!(of("2026-11-22").contains("70 %, 02:00"), "{text}");
    assert!(
        of("2026-11-23").contains("10 %, 00:00") && of("2026-11-23").contains("500 MiB, 03:00"),
        "{text}"
    );
    assert!(!of("2026-11-24").is_empty() && of("2026-11-25").is_empty(), "{text}");
    // Of two days the findings say it.
    let text = said(&paths, 600, &rows[..30 * PER_HOUR]);
    assert!(!text.contains("of each day"), "{text}");
}

/// Hours and days are those of the local clock, and a day ends with the sample that is taken at midnight.
#[test]
fn days_are_those_of_the_local_clock() {
    let outputs = Outputs::new();
    let log = |days: u32| {
        let mut text =
            "\"(PDH-CSV 4.0) (India Standard Time)(-330)\",\"\\\\A\\Processor(_Total)\\% Processor Time\"\n"
                .to_owned();
        for at in 0..=days * 144 {
            let busy = if (9 * 6 + 1..=10 * 6).contains(&(at % 144)) { 60 } else { 10 };
            let (day, hour, minute) = (2 + at / 144, at / 6 % 24, at % 6 * 10);
            text.push_str(&format!("\"03/{day:02}/2026 {hour:02}:{minute:02}:00.000\",\"{busy}\"\n"));
        }
        recount(&["report", &outputs.write("log.csv", text), "--rules", "none", "--json"]).fine()
    };
    let json: Value = serde_json::from_str(&log(3)).expect("JSON");
    let days = json["days"]["days"].as_array().expect("days");
    let found: Vec<String> = days.iter().map(|day| format!("{} {}", day["date"], day["worst"][0])).collect();
    let expected = ["2026-03-02", "2026-03-03", "2026-03-04"]
        .map(|date| format!("\"{date}\" {{\"clock\":\"09:00\",\"unit\":\"%\",\"value\":60.0}}"));
    assert_eq!(found, expected);
    assert!(!log(2).contains("\"days\""));
}
