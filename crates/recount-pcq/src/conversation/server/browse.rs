//! Methods without state: the countersets, their information, and their instances.

use super::{PerflibServer, reply};
use crate::conversation::{CounterProvider, CounterTexts, CountersetInfo, RESOURCE_LANG_NOT_FOUND, Reply};
use crate::{CounterRegInfo, Guid, InstanceBuf, Registration, ReturnCode, StringTableBuf, Text, request};

/// `RequestLCID` of the server's default language (3.1.4.1.2).
const DEFAULT_LANGUAGE: u32 = 0;
/// English (United States), the language of all texts.
const ENGLISH: u32 = 0x0409;

impl<P: CounterProvider> PerflibServer<P> {
    /// 3.1.4.1.1. `*pdwOutSize` is 0 if the buffer hasn't room for all.
    pub(super) fn guids(&self, num_room: u32) -> Result<Reply, ReturnCode> {
        self.admit()?;
        let infos = self.provider.countersets();
        let num_guids = u32::try_from(infos.len()).unwrap_or(u32::MAX);
        if num_guids > num_room {
            return Ok(Reply { rtn_size: num_guids, ..Reply::failed(ReturnCode::NOT_ENOUGH_MEMORY) });
        }
        if !self.memory.has_room(infos.len() * Guid::LEN) {
            return Err(ReturnCode::OUT_OF_MEMORY);
        }
        let mut data = Vec::new();
        for info in infos {
            info.registration.set.guid.write(&mut data);
        }
        Ok(Reply { return_code: ReturnCode::SUCCESS, out_size: num_guids, rtn_size: num_guids, data })
    }

    /// 3.1.4.1.2.
    pub(super) fn registration_info(
        &self,
        guid: Guid,
        request_code: u32,
        request_lcid: u32,
    ) -> Result<Vec<u8>, ReturnCode> {
        self.admit()?;
        let code = u16::try_from(request_code).map_err(|_| ReturnCode::INVALID_PARAMETER)?;
        if !(request::COUNTER_SET..=request::ENGLISH_COUNTER_NAMES).contains(&code) {
            return Err(ReturnCode::INVALID_PARAMETER);
        }
        let (_, info) = self.counterset(guid).ok_or(ReturnCode::WMI_GUID_NOT_FOUND)?;
        let is_localised = (request::SET_NAME..=request::COUNTER_DESCRIPTIONS).contains(&code);
        if is_localised && ![DEFAULT_LANGUAGE, ENGLISH].contains(&request_lcid) {
            return Err(RESOURCE_LANG_NOT_FOUND);
        }
        let mut data = Vec::new();
        match code {
            request::COUNTER_SET => registration(info).write(&mut data),
            request::COUNTER => {
                // "RequestLCID specifies the counter ID."
                let counter =
                    info.registration.counters.iter().find(|known| known.counter_id == request_lcid);
                counter.ok_or(ReturnCode::WMI_ITEMID_NOT_FOUND)?.write(&mut data);
            }
            request::SET_NAME | request::ENGLISH_SET_NAME => data = Text::encode(&info.name),
            request::SET_DESCRIPTION => data = Text::encode(&info.description),
            request::COUNTER_DESCRIPTIONS => texts(info, |texts| &texts.description).write(&mut data),
            request::PROVIDER_NAME | request::PROVIDER_GUID if info.provider_guid == Guid::default() => {
                // "if it cannot find the GUID of the provider to which the counterset belongs"
                return Err(ReturnCode::WMI_GUID_NOT_FOUND);
            }
            request::PROVIDER_NAME => data = Text::encode(&info.provider_name),
            request::PROVIDER_GUID => info.provider_guid.write(&mut data),
            // COUNTER_NAMES and ENGLISH_COUNTER_NAMES: the range was checked above.
            _ => texts(info, |texts| &texts.name).write(&mut data),
        }
        Ok(data)
    }

    /// 3.1.4.1.3.
    pub(super) fn instances(&mut self, guid: Guid, dw_in_size: u32) -> Result<Reply, ReturnCode> {
        self.admit()?;
        let (at, _) = self.counterset(guid).ok_or(ReturnCode::WMI_GUID_NOT_FOUND)?;
        let population = self.look()?;
        let info = self.provider.countersets().get(at).ok_or(ReturnCode::WMI_GUID_NOT_FOUND)?;
        let instances = match population.instances(at, info) {
            Err(ReturnCode::WMI_INVALID_REGINFO) => return Err(ReturnCode::WMI_INVALID_REGINFO),
            // "no active instances of the counterset whose information can be returned"
            Ok([]) | Err(_) => return Err(ReturnCode::WMI_INSTANCE_NOT_FOUND),
            Ok(instances) => instances,
        };
        let mut data = Vec::new();
        for instance in instances {
            InstanceBuf::new(instance.id, instance.name.as_str()).write(&mut data);
        }
        let len = data.len();
        let reply = reply(Ok(data), dw_in_size);
        let is_made = reply.return_code.is_success();
        if is_made && !self.memory.has_room(len) { Err(ReturnCode::OUT_OF_MEMORY) } else { Ok(reply) }
    }
}

/// "The number of `_PERF_COUNTER_REG_INFO` structures MUST be equal to the `NumCounters` field" (3.1.4.1.2).
fn registration(info: &CountersetInfo) -> Registration {
    let mut registration = info.registration.clone();
    registration.set.num_counters = registration.counters.len() as u32;
    registration
}

/// "`dwCounters`: the total number of counters in the counterset" (2.2.4.3): one without a text has an empty one.
fn texts(info: &CountersetInfo, text: impl Fn(&CounterTexts) -> &String) -> StringTableBuf {
    let counters = info.registration.counters.iter().enumerate();
    let entry = |(at, counter): (usize, &CounterRegInfo)| {
        (counter.counter_id, info.counters.get(at).map(&text).cloned().unwrap_or_default())
    };
    StringTableBuf { entries: counters.map(entry).collect() }
}
