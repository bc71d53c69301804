//! Cgroups from literal files, and those of this machine.

use std::path::Path;

use super::*;
use crate::linux::process::sampler::{Sample, Sampler};

fn write(folder: &Path, files: &[(&str, &str)]) {
    std::fs::create_dir_all(folder).expect("made");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("written");
    }
}

const PRESSURE: &str =
    "some avg10=0.92 avg60=1.08 avg300=0.31 total=30\nfull avg10=0.86 avg60=1.03 avg300=0.29 total=20\n";

/// The root, a cgroup with all controllers, one without children, and one with a damaged file.
fn hierarchy() -> tempfile::TempDir {
    let mount = tempfile::tempdir().expect("a folder");
    let cpu = ("cpu.stat", "usage_usec 10\nuser_usec 7\nsystem_usec 3\n");
    write(mount.path(), &[cpu, ("cgroup.controllers", "cpuset cpu io memory\n"), ("cpu.pressure", PRESSURE)]);
    let full = [
        (
            "cpu.stat",
            "usage_usec 100\nuser_usec 70\nsystem_usec 30\nnr_periods 5\nnr_throttled 4\nthrottled_usec 6\n",
        ),
        ("memory.current", "4096\n"),
        ("memory.stat", "anon 1000\nfile 2000\nkernel 7\npgfault 33\npgmajfault 3\n"),
        ("memory.swap.current", "8192\n"),
        ("io.stat", "8:0 rbytes=1 wbytes=2 rios=3 wios=4\n8:16 rbytes=10 wbytes=20 rios=30 wios=40\n"),
        ("cpu.pressure", PRESSURE),
        ("memory.pressure", PRESSURE),
        ("io.pressure", "some avg10=0.00 total=5\nfull avg10=0.00 total=4\n"),
    ];
    write(&mount.path().join("web.slice"), &full);
    write(&mount.path().join("web.slice/a b"), &[cpu]);
    write(&mount.path().join("bad"), &[("cpu.stat", "usage_usec many\n"), ("memory.current", "max\n")]);
    mount
}

fn collectors(mount: &Path) -> [CgroupCollector; 6] {
    let of = |spec, read: Read| CgroupCollector::of(spec, read, None, Some(mount.to_owned())).expect("there");
    [
        of(&spec::CPU, read_cpu),
        of(&spec::THROTTLING, read_throttling),
        of(&spec::MEMORY, read_memory),
        of(&spec::IO, read_io),
        of(&spec::PRESSURE, read_pressure),
        of(&spec::SWAP, read_swap),
    ]
}

/// Names of the instances with the values of all counters, in the order of the table.
fn rows(sample: &Sample, spec: &ObjectSpec) -> Vec<(String, Vec<u64>)> {
    let instances = sample.instances(spec.name).into_iter();
    instances
        .map(|instance| {
            let values = spec.counters.iter().map(|counter| instance.get(counter.name)).collect();
            (instance.name, values)
        })
        .collect()
}

#[test]
fn an_instance_is_where_its_files_are() {
    let mount = hierarchy();
    let mut collectors = collectors(mount.path());
    let mut sampler = Sampler::new(collectors.iter_mut().map(|one| one as &mut dyn Collector).collect());
    let sample = sampler.take();
    let row = |name: &str, values: &[u64]| (name.to_owned(), values.to_vec());
    let expected = [
        row("/", &[100, 70, 30]),
        row("/web.slice", &[1000, 700, 300]),
        row("/web.slice/a b", &[100, 70, 30]),
    ];
    assert_eq!(rows(&sample, &spec::CPU), expected);
    assert_eq!(rows(&sample, &spec::THROTTLING), [row("/web.slice", &[5, 4, 60])]);
    assert_eq!(rows(&sample, &spec::MEMORY), [row("/web.slice", &[4096, 1000, 2000, 33, 3])]);
    assert_eq!(rows(&sample, &spec::IO), [row("/web.slice", &[11, 22, 33, 44])]);
    assert_eq!(rows(&sample, &spec::PRESSURE), [row("/web.slice", &[300, 200, 300, 200, 50, 40])]);
    assert_eq!(rows(&sample, &spec::SWAP), [row("/web.slice", &[8192])]);
    let ids: Vec<i32> = sample.instances("Cgroup").iter().map(|instance| instance.unique_id).collect();
    assert!(ids.iter().all(|id| *id != -1) && ids[0] != ids[1] && ids[1] != ids[2]);
    // "many" processor time and "max" memory.
    let (num_unreadable, first) = sampler.tick.take_unreadable();
    assert_eq!(num_unreadable, 2);
    assert_eq!(first.expect("told"), "/bad: cpu.stat: expected lines of the form \"name number\"");
}

#[test]
fn an_object_is_present_where_its_controller_is() {
    let mount = hierarchy();
    let is_present = |controller, mount: &Path| {
        CgroupCollector::of(&spec::IO, read_io, Some(controller), Some(mount.to_owned())).is_some()
    };
    assert!(is_present("io", mount.path()) && !is_present("hugetlb", mount.path()));
    assert!(!is_present("io", &mount.path().join("none")));
    assert!(CgroupCollector::of(&spec::CPU, read_cpu, None, None).is_none());
}

#[cfg(feature = "live-tests")]
#[test]
fn live_the_root_of_this_machine_is_as_its_file_says() {
    let mount = mount_point().expect("cgroups of version 2 are mounted");
    let time = || {
        let text = std::fs::read(mount.join("cpu.stat")).expect("readable");
        flat(&text, [b"usage_usec"]).expect("there")[0] * 10
    };
    let mut cgroup = CgroupCollector::new().expect("present");
    let mut sampler = Sampler::new(vec![&mut cgroup]);
    let before = time();
    let sample = sampler.take();
    let after = time();
    let root = sample.instances("Cgroup").remove(0);
    assert_eq!(root.name, "/");
    assert!((before..=after).contains(&root.get("% Processor Time")));
}
