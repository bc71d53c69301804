"""The countersets that the server has, and their values: known, and different in every sample."""

import json
import struct
import uuid
from datetime import datetime, timedelta, timezone

NONE = 0xFFFFFFFF
# Types of 2.2.4.2.
COUNTER, BULK_COUNT, SAMPLE_COUNTER = 0x10410400, 0x10410500, 0x00410400
RAWCOUNT, LARGE_RAWCOUNT, RAWCOUNT_HEX, LARGE_RAWCOUNT_HEX = 0x00010000, 0x00010100, 0, 0x100
TIMER, TIMER_INV, TIMER_100NS, TIMER_100NS_INV = 0x20410500, 0x21410500, 0x20510500, 0x21510500
MULTI_TIMER, MULTI_TIMER_INV, MULTI_TIMER_100NS, MULTI_TIMER_100NS_INV = (
    0x22410500,
    0x23410500,
    0x22510500,
    0x23510500,
)
QUEUELEN, LARGE_QUEUELEN, QUEUELEN_100NS, OBJ_QUEUELEN = 0x00450400, 0x00450500, 0x00550500, 0x00650500
OBJ_TIMER, ELAPSED_TIME = 0x20610500, 0x30240500
PRECISION_SYSTEM, PRECISION_100NS, PRECISION_OBJECT = 0x20470500, 0x20570500, 0x20670500
AVERAGE_TIMER, AVERAGE_BULK, AVERAGE_BASE = 0x30020400, 0x40020500, 0x40030402
RAW_FRACTION, RAW_BASE, LARGE_RAW_FRACTION, LARGE_RAW_BASE = 0x20020400, 0x40030403, 0x20020500, 0x40030500
SAMPLE_FRACTION, SAMPLE_BASE, TEXT = 0x20C20400, 0x40030401, 0x00000B00

UNDEFINED, TOTAL, AVERAGE, MINIMUM, MAXIMUM = range(5)
SINGLE, MULTIPLE, GLOBAL_AGGREGATE = 0, 2, 4
FREQUENCY = 3_579_545
# The provider's; those of the countersets follow.
GUID = uuid.UUID("6a1c5f2e-0b6f-4a57-9a0d-3f9f6f0e7b00")
EPOCH = datetime(1601, 1, 1, tzinfo=timezone.utc)


class Counter:
    """A counter; `value` gives its value from the number of the sample and the instance's."""

    def __init__(self, number, name, kind, value, base=NONE, clock=NONE, frequency=NONE, multi=NONE, function=0):
        self.id, self.name, self.type, self.value = number, name, kind, value
        self.links = (base, clock, frequency, multi)
        self.function = function

    @property
    def is_large(self):
        return self.type & 0x300 == 0x100

    def head(self):
        """PERF_COUNTER_REG_INFO."""
        return struct.pack("<IIQIiIIIIII", self.id, self.type, 0, 100, 0, *self.links, self.function, 0)

    def raw(self, sample, instance):
        """What is sent: an integer of the counter's width, or a text."""
        value = self.value(sample, instance)
        return value if self.type == TEXT else value % (1 << (64 if self.is_large else 32))

    def bytes(self, value):
        if self.type == TEXT:
            return value.encode("utf-16-le") + b"\0\0"
        return struct.pack("<Q" if self.is_large else "<I", value)


class Counterset:
    """`instances` gives those of a sample, in their order: (name, id)."""

    def __init__(self, guid, name, kind, instances, counters):
        self.guid, self.name, self.kind, self.instances, self.counters = guid, name, kind, instances, counters

    def head(self):
        """PERF_COUNTERSET_REG_INFO."""
        return self.guid.bytes_le + struct.pack("<IIII", 0, 100, len(self.counters), self.kind)


def growing(start, *steps):
    """A value that grows by another step from sample to sample, and differs from instance to instance."""

    def value(sample, instance):
        return start + sum(steps[number % len(steps)] for number in range(sample)) + instance * (steps[0] + sample)

    return value


