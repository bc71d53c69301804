//! Adding counters to a query and removing them (MS-PCQ 3.1.4.1.7).

use std::ops::Range;

use super::PerflibServer;
use super::population::{Population, is_single};
use super::query::{Asked, Named, WantedInstances};
use crate::conversation::{CounterProvider, QueryHandle};
use crate::{ANY_INSTANCE, CounterIdentifier, CounterIdentifiers, ReturnCode};

/// Offset of `Status` in an identifier (2.2.4.6).
const OFS_STATUS: usize = 16;
/// Offset of `Size`.
const OFS_SIZE: usize = 20;

impl<P: CounterProvider> PerflibServer<P> {
    /// Adds or removes the counters of the buffer, and writes each one's status into it.
    pub(super) fn validate(
        &mut self,
        query: QueryHandle,
        data: &mut [u8],
        is_adding: bool,
    ) -> Result<(), ReturnCode> {
        self.admit()?;
        let places = places(data)?;
        // Removing frees memory, and must be possible when there is none.
        if is_adding && !self.memory.has_room(data.len()) {
            return Err(ReturnCode::OUT_OF_MEMORY);
        }
        let population =
            if is_adding && self.needs_population(data, &places) { Some(self.look()) } else { None };
        for place in places {
            let identifier = data.get(place.clone()).unwrap_or_default();
            let status = if is_adding {
                self.add(query, identifier, population.as_ref())
            } else {
                self.remove(query, identifier)
            };
            let status = status.err().unwrap_or(ReturnCode::SUCCESS);
            if let Some(bytes) = data.get_mut(place.start + OFS_STATUS..place.start + OFS_SIZE) {
                bytes.copy_from_slice(&status.0.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Whether an instance is named: only then are the active ones needed.
    fn needs_population(&self, data: &[u8], places: &[Range<usize>]) -> bool {
        places.iter().any(|place| {
            let named = self.asked(data.get(place.clone()).unwrap_or_default());
            named.is_ok_and(|(asked, _)| asked.wanted == WantedInstances::One)
        })
    }

    fn add(
        &mut self,
        query: QueryHandle,
        identifier: &[u8],
        population: Option<&Result<Population, ReturnCode>>,
    ) -> Result<(), ReturnCode> {
        let (asked, at) = self.asked(identifier)?;
        if self.queries.get(&query).is_some_and(|query| query.has(&asked)) {
            return Err(ReturnCode::ALREADY_EXISTS);
        }
        if asked.wanted == WantedInstances::One {
            let info = self.provider.countersets().get(at).ok_or(ReturnCode::WMI_GUID_NOT_FOUND)?;
            let instances = match population {
                // "the provider ... returns an error, in which case the performance counter infrastructure passes the error
                // back to the client"
                Some(population) => population.as_ref().map_err(|code| *code)?.instances(at, info)?,
                None => &[],
            };
            asked.find(instances).ok_or(ReturnCode::PATH_NOT_FOUND)?;
        }
        if !self.memory.take(asked.len()) {
            return Err(ReturnCode::OUT_OF_MEMORY);
        }
        self.queries.entry(query).or_default().add(asked);
        Ok(())
    }

    /// "if the server cannot find the counter to delete from the query", `ERROR_INVALID_PARAMETER`. Counters
    /// whose instance or counterset has since disappeared can still be removed.
    fn remove(&mut self, query: QueryHandle, identifier: &[u8]) -> Result<(), ReturnCode> {
        let named = read(identifier)?;
        match self.queries.get_mut(&query).and_then(|query| query.remove(&named)) {
            Some(removed) => {
                self.memory.give_back(removed.len());
                Ok(())
            }
            None => Err(self.asked(identifier).err().unwrap_or(ReturnCode::INVALID_PARAMETER)),
        }
    }

    /// The request of an identifier, and the index of its counterset.
    fn asked(&self, identifier: &[u8]) -> Result<(Asked, usize), ReturnCode> {
        let named = read(identifier)?;
        let (at, info) = self.counterset(named.guid).ok_or(ReturnCode::WMI_GUID_NOT_FOUND)?;
        let mut counters = info.registration.counters.iter();
        if !named.any_counter() && !counters.any(|counter| counter.counter_id == named.counter_id) {
            return Err(ReturnCode::WMI_ITEMID_NOT_FOUND);
        }
        let wanted = match named.name.as_str() {
            ANY_INSTANCE => WantedInstances::Any,
            "" if is_single(info) => WantedInstances::Single,
            _ => WantedInstances::One,
        };
        // "a multiple-instance counter set ... MUST be followed by a null-terminated Unicode string"
        if !(named.is_terminated || is_single(info)) {
            return Err(ReturnCode::INVALID_PARAMETER);
        }
        Ok((Asked { named, wanted }, at))
    }
}

/// The range of each identifier.
///
/// Fails with `ERROR_INVALID_PARAMETER` if there isn't even one, or if "the size of a single
/// `_PERF_COUNTER_IDENTIFIER` structure ... is smaller than the expected size". The same applies if the next
/// one would not begin at a multiple of 8 bytes (2.2.4), because its position is then unknown. One that is
/// longer than the buffer is the last, and corrupt.
fn places(data: &[u8]) -> Result<Vec<Range<usize>>, ReturnCode> {
    let mut places = Vec::new();
    let mut start = 0;
    loop {
        let rest = data.get(start..).unwrap_or_default();
        let size: Option<[u8; 4]> = rest.get(OFS_SIZE..OFS_SIZE + 4).and_then(|bytes| bytes.try_into().ok());
        let size = size.map_or(0, u32::from_le_bytes) as usize;
        if rest.len() < CounterIdentifier::LEN || size < CounterIdentifier::LEN {
            return Err(ReturnCode::INVALID_PARAMETER);
        }
        places.push(start..start + size.min(rest.len()));
        if size >= rest.len() {
            return Ok(places);
        }
        if !size.is_multiple_of(8) {
            return Err(ReturnCode::INVALID_PARAMETER);
        }
        start += size;
    }
}

/// Reads an identifier. Fails with `ERROR_INVALID_PARAMETER` if it is corrupt: longer than the buffer, with a
/// size that isn't a multiple of 8, or with an invalid name.
fn read(identifier: &[u8]) -> Result<Named, ReturnCode> {
    let mut identifiers = CounterIdentifiers::parse(identifier, 0);
    let Some(Ok(found)) = identifiers.next() else { return Err(ReturnCode::INVALID_PARAMETER) };
    let name = found.name.to_string_lossy();
    if !found.name.is(&name) {
        return Err(ReturnCode::INVALID_PARAMETER);
    }
    Ok(Named {
        guid: found.guid,
        counter_id: found.counter_id,
        name,
        instance_id: found.instance_id,
        is_terminated: found.name.is_terminated,
    })
}
