//! Mistakes in a command line that only the command finds.

/// Fails because of a mistake in the command line.
macro_rules! mistake {
    ($($text:tt)*) => { return Err(recount::Mistake(format!($($text)*)).into()) };
}

pub(crate) use mistake;
