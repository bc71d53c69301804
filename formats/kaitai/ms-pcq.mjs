// What a session of MS-PCQ messages holds, as the parser made of ms-pcq.ksy reads it.

const hex = (bytes) => Buffer.from(bytes ?? []).toString('hex');
const digits = (number, length) => number.toString(16).padStart(length, '0');
const guid = ({ data1, data2, data3, data4 }) =>
  [digits(data1, 8), digits(data2, 4), digits(data3, 4), hex(data4.slice(0, 2)), hex(data4.slice(2))].join('-');
const text = (units) => String.fromCharCode(...units.slice(0, -1));

/** Tells every message of an `ms_pcq`. */
export function tellSession({ messages }) {
  return messages.map((message) => ({
    opnum: message.opnum,
    request_code: message.requestCode,
    argument: message.argument,
    guid: guid(message.countersetGuid),
    return_code: message.returnCode,
    query: message.query,
    time: String(message.time),
    ...content(message),
  }));
}

/** The buffer, by what the generated parser made of it. */
function content({ buffer }) {
  switch (buffer.constructor.name) {
    case 'Guids':
      return { guids: buffer.guids.map(guid) };
    case 'Guid':
      return { guids: [guid(buffer)] };
    case 'Registration':
      return { counterset: counterset(buffer.counterset), counters: buffer.counters.map(counter) };
    case 'CounterRegInfo':
      return { counters: [counter(buffer)] };
    case 'Text':
      return { text: text(buffer.units) };
    case 'StringBuffer':
      return { texts: buffer.counters.map(({ counterId, units }) => [counterId, units ? text(units) : null]) };
    case 'InstanceList':
      return { instances: buffer.instances.map(instance) };
    case 'IdentifierList':
      return { identifiers: buffer.identifiers.map(identifier) };
    case 'QueryData':
      return { data: data(buffer) };
    default:
      return { bytes: hex(buffer) };
  }
}

function counterset(set) {
  return [guid(set.guid), set.countersetType, set.detailLevel, set.numCounters, set.instanceType];
}

function counter(it) {
  return [
    it.counterId, it.counterType, String(it.attributes), it.detailLevel, it.defaultScale, it.baseCounterId,
    it.perfTimeId, it.perfFreqId, it.multiId, it.aggregateFunc, it.reserved,
  ];
}

const instance = ({ instanceId, name }) => [instanceId, text(name.units)];

function identifier(it) {
  const name = it.name === undefined ? '' : text(it.name.units);
  return [guid(it.guid), it.status, it.counterId, it.instanceId, it.index, it.reserved, name];
}

function data(it) {
  return {
    clocks: [it.perfTimeStamp, it.perfTime100ns, it.perfFreq].map(String),
    system_time: it.systemTime,
    blocks: it.blocks.map(block),
  };
}

/** A block as counter ids and rows: an instance (null: none) and its values. */
function block({ status, blockType, content }) {
  const values = (row) => row.map(({ value }) => hex(value));
  const rows = (instances) => instances.map((row) => [instance(row.instance), values(row.values)]);
  const told = (ids, rows) => ({ status, type: blockType, ids, rows });
  switch (content.constructor.name) {
    case 'CounterData':
      return told(null, [[null, values([content])]]);
    case 'MultiCounters':
      return told(content.counters.ids, [[null, values(content.values)]]);
    case 'MultiInstances':
      return told(null, rows(content.instances));
    case 'Counterset':
      return told(content.counters.ids, rows(content.instances));
    default:
      return told(null, []);
  }
}
