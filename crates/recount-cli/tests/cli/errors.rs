//! Errors: what is wrong, what to try, exit code 2.

use super::run::{Outputs, recount, recount_with_input, sample};

#[test]
fn a_missing_file() {
    for arguments in [
        vec!["info", "nosuch.blg"],
        vec!["list", "nosuch.blg"],
        vec!["show", "nosuch.blg"],
        vec!["dump", "nosuch.blg"],
        vec!["convert", "nosuch.blg", "-o", "nosuch.csv"],
    ] {
        let error = recount(&arguments).failed();
        assert!(error.starts_with("error: nosuch.blg: "), "{error}");
        assert!(error.ends_with("\nhint: check the path and its permissions\n"), "{error}");
    }
}

#[test]
fn an_unknown_format() {
    let outputs = Outputs::new();
    let path = outputs.write("letter.txt", "Dear reader");
    for name in ["info", "list", "show", "dump"] {
        let error = recount(&[name, &path]).failed();
        let told = format!(
            "error: {path}: not a capture that recount reads: it begins with \"Dear reader\", 11 bytes in all\n"
        );
        assert!(error.starts_with(&told), "{error}");
        assert!(
            error.contains("\nhint: recount reads PERF_DATA_BLOCK dumps, .rcap logs, PCP archives, ")
                && error.ends_with(", atop raw logs, PDH-CSV/TSV and Windows .blg logs\n"),
            "{error}"
        );
    }
    let empty = recount(&["info", &outputs.write("empty.blg", "")]).failed();
    assert!(empty.contains("empty.blg: the file is empty\nhint: "), "{empty}");
    let packed = recount(&["info", &outputs.write("a.blg.7z", b"7z\xbc\xaf\x27\x1c")]).failed();
    assert!(packed.contains("a.blg.7z: the file is compressed\nhint: unpack it first\n"), "{packed}");
    let packed = recount(&["info", &outputs.write("a.blg.zip", b"PK\x03\x04")]).failed();
    let told = "a.blg.zip: an archive without captures: the directory of the zip file can't be read: ";
    assert!(packed.contains(told) && packed.contains("hint: if you trust the file, unpack it"), "{packed}");
    let pal = "<?xml version=\"1.0\"?>\n<PAL NAME=\"x\"/>";
    let in_utf_16: Vec<u8> = format!("\u{feff}{pal}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [pal.as_bytes().to_vec(), in_utf_16] {
        let error = recount(&["info", &outputs.write("x.xml", bytes)]).failed();
        assert!(
            error.contains("x.xml: a threshold file of PAL, not a capture\nhint: report a capture"),
            "{error}"
        );
        assert!(error.contains("--rules FILE"), "{error}");
    }
    assert_eq!(recount_with_input(&["info", "-"], b"Dear reader".to_vec()), (Some(2), Vec::new()));
}

