"""impacket as an SMB server whose pipe `winreg` leads to our server.

    pipe.py PORT USER PASSWORD TO CONTROL

Connects to the port CONTROL when it listens, and ends when that connection does.
"""

import os
import socket
import sys
import threading

from impacket.ntlm import compute_lmhash, compute_nthash
from impacket.smbserver import SimpleSMBServer

port, user, password, to, control = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
server = SimpleSMBServer(listenAddress="127.0.0.1", listenPort=port)
server.setSMB2Support(True)
server.addCredential(user, 0, compute_lmhash(password), compute_nthash(password))
server.registerNamedPipe("winreg", ("127.0.0.1", to))
threading.Thread(target=server.start, daemon=True).start()
socket.create_connection(("127.0.0.1", control)).recv(1)
# Threads of connections would keep it.
os._exit(0)
