"""impacket as a client of our server: every method, with the interface declared here (MS-PCQ, appendix A).

    client.py PORT USER PASSWORD

The server has the countersets Memory (one instance, one counter) and Process (300 instances, two counters).
"""

import struct
import sys

from impacket.dcerpc.v5 import transport
from impacket.dcerpc.v5.dtypes import DWORD, GUID, ULONG, WSTR
from impacket.dcerpc.v5.ndr import NDRCALL, NDRSTRUCT, NDRUniConformantArray, NDRUniConformantVaryingArray
from impacket.dcerpc.v5.rpcrt import (
    RPC_C_AUTHN_LEVEL_CALL,
    RPC_C_AUTHN_LEVEL_CONNECT,
    RPC_C_AUTHN_LEVEL_NONE,
    RPC_C_AUTHN_LEVEL_PKT,
    RPC_C_AUTHN_LEVEL_PKT_INTEGRITY,
    RPC_C_AUTHN_LEVEL_PKT_PRIVACY,
    DCERPCException,
)
from impacket.uuid import uuidtup_to_bin

PERFLIB = uuidtup_to_bin(("da5a86c5-12c2-4943-ab30-7f74a813d853", "1.0"))
SUCCESS, ACCESS_DENIED, NOT_ENOUGH_MEMORY, INVALID_PARAMETER = 0, 5, 8, 0x57
ALREADY_EXISTS, GUID_NOT_FOUND, ITEMID_NOT_FOUND = 0xB7, 0x1068, 0x106A
# impacket gives the names of faults only.
BAD_STUB_DATA, CONTEXT_MISMATCH = "rpc_x_bad_stub_data", "nca_s_fault_context_mismatch"
NO_ACCESS = "rpc_s_access_denied"
ANY_COUNTER = 0xFFFFFFFF


class Bytes(NDRUniConformantVaryingArray):
    item = "c"


class Guids(NDRUniConformantVaryingArray):
    item = GUID


class Buffer(NDRUniConformantArray):
    item = "c"


class Handle(NDRSTRUCT):
    structure = (("attributes", ULONG), ("uuid", "16s=b''"))

    def getAlignment(self):
        return 4


class EnumerateCounterSet(NDRCALL):
    opnum = 0
    structure = (("szMachine", WSTR), ("dwInSize", DWORD))


class EnumerateCounterSetResponse(NDRCALL):
    structure = (("pdwOutSize", DWORD), ("pdwRtnSize", DWORD), ("lpData", Guids), ("ErrorCode", ULONG))


class QueryCounterSetRegistrationInfo(NDRCALL):
    opnum = 1
    structure = (
        ("szMachine", WSTR),
        ("CounterSetGuid", GUID),
        ("RequestCode", DWORD),
        ("RequestLCID", DWORD),
        ("dwInSize", DWORD),
    )


class EnumerateCounterSetInstances(NDRCALL):
    opnum = 2
    structure = (("szMachine", WSTR), ("CounterSetGuid", GUID), ("dwInSize", DWORD))


class OpenQueryHandle(NDRCALL):
    opnum = 3
    structure = (("szMachine", WSTR),)


class OpenQueryHandleResponse(NDRCALL):
    structure = (("phQuery", Handle), ("ErrorCode", ULONG))


class CloseQueryHandle(NDRCALL):
    opnum = 4
    structure = (("phQuery", Handle),)


class CloseQueryHandleResponse(NDRCALL):
    structure = (("phQuery", Handle), ("ErrorCode", ULONG))


class QueryCounterInfo(NDRCALL):
    opnum = 5
    structure = (("hQuery", Handle), ("dwInSize", DWORD))


class QueryCounterData(NDRCALL):
    opnum = 6
    structure = (("hQuery", Handle), ("dwInSize", DWORD))


class ValidateCounters(NDRCALL):
    opnum = 7
    structure = (("hQuery", Handle), ("dwInSize", DWORD), ("lpData", Buffer), ("dwAdd", DWORD))


class ValidateCountersResponse(NDRCALL):
    structure = (("lpData", Buffer), ("ErrorCode", ULONG))


class QueryCounterSetRegistrationInfoResponse(NDRCALL):
    structure = (("pdwOutSize", DWORD), ("pdwRtnSize", DWORD), ("lpData", Bytes), ("ErrorCode", ULONG))


