"""Samba's client of the remote registry, by its Python bindings, calling our server over TCP.

    client.py PORT USER PASSWORD

Its default binding uses SPNEGO, signs the list of mechanisms, and adds verification trailers to its calls.
"""

import sys

from samba import WERRORError
from samba.credentials import DONT_USE_KERBEROS, Credentials
from samba.dcerpc import winreg
from samba.param import LoadParm

port, user, password = sys.argv[1:4]
domain, name = user.split("\\")
ACCESS_DENIED = 5


def bind(options):
    settings = LoadParm()
    credentials = Credentials()
    credentials.guess(settings)
    credentials.set_domain(domain)
    credentials.set_username(name)
    credentials.set_password(password)
    credentials.set_kerberos_state(DONT_USE_KERBEROS)
    return winreg.winreg(f"ncacn_ip_tcp:127.0.0.1[{port}{options}]", settings, credentials)


def length(registry):
    """The length of a block, asked for as often as there are calls to count."""
    key = registry.OpenHKPD(None, 0x02000000)
    value = winreg.String()
    value.name = "Global"
    lengths = {registry.QueryValue(key, value, 0, None, 0, 0)[2] for _ in range(5)}
    assert len(lengths) == 1, lengths
    return lengths.pop()


for options in (",seal", ",seal,spnego", ",seal,ntlm", ",seal,bigendian"):
    assert length(bind(options)) > 10_000, options
for options in ("", ",sign", ",sign,ntlm", ",connect", ",packet"):
    try:
        length(bind(options))
    except WERRORError as error:
        assert error.args[0] == ACCESS_DENIED, (options, error)
    else:
        raise AssertionError(f"{options}: not private, and answered")
