//! The lines of `atop -P ALL`, and the counters from which their columns are made.

mod tasks;

use std::io::Read;

use recount_model::{Status, Timestamp};
use tasks::task;

/// The real logs, and the files with atop's output.
pub(super) const LOGS: [(&str, &str); 11] = [
    ("atop_2_3.log.gz", "atop_2_3"),
    ("atop_2_5.log.gz", "atop_2_5"),
    ("atop_2_7.log.gz", "atop_2_7"),
    ("atop_2_8.log.gz", "atop_2_8"),
    ("atop_2_10.log.gz", "atop_2_10"),
    ("atop_2_11.log.gz", "atop_2_11"),
    ("atop_2_12.log.gz", "atop_2_12"),
    ("load-2.5.raw.gz", "load-2.5"),
    ("load-2.8.1.raw.gz", "load-2.8.1"),
    ("appended-2.12.raw.gz", "appended-2.12"),
    ("gpu-2.12.raw.gz", "gpu-2.12"),
];

pub(super) fn unzip(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).expect("gzip");
    bytes
}

/// A sample as printed.
pub(super) struct Block {
    pub(super) number: usize,
    pub(super) is_reset: bool,
    pub(super) host: String,
    pub(super) time: i64,
    pub(super) interval: f64,
    pub(super) lines: Vec<Line>,
}

pub(super) struct Line {
    pub(super) label: String,
    /// The columns after the six with which every line begins. A text in brackets is one column.
    pub(super) values: Vec<String>,
}

pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut is_reset = false;
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        match line {
            "RESET" => is_reset = true,
            "SEP" => {
                blocks.push(block(blocks.len(), std::mem::take(&mut is_reset), &std::mem::take(&mut lines)));
            }
            other => lines.push(other),
        }
    }
    blocks
}

fn block(number: usize, is_reset: bool, lines: &[&str]) -> Block {
    let head: Vec<&str> = lines[0].split(' ').collect();
    Block {
        number,
        is_reset,
        host: head[1].into(),
        time: head[2].parse().expect("a time"),
        interval: head[5].parse().expect("an interval"),
        lines: lines.iter().map(|text| line(text)).collect(),
    }
}

fn line(text: &str) -> Line {
    let parts: Vec<&str> = text.splitn(7, ' ').collect();
    let (label, rest) = (parts[0], parts.get(6).copied().unwrap_or(""));
    let mut values = Vec::new();
    if label.starts_with("PR") {
        // pid (name) state: the name may contain blanks and brackets.
        let open = rest.find(" (").expect("a name");
        let is_end = |at: &usize| {
            let behind = &rest.as_bytes()[*at..];
            behind.starts_with(b") ") && behind.get(3).is_some_and(|byte| *byte == b' ')
        };
        let close = (open..rest.len()).find(is_end).expect("the end of the name");
        values.push(rest[..open].to_owned());
        values.push(rest[open + 2..close].to_owned());
        values.extend(rest[close + 2..].split(' ').map(str::to_owned));
    } else {
        values.extend(rest.split(' ').map(str::to_owned));
    }
    Line { label: label.into(), values }
}

/// The meaning of a printed number.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// A difference: divided by the interval, times this.
    Rate(f64),
    /// The same; 0 means that it isn't counted.
    RateIfSet(f64),
    /// A difference that may be negative.
    Growth(f64),
    /// A gauge, times this.
    Now(f64),
    /// A gauge for which 0 may be printed instead of -1.
    NowOrNull(f64),
    /// A gauge for which 0 means no value.
    NowIfSet(f64),
    /// A gauge that may be negative.
    Signed,
    /// A gauge printed with a number of decimals (given as a step), truncated or rounded.
    Rounded(f64),
}
use How::{Growth, Now, NowIfSet, NowOrNull, Rate, RateIfSet, Rounded, Signed};

/// The expected value of one of our cells.
pub(super) struct Expected {
    pub(super) object: &'static str,
    pub(super) instance: Option<String>,
    pub(super) pid: Option<u64>,
    pub(super) start: Option<Timestamp>,
    pub(super) counter: &'static str,
    /// Another cell to add: atop prints IPv4 and IPv6 together.
    pub(super) plus: Option<Path>,
    pub(super) value: Result<f64, Status>,
    pub(super) tolerance: f64,
}

