//! What is said of small captures that showed faults (`../shared/cases/said`): each has the right answer in `expected.tsv`.

use serde_json::Value;

use super::run::{Done, Outputs, assert_says, recount};

fn case(name: &str) -> String {
    recount_testdata::shared_path(&format!("../cases/said/{name}")).display().to_string()
}

fn info(arguments: &[&str]) -> Value {
    let done = recount(&[&["-q", "info", "--json"], arguments].concat());
    serde_json::from_str::<Value>(&done.stdout).unwrap_or_else(|_| panic!("{done:?}"))[0].take()
}

/// The first and the last sample, and the number of samples.
fn span(arguments: &[&str]) -> (String, String, u64) {
    let info = info(arguments);
    let text = |key: &str| info[key].as_str().expect("a time").to_owned();
    (text("first_sample"), text("last_sample"), info["num_samples"].as_u64().expect("a number"))
}

/// The values of each row of `show`: newest, least, mean and largest, and the number of missing ones.
fn shown(name: &str, arguments: &[&str]) -> Vec<(String, [f64; 4], u64)> {
    let path = case(name);
    let done = recount(&[&["-q", "show", "--json", &path], arguments].concat());
    let rows: Vec<Value> = serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{name}: {done:?}"));
    let row = |row: &Value| {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let counter = row["path"].as_str().expect("a counter").to_owned();
        (counter, ["newest", "min", "mean", "max"].map(number), row["num_nulls"].as_u64().expect("a number"))
    };
    rows.iter().map(row).collect()
}

