use recount::{Span, TimeMachine};
use std::time::Instant;
fn main() {
    let captures = vec![recount::open(std::env::args().nth(1).unwrap()).unwrap()];
    let at = Instant::now();
    let many: bool = std::env::args().nth(2).is_some();
    let objects: &[&str] = if many {
        &["Process", "Processor", "Processor Information", "Memory", "PhysicalDisk", "Network Interface"]
    } else {
        &["Process"]
    };
    let machine = TimeMachine::new(&captures, &Span::default(), objects);
    println!("new {:?}", at.elapsed());
    let n = machine.times().len();
    for (what, step) in [("forward", 1isize), ("back", -1)] {
        let mut moment = machine.at(machine.times()[n / 2].utc, 0).unwrap();
        let mut took = Vec::new();
        for _ in 0..2000 {
            let at = Instant::now();
            moment = machine.at(moment.time.utc, step).unwrap();
            took.push(at.elapsed());
        }
        took.sort();
        println!(
            "{what}: median {:?} p99 {:?} max {:?} rows {}",
            took[1000],
            took[1980],
            took[1999],
            moment.objects[0].rows.len()
        );
    }
    let mut took = Vec::new();
    for k in 0..200usize {
        let at = Instant::now();
        machine.at(machine.times()[(k * 7919) % n].utc, 0).unwrap();
        took.push(at.elapsed());
    }
    took.sort();
    println!("jump: median {:?} p99 {:?} max {:?}", took[100], took[197], took[199]);
    let moment = machine.at(machine.times()[n / 2].utc, 0).unwrap();
    let at = Instant::now();
    let past = machine.past(&moment.objects[0].rows[1], "% Processor Time", (100, 100), &|| true);
    println!("past {} {:?}", past.len(), at.elapsed());
}