type Row = (usize, &'static str, How);
/// An object and a counter of it.
type Path = (&'static str, &'static str);

struct Lines<'a> {
    block: &'a Block,
    values: &'a [String],
    minor: u8,
    object: &'static str,
    instance: Option<String>,
    pid: Option<u64>,
    start: Option<Timestamp>,
    found: Vec<Expected>,
}

const UNKNOWN: Result<f64, Status> = Err(Status::InvalidData);

impl Lines<'_> {
    fn number(&self, at: usize) -> f64 {
        let value = self.values.get(at).unwrap_or_else(|| panic!("column {at} of {:?}", self.values));
        value.parse().unwrap_or_else(|_| panic!("column {at} of {:?}", self.values))
    }

    fn push(&mut self, counter: &'static str, value: Result<f64, Status>) -> &mut Expected {
        self.found.push(Expected {
            object: self.object,
            instance: self.instance.clone(),
            pid: self.pid,
            start: self.start,
            counter,
            plus: None,
            value,
            tolerance: 0.0,
        });
        self.found.last_mut().expect("just pushed")
    }

    fn difference(&self, value: Result<f64, Status>) -> Result<f64, Status> {
        if self.block.is_reset { Err(Status::FirstSample) } else { value }
    }

    fn rows(&mut self, since: u8, rows: &[Row]) {
        let minor = self.minor;
        for (at, counter, how) in rows.iter().filter(|_| minor >= since) {
            let raw = self.number(*at);
            let known = |is_known: bool, value: f64| if is_known { Ok(value) } else { UNKNOWN };
            let value = match how {
                Rate(factor) => self.difference(known(raw >= 0.0, raw * factor / self.block.interval)),
                RateIfSet(_) if raw == 0.0 => UNKNOWN,
                RateIfSet(factor) | Growth(factor) => self.difference(Ok(raw * factor / self.block.interval)),
                NowOrNull(_) if raw == 0.0 => continue,
                Now(factor) | NowOrNull(factor) => known(raw >= 0.0, raw * factor),
                NowIfSet(factor) => known(raw > 0.0, raw * factor),
                Signed | Rounded(_) => Ok(raw),
            };
            self.push(counter, value).tolerance = if let Rounded(step) = how { *step } else { 0.0 };
        }
    }

    /// A share of differences.
    fn share(&mut self, counter: &'static str, parts: &[usize], whole: &[usize], factor: f64) {
        let sum = |at: &[usize]| at.iter().map(|at| self.number(*at)).sum::<f64>();
        let (part, whole) = (sum(parts), sum(whole));
        let value = if part < 0.0 {
            UNKNOWN
        } else if whole > 0.0 {
            Ok(part / whole * factor)
        } else {
            Err(Status::NoOperations)
        };
        self.push(counter, self.difference(value));
    }

    /// Two counters that are printed as one.
    fn sums(&mut self, since: u8, rows: &[(usize, Path, Path)]) {
        let minor = self.minor;
        for (at, one, other) in rows.iter().filter(|_| minor >= since) {
            let raw = self.number(*at);
            self.object = one.0;
            let expected = self.push(one.1, Ok(0.0));
            expected.plus = Some(*other);
            self.found.last_mut().expect("just pushed").value =
                self.difference(Ok(raw / self.block.interval));
        }
    }
}

const PAGE: f64 = 4096.0;
const KIB: f64 = 1024.0;

/// The cells expected from a line, in the version that printed it.
pub(super) fn expected(block: &Block, line: &Line, minor: u8) -> Vec<Expected> {
    let values = line.values.as_slice();
    let mut lines =
        Lines { block, values, minor, object: "", instance: None, pid: None, start: None, found: Vec::new() };
    match line.label.as_str() {
        "CPU" | "cpu" => cpu(&mut lines, line.label == "CPU"),
        "GPU" => gpu(&mut lines),
        "CGR" if values[0] == "C" => cgroup(&mut lines),
        "NET" if values[0] == "upper" => protocols(&mut lines),
        label if label.starts_with("PR") => task(&mut lines, label),
        label => system(&mut lines, label),
    }
    lines.found
}

