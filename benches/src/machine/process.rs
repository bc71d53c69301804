//! `Process`: some 300 that come and go. One in sixteen is busy, the others seldom do anything.

use super::spec::words::{BULK_COUNT, COUNTER, ELAPSED_TIME, LARGE_RAWCOUNT, RAWCOUNT, TIMER_100NS};
use super::spec::{TotalKind, counter};
use super::{Behaviour, CounterSpec, ObjectSpec, PerSecond, Work};

use Behaviour::{Fixed, Id, ParentId, PeakOfNext, Rises, Started, Wanders};

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 230,
    name: "Process",
    instances: NAMES,
    with_total: Some(TotalKind::Sum),
    own_clock: true,
    change_every_s: 15,
    per_second: PerSecond { one_busy_of: 16, idle_seconds: 60, operations: 400, len_operation: 8192 },
    counters: COUNTERS,
};

/// A database and web server with many namesakes.
#[rustfmt::skip]
static NAMES: &[&str] = &[
    "Idle", "System", "Registry", "smss", "csrss", "wininit", "csrss", "winlogon", "services", "lsass",
    "fontdrvhost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost", "svchost",
    "svchost", "svchost", "svchost", "sqlservr", "sqlagent", "sqlwriter", "w3wp", "w3wp", "w3wp", "w3wp",
    "inetinfo", "dllhost", "dllhost", "msdtc", "spoolsv", "WmiPrvSE", "WmiPrvSE", "WmiPrvSE", "MsMpEng",
    "NisSrv", "vmtoolsd", "VGAuthService", "LogonUI", "dwm", "explorer", "taskhostw", "RuntimeBroker",
    "RuntimeBroker", "SearchIndexer", "powershell", "powershell", "conhost", "conhost", "conhost", "cmd",
    "java", "java", "java", "python", "node", "node", "postgres", "postgres", "postgres", "postgres",
    "postgres", "postgres", "postgres", "postgres", "postgres", "postgres", "postgres", "postgres",
    "postgres", "postgres", "postgres", "postgres", "postgres", "postgres", "postgres", "postgres",
    "postgres", "postgres", "postgres", "postgres", "postgres", "conhost", "conhost", "conhost", "conhost",
    "conhost", "conhost", "conhost", "conhost", "conhost", "conhost", "conhost", "conhost", "conhost",
    "conhost", "conhost", "conhost", "conhost", "conhost", "conhost", "conhost", "chrome", "chrome",
    "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome",
    "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome",
    "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome",
    "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome",
    "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "chrome", "RuntimeBroker",
    "RuntimeBroker", "RuntimeBroker", "RuntimeBroker", "RuntimeBroker", "RuntimeBroker", "RuntimeBroker",
    "RuntimeBroker", "RuntimeBroker", "RuntimeBroker", "RuntimeBroker", "RuntimeBroker", "w3wp", "w3wp",
    "w3wp", "w3wp", "w3wp", "w3wp", "w3wp", "w3wp", "w3wp", "w3wp", "w3wp", "w3wp", "w3wp", "w3wp", "w3wp",
    "w3wp", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi",
    "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi",
    "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi", "php-cgi",
    "php-cgi", "php-cgi", "php-cgi", "php-cgi",
];

#[rustfmt::skip]
static COUNTERS: &[CounterSpec] = &[
    counter(6, "% Processor Time", TIMER_100NS, Rises(|work| work.user + work.kernel)),
    counter(142, "% User Time", TIMER_100NS, Rises(|work| work.user)),
    counter(144, "% Privileged Time", TIMER_100NS, Rises(|work| work.kernel)),
    counter(172, "Virtual Bytes Peak", LARGE_RAWCOUNT, PeakOfNext),
    counter(174, "Virtual Bytes", LARGE_RAWCOUNT, Wanders { typical: 2 << 40, unit: 65_536 }),
    counter(28, "Page Faults/sec", COUNTER, Rises(|work| work.events)),
    counter(178, "Working Set Peak", LARGE_RAWCOUNT, PeakOfNext),
    counter(180, "Working Set", LARGE_RAWCOUNT, Wanders { typical: 200 << 20, unit: 4096 }),
    counter(182, "Page File Bytes Peak", LARGE_RAWCOUNT, PeakOfNext),
    counter(184, "Page File Bytes", LARGE_RAWCOUNT, Wanders { typical: 150 << 20, unit: 4096 }),
    counter(186, "Private Bytes", LARGE_RAWCOUNT, Wanders { typical: 150 << 20, unit: 4096 }),
    counter(680, "Thread Count", RAWCOUNT, Wanders { typical: 40, unit: 1 }),
    counter(682, "Priority Base", RAWCOUNT, Fixed(8)),
    counter(684, "Elapsed Time", ELAPSED_TIME, Started),
    counter(784, "ID Process", RAWCOUNT, Id),
    counter(1410, "Creating Process ID", RAWCOUNT, ParentId),
    counter(56, "Pool Paged Bytes", RAWCOUNT, Wanders { typical: 400_000, unit: 8 }),
    counter(58, "Pool Nonpaged Bytes", RAWCOUNT, Wanders { typical: 40_000, unit: 8 }),
    counter(952, "Handle Count", RAWCOUNT, Wanders { typical: 1200, unit: 1 }),
    counter(1412, "IO Read Operations/sec", BULK_COUNT, Rises(|work| work.reads)),
    counter(1414, "IO Write Operations/sec", BULK_COUNT, Rises(|work| work.writes)),
    counter(1416, "IO Data Operations/sec", BULK_COUNT, Rises(Work::operations)),
    counter(1418, "IO Other Operations/sec", BULK_COUNT, Rises(|work| work.events / 4)),
    counter(1420, "IO Read Bytes/sec", BULK_COUNT, Rises(|work| work.bytes_read)),
    counter(1422, "IO Write Bytes/sec", BULK_COUNT, Rises(|work| work.bytes_written)),
    counter(1424, "IO Data Bytes/sec", BULK_COUNT, Rises(Work::bytes)),
    counter(1426, "IO Other Bytes/sec", BULK_COUNT, Rises(|work| work.events * 11)),
    counter(1478, "Working Set - Private", LARGE_RAWCOUNT, Wanders { typical: 120 << 20, unit: 4096 }),
];
