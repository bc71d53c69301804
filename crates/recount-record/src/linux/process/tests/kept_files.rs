//! Files that stay open from one sample to the next.

use super::cut_blocks::{IO, add_process};
use super::*;

#[test]
fn they_stay_within_the_budget() {
    let proc = tempfile::tempdir().expect("a folder");
    let proc_dir = ProcDir::at(proc.path()).expect("there");
    let mut process = ProcessCollector::with(proc_dir, Budget::of(5), None);
    let add = |pid: u32| {
        add_process(proc.path(), pid);
        std::fs::write(proc.path().join(format!("{pid}/io")), IO).expect("written");
    };
    // In each round they are others. The files of those that have ended are closed at the end of the first sample.
    for round in 0..3 {
        let pids = [1, 2, 3, 4].map(|number| 10 * round + number);
        pids.into_iter().for_each(add);
        for _ in 0..2 {
            let sample = Sampler::new(vec![&mut process]).take();
            for pid in pids {
                assert!(sample.find("Process", "ID Process", u64::from(pid)).is_some(), "{pid}");
            }
            let kept = process.known.iter().map(|known| known.num_kept() as u64).sum::<u64>();
            assert_eq!(kept + process.files.budget.num_left(), 5, "round {round}");
        }
        assert_eq!(process.files.budget.num_left(), 0, "round {round}");
        for pid in pids {
            std::fs::remove_dir_all(proc.path().join(pid.to_string())).expect("ended");
        }
    }
    process.files.budget = Budget::of(0);
    add(99);
    let sample = Sampler::new(vec![&mut process]).take();
    assert!(sample.find("Process", "ID Process", 99).is_some());
}
