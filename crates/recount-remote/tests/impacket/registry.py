"""impacket's client of the remote registry, calling our server.

    registry.py PORT USER PASSWORD
"""

import sys

from impacket.dcerpc.v5 import rrp, transport
from impacket.dcerpc.v5.rpcrt import DCERPCException, RPC_C_AUTHN_LEVEL_PKT_INTEGRITY, RPC_C_AUTHN_LEVEL_PKT_PRIVACY

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
