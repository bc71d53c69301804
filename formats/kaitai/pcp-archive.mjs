// What a file of a PCP archive holds, as the parser made of pcp-archive.ksy reads it.

import { TextDecoder } from 'node:util';

const NO_DOMAIN = 0xffffffff;
const CHANGES = 6;

/**
 * Lists the records in the order of the file, each as the lines of `recount dump` without their offsets: a heading, or a
 * name and a value. Texts are marked as such, since the dump escapes them.
 */
export function tellArchive(root) {
  const { label, version, isMeta, isIndex } = root;
  if (isIndex) {
    return [head(label, version), ...root.entries.map((entry) => tellEntry(entry, version))];
  }
  // Offsets of blocks are from the start of the file.
  let ofs = label.lenRecord;
  const tell = ({ body, lenRecord }) => {
    const lines = isMeta ? tellMeta(body, version) : tellData(body, version, ofs);
    ofs += lenRecord;
    return lines;
  };
  return [head(label, version), ...root.records.map(tell)];
}

function head(label, version) {
  return [
    ['label'],
    ['magic and version', hex(label.magic)],
    ['process id of the writer', label.pid],
    ['time', shown(label.time, version)],
    ['volume', label.volume],
    ...(version === 3 ? [['feature bits', hex(label.features)]] : []),
    ['host', { text: label.host }],
    ['time zone', { text: label.zone }],
    ...(version === 3 ? [['name of the zone', { text: label.zoneName }]] : []),
  ];
}

function tellEntry(entry, version) {
  const { time, volume } = entry;
  const meta = hex(entry.ofsMeta2 ?? entry.ofsMeta3, 0);
  const data = hex(entry.ofsVolume2 ?? entry.ofsVolume3, 0);
  return [[`index entry: ${shown(time, version)}, volume ${volume}, .meta from ${meta}, volume from ${data}`]];
}

function tellMeta({ kind, content }, version) {
  switch (kind) {
    case 1:
      return tellMetric(content);
    case 2:
    case 5:
    case CHANGES:
      return tellDomain(content, version, kind === CHANGES);
    case 3:
    case 7:
      return tellLabels(content, version);
    case 4:
      return [['help text'], ['kind', content.kind], ['id', hex(content.id)], ['text', { text: content.text }]];
    default:
      return [[`record of unknown type ${kind}`]];
  }
}

function tellMetric(metric) {
  const names = new Set(metric.names.map(({ text }) => text).filter((name) => name !== ''));
  return [
    ['metric'],
    ['metric id', metricId(metric.id)],
    ['value type', metric.valueType],
    ['instance domain', domainId(metric.domain)],
    ['semantics', metric.semantics],
    ['units', hex(metric.units)],
    ['number of names', metric.numNames],
    ...[...names].map((name) => ['name', { text: name }]),
  ];
}

function tellDomain(domain, version, isChange) {
  const utf8 = new TextDecoder();
  const name = (ofs) => {
    if (ofs === -1 && isChange) {
      return 'gone';
    }
    const end = domain.names.indexOf(0, ofs);
    return { text: utf8.decode(domain.names.slice(ofs, end < 0 ? undefined : end)) };
  };
  const heading = `instance domain${isChange ? ', changes' : ''}: ${domainId(domain.id)} from ${shown(domain.time, version)}`;
  return [[heading], ...domain.instances.map((instance, at) => [String(instance), name(domain.ofsNames[at])])];
}

function tellLabels(labels, version) {
  const of = (instance) => (instance === -1 ? '' : ` of instance ${instance}`);
  return [
    ['labels'],
    ['time', shown(labels.time, version)],
    ['level', labels.level],
    ['id', hex(labels.id)],
    ['number of sets', labels.numSets],
    ...labels.sets.map(({ instance, json }) => [`labels${of(instance)}`, { text: json }]),
  ];
}

function tellData({ time, numSets, sets }, version, ofs) {
  if (numSets === 0) {
    return [[`mark at ${shown(time, version)}`]];
  }
  const tell = ({ metric, numValues, format, values }) => [
    [`metric ${metricId(metric)}: ${numValues} values, format ${format ?? 0}`],
    ...(values ?? []).map((value) => tellValue(value, ofs)),
  ];
  return [[`data record of ${shown(time, version)}, ${numSets} value sets`], ...sets.flatMap(tell)];
}

const MAX_BYTES = 64;

function tellValue({ instance, word, format, block }, ofs) {
  const name = instance === -1 ? 'value' : `instance ${instance}`;
  if (format === 0) {
    return [name, hex(word)];
  }
  const shown = Array.from(block.value.slice(0, MAX_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const more = block.value.length > MAX_BYTES ? ` ... (${block.value.length} bytes)` : '';
  return [name, `at ${hex(ofs + 4 * word - 8, 0)}, type ${block.valueType}: ${shown}${more}`];
}

function hex(number, len = 8) {
  return `0x${number.toString(16).padStart(len, '0')}`;
}

function metricId({ agent, cluster, item }) {
  return `${agent}.${cluster}.${item}`;
}

function domainId({ word, agent, serial }) {
  return word === NO_DOMAIN ? 'none' : `${agent}.${serial}`;
}

/** A time as RFC 3339 writes it, with the digits that it has. */
function shown(time, version) {
  const seconds = version === 2 ? time.seconds : time.secondsHigh * 2 ** 32 + time.secondsLow;
  const nanos = version === 2 ? time.micros * 1000 : time.nanos;
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction}Z`;
}