class EnumerateCounterSetInstancesResponse(QueryCounterSetRegistrationInfoResponse):
    pass


class QueryCounterInfoResponse(QueryCounterSetRegistrationInfoResponse):
    pass


class QueryCounterDataResponse(QueryCounterSetRegistrationInfoResponse):
    pass


class Client:
    def __init__(self, port, user, password, level):
        binding = transport.DCERPCTransportFactory(f"ncacn_ip_tcp:127.0.0.1[{port}]")
        domain, name = user.split("\\")
        binding.set_credentials(name, password, domain)
        binding.set_connect_timeout(20)
        self.dce = binding.get_dce_rpc()
        self.dce.set_credentials(name, password, domain)
        self.dce.set_auth_level(level)
        self.dce.connect()
        self.dce.bind(PERFLIB)

    def call(self, request, **parameters):
        for name, value in parameters.items():
            request[name] = value
        return self.dce.request(request, checkError=False)

    def enumerate(self, size=256):
        return self.call(EnumerateCounterSet(), szMachine="web1\0", dwInSize=size)

    def registration(self, guid, code, size=0x4000, lcid=0):
        request = QueryCounterSetRegistrationInfo()
        return self.call(
            request, szMachine="\0", CounterSetGuid=guid, RequestCode=code, RequestLCID=lcid, dwInSize=size
        )

    def instances(self, guid, size=1 << 20):
        return self.call(EnumerateCounterSetInstances(), szMachine="\0", CounterSetGuid=guid, dwInSize=size)

    def open(self):
        return self.call(OpenQueryHandle(), szMachine="a\0")

    def with_handle(self, request, query, **parameters):
        name = "phQuery" if isinstance(request, CloseQueryHandle) else "hQuery"
        request[name]["attributes"], request[name]["uuid"] = query
        return self.call(request, **parameters)

    def validate(self, query, data, add=1):
        return self.with_handle(
            ValidateCounters(), query, dwInSize=len(data), lpData=list(struct.unpack(f"{len(data)}c", data)), dwAdd=add
        )


