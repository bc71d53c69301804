// What is counted of a .blg.

import { countBlock } from './perf-data-block.mjs';

/** Counts a `blg`. */
export function countLog(log) {
  const counts = {
    num_buffers: log.buffers.length,
    num_bytes_torn: log.torn.length,
    trace_headers: [],
    num_other_events: 0,
    events: {},
    num_fragments: 0,
    len_fragments: 0,
    num_names: 0,
    last_name: null,
    entries: [],
    num_blocks: 0,
    records: {},
    num_instances: 0,
    instance_names: {},
    sum_first: 0n,
    sum_second: 0n,
    objects: [],
    catalogs: [],
    first_time: null,
    last_time: null,
  };
  for (const { content } of log.buffers) {
    for (const { body } of content.event ?? []) {
      countEvent(body.content, counts);
    }
  }
  const decimal = (value) => (typeof value === 'bigint' ? String(value) : value);
  return Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, decimal(value)]));
}

function countEvent(event, counts) {
  if (event.header !== undefined) {
    counts.trace_headers.push(traceHeader(event.header));
    return;
  }
  const pdh = event.content;
  if (pdh?.payload === undefined) {
    counts.num_other_events += 1;
    return;
  }
  bump(counts.events, event.messageType);
  counts.first_time ??= event.time;
  counts.last_time = event.time;
  if (!pdh.isWhole) {
    counts.num_fragments += 1;
    counts.len_fragments += pdh.payload.length;
    return;
  }
  const count = { 0x20: countList, 0x22: countDataBlock, 0x23: countCatalog, 0x24: countNames }[event.messageType];
  count?.(pdh.payload, counts);
}

function traceHeader(header) {
  return {
    os: [...header.osVersion.slice(0, 2), header.osBuild].join('.'),
    len_pointer: header.lenPointer,
    num_buffers: header.numBuffers,
    bias: header.timeZone.bias,
    standard_name: header.timeZone.standardName,
    daylight_month: header.timeZone.daylightDate.month,
    boot_time: String(header.bootTime),
    perf_freq: String(header.perfFreq),
    start_time: String(header.startTime),
    end_time: String(header.endTime),
    logger_name: header.loggerName,
    file_name: header.fileName,
  };
}

function countNames(table, counts) {
  counts.num_names += table.names.length;
  const last = table.names.at(-1);
  counts.last_name = [table.machine, last.index, last.name];
}

function countList(list, counts) {
  for (const { content: entry } of list.entries) {
    counts.entries.push({
      kind: entry.kind,
      counter_type: entry.counterType,
      time_base: String(entry.timeBase),
      default_scale: entry.defaultScale,
      machine: entry.machine,
      object: entry.object,
      parent: entry.parent ?? null,
      instance: entry.instance ?? null,
      index: entry.instanceIndex,
      counter: entry.counter,
    });
  }
}

function countDataBlock(block, counts) {
  counts.num_blocks += 1;
  for (const { head, content } of block.content.records) {
    bump(counts.records, head.kind);
    const values = { 1: [content], 2: content.items }[head.kind] ?? [];
    for (const { firstValue, secondValue } of values) {
      counts.sum_first = BigInt.asUintN(64, counts.sum_first + firstValue);
      counts.sum_second = BigInt.asUintN(64, counts.sum_second + secondValue);
    }
    if (head.kind === 2) {
      counts.num_instances += content.items.length;
      content.items.forEach((item) => bump(counts.instance_names, item.name));
    } else if (head.kind === 5) {
      counts.objects.push(countBlock(content));
    }
  }
}

function countCatalog(catalog, counts) {
  const records = catalog.records.map(({ content }) => ({
    name_indexes: content.nameIndexes,
    counter_types: content.counterTypes,
    time_bases: content.timeBases.map(String),
    default_scales: content.defaultScales,
    instances: content.instances.map((instance) => [instance.name, instance.number]),
  }));
  const { firstTime, lastTime, numBlocks } = catalog;
  counts.catalogs.push({
    first_time: String(firstTime),
    last_time: String(lastTime),
    num_blocks: numBlocks,
    records,
  });
}

function bump(counts, key) {
  counts[key] = (counts[key] ?? 0) + 1;
}