/// Files that people have at hand, and take for captures.
/// Name, text, what it is called, and what the hint says.
const FOREIGN: &[(&str, &str, &str, &str)] = &[
    (
        "a.csv",
        "Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n",
        "the CSV of dotnet-counters",
        "recount record",
    ),
    ("a.json", "{\"sysstat\": {\"hosts\": []}}", "what sadf -j, or iostat or mpstat", "/var/log/sa/saDD"),
    (
        "a.xml",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE sysstat>\n<sysstat>\n",
        "what sadf -x prints",
        "/var/log/sa/saDD",
    ),
    ("a.txt", "# hostname;interval;timestamp;CPU;%user\n", "what sadf -d prints", "/var/log/sa/saDD"),
    (
        "a.blg",
        "This is BibTeX, Version 0.99d (TeX Live 2026)\n",
        "the log of BibTeX or Biber, not a Windows log",
        "Performance Monitor",
    ),
    (
        "b.txt",
        "\r\nTimestamp                 CounterSamples\r\n---------                 --------------\r\n",
        "what Get-Counter prints on the screen",
        "Export-Counter",
    ),
    (
        "c.blg",
        "[0] Config.pm:307> INFO - This is Biber 2.19\n",
        "the log of BibTeX or Biber",
        "Performance Monitor",
    ),
    ("a.jtl", "timeStamp,elapsed,label,responseCode\n", "results of JMeter", "recount record"),
    (
        "b.jtl",
        "<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n",
        "results of JMeter",
        "recount record",
    ),
    (
        "b.json",
        "{\"TargetProcess\": \"app\", \"Events\": []}",
        "the JSON of dotnet-counters",
        "recount record",
    ),
    (
        "vmstat.txt",
        "procs -----------memory---------- ---swap-- -----io----\n r  b   swpd   free\n",
        "what vmstat prints",
        "recount record",
    ),
    ("top.txt", "top - 14:03:11 up 3 days,  1 user\n", "what top prints", "recount record"),
    (
        "sadf.txt",
        "web1\t10\t2026-02-01 00:00:10 UTC\tall\t%user\t25.00\n",
        "what sadf -p prints",
        "/var/log/sa/saDD",
    ),
    ("dstat.csv", "\"Dstat 0.7.4 CSV output\"\n\"Author:\",\"D\"\n", "what dstat prints", "recount record"),
    (
        "dstat.txt",
        "----total-cpu-usage---- -dsk/total-\nusr sys idl wai stl| read  writ\n",
        "what dstat prints",
        "recount record",
    ),
    (
        "collectl.tab",
        "####\n# Collectl:   V4.3.1-1\n",
        "a recording or a plot file of collectl",
        "recount record",
    ),
    (
        "gpu.csv",
        "timestamp, name, utilization.gpu [%]\n2026/02/01 10:00:00.000, A100, 12 %\n",
        "what nvidia-smi prints",
        "recount record",
    ),
    ("a.arrow", "ARROW1\0\0\u{1}", "an Arrow file", "Parquet"),
    ("a.nmon", "AAA,progname,nmon\nAAA,version,16m\n", "a recording of nmon", "recount record"),
    (
        "atop.txt",
        "RESET\nCPU web1 1795311851 2026/11/22 01:44:11 2005 100 2 11756\n",
        "what atop -P prints, not the log that atop writes",
        "name the raw log",
    ),
    (
        "plain.csv",
        "time;cpu;mem\n1;12.5;40\n2;13;41\n",
        "a text of columns without the paths of counters",
        "(PDH-CSV 4.0)",
    ),
    (
        "a.prom",
        "# HELP up Whether it is.\n# TYPE up gauge\nup 1\n",
        "metrics in the text form of Prometheus",
        "recount record",
    ),
    ("a.html", "<!DOCTYPE html>\n<html></html>", "an HTML page, not a capture", "made from"),
];

