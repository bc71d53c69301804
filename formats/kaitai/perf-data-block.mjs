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
