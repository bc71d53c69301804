// What logs of sysstat and atop hold, as the parsers made of sa.ksy and atop.ksy read them.

import { inflateSync } from 'node:zlib';

const CONTEXT_SWITCHES = 2;

/** Tells the records of an `sa`; of samples, also the first number of the activity of context switches. */
export function tellSa({ magic, body }) {
  const isLittle = magic[0] === 0x96;
  const switches = ({ items }) => {
    const content = items.find(({ activity }) => activity.id === CONTEXT_SWITCHES)?.content;
    return content && String(Buffer.from(content)[isLittle ? 'readBigUInt64LE' : 'readBigUInt64BE']());
  };
  const isSample = ({ head }) => [1, 3].includes(head.kind);
  const samples = body.records.filter(isSample);
  return {
    host: body.header.nodename,
    version: body.version,
    activities: body.activities.map(({ id }) => id),
    times: samples.map(({ head }) => String(head.time)),
    items: samples.map(({ items }) => items.map(({ num }) => num)),
    switches: samples.map(switches),
    restarts: body.records.filter(({ head }) => head.kind === 2).length,
    comments: body.records.filter(({ head }) => head.kind === 4).map(({ comment }) => comment),
  };
}

/** Tells the samples of an `atop`, and how long their parts are unpacked. */
export function tellAtop({ header, samples }) {
  const len = (part) => (part?.length ? inflateSync(part).length : 0);
  return {
    host: header.host,
    minor: header.minor,
    page_size: header.pageSize,
    len_system: header.lenSystem,
    len_task: header.lenTask,
    samples: samples.map((sample) => ({
      time: String(sample.time),
      interval: sample.interval,
      tasks: sample.numTasks,
      system_len: len(sample.systemPart),
      task_len: len(sample.taskPart),
      cgroup_len: len(sample.cgroupPart),
    })),
  };
}