#[test]
fn foreign_files_are_called_by_their_names() {
    let page = format!(
        "<HTML><BODY><pre>{}\n\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Memory\\Pages/sec\"\n",
        "x\n".repeat(3_000)
    );
    let of_page =
        ("b.html", page.as_str(), "an HTML page, with PDH text from byte 0x1782 on", "(PDH-CSV 4.0)");
    let outputs = Outputs::new();
    for (name, text, what, hint) in FOREIGN.iter().copied().chain([of_page]) {
        let error = recount(&["info", &outputs.write(name, text)]).failed();
        let told = error.split_once("\nhint: ").expect("a hint");
        assert!(told.0.contains(&format!("{name}: {what}")) && told.1.contains(hint), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_directory_where_a_file_is_expected() {
    let outputs = Outputs::new();
    let path = outputs.path("captures");
    std::fs::create_dir(&path).expect("a directory");
    let error = recount(&["verify", &path]).failed();
    assert!(error.contains("aren't captures that recount reads"), "{error}");
    for name in ["dump", "repair"] {
        let error = recount(&[name, &path]).failed();
        assert!(error.ends_with("\nhint: name the files in it\n"), "{name}: {error}");
    }
}

#[test]
fn a_head_that_is_damaged() {
    let outputs = Outputs::new();
    let mut bytes = std::fs::read(sample("big-endian.bin")).expect("a file");
    bytes.truncate(100);
    let error = recount(&["info", &outputs.write("short.bin", bytes)]).failed();
    assert!(error.contains("PERF_DATA_BLOCK.TotalByteLength at byte 0x"), "{error}");
    assert!(error.contains("\nhint: the first block is damaged or cut off"), "{error}");
}

/// A missing directory is named, without details of how outputs are made.
#[test]
fn an_output_in_a_directory_that_is_not_there() {
    let outputs = Outputs::new();
    for name in ["out.parquet", "out.csv", "tables"] {
        let path = format!("{}/{name}", outputs.path("nowhere"));
        let error = recount(&["convert", &sample("objects.blg"), "-o", &path]).failed();
        assert!(error.starts_with(&format!("error: {path}: the directory ")), "{error}");
        assert!(error.ends_with("\nhint: create it first, or choose another place\n"), "{error}");
    }
}

/// Every command says so, and nothing is written.
#[test]
fn a_pattern_that_matches_nothing() {
    let outputs = Outputs::new();
    let expected = "error: no counter matches no such thing\nhint: recount list FILE shows the counters of a capture; \
                    with --names windows, those of other recorders and languages have the names that Windows gives them\n";
    for command in ["list", "show"] {
        assert_eq!(recount(&[command, &sample("objects.blg"), "no such thing"]).failed(), expected);
    }
    for name in ["out.parquet", "out.arrow", "out.csv", "tables"] {
        let path = outputs.path(name);
        assert_eq!(
            recount(&["convert", &sample("objects.blg"), "-o", &path, "-c", "no such thing"]).failed(),
            expected
        );
        assert!(!std::path::Path::new(&path).exists(), "{path}");
    }
}

/// Other files next to the captures of a directory are noted, but cause no failure.
#[test]
fn a_directory_of_captures_and_others() {
    let done = recount(&["info", &sample("series")]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let said = "Counter 009.txt: skipped: not a capture that recount reads";
    assert!(done.stdout.contains("odd: ") && done.stdout.contains(said), "{}", done.stdout);
}

/// As by `recount convert ... -o - | head -1`.
#[test]
fn a_reader_of_standard_output_may_go() {
    for format in ["csv", "openmetrics", "line-protocol"] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_recount"))
            .args(["convert", "-q", &sample("objects.blg"), "-o", "-", "--format", format])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the command");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("its end");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !told.contains("pipe"), "{format}: {told}");
    }
}

#[test]
fn a_directory_without_captures() {
    let outputs = Outputs::new();
    let directory = outputs.path("empty");
    std::fs::create_dir(&directory).expect("a directory");
    let error = recount(&["info", &directory]).failed();
    assert_eq!(
        error,
        format!(
            "error: {directory}: a directory without captures\nhint: its files, and those in the folders below \
             it, aren't captures that recount reads\n"
        )
    );
}

/// It would be read for ever.
#[cfg(unix)]
#[test]
fn a_device() {
    let error = recount(&["info", "/dev/zero"]).failed();
    assert_eq!(
        error,
        "error: /dev/zero: this is a device, not a file or a pipe\nhint: name the capture itself\n"
    );
}

#[test]
fn patterns_times_and_durations() {
    let log = sample("objects.blg");
    let outputs = Outputs::new();
    let out = outputs.path("out.csv");
    for (arguments, told) in [
        (vec!["list", &log, r"\\"], "counter path"),
        (vec!["show", &log, r"\Processor(0\*"], "counter path"),
        (
            vec!["show", &log, "--begin", "yesterday"],
            "'--begin <TIME>': expected a time (2013-02-20T02:55:00Z",
        ),
        (vec!["convert", &log, "-o", &out, "--end", "+5x"], "expected an offset such as +5m or -30s"),
        (vec!["convert", &log, "-o", &out, "--interval", "0s"], "a duration must be longer than zero"),
        (vec!["convert", &log, "-o", &out, "--every", "0"], "invalid value '0' for '--every <N>'"),
        (vec!["convert", &log, "-o", &out, "--every", "2", "--interval", "5s"], "cannot be used with"),
        (vec!["convert", &log, "-o", &out, "-c", "@nosuch.txt"], "patterns of -c @nosuch.txt"),
        (
            vec!["convert", &log, "-o", &out, "--names", "nosuch.txt"],
            "nosuch.txt: expected windows, en, own,",
        ),
        (vec!["convert", &log, "-o", &out, "--layout", "objects"], "PDH text has one layout"),
        (
            vec!["convert", &log, "-o", "-"],
            "-o - needs --format: parquet, arrow, csv, tsv, blg, openmetrics or line-protocol",
        ),
        (vec!["convert", &log], "--output <OUT>"),
        (vec!["convert", "-o", &out], "<INPUT>..."),
    ] {
        let error = recount(&arguments).failed();
        assert!(error.starts_with("error: ") && error.contains(told), "{arguments:?}: {error}");
    }
    assert_eq!(outputs.files(), Vec::<String>::new());
}

#[test]
fn an_extension_that_names_no_format() {
    let outputs = Outputs::new();
    let error = recount(&["convert", &sample("objects.blg"), "-o", &outputs.path("out.xlsx")]).failed();
    assert_eq!(
        error,
        "error: the extension .xlsx names no format: use .parquet, .arrow, .csv, .tsv, .blg, or --format\n"
    );
    let path = outputs.path("out.xlsx");
    recount(&["convert", &sample("objects.blg"), "-o", &path, "--format", "csv"]).fine();
    assert_eq!(outputs.files(), ["out.xlsx"]);
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let outputs = Outputs::new();
    for name in ["none/out.csv", "none/out.parquet", "none/out.arrow"] {
        let error = recount(&["convert", &sample("objects.blg"), "-o", &outputs.path(name)]).failed();
        assert!(error.contains(&outputs.path("none")), "{error}");
    }
}

#[test]
fn names_that_are_no_names() {
    let outputs = Outputs::new();
    let names = outputs.write("names.txt", "Dear reader");
    let error = recount(&["list", &sample("series/1.bin"), "--names", &names]).failed();
    let expected = "names.txt: neither pairs of a decimal index and a name, a line each, nor two columns of names: line 1: ";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_misspelt_object_leads_to_the_one_that_exists() {
    let error = recount(&["list", &sample("objects.blg"), r"\Procesor(*)\*"]).failed();
    let expected = "error: no counter matches \\Procesor(*)\\*; there is an object Processor\n";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn what_can_be_opened_is_shown_next_to_what_cannot() {
    let run = recount(&["info", &sample("objects.blg"), "nosuch.blg"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("PACIFIC"), "{}", run.stdout);
    assert!(run.stderr.starts_with("error: nosuch.blg: "), "{}", run.stderr);
}

#[test]
fn a_dash_is_standard_output_or_nothing() {
    let outputs = Outputs::new();
    let log = sample("objects.blg");
    for arguments in [
        &["report", &log, "-o", "-"][..],
        &["report", &log, "--json", "-"],
        &["diff", &log, &log, "--markdown", "-"],
    ] {
        let text = recount(arguments).fine();
        assert!(text.starts_with(['<', '{', '#']), "{arguments:?}: {text}");
    }
    let two = recount(&["report", &log, "-o", "-", "--markdown", "-"]).failed();
    assert_eq!(two, "error: only one output can be -, which is standard output\n");
    for arguments in [&["catalogue", &log, "-o", "-"][..], &["pack", &log, "-o", "-"]] {
        let error = recount(arguments).failed();
        assert!(error.contains("can't be written to standard output"), "{arguments:?}: {error}");
    }
    assert!(outputs.files().is_empty() && !std::path::Path::new("-").exists());
}

/// Who opens a file by its name should find what it says.
#[test]
fn a_page_is_not_called_something_else() {
    let outputs = Outputs::new();
    let log = sample("objects.blg");
    for (name, instead) in [
        ("a.pdf", "a browser prints"),
        ("a.md", "--markdown"),
        ("a.XML", "--junit"),
        ("a.csv", "--json=FILE"),
    ] {
        let error = recount(&["report", &log, "-o", &outputs.path(name)]).failed();
        assert!(error.contains("the page is HTML") && error.contains(instead), "{error}");
    }
    assert!(outputs.files().is_empty());
    for name in ["a.html", "b.HTM", "page"] {
        recount(&["report", &log, "-o", &outputs.path(name)]).fine();
    }
}

/// What talks to other machines is only included in a build if requested.
#[cfg(not(feature = "remote"))]
#[test]
fn remote_machines_say_how_to_get_them() {
    for arguments in
        [&["record", "-o", "x.rcap", "--host", "web1"][..], &["list", "--host=web1"], &["serve", "x"]]
    {
        let error = recount(arguments).failed();
        assert!(error.starts_with("error: this recount was built without remote machines"), "{error}");
        assert!(error.ends_with("--features remote installs recount with them\n"), "{error}");
    }
}

/// SQL is only included in a build if requested.
#[cfg(not(feature = "sql"))]
#[test]
fn a_query_without_sql_says_how_to_get_it() {
    let error = recount(&["query", &sample("objects.blg"), "SELECT * FROM Processor"]).failed();
    assert!(error.starts_with("error: this recount was built without SQL"), "{error}");
    assert!(error.ends_with("--features sql installs recount with it\n"), "{error}");
}

#[test]
fn a_capture_given_twice_is_refused() {
    let log = sample("objects.blg");
    let run = recount(&["stats", &log, &log]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("objects.blg: given twice"), "{}", run.stderr);
}

#[test]
fn a_span_without_samples_is_no_missing_counter() {
    let run = recount(&["show", &sample("objects.blg"), "Processor", "--begin", "2030-01-01T00:00:00Z"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.starts_with(
            "error: none of the 8 samples is in the requested time range: they are from 2013-02-20T02:00:00-08:00 to"
        ),
        "{}",
        run.stderr
    );
    let run =
        recount(&["show", &sample("objects.blg"), "Processor", "--begin", "+5m", "--end", "+2m"]).failed();
    assert_eq!(
        run,
        "error: the requested time range ends before it begins\nhint: name the earlier time first; recount info FILE shows the span of a capture\n"
    );
}
