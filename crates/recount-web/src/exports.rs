//! The functions that the worker calls.

#![cfg_attr(target_family = "wasm", expect(unsafe_code, reason = "unsafe attributes keep the names"))]

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::host;
use crate::session::Session;

/// What the worker gives, and what it is given.
static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// The status of an answer that should be asked for in the worker that counts.
const LATER: u32 = 0;

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn put(bytes: Vec<u8>) {
    *lock(&OUTPUT) = bytes;
}

/// Room for an input of a length; the next call takes it.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(len: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    input.clear();
    input.resize(len, 0);
    input.as_mut_ptr()
}

/// The place of the last output.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    lock(&OUTPUT).as_ptr()
}

/// The length of the last output.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn len_output() -> usize {
    lock(&OUTPUT).len()
}

/// Opens the files that the input names; the status is 200, or the output is an error.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn open() -> u32 {
    static START: Once = Once::new();
    START.call_once(|| {
        std::panic::set_hook(Box::new(|panic| host::fail(&panic.to_string())));
        #[cfg(target_family = "wasm")]
        recount_view::give_clock(host::clock);
    });
    let asked = std::mem::take(&mut *lock(&INPUT));
    match Session::open(&asked) {
        Ok(session) => {
            *lock(&SESSION) = Some(session);
            put(b"{}".to_vec());
            200
        }
        Err(error) => {
            put(error);
            400
        }
    }
}

/// Counts everything.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn count() {
    if let Some(session) = &*lock(&SESSION) {
        session.count(&host::progress);
    }
}

/// Answers the question whose name is the first `len_name` bytes of the input, and whose content is the rest. If `may_wait` is
/// not 0, the status of what takes long is 0 as long as not everything is counted.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn ask(len_name: usize, may_wait: u32) -> u32 {
    let asked = std::mem::take(&mut *lock(&INPUT));
    let (name, content) = asked.split_at(len_name.min(asked.len()));
    let name = String::from_utf8_lossy(name);
    let session = lock(&SESSION);
    let Some(session) = &*session else { return 404 };
    if may_wait != 0 && session.should_wait(&name, content) {
        return LATER;
    }
    let (status, answer) = session.answer(&name, content);
    put(answer);
    status
}

/// Writes a file of the kind that the input names.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn save() -> u32 {
    let asked = std::mem::take(&mut *lock(&INPUT));
    let session = lock(&SESSION);
    let Some(session) = &*session else { return 404 };
    match session.save(&String::from_utf8_lossy(&asked)) {
        Ok(health) => {
            put(health);
            200
        }
        Err(error) => {
            put(error);
            409
        }
    }
}
