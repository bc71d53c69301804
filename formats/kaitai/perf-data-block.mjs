// What is counted of a PERF_DATA_BLOCK.

const NUM_FIRST_NAMES = 5;

/** Counts a `perf_data_block`. */
export function countBlock(block) {
  const { body } = block;
  const objects = body.objects.map(({ content }) => content);
  const instances = objects.flatMap((object) => object.instances ?? []);
  const singles = objects.flatMap((object) => object.counterBlock ?? []);
  const counterBlocks = [...instances.map((instance) => instance.counterBlock), ...singles];
  // The byte order of the block is that of its names; with a code page, they aren't UTF-16.
  const decoder = new TextDecoder(block.signature[0] === 0 ? 'utf-16be' : 'utf-16le');
  const text = (bytes) => decoder.decode(bytes ?? new Uint8Array()).split('\0')[0];
  return {
    len_total: body.lenTotal,
    system_name: text(body.systemName),
    perf_time: String(body.perfTime),
    perf_freq: String(body.perfFreq),
    perf_time_100ns: String(body.perfTime100ns),
    objects: objects.map((object) => object.nameIndex),
    num_counters: objects.reduce((sum, object) => sum + object.counters.length, 0),
    num_instances: instances.length,
    len_counter_blocks: counterBlocks.reduce((sum, counterBlock) => sum + counterBlock.len, 0),
    first_names: instances.slice(0, NUM_FIRST_NAMES).map((instance) => text(instance.definition.name)),
  };
}

/** Every raw value of a `perf_data_block`: object, instance by name (null: none), counter by name index, value. */
export function rawValues(block) {
  const isLittle = block.signature[0] !== 0;
  const decoder = new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be');
  return block.body.objects.flatMap(({ content: object }) => {
    const valuesOf = (name, { values }) =>
      object.counters.map((counter) => [object.nameIndex, name, counter.nameIndex, valueOf(counter, values, isLittle)]);
    const instances = object.instances ?? [];
    return [
      ...(object.counterBlock === undefined ? [] : valuesOf(null, object.counterBlock)),
      ...instances.flatMap(({ definition, counterBlock }) =>
        valuesOf(decoder.decode(definition.name ?? new Uint8Array()).split('\0')[0], counterBlock)),
    ];
  });
}

/** As a decimal string; null if the counter isn't a number of 4 or 8 bytes inside the block. */
function valueOf({ lenValue, ofsValue }, values, isLittle) {
  const [start, end] = [ofsValue - 4, ofsValue - 4 + lenValue];
  if (start < 0 || end > values.length || ![4, 8].includes(lenValue)) {
    return null;
  }
  const view = new DataView(Uint8Array.from(values.slice(start, end)).buffer);
  return String(lenValue === 4 ? view.getUint32(0, isLittle) : view.getBigUint64(0, isLittle));
}
