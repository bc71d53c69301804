//! Numbers that no other log has.

use std::io;

/// Sixteen random bytes of the system.
pub(crate) fn new_id() -> io::Result<[u8; 16]> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(no_numbers)?;
    Ok(id)
}

/// A random number of the system.
pub(crate) fn new_number() -> io::Result<u64> {
    getrandom::u64().map_err(no_numbers)
}

fn no_numbers(error: getrandom::Error) -> io::Error {
    io::Error::other(format!("the system has no random numbers: {error}"))
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
