//! One Parquet file, opened for reading.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::PageIndexPolicy;
use recount_model::Content;

use super::TableInputError;
use super::content_reader::ContentReader;
use super::damaged_page::placed;
use super::guard::{guarded, has_sound_pages};
use super::interned::Interned;
use super::rows::{DecodedColumn, DecodedRows, decode};
use crate::captures::CATALOGUE_KEY;
use crate::error::said;
use crate::footer_checksum::mismatch;
use crate::schema::{self, Kind};

/// A column to be read: its position in the file, and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ColumnRequest {
    pub(super) column: usize,
    pub(super) kind: Kind,
}

/// An opened file.
pub(super) struct ParquetInput {
    /// The name given by the caller.
    pub(super) name: String,
    reader: ContentReader,
    metadata: ArrowReaderMetadata,
    /// Rows of each row group.
    groups: Vec<Range<u64>>,
}

impl ParquetInput {
    /// Reads the footer.
    pub(super) fn open(name: String, content: Arc<dyn Content>) -> Result<ParquetInput, TableInputError> {
        let reader = ContentReader(content);
        let metadata = guarded(|| load(&reader))
            .map_err(in_our_words)
            .map_err(|source| TableInputError::Parquet { file: name.clone(), source })?;
        let mut end = 0_u64;
        let groups = metadata.metadata().row_groups().iter().map(|group| {
            let start = end;
            end = end.saturating_add(u64::try_from(group.num_rows()).unwrap_or(0));
            start..end
        });
        let groups = groups.collect();
        let input = ParquetInput { name, reader, metadata, groups };
        let entries = input.metadata.metadata().file_metadata().key_value_metadata();
        if let Some((stated, computed)) = entries.and_then(|entries| mismatch(entries)) {
            return Err(TableInputError::Metadata { file: input.name, stated, computed });
        }
        match input.metadata(CATALOGUE_KEY) {
            Some(_) => Err(TableInputError::Catalogue { file: input.name }),
            None => Ok(input),
        }
    }

    /// Rows of each row group.
    pub(super) fn groups(&self) -> &[Range<u64>] {
        &self.groups
    }

    /// Rows of the whole file.
    pub(super) fn num_rows(&self) -> u64 {
        self.groups.last().map_or(0, |group| group.end)
    }

    /// A value of the footer's metadata.
    pub(super) fn metadata(&self, key: &str) -> Option<&str> {
        let entries = self.metadata.metadata().file_metadata().key_value_metadata()?;
        entries.iter().find(|entry| entry.key == key)?.value.as_deref()
    }

