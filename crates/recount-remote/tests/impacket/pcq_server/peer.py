"""An MS-PCQ server, and recount as its client.

    peer.py RECOUNT FOLDER

Writes into FOLDER what the server sent (*.json) and what recount recorded of it (*.parquet, with raw values), which
`check.py` compares, and checks here what recount refuses.
"""

import subprocess
import sys
from pathlib import Path

from countersets import Provider
from perflib import Service
from rpc import Server

USER, DOMAIN, PASSWORD = "eve", "LAB", "open sesame"
NUM_SAMPLES = 3


class Recording:
    """One server, and what `recount record` made of it."""

    def __init__(self, recount, folder, name, password=PASSWORD, changes=()):
        self.recount, self.log, self.sent = recount, folder / f"{name}.rcap", folder / f"{name}.json"
        secret = folder / f"{name}.password"
        secret.touch(mode=0o600)
        secret.write_text(password + "\n", encoding="utf-8")
        self.provider = Provider()
        service = Service(self.provider)
        service.changes.update(changes)
        server = Server(service, USER, DOMAIN, PASSWORD)
        try:
            account = ["--user", f"{DOMAIN}\\{USER}", "--password-file", str(secret)]
            how = ["--interval", "100ms", "--count", str(NUM_SAMPLES), "-o", str(self.log)]
            self.ended = self.run("record", "--host", f"127.0.0.1:{server.port}", *account, *how)
        finally:
            server.close()
        self.provider.write(self.sent)
        equal(f"what the server says of recount ({name})", server.errors, [])
        self.num_calls, self.num_fragments = sum(service.num_answers), server.num_fragments

    def run(self, *arguments):
        return subprocess.run([self.recount, *arguments], capture_output=True, encoding="utf-8", timeout=120)

    def convert(self, exit_code):
        table = self.log.with_suffix(".parquet")
        converted = self.run("convert", "--quiet", "--raw", "-o", str(table), str(self.log))
        equal(f"exit code of convert ({converted.stderr})", converted.returncode, exit_code)

    def refused(self, what):
        """Nothing is recorded; the error says why."""
        error = self.ended.stderr
        equal(f"exit code ({error})", self.ended.returncode, 2)
        if what not in error or PASSWORD in error:
            raise AssertionError(f"expected {what!r} in {error!r}")
        equal("a log", self.log.exists(), False)
        equal("samples that were sent", self.provider.samples, [])


def equal(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


def main():
    recount, folder = sys.argv[1], Path(sys.argv[2])

    plain = Recording(recount, folder, "plain")
    equal(f"exit code ({plain.ended.stderr})", plain.ended.returncode, 0)
    equal("samples that were sent", len(plain.provider.samples), NUM_SAMPLES)
    for direction, num_fragments in zip(("to", "from"), plain.num_fragments):
        if num_fragments <= plain.num_calls:
            raise AssertionError(f"{num_fragments} fragments {direction} the server for {plain.num_calls} calls")
    plain.convert(0)

    # A bit of the second sample (the first answer says how long the buffer has to be): the sample is lost, and said
    # to be.
    changed = Recording(recount, folder, "changed", changes={(6, 2): "stub"})
    equal(f"exit code ({changed.ended.stderr})", changed.ended.returncode, 1)
    equal("changed samples", [sample.is_changed for sample in changed.provider.samples], [False, True, False, False])
    said = changed.ended.stdout + changed.ended.stderr
    if "lost" not in said or "isn't signed" not in said:
        raise AssertionError(f"what is said of a changed answer: {said!r}")
    # A loss is a finding.
    changed.convert(1)

    # Before there is a sample.
    for change in ("stub", "signature", "head"):
        Recording(recount, folder, change, changes={(0, 0): change}).refused("isn't signed")
    Recording(recount, folder, "wrong", password="close sesame").refused("access denied")


main()
