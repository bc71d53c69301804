//! The state of the whole machine, in one line.

use recount::analysis::attribution::not_attributed;
use recount::analysis::shown::quantity;
use recount::{InstanceRow, Instances, Moment, PROCESSORS};

/// Processor, memory, disk and network of a machine, as far as the sample has them.
pub(super) fn totals(moment: &Moment, host: Option<&str>) -> Vec<String> {
    let of = Totals { moment, host };
    let processor = PROCESSORS.into_iter().find_map(|object| of.total(object, "% Processor Time"));
    let mut parts: Vec<String> = processor.map(|share| of.processors(share)).into_iter().collect();
    let available = of.total("Memory", "Available Bytes");
    let megabytes = || of.total("Memory", "Available MBytes").map(|value| value * f64::from(1 << 20));
    let memory =
        [("available", available.or_else(megabytes)), ("committed", of.total("Memory", "Committed Bytes"))];
    parts.extend(part("memory", &memory, "bytes"));
    let disk = |counter| of.sum("PhysicalDisk", counter);
    let disks = [("read", disk("Disk Read Bytes/sec")), ("written", disk("Disk Write Bytes/sec"))];
    parts.extend(part("disk", &disks, "bytes/sec"));
    let network = |counter| of.sum("Network Interface", counter);
    let networks = [("in", network("Bytes Received/sec")), ("out", network("Bytes Sent/sec"))];
    parts.extend(part("network", &networks, "bytes/sec"));
    parts
}

fn part(title: &str, values: &[(&str, Option<f64>)], unit: &str) -> Option<String> {
    let known =
        values.iter().filter_map(|(what, value)| Some(format!("{} {what}", quantity((*value)?, unit))));
    let known: Vec<String> = known.collect();
    (!known.is_empty()).then(|| format!("{title} {}", known.join(", ")))
}

struct Totals<'a> {
    moment: &'a Moment,
    host: Option<&'a str>,
}

impl<'a> Totals<'a> {
    /// How busy the processors are, and how much of that is the work of none of the processes: of those that were too short to be
    /// seen, of interrupts, of other guests of the host.
    fn processors(&self, share: f64) -> String {
        let counter = "% Processor Time";
        let is_processor = |(row, _): &&(&InstanceRow, f64)| !is_total(row);
        let num = self.rows("Processor", counter).iter().filter(is_processor).count();
        let is_process =
            |(row, _): &&(&InstanceRow, f64)| row.instance.as_ref().is_some_and(recount::is_process);
        let processes = self.rows("Process", counter);
        let attributed: f64 = processes.iter().filter(is_process).map(|(_, value)| value).sum();
        let shown = format!("CPU {}", quantity(share, "%"));
        if num == 0 || !processes.iter().any(|one| is_process(&one)) {
            return shown;
        }
        let num = num as f64;
        let rest = not_attributed(share * num, attributed);
        rest.map_or(shown.clone(), |rest| format!("{shown}, {} not attributed", quantity(rest / num, "%")))
    }

    fn rows(&self, object: &str, counter: &str) -> Vec<(&'a InstanceRow, f64)> {
        let is_it = |table: &&Instances| *table.object == *object;
        let Some(table) = self.moment.objects.iter().find(is_it) else { return Vec::new() };
        let Some(at) = table.counter(counter) else { return Vec::new() };
        let is_here = |row: &&InstanceRow| self.host.is_none_or(|host| *row.host == *host);
        let rows = table.rows.iter().filter(is_here);
        rows.filter_map(|row| Some((row, row.values.get(at).copied().flatten()?))).collect()
    }

    /// The value of the total, or of an object without instances.
    fn total(&self, object: &str, counter: &str) -> Option<f64> {
        self.rows(object, counter).into_iter().find(|(row, _)| is_total(row)).map(|(_, value)| value)
    }

    /// The total, or else the sum over the instances. What a machine sends to itself doesn't count.
    fn sum(&self, object: &str, counter: &str) -> Option<f64> {
        let own = |row: &InstanceRow| {
            row.instance.as_ref().is_some_and(|instance| *instance.name == *"lo" || instance.is_total())
        };
        let others = self.rows(object, counter).into_iter().filter(|(row, _)| !own(row));
        let sum = others.map(|(_, value)| value).reduce(|sum, value| sum + value);
        self.total(object, counter).or(sum)
    }
}

/// Whether it is a total, or the only instance.
fn is_total(row: &InstanceRow) -> bool {
    row.instance.as_ref().is_none_or(recount::Instance::is_total)
}
