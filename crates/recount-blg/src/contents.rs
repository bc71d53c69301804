//! What a log consists of, in the order in which it was recorded: for programs that write it again.

use std::collections::BTreeMap;

use recount_model::{Content, Health, NameTable};

use crate::error::BlgError;
use crate::index::{BlockRef, Index};
use crate::message::Message;
use crate::structure::DATA_BLOCK;
use crate::structure::counter_list::Entry;
use crate::structure::name_table::NameTables;
use crate::structure::trace_header::TraceHeader;

/// The messages of a log that its values follow from.
pub struct LogContents {
    /// The trace header; `None` if it is damaged.
    pub header: Option<TraceHeader>,
    /// Names of objects and counters by machine, in lower case and without backslashes.
    pub names: BTreeMap<String, NameTable>,
    /// The counter lists.
    pub lists: Vec<Vec<Entry>>,
    /// The data blocks in the order of recording. Of several processors, those of one epoch are in the order of time.
    pub blocks: Vec<RecordedBlock>,
    /// What could not be read.
    pub health: Health,
}

/// A data block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedBlock {
    /// Its message.
    pub message: Message,
    /// Which of the counter lists its records follow.
    pub list: usize,
}

impl LogContents {
    /// Reads everything but the data blocks, which are only found.
    pub fn read(content: &dyn Content) -> Result<LogContents, BlgError> {
        let Index { header, plans, name_tables, mut blocks, extents, mut health, .. } = Index::scan(content)?;
        let names = NameTables::read(&name_tables, content, &mut health).into_tables();
        let is_of_one = blocks.windows(2).all(|pair| pair[0].processor() == pair[1].processor());
        if is_of_one {
            blocks.sort_by_key(|block| block.extents.start);
        } else {
            blocks.sort_by_key(|block| (block.epoch, block.time.utc));
        }
        let recorded = |block: BlockRef| RecordedBlock {
            message: Message {
                kind: DATA_BLOCK,
                local: block.local,
                extents: extents[block.extents].to_vec(),
            },
            list: block.list,
        };
        let lists = plans.into_iter().map(|plan| plan.entries).collect();
        Ok(LogContents { header, names, lists, blocks: blocks.into_iter().map(recorded).collect(), health })
    }
}
