// The files that someone has dropped or chosen, with their paths.

/** @import { Chosen } from "./answers.js" */

/** A folder of more is hardly one of captures. */
const MOST_FILES = 5000;

/** @param {FileList | null} list @returns {Chosen[]} */
export const chosenOf = (list) => [...list || []].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** @param {DataTransfer | null} given @returns {Promise<Chosen[]>} */
export async function droppedOf(given) {
  const items = [...given?.items || []].filter(({ kind }) => kind === "file");
  // The list is gone after the first wait.
  const entries = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  /** @type {Chosen[]} */
  const found = [];
  for (const { entry, file } of entries) {
    if (entry) await collect(entry, "", found);
    else if (file) found.push({ path: file.name, file });
  }
  return found;
}

/** @param {any} entry @param {string} folder with a slash at its end @param {Chosen[]} found */
async function collect(entry, folder, found) {
  if (found.length > MOST_FILES) throw new Error(`more than ${MOST_FILES} files: drop a smaller folder, or the files themselves`);
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ path: `${folder}${entry.name}`, file });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    // It gives a hundred at a time.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const one of some) await collect(one, `${folder}${entry.name}/`, found);
  }
}

/** What they are called together, as by the command. @param {Chosen[]} chosen */
export const titleOf = (chosen) => [...new Set(chosen.map(({ path }) => path.split("/")[0]))].join(", ");
