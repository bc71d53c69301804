//! Decoded rows: columns as plain vectors.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Int32Array, UInt32Array};
use arrow_schema::{DataType, TimeUnit};
use recount_model::{Status, Texts};

use super::interned::{Interned, NONE};
use crate::schema::Kind;

/// The mark of a number that is present.
pub(super) const PRESENT: u8 = 0;
/// The mark of a null without a reason.
pub(super) const UNEXPLAINED: u8 = u8::MAX;

/// The status of a mark. Cells of counters that an instance doesn't have aren't cells of any table.
pub(super) fn status_of(mark: u8) -> Status {
    Status::ALL.get(usize::from(mark)).copied().unwrap_or(Status::InvalidData)
}

impl Kind {
    /// The type as named in `formats/tables.md`.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Kind::Float64 => "float64 (DOUBLE)",
            Kind::Name | Kind::Text => "text (BYTE_ARRAY, STRING)",
            Kind::Time => "timestamp in UTC (TIMESTAMP, isAdjustedToUTC)",
            Kind::LocalTime => "timestamp without a zone (TIMESTAMP)",
            Kind::Uint64 => "uint64",
            Kind::Uint32 | Kind::Int32 => "uint32 or int32",
        }
    }

    /// Whether a column of this type can be read as this kind.
    pub(super) fn takes(self, data_type: &DataType) -> bool {
        match self {
            Kind::Float64 => *data_type == DataType::Float64,
            Kind::Name | Kind::Text => is_name(data_type),
            Kind::Time => {
                matches!(data_type, DataType::Timestamp(unit, Some(_)) if *unit != TimeUnit::Second)
            }
            Kind::LocalTime => matches!(data_type, DataType::Timestamp(_, None)),
            Kind::Uint64 => *data_type == DataType::UInt64,
            Kind::Uint32 | Kind::Int32 => matches!(data_type, DataType::UInt32 | DataType::Int32),
        }
    }

    /// Decoded size of a row in bytes.
    pub(super) fn len_row(self) -> usize {
        match self {
            Kind::Float64 => 8,
            Kind::Name => 4,
            Kind::Text | Kind::Time | Kind::LocalTime | Kind::Uint64 | Kind::Uint32 | Kind::Int32 => 16,
        }
    }
}

/// Names are read as dictionaries, however the text is stored ([`super::parquet_input`]).
fn is_name(data_type: &DataType) -> bool {
    *data_type == Kind::Name.data_type()
}

/// A column of numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// 0.0 if there is none.
    pub(super) values: Vec<f64>,
    /// Per row [`PRESENT`], [`UNEXPLAINED`], or the number of a `Status`; `None` if all are present.
    pub(super) marks: Option<Vec<u8>>,
}

impl Numbers {
    /// Mark of a row.
    pub(super) fn mark(&self, row: usize) -> u8 {
        self.marks.as_ref().map_or(PRESENT, |marks| marks[row])
    }

    /// The bits of a row's number, if there is one.
    pub(super) fn bits(&self, row: usize) -> Option<u64> {
        (self.mark(row) == PRESENT).then(|| self.values[row].to_bits())
    }
}

/// A decoded column.
#[derive(Clone, Debug)]
pub(super) enum DecodedColumn {
    Numbers(Numbers),
    /// [`NONE`] for null.
    Names(Vec<u32>),
    /// Unlike names, texts are forgotten with their rows: each row may have another.
    Texts(Texts),
    Ids(Vec<Option<u64>>),
}

/// Decoded rows, with the requested columns in order.
#[derive(Clone, Debug, Default)]
pub(super) struct DecodedRows {
    pub(super) num_rows: usize,
    columns: Vec<DecodedColumn>,
}

impl DecodedRows {
    /// Without rows, with columns of these kinds.
    pub(super) fn empty(kinds: impl Iterator<Item = Kind>) -> DecodedRows {
        let column = |kind| match kind {
            Kind::Float64 => DecodedColumn::Numbers(Numbers::default()),
            Kind::Name => DecodedColumn::Names(Vec::new()),
            Kind::Text => DecodedColumn::Texts(Vec::new()),
            Kind::Time | Kind::LocalTime | Kind::Uint64 | Kind::Uint32 | Kind::Int32 => {
                DecodedColumn::Ids(Vec::new())
            }
        };
        DecodedRows { num_rows: 0, columns: kinds.map(column).collect() }
    }