    /// Whether it has a column of a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.column(name).is_some()
    }

    /// Place of a column, and its type.
    fn column(&self, name: &str) -> Option<(usize, &DataType)> {
        let (at, field) = self.metadata.schema().column_with_name(name)?;
        Some((at, field.data_type()))
    }

    /// A column that may be missing, but not have another type.
    pub(super) fn optional(&self, column: schema::Column) -> Result<Option<ColumnRequest>, TableInputError> {
        self.find(column.name, column.kind)
    }

    fn find(&self, name: &str, kind: Kind) -> Result<Option<ColumnRequest>, TableInputError> {
        match self.column(name) {
            None => Ok(None),
            Some((column, data_type)) if kind.takes(data_type) => Ok(Some(ColumnRequest { column, kind })),
            Some((_, data_type)) => Err(TableInputError::ColumnType {
                file: self.name.clone(),
                column: name.into(),
                expected: kind.expected(),
                found: data_type.to_string(),
            }),
        }
    }

    /// A required column.
    pub(super) fn required(&self, column: schema::Column) -> Result<ColumnRequest, TableInputError> {
        self.optional(column)?.ok_or_else(|| self.no_column(column.name, column.kind.expected()))
    }

    /// The required column of a counter's values.
    pub(super) fn values(&self, name: &str) -> Result<ColumnRequest, TableInputError> {
        let kind = schema::VALUE.kind;
        self.find(name, kind)?.ok_or_else(|| self.no_column(name, kind.expected()))
    }

    /// The column of a counter's texts, which may be missing.
    pub(super) fn texts(&self, name: &str) -> Result<Option<ColumnRequest>, TableInputError> {
        self.find(name, schema::TEXT.kind)
    }

    /// The error for a missing column.
    pub(super) fn no_column(&self, name: &str, expected: &'static str) -> TableInputError {
        const MAX_NAMED: usize = 12;
        let fields = self.metadata.schema().fields();
        let mut found: Vec<String> =
            fields.iter().take(MAX_NAMED).map(|field| format!("`{}`", field.name())).collect();
        if fields.len() > MAX_NAMED {
            found.push(format!("and {} more", fields.len() - MAX_NAMED));
        }
        TableInputError::NoColumn {
            file: self.name.clone(),
            column: name.into(),
            expected,
            found: found.join(", "),
        }
    }

    /// Decodes rows, given as ascending ranges that don't overlap.
    pub(super) fn read(
        &self,
        rows: &[Range<u64>],
        wanted: &[ColumnRequest],
        names: &Interned,
    ) -> Result<DecodedRows, ParquetError> {
        guarded(|| self.decode(rows, wanted, names))
    }

    fn decode(
        &self,
        rows: &[Range<u64>],
        wanted: &[ColumnRequest],
        names: &Interned,
    ) -> Result<DecodedRows, ParquetError> {
        let mut all = DecodedRows::empty(wanted.iter().map(|wanted| wanted.kind));
        let columns: Vec<usize> = wanted.iter().map(|wanted| wanted.column).collect();
        let mut rest = rows;
        for (at, group) in self.groups.iter().enumerate() {
            while rest.first().is_some_and(|rows| rows.end <= group.start) {
                rest = &rest[1..];
            }
            let inside: Vec<Range<usize>> = rest
                .iter()
                .take_while(|rows| rows.start < group.end)
                .map(|rows| rows.start.max(group.start)..rows.end.min(group.end))
                .map(|rows| (rows.start - group.start) as usize..(rows.end - group.start) as usize)
                .filter(|rows| !rows.is_empty())
                .collect();
            let num_rows = inside.iter().map(ExactSizeIterator::len).sum();
            if num_rows == 0 {
                continue;
            }
            let mut num_read = 0;
            for batch in self.batches(at, &inside, &columns, num_rows)? {
                let batch = batch?;
                let num_rows = batch.num_rows();
                num_read += num_rows;
                all.append_decoded(num_rows, Self::decode_batch(batch, wanted, names)?);
            }
            if num_read != num_rows {
                let what = format!("expected {num_rows} rows in row group {at}, found {num_read}");
                return Err(ParquetError::General(what));
            }
            if inside.last().is_some_and(|rows| rows.end as u64 == group.end - group.start) {
                self.release(at, &columns);
            }
        }
        Ok(all)
    }

    /// Batches of rows of one row group.
    pub(super) fn batches(
        &self,
        group: usize,
        rows: &[Range<usize>],
        columns: &[usize],
        batch_rows: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, ParquetError>>, ParquetError> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.reader.clone(), self.metadata.clone());
        let reader = builder
            .with_row_groups(vec![group])
            .with_projection(mask)
            .with_row_selection(selection(rows))
            .with_batch_size(batch_rows)
            .build()?;
        let (bytes, metadata) = (self.reader.0.bytes(), self.metadata.metadata());
        Ok(reader
            .map(move |batch| batch.map_err(|error| placed(error.into(), bytes, metadata, group, columns))))
    }

    /// The requested columns of a batch, which has them in the order of the file.
    fn decode_batch(
        batch: RecordBatch,
        wanted: &[ColumnRequest],
        names: &Interned,
    ) -> Result<Vec<DecodedColumn>, ParquetError> {
        let mut in_file: Vec<usize> = wanted.iter().map(|wanted| wanted.column).collect();
        in_file.sort_unstable();
        let (_, columns, _) = batch.into_parts();
        let mut columns: Vec<Option<ArrayRef>> = columns.into_iter().map(Some).collect();
        let column = |wanted: &ColumnRequest| {
            let at = in_file.binary_search(&wanted.column).ok();
            let array = at.and_then(|at| columns.get_mut(at)?.take());
            let array = array.filter(|array| wanted.kind.takes(array.data_type()));
            let array = array.ok_or_else(|| {
                ParquetError::General(format!("column {} can't be read as {:?}", wanted.column, wanted.kind))
            })?;
            Ok(decode(array, wanted.kind, names))
        };
        wanted.iter().map(column).collect()
    }

    /// Releases the pages of columns that were read to the end of a row group.
    pub(super) fn release(&self, group: usize, columns: &[usize]) {
        let chunks = self.metadata.metadata().row_group(group).columns();
        for chunk in columns.iter().filter_map(|column| chunks.get(*column)) {
            let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
            let (start, len) = (usize::try_from(start), usize::try_from(chunk.compressed_size()));
            if let (Ok(start), Ok(len)) = (start, len) {
                let end = start.saturating_add(len).min(self.reader.0.bytes().len());
                self.reader.0.release(start.min(end)..end);
            }
        }
    }
}

