"""What general compressors make of files."""

import os
import subprocess

COMPRESSORS = {
    "zstd -3": ["zstd", "-q", "-3", "-c"],
    "zstd -19 --long=27": ["zstd", "-q", "-19", "--long=27", "-c"],
    # As pmlogger_daily compresses archives, and sa2 its files.
    "xz -0": ["xz", "-0", "--block-size=10MiB", "-c"],
    "xz": ["xz", "-c"],
}


def compressed(paths, compressor):
    """Bytes of all files together, each compressed by itself."""
    total = 0
    for path in paths:
        command = subprocess.Popen([*COMPRESSORS[compressor], path], stdout=subprocess.PIPE)
        with open(os.devnull, "wb") as sink:
            total += copy(command.stdout, sink)
        if command.wait():
            raise RuntimeError(f"{compressor} of {path} ended with {command.returncode}")
    return total


def copy(source, sink):
    total = 0
    while block := source.read(1 << 20):
        total += len(block)
        sink.write(block)
    return total
