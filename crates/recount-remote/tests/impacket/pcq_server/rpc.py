"""A server of DCE/RPC over TCP with NTLM (C706 chapter 12, MS-RPCE, MS-NLMP): packet privacy and nothing less.

Written from these documents, not from recount's code. impacket has the arithmetic of NTLM; its own server of RPC
doesn't authenticate.
"""

import os
import socketserver
import struct
import threading
import uuid

from Cryptodome.Cipher import ARC4
from impacket import ntlm

REQUEST, RESPONSE, FAULT, BIND, BIND_ACK, AUTH3 = 0, 2, 3, 11, 12, 16
FIRST, LAST, DID_NOT_EXECUTE = 1, 2, 0x20
HEADER, TRAILER, SIGNATURE = 16, 8, 16
NTLM, PRIVACY = 10, 6
# The smallest that everybody must take (C706 12.6.3.1): so both sides cut what they send.
MAX_FRAGMENT = 1432
NDR = (uuid.UUID("8a885d04-1ceb-11c9-9fe8-08002b104860"), 2)
ACCESS_DENIED = 5


class Fault(Exception):
    """What a call ends with instead of an answer."""


class Broken(Exception):
    """What no sound client sends: the connection ends, and the test fails."""


class Ntlm:
    """The server's side of one context (MS-NLMP 3.2.5)."""

    def __init__(self, user, domain, password, negotiate):
        self.user, self.domain, self.password, self.negotiate = user, domain, password, negotiate
        offered = struct.unpack_from("<I", negotiate, 12)[0]
        needed = (
            ntlm.NTLMSSP_NEGOTIATE_UNICODE
            | ntlm.NTLMSSP_NEGOTIATE_SIGN
            | ntlm.NTLMSSP_NEGOTIATE_SEAL
            | ntlm.NTLMSSP_NEGOTIATE_NTLM
            | ntlm.NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY
            | ntlm.NTLMSSP_NEGOTIATE_KEY_EXCH
            | ntlm.NTLMSSP_NEGOTIATE_128
        )
        if offered & needed != needed:
            raise Broken(f"NTLM: flags 0x{offered:08x} of the client lack some of 0x{needed:08x}")
        always = ntlm.NTLMSSP_NEGOTIATE_ALWAYS_SIGN | ntlm.NTLMSSP_NEGOTIATE_56 | ntlm.NTLMSSP_REQUEST_TARGET
        self.flags = needed | offered & always | ntlm.NTLMSSP_TARGET_TYPE_SERVER | ntlm.NTLMSSP_NEGOTIATE_TARGET_INFO
        self.nonce = os.urandom(8)
        self.challenge = self.challenge_message()
        self.authenticated = False

    def challenge_message(self):
        name = "PEER".encode("utf-16-le")
        pairs = ntlm.AV_PAIRS()
        for kind in (ntlm.NTLMSSP_AV_DOMAINNAME, ntlm.NTLMSSP_AV_HOSTNAME):
            pairs[kind] = name
        for kind in (ntlm.NTLMSSP_AV_DNS_DOMAINNAME, ntlm.NTLMSSP_AV_DNS_HOSTNAME):
            pairs[kind] = "peer.example".encode("utf-16-le")
        pairs[ntlm.NTLMSSP_AV_TIME] = struct.pack("<Q", 134163648000000000)
        info = pairs.getData()
        # The fields' places are counted from the message's start; the version (8 bytes) may be zeros.
        head = b"NTLMSSP\0" + struct.pack("<IHHI", 2, len(name), len(name), 56)
        head += struct.pack("<I8s8xHHI8x", self.flags, self.nonce, len(info), len(info), 56 + len(name))
        return head + name + info

    def authenticate(self, message):
        """Checks the response and makes the keys; False if user or password are wrong."""
        fields = ntlm.NTLMAuthChallengeResponse()
        fields.fromString(message)
        user, domain = (fields[name].decode("utf-16-le") for name in ("user_name", "domain_name"))
        response, flags = fields["ntlm"], fields["flags"]
        if (user.upper(), domain.upper()) != (self.user.upper(), self.domain.upper()) or len(response) < 44:
            return False
        key = ntlm.NTOWFv2(user, self.password, domain)
        proof = ntlm.hmac_md5(key, self.nonce + response[16:])
        if proof != response[:16]:
            return False
        session = message[fields["session_key_offset"] :][: fields["session_key_len"]]
        exported = ARC4.new(ntlm.hmac_md5(key, proof)).decrypt(session)
        pairs = ntlm.AV_PAIRS(response[44:])
        av_flags = pairs[ntlm.NTLMSSP_AV_FLAGS]
        if av_flags is not None and av_flags[1][0] & 2:
            # The message integrity code is behind the version (MS-NLMP 2.2.1.3).
            plain = message[:72] + bytes(16) + message[88:]
            if ntlm.hmac_md5(exported, self.negotiate + self.challenge + plain) != message[72:88]:
                raise Broken("NTLM: the MIC isn't that of the three messages")
        if flags & self.flags & ntlm.NTLMSSP_NEGOTIATE_SEAL == 0:
            raise Broken(f"NTLM: no sealing in flags 0x{flags:08x}")
        self.flags = flags
        self.theirs, self.ours = (Direction(flags, exported, side) for side in ("Client", "Server"))
        self.authenticated = True
        return True


