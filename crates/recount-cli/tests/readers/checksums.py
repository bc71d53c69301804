"""Checks that other readers take a Parquet file with checksums of pages, and that pyarrow finds a flipped bit.

checksums.py FILE.parquet NUM_ROWS DAMAGED.parquet: the last is written, with one bit of a page's data flipped.
"""

import sys

import duckdb
import pyarrow.parquet as pq

path, num_rows, damaged = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def read(file):
    return pq.ParquetFile(file, page_checksum_verification=True).read()


table = read(path)
assert table.num_rows == num_rows, table.num_rows
names = table.column_names
((count, total),) = duckdb.sql(f"select count(*), sum(value) from '{path}'").fetchall()
assert count == num_rows, count
expected = sum(value for value in table["value"].to_pylist() if value is not None)
assert abs(total - expected) <= 1e-9 * abs(expected), (total, expected)

# The last byte of a column's pages is one of the last page's data, whatever is in its header.
column = pq.ParquetFile(path).metadata.row_group(0).column(names.index("value"))
begin = column.dictionary_page_offset or column.data_page_offset
data = bytearray(open(path, "rb").read())
data[begin + column.total_compressed_size - 1] ^= 0x10
open(damaged, "wb").write(data)
try:
    read(damaged)
except OSError as error:
    assert "CRC" in str(error), error
else:
    sys.exit("pyarrow takes a flipped bit for data: the page has no checksum")