fn cpu(lines: &mut Lines<'_>, is_total: bool) {
    // hertz, number or n, system, user, nice, idle, iowait, irq, softirq, steal, guest, frequency, %, instructions, cycles
    lines.object = "CPU";
    lines.instance = Some(if is_total { "_Total".into() } else { lines.values[1].clone() });
    let all = [2, 3, 4, 5, 6, 7, 8, 9];
    for (counter, parts) in [
        ("sys", &[2][..]),
        ("user", &[3, 4]),
        ("nice", &[4]),
        ("idle", &[5]),
        ("wait", &[6]),
        ("hardirq", &[7]),
        ("softirq", &[8]),
        ("irq", &[7, 8]),
        ("steal", &[9]),
        ("guest", &[10]),
        ("busy", &[2, 3, 4, 7, 8, 9]),
        ("sys+irq", &[2, 7, 8]),
        ("idle+wait", &[5, 6]),
    ] {
        lines.share(counter, parts, &all, 100.0);
    }
    lines.rows(4, &[(13, "instr", RateIfSet(1.0)), (14, "cycle", RateIfSet(1.0))]);
    if !is_total {
        lines.rows(3, &[(11, "avgf", NowIfSet(1.0))]);
    }
}

fn system(lines: &mut Lines<'_>, label: &str) {
    match label {
        "CPL" => {
            lines.object = "CPL";
            lines.rows(3, &[(0, "numcpu", Now(1.0)), (1, "avg1", Now(1.0)), (2, "avg5", Now(1.0))]);
            lines.rows(3, &[(3, "avg15", Now(1.0)), (4, "csw", Rate(1.0)), (5, "intr", Rate(1.0))]);
        }
        "MEM" => {
            lines.object = "MEM";
            let (huge, huge2) = (lines.number(12), if lines.minor >= 10 { lines.number(21) } else { 0.0 });
            lines.rows(3, &[(1, "tot", Now(PAGE)), (2, "free", Now(PAGE)), (3, "cache", Now(PAGE))]);
            lines.rows(3, &[(4, "buff", Now(PAGE)), (5, "slab", Now(PAGE)), (6, "dirty", Now(PAGE))]);
            lines.rows(3, &[(7, "slrec", Now(PAGE)), (8, "vmbal", NowOrNull(PAGE)), (9, "shmem", Now(PAGE))]);
            lines.rows(3, &[(10, "shrss", Now(PAGE)), (11, "shswp", Now(PAGE))]);
            lines.rows(3, &[(13, "hptot", Now(huge)), (14, "hpfree", Now(huge))]);
            lines.rows(6, &[(15, "zfarc", NowOrNull(PAGE))]);
            lines.rows(7, &[(16, "ksuse", NowOrNull(PAGE)), (17, "ksshr", NowOrNull(PAGE))]);
            lines.rows(8, &[(18, "tcpsk", Now(PAGE)), (19, "udpsk", Now(PAGE)), (20, "pgtab", Now(PAGE))]);
            lines.rows(10, &[(22, "hp2tot", Now(huge2)), (23, "hp2free", Now(huge2))]);
            lines.rows(10, &[(24, "avail", Now(PAGE)), (25, "anonhuge", Now(PAGE))]);
        }
        "SWP" => {
            lines.object = "SWP";
            lines.rows(3, &[(1, "tot", Now(PAGE)), (2, "free", Now(PAGE)), (4, "vmcom", Now(PAGE))]);
            lines.rows(3, &[(5, "vmlim", Now(PAGE))]);
            lines.rows(6, &[(3, "swcac", Now(PAGE))]);
            lines.rows(7, &[(7, "zswstor", NowOrNull(PAGE)), (8, "zswpool", NowOrNull(PAGE))]);
        }
        "PAG" => {
            lines.object = "PAG";
            lines.rows(3, &[(1, "scan", Rate(1.0)), (2, "stall", Rate(1.0))]);
            lines.rows(3, &[(4, "swin", Rate(1.0)), (5, "swout", Rate(1.0))]);
            lines.rows(7, &[(6, "oomkill", Rate(1.0)), (7, "compact", Rate(1.0))]);
            lines.rows(7, &[(8, "migrate", Rate(1.0)), (9, "numamig", Rate(1.0))]);
            lines.rows(8, &[(10, "pgin", Rate(1.0)), (11, "pgout", Rate(1.0))]);
            lines.rows(8, &[(10, "Bin", Rate(PAGE)), (11, "Bout", Rate(PAGE))]);
            lines.rows(10, &[(12, "zswin", Rate(1.0)), (13, "zswout", Rate(1.0))]);
        }
        "PSI" if lines.values[0] == "y" => {
            lines.object = "PSI";
            let (rounded, micro) = (Rounded(0.1), Rate(1e-4));
            lines.rows(
                4,
                &[(1, "cs10", rounded), (2, "cs60", rounded), (3, "cs300", rounded), (4, "cpusome", micro)],
            );
            lines.rows(
                4,
                &[(5, "ms10", rounded), (6, "ms60", rounded), (7, "ms300", rounded), (8, "memsome", micro)],
            );
            lines.rows(
                4,
                &[
                    (9, "mf10", rounded),
                    (10, "mf60", rounded),
                    (11, "mf300", rounded),
                    (12, "memfull", micro),
                ],
            );
            lines.rows(
                4,
                &[
                    (13, "is10", rounded),
                    (14, "is60", rounded),
                    (15, "is300", rounded),
                    (16, "iosome", micro),
                ],
            );
            lines.rows(
                4,
                &[
                    (17, "if10", rounded),
                    (18, "if60", rounded),
                    (19, "if300", rounded),
                    (20, "iofull", micro),
                ],
            );
        }
        _ => devices(lines, label),
    }
}

