//! Known threads, found in decoded blocks.

use super::*;

#[test]
fn numbers_are_names() {
    for number in [0, 9, 10, 4_294_967_295] {
        assert_eq!(DecimalName::default().of(number), number.to_string());
    }
}

/// Threads of this machine; its clock and its load.
#[cfg(feature = "live-tests")]
mod live {
    use std::sync::mpsc;
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    use super::*;
    use crate::linux::process::ProcessCollector;
    use crate::linux::process::sampler::{Decoded, Sample, Sampler, own_tid};

    fn find(sample: &Sample, tid: i32) -> Decoded {
        sample.find("Thread", "ID Thread", u64::from(tid.cast_unsigned())).expect("listed")
    }

    #[test]
    fn without_processes_there_are_no_threads() {
        let mut thread = ThreadCollector::new().expect("/proc");
        let mut sampler = Sampler::new(vec![&mut thread]);
        assert!(sampler.take().instances("Thread").is_empty());
    }

    #[test]
    fn threads_have_their_values_and_their_process() {
        let (mut process, mut thread) = (
            ProcessCollector::new(None, crate::Describe::None).expect("/proc"),
            ThreadCollector::new().expect("/proc"),
        );
        let mut sampler = Sampler::new(vec![&mut process, &mut thread]);
        let (tell, told) = mpsc::channel();
        let (go, gone) = mpsc::channel::<()>();
        let worker = std::thread::spawn(move || {
            tell.send(own_tid()).expect("heard");
            gone.recv().expect("told");
            let cpu = || {
                let time = clock_gettime(ClockId::ThreadCPUTime);
                time.tv_sec * 1_000_000_000 + time.tv_nsec
            };
            (0..100).for_each(|_| std::thread::sleep(Duration::from_millis(1)));
            let start = cpu();
            while cpu() - start < 1_000_000_000 {}
            tell.send(0).expect("heard");
            gone.recv().expect("told");
        });
        let tid = told.recv().expect("told");
        let before = sampler.take();
        go.send(()).expect("heard");
        told.recv().expect("told");
        let after = sampler.take();
        go.send(()).expect("heard");
        worker.join().expect("no panic");

        let (before, now) = (find(&before, tid), find(&after, tid));
        let difference = |counter| now.get(counter) - before.get(counter);
        let time = difference("% Processor Time") as f64;
        // A second, plus the cost of a hundred sleeps.
        assert!((9_800_000.0..10_600_000.0).contains(&time), "{time}");
        assert!(difference("Context Switches/sec") >= 100);
        assert_eq!(before.get("Elapsed Time"), now.get("Elapsed Time"));
        assert_eq!((now.get("Priority Base"), now.get("Priority Current")), (19, 19));
        assert!(matches!(u8::try_from(now.get("Thread State Letter")), Ok(b'S' | b'R')));

        let me = u64::from(std::process::id());
        assert_eq!(now.get("ID Process"), me);
        let (object, number) = now.parent.expect("a parent");
        assert_eq!(object, process::INDEX);
        assert_eq!(after.instances("Process")[number as usize].get("ID Process"), me);
        let numbers =
            after.instances("Thread").into_iter().filter(|instance| instance.get("ID Process") == me);
        for (number, instance) in numbers.enumerate() {
            assert_eq!(instance.name, number.to_string());
        }
    }
}
