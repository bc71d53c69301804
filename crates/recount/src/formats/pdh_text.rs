//! PDH-CSV and PDH-TSV.

use std::sync::Arc;

use recount_model::Source;
use recount_pdh_text::{PdhText, PdhTextError, PdhTextOptions, RowFault};

use super::{BoxError, Dump, Format, NamedContent, single};
use crate::OpenOptions;
use crate::pack::Structure;

pub(crate) static FORMAT: Format = Format {
    name: "PDH text (CSV or TSV)",
    plural: "PDH-CSV/TSV",
    recognise: PdhText::recognise,
    series: None,
    is_head: None,
    open,
    dump: Dump::Text,
    structure: |_| Structure::Plain,
    hint,
};

fn open(files: Vec<NamedContent>, options: &OpenOptions) -> Result<Arc<dyn Source>, BoxError> {
    let (_, content) = single(files)?;
    let options = PdhTextOptions {
        code_page: options.code_page,
        zone: options.zone.as_ref().map(|zone| zone.rules().clone()),
    };
    Ok(Arc::new(PdhText::open(content, &options)?))
}

fn hint(error: &BoxError) -> &'static str {
    match error.downcast_ref() {
        Some(PdhTextError::NoSamples { fault, .. }) => match fault {
            RowFault::Missing => "nothing was recorded, or the rows were lost: use the original file",
            RowFault::CutOff => "the file is cut off: use the original file",
            RowFault::Returns => "give all lines the same end: CR LF, as relog writes them",
            RowFault::NoDate => {
                "a spreadsheet may have saved times without their dates: use the original file, or show the \
                 first column as yyyy-mm-dd hh:mm:ss and save again"
            }
            RowFault::TooManyValues => {
                "the header may have lost columns, or values with decimal commas lack their quotes: use the original file"
            }
            _ => {
                "the first column has to be a date and a time: show it as yyyy-mm-dd hh:mm:ss and save again"
            }
        },
        Some(PdhTextError::CutName { .. }) => {
            "put quotes around the names in the header, or around the one that the separator has cut in two"
        }
        _ => {
            "the header has to be relog's, in one line: \"(PDH-CSV 4.0) (zone)(bias)\",\"\\\\host\\object(instance)\\counter\",..."
        }
    }
}
