"""Decrypts a capture of the air by itself, for comparison: air_decrypt.py FILE.pcap LTK….

Reads pcap with link type 256 by code of its own. An LTK is hexadecimal, most significant byte first; the one that opens the
first packet of a session is the session's. Prints a line for each data channel PDU of a connection with encryption that has a MIC and a good CRC,
retransmissions once: the frame's number and the plain text in hexadecimal, or "closed" where it did not open; at the end
"opened N of M". A session begins with LL_ENC_REQ and LL_ENC_RSP (Vol 6, Part B, 5.1.3.1); AES-CCM is that of `cryptography`.
"""

import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

ADVERTISING = 0x8E89BED6
ENC_REQ, ENC_RSP, START_ENC_REQ, PAUSE_RSP = 0x03, 0x04, 0x05, 0x0B
# Packets that may have been missed before one that opens.
WINDOW = 70_000


def packets(path):
    """The frames of a pcap file: number, pseudo-header flags, access address, header, payload."""
    with open(path, "rb") as file:
        data = file.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    linktype = struct.unpack_from(order + "I", data, 20)[0]
    assert linktype == 256, f"link type {linktype}"
    offset, number = 24, 0
    while offset + 16 <= len(data):
        captured = struct.unpack_from(order + "I", data, offset + 8)[0]
        frame = data[offset + 16:offset + 16 + captured]
        offset += 16 + captured
        number += 1
        flags = struct.unpack_from("<H", frame, 8)[0]
        address = struct.unpack_from("<I", frame, 10)[0]
        pdu = frame[14:]
        # On LE Coded, the coding indicator precedes the PDU.
        if flags >> 14 == 2:
            pdu = pdu[1:]
        yield number, flags, address, pdu[0], pdu[2:2 + pdu[1]]


class Side:
    """One direction of a connection."""

    def __init__(self):
        self.counter = 0
        self.sequence = None
        self.last = None


class Connection:
    def __init__(self):
        self.sides = {True: Side(), False: Side()}
        self.request = self.response = None
        self.ciphers, self.vector = [], None
        self.is_encrypted = {True: False, False: False}

    def start(self, keys):
        diversifier = self.request[0] + self.response[0]
        encryptors = [Cipher(algorithms.AES(key), modes.ECB()).encryptor() for key in keys]
        self.ciphers = [AESCCM(one.update(diversifier[::-1]), tag_length=4) for one in encryptors]
        self.vector = self.request[1] + self.response[1]
        for side in self.sides.values():
            side.counter = 0

    def open(self, header, sealed, from_central):
        """The plain text; None where no counter of the window opens the PDU."""
        side = self.sides[from_central]
        for cipher in self.ciphers:
            for counter in range(side.counter, side.counter + WINDOW):
                nonce = (counter | (from_central << 39)).to_bytes(5, "little") + self.vector
                try:
                    plain = cipher.decrypt(nonce, bytes(sealed), bytes([header & 0xE3]))
                except InvalidTag:
                    continue
                side.counter, self.ciphers = counter + 1, [cipher]
                return plain
        return None


def main(path, keys):
    connections, opened, closed = {}, 0, 0
    for number, flags, address, header, payload in packets(path):
        if address == ADVERTISING or not payload:
            if address != ADVERTISING and address in connections:
                note_empty(connections[address], flags, header)
            continue
        if not flags & 0x0800:  # CRC is valid.
            continue
        connection = connections.setdefault(address, Connection())
        from_central = flags >> 7 & 7 == 2
        side = connection.sides[from_central]
        sequence = header >> 3 & 1
        if side.sequence == sequence and side.last == bytes(payload):
            continue
        side.sequence, side.last = sequence, bytes(payload)
        plain = payload
        if connection.is_encrypted[from_central]:
            plain = connection.open(header, payload, from_central)
            print(number, plain.hex() if plain is not None else "closed")
            opened, closed = opened + (plain is not None), closed + (plain is None)
        if plain is not None and header & 3 == 3:
            follow(connection, plain, from_central, keys)
    print(f"opened {opened} of {opened + closed}")


def note_empty(connection, flags, header):
    """An empty PDU takes a sequence number, and no counter."""
    side = connection.sides[flags >> 7 & 7 == 2]
    side.sequence, side.last = header >> 3 & 1, b""


def follow(connection, control, from_central, keys):
    code = control[0]
    if code == ENC_REQ and len(control) == 23:
        connection.request = control[11:19], control[19:23]
    elif code == ENC_RSP and len(control) == 13 and connection.request:
        connection.response = control[1:9], control[9:13]
    elif code == START_ENC_REQ and connection.response:
        connection.start(keys)
        connection.is_encrypted = {True: True, False: True}
    elif code == PAUSE_RSP:
        # That of the peripheral is the last encrypted PDU, that of the central the first one in the clear.
        connection.is_encrypted = {True: False, False: False}


if __name__ == "__main__":
    main(sys.argv[1], [bytes.fromhex(key) for key in sys.argv[2:]])