class Direction:
    """Keys and sequence of one direction (MS-NLMP 3.4.5)."""

    def __init__(self, flags, exported, side):
        self.flags, self.sequence = flags, 0
        self.sign_key = ntlm.SIGNKEY(flags, exported, side)
        self.handle = ARC4.new(ntlm.SEALKEY(flags, exported, side)).encrypt

    def crypt(self, data):
        return self.handle(data)

    def signature(self, message):
        signature = ntlm.MAC(self.flags, self.handle, self.sign_key, self.sequence, message).getData()
        self.sequence += 1
        return signature


class Call:
    """One call that is being received."""

    def __init__(self, context, opnum):
        self.context, self.opnum, self.stub = context, opnum, b""


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        self.context = self.call = None
        self.refused = False
        self.bound = set()
        self.session = self.server.service.connect()
        try:
            while (pdu := self.receive()) is not None:
                self.process(pdu)
        except (ConnectionError, TimeoutError):
            pass
        except Exception as error:
            # A thread's exception would only be printed.
            self.server.errors.append(f"{type(error).__name__}: {error}")

    def receive(self):
        head = self.exactly(HEADER)
        if head is None:
            return None
        length = struct.unpack_from("<H", head, 8)[0]
        if head[:2] != b"\5\0" or head[4:8] != b"\x10\0\0\0" or not HEADER <= length <= MAX_FRAGMENT:
            raise Broken(f"a header {head.hex()}")
        rest = self.exactly(length - HEADER)
        if rest is None:
            raise Broken("half a PDU")
        return head + rest

    def exactly(self, length):
        data = b""
        while len(data) < length:
            part = self.request.recv(length - len(data))
            if not part:
                if data:
                    raise Broken("the client ended within a PDU")
                return None if length else b""
            data += part
        return data

    def process(self, pdu):
        kind, flags, auth_len, call_id = pdu[2], pdu[3], *struct.unpack_from("<HI", pdu, 10)
        if kind == BIND:
            self.bind(pdu, auth_len, call_id)
        elif kind == AUTH3:
            self.refused = not self.context.authenticate(pdu[len(pdu) - auth_len :])
        elif kind == REQUEST:
            self.fragment(pdu, flags, auth_len, call_id)
        else:
            raise Broken(f"a PDU of type {kind}")

    def bind(self, pdu, auth_len, call_id):
        max_xmit, max_recv, _, num_contexts = struct.unpack_from("<HHIB", pdu, HEADER)
        if auth_len == 0:
            raise Broken("a bind without authentication")
        trailer = len(pdu) - auth_len - TRAILER
        auth_type, level, _, _, self.auth_id = struct.unpack_from("<BBBBI", pdu, trailer)
        if (auth_type, level) != (NTLM, PRIVACY):
            raise Broken(f"authentication {auth_type} of level {level}")
        results, ofs = b"", HEADER + 12
        for _ in range(num_contexts):
            number, num_syntaxes = struct.unpack_from("<HBx", pdu, ofs)
            syntaxes = [syntax(pdu, ofs + 4 + 20 * index) for index in range(num_syntaxes + 1)]
            ofs += 4 + 20 * len(syntaxes)
            if syntaxes[0] != self.server.service.INTERFACE:
                results += struct.pack("<HH20x", 2, 1)
            elif NDR not in syntaxes[1:]:
                results += struct.pack("<HH20x", 2, 2)
            else:
                self.bound.add(number)
                results += struct.pack("<HH16sI", 0, 0, NDR[0].bytes_le, NDR[1])
        self.context = Ntlm(*self.server.account, pdu[len(pdu) - auth_len :])
        self.max_fragment = min(max_recv, MAX_FRAGMENT)
        address = str(self.server.server_address[1]).encode() + b"\0"
        body = struct.pack("<HHIH", self.max_fragment, min(max_xmit, MAX_FRAGMENT), 0x5243, len(address)) + address
        body += bytes(-len(body) % 4) + struct.pack("<B3x", num_contexts) + results
        body += self.trailer(0) + self.context.challenge
        self.send(BIND_ACK, FIRST | LAST, call_id, body, len(self.context.challenge))

    def fragment(self, pdu, flags, auth_len, call_id):
        if self.refused:
            return self.fault(call_id, ACCESS_DENIED)
        context, opnum = struct.unpack_from("<HH", pdu, HEADER + 4)
        if not self.context.authenticated or context not in self.bound or flags & 0x80:
            raise Broken("a call that isn't authenticated, of no interface, or with an object")
        stub = self.unseal(pdu, auth_len)
        if flags & FIRST:
            self.call = Call(context, opnum)
        if (self.call.context, self.call.opnum) != (context, opnum):
            raise Broken("fragments of two calls")
        self.call.stub += stub
        if flags & LAST:
            call, self.call = self.call, None
            self.server.num_fragments[0] += 1
            try:
                answer = self.session.call(call.opnum, call.stub)
            except Fault as fault:
                return self.fault(call_id, fault.args[0])
            self.respond(call_id, call, answer)
        else:
            self.server.num_fragments[0] += 1

    def unseal(self, pdu, auth_len):
        """The stub of a fragment whose signature is right."""
        end = len(pdu) - auth_len - TRAILER
        auth_type, level, num_pad, _, auth_id = struct.unpack_from("<BBBBI", pdu, end)
        if (auth_len, auth_type, level, auth_id) != (SIGNATURE, NTLM, PRIVACY, self.auth_id):
            raise Broken(f"a trailer {pdu[end : end + TRAILER].hex()}")
        start = HEADER + 8
        stub = self.context.theirs.crypt(pdu[start:end])
        plain = pdu[:start] + stub + pdu[end : end + TRAILER]
        if self.context.theirs.signature(plain) != pdu[end + TRAILER :]:
            raise Broken("the signature of a call is wrong")
        return stub[: len(stub) - num_pad]

    def respond(self, call_id, call, answer):
        # Multiples of 16 bytes, so that padding is only needed at the end (MS-RPCE 2.2.2.11).
        room = (self.max_fragment - HEADER - 8 - TRAILER - SIGNATURE) // 16 * 16
        parts = [answer[ofs : ofs + room] for ofs in range(0, len(answer), room)]
        change = self.session.change_of_answer(call.opnum)
        for number, part in enumerate(parts):
            flags = (FIRST if number == 0 else 0) | (LAST if number == len(parts) - 1 else 0)
            num_pad = -len(part) % 16
            left = sum(map(len, parts[number:]))
            head = struct.pack("<IHBx", left, call.context, 0)
            plain = part + bytes(num_pad)
            trailer = self.trailer(num_pad)
            length = HEADER + len(head) + len(plain) + TRAILER + SIGNATURE
            signed = header(RESPONSE, flags, length, SIGNATURE, call_id) + head + plain + trailer
            sealed = self.context.ours.crypt(plain)
            body = bytearray(head + sealed + trailer + self.context.ours.signature(signed))
            if change is not None and number == len(parts) - 1:
                # Behind the seal, as someone on the way would.
                body[{"head": 0, "stub": len(head) + len(part) // 2, "signature": len(body) - 9}[change]] ^= 1
            self.send(RESPONSE, flags, call_id, body, SIGNATURE)
            self.server.num_fragments[1] += 1

    def fault(self, call_id, status):
        self.send(FAULT, FIRST | LAST | DID_NOT_EXECUTE, call_id, struct.pack("<IHBxI4x", 0, 0, 0, status), 0)

    def trailer(self, num_pad):
        return struct.pack("<BBBBI", NTLM, PRIVACY, num_pad, 0, self.auth_id)

    def send(self, kind, flags, call_id, body, auth_len):
        self.request.sendall(header(kind, flags, HEADER + len(body), auth_len, call_id) + body)


def header(kind, flags, length, auth_len, call_id):
    return struct.pack("<BBBB4sHHI", 5, 0, kind, flags, b"\x10\0\0\0", length, auth_len, call_id)


def syntax(pdu, ofs):
    return uuid.UUID(bytes_le=pdu[ofs : ofs + 16]), struct.unpack_from("<I", pdu, ofs + 16)[0]


class Server(socketserver.ThreadingTCPServer):
    """Serves on a free port until it is closed. `errors` are the client's faults, in words."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, service, user, domain, password):
        super().__init__(("127.0.0.1", 0), Connection)
        self.service, self.account = service, (user, domain, password)
        self.errors, self.num_fragments = [], [0, 0]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def close(self):
        self.shutdown()
        self.server_close()