def engine():
    """Every type of 2.2.4.2, each once."""
    return [
        # Wraps between the first two samples.
        Counter(1, "Starts", COUNTER, growing(2**32 - 100, 500, 70)),
        Counter(2, "Bytes", BULK_COUNT, growing(2**40 + 1, 123_456_789, 2**33)),
        Counter(3, "Ticks", SAMPLE_COUNTER, growing(17, 1_000, 30)),
        Counter(4, "Depth", RAWCOUNT, growing(4_000_000_000, -7, 12)),
        Counter(5, "Room", LARGE_RAWCOUNT, growing(2**53 - 5, 2, 4)),
        Counter(6, "Mask", RAWCOUNT_HEX, growing(0xBEE0, 1, 15)),
        Counter(7, "Wide Mask", LARGE_RAWCOUNT_HEX, growing(0xFACE_0000_0000, 1, 15)),
        Counter(8, "% Busy", TIMER, growing(10**9, 1_700_000, 3_500_000)),
        Counter(9, "% Quiet", TIMER_INV, growing(10**9, 1_700_000, 3_500_000)),
        Counter(10, "% Busy 100ns", TIMER_100NS, growing(10**10, 7_000_001, 9_999_999)),
        Counter(11, "% Quiet 100ns", TIMER_100NS_INV, growing(10**10, 7_000_001, 9_999_999)),
        Counter(12, "Queue", QUEUELEN, growing(2**32 - 9, 5_000_000, 900_000)),
        Counter(13, "Large Queue", LARGE_QUEUELEN, growing(5, 50_000_000, 900_000)),
        Counter(14, "Queue 100ns", QUEUELEN_100NS, growing(5, 70_000_000, 900_000)),
        Counter(15, "Object Queue", OBJ_QUEUELEN, growing(5, 6_000, 90), clock=40, frequency=41),
        Counter(16, "% Object Busy", OBJ_TIMER, growing(77, 1_500, 2_100), clock=40, frequency=41),
        Counter(17, "Uptime", ELAPSED_TIME, growing(1_000, 0), clock=40, frequency=41),
        Counter(18, "% Precise", PRECISION_SYSTEM, growing(900, 333, 250), base=42),
        Counter(19, "% Precise 100ns", PRECISION_100NS, growing(800, 123, 321), base=42),
        Counter(20, "% Precise Object", PRECISION_OBJECT, growing(700, 1_111, 2_222), clock=40, frequency=41),
        Counter(21, "sec/Start", AVERAGE_TIMER, growing(2**32 - 50, 7_159_090, 1_000), base=43),
        Counter(22, "Bytes/Start", AVERAGE_BULK, growing(2**35, 65_536, 4_097), base=43),
        Counter(23, "% Full", RAW_FRACTION, growing(33, 20, -11), base=44),
        Counter(24, "% Large Full", LARGE_RAW_FRACTION, growing(2**34, 2**33, 5), base=45),
        Counter(25, "% Hit", SAMPLE_FRACTION, growing(2**32 - 3, 30, 9), base=46),
        Counter(26, "% All Busy", MULTI_TIMER, growing(10**8, 8_000_000, 1_234_567), multi=47),
        Counter(27, "% All Quiet", MULTI_TIMER_INV, growing(10**8, 8_000_000, 1_234_567), multi=47),
        Counter(28, "% All Busy 100ns", MULTI_TIMER_100NS, growing(10**8, 8_000_000, 1_234_567), multi=47),
        Counter(29, "% All Quiet 100ns", MULTI_TIMER_100NS_INV, growing(10**8, 8_000_000, 1_234_567), multi=47),
        Counter(30, "State", TEXT, lambda sample, _: ("läuft", "running 走", "idle 🙂")[sample % 3]),
        Counter(40, "Clock", LARGE_RAWCOUNT, growing(2_000, 2_500, 2_600)),
        Counter(41, "Clock Frequency", LARGE_RAWCOUNT, lambda *_: 1_000),
        Counter(42, "Precise Base", LARGE_RAW_BASE, growing(900, 1_000, 1_001)),
        Counter(43, "Starts Base", AVERAGE_BASE, growing(2**32 - 2, 7, 3)),
        Counter(44, "Full Base", RAW_BASE, growing(99, 1, 0)),
        Counter(45, "Large Full Base", LARGE_RAW_BASE, growing(2**36, 9, 0)),
        Counter(46, "Hit Base", SAMPLE_BASE, growing(2**32 - 1, 41, 10)),
        Counter(47, "Engines", RAWCOUNT, lambda *_: 4),
    ]


def workers(sample):
    """Instances that come and go; two have one name and two ids."""
    instances = [("alpha", 10), ("twin", 7), ("twin", 9), ("größe/日本", 3)]
    if sample % 3 != 1:
        instances.append(("sometimes", 4))
    if sample % 3 != 0:
        instances.insert(0, ("later", 5))
    return instances


