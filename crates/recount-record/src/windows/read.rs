//! Reading a value whose length isn't known in advance.

use super::registry::{Key, Registry, Reply, ValueKind};
use crate::TakeError;

/// Buffer size of the first attempt: enough for all objects of an ordinary machine. After each attempt that
/// is too small, the providers have to collect everything again.
const LEN_FIRST: usize = 256 << 10;
/// Maximum buffer size; the blocks of the largest machines have a few megabytes.
const LEN_MAX: usize = 256 << 20;

/// `ERROR_FILE_NOT_FOUND`.
const NOT_FOUND: u32 = 2;
/// `ERROR_ACCESS_DENIED`.
const ACCESS_DENIED: u32 = 5;
/// `ERROR_HANDLE_EOF`: a machine that is played back by `recount serve` has no more samples.
const HANDLE_EOF: u32 = 38;

/// Reads values, and remembers their size.
#[derive(Debug)]
pub(super) struct ValueReader {
    len_buffer: usize,
}

impl ValueReader {
    /// A reader before the first value.
    pub(super) fn new() -> ValueReader {
        ValueReader { len_buffer: LEN_FIRST }
    }

    /// Reads a value into `bytes` and returns its type.
    pub(super) fn read(
        &mut self,
        registry: &mut impl Registry,
        key: Key,
        value: &str,
        bytes: &mut Vec<u8>,
    ) -> Result<ValueKind, TakeError> {
        loop {
            match registry.query(key, value, self.len_buffer, bytes) {
                Reply::Value(kind) => return Ok(kind),
                Reply::MoreData => {
                    self.len_buffer = grown(self.len_buffer).ok_or_else(|| too_large(key, value))?;
                }
                Reply::Failed(code) => return Err(failed(key, value, code)),
            }
        }
    }

    /// Reads a value, if it has the given type.
    pub(super) fn read_as(
        &mut self,
        registry: &mut impl Registry,
        wanted: ValueKind,
        key: Key,
        value: &str,
    ) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let kind = self.read(registry, key, value, &mut bytes).ok()?;
        (kind == wanted).then_some(bytes)
    }

    /// Reads a text (`REG_SZ`), without its NUL.
    pub(super) fn read_text(
        &mut self,
        registry: &mut impl Registry,
        key: Key,
        value: &str,
    ) -> Option<String> {
        let bytes = self.read_as(registry, ValueKind::TEXT, key, value)?;
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|&unit| u16::from_le_bytes(unit)).collect();
        let text = text_of(&units);
        (!text.is_empty()).then_some(text)
    }

    /// Reads a number (`REG_DWORD`).
    pub(super) fn read_number(&mut self, registry: &mut impl Registry, key: Key, value: &str) -> Option<u32> {
        let bytes = self.read_as(registry, ValueKind::NUMBER, key, value)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }
}

/// Text up to its NUL, or to the end if there is none, trimmed.
pub(super) fn text_of(units: &[u16]) -> String {
    let text = units.split(|&unit| unit == 0).next().unwrap_or_default();
    String::from_utf16_lossy(text).trim().to_owned()
}

/// The next larger buffer. For performance data, the length returned with `ERROR_MORE_DATA` is meaningless.
fn grown(len_buffer: usize) -> Option<usize> {
    (len_buffer < LEN_MAX).then(|| (len_buffer * 2).min(LEN_MAX))
}

fn too_large(key: Key, value: &str) -> TakeError {
    let what = format!(
        "value \"{value}\" of {} doesn't fit in {} MiB; a provider of performance data may be faulty: record fewer \
         objects",
        key.name(),
        LEN_MAX >> 20
    );
    TakeError::System { function: "RegQueryValueExW", what }
}

fn failed(key: Key, value: &str, code: u32) -> TakeError {
    if code == HANDLE_EOF {
        return TakeError::Ended;
    }
    // Windows has a message for the code; on other systems it would be the message of an unrelated error.
    #[cfg(windows)]
    let words = std::io::Error::from_raw_os_error(code.cast_signed()).to_string();
    #[cfg(not(windows))]
    let words = format!("error {code}");
    let advice = match code {
        ACCESS_DENIED => "; members of \"Performance Monitor Users\" and administrators may read it",
        NOT_FOUND => "; there is no such value",
        _ => "",
    };
    let what = format!("value \"{value}\" of {}: {words}{advice}", key.name());
    TakeError::System { function: "RegQueryValueExW", what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::windows::tests::FakeSystem;

    #[test]
    fn the_buffer_grows_until_the_value_fits_and_stays_so() {
        let mut system = FakeSystem::default();
        let value = vec![7; 3 << 20];
        system.set(Key::PerformanceData, "Global", ValueKind::BINARY, value.clone());
        let mut reader = ValueReader::new();
        let mut bytes = Vec::new();
        for _ in 0..2 {
            let kind = reader.read(&mut system, Key::PerformanceData, "Global", &mut bytes).expect("fits");
            assert_eq!((kind, &bytes), (ValueKind::BINARY, &value));
        }
        assert_eq!(system.lengths_tried, [256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20, 4 << 20]);
    }

    #[test]
    fn the_buffer_grows_within_bounds() {
        let mut system = FakeSystem::default();
        system.fail("Global", Reply::MoreData);
        let error = ValueReader::new()
            .read(&mut system, Key::PerformanceData, "Global", &mut Vec::new())
            .expect_err("endless");
        assert!(error.to_string().contains("doesn't fit in 256 MiB"), "{error}");
        assert_eq!(system.lengths_tried.last(), Some(&(256 << 20)));
        assert_eq!(system.lengths_tried.len(), 11);
    }

    #[test]
    fn errors_say_what_was_asked_for_and_what_to_do() {
        let mut system = FakeSystem::default();
        system.fail("Global", Reply::Failed(ACCESS_DENIED));
        let error = ValueReader::new()
            .read(&mut system, Key::PerformanceData, "Global", &mut Vec::new())
            .expect_err("denied")
            .to_string();
        assert!(
            error.starts_with("RegQueryValueExW: value \"Global\" of HKEY_PERFORMANCE_DATA: "),
            "{error}"
        );
        assert!(error.contains("Performance Monitor Users"), "{error}");
    }

    #[test]
    fn texts_and_numbers_have_to_be_of_their_type() {
        const KEY: Key = Key::LocalMachine("SOFTWARE");
        let mut system = FakeSystem::default();
        system.set_text(KEY, "Name", " Windows \0rest");
        system.set(KEY, "Number", ValueKind::NUMBER, 19_045_u32.to_le_bytes().to_vec());
        system.set(KEY, "Short", ValueKind::NUMBER, vec![1, 2]);
        let mut reader = ValueReader::new();
        assert_eq!(reader.read_text(&mut system, KEY, "Name").as_deref(), Some("Windows"));
        assert_eq!(reader.read_number(&mut system, KEY, "Number"), Some(19_045));
        assert_eq!(reader.read_text(&mut system, KEY, "Number"), None);
        assert_eq!(reader.read_number(&mut system, KEY, "Name"), None);
        assert_eq!(reader.read_number(&mut system, KEY, "Short"), None);
        assert_eq!(reader.read_text(&mut system, KEY, "Absent"), None);
    }
}
