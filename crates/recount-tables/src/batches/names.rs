//! Dictionaries of names.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_schema::ArrowError;

/// The distinct names of one column of a slice. A new one for each slice keeps memory bounded; the writers
/// don't need permanent dictionaries.
#[derive(Debug, Default)]
pub(crate) struct Names {
    keys: HashMap<Arc<str>, i32>,
    values: Vec<Arc<str>>,
}

impl Names {
    /// The key of a name.
    pub(crate) fn key(&mut self, name: &str) -> i32 {
        if let Some(&key) = self.keys.get(name) {
            return key;
        }
        // A slice with 2^31 different names would far exceed memory.
        let key = self.values.len() as i32;
        let name: Arc<str> = name.into();
        self.values.push(Arc::clone(&name));
        self.keys.insert(name, key);
        key
    }

    /// The names in the order of their keys.
    pub(crate) fn values(&self) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(&self.values))
    }
}

/// A column of names.
pub(crate) fn dictionary(keys: Int32Array, values: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(values))?))
}
