// What logs of sysstat and atop hold, as the parsers made of sa.ksy and atop.ksy read them.

import { inflateSync } from 'node:zlib';

const CONTEXT_SWITCHES = { id: 2, magic: 0x8b };

/** Tells the records of an `sa`: of samples, how many structures each activity has, and the number of context switches. */
export function tellSa({ magic, body }) {
  const isLittle = magic[0] === 0x96;
  const switches = ({ items }) => {
    const isIt = ({ activity: { id, magic } }) => id === CONTEXT_SWITCHES.id && magic === CONTEXT_SWITCHES.magic;
    const content = items.find(isIt)?.content;
    return content ? String(Buffer.from(content)[isLittle ? 'readBigUInt64LE' : 'readBigUInt64BE']()) : null;
  };
  const isSample = ({ head }) => [1, 3].includes(head.kind);
  const samples = body.records.filter(isSample);
  return {
    host: body.header.nodename,
    version: body.version.slice(0, 3).join('.'),
    activities: body.activities.map(({ id }) => id),
    kinds: body.records.map(({ head }) => head.kind),
    times: samples.map(({ head }) => String(head.time)),
    items: samples.map(({ items }) => items.map(({ num, activity }) => num * activity.numItemsBelow)),
    switches: samples.map(switches),
    comments: body.records.filter(({ head }) => head.kind === 4).map(({ comment }) => comment),
  };
}

// Where formats/atop.md has these in the structures that are packed.
const OFS_CONTEXT_SWITCHES = 16;
const OFS_PID = 4;

/** Tells the samples of an `atop`: what their headers say, how long their parts are unpacked, context switches and processes. */
export function tellAtop({ header, samples }) {
  const unpacked = (part) => (part?.length ? inflateSync(part) : Buffer.alloc(0));
  const pids = (tasks) => {
    const num = tasks.length / header.lenTask;
    return Array.from({ length: num }, (_, at) => tasks.readInt32LE(at * header.lenTask + OFS_PID));
  };
  const tell = (sample) => {
    const [system, tasks, cgroups] = [sample.systemPart, sample.taskPart, sample.cgroupPart].map(unpacked);
    return {
      time: String(sample.time),
      flags: sample.flags,
      interval: sample.interval,
      num_tasks: sample.numTasks,
      num_cgroups: header.lenCgroup ? sample.numCgroups : 0,
      lens: [system.length, tasks.length, cgroups.length],
      switches: String(system.readBigInt64LE(OFS_CONTEXT_SWITCHES)),
      pids: pids(tasks),
    };
  };
  return {
    host: header.host,
    minor: header.minor,
    page_size: header.pageSize,
    samples: samples.map(tell),
  };
}