def countersets():
    jobs = [
        Counter(0, "Jobs", COUNTER, growing(2**32 - 40, 90, 20)),
        Counter(3, "Job Bytes", BULK_COUNT, growing(2**32 - 1, 2**33 + 1, 77)),
        Counter(4, "Job Handles", LARGE_RAWCOUNT, growing(12, 3, -2)),
        Counter(1000, "sec/Job", AVERAGE_TIMER, growing(100, 3_579_545, 35_795), base=70_000),
        Counter(70_000, "Jobs Base", AVERAGE_BASE, growing(1, 4, 2)),
        # In the second interval one falls, and the base of the other stands still.
        Counter(70_002, "Job Restarts", BULK_COUNT, growing(1_000, 50, -60)),
        Counter(70_003, "Bytes/Pause", AVERAGE_BULK, growing(5, 4_000, 3), base=70_004),
        Counter(70_004, "Pauses Base", AVERAGE_BASE, lambda sample, _: 8 + 16 * min(sample, 1)),
        Counter(70_001, "Job Name", TEXT, lambda sample, instance: f"job {instance}.{sample}"),
    ]
    volumes = [
        Counter(1, "Writes", COUNTER, growing(0, 400, 100), function=TOTAL),
        Counter(2, "Free", LARGE_RAWCOUNT, growing(10**12, -4096, 12), function=AVERAGE),
        Counter(3, "Least Free", RAWCOUNT, growing(500, 5, 50), function=MINIMUM),
        Counter(4, "% Volume Busy", TIMER_100NS, growing(5, 1_000_000, 2_000_000), function=MAXIMUM),
        Counter(5, "Unit", RAWCOUNT, growing(8, 0), function=UNDEFINED),
    ]
    disks = [(f"disk{number}", number) for number in range(6)]
    # So many that an answer needs several fragments, and more than the first buffer of a client.
    crowd = [(f"member of a crowd {number}", number) for number in range(300)]
    people = [Counter(9, "Steps", BULK_COUNT, growing(3, 5_000, 7))]
    single = lambda _: [("", 0)]
    sets = [
        ("Peer Engine", SINGLE, single, engine()),
        ("Peer Worker", MULTIPLE, workers, jobs),
        ("Peer Volume", GLOBAL_AGGREGATE, lambda _: disks, volumes),
        ("Peer Crowd", MULTIPLE, lambda _: crowd, people),
    ]
    # So many that adding them needs several fragments, too.
    for number in range(40):
        sets.append((f"Peer Room {number}", SINGLE, single, [Counter(1, "Doors", RAWCOUNT, growing(number, 1, 2))]))
    return [Counterset(uuid.UUID(int=GUID.int + number), *described) for number, described in enumerate(sets, 1)]


class Sample:
    """The values of all counters at one time. Clocks are made up, so that every value is known."""

    frequency = FREQUENCY

    def __init__(self, number, start):
        self.number, self.is_changed = number, False
        # Intervals of other lengths: 2 s, 3 s, 4 s, 2 s.
        elapsed = sum(2 + earlier % 3 for earlier in range(number)) * 10_000_000 + number * 1_234
        self.time = start + elapsed
        self.ticks = 10**12 + elapsed * FREQUENCY // 10_000_000 + 11 * number

    def system_time(self):
        """SYSTEMTIME (MS-DTYP 2.3.13)."""
        when = EPOCH + timedelta(microseconds=self.time // 10)
        weekday = when.isoweekday() % 7
        parts = (when.year, when.month, weekday, when.day, when.hour, when.minute, when.second)
        return struct.pack("<8H", *parts, when.microsecond // 1000)

    def rows(self, counterset, counters):
        return [
            (instance, [counter.bytes(counter.raw(self.number, instance[1])) for counter in counters])
            for instance in counterset.instances(self.number)
        ]

    def described(self, sets):
        """As JSON."""
        values = [
            [counterset.name, *instance, counter.id, counter.raw(self.number, instance[1])]
            for counterset in sets
            for instance in counterset.instances(self.number)
            for counter in counterset.counters
        ]
        clocks = {"time": self.time, "ticks": self.ticks, "frequency": self.frequency}
        return {**clocks, "is_changed": self.is_changed, "values": values}


class Provider:
    guid = GUID

    def __init__(self):
        self.countersets, self.samples = countersets(), []
        # Whole seconds of the present.
        now = datetime.now(timezone.utc).replace(microsecond=0)
        self.start = (now - EPOCH) // timedelta(microseconds=1) * 10

    @property
    def num_samples(self):
        return len(self.samples)

    def find(self, guid):
        return next((counterset for counterset in self.countersets if counterset.guid == guid), None)

    def sample(self):
        """The next one; it stays the next until it is among the samples, those that were sent."""
        return Sample(self.num_samples, self.start)

    def write(self, path):
        """What was sent, as JSON."""
        sets = [
            {
                "name": counterset.name,
                "kind": counterset.kind,
                "counters": [
                    [counter.id, counter.name, counter.type, *counter.links, counter.function]
                    for counter in counterset.counters
                ],
            }
            for counterset in self.countersets
        ]
        samples = [sample.described(self.countersets) for sample in self.samples]
        path.write_text(json.dumps({"countersets": sets, "samples": samples}), encoding="utf-8")
