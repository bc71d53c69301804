"""impacket's client of the remote registry, through the SMB server of Samba.

    pipe.py PORT USER PASSWORD
"""

import sys

from impacket.dcerpc.v5 import rrp, transport
from impacket.dcerpc.v5.rpcrt import RPC_C_AUTHN_LEVEL_NONE, RPC_C_AUTHN_LEVEL_PKT_PRIVACY
from impacket.uuid import uuidtup_to_bin

port, user, password = int(sys.argv[1]), sys.argv[2], sys.argv[3]
PERFLIB = uuidtup_to_bin(("da5a86c5-12c2-4943-ab30-7f74a813d853", "1.0"))


def bind(level, interface=rrp.MSRPC_UUID_RRP, name=user):
    pipe = transport.SMBTransport("127.0.0.1", port, r"\winreg", user, password)
    rpc = pipe.get_dce_rpc()
    if level != RPC_C_AUTHN_LEVEL_NONE:
        rpc.set_credentials(name, password)
        rpc.set_auth_level(level)
    rpc.connect()
    rpc.bind(interface)
    return rpc


# As reg.py does: the user is Samba's, and nothing more is said.
for level in (RPC_C_AUTHN_LEVEL_NONE, RPC_C_AUTHN_LEVEL_PKT_PRIVACY):
    rpc = bind(level)
    key = rrp.hOpenPerformanceData(rpc)["phKey"]
    kind, block = rrp.hBaseRegQueryValue(rpc, key, "Global", 1 << 20)
    assert kind == rrp.REG_BINARY, kind
    assert int.from_bytes(block[0x14:0x18], "little") == len(block), len(block)
    kind, names = rrp.hBaseRegQueryValue(rpc, key, "Counter 009")
    assert "Available Bytes" in str(names), names
machine = b"\4\0\0\0\0\0\0\0\4\0\0\0" + "srv\0".encode("utf-16-le") + b"\0\1\0\0"
for level, expected in ((RPC_C_AUTHN_LEVEL_NONE, (0, 5)), (RPC_C_AUTHN_LEVEL_PKT_PRIVACY, (2, 0))):
    rpc = bind(level, PERFLIB)
    rpc.call(0, machine)
    answer = rpc.recv()
    found = int.from_bytes(answer[:4], "little"), int.from_bytes(answer[-4:], "little")
    assert found == expected, (level, found)