fn devices(lines: &mut Lines<'_>, label: &str) {
    match label {
        "DSK" | "MDD" | "LVM" => {
            lines.object = match label {
                "DSK" => "DSK",
                "MDD" => "MDD",
                _ => "LVM",
            };
            lines.instance = Some(lines.values[0].clone());
            lines.rows(3, &[(1, "busy", Rate(0.1)), (2, "read", Rate(1.0)), (3, "Br/s", Rate(512.0))]);
            lines.rows(3, &[(4, "write", Rate(1.0)), (5, "Bw/s", Rate(512.0))]);
            lines.rows(7, &[(6, "discrd", Rate(1.0)), (7, "Bd/s", Rate(512.0))]);
            lines.share("B/r", &[3], &[2], 512.0);
            lines.share("B/w", &[5], &[4], 512.0);
            lines.share("B/req", &[3, 5], &[2, 4], 512.0);
            lines.share("avio", &[1], &[2, 4], 1.0);
            if label == "DSK" {
                lines.rows(8, &[(8, "inflt", Now(1.0))]);
            }
            if lines.number(1) > 0.0 && !lines.block.is_reset {
                lines.rows(8, &[(9, "avq", Rounded(0.01))]);
            }
        }
        "NET" => {
            lines.object = "NET";
            lines.instance = Some(lines.values[0].clone());
            lines.rows(3, &[(1, "pcki", Rate(1.0)), (2, "Bi", Rate(1.0)), (3, "pcko", Rate(1.0))]);
            lines.rows(3, &[(4, "Bo", Rate(1.0)), (5, "sp", NowIfSet(1e6))]);
            lines.rows(12, &[(7, "erri", Rate(1.0)), (8, "erro", Rate(1.0)), (9, "drpi", Rate(1.0))]);
            lines.rows(12, &[(10, "drpo", Rate(1.0)), (11, "fifoi", Rate(1.0)), (12, "fifoo", Rate(1.0))]);
            lines.rows(12, &[(13, "cmpi", Rate(1.0)), (14, "cmpo", Rate(1.0)), (15, "frami", Rate(1.0))]);
            lines.rows(12, &[(16, "mlti", Rate(1.0)), (17, "coll", Rate(1.0)), (18, "carro", Rate(1.0))]);
        }
        "NUM" => {
            lines.object = "NUM";
            lines.instance = Some(lines.values[0].clone());
            lines.rows(7, &[(2, "frag", Rounded(1.0)), (3, "tot", Now(PAGE)), (4, "free", Now(PAGE))]);
            lines.rows(7, &[(5, "activ", Now(PAGE)), (6, "inact", Now(PAGE)), (7, "file", Now(PAGE))]);
            lines.rows(7, &[(8, "dirty", Now(PAGE)), (9, "slab", Now(PAGE)), (10, "slrec", Now(PAGE))]);
            lines.rows(7, &[(11, "shmem", Now(PAGE)), (12, "hptot", Now(1.0))]);
            lines.rows(10, &[(13, "hpfree", Now(1.0))]);
        }
        "NFC" => {
            lines.object = "NFC";
            lines.rows(3, &[(0, "rpc", Rate(1.0)), (1, "read", Rate(1.0)), (2, "write", Rate(1.0))]);
        }
        "NFS" => {
            lines.object = "NFS";
            lines.rows(4, &[(0, "rpc", Rate(1.0)), (1, "cread", Rate(1.0)), (2, "cwrit", Rate(1.0))]);
        }
        _ => {}
    }
}

