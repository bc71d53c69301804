//! A build, a service and what has no name, on a machine with two processors.

use std::ops::ControlFlow;
use std::sync::Arc;

use recount_compute::{Input, Rhythm, unwatched};
use recount_model::{
    CaptureInfo, Cooked, CookedColumn, CounterDef, Decoded, EndedProcess, Health, Instance, ObjectDef,
    Opened, ProcessDescription, ProcessNote, SampleTime, Selection, Source, Status, Timestamp,
};
use recount_tables::processes::{ProcessRow, inherit_places, processes_batch, read_processes};

use super::{GroupBy, groups, not_attributed};
use crate::report::{CaptureFacts, Observed, ReportOptions, observe};
use crate::rules::{Finding, parse_rules};
use crate::stats::{StatsOptions, stats};

const BEGIN: i64 = 134_000_000_000_000_000;
const SECOND: i64 = 10_000_000;
const NUM_SAMPLES: u32 = 120;

/// Id, parent, name, command line, cgroup, share of a processor.
type Load = (u32, u32, &'static str, &'static str, &'static str, f64);

const LOADS: [Load; 7] = [
    (1, 0, "systemd", "/sbin/init", "/init.scope", 0.0),
    (10, 1, "bash", "bash", "/system.slice/ci.service", 0.0),
    (11, 10, "make", "make -j8 all", "/system.slice/ci.service", 1.0),
    (12, 11, "cc1plus", "/usr/lib/gcc/cc1plus -O2 a.cc", "/system.slice/ci.service", 40.0),
    (13, 11, "cc1plus", "/usr/lib/gcc/cc1plus -O2 b.cc", "/system.slice/ci.service", 45.0),
    (20, 1, "python3", "python3 -u /srv/train.py", "/system.slice/ml.service", 60.0),
    (30, 1, "idle_one", "idle_one", "/", 0.0),
];

struct Machine {
    opened: Opened,
    /// Processes have values in each of so many samples.
    every: u32,
}

fn time(second: u32) -> SampleTime {
    SampleTime { utc: Timestamp(BEGIN + i64::from(second) * SECOND), offset_min: 0 }
}

fn start(pid: u32) -> Timestamp {
    Timestamp(BEGIN - 100 * SECOND + i64::from(pid))
}

impl Machine {
    fn input() -> Input {
        Machine::with_processes_in_each(1)
    }

    fn with_processes_in_each(every: u32) -> Input {
        let info = CaptureInfo { is_cooked: true, hosts: vec!["ci1".into()], ..CaptureInfo::default() };
        let times = (0..NUM_SAMPLES).map(time).collect();
        let source = Arc::new(Machine { opened: Opened { info, times, ..Opened::default() }, every });
        Input::new(source, (0..NUM_SAMPLES).collect())
    }

    fn cooked(samples: &[u32], object: &str, instances: Vec<Instance>, values: &[f64]) -> Cooked {
        let counter = CounterDef { name: "% Processor Time".into(), ..CounterDef::default() };
        let num = samples.len();
        Cooked {
            host: "ci1".into(),
            object: Arc::new(ObjectDef {
                name: object.into(),
                counters: vec![counter],
                instanced: true,
                ..ObjectDef::default()
            }),
            continued: vec![true; instances.len()],
            instances: instances.into(),
            times: samples.iter().map(|second| time(*second)).collect(),
            gaps: Vec::new(),
            first_s: Vec::new(),
            interval_s: samples.iter().map(|second| (*second > 0).then_some(1.0)).collect(),
            columns: vec![CookedColumn {
                counter: 0,
                values: values.repeat(num),
                status: None,
                covers: None,
                texts: None,
            }],
            raw: None,
        }
    }
}

impl Source for Machine {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn len_sample(&self, _: usize) -> usize {
        64
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let process = |(pid, _, name, ..): &Load| Instance {
            id: Some(u64::from(*pid)),
            start: Some(start(*pid)),
            ..Instance::named(*name)
        };
        let processors = ["0", "1", "_Total"].map(Instance::named).to_vec();
        let total = Instance::named("_Total");
        let mut all = [
            Machine::cooked(
                samples,
                "Process",
                LOADS.iter().map(process).chain([total]).collect(),
                &LOADS.map(|load| load.5).into_iter().chain([146.0]).collect::<Vec<_>>(),
            ),
            Machine::cooked(samples, "Processor", processors, &[98.0, 96.0, 97.0]),
        ];
        for column in all[0].columns.iter_mut().filter(|_| self.every > 1) {
            let status = |second: &u32| {
                if second.is_multiple_of(self.every) { Status::Ok } else { Status::InvalidData }
            };
            let of_samples = samples.iter().map(status);
            column.status = Some(of_samples.flat_map(|status| [status; LOADS.len() + 1]).collect());
        }
        let cooked = all.into_iter().filter(|one| selection.may_match_object("ci1", &one.object.name));
        Decoded { cooked: cooked.collect(), ..Decoded::default() }
    }

    fn processes(
        &self,
        _: (Timestamp, Timestamp),
        take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
    ) -> Health {
        for (pid, parent, name, command, cgroup, _) in LOADS {
            let described = ProcessDescription {
                since: Timestamp(BEGIN),
                pid,
                start: start(pid),
                parent,
                name: name.into(),
                command: command.split(' ').map(Into::into).collect(),
                user: Some(if pid < 20 { "root" } else { "ml" }.into()),
                cgroup: Some(cgroup.into()),
                unit: recount_model::unit_of_cgroup(cgroup).map(Into::into),
                ..ProcessDescription::default()
            };
            let _ = take(ProcessNote::Described(described));
        }
        // Too short to be seen by a sample, and too many to be kept one by one.
        let _ = take(ProcessNote::Ended(EndedProcess {
            sample: time(60).utc,
            pid: 99,
            start: time(59).utc,
            end: time(60).utc,
            parent: 11,
            name: "cc1plus".into(),
            user_time: 9 * SECOND as u64,
            privileged_time: SECOND as u64,
            count: 4_310,
            ..EndedProcess::default()
        }));
        Health::default()
    }
}

fn rows() -> Vec<ProcessRow> {
    read_processes(&[Machine::input()], &unwatched).expect("not cancelled").rows
}

fn shown(by: GroupBy) -> Vec<(String, u64, f64)> {
    let all = groups(&rows(), by).into_iter();
    all.map(|group| (group.name, group.num, group.cpu_s.unwrap_or(0.0).round())).collect()
}

#[test]
fn noise_is_not_said() {
    assert_eq!(not_attributed(194.0, 146.0), Some(48.0));
    assert_eq!((not_attributed(10.9, 10.0), not_attributed(800.0, 793.0)), (None, None));
    assert_eq!(not_attributed(10.0, 20.0), None);
}

#[test]
fn processes_are_grouped_by_what_they_have_in_common() {
    let of = |name: &str, num, seconds| (name.to_owned(), num, seconds);
    // 85 % over 119 s, and 10 s of those that were too short.
    assert_eq!(shown(GroupBy::Command)[..2], [of("cc1plus", 4_312, 111.0), of("python3 train.py", 1, 71.0)]);
    assert_eq!(shown(GroupBy::Tree)[0], of("cc1plus below make of ci.service", 4_312, 111.0));
    assert_eq!(shown(GroupBy::Tree)[1], of("python3 train.py of ml.service", 1, 71.0));
    assert_eq!(shown(GroupBy::Unit)[..2], [of("ci.service", 4_314, 112.0), of("ml.service", 1, 71.0)]);
    assert_eq!(shown(GroupBy::User)[0].0, "root");
}

#[test]
fn the_books_balance() {
    let found = read_processes(&[Machine::input()], &unwatched).expect("not cancelled");
    assert!(found.busy_s.is_some_and(|busy| (busy - 1.94 * 119.0).abs() < 1e-6), "{:?}", found.busy_s);
    assert!((found.used_s() - 1.46 * 119.0 - 10.0).abs() < 1e-6, "{}", found.used_s());
    let batch = processes_batch(&found).expect("a table");
    assert_eq!(batch.num_rows(), LOADS.len() + 2);
    let [rest] = &found.not_attributed[..] else { panic!("one machine") };
    assert_eq!((rest.shown(), rest.pid, rest.count), ("not attributed".to_owned(), None, 0));
    let sum = found.used_s() + rest.cpu_s[0].unwrap_or(0.0);
    assert!(found.busy_s.is_some_and(|busy| (busy - sum).abs() < 1e-6), "{sum}");
    let names: Vec<String> = found.rows.iter().map(ProcessRow::shown).collect();
    assert!(names.contains(&"python3 train.py (pid 20, ml.service)".to_owned()), "{names:?}");
    assert!(names.contains(&"cc1plus (4310 processes)".to_owned()), "{names:?}");
}

/// What rules find.
fn findings(rules: &str) -> Vec<Finding> {
    observed(rules, Machine::input()).findings
}

fn observed(rules: &str, input: Input) -> Observed {
    let set = parse_rules(rules).expect("sound");
    let inputs = [input];
    let facts = CaptureFacts {
        names: vec!["x".into()],
        hosts: vec!["ci1".into()],
        times: (0..NUM_SAMPLES).map(time).collect(),
        rhythm: Rhythm::of(&inputs).into(),
        interval_s: Some(1.0),
        ..CaptureFacts::default()
    };
    let observed = observe(&inputs, facts, &[set], &ReportOptions::default(), &unwatched);
    observed.expect("not cancelled")
}

/// Processes that have values in each third sample, and processors that have them in all.
#[test]
fn samples_without_a_value_do_not_count_as_zero() {
    let rules = rule("threshold = \"> 90\"\ncounter = 'Processor(_Total)\\% Processor Time'");
    let found = observed(&rules, Machine::with_processes_in_each(3));
    let [finding] = &found.findings[..] else { panic!("{:?}", found.findings) };
    let named = ": cc1plus (2 processes) 85 %, python3 train.py (pid 20, ml.service) 60 %";
    assert!(finding.headline.ends_with(named), "{}", finding.headline);
    let shares = found.programs.iter().find(|shares| shares.by == GroupBy::Command).expect("programs");
    let mean = |at: usize| (shares.mean(&shares.groups[at].1) * 1e3).round() / 1e3;
    assert_eq!((shares.groups.len(), mean(0), mean(1)), (3, 0.425, 0.3));
    assert!((0.3..0.4).contains(&shares.part_covered()), "{}", shares.part_covered());
    // Of the seconds that have both.
    assert!(shares.mean_not_attributed.is_some_and(|rest| (rest - 0.24).abs() < 0.01), "{shares:?}");
    let found = read_processes(&[Machine::with_processes_in_each(3)], &unwatched).expect("not cancelled");
    assert!(found.busy_s.is_some() && found.not_attributed.is_empty(), "{:?}", found.not_attributed);
}

/// A set of one rule.
fn rule(lines: &str) -> String {
    let set = "[set]\nname = \"x\"\ntitle = \"X\"\nversion = 1\n[[rule]]\nid = \"one\"\ntitle = \"One\"\ngroup = \"cpu\"\n";
    format!("{set}severity = \"warning\"\nexplanation = \"It is busy.\"\nfor = \"1min\"\n{lines}\n")
}

/// What a rule says, the largest excess first.
fn headlines(lines: &str) -> Vec<String> {
    let begin =
        |headline: String| headline.split(" on average").next().map(str::to_owned).unwrap_or_default();
    findings(&rule(lines)).into_iter().map(|finding| begin(finding.headline)).collect()
}

#[test]
fn rules_judge_groups() {
    let of = |by: &str| {
        let lines =
            format!("group-by = \"{by}\"\nthreshold = \"> 50\"\ncounter = 'Process(*)\\% Processor Time'");
        headlines(&lines)
    };
    // Neither compiler has used more than half of a processor. The short ones were there, but in no sample's values.
    let compilers = "was 85 %";
    let others = "% Processor Time was 60 %";
    assert_eq!(
        of("command"),
        [
            format!("cc1plus (4312 processes): % Processor Time {compilers}"),
            format!("python3 train.py (1 process): {others}")
        ]
    );
    assert_eq!(
        of("tree"),
        [
            format!("cc1plus below make of ci.service (4312 processes): % Processor Time {compilers}"),
            format!("python3 train.py of ml.service (1 process): {others}")
        ]
    );
    // 1, 40 and 45 %; what has no unit isn't judged.
    assert_eq!(
        of("unit"),
        [
            "ci.service (4314 processes): % Processor Time was 86 %".to_owned(),
            format!("ml.service (1 process): {others}")
        ]
    );
    assert_eq!(of("container"), [""; 0]);
}

#[test]
fn a_rule_combines_groups_with_the_machine() {
    let lines = r"group-by = 'unit'
        expr = 'Process(*)\% Processor Time / count(Processor(*)\% Processor Time)'
        measure = 'share of the processors'
        exclude = ['ml*']
        threshold = '> 20 %'";
    let found = findings(&rule(lines));
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert!(
        finding.headline.starts_with("ci.service (4314 processes): share of the processors was 43 "),
        "{finding:?}"
    );
    assert_eq!((finding.instance.as_deref(), finding.instance_id), (Some("ci.service"), None));
    let json = serde_json::to_value(finding).expect("JSON");
    assert_eq!((&json["group_by"], &json["object"]), (&"unit".into(), &"Process".into()));
}

#[test]
fn findings_name_groups_as_the_rule_says() {
    let lines = |more: &str| {
        let lines = format!("{more}\nthreshold = \"> 90\"\ncounter = 'Processor(_Total)\\% Processor Time'");
        findings(&rule(&lines)).into_iter().map(|finding| finding.headline).collect::<Vec<_>>()
    };
    let [by_unit] = &lines("group-by = \"unit\"")[..] else { panic!("one finding") };
    let named =
        ": ci.service (4314 processes, 3 with CPU) 86 %, ml.service (1 process) 60 %, not attributed 48 %";
    assert!(by_unit.ends_with(named), "{by_unit}");
    let [by_tree] = &lines("group-by = \"tree\"")[..] else { panic!("one finding") };
    assert!(
        by_tree.contains(": cc1plus below make of ci.service (4312 processes, 2 with CPU) 85 %, "),
        "{by_tree}"
    );
}

#[test]
fn a_rule_without_processes_has_nothing_to_group() {
    let faults = |lines: &str| {
        parse_rules(&rule(lines)).err().into_iter().flatten().map(|fault| fault.what).collect::<String>()
    };
    let of_disk = "threshold = \"> 9\"\ncounter = 'LogicalDisk(*)\\% Free Space'\ngroup-by = ";
    assert!(
        faults(&format!("{of_disk}\"unit\"")).contains("`group-by` is for rules about counters of Process")
    );
    assert!(faults(&format!("{of_disk}\"unit\"\nwho = \"none\"")).contains("`group-by` is for"));
    assert_eq!(faults(&format!("{of_disk}\"unit\"\nwho = \"writes\"")), "");
    assert!(
        faults(&format!("{of_disk}\"cgroup\"\nwho = \"writes\"")).contains("`user`, `unit`, `container`")
    );
}

#[test]
fn findings_name_scripts_units_and_the_processes_of_a_program_together() {
    let rules = r#"
        [set]
        name = "x"
        title = "X"
        version = 1
        [[rule]]
        id = "busy"
        title = "Busy"
        group = "cpu"
        severity = "warning"
        counter = 'Processor(_Total)\% Processor Time'
        threshold = "> 90"
        for = "1min"
        explanation = "It is busy."
        [[rule]]
        id = "one"
        title = "One"
        group = "cpu"
        severity = "warning"
        counter = 'Process(python3)\% Processor Time'
        threshold = "> 50"
        for = "1min"
        explanation = "It is busy."
    "#;
    let findings = findings(rules);
    let headline = |rule: &str| {
        findings.iter().find(|finding| finding.rule == rule).map(|finding| finding.headline.clone())
    };
    let busy = headline("busy").expect("it is");
    assert!(
        busy.ends_with(
            ": cc1plus (2 processes) 85 %, python3 train.py (pid 20, ml.service) 60 %, not attributed 48 %"
        ),
        "{busy}"
    );
    let one = headline("one").expect("it is");
    assert!(one.starts_with("python3 train.py (pid 20, ml.service): "), "{one}");
}

/// Id, parent, seconds after the begin, name, command line, cgroup.
fn row((pid, parent, second, name, command, cgroup): (u64, u64, i64, &str, &str, &str)) -> ProcessRow {
    let mut row = ProcessRow::default();
    (row.pid, row.parent, row.name, row.count) = (Some(pid), Some(parent), name.into(), 1);
    row.start = Some(Timestamp(BEGIN + second * SECOND));
    row.cpu_s[0] = Some(1.0);
    row.description = (!command.is_empty()).then(|| ProcessDescription {
        name: name.into(),
        command: command.split(' ').map(Into::into).collect(),
        cgroup: Some(cgroup.into()),
        unit: recount_model::unit_of_cgroup(cgroup).map(Into::into),
        ..ProcessDescription::default()
    });
    row
}

/// The tree of the last of these.
fn tree_of(rows: &[(u64, u64, i64, &str, &str, &str)]) -> String {
    let mut last: Vec<ProcessRow> = rows.iter().map(|one| row(*one)).collect();
    inherit_places(&mut last);
    last.iter_mut().rev().skip(1).for_each(|row| row.cpu_s[0] = None);
    groups(&last, GroupBy::Tree).swap_remove(0).name
}

#[test]
fn a_tree_names_the_nearest_ancestor_that_says_something() {
    const CI: &str = "/system.slice/ci.service";
    let runner = (5, 1, 0, "runner", "/opt/runner --all", CI);
    let make = (10, 5, 1, "make", "make -j8 all", CI);
    // Neither shells, nor drivers of compilers, nor what started the build.
    let shell = (11, 10, 2, "sh", "/bin/sh -c g++ -c a.cc", CI);
    let driver = (12, 11, 2, "x86_64-linux-gnu-g++-12", "x86_64-linux-gnu-g++-12 -c a.cc", CI);
    assert_eq!(
        tree_of(&[
            runner,
            make,
            shell,
            (12, 11, 2, "g++", "g++ -c a.cc", CI),
            (13, 12, 2, "cc1plus", "", "")
        ]),
        "cc1plus below make of ci.service"
    );
    assert_eq!(
        tree_of(&[runner, make, shell, driver, (13, 12, 2, "cc1plus", "", "")]),
        "cc1plus below make of ci.service"
    );
    // A start that is known from the end is late.
    assert_eq!(
        tree_of(&[make, (11, 10, 3, "sh", "", ""), (13, 11, 2, "cc1plus", "", "")]),
        "cc1plus below make of ci.service"
    );
    // One of the same name below itself.
    assert_eq!(
        tree_of(&[runner, make, (11, 10, 2, "make", "make -C lib", CI)]),
        "make below runner of ci.service"
    );
    // A script says what a shell is for, and so does what it was given, if there is nothing else.
    let script = (10, 1, 1, "bash", "bash nightly.sh", "/user.slice/user-0.slice/session-1.scope");
    assert_eq!(tree_of(&[script, (11, 10, 2, "ls", "", "")]), "ls below bash nightly.sh of session-1.scope");
    let given = (10, 1, 1, "sh", "sh -c loop", "/");
    assert_eq!(
        tree_of(&[given, (11, 10, 2, "sh", "sh", "/"), (12, 11, 2, "ls", "", "")]),
        "ls below sh -c loop"
    );
}

#[test]
fn what_was_too_short_belongs_where_its_parent_does() {
    let make = (10, 5, 1, "make", "make", "/system.slice/ci.service");
    let mut rows =
        [make, (11, 10, 2, "sh", "", ""), (12, 11, 2, "true", "", ""), (13, 1, 2, "udev", "", "")].map(row);
    inherit_places(&mut rows);
    let of_ci = &groups(&rows, GroupBy::Unit)[0];
    assert_eq!((&*of_ci.name, of_ci.num), ("ci.service", 3));
    assert_eq!(rows[2].unit(), Some("ci.service"), "the table says the same as the groups");
    // What the first process starts, it puts elsewhere.
    let first = (1, 0, 0, "systemd", "/sbin/init", "/init.scope");
    let mut rows = [first, (13, 1, 2, "udev", "", "")].map(row);
    inherit_places(&mut rows);
    assert!(groups(&rows, GroupBy::Unit).iter().any(|group| group.name == "-" && group.num == 1));
}

#[test]
fn what_was_too_short_is_in_its_parents_container() {
    const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let cgroup = format!("/system.slice/docker-{ID}.scope");
    let mut rows = [(10, 1, 1, "sh", "sh loop.sh", &*cgroup), (11, 10, 2, "true", "", "")].map(row);
    if let Some(described) = &mut rows[0].description {
        (described.container, described.container_name) = (Some(ID.into()), Some("web".into()));
    }
    inherit_places(&mut rows);
    assert_eq!((rows[1].container().as_deref(), rows[1].container_name()), (Some(ID), Some("web")));
    let of_web = &groups(&rows, GroupBy::Container)[0];
    assert_eq!((&*of_web.name, of_web.num), ("web", 2));
}

#[test]
fn statistics_are_about_groups() {
    let options = StatsOptions { processes: Some(GroupBy::Unit), ..StatsOptions::default() };
    let (rows, _) = stats(&[Machine::input()], &options, &unwatched).expect("not cancelled");
    let mean = |unit: &str| {
        let row = rows.iter().find(|row| row.instance.as_deref() == Some(unit)).expect(unit);
        (row.count, row.mean.map(f64::round))
    };
    // 1, 40 and 45 % of a processor together, in each of two minutes' samples.
    let num = u64::from(NUM_SAMPLES);
    assert_eq!(mean("ci.service"), (num, Some(86.0)), "{rows:?}");
    assert_eq!(mean("ml.service"), (num, Some(60.0)));
    assert!(rows.iter().all(|row| &*row.object == "Process" && row.instance.as_deref() != Some("_Total")));
}
