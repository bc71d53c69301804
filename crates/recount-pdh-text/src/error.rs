//! Why PDH text can't be read or written at all. Lesser damage is reported in `Health`.

use std::io;

use recount_model::Timestamp;

/// Why an input can't be read as PDH text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PdhTextError {
    /// It doesn't begin like PDH text.
    #[error(
        "PDH text header at byte {ofs:#x}: expected \"(PDH-CSV 4.0)\" or \"(PDH-TSV 4.0)\", found `{found}`"
    )]
    NotPdhText {
        /// Byte offset of the header.
        ofs: u64,
        /// What was found instead.
        found: String,
    },
    /// None of the separators follows the first field of the header.
    #[error("PDH text header at byte {ofs:#x}: expected a comma, semicolon or tab, found `{found}`")]
    NoSeparator {
        /// Byte offset of the found character.
        ofs: u64,
        /// What was found.
        found: String,
    },
    /// A separator has cut a name of the header in two.
    #[error(
        "PDH text header at byte {ofs:#x}: expected the path of a counter, found `{found}`, which may be the rest of the name before it: \
         which value belongs to which name isn't certain"
    )]
    CutName {
        /// Byte offset of what was found.
        ofs: u64,
        /// What was found.
        found: String,
    },
    /// The header names no counter.
    #[error("PDH text header at byte {ofs:#x}: expected counter paths, found none")]
    NoCounters {
        /// Byte offset of the header.
        ofs: u64,
    },
    /// The header has many instances and counters of an object, but few of their combinations.
    #[error(
        "PDH text header at byte {ofs:#x}: object `{object}` has {num_instances} instances and {num_counters} \
         counters, expected columns for a fair part of these pairs, found {num_columns}"
    )]
    TooSparse {
        /// Byte offset of the header.
        ofs: u64,
        /// Name of the object.
        object: String,
        /// How many different instances it has.
        num_instances: usize,
        /// How many different counters it has.
        num_counters: usize,
        /// How many columns it has.
        num_columns: usize,
    },
    /// No line after the header is a sample.
    #[error(
        "PDH text rows at byte {ofs:#x}: expected samples, found none: {what} (lines after the header: {num_lines})"
    )]
    NoSamples {
        /// Byte offset of the first line after the header.
        ofs: u64,
        /// Number of lines.
        num_lines: u64,
        /// What is wrong with the first of them.
        fault: RowFault,
        /// The same in words.
        what: String,
    },
}

/// What is wrong with a line that isn't a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowFault {
    /// There is no line after the header.
    Missing,
    /// The file ends in it.
    CutOff,
    /// It has carriage returns where the lines of the file end in line feeds.
    Returns,
    /// Its first field is a time of day without a date.
    NoDate,
    /// The year of its date has two digits.
    ShortYear,
    /// Its first field isn't a date and a time.
    NoTime,
    /// It has more values than the header has columns.
    TooManyValues,
    /// It has fewer values, and which belong to which columns isn't certain.
    TooFewValues,
}

/// Why PDH text can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PdhWriteError {
    /// No counters: a table without columns can't be read back.
    #[error("PDH text needs at least one counter, found none")]
    NoCounters,
    /// A sample is earlier than one already written.
    #[error("sample of {time} comes after one of {written}: samples have to be written in time order")]
    OutOfOrder {
        /// Time of the sample.
        time: Timestamp,
        /// Time of the last row written.
        written: Timestamp,
    },
    /// A time whose year doesn't have four digits.
    #[error("sample time {time} is outside the years 0 to 9999 that PDH text can show")]
    TimeOutOfRange {
        /// The time.
        time: Timestamp,
    },
    /// Writing to the output failed.
    #[error("writing PDH text")]
    Io(#[from] io::Error),
}
