//! Lines of processes and threads.

use recount_model::Timestamp;

use super::How::{Growth, Now, NowIfSet, Rate, Signed};
use super::{Expected, KIB, Lines, UNKNOWN};

pub(super) fn task(lines: &mut Lines<'_>, label: &str) {
    let minor = lines.minor;
    // After the command line, which may contain blanks.
    let num_behind = 15 + [6, 8, 9, 10].iter().filter(|since| minor >= **since).count();
    let behind = lines.values.len().saturating_sub(num_behind);
    let at_process = match label {
        "PRG" => behind + 11,
        "PRC" => 13,
        "PRM" => 16,
        "PRD" => 12,
        "PRN" => 15,
        _ => 0,
    };
    let is_process = label == "PRE" || lines.values[at_process] == "y";
    lines.object = if is_process { "Process" } else { "Thread" };
    lines.pid = Some(lines.number(0) as u64);
    let has_ended = lines.values[2] == "E";
    let letter = f64::from(lines.values[2].as_bytes()[0]);
    let first = lines.found.len();
    match label {
        "PRG" => {
            let start = lines.number(8) as i64;
            lines.start = Some(Timestamp::from_unix_nanos(start * 1_000_000_000));
            lines.push("S", Ok(letter));
            lines.rows(3, &[(0, "PID", Now(1.0)), (5, "TGID", Now(1.0)), (behind, "PPID", Now(1.0))]);
            if is_process {
                lines.rows(3, &[(3, "RUID", Now(1.0)), (4, "RGID", Now(1.0))]);
                let alive = lines.found.len();
                lines.rows(
                    3,
                    &[(6, "THR", Now(1.0)), (behind + 1, "TRUN", Now(1.0)), (behind + 2, "TSLPI", Now(1.0))],
                );
                lines.rows(3, &[(behind + 3, "TSLPU", Now(1.0)), (behind + 4, "EUID", Now(1.0))]);
                lines.rows(3, &[(behind + 5, "EGID", Now(1.0))]);
                lines.rows(10, &[(behind + 18, "TIDLE", Now(1.0))]);
                unless(has_ended, &mut lines.found[alive..], &[]);
                let ended = lines.found.len();
                lines.rows(4, &[(7, "EXC", Now(1.0))]);
                unless(!has_ended, &mut lines.found[ended..], &[]);
            }
        }
        "PRC" => {
            let hertz = lines.number(3);
            lines.rows(3, &[(4, "USRCPU", Rate(100.0 / hertz)), (5, "SYSCPU", Rate(100.0 / hertz))]);
            lines.rows(
                3,
                &[(6, "NICE", Signed), (7, "PRI", Signed), (8, "RTPR", Now(1.0)), (9, "POLI", Now(1.0))],
            );
            lines.rows(3, &[(10, "CPUNR", Now(1.0))]);
            lines.rows(6, &[(14, "RDELAY", Rate(1e-7))]);
            lines.rows(8, &[(16, "BDELAY", Rate(100.0 / hertz))]);
            if is_process && minor <= 10 {
                lines.rows(8, &[(17, "CPUMAX", Now(1.0)), (18, "CPUMAXR", Now(1.0))]);
            }
            lines.rows(9, &[(19, "NVCSW", Rate(1.0)), (20, "NIVCSW", Rate(1.0))]);
            unless(has_ended, &mut lines.found[first..], &["USRCPU", "SYSCPU"]);
        }
        "PRM" => {
            lines.rows(3, &[(9, "MINFLT", Rate(1.0)), (10, "MAJFLT", Rate(1.0))]);
            if is_process {
                lines.rows(3, &[(4, "VSIZE", Now(KIB)), (5, "RSIZE", Now(KIB)), (6, "VSTEXT", Now(KIB))]);
                lines.rows(
                    3,
                    &[(7, "VGROW", Growth(KIB)), (8, "RGROW", Growth(KIB)), (11, "VSLIBS", Now(KIB))],
                );
                lines.rows(3, &[(12, "VDATA", Now(KIB)), (13, "VSTACK", Now(KIB)), (14, "SWAPSZ", Now(KIB))]);
                lines.rows(3, &[(17, "PSIZE", NowIfSet(KIB))]);
                lines.rows(6, &[(18, "LOCKSZ", Now(KIB))]);
                if minor <= 10 {
                    lines.rows(8, &[(19, "MEMMAX", Now(KIB)), (20, "MMMAXR", Now(KIB))]);
                    lines.rows(8, &[(21, "SWPMAX", Now(KIB)), (22, "SWMAXR", Now(KIB))]);
                }
                // It released its memory when it ended, but still exists.
                let has_none = lines.number(4) == 0.0 && lines.number(7) < 0.0 || lines.values[2] == "Z";
                unless(has_ended || has_none, &mut lines.found[first..], &["MINFLT", "MAJFLT"]);
            }
        }
        "PRD" => {
            lines
                .rows(3, &[(6, "RDDSK", Rate(512.0)), (8, "WRDSK", Rate(512.0)), (9, "WCANCL", Rate(512.0))]);
            unless(has_ended || lines.values[4] != "y", &mut lines.found[first..], &[]);
        }
        "PRN" => {
            assert_eq!(lines.values[3], "n", "no machine had netatop");
            for counter in ["TCPRCV", "TCPSNDB", "UDPRCV", "UDPSNDB"] {
                lines.push(counter, UNKNOWN);
            }
        }
        "PRE" => {
            lines.rows(4, &[(4, "GPUS", Now(1.0)), (6, "GPULIFE", Now(1.0)), (7, "GPUMLIFE", Now(1.0))]);
            lines.rows(4, &[(8, "GPUMEM", Now(KIB))]);
            lines.share("GPUMEMAVG", &[9], &[10], KIB);
            unless(lines.values[3] == "N", &mut lines.found[first..], &[]);
        }
        _ => {}
    }
}

/// Expects no value for any of them, with some exceptions.
fn unless(is_unknown: bool, cells: &mut [Expected], but: &[&str]) {
    for cell in cells.iter_mut().filter(|cell| is_unknown && !but.contains(&cell.counter)) {
        cell.value = UNKNOWN;
    }
}