def equal(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


def data(reply):
    return b"".join(reply["lpData"])


def identifier(guid, counter, name, instance=0):
    name = (name + "\0").encode("utf-16-le")
    size = (40 + len(name) + 7) // 8 * 8
    head = guid + struct.pack("<IIIIII", 0, size, counter, instance, 0, 0)
    return (head + name).ljust(size, b"\0")


def fault(call, name, what):
    try:
        call()
    except DCERPCException as error:
        equal(str(error).split()[-1], name, what)
    else:
        raise AssertionError(f"{what}: no fault")


def handle(reply):
    return reply["phQuery"]["attributes"], reply["phQuery"]["uuid"]


def served(client):
    reply = client.enumerate()
    equal((reply["ErrorCode"], reply["pdwOutSize"], reply["pdwRtnSize"]), (SUCCESS, 2, 2), "enumerating")
    guids = [guid["Data"] for guid in reply["lpData"]]
    short = client.enumerate(1)
    equal((short["ErrorCode"], short["pdwOutSize"], short["pdwRtnSize"]), (NOT_ENOUGH_MEMORY, 0, 2), "too short")
    fault(lambda: client.enumerate(257), BAD_STUB_DATA, "out of range")

    names = {}
    for guid in guids:
        registration = data(client.registration(guid, 1))
        equal(registration[:16], guid, "the registration's GUID")
        num_counters = struct.unpack("<I", registration[24:28])[0]
        equal(len(registration), 32 + 48 * num_counters, "the registration's length")
        for code in range(3, 11):
            reply = client.registration(guid, code)
            equal(reply["ErrorCode"], SUCCESS, f"request code {code}")
            equal(reply["pdwOutSize"], len(data(reply)), f"request code {code}")
            needed = reply["pdwRtnSize"]
            short = client.registration(guid, code, needed - 1)
            equal((short["ErrorCode"], short["pdwRtnSize"]), (NOT_ENOUGH_MEMORY, needed), f"short {code}")
            equal(client.registration(guid, code, needed)["ErrorCode"], SUCCESS, f"just enough for {code}")
        names[data(client.registration(guid, 9)).decode("utf-16-le").rstrip("\0")] = guid
        equal(client.registration(guid, 11)["ErrorCode"], INVALID_PARAMETER, "request code 11")
    equal(sorted(names), ["Memory", "Process"], "names")
    counter = data(client.registration(names["Process"], 2, lcid=1478))
    equal(struct.unpack("<I", counter[:4])[0], 1478, "a counter")
    equal(client.registration(names["Process"], 2, lcid=1)["ErrorCode"], ITEMID_NOT_FOUND, "no counter")
    equal(client.registration(b"\7" * 16, 1)["ErrorCode"], GUID_NOT_FOUND, "no counterset")

    instances = data(client.instances(names["Process"]))
    sizes, ofs = 0, 0
    while ofs < len(instances):
        ofs += struct.unpack("<I", instances[ofs : ofs + 4])[0]
        sizes += 1
    equal((sizes, ofs), (300, len(instances)), "instances")
    equal(client.instances(names["Process"], 100)["ErrorCode"], NOT_ENOUGH_MEMORY, "short instances")
    query(client, names)


def query(client, names):
    reply = client.open()
    equal(reply["ErrorCode"], SUCCESS, "opening")
    open_query = handle(reply)
    # Longer than a fragment, on the way to the server and back.
    added = identifier(names["Memory"], ANY_COUNTER, "") + identifier(names["Process"], ANY_COUNTER, "*")
    for number in range(200):
        added += identifier(names["Process"], 1478, f"svchost{number}", number)
    reply = client.validate(open_query, added)
    equal((reply["ErrorCode"], len(data(reply))), (SUCCESS, len(added)), "adding")
    equal(data(reply), added, "every status is success")
    again = data(client.validate(open_query, identifier(names["Process"], ANY_COUNTER, "*")))
    equal(struct.unpack("<I", again[16:20])[0], ALREADY_EXISTS, "added twice")
    equal(client.validate(open_query, b"\0" * 8)["ErrorCode"], INVALID_PARAMETER, "no identifier")

    ask = lambda request, size, query=open_query: client.with_handle(request, query, dwInSize=size)
    info = data(ask(QueryCounterInfo(), 1 << 20))
    equal(len(info), len(added), "counters of the query")
    short = ask(QueryCounterData(), 16)
    equal((short["ErrorCode"], short["pdwOutSize"]), (NOT_ENOUGH_MEMORY, 0), "short values")
    sample = ask(QueryCounterData(), short["pdwRtnSize"])
    equal(sample["ErrorCode"], SUCCESS, "values")
    total, num_blocks = struct.unpack("<II", data(sample)[:8])
    equal((total, num_blocks), (len(data(sample)), 202), "the header of the values")

    wrong = (0, b"\xee" * 16)
    for request in (QueryCounterInfo(), QueryCounterData()):
        fault(lambda: ask(request, 100, wrong), CONTEXT_MISMATCH, "a wrong handle")
    fault(lambda: client.validate(wrong, added), CONTEXT_MISMATCH, "a wrong handle")
    fault(lambda: client.with_handle(CloseQueryHandle(), wrong), CONTEXT_MISMATCH, "closing a wrong handle")

    closed = client.with_handle(CloseQueryHandle(), open_query)
    equal((closed["ErrorCode"], handle(closed)), (SUCCESS, (0, b"\0" * 16)), "closing")
    fault(lambda: ask(QueryCounterData(), 100), CONTEXT_MISMATCH, "a closed handle")


def main():
    port, user, password = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    served(Client(port, user, password, RPC_C_AUTHN_LEVEL_PKT_PRIVACY))
    for level in (
        RPC_C_AUTHN_LEVEL_NONE,
        RPC_C_AUTHN_LEVEL_CONNECT,
        RPC_C_AUTHN_LEVEL_CALL,
        RPC_C_AUTHN_LEVEL_PKT,
        RPC_C_AUTHN_LEVEL_PKT_INTEGRITY,
    ):
        client = Client(port, user, password, level)
        for reply in (client.enumerate(), client.registration(b"\7" * 16, 1), client.instances(b"\7" * 16)):
            equal((reply["ErrorCode"], reply["pdwOutSize"]), (ACCESS_DENIED, 0), f"level {level}")
        reply = client.open()
        equal((reply["ErrorCode"], handle(reply)), (ACCESS_DENIED, (0, b"\0" * 16)), f"level {level}")
    for other, secret in ((user, "wrong"), ("LAB\\adam", password)):
        fault(Client(port, other, secret, RPC_C_AUTHN_LEVEL_PKT_PRIVACY).enumerate, NO_ACCESS, other)


main()