    /// Bytes in memory.
    pub(super) fn len_bytes(&self) -> usize {
        let len = |column: &DecodedColumn| match column {
            DecodedColumn::Numbers(numbers) => {
                8 * numbers.values.len() + numbers.marks.as_ref().map_or(0, Vec::len)
            }
            DecodedColumn::Names(names) => 4 * names.len(),
            DecodedColumn::Texts(texts) => len_texts(texts),
            DecodedColumn::Ids(ids) => 16 * ids.len(),
        };
        self.columns.iter().map(len).sum()
    }

    /// Appends decoded columns of equal length, in order.
    pub(super) fn append_decoded(&mut self, num_rows: usize, columns: Vec<DecodedColumn>) {
        let more = DecodedRows { num_rows, columns };
        if self.num_rows == 0 {
            *self = more;
        } else {
            self.append(&more, 0..num_rows);
        }
    }

    /// Appends some of the rows of another, which has the same columns.
    pub(super) fn append(&mut self, from: &DecodedRows, rows: Range<usize>) {
        for (to, from) in self.columns.iter_mut().zip(&from.columns) {
            match (to, from) {
                (DecodedColumn::Numbers(to), DecodedColumn::Numbers(from)) => to.append(from, rows.clone()),
                (DecodedColumn::Names(to), DecodedColumn::Names(from)) => {
                    to.extend_from_slice(&from[rows.clone()]);
                }
                (DecodedColumn::Texts(to), DecodedColumn::Texts(from)) => {
                    to.extend_from_slice(&from[rows.clone()]);
                }
                (DecodedColumn::Ids(to), DecodedColumn::Ids(from)) => {
                    to.extend_from_slice(&from[rows.clone()]);
                }
                // Both were decoded as the same kinds.
                _ => {}
            }
        }
        self.num_rows += rows.len();
    }

    /// A column of names.
    pub(super) fn names(&self, at: usize) -> &[u32] {
        match self.columns.get(at) {
            Some(DecodedColumn::Names(names)) => names,
            _ => &[],
        }
    }

    /// A column of ids.
    pub(super) fn ids(&self, at: usize) -> &[Option<u64>] {
        match self.columns.get(at) {
            Some(DecodedColumn::Ids(ids)) => ids,
            _ => &[],
        }
    }

    /// Takes a column of names out.
    pub(super) fn take_names(&mut self, at: usize) -> Vec<u32> {
        match self.columns.get_mut(at) {
            Some(DecodedColumn::Names(names)) => std::mem::take(names),
            _ => Vec::new(),
        }
    }

    /// Takes a column of texts out.
    pub(super) fn take_texts(&mut self, at: usize) -> Texts {
        match self.columns.get_mut(at) {
            Some(DecodedColumn::Texts(texts)) => std::mem::take(texts),
            _ => Vec::new(),
        }
    }

    /// Takes a column of ids out.
    pub(super) fn take_ids(&mut self, at: usize) -> Vec<Option<u64>> {
        match self.columns.get_mut(at) {
            Some(DecodedColumn::Ids(ids)) => std::mem::take(ids),
            _ => Vec::new(),
        }
    }

    /// Takes a column of numbers out.
    pub(super) fn take_numbers(&mut self, at: usize) -> Numbers {
        match self.columns.get_mut(at) {
            Some(DecodedColumn::Numbers(numbers)) => std::mem::take(numbers),
            _ => Numbers::default(),
        }
    }
}

impl Numbers {
    fn append(&mut self, from: &Numbers, rows: Range<usize>) {
        let num_before = self.values.len();
        self.values.extend_from_slice(&from.values[rows.clone()]);
        match (&mut self.marks, &from.marks) {
            (None, None) => {}
            (Some(to), Some(from)) => to.extend_from_slice(&from[rows]),
            (Some(to), None) => to.resize(num_before + rows.len(), PRESENT),
            (to @ None, Some(from)) => {
                let mut marks = vec![PRESENT; num_before];
                marks.extend_from_slice(&from[rows]);
                *to = Some(marks);
            }
        }
    }
}

