"""The methods and buffers of MS-PCQ (3.1.4.1, 2.2.4), written from the document."""

import struct
import threading
import uuid

from rpc import Broken, Fault

SUCCESS, PATH_NOT_FOUND, NOT_ENOUGH_MEMORY, INVALID_PARAMETER, ALREADY_EXISTS = 0, 3, 8, 0x57, 0xB7
GUID_NOT_FOUND, INSTANCE_NOT_FOUND, ITEMID_NOT_FOUND = 0x1068, 0x1069, 0x106A
BAD_STUB_DATA, CONTEXT_MISMATCH, OP_RANGE_ERROR = 0x6F7, 0x1C00001A, 0x1C010002
ANY_COUNTER = 0xFFFFFFFF
SINGLE_COUNTER, MULTI_COUNTERS, MULTI_INSTANCES, COUNTERSET = 1, 2, 4, 6
# MS-RPCE 2.2.2.13: a client may put it behind the parameters.
VERIFICATION_TRAILER = bytes.fromhex("8ae3137102f43671")
ENGLISH = (0, 9, 0x409)


class Parameters:
    """The parameters of a call, in NDR, all of which have to be read."""

    def __init__(self, stub):
        self.stub, self.ofs = stub, 0

    def take(self, length, alignment):
        self.ofs += -self.ofs % alignment
        data = self.stub[self.ofs : self.ofs + length]
        if len(data) < length:
            raise Fault(BAD_STUB_DATA)
        self.ofs += length
        return data

    def number(self, end=1 << 32):
        value = struct.unpack("<I", self.take(4, 4))[0]
        if value > end:
            raise Fault(BAD_STUB_DATA)
        return value

    def machine(self):
        size, first, length = self.number(), self.number(), self.number()
        text = self.take(2 * length, 1).decode("utf-16-le")
        if first != 0 or length > size or not text.endswith("\0"):
            raise Fault(BAD_STUB_DATA)
        return text[:-1]

    def guid(self):
        return uuid.UUID(bytes_le=self.take(16, 4))

    def array(self, length):
        if self.number() != length:
            raise Fault(BAD_STUB_DATA)
        return self.take(length, 1)

    def end(self):
        rest = self.stub[self.ofs :]
        if rest and not rest.lstrip(b"\0").startswith(VERIFICATION_TRAILER):
            raise Broken(f"{len(rest)} bytes behind the parameters of a call")


def text(string):
    return string.encode("utf-16-le") + b"\0\0"


def padded(data):
    return data + bytes(-len(data) % 8)


def strings(texts):
    """STRING_BUFFER_HEADER, a STRING_COUNTER_HEADER per counter, and the strings (figure 2)."""
    heads, body = b"", b""
    for number, string in texts:
        heads += struct.pack("<II", number, len(body))
        body += text(string)
    size = 8 + len(heads) + len(body)
    size += -size % 8
    return padded(struct.pack("<II", size, len(texts)) + heads + body)


def instance_header(name, number):
    name = text(name)
    size = 8 + len(name)
    size += -size % 8
    return padded(struct.pack("<II", size, number) + name)


def counter_data(data):
    """PERF_COUNTER_DATA and its value."""
    size = 8 + len(data)
    return padded(struct.pack("<II", len(data), size + -size % 8) + data)


def counter_ids(ids):
    """PERF_MULTI_COUNTERS; its size doesn't count the padding (2.2.4.11)."""
    return padded(struct.pack(f"<II{len(ids)}I", 8 + 4 * len(ids), len(ids), *ids))


def instances_block(rows):
    """PERF_MULTI_INSTANCES: rows of instance, id and its values."""
    body = b"".join(
        instance_header(*instance) + b"".join(counter_data(value) for value in values) for instance, values in rows
    )
    return struct.pack("<II", 8 + len(body), len(rows)) + body


def block(kind, body, status=SUCCESS):
    return struct.pack("<IIII", status, kind, 16 + len(body), 0) + body


class Identifier:
    """PERF_COUNTER_IDENTIFIER, as the client sent it."""

    def __init__(self, data):
        fields = struct.unpack_from("<16sIIIIII", data)
        self.guid = uuid.UUID(bytes_le=fields[0])
        self.counter, self.instance_id = fields[3:5]
        self.name = data[40:].decode("utf-16-le").split("\0")[0]
        self.data = data

    def key(self):
        return self.guid, self.counter, self.instance_id, self.name

    def with_fields(self, status, index):
        return self.data[:16] + struct.pack("<I", status) + self.data[20:32] + struct.pack("<I", index) + self.data[36:]


