//! The groups of live tests.

use super::packages::Needed;

/// Tests that need the same things.
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) covers: &'static str,
    /// On two cores, without the build.
    pub(super) minutes: u32,
    pub(super) needs: &'static [Needed],
    pub(super) tests: Tests,
}

pub(super) enum Tests {
    /// Which tests of which crates, with all their features.
    Nextest { crates: &'static [&'static str], filter: &'static str },
    /// A script, from the root of the workspace.
    Script(&'static str),
}

const NODE: Needed = Needed::Command("npm", &["nodejs", "npm"]);
const PYTHON: Needed = Needed::Packages(&["python3-venv", "python3"]);
const CHROMIUM: Needed = Needed::Command("chromium", &["chromium"]);

/// In the order of `all`: what is quickest first.
pub(super) const GROUPS: &[Group] = &[
    Group {
        name: "sql",
        covers: "SQL: its engine, and recount query",
        minutes: 2,
        needs: &[],
        tests: Tests::Nextest {
            crates: &["recount-sql", "recount-cli"],
            filter: "package(recount-sql) | test(/^live_query::/) | test(/^commands::query::/)",
        },
    },
    Group {
        name: "mcp",
        covers: "the server for models, and clients of PyPI and npm that drive it",
        minutes: 5,
        needs: &[NODE, PYTHON],
        tests: Tests::Nextest {
            crates: &["recount-mcp", "recount-cli"],
            filter: "package(recount-mcp) | binary(live_mcp) | test(/^mcp::/)",
        },
    },
    Group {
        name: "machine",
        covers: "the recorder and recount top, on this machine: what it measures, who it was, signals, kills, full disks",
        minutes: 7,
        needs: &[Needed::Command("tmux", &["tmux"]), NODE, CHROMIUM, PYTHON],
        tests: Tests::Nextest {
            crates: &["recount-record", "recount", "recount-cli"],
            filter: "(package(recount-record) & test(/live/)) | binary(live_processes) | binary(live_as_v2) | binary(live_bad_days) \
                     | binary(live_ci_docs) | binary(live_culprits) | binary(live_known_load) | binary(live_top) | binary(live_who) \
                     | binary(live_wide) | test(/^examples::live_record$/) | test(/^captures::live_a_recording/) | test(/^live_mark::/) \
                     | test(/^record::live::/) | test(/^record_bad_day::live_disk::/)",
        },
    },
    Group {
        name: "recorders",
        covers: "sadc, atop, pmlogger and our recorder at the same time",
        minutes: 4,
        needs: &[
            Needed::Command("sadf", &["sysstat"]),
            Needed::Command("atop", &["atop"]),
            Needed::Command("pmlogger", &["pcp"]),
        ],
        tests: Tests::Nextest { crates: &["recount-cli"], filter: "binary(live_recorders)" },
    },
    Group {
        name: "readers",
        covers: "other people's readers of our formats: Kaitai Struct, polars, duckdb, pyarrow, promtool, scipy",
        minutes: 5,
        needs: &[NODE, PYTHON, Needed::Command("promtool", &["prometheus"])],
        tests: Tests::Nextest {
            crates: &[
                "recount-atop",
                "recount-blg",
                "recount-capture",
                "recount-pcp",
                "recount-pcq",
                "recount-pdh-text",
                "recount-sysstat",
                "recount",
                "recount-cli",
            ],
            filter: "binary(live_kaitai) | binary(live_readers) | binary(live_changes) | binary(live_openmetrics) \
                     | test(/::live_prints_as_the_c_library_does$/)",
        },
    },
    Group {
        name: "browser",
        covers: "the report's page and the viewer in Chromium and Firefox, the page's modules in Node.js",
        minutes: 16,
        needs: &[NODE, CHROMIUM, Needed::Command("firefox-esr", &["firefox-esr"]), PYTHON],
        tests: Tests::Nextest {
            crates: &["recount-page", "recount-cli"],
            filter: "binary(live_page) | binary(live_browser) | binary(live_view)",
        },
    },
    Group {
        name: "python",
        covers: "the Python package: wheel, tests, docstrings, types, notebooks",
        minutes: 10,
        needs: &[PYTHON],
        tests: Tests::Nextest {
            crates: &["recount-python", "recount-cli"],
            filter: "package(recount-python) | binary(live_python) | binary(live_notebooks)",
        },
    },
    Group {
        name: "spark",
        covers: "the Python package on Spark, with a JVM",
        minutes: 6,
        needs: &[PYTHON, Needed::Command("java", &["openjdk-17-jre-headless"])],
        tests: Tests::Nextest { crates: &["recount-cli"], filter: "binary(live_spark)" },
    },
    Group {
        name: "wire",
        covers: "other machines: serve, record --host, SMB, RPC; against Samba, impacket, Wireshark",
        minutes: 6,
        needs: &[
            PYTHON,
            Needed::Command("tshark", &["tshark"]),
            Needed::Command("smbd", &["samba"]),
            Needed::Packages(&["python3-samba", "python3-tdb"]),
        ],
        tests: Tests::Nextest {
            crates: &["recount-remote", "recount-cli"],
            filter: "package(recount-remote) | binary(live_remote)",
        },
    },
    Group {
        name: "windows",
        covers: "the Windows source, built and run under Wine",
        minutes: 6,
        needs: &[],
        tests: Tests::Script("crates/recount-record/tests/windows/run.sh"),
    },
];
