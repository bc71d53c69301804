//! The calls to Windows, all of them in this file.

#![expect(unsafe_code, reason = "the system's functions are declared by hand, as unsafe ones")]

use std::{ptr, slice};

use recount_bytes::{SystemTime, ZoneRule};
use windows_sys::Win32::Foundation::{ERROR_MORE_DATA, ERROR_SUCCESS, SYSTEMTIME};
use windows_sys::Win32::Globalization::GetSystemDefaultUILanguage;
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_LOCAL_MACHINE, HKEY_PERFORMANCE_DATA, HKEY_PERFORMANCE_NLSTEXT, HKEY_PERFORMANCE_TEXT,
    KEY_READ, RegCloseKey, RegOpenKeyExW, RegQueryValueExW,
};
use windows_sys::Win32::System::SystemInformation::{
    GetNativeSystemInfo, GetTickCount64, GlobalMemoryStatusEx, MEMORYSTATUSEX, SYSTEM_INFO,
};
use windows_sys::Win32::System::Threading::{ALL_PROCESSOR_GROUPS, GetActiveProcessorCount};
use windows_sys::Win32::System::Time::{
    DYNAMIC_TIME_ZONE_INFORMATION, GetDynamicTimeZoneInformation, TIME_ZONE_ID_INVALID,
};

use super::read::text_of;
use super::registry::{Key, Machine, Registry, Reply, ValueKind};
use super::zone::ZoneFields;

/// The current machine.
#[derive(Debug)]
pub(super) struct System {
    /// The buffer for values. Providers write 8-byte numbers and expect alignment.
    buffer: Vec<u64>,
}

impl System {
    pub(super) fn new() -> System {
        System { buffer: Vec::new() }
    }
}

/// A key below `HKEY_LOCAL_MACHINE`, or a predefined key, which is always open.
struct OpenKey(HKEY);

impl OpenKey {
    fn open(key: Key) -> Result<OpenKey, u32> {
        let path = match key {
            Key::PerformanceData => return Ok(OpenKey(HKEY_PERFORMANCE_DATA)),
            Key::PerformanceText => return Ok(OpenKey(HKEY_PERFORMANCE_TEXT)),
            Key::PerformanceNlsText => return Ok(OpenKey(HKEY_PERFORMANCE_NLSTEXT)),
            Key::LocalMachine(path) => wide(path),
        };
        let mut opened: HKEY = ptr::null_mut();
        // SAFETY: the path is NUL-terminated, and the key is written to a variable of its type.
        let status =
            unsafe { RegOpenKeyExW(HKEY_LOCAL_MACHINE, path.as_ptr(), 0, KEY_READ, &raw mut opened) };
        if status == ERROR_SUCCESS { Ok(OpenKey(opened)) } else { Err(status) }
    }
}

impl Drop for OpenKey {
    fn drop(&mut self) {
        // Closing the keys of performance data unloads the providers, which the next sample needs.
        if ![HKEY_PERFORMANCE_DATA, HKEY_PERFORMANCE_TEXT, HKEY_PERFORMANCE_NLSTEXT].contains(&self.0) {
            // SAFETY: we opened the key, and it is closed once.
            unsafe { RegCloseKey(self.0) };
        }
    }
}

impl Drop for System {
    fn drop(&mut self) {
        // SAFETY: the key is a constant, and closing it only unloads what queries have loaded.
        unsafe { RegCloseKey(HKEY_PERFORMANCE_DATA) };
    }
}

impl Registry for System {
    fn query(&mut self, key: Key, value: &str, len_buffer: usize, bytes: &mut Vec<u8>) -> Reply {
        let opened = match OpenKey::open(key) {
            Ok(opened) => opened,
            Err(code) => return Reply::Failed(code),
        };
        self.buffer.resize(len_buffer.div_ceil(8), 0);
        let len_buffer = 8 * self.buffer.len();
        let (mut kind, mut len) = (0, u32::try_from(len_buffer).unwrap_or(u32::MAX));
        let value = wide(value);
        // SAFETY: the name is NUL-terminated; at most `len` bytes are written to the buffer, which has that
        // length.
        let status = unsafe {
            RegQueryValueExW(
                opened.0,
                value.as_ptr(),
                ptr::null(),
                &raw mut kind,
                self.buffer.as_mut_ptr().cast(),
                &raw mut len,
            )
        };
        match status {
            ERROR_SUCCESS => {
                // SAFETY: the buffer has that many bytes, all initialised, and bytes need no alignment.
                let all = unsafe { slice::from_raw_parts(self.buffer.as_ptr().cast(), len_buffer) };
                bytes.clear();
                bytes.extend_from_slice(all.get(..len as usize).unwrap_or(all));
                Reply::Value(ValueKind(kind))
            }
            ERROR_MORE_DATA => Reply::MoreData,
            code => Reply::Failed(code),
        }
    }
}

impl Machine for System {
    fn num_processors(&self) -> Option<u32> {
        // SAFETY: takes and returns numbers.
        let count = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) };
        (count > 0).then_some(count)
    }

    fn len_memory(&self) -> Option<u64> {
        let mut status =
            MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..MEMORYSTATUSEX::default() };
        // SAFETY: the structure contains its own length.
        let is_known = unsafe { GlobalMemoryStatusEx(&raw mut status) } != 0;
        is_known.then_some(status.ullTotalPhys)
    }

    fn len_page(&self) -> Option<u32> {
        let mut info = SYSTEM_INFO::default();
        // SAFETY: the structure has the type that the function fills in.
        unsafe { GetNativeSystemInfo(&raw mut info) };
        (info.dwPageSize > 0).then_some(info.dwPageSize)
    }

    fn uptime_ms(&self) -> Option<u64> {
        // SAFETY: takes nothing and returns a number.
        Some(unsafe { GetTickCount64() })
    }

    fn zone(&self) -> Option<ZoneFields> {
        let mut info = DYNAMIC_TIME_ZONE_INFORMATION::default();
        // SAFETY: the structure has the type that the function fills in.
        if unsafe { GetDynamicTimeZoneInformation(&raw mut info) } == TIME_ZONE_ID_INVALID {
            return None;
        }
        Some(ZoneFields {
            key_name: text_of(&info.TimeZoneKeyName),
            standard_name: text_of(&info.StandardName),
            rule: ZoneRule {
                bias: info.Bias,
                standard_bias: info.StandardBias,
                standard_date: system_time(info.StandardDate),
                daylight_bias: info.DaylightBias,
                daylight_date: system_time(info.DaylightDate),
            },
        })
    }

    fn language(&self) -> u16 {
        // SAFETY: takes nothing and returns a number.
        let language = unsafe { GetSystemDefaultUILanguage() };
        // The upper bits are the country's.
        language & 0x3FF
    }
}

/// Text in the form that the system expects.
fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

fn system_time(time: SYSTEMTIME) -> SystemTime {
    SystemTime {
        year: time.wYear,
        month: time.wMonth,
        day_of_week: time.wDayOfWeek,
        day: time.wDay,
        hour: time.wHour,
        minute: time.wMinute,
        second: time.wSecond,
        milliseconds: time.wMilliseconds,
    }
}
