"""What `recount stats` computes, by DuckDB, from tables in the objects layout: `duckdb_stats.py DIR THREADS object|counter`, with a query
for each object or for each counter, whichever suits it better."""

import glob
import os
import sys

import duckdb

FIXED = {"time", "interval_s", "weight_s", "host", "instance", "instance_id", "date"}


def figures(value):
    return ", ".join([
        f"count({value})", f"min({value})", f"max({value})", f"stddev_samp({value})",
        f"sum({value} * weight_s) / sum(weight_s) FILTER (WHERE {value} IS NOT NULL)",
        f"quantile_cont({value}, [0.5, 0.9, 0.95, 0.99])",
        f"regr_slope({value}, epoch_ns(time) / 1e9) * 3600",
        f"arg_min({value}, time)", f"arg_max({value}, time)",
    ])


def main(folder, threads, by):
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}; SET temp_directory = '{folder}.tmp'; SET preserve_insertion_order = false")
    for path in sorted(glob.glob(f"{folder}/*.parquet")):
        if os.path.basename(path).startswith("_"):
            continue
        columns = [name for name, *_ in connection.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()]
        keys = [key for key in ("host", "instance") if key in columns]
        counters = [name for name in columns if name not in FIXED]
        for some in [counters] if by == "object" else [[counter] for counter in counters]:
            told = ", ".join([*keys, *(figures('"' + name.replace('"', '""') + '"') for name in some)])
            connection.execute(f"SELECT {told} FROM '{path}' GROUP BY {', '.join(keys)}").fetchall()
    nulls = f"{folder}/_nulls.parquet"
    if os.path.exists(nulls):
        connection.execute(f"SELECT host, object, instance, counter, status, count(*) FROM '{nulls}' GROUP BY ALL").fetchall()


main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
