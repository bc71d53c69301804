//! Numbers that no other log has.

use std::io;

/// Sixteen random bytes of the system. In a browser it is an error.
pub fn new_id() -> io::Result<[u8; 16]> {
    let mut id = [0; 16];
    fill(&mut id)?;
    Ok(id)
}

/// A random number of the system.
pub(crate) fn new_number() -> io::Result<u64> {
    let mut number = [0; 8];
    fill(&mut number)?;
    Ok(u64::from_le_bytes(number))
}

#[cfg(not(target_family = "wasm"))]
fn fill(bytes: &mut [u8]) -> io::Result<()> {
    let failed = |error| io::Error::other(format!("the system has no random numbers: {error}"));
    getrandom::fill(bytes).map_err(failed)
}

/// In a browser no log is written.
#[cfg(target_family = "wasm")]
fn fill(_bytes: &mut [u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Seeded anew for every number: as many different ones as are asked for.
    #[test]
    fn no_two_are_alike() {
        let ids: BTreeSet<[u8; 16]> = (0..1_000).map(|_| new_id().expect("an id")).collect();
        let numbers: BTreeSet<u64> = (0..1_000).map(|_| new_number().expect("a number")).collect();
        assert_eq!((ids.len(), numbers.len()), (1_000, 1_000));
        // Every byte is random.
        for at in 0..16 {
            assert!(ids.iter().map(|id| id[at]).collect::<BTreeSet<u8>>().len() > 100, "byte {at}");
        }
    }
}