/// Decodes an array whose type [`Kind::takes`] has accepted.
pub(super) fn decode(array: ArrayRef, kind: Kind, names: &Interned) -> DecodedColumn {
    match kind {
        Kind::Float64 => DecodedColumn::Numbers(decode_numbers(array)),
        Kind::Name => DecodedColumn::Names(decode_names(&array, names)),
        Kind::Text => DecodedColumn::Texts(decode_texts(&array)),
        Kind::Time | Kind::LocalTime | Kind::Uint64 => DecodedColumn::Ids(
            array.as_primitive_opt::<UInt64Type>().map(|ids| ids.iter().collect()).unwrap_or_default(),
        ),
        Kind::Uint32 | Kind::Int32 => DecodedColumn::Ids(decode_words(&array)),
    }
}

/// The values are moved, not copied, if there are no other references to the array.
fn decode_numbers(array: ArrayRef) -> Numbers {
    let Some(numbers) = array.as_primitive_opt::<Float64Type>() else { return Numbers::default() };
    let (buffer, nulls) = (numbers.values().clone(), numbers.nulls().cloned());
    drop(array);
    let values = buffer.into_inner().into_vec::<f64>();
    let mut values = values.unwrap_or_else(|shared| shared.typed_data::<f64>().to_vec());
    let marks = nulls.filter(|nulls| nulls.null_count() > 0).map(|nulls| {
        let mut marks = vec![PRESENT; values.len()];
        for (row, _) in (0..values.len()).zip(nulls.iter()).filter(|(_, is_there)| !is_there) {
            (marks[row], values[row]) = (UNEXPLAINED, 0.0);
        }
        marks
    });
    Numbers { values, marks }
}

fn decode_names(array: &ArrayRef, interned: &Interned) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX - 1;
    let Some(array) = array.as_dictionary_opt::<Int32Type>() else { return Vec::new() };
    let Some(texts) = array.values().as_string_opt::<i32>() else { return Vec::new() };
    // Only the names used: a dictionary belongs to a whole row group.
    let mut ids = vec![UNSEEN; texts.len()];
    let mut id_of = |key: i32| {
        let Some(id) = ids.get_mut(key as usize) else { return NONE };
        if *id == UNSEEN {
            let at = key as usize;
            *id = if texts.is_null(at) { NONE } else { interned.id(texts.value(at)) };
        }
        *id
    };
    let keys: &Int32Array = array.keys();
    match keys.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => keys.values().iter().map(|key| id_of(*key)).collect(),
        Some(_) => keys.iter().map(|key| key.map_or(NONE, &mut id_of)).collect(),
    }
}

/// The bytes of texts; equal ones of neighbouring rows share theirs.
fn len_texts(texts: &Texts) -> usize {
    let shares = |one: &Option<Arc<str>>, other: &Option<Arc<str>>| match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    let len =
        texts.chunk_by(shares).map(|same| same.first().and_then(Option::as_ref).map_or(0, |text| text.len()));
    size_of::<Option<Arc<str>>>() * texts.len() + len.sum::<usize>()
}

/// Rows with one entry of the dictionary share its text.
fn decode_texts(array: &ArrayRef) -> Texts {
    let Some(array) = array.as_dictionary_opt::<Int32Type>() else { return Vec::new() };
    let Some(texts) = array.values().as_string_opt::<i32>() else { return Vec::new() };
    let mut shared: Vec<Option<Arc<str>>> = vec![None; texts.len()];
    let mut text_of = |key: Option<i32>| {
        let at = usize::try_from(key?).ok().filter(|at| *at < texts.len() && !texts.is_null(*at))?;
        Some(Arc::clone(shared[at].get_or_insert_with(|| texts.value(at).into())))
    };
    array.keys().iter().map(&mut text_of).collect()
}

/// Unsigned words as they are, signed ones as their bits.
fn decode_words(array: &ArrayRef) -> Vec<Option<u64>> {
    if let Some(words) = array.as_any().downcast_ref::<UInt32Array>() {
        return words.iter().map(|word| word.map(u64::from)).collect();
    }
    let words = array.as_any().downcast_ref::<Int32Array>();
    words
        .map(|words| words.iter().map(|word| word.map(|word| u64::from(word as u32))).collect())
        .unwrap_or_default()
}
