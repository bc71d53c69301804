//! A checksum of the footer's facts: Parquet has checksums of pages, but not of its footer.

use parquet::file::metadata::KeyValue;

use crate::schema::key;

/// What the keys begin with that the checksum is about.
const OURS: &str = "recount.";

/// The checksum over keys and values, as the value of [`key::CHECKSUM`].
pub(crate) fn checksum<'p>(pairs: impl Iterator<Item = (&'p str, &'p str)>) -> String {
    let mut hasher = crc32fast::Hasher::new();
    for (key, value) in pairs.filter(|(key, _)| key.starts_with(OURS) && *key != key::CHECKSUM) {
        for text in [key, value] {
            hasher.update(text.as_bytes());
            hasher.update(&[0]);
        }
    }
    format!("{:08x}", hasher.finalize())
}

/// The checksum that is in a footer and the one that it should be, if they differ. Older files have none.
pub(crate) fn mismatch(entries: &[KeyValue]) -> Option<(String, String)> {
    let stated =
        entries.iter().find(|entry| entry.key == key::CHECKSUM)?.value.as_deref().unwrap_or_default();
    let pairs = entries.iter().map(|entry| (entry.key.as_str(), entry.value.as_deref().unwrap_or_default()));
    let computed = checksum(pairs);
    (stated != computed).then(|| (stated.to_owned(), computed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_other_bit_of_the_facts_is_noticed() {
        let facts = [("recount.zone", "unknown"), ("recount.layout", "tidy"), ("other", "x")];
        let checksum = checksum(facts.into_iter());
        let entries = |change: Option<(usize, usize, u8)>| {
            let all = [facts[0], facts[1], (key::CHECKSUM, &checksum)].map(|(key, value)| [key, value]);
            let mut all = all.map(|pair| pair.map(|text| text.as_bytes().to_vec()));
            if let Some((number, place, bit)) = change {
                let text = &mut all[number / 2][number % 2];
                let place = place % text.len();
                text[place] ^= 1 << bit;
            }
            all.map(|pair| {
                let [key, value] = pair.map(|text| String::from_utf8(text).expect("ASCII"));
                KeyValue::new(key, value)
            })
        };
        assert_eq!(mismatch(&entries(None)), None);
        assert_eq!(mismatch(&entries(None)[..2]), None, "without a checksum");
        for number in [0, 1, 2, 3, 5] {
            for (place, bit) in (0..16).flat_map(|place| (0..7).map(move |bit| (place, bit))) {
                assert!(mismatch(&entries(Some((number, place, bit)))).is_some(), "{number} {place} {bit}");
            }
        }
    }
}
