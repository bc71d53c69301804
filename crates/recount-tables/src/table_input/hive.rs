//! Reads the directory names of partitions (`formats/tables.md#partitions`).

/// The name for a missing value.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// The host in a file's path: `None` if there is none, empty if the host is marked as unknown.
pub(super) fn host_of(path: &str) -> Option<String> {
    let (directories, _) = path.rsplit_once('/')?;
    let value = directories.split('/').rev().find_map(|directory| directory.strip_prefix("host="))?;
    Some(if value == NO_VALUE { String::new() } else { percent_decode(value) })
}

/// Undoes the percent-encoding; invalid sequences stay as they are.
fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let encoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(encoded) = encoded.filter(|_| byte == b'%') {
            decoded.push(encoded);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_decoded() {
        assert_eq!(host_of("Memory/host=web%2F2/date=2013-02-20/part-0.parquet").as_deref(), Some("web/2"));
        assert_eq!(host_of("date=2013-02-20/host=%C3%A9%/part-0.parquet").as_deref(), Some("é%"));
        assert_eq!(host_of("host=__HIVE_DEFAULT_PARTITION__/x.parquet").as_deref(), Some(""));
        assert_eq!(host_of("date=2013-02-20/host=a.parquet"), None);
        assert_eq!(host_of("Memory.parquet"), None);
    }
}
