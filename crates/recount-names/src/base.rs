//! The indexes of the names that come with Windows.
//!
//! In the name tables of every Windows version and language, the system's own objects and counters have the
//! same indexes (below 1848); the indexes of other software's names differ from machine to machine. Listed
//! here are the names that rules and reports use.

/// The English name of an index.
pub(crate) fn english(index: u32) -> Option<&'static str> {
    let at = NAMES.binary_search_by_key(&index, |(index, _)| *index).ok()?;
    NAMES.get(at).map(|(_, name)| *name)
}

#[rustfmt::skip]
const NAMES: [(u32, &str); 132] = [
    (2, "System"), (4, "Memory"), (6, "% Processor Time"), (10, "File Read Operations/sec"),
    (12, "File Write Operations/sec"), (14, "File Control Operations/sec"), (16, "File Read Bytes/sec"),
    (18, "File Write Bytes/sec"), (20, "File Control Bytes/sec"), (24, "Available Bytes"), (26, "Committed Bytes"),
    (28, "Page Faults/sec"), (30, "Commit Limit"), (32, "Write Copies/sec"), (34, "Transition Faults/sec"),
    (36, "Cache Faults/sec"), (38, "Demand Zero Faults/sec"), (40, "Pages/sec"), (42, "Page Reads/sec"),
    (44, "Processor Queue Length"), (46, "Thread State"), (48, "Pages Output/sec"), (50, "Page Writes/sec"),
    (52, "Browser"), (56, "Pool Paged Bytes"), (58, "Pool Nonpaged Bytes"), (60, "Pool Paged Allocs"),
    (64, "Pool Nonpaged Allocs"), (66, "Pool Paged Resident Bytes"), (68, "System Code Total Bytes"),
    (70, "System Code Resident Bytes"), (72, "System Driver Total Bytes"), (74, "System Driver Resident Bytes"),
    (76, "System Cache Resident Bytes"), (86, "Cache"), (142, "% User Time"), (144, "% Privileged Time"),
    (146, "Context Switches/sec"), (148, "Interrupts/sec"), (150, "System Calls/sec"), (172, "Virtual Bytes Peak"),
    (174, "Virtual Bytes"), (178, "Working Set Peak"), (180, "Working Set"), (182, "Page File Bytes Peak"),
    (184, "Page File Bytes"), (186, "Private Bytes"), (198, "Current Disk Queue Length"), (200, "% Disk Time"),
    (202, "% Disk Read Time"), (204, "% Disk Write Time"), (206, "Avg. Disk sec/Transfer"),
    (208, "Avg. Disk sec/Read"), (210, "Avg. Disk sec/Write"), (212, "Disk Transfers/sec"), (214, "Disk Reads/sec"),
    (216, "Disk Writes/sec"), (218, "Disk Bytes/sec"), (220, "Disk Read Bytes/sec"), (222, "Disk Write Bytes/sec"),
    (224, "Avg. Disk Bytes/Transfer"), (226, "Avg. Disk Bytes/Read"), (228, "Avg. Disk Bytes/Write"),
    (230, "Process"), (232, "Thread"), (234, "PhysicalDisk"), (236, "LogicalDisk"), (238, "Processor"),
    (248, "Processes"), (250, "Threads"), (252, "Events"), (254, "Semaphores"), (256, "Mutexes"), (258, "Sections"),
    (260, "Objects"), (262, "Redirector"), (264, "Bytes Received/sec"), (266, "Packets Received/sec"),
    (330, "Server"), (388, "Bytes Total/sec"), (408, "% Free Space"), (410, "Free Megabytes"),
    (412, "Connections Established"), (414, "Connections Active"), (416, "Connections Passive"),
    (418, "Connection Failures"), (420, "Connections Reset"), (422, "Segments Received/sec"),
    (424, "Segments Sent/sec"), (426, "Segments Retransmitted/sec"), (506, "Bytes Sent/sec"),
    (510, "Network Interface"), (520, "Current Bandwidth"), (674, "System Up Time"),
    (680, "Thread Count"), (682, "Priority Base"), (684, "Elapsed Time"), (686, "Alignment Fixups/sec"),
    (688, "Exception Dispatches/sec"), (690, "Floating Emulations/sec"), (692, "Logon/sec"),
    (694, "Priority Current"), (696, "% DPC Time"), (698, "% Interrupt Time"), (700, "Paging File"),
    (702, "% Usage"), (704, "% Usage Peak"), (784, "ID Process"), (804, "ID Thread"), (952, "Handle Count"),
    (1380, "Available KBytes"), (1382, "Available MBytes"), (1400, "Avg. Disk Queue Length"),
    (1402, "Avg. Disk Read Queue Length"), (1404, "Avg. Disk Write Queue Length"),
    (1406, "% Committed Bytes In Use"), (1410, "Creating Process ID"), (1412, "IO Read Operations/sec"),
    (1414, "IO Write Operations/sec"), (1416, "IO Data Operations/sec"), (1418, "IO Other Operations/sec"),
    (1420, "IO Read Bytes/sec"), (1422, "IO Write Bytes/sec"), (1424, "IO Data Bytes/sec"),
    (1426, "IO Other Bytes/sec"), (1478, "Working Set - Private"), (1482, "% Idle Time"), (1484, "Split IO/Sec"),
    (1746, "% Idle Time"), (1748, "% C1 Time"), (1750, "% C2 Time"), (1752, "% C3 Time"),
];

#[cfg(test)]
mod tests {
    use super::{NAMES, english};
    use crate::table::text;

    /// The table in other languages knows these names too.
    #[test]
    fn names_are_known_in_other_languages() {
        let text = text();
        let known: std::collections::HashSet<&str> =
            text.lines().filter_map(|line| line.trim_start().split('\t').next()).collect();
        let unknown: Vec<_> = NAMES.iter().filter(|(_, name)| !known.contains(name)).collect();
        assert_eq!(unknown, Vec::<&(u32, &str)>::new());
    }

    #[test]
    fn indexes_are_in_order_even_and_the_systems_own() {
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(NAMES.iter().all(|(index, _)| index % 2 == 0 && *index < 1_848));
        assert_eq!((english(230), english(6), english(8)), (Some("Process"), Some("% Processor Time"), None));
    }
}
