//! Files that users pass by mistake: what they are, and what to do instead.

use memchr::memmem;

use crate::files::bundle::Bundle;

/// So much of a text is looked at.
const LEN_START: usize = 4096;

/// A file that isn't a capture, but whose kind is known.
pub(super) struct Foreign {
    pub(super) what: String,
    pub(super) hint: &'static str,
}

/// A kind of text.
struct Kind {
    /// By its beginning in upper case, without a byte order mark and blanks in front.
    is_it: fn(&str) -> bool,
    what: &'static str,
    hint: &'static str,
}

const OF_SAR: &str = "name the binary file that sar writes: /var/log/sa/saDD or /var/log/sysstat/saDD";
const RECORD: &str = "recount record records a machine so that recount can read it; typeperf and sar do, too";
const EXPORT_COUNTER: &str = "write a log instead: Get-Counter ... | Export-Counter -Path FILE.csv -FileFormat CSV, or typeperf -o FILE.csv";

const KINDS: [Kind; 20] = [
    Kind {
        is_it: is_export_csv,
        what: "a table of objects that Export-Csv made of Get-Counter's, not PDH text",
        hint: EXPORT_COUNTER,
    },
    Kind {
        is_it: |start| {
            let mut lines = start.lines();
            let head = lines.next().unwrap_or_default();
            head.starts_with("TIMESTAMP ")
                && head.contains("COUNTERSAMPLES")
                && lines.next().is_some_and(|line| line.starts_with("--"))
        },
        what: "what Get-Counter prints on the screen, not a log",
        hint: EXPORT_COUNTER,
    },
    Kind {
        is_it: |start| start.starts_with('<') && start.contains("<PAL"),
        what: "a threshold file of PAL, not a capture",
        hint: "report a capture with it: recount report CAPTURE --rules FILE",
    },
    Kind {
        is_it: |start| start.starts_with('{') && start.contains("\"SYSSTAT\""),
        what: "what sadf -j, or iostat or mpstat with -o JSON, prints, not the file that sar writes",
        hint: OF_SAR,
    },
    Kind {
        is_it: |start| start.starts_with('<') && start.contains("<SYSSTAT"),
        what: "what sadf -x prints, not the file that sar writes",
        hint: OF_SAR,
    },
    Kind {
        is_it: |start| start.starts_with("# HOSTNAME;INTERVAL;TIMESTAMP"),
        what: "what sadf -d prints, not the file that sar writes",
        hint: OF_SAR,
    },
    Kind {
        is_it: is_sadf_for_patterns,
        what: "what sadf -p prints, not the file that sar writes",
        hint: OF_SAR,
    },
    Kind {
        is_it: |start| start.starts_with("TIMESTAMP,PROVIDER,COUNTER NAME,COUNTER TYPE"),
        what: "the CSV of dotnet-counters, which recount doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| start.starts_with('{') && start.contains("\"TARGETPROCESS\""),
        what: "the JSON of dotnet-counters, which recount doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| {
            start.starts_with("TIMESTAMP,ELAPSED,LABEL,")
                || start.starts_with('<') && start.contains("<TESTRESULTS")
        },
        what: "results of JMeter, which are about requests and not about a machine",
        hint: RECORD,
    },
    Kind {
        is_it: |start| {
            (start.starts_with("PROCS ") || start.starts_with("--PROCS--"))
                && start.contains("MEMORY")
                && start.contains("SWAP")
        },
        what: "what vmstat prints, which recount doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| start.starts_with("TOP - "),
        what: "what top prints, which recount doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| {
            start.starts_with("\"DSTAT ")
                || start.starts_with("\"PCP-DSTAT ")
                || start.contains("TOTAL-CPU-USAGE--")
        },
        what: "what dstat prints, or its CSV, which recount doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| start.contains("# COLLECTL: ") || start.starts_with("#DATE TIME [CPU]"),
        what: "a recording or a plot file of collectl, which recount doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| {
            let line = start.lines().next().unwrap_or_default();
            start.contains("| NVIDIA-SMI ") || line.contains("UTILIZATION.GPU") || line.starts_with("# GPU ")
        },
        what: "what nvidia-smi prints, which recount doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| start.starts_with("AAA,"),
        what: "a recording of nmon, which recount doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| start.starts_with("# HELP ") || start.starts_with("# TYPE "),
        what: "metrics in the text form of Prometheus, which recount writes and doesn't read",
        hint: RECORD,
    },
    Kind {
        is_it: |start| {
            let line = start.lines().next().unwrap_or_default();
            line.contains("THIS IS ") && (line.contains("BIBTEX") || line.contains("BIBER"))
        },
        what: "the log of BibTeX or Biber, not a Windows log, though both are named .blg",
        hint: "name a log that Performance Monitor, logman or typeperf wrote",
    },
    Kind {
        is_it: |start| {
            start.strip_prefix("RESET\n").is_some_and(|rest| rest.lines().next().is_some_and(is_atop_row))
        },
        what: "what atop -P prints, not the log that atop writes",
        hint: "name the raw log: atop -w FILE writes one, and its service /var/log/atop/atop_YYYYMMDD",
    },
    // Of texts with columns, the last.
    Kind {
        is_it: is_plain_csv,
        what: "a text of columns without the paths of counters",
        hint: "columns of PDH text are named \\\\HOST\\Object(instance)\\Counter, behind \"(PDH-CSV 4.0) (zone)(bias)\"",
    },
];

