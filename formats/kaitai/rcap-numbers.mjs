// Lists of integers of a capture log: formats/rcap.md#numbers.

const wrap = (value) => BigInt.asUintN(64, value);
const unzigzag = (value) => (value >> 1n) ^ -(value & 1n);

/** The integers of a `numbers`, as BigInt modulo 2^64. */
export function integers({ transform, planes, num }) {
  const values = Array.from({ length: num }, (_, at) =>
    planes.reduceRight((value, plane) => (value << 8n) | BigInt(plane[at]), 0n));
  let before = 0n;
  let step = 0n;
  switch (transform) {
    case 0:
      return values;
    case 1:
      return values.map((value) => (before = wrap(before + unzigzag(value))));
    default:
      return values.map((value) => {
        step = wrap(step + unzigzag(value));
        return (before = wrap(before + step));
      });
  }
}

/** The same where all are small. */
export const smallIntegers = (numbers) => integers(numbers).map(Number);