/// The rows in ranges.
fn selection(rows: &[Range<usize>]) -> RowSelection {
    let mut selectors = Vec::with_capacity(2 * rows.len());
    let mut at = 0;
    for rows in rows {
        if rows.start > at {
            selectors.push(RowSelector::skip(rows.start - at));
        }
        selectors.push(RowSelector::select(rows.len()));
        at = rows.end;
    }
    selectors.into()
}

/// A text that isn't one: the decoder says only at which byte of it.
fn in_our_words(error: ParquetError) -> ParquetError {
    let said = said(&error);
    if !said.contains("utf-8") {
        return error;
    }
    ParquetError::General(format!(
        "expected names in UTF-8 in the footer, found other bytes ({said}): it is damaged; copy the file anew, or write it \
         again from the capture"
    ))
}

/// The footer, with page positions. Any kind of text is read as a dictionary of names.
fn load(reader: &ContentReader) -> Result<ArrowReaderMetadata, ParquetError> {
    let with = |policy| ArrowReaderOptions::new().with_offset_index_policy(policy);
    let mut policy = PageIndexPolicy::Optional;
    let mut metadata = ArrowReaderMetadata::load(reader, with(policy))?;
    if !has_sound_pages(metadata.metadata()) {
        policy = PageIndexPolicy::Skip;
        metadata = ArrowReaderMetadata::load(reader, with(policy))?;
    }
    let as_read = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Arc::new(field.as_ref().clone().with_data_type(Kind::Name.data_type()))
        }
        DataType::Dictionary(_, value) if value.is_string() => {
            Arc::new(field.as_ref().clone().with_data_type(Kind::Name.data_type()))
        }
        _ => Arc::clone(field),
    };
    let fields: Vec<Arc<Field>> = metadata.schema().fields().iter().map(as_read).collect();
    if fields.as_slice() == metadata.schema().fields().as_ref() {
        return Ok(metadata);
    }
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata.schema().metadata().clone()));
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), with(policy).with_schema(schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_text_are_damage() {
        let decoder = std::io::Error::other("invalid utf-8 sequence of 1 bytes from index 3");
        let said = in_our_words(ParquetError::External(Box::new(decoder))).to_string();
        assert!(said.contains("in the footer") && said.contains("copy the file anew"), "{said}");
        let other = ParquetError::General("x".to_owned());
        assert_eq!(in_our_words(other).to_string(), "Parquet error: x");
    }
}