fn protocols(lines: &mut Lines<'_>) {
    lines.object = "TCP";
    lines.rows(3, &[(1, "InSegs", Rate(1.0)), (2, "OutSegs", Rate(1.0))]);
    lines.rows(
        6,
        &[(11, "ActiveOpens", Rate(1.0)), (12, "PassiveOpens", Rate(1.0)), (13, "CurrEstab", Now(1.0))],
    );
    lines.rows(6, &[(14, "RetransSegs", Rate(1.0)), (15, "InErrs", Rate(1.0)), (16, "OutRsts", Rate(1.0))]);
    lines.rows(10, &[(17, "InCsumErrors", Rate(1.0))]);
    lines.sums(
        3,
        &[
            (3, ("UDPv4", "InDatagrams"), ("UDPv6", "InDatagrams")),
            (4, ("UDPv4", "OutDatagrams"), ("UDPv6", "OutDatagrams")),
            (5, ("IPv4", "InReceives"), ("IPv6", "InReceives")),
            (6, ("IPv4", "OutRequests"), ("IPv6", "OutRequests")),
            (7, ("IPv4", "InDelivers"), ("IPv6", "InDelivers")),
            (8, ("IPv4", "ForwDatagrams"), ("IPv6", "OutForwDatagrams")),
        ],
    );
    lines.sums(
        6,
        &[
            (9, ("UDPv4", "InErrors"), ("UDPv6", "InErrors")),
            (10, ("UDPv4", "NoPorts"), ("UDPv6", "NoPorts")),
        ],
    );
}

fn gpu(lines: &mut Lines<'_>) {
    lines.object = "GPU";
    lines.instance = Some(format!("{}/{}", lines.values[0], lines.values[1]));
    lines.rows(4, &[(3, "gpubusy", Now(1.0)), (4, "gpumemb", Now(1.0)), (5, "memtot", Now(KIB))]);
    lines.rows(4, &[(6, "memuse", Now(KIB))]);
    lines.share("busy", &[8], &[7], 1.0);
    lines.share("membusy", &[9], &[7], 1.0);
    lines.share("memavg", &[10], &[7], KIB);
}

fn cgroup(lines: &mut Lines<'_>) {
    lines.object = "CGR";
    lines.instance = Some(lines.values[1].clone());
    let micro = Rate(1e-4);
    lines.rows(
        11,
        &[(2, "NPROCS", Now(1.0)), (3, "PBELOW", Now(1.0)), (4, "CPUUSR", micro), (5, "CPUSYS", micro)],
    );
    lines.rows(11, &[(6, "CPUWGT", Now(1.0)), (7, "CPUMAX", Now(1.0)), (8, "MEMORY", Now(PAGE))]);
    lines.rows(11, &[(9, "MEMANON", Now(PAGE)), (10, "MEMFILE", Now(PAGE)), (11, "MEMKERN", Now(PAGE))]);
    lines.rows(11, &[(12, "MEMSHM", Now(PAGE)), (13, "MEMMAX", Now(PAGE)), (14, "SWPMAX", Now(PAGE))]);
    lines.rows(11, &[(15, "BREAD", Rate(1.0)), (16, "BWRITE", Rate(1.0)), (17, "READ", Rate(1.0))]);
    lines.rows(11, &[(18, "WRITE", Rate(1.0)), (19, "DSKWGT", Now(1.0)), (20, "cpusome", micro)]);
    lines.rows(11, &[(21, "cpufull", micro), (22, "memsome", micro), (23, "memfull", micro)]);
    lines.rows(11, &[(24, "iosome", micro), (25, "iofull", micro)]);
}