/// A label, a machine, and when: `CPU web1 1795311851 2026/11/22 01:44:11 2005`.
fn is_atop_row(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    words.len() > 5 && words[2].parse::<u64>().is_ok() && words[3].len() == "2026/11/22".len()
}

/// A header of names, and rows that are mostly numbers.
fn is_plain_csv(start: &str) -> bool {
    let mut lines = start.lines();
    let (head, row) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    [',', ';', '\t'].into_iter().any(|separator| {
        let num_columns = head.split(separator).count();
        let values = || row.split(separator).map(|value| value.trim_matches('"').trim());
        let num_numbers = values().filter(|value| value.parse::<f64>().is_ok()).count();
        num_columns >= 2 && values().count() == num_columns && 2 * num_numbers >= num_columns
    })
}

impl Foreign {
    /// `None` if nothing is known of such files.
    pub(super) fn of(bytes: &[u8]) -> Option<Foreign> {
        const SEVEN_ZIP: &[u8] = b"7z\xbc\xaf\x27\x1c";
        let known = |what: &str, hint| Some(Foreign { what: what.to_owned(), hint });
        if bytes.is_empty() {
            return known("the file is empty", "record or copy it again");
        }
        if bytes.starts_with(SEVEN_ZIP) {
            return known("the file is compressed", "unpack it first");
        }
        if bytes.starts_with(b"ARROW1") {
            return known(
                "an Arrow file, which recount writes and doesn't read",
                "name the capture that it was made from, or write it as Parquet",
            );
        }
        if Bundle::recognise(bytes).is_some() {
            return known(
                "an archive of files",
                "recount info lists the captures in it; unpack the one that you need",
            );
        }
        // Without its zeros, UTF-16 looks like UTF-8 here.
        let start: Vec<u8> = bytes.iter().take(LEN_START).copied().filter(|byte| *byte != 0).collect();
        let start = String::from_utf8_lossy(&start).to_ascii_uppercase();
        let start = start.trim_start_matches(['\u{feff}', '\u{fffd}']).trim_start();
        if let Some(kind) = KINDS.iter().find(|kind| (kind.is_it)(start)) {
            return known(kind.what, kind.hint);
        }
        let is_page = start.starts_with('<') && (start.contains("<HTML") || start.contains("<!DOCTYPE HTML"));
        is_page.then(|| page(bytes))
    }
}

/// A page may have a log in it.
fn page(bytes: &[u8]) -> Foreign {
    let section = [&b"(PDH-CSV 4.0)"[..], b"(PDH-TSV 4.0)"];
    match section.iter().filter_map(|mark| memmem::find(bytes, mark)).min() {
        Some(mark) => {
            let ofs = mark - usize::from(bytes[..mark].ends_with(b"\""));
            Foreign {
                what: format!("an HTML page, with PDH text from byte {ofs:#x} on"),
                hint: "copy that part, from its first line, with (PDH-CSV 4.0), to its last row, into a file of its own",
            }
        }
        None => Foreign {
            what: "an HTML page, not a capture".to_owned(),
            hint: "name the log that it was made from",
        },
    }
}

/// Whether a text has lines of machine, interval, time, device, counter and value.
fn is_sadf_for_patterns(start: &str) -> bool {
    let fields: Vec<&str> = start.lines().next().unwrap_or_default().split('\t').collect();
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    matches!(fields.as_slice(), [_, interval, time, _, _, value]
        if is_number(interval) && is_number(value) && time.as_bytes().get(4) == Some(&b'-'))
}

/// Whether a text has the columns that PowerShell's Export-Csv makes of Get-Counter's objects.
fn is_export_csv(start: &str) -> bool {
    let is_header = |line: &&str| !line.trim().is_empty() && !line.starts_with("#TYPE");
    let Some(header) = start.lines().find(is_header) else { return false };
    let mut columns = header.split([',', ';', '\t']).map(|column| column.trim().trim_matches('"'));
    columns.clone().any(|column| column == "COOKEDVALUE")
        || (columns.clone().any(|column| column == "READINGS") && columns.any(|column| column == "TIMESTAMP"))
}
