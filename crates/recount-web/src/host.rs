//! What the worker offers to the module.

use std::io::{self, Write};
use std::time::Duration;

use recount::ReadAt;

#[cfg(target_family = "wasm")]
#[expect(unsafe_code, reason = "these are functions of the worker; they keep nothing of what they are given")]
mod calls {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Reads bytes of a file to a place in memory; returns how many, or -1 if the browser can't read it.
        pub(super) safe fn read(file: u32, ofs: f64, place: *mut u8, len: usize) -> i32;
        /// Milliseconds since the worker started.
        pub(super) safe fn now() -> f64;
        /// How far the counting is, as JSON.
        pub(super) safe fn progress(place: *const u8, len: usize);
        /// Takes a part of an output.
        pub(super) safe fn write(place: *const u8, len: usize);
        /// The text of a panic, after which the module has ended.
        pub(super) safe fn fail(place: *const u8, len: usize);
    }
}

/// Elsewhere there is no page.
#[cfg(not(target_family = "wasm"))]
mod calls {
    pub(super) fn read(_file: u32, _ofs: f64, _place: *mut u8, _len: usize) -> i32 {
        -1
    }
    pub(super) fn now() -> f64 {
        0.0
    }
    pub(super) fn progress(_place: *const u8, _len: usize) {}
    pub(super) fn write(_place: *const u8, _len: usize) {}
    pub(super) fn fail(_place: *const u8, _len: usize) {}
}

/// A file of the page, by its number there.
pub(crate) struct HostFile {
    pub(crate) number: u32,
    /// When it was chosen. A browser refuses to read a file that has changed since.
    pub(crate) len: u64,
}

impl ReadAt for HostFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        let len = self.len.saturating_sub(ofs).min(out.len() as u64) as usize;
        if len == 0 {
            return Ok(0);
        }
        let out = &mut out[..len];
        usize::try_from(calls::read(self.number, ofs as f64, out.as_mut_ptr(), out.len())).map_err(|_| {
            io::Error::other("the browser can't read it; it was changed or removed after it was chosen")
        })
    }
}

/// What a worker collects for a download.
pub(crate) struct HostOutput;

impl Write for HostOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        calls::write(bytes.as_ptr(), bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The worker's clock.
#[cfg_attr(not(target_family = "wasm"), expect(dead_code, reason = "elsewhere the engine has its own"))]
pub(crate) fn clock() -> Duration {
    Duration::try_from_secs_f64(calls::now() / 1e3).unwrap_or_default()
}

pub(crate) fn progress(text: &[u8]) {
    calls::progress(text.as_ptr(), text.len());
}

pub(crate) fn fail(text: &str) {
    calls::fail(text.as_ptr(), text.len());
}
