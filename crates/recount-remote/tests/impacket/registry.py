"""impacket's client of the remote registry, calling our server.

    registry.py PORT USER PASSWORD
"""

import struct
import sys

from impacket.dcerpc.v5 import rrp, transport
from impacket.dcerpc.v5.rpcrt import DCERPCException, RPC_C_AUTHN_LEVEL_PKT_INTEGRITY, RPC_C_AUTHN_LEVEL_PKT_PRIVACY
from impacket.uuid import uuidtup_to_bin

port, user, password = sys.argv[1:4]
domain, name = user.split("\\")


def bind(level):
    binding = transport.DCERPCTransportFactory(f"ncacn_ip_tcp:127.0.0.1[{port}]")
    binding.set_credentials(name, password, domain)
    rpc = binding.get_dce_rpc()
    rpc.set_auth_level(level)
    rpc.connect()
    rpc.bind(rrp.MSRPC_UUID_RRP)
    return rpc


def code(call, *arguments, **named):
    """The return code of a call that fails."""
    try:
        call(*arguments, **named)
    except DCERPCException as error:
        return error.get_error_code()
    raise AssertionError(f"{call.__name__} succeeded")


assert code(rrp.hOpenPerformanceData, bind(RPC_C_AUTHN_LEVEL_PKT_INTEGRITY)) == 5

rpc = bind(RPC_C_AUTHN_LEVEL_PKT_PRIVACY)
key = rrp.hOpenPerformanceData(rpc)["phKey"]
# It begins with a short buffer, and asks again with the length that the answer says.
kind, block = rrp.hBaseRegQueryValue(rpc, key, "Global", 16)
assert kind == rrp.REG_BINARY, kind
assert block[:8] == "PERF".encode("utf-16-le"), block[:8]
assert int.from_bytes(block[0x14:0x18], "little") == len(block), len(block)
kind, names = rrp.hBaseRegQueryValue(rpc, key, "Counter 009")
text = rrp.hBaseRegQueryValue(rpc, rrp.hOpenPerformanceText(rpc)["phKey"], "Counter")
assert (kind, names) == text
assert "Available Bytes" in str(names) or "Available Bytes".encode("utf-16-le") in bytes(names, "utf-16-le"), names
assert rrp.hOpenPerformanceNlsText(rpc)["ErrorCode"] == 0
assert code(rrp.hBaseRegQueryValue, rpc, key, "Absent") == 2
assert rrp.hBaseRegCloseKey(rpc, key)["ErrorCode"] == 0

# The same key again, keys that aren't there, and the protocol's version.
again = rrp.hBaseRegOpenKey(rpc, rrp.hOpenPerformanceData(rpc)["phKey"], "")["phkResult"]
assert rrp.hBaseRegQueryValue(rpc, again, "Global", 1 << 20)[1][:8] == block[:8]
assert code(rrp.hBaseRegOpenKey, rpc, again, "Absent") == 2
assert rrp.hBaseRegGetVersion(rpc, again)["lpdwVersion"] == 5

# Another interface of the connection, with authentication of its own (MS-RPCE 3.3.1.5.4).
PERFLIB = uuidtup_to_bin(("da5a86c5-12c2-4943-ab30-7f74a813d853", "1.0"))
other = rpc.alter_ctx(PERFLIB)
machine = "srv\0".encode("utf-16-le")
other.call(0, struct.pack("<III", 4, 0, 4) + machine + struct.pack("<I", 256))
num_sets = struct.unpack("<I", other.recv()[:4])[0]
assert num_sets == 2, num_sets
assert rrp.hBaseRegQueryValue(rpc, again, "Global", 1 << 20)[1][:8] == block[:8]