fn report(name: &str) -> Done {
    recount(&["-q", "report", &case(name)])
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{found} for {expected}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn zones_of_headers() {
    let path = case("f01_gmt_named_standard_bias_summer_fall.csv");
    let (begin, end, num_samples) = span(&[&path]);
    assert_eq!((&*begin, &*end, num_samples), ("2017-10-29T00:59:14.562Z", "2017-10-29T01:00:59.563Z", 8));
    let said = recount(&["info", &path]).stdout;
    assert!(!said.contains("zone and bias"), "{said}");

    let path = case("f03_est_bias_in_april.csv");
    for zone in ["America/New_York", "-04:00"] {
        let (begin, end, ..) = span(&[&path, &format!("--zone={zone}")]);
        assert_eq!((&*begin, &*end), ("2026-04-07T16:35:09.373Z", "2026-04-07T16:37:39.373Z"), "{zone}");
    }
    let path = case("f13_zone_cut_paris.csv");
    assert_eq!(span(&[&path, "--zone", "Europe/Paris"]).0, "2021-07-05T07:00:00Z");
    assert!(info(&[&path])["first_sample"].is_null());

    let said = recount(&["info", &case("zone-sign-german.csv")]).stdout;
    assert!(said.contains("the bias 60 means UTC -01:00, which `Mitteleuropäische Zeit` never was in 2026; its sign may be wrong"), "{said}");
    let (begin, end, num_samples) = span(&[&case("p01_zone_cst6.meta")]);
    assert_eq!((&*begin, &*end, num_samples), ("2018-12-12T16:31:11Z", "2018-12-12T16:40:11Z", 10));
    let said = recount(&["info", &case("f16_twelve_hour_clock.csv")]).stdout;
    assert!(said.contains("12 hours"), "{said}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn values_have_their_names() {
    let found = shown("f13c_zone_comma_unquoted.csv", &[]);
    let values: Vec<[f64; 4]> = found.iter().map(|(_, values, _)| *values).collect();
    assert_eq!(values, [[13.0, 10.0, 11.5, 13.0], [2045.0, 2045.0, 2046.5, 2048.0]]);
    let found = shown("f12_commas_in_names_cp1252.csv", &[]);
    let largest: Vec<(&str, f64)> =
        found.iter().map(|(name, values, _)| (name.as_str(), values[3])).collect();
    assert_eq!(
        largest,
        [
            (r"\\SRV\Interface réseau(Intel[R] 82574L, port 2)\Paquets reçus, inconnus", 3.0),
            (
                r"\\SRV\Interface réseau(isatap.{0210E056-0000-4F55-8389-5EA3D29A7B45})\Longueur de la file d’attente de sortie",
                7.0
            ),
            (r"\\SRV\Processor Information(0,_Total)\% Processor Performance", 103.0),
        ]
    );
    let gpu: Vec<f64> = shown("f18_gpu_engine.csv", &[]).iter().map(|(_, values, _)| values[0]).collect();
    assert_eq!(gpu, [64.0, 5.0, 20.0]);
    assert_eq!(recount(&["show", &case("f18_gpu_engine.csv")]).code, Some(0));
    let small = shown("f09_small_latency.csv", &[]);
    assert_near(small[0].1[2], 1.234e-4);
    assert_near(small[1].1[2], 4.5e-5);
}

#[test]
#[ignore = "reads ../shared/data"]
fn means_of_gaps_and_of_levels() {
    for arguments in [&[][..], &["--begin", "19:00"]] {
        let means: Vec<f64> =
            shown("f19_gap_in_appended_log.csv", arguments).iter().map(|(_, values, _)| values[2]).collect();
        assert_near(means[0], 20.0);
        assert_near(means[1], 2_000.0);
    }
    assert_near(shown("f20_mean_of_a_level.csv", &[])[0].1[2], 4.0);
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_is_no_capture_is_named() {
    for (name, said) in [
        ("f05_report_with_perfmon_section.html", "PDH text from byte 0x1517"),
        ("f14_pidstat_two_digit_year.csv", "expected a year with four digits"),
        ("f22_dotnet_counters.csv", "dotnet-counters"),
        ("f23_sadf.json", "sadf"),
        ("f27_bibtex.blg", "not a Windows log"),
        ("f28_get_counter_screen.txt", "Export-Counter"),
    ] {
        let error = recount(&["info", &case(name)]).failed();
        assert!(error.contains(said) && error.contains("hint: "), "{name}: {error}");
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn findings_whatever_the_objects_are_called() {
    let english = report("f04_english.csv").stdout;
    assert!(english.contains("9 of 141 rules could be checked, 7 findings"), "{english}");
    // Russian names of Windows, and the same values.
    let russian = report("f04_russian_utf8.csv").stdout;
    assert_eq!(russian, english);
    let of_objects = ["f06_process_v1.csv", "f06_process_v2.csv"].map(|name| report(name).stdout);
    assert_eq!(of_objects[0], of_objects[1]);
    assert_says(
        &of_objects[1],
        &[
            "chrome (pid 4312) 380 %",
            "sqlservr (pid 1208): Private Bytes grew from 1 GiB to 3 GiB",
            "97.5 %",
            "4 findings",
        ],
    );
    let top = recount(&["-q", "top", &case("f06_process_v2.csv")]).fine();
    assert!(["chrome    4312", "sqlservr  1208"].iter().all(|row| top.contains(row)), "{top}");
    let [v1, v2] = ["f06_process_v1.csv", "f06_process_v2.csv"].map(case);
    let difference = recount(&["-q", "diff", &v1, &v2]).fine();
    assert!(difference.contains("0 only in the new capture"), "{difference}");
    let utility = report("f11_utility_only.csv").stdout;
    assert!(utility.contains("144 %"), "{utility}");
}

/// Two logs in one: every other row is blank for a disk and a processor.
#[test]
#[ignore = "reads ../shared/data"]
fn rows_that_are_blank_by_turns() {
    assert_says(
        &report("relog-merged-blanks.csv").stdout,
        &[
            "Avg. Disk sec/Read was 57.8 ms with 200 reads/s on average for 3 min 30 s",
            "2026-01-15T10:04:33Z to 10:11:26",
            "Processor _Total: % Processor Time was 99 % on average for 3 min 30 s",
        ],
    );
}

/// A column that has another process from one row to the next.
#[test]
#[ignore = "reads ../shared/data"]
fn a_rate_of_two_processes() {
    let said = report("f21_ci_runner_typeperf.tsv").stdout;
    assert!(
        said.contains("go (pid 901): % Processor Time was 120 % on average for 39 s, at most 120 %"),
        "{said}"
    );
    let stats = recount(&[
        "-q",
        "stats",
        &case("f21_ci_runner_typeperf.tsv"),
        "--json",
        "-c",
        r"\Process(go*)\% Processor Time",
    ])
    .stdout;
    let rows: Vec<Value> = serde_json::from_str(&stats).expect("JSON");
    let of =
        |id: u64| rows.iter().find(|row| row["instance_id"] == id).unwrap_or_else(|| panic!("{id}: {stats}"));
    assert_near(of(901)["mean"].as_f64().expect("a mean"), 120.0);
    assert_near(of(901)["max"].as_f64().expect("a maximum"), 120.0);
}

#[test]
#[ignore = "reads ../shared/data"]
fn counters_that_fall() {
    let user = shown("s01_cpu_user_steps_back.sa", &[r"\sar.cpu(1)\%usr"]);
    let system = shown("s01_cpu_user_steps_back.sa", &[r"\sar.cpu(1)\%sys"]);
    assert_eq!(user[0].2, system[0].2 + 1, "{user:?} {system:?}");
    let transfers = shown("s02_disk_steps_back.sa", &["tps"]);
    assert!(transfers[0].2 == 2 && transfers[0].1[3] < 100.0, "{transfers:?}");
    let rates = shown("p03_known_rates.meta", &[]);
    let found: Vec<(f64, f64, u64)> =
        rates.iter().map(|(_, values, missing)| (values[1], values[3], *missing)).collect();
    let expected = [(1.0, 1), (10.0, 1), (100.0, 2), (50.0, 2), (65_536.0, 2)];
    assert_eq!(found, expected.map(|(rate, missing)| (rate, rate, missing)));
}

#[test]
#[ignore = "reads ../shared/data"]
fn a_torn_log_keeps_the_rest() {
    let path = case("a01_torn_then_appended.raw");
    let done = recount(&["info", &path]);
    assert!(done.code == Some(1) && done.stdout.contains("damaged"), "{done:?}");
    assert_eq!(info(&[&path])["num_samples"], 29);
}

#[test]
#[ignore = "reads ../shared/data"]
fn tolerances_of_a_build() {
    let run = |new: &str| {
        recount(&["diff", &case("ci_base.csv"), &case(new), "--rules", &case("ci_tolerances.toml")])
    };
    assert_eq!(run("ci_again.csv").code, Some(0));
    let plus5 = run("ci_plus5.csv");
    let beyond = |done: &Done| done.stdout.lines().filter(|line| line.starts_with("critical: ")).count();
    assert!(beyond(&plus5) == 1 && plus5.stdout.contains("critical: field-ci/stage"), "{plus5:?}");
    let outputs = Outputs::new();
    let tolerances = std::fs::read_to_string(case("ci_tolerances.toml")).expect("tolerances");
    let floor = outputs
        .write("floor.toml", tolerances.replace("id = \"stage\"\n", "id = \"stage\"\nfloor = \"1 ms\"\n"));
    let with_floor = recount(&["diff", &case("ci_base.csv"), &case("ci_plus5.csv"), "--rules", &floor]);
    assert_eq!(with_floor.code, Some(0), "{with_floor:?}");
    let plus15 = run("ci_plus15.csv");
    assert_eq!((plus15.code, beyond(&plus15)), (Some(1), 3), "{plus15:?}");
    let junit = outputs.path("torn.xml");
    let torn = recount(&[
        "diff",
        &case("ci_base.csv"),
        &case("ci_torn_last_row.csv"),
        "--rules",
        &case("ci_tolerances.toml"),
        "--junit",
        &junit,
    ]);
    assert_eq!((torn.code, beyond(&torn)), (Some(3), 0), "{torn:?}");
    let other = run("ci_other_machine.csv");
    let said = format!("{}{}", other.stdout, other.stderr);
    assert!(
        said.contains("BUILD1 (4 processors) in the base, BUILD9 (8 processors) in the new one"),
        "{said}"
    );
}
