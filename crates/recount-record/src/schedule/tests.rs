use super::*;

const MS: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MS;

/// The moment this many nanoseconds after the start.
fn after(ns: i64) -> Moment {
    Moment {
        monotonic_ns: 5_000 * SECOND + ns,
        boottime_ns: 7_000 * SECOND + ns,
        realtime_ns: 1_900_000_000 * SECOND + ns,
    }
}

fn schedule(interval_ms: u64) -> Schedule {
    let mut schedule = Schedule::new(Duration::from_millis(interval_ms), after(0));
    assert_eq!(schedule.tick(after(0)), []);
    schedule
}

fn due_after(schedule: &Schedule) -> i64 {
    schedule.due_ns() - after(0).monotonic_ns
}

/// Kind, extent in ms, and count.
fn told(events: &[Event]) -> Vec<(EventKind, i64, u64)> {
    events.iter().map(|event| (event.kind, event.extent / 10_000, event.count)).collect()
}

#[test]
fn waking_up_late_each_time_does_not_add_up() {
    let mut schedule = schedule(1_000);
    for k in 1..=1_000 {
        assert_eq!(due_after(&schedule), k * SECOND);
        assert_eq!(schedule.tick(after(k * SECOND + 40 * MS)), []);
    }
    assert_eq!(due_after(&schedule), 1_001 * SECOND);
}

#[test]
fn late_is_more_than_50_ms_and_a_tenth_of_the_interval() {
    for (interval, late, is_told) in
        [(1_000, 100, false), (1_000, 101, true), (100, 50, false), (100, 51, true), (60_000, 5_999, false)]
    {
        let mut schedule = schedule(interval);
        let now = after((interval as i64 + late) * MS);
        let expected = if is_told { vec![(EventKind::Late, late, 0)] } else { vec![] };
        let events = schedule.tick(now);
        assert_eq!(told(&events), expected, "{interval} {late}");
        assert!(events.iter().all(|event| event.time == now.time()));
        assert_eq!(due_after(&schedule), 2 * interval as i64 * MS);
    }
}

#[test]
fn samples_whose_time_has_passed_are_skipped() {
    let mut schedule = schedule(1_000);
    schedule.tick(after(SECOND));
    // Samples 2 and 3 are missed; 4 is taken late.
    let events = schedule.tick(after(4_300 * MS));
    assert_eq!(told(&events), [(EventKind::Missed, 3_300, 2), (EventKind::Late, 300, 0)]);
    assert_eq!(due_after(&schedule), 5 * SECOND);
    // Exactly at the next but one: one is missed, and this one is on time.
    let events = schedule.tick(after(6 * SECOND));
    assert_eq!(told(&events), [(EventKind::Missed, 1_700, 1)]);
    assert_eq!(events[0].text, "1 not taken, none for 1.700 s");
    assert_eq!(due_after(&schedule), 7 * SECOND);
}

#[test]
fn a_sample_out_of_turn_leaves_the_schedule() {
    let mut schedule = schedule(1_000);
    assert_eq!(schedule.tick(after(400 * MS)), []);
    assert_eq!(due_after(&schedule), SECOND);
    assert_eq!(schedule.tick(after(SECOND)), []);
}

#[test]
fn a_suspend_is_no_missed_sample() {
    let mut schedule = schedule(1_000);
    let mut now = after(SECOND);
    now.boottime_ns += 3_600 * SECOND;
    now.realtime_ns += 3_600 * SECOND;
    assert_eq!(told(&schedule.tick(now)), [(EventKind::Suspended, 3_600_000, 0)]);
    // It is reported only once.
    let mut next = after(2 * SECOND);
    next.boottime_ns += 3_600 * SECOND;
    next.realtime_ns += 3_600 * SECOND;
    assert_eq!(schedule.tick(next), []);
}

#[test]
fn clock_steps_are_reported_with_their_sign() {
    let mut schedule = schedule(1_000);
    let set = |k: i64, by_ms: i64| {
        let mut now = after(k * SECOND);
        now.realtime_ns += by_ms * MS;
        now
    };
    assert_eq!(told(&schedule.tick(set(1, -3_600_000))), [(EventKind::ClockStep, -3_600_000, 0)]);
    assert_eq!(schedule.tick(set(2, -3_600_000)), []);
    let events = schedule.tick(set(3, 11));
    assert_eq!(told(&events), [(EventKind::ClockStep, 3_600_011, 0)]);
    assert_eq!(events[0].text, "the clock was set forward by 3600.011 s");
    // The event's time is that of the new clock.
    assert_eq!(events[0].time, set(3, 11).time());
}

#[test]
fn slewing_is_no_step() {
    let mut schedule = schedule(60_000);
    // 500 ppm of 60 s are 30 ms.
    let mut now = after(60 * SECOND);
    now.realtime_ns += 40 * MS;
    assert_eq!(schedule.tick(now), []);
    let mut now = after(120 * SECOND);
    now.realtime_ns += 81 * MS;
    assert_eq!(told(&schedule.tick(now)), [(EventKind::ClockStep, 41, 0)]);
}

/// Second tier: depends on the clock and the load of this machine.
#[cfg(feature = "live-tests")]
mod live {
    use super::*;

    #[test]
    fn the_system_clock_waits_until_it_is_due() {
        let mut clock = SystemClock::new();
        let interrupts = crate::Interrupts::new().expect("a pipe");
        let start = clock.now();
        let due = start.monotonic_ns + 30 * MS;
        while clock.now().monotonic_ns < due {
            clock.wait(due, &interrupts);
        }
        let now = clock.now();
        assert!(now.monotonic_ns >= due && now.monotonic_ns < due + 5 * SECOND);
        assert!((now.realtime_ns - start.realtime_ns) >= 30 * MS);
        // A wake-up ends the wait immediately.
        interrupts.end();
        clock.wait(now.monotonic_ns + 60 * SECOND, &interrupts);
        assert!(clock.now().monotonic_ns < now.monotonic_ns + 10 * SECOND);
    }
}
