//! Lists of integers as byte planes (`formats/rcap.md#numbers`).

use crate::bytes::{Bytes, Short};

/// The transformation of a list before its bytes are arranged in planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Transform {
    /// As they are.
    Verbatim = 0,
    /// Differences from the previous number, the first from 0; zigzag.
    Delta = 1,
    /// Differences of the differences; zigzag.
    Delta2 = 2,
}

impl Transform {
    pub(crate) fn from_number(number: u8) -> Option<Transform> {
        [Transform::Verbatim, Transform::Delta, Transform::Delta2].into_iter().find(|t| *t as u8 == number)
    }
}

/// Appends a list: transform, number of planes, planes from the least significant byte on. Its length isn't written.
pub(crate) fn write(values: &[u64], out: &mut Vec<u8>) {
    let candidates = [Transform::Verbatim, Transform::Delta, Transform::Delta2];
    let coded = candidates.map(|transform| transformed(values, transform));
    let cost =
        |list: &[u64]| list.iter().map(|value| u64::from(u64::BITS - value.leading_zeros())).sum::<u64>();
    let best = (0..coded.len()).min_by_key(|&at| cost(&coded[at])).unwrap_or(0);
    let list = &coded[best];
    let num_planes = num_planes(list.iter().fold(0, |all, value| all | value));
    out.extend([candidates[best] as u8, num_planes]);
    for plane in 0..num_planes {
        out.extend(list.iter().map(|value| (value >> (8 * plane)) as u8));
    }
}

/// Bytes that a value takes without its leading zeros.
pub(crate) fn num_planes(value: u64) -> u8 {
    (u64::BITS - value.leading_zeros()).div_ceil(8) as u8
}

fn transformed(values: &[u64], transform: Transform) -> Vec<u64> {
    let (mut before, mut step_before) = (0_u64, 0_u64);
    let code = |&value: &u64| {
        let step = value.wrapping_sub(before);
        let step2 = step.wrapping_sub(step_before);
        (before, step_before) = (value, step);
        match transform {
            Transform::Verbatim => value,
            Transform::Delta => zigzag(step),
            Transform::Delta2 => zigzag(step2),
        }
    };
    values.iter().map(code).collect()
}

/// Reads a list of `num` integers. Allocates at most eight times the bytes present, unless all integers are 0.
pub(crate) fn read(bytes: &mut Bytes<'_>, num: usize) -> Result<Vec<u64>, Short> {
    let transform = bytes.u8("numbers.transform")?;
    let transform = Transform::from_number(transform)
        .ok_or_else(|| bytes.bad("numbers.transform", "0, 1 or 2", u64::from(transform)))?;
    let num_planes = bytes.u8("numbers.num_planes")?;
    if num_planes > 8 {
        return Err(bytes.bad("numbers.num_planes", "at most 8", u64::from(num_planes)));
    }
    let planes = bytes.take("numbers.planes", num.saturating_mul(usize::from(num_planes)))?;
    let mut values = vec![0_u64; num];
    for (at, plane) in planes.chunks_exact(num.max(1)).enumerate() {
        values.iter_mut().zip(plane).for_each(|(value, byte)| *value |= u64::from(*byte) << (8 * at));
    }
    undo(&mut values, transform);
    Ok(values)
}

fn undo(values: &mut [u64], transform: Transform) {
    let (mut before, mut step) = (0_u64, 0_u64);
    match transform {
        Transform::Verbatim => {}
        Transform::Delta => {
            for value in values {
                before = before.wrapping_add(unzigzag(*value));
                *value = before;
            }
        }
        Transform::Delta2 => {
            for value in values {
                step = step.wrapping_add(unzigzag(*value));
                before = before.wrapping_add(step);
                *value = before;
            }
        }
    }
}

/// Maps small numbers of either sign to small numbers: 0, −1, 1, −2 become 0, 1, 2, 3.
fn zigzag(value: u64) -> u64 {
    (value << 1) ^ ((value as i64 >> 63) as u64)
}

fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn zigzag_is_undone_and_small_for_small_numbers() {
        for value in i64::from(i16::MIN)..=i64::from(i16::MAX) {
            let expected = if value < 0 { -2 * value - 1 } else { 2 * value };
            assert_eq!(zigzag(value as u64), expected as u64);
            for shift in 0..=48 {
                for shifted in [value << shift, value << shift | ((1 << shift) - 1)] {
                    assert_eq!(unzigzag(zigzag(shifted as u64)), shifted as u64);
                }
            }
        }
    }

    #[test]
    fn all_short_lists_of_extreme_numbers() {
        let extremes =
            [0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 1 << 62, 1 << 63, (1 << 63) - 1, u64::MAX - 1, u64::MAX];
        for list in
            (0..extremes.len().pow(3)).map(|at| [at % 12, at / 12 % 12, at / 144].map(|at| extremes[at]))
        {
            for len in 0..=list.len() {
                let mut out = Vec::new();
                write(&list[..len], &mut out);
                let mut bytes = Bytes::new(&out);
                assert_eq!(read(&mut bytes, len).as_deref(), Ok(&list[..len]));
                assert!(bytes.is_empty(), "{list:x?}");
            }
        }
    }

    #[test]
    fn steady_times_take_no_room() {
        let times: Vec<u64> = (0..100).map(|k| 130_058_022_178_440_000 + k * 10_000_000).collect();
        let mut out = Vec::new();
        write(&times, &mut out);
        // Second differences: all but the first two are 0, yet the planes are as many as the first needs.
        assert_eq!((out[0], out[1], out.len()), (2, 8, 2 + 800));
        let mut zeros = Vec::new();
        write(&[0; 1000], &mut zeros);
        assert_eq!(zeros, [0, 0]);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            values in prop_oneof![
                proptest::collection::vec(any::<u64>(), 0..40),
                proptest::collection::vec(0_u64..300, 0..40),
            ]
        ) {
            let mut out = Vec::new();
            write(&values, &mut out);
            let mut bytes = Bytes::new(&out);
            prop_assert_eq!(read(&mut bytes, values.len()).expect("whole"), values);
            prop_assert!(bytes.is_empty());
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40), num in 0_usize..50) {
            let _ = read(&mut Bytes::new(&bytes), num);
        }
    }
}
