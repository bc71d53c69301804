// The columns of a section's classes: formats/rcap.md#columns. All arithmetic is modulo 2^32, or 2^8 in columns of one
// byte, so that >>> 0 stands behind every step.

const unzigzag = (value) => ((value >>> 1) ^ -(value & 1)) >>> 0;

/**
 * Rebuilds the rows of all streams of a class.
 *
 * @param Rcap the types that the compiler made
 * @param io the section's columns, decompressed, at the start of the class
 * @param streams the first row of each stream and its number of rows
 * @param lenRow bytes of a row
 * @param forms counts the forms of columns that were met
 * @returns per stream an array of rows
 */
export function readClass(Rcap, io, streams, lenRow, forms) {
  const numBits = streams.reduce((sum, { numRows }) => sum + numRows - 1, 0);
  const { moves } = new Rcap.ClassMoves(io, null, null, numBits);
  const rows = streams.map(({ firstRow, numRows }) =>
    Array.from({ length: numRows }, () => Uint8Array.from(firstRow)));
  const moving = movingStreams(rows, moves);
  if (moving.length === 0) {
    return rows;
  }
  const form = new Rcap.ClassForms(io, null, null, lenRow, moving.length);
  form.modes.forEach((mode, column) => {
    const numWide = Math.floor(lenRow / 4);
    const place = column < numWide
      ? { ofs: 4 * column, len: 4 }
      : { ofs: 4 * numWide + (column - numWide), len: 1 };
    noteForm(Rcap, mode, place.len, forms);
    if (mode.isOwn) {
      const bits = form.bitmaps[column].bits;
      const varying = moving.filter((_, at) => (bits[at >> 3] >> (at & 7)) & 1);
      const num = varying.reduce((sum, { moved }) => sum + moved.length, 0);
      const { planes } = new Rcap.ColumnPlanes(io, null, null, num, mode.numPlanes);
      const scale = mode.isScaled ? form.scales[column].scale : 1;
      fill(varying, place, mode.form, scale, planes);
    } else if (mode.numReferences > 0) {
      follow(moving, place.ofs, mode.form, form.references[column].columns);
    }
  });
  moving.forEach(repeat);
  return rows;
}

/** Streams with rows that differ from the row before, and which rows these are. */
function movingStreams(rows, moves) {
  let bit = 0;
  const streams = rows.map((rows) => {
    const moved = [];
    for (let row = 1; row < rows.length; row += 1, bit += 1) {
      if ((moves[bit >> 3] >> (bit & 7)) & 1) {
        moved.push(row);
      }
    }
    return { rows, moved };
  });
  return streams.filter(({ moved }) => moved.length > 0);
}

const get = (row, { ofs, len }) =>
  len === 1 ? row[ofs] : (row[ofs] | (row[ofs + 1] << 8) | (row[ofs + 2] << 16) | (row[ofs + 3] << 24)) >>> 0;

const set = (row, { ofs, len }, value) => {
  for (let byte = 0; byte < len; byte += 1) {
    row[ofs + byte] = value >>> (8 * byte);
  }
};

/** A column with values of its own. */
function fill(streams, place, form, scale, planes) {
  let at = 0;
  for (const { rows, moved } of streams) {
    let before = get(rows[0], place);
    let step = 0;
    for (const row of moved) {
      const code = planes.reduceRight((value, plane) => ((value << 8) | plane[at]) >>> 0, 0);
      at += 1;
      const plain = Math.imul(unzigzag(code), scale) >>> 0;
      if (form === 1) {
        before = code;
      } else if (form === 2) {
        before = (before + plain) >>> 0;
      } else {
        step = (step + plain) >>> 0;
        before = (before + step) >>> 0;
      }
      set(rows[row], place, before);
    }
  }
}

/** A column whose steps follow from those of columns before it. */
function follow(streams, ofs, form, [first, second]) {
  for (const { rows, moved } of streams) {
    let before = 0;
    for (const row of moved) {
      const step = (ofs) => get(rows[row], { ofs, len: 4 }) - get(rows[before], { ofs, len: 4 });
      const other = form === 4 ? 0 : step(4 * second);
      const sum = step(4 * first) + (form === 6 ? -other : other);
      set(rows[row], { ofs, len: 4 }, (get(rows[before], { ofs, len: 4 }) + sum) >>> 0);
      before = row;
    }
  }
}

/** Rows that don't move are those before them. */
function repeat({ rows, moved }) {
  const movedRows = new Set(moved);
  for (let row = 1; row < rows.length; row += 1) {
    if (!movedRows.has(row)) {
      rows[row].set(rows[row - 1]);
    }
  }
}

function noteForm(Rcap, mode, len, forms) {
  const name = (mode.isScaled ? 'scaled ' : '') + Rcap.Form[mode.form].toLowerCase() + (len === 1 ? ' byte' : '');
  forms[name] = (forms[name] ?? 0) + 1;
}