class Service:
    """Countersets that `provider` has. What every connection has of its own is a `Session`."""

    INTERFACE = (uuid.UUID("da5a86c5-12c2-4943-ab30-7f74a813d853"), 1)

    def __init__(self, provider):
        self.provider, self.lock = provider, threading.Lock()
        # Answers that reach the client with a changed bit: (opnum, number of the answer) -> where the bit is.
        self.changes, self.num_answers = {}, [0] * 8

    def connect(self):
        return Session(self)


class Session:
    def __init__(self, service):
        self.service, self.provider = service, service.provider
        self.queries = {}
        self.methods = [
            self.enumerate_sets,
            self.registration,
            self.enumerate_instances,
            self.open,
            self.close,
            self.query_info,
            self.query_data,
            self.validate,
        ]

    def call(self, opnum, stub):
        if opnum >= len(self.methods):
            raise Fault(OP_RANGE_ERROR)
        with self.service.lock:
            return self.methods[opnum](Parameters(stub))

    def change_of_answer(self, opnum):
        """Where the test changes this answer, if it does."""
        change = self.service.changes.get((opnum, self.service.num_answers[opnum]))
        self.service.num_answers[opnum] += 1
        if change is not None and opnum == 6:
            self.provider.samples[-1].is_changed = True
        return change

    def enumerate_sets(self, parameters):
        parameters.machine()
        room = parameters.number(256)
        parameters.end()
        guids = [counterset.guid for counterset in self.provider.countersets]
        sent = guids if room >= len(guids) else []
        head = struct.pack("<IIIII", len(sent), len(guids), room, 0, len(sent))
        status = SUCCESS if sent else NOT_ENOUGH_MEMORY
        return head + b"".join(guid.bytes_le for guid in sent) + struct.pack("<I", status)

    def buffer(self, room, data, status=SUCCESS):
        """The results of the methods that fill a buffer."""
        if status == SUCCESS and len(data) > room:
            status, needed, data = NOT_ENOUGH_MEMORY, len(data), b""
        else:
            needed = len(data)
        answer = struct.pack("<IIIII", len(data), needed, room, 0, len(data)) + data
        return answer + bytes(-len(answer) % 4) + struct.pack("<I", status)

    def registration(self, parameters):
        parameters.machine()
        guid, code, lcid = parameters.guid(), parameters.number(), parameters.number()
        room = parameters.number(134217728)
        parameters.end()
        if not 1 <= code <= 10:
            return self.buffer(room, b"", INVALID_PARAMETER)
        counterset = self.provider.find(guid)
        if counterset is None:
            return self.buffer(room, b"", GUID_NOT_FOUND)
        if 3 <= code <= 6 and lcid not in ENGLISH:
            # ERROR_RESOURCE_LANG_NOT_FOUND: the document asks for any error.
            return self.buffer(room, b"", 0x717)
        counters = counterset.counters
        if code == 2:
            counters = [counter for counter in counters if counter.id == lcid]
            if not counters:
                return self.buffer(room, b"", ITEMID_NOT_FOUND)
        answers = {
            1: lambda: counterset.head() + b"".join(counter.head() for counter in counters),
            2: lambda: counters[0].head(),
            3: lambda: text(counterset.name),
            4: lambda: text(f"What {counterset.name} does."),
            5: lambda: strings([(counter.id, counter.name) for counter in counters]),
            6: lambda: strings([(counter.id, f"How {counter.name} goes.") for counter in counters]),
            7: lambda: text("Python peer"),
            8: lambda: self.provider.guid.bytes_le,
            9: lambda: text(counterset.name),
            10: lambda: strings([(counter.id, counter.name) for counter in counters]),
        }
        return self.buffer(room, answers[code]())

    def enumerate_instances(self, parameters):
        parameters.machine()
        guid, room = parameters.guid(), parameters.number(67108864)
        parameters.end()
        counterset = self.provider.find(guid)
        if counterset is None:
            return self.buffer(room, b"", GUID_NOT_FOUND)
        instances = counterset.instances(self.provider.num_samples)
        if not instances:
            return self.buffer(room, b"", INSTANCE_NOT_FOUND)
        return self.buffer(room, b"".join(instance_header(*instance) for instance in instances))

    def open(self, parameters):
        parameters.machine()
        parameters.end()
        handle = bytes(4) + uuid.uuid4().bytes_le
        self.queries[handle] = []
        return handle + struct.pack("<I", SUCCESS)

    def handle(self, parameters):
        handle = parameters.take(20, 4)
        if handle not in self.queries:
            raise Fault(CONTEXT_MISMATCH)
        return handle

    def close(self, parameters):
        handle = self.handle(parameters)
        parameters.end()
        del self.queries[handle]
        return bytes(20) + struct.pack("<I", SUCCESS)

    def query_info(self, parameters):
        query = self.queries[self.handle(parameters)]
        room = parameters.number(67108864)
        parameters.end()
        rows = (identifier.with_fields(SUCCESS, index) for index, identifier in enumerate(query))
        return self.buffer(room, b"".join(rows))

    def query_data(self, parameters):
        query = self.queries[self.handle(parameters)]
        room = parameters.number(1073741824)
        parameters.end()
        sample = self.provider.sample()
        blocks = b"".join(self.values(identifier, sample) for identifier in query)
        head = struct.pack("<IIQQQ", 48 + len(blocks), len(query), sample.ticks, sample.time, sample.frequency)
        answer = self.buffer(room, head + sample.system_time() + blocks)
        if struct.unpack("<I", answer[-4:])[0] == SUCCESS:
            self.provider.samples.append(sample)
        return answer

    def values(self, identifier, sample):
        """One block; its type follows from what the identifier leaves open."""
        counterset = self.provider.find(identifier.guid)
        any_counter = identifier.counter == ANY_COUNTER
        counters = [counter for counter in counterset.counters if any_counter or counter.id == identifier.counter]
        rows = sample.rows(counterset, counters)
        ids = [counter.id for counter in counters]
        if identifier.name == "*":
            if any_counter:
                return block(COUNTERSET, counter_ids(ids) + instances_block(rows))
            return block(MULTI_INSTANCES, instances_block(rows))
        wanted = (identifier.name, identifier.instance_id)
        values = next((values for instance, values in rows if counterset.kind == 0 or instance == wanted), None)
        if values is None:
            return block(0, b"", INSTANCE_NOT_FOUND)
        if any_counter:
            return block(MULTI_COUNTERS, counter_ids(ids) + b"".join(map(counter_data, values)))
        return block(SINGLE_COUNTER, counter_data(values[0]))

    def validate(self, parameters):
        handle = self.handle(parameters)
        length = parameters.number(67108864)
        data, add = parameters.array(length), parameters.number()
        parameters.end()
        query, answer, ofs = self.queries[handle], b"", 0
        while ofs < length:
            size = struct.unpack_from("<I", data, ofs + 20)[0] if length - ofs >= 40 else 0
            if size < 40 or size % 8 or size > length - ofs:
                return self.validated(data, INVALID_PARAMETER)
            identifier = Identifier(data[ofs : ofs + size])
            answer += identifier.with_fields(self.change(query, identifier, add), 0)
            ofs += size
        return self.validated(answer, SUCCESS)

    def change(self, query, identifier, add):
        """Adds to a query or removes from it: the status."""
        same = [other for other in query if other.key() == identifier.key()]
        if not add:
            if not same:
                return INVALID_PARAMETER
            query.remove(same[0])
            return SUCCESS
        counterset = self.provider.find(identifier.guid)
        if counterset is None:
            return GUID_NOT_FOUND
        if identifier.counter != ANY_COUNTER and all(identifier.counter != found.id for found in counterset.counters):
            return ITEMID_NOT_FOUND
        wanted = (identifier.name, identifier.instance_id)
        instances = counterset.instances(self.provider.num_samples)
        if counterset.kind != 0 and identifier.name != "*" and wanted not in instances:
            return PATH_NOT_FOUND
        if same:
            return ALREADY_EXISTS
        query.append(identifier)
        return SUCCESS

    def validated(self, data, status):
        answer = struct.pack("<I", len(data)) + data
        return answer + bytes(-len(answer) % 4) + struct.pack("<I", status)
