//! The captures of `samples/`, one file of code per file or kind of files. `samples/README.md` says what each is for.

mod atop;
mod block;
mod circular;
mod counters_dst;
mod damaged;
mod dumps;
mod log;
mod objects;
mod pcp;
mod session;
mod sysstat;
mod text;

use std::io;

use recount_bytes::FormatError;

/// Every sample: its path within `samples/`, and its bytes.
pub fn all() -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    let objects = objects::log()?;
    let mut all = vec![
        ("damaged.blg", damaged::damaged(&objects)?),
        ("objects.blg", objects),
        ("counters-dst.blg", counters_dst::log()?),
        ("circular.blg", circular::log()?),
        ("big-endian.bin", dumps::big_endian()?),
        ("session.pcq", session::session()),
        ("relog-german.csv", text::relog_german()),
        ("typeperf.tsv", text::typeperf()),
        ("sysstat.sa", sysstat::today()),
        ("sysstat-be.sa", sysstat::big_endian()),
        ("sysstat-rhel6.sa", sysstat::rhel6()),
        ("atop.raw", atop::log()),
    ];
    all.extend(dumps::series()?);
    all.extend(pcp::archive());
    Ok(all)
}

fn unwritable(error: FormatError) -> io::Error {
    io::Error::other(error)
}
