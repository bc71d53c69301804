// Compiles the .ksy files of a folder with the Kaitai Struct compiler and loads the parsers it makes.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const compiler = require('kaitai-struct-compiler');
const yaml = require('js-yaml');

/** The runtime of the generated parsers, with 64-bit integers as BigInt. */
export const KaitaiStream = require('kaitai-struct/KaitaiStream');

// The runtime gives 64-bit integers as Number, which has 53 bits: raw values and time stamps would be rounded. These
// four methods are all that generated parsers read them by. An expression of a .ksy that mixed such a field with a
// Number would throw, not go wrong.
const readers = {
  readU8le: DataView.prototype.getBigUint64,
  readS8le: DataView.prototype.getBigInt64,
  readU8be: DataView.prototype.getBigUint64,
  readS8be: DataView.prototype.getBigInt64,
};
for (const [name, get] of Object.entries(readers)) {
  KaitaiStream.prototype[name] = function () {
    const bytes = Uint8Array.from(this.readBytes(8));
    return get.call(new DataView(bytes.buffer), 0, name.endsWith('le'));
  };
}

/**
 * Compiles `name`.ksy of `folder`, and what it imports.
 *
 * @returns a function that parses bytes, giving the root structure
 */
export async function parserOf(folder, name) {
  const Root = await classOf(folder, name);
  return (bytes) => new Root(new KaitaiStream(bytes));
}

/**
 * Compiles `name`.ksy of `folder`, and what it imports.
 *
 * @param isDebug whether structures remember where their fields stand, and are read by `_read` only
 * @returns the class of the root structure, which has the other types of the description as its properties
 */
export async function classOf(folder, name, isDebug = false) {
  const description = (name) => yaml.load(readFileSync(join(folder, `${name}.ksy`), 'utf8'));
  const importer = { importYaml: async (name) => description(name) };
  const sources = await compiler.compile('javascript', description(name), importer, isDebug);
  const modules = new Map();
  const load = (file) => {
    if (!modules.has(file)) {
      modules.set(file, {});
      evaluate(sources[`${file}.js`], modules.get(file), load);
    }
    return modules.get(file);
  };
  const main = name.split(/[-_]/).map((part) => part[0].toUpperCase() + part.slice(1)).join('');
  return load(main)[main];
}

/** Runs a generated CommonJS module without putting it in a file. */
function evaluate(source, exports, load) {
  const resolve = (wanted) => (wanted === 'kaitai-struct/KaitaiStream' ? KaitaiStream : load(wanted.replace('./', '')));
  new Function('exports', 'require', 'define', source)(exports, resolve, undefined);
}
