//! Mapped files that become shorter while they are read.
//!
//! A page of a mapped file that is gone can't be read: the system sends SIGBUS, which ends the process. A library must
//! not do that to the program that uses it. So such a page is replaced by one of zeros, and whoever reads the file asks
//! afterwards whether that happened, and then doesn't use what was read.

use std::ffi::c_void;
use std::io;
use std::mem;
use std::os::raw::c_int;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many mapped files can be watched at a time. Further ones aren't mapped.
const MAX_WATCHED: usize = 16_384;

/// A watched range of addresses, or a free place for one.
struct Range {
    is_taken: AtomicBool,
    begin: AtomicUsize,
    /// 0: not watched.
    end: AtomicUsize,
    is_lost: AtomicBool,
}

static RANGES: [Range; MAX_WATCHED] = [const {
    Range {
        is_taken: AtomicBool::new(false),
        begin: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        is_lost: AtomicBool::new(false),
    }
}; MAX_WATCHED];

/// What handled the signal before.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

static LEN_PAGE: AtomicUsize = AtomicUsize::new(0);

/// Whether the program ends by its own handler instead.
static IS_LEFT_TO_OTHERS: AtomicBool = AtomicBool::new(false);

/// Calls `act`, which should end the process, when a page of a mapped file can't be read: the file became shorter
/// after it was mapped, or its disk failed. The thread that reads it never goes on. Without this, what was read of such a file
/// is not used, with a finding, and the process goes on.
#[cfg(feature = "record")]
pub fn on_lost_page(act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    IS_LEFT_TO_OTHERS.store(true, Ordering::Release);
    recount_record::on_lost_page(act)
}

/// Watches a mapped file until it is dropped, which must happen before the file is unmapped.
pub(crate) struct Watch(&'static Range);

impl Watch {
    /// Watches a mapped range. `None`: too many are watched, or faults can't be handled.
    pub(crate) fn of(mapped: &[u8]) -> Option<Watch> {
        if !is_handled() {
            return None;
        }
        let is_free = |range: &&Range| !range.is_taken.swap(true, Ordering::AcqRel);
        let range = RANGES.iter().find(is_free)?;
        let begin = mapped.as_ptr() as usize;
        range.is_lost.store(false, Ordering::Release);
        range.begin.store(begin, Ordering::Release);
        range.end.store(begin + mapped.len(), Ordering::Release);
        Some(Watch(range))
    }

    /// Its number, from 0: of files watched at the same time each has another.
    pub(crate) fn number(&self) -> usize {
        RANGES.iter().position(|range| ptr::eq(range, self.0)).unwrap_or(MAX_WATCHED)
    }

    /// Whether a page of it could not be read.
    pub(crate) fn is_lost(&self) -> bool {
        self.0.is_lost.load(Ordering::Acquire)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.end.store(0, Ordering::Release);
        self.0.is_taken.store(false, Ordering::Release);
    }
}

/// Whether faults are handled; from the first call on they are.
fn is_handled() -> bool {
    static DONE: OnceLock<bool> = OnceLock::new();
    IS_LEFT_TO_OTHERS.load(Ordering::Acquire) || *DONE.get_or_init(|| handle().is_ok())
}

#[expect(unsafe_code, reason = "handlers of signals are set by the C library")]
fn handle() -> io::Result<()> {
    // SAFETY: a structure of zeros is a valid one; both calls get pointers to such. The handler uses atomic numbers and
    // system calls only.
    unsafe {
        LEN_PAGE.store(usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(4096), Ordering::Release);
        let mut previous: libc::sigaction = mem::zeroed();
        if libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut previous) != 0 {
            return Err(io::Error::last_os_error());
        }
        PREVIOUS.get_or_init(|| previous);
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        if libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Handles the signal. The faulting thread repeats its reading afterwards.
#[expect(unsafe_code, reason = "what runs in a signal handler must be safe there")]
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a valid structure to a handler that asks for it.
    let address = unsafe { (*info).si_addr() } as usize;
    let len_page = LEN_PAGE.load(Ordering::Acquire);
    // The end may be within its page.
    let has = |range: &&Range| {
        let (begin, end) = (range.begin.load(Ordering::Acquire), range.end.load(Ordering::Acquire));
        end != 0 && (begin..end.next_multiple_of(len_page)).contains(&address)
    };
    if let Some(range) = RANGES.iter().find(has)
        && replace(address / len_page * len_page, len_page)
    {
        range.is_lost.store(true, Ordering::Release);
        return;
    }
    // SAFETY: it is called as the system would have called it; or the default is set, which the repeated reading
    // then meets.
    unsafe {
        match PREVIOUS.get() {
            Some(previous) if ![libc::SIG_DFL, libc::SIG_IGN].contains(&previous.sa_sigaction) => {
                if previous.sa_flags & libc::SA_SIGINFO == 0 {
                    let call: extern "C" fn(c_int) = mem::transmute(previous.sa_sigaction);
                    call(signal);
                } else {
                    let call: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                        mem::transmute(previous.sa_sigaction);
                    call(signal, info, context);
                }
            }
            _ => {
                let mut action: libc::sigaction = mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const action, ptr::null_mut());
            }
        }
    }
}

/// Puts a page of zeros in a place.
#[expect(unsafe_code, reason = "maps memory at an address")]
fn replace(page: usize, len_page: usize) -> bool {
    let place: *mut c_void = ptr::with_exposed_provenance_mut(page);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the page is part of a map that is watched, thus ours, and can't be read until it is replaced.
    let put = unsafe { libc::mmap(place, len_page, libc::PROT_READ, flags, -1, 0) };
    put == place
}
