#!/usr/bin/env python3
"""Both ends of a three-wire UART (H5; Vol 4, Part D): plays HCI traffic between a host and a controller, and writes what a
tap on the wire sees.

    three_wire_player.py FOLDER [--seed N] [--window N] [--no-crc] [--flow-control] [--loss P] [--damage P]

Files in FOLDER: tx.bin and rx.bin, what each line carried, from the host and from the controller; both.btsnoop, the frames of
both in order (data link 1004); tx.txt, rx.txt and both.txt, the HCI packets that a reader must find, H4 in hexadecimal, those of
both.txt after S (sent by the host) or R. The output is a JSON object: HCI packets that were repeated without damage.

--loss is the share of frames that the other end does not take, whose repetition the tap sees twice; --damage that of frames
with a wrong byte on the wire.
"""

import argparse
import json
import os
import random
import struct

ACK, COMMAND, ACL, SCO, EVENT, ISO, LINK_CONTROL = 0, 1, 2, 3, 4, 5, 15
SYNC, SYNC_RESPONSE, WAKEUP, WOKEN = b"\x01\x7e", b"\x02\x7d", b"\x05\xfa", b"\x06\xf9"
CONFIG, CONFIG_RESPONSE = b"\x03\xfc", b"\x04\x7b"
BTSNOOP_EPOCH = 0x00DCDDB30F2F8000


def crc(data):
    """The shift register of Vol 4, Part D, 5.1: bits in the order of the wire, x^16 + x^12 + x^5 + 1, from all ones."""
    register = 0xFFFF
    for byte in data:
        for position in range(8):
            feedback = (register >> 15) ^ (byte >> position & 1)
            register = register << 1 & 0xFFFF
            if feedback:
                register ^= 0x1021
    return register


def slip(data, flow_control):
    escapes = {0xC0: 0xDC, 0xDB: 0xDD}
    if flow_control:
        escapes.update({0x11: 0xDE, 0x13: 0xDF})
    frame = bytearray([0xC0])
    for byte in data:
        frame += bytes([0xDB, escapes[byte]]) if byte in escapes else bytes([byte])
    return bytes(frame + b"\xc0")


class End:
    """One end: its queue, its window, and what it has accepted."""

    def __init__(self, options, queue):
        self.options = options
        self.queue = list(queue)
        self.unacknowledged = []
        self.sequence = 0
        self.expected = 0
        self.owes_acknowledgement = False
        self.idle = 0
        self.accepted = []

    def frame(self, kind, payload, sequence=None):
        first = self.expected << 3
        if sequence is not None:
            first |= 0x80 | sequence
        if self.options.crc and kind not in (ACK, LINK_CONTROL):
            first |= 0x40
        second = kind | (len(payload) & 0x0F) << 4
        third = len(payload) >> 4
        data = bytes([first, second, third, 0xFF - (first + second + third & 0xFF)]) + payload
        if first & 0x40:
            data += struct.pack(">H", crc(data))
        return slip(data, self.options.flow_control)

    def transmit(self):
        """The next frames: (packet or None, whether it is a repetition, bytes)."""
        frames = []
        if self.idle > 3 and self.unacknowledged:
            self.idle = 0
            frames = [(p, True, self.frame(p[0], p[1], s)) for s, p in self.unacknowledged]
        elif self.queue and self.queue[0][0] == SCO:
            packet = self.queue.pop(0)
            frames = [(packet, False, self.frame(*packet))]
        elif self.queue and len(self.unacknowledged) < self.options.window:
            packet = self.queue.pop(0)
            self.unacknowledged.append((self.sequence, packet))
            frames = [(packet, False, self.frame(*packet, self.sequence))]
            self.sequence = (self.sequence + 1) % 8
        elif self.owes_acknowledgement:
            frames = [(None, False, self.frame(ACK, b""))]
        if frames:
            self.owes_acknowledgement = False
        self.idle += bool(self.unacknowledged)
        return frames

    def receive(self, header, packet):
        acknowledged = header[0] >> 3 & 7
        numbers = [sequence for sequence, _ in self.unacknowledged]
        following = [(sequence + 1) % 8 for sequence in numbers]
        if acknowledged in following:
            del self.unacknowledged[: following.index(acknowledged) + 1]
            self.idle = 0
        if packet is None:
            return
        if not header[0] & 0x80:
            self.accepted.append(packet)
            return
        self.owes_acknowledgement = True
        if header[0] & 7 == self.expected:
            self.expected = (self.expected + 1) % 8
            self.accepted.append(packet)


def header_of(frame):
    """The header of a frame of this program, whose bytes may be escaped."""
    plain = frame[1:-1]
    for escaped, byte in ((0xDC, b"\xc0"), (0xDE, b"\x11"), (0xDF, b"\x13"), (0xDD, b"\xdb")):
        plain = plain.replace(bytes([0xDB, escaped]), byte)
    return plain[:4]


def payload(source, kind, number):
    """A packet whose body has its number, and bytes that must be escaped."""
    bodies = [0x11, 0x13, 0xC0, 0xDB, 0xDC, number & 0xFF]
    body = struct.pack("<H", number) + bytes(source.choice(bodies) for _ in range(source.randrange(40)))
    if kind == COMMAND:
        return struct.pack("<HB", 0xFC01, len(body)) + body
    if kind == EVENT:
        return struct.pack("<BB", 0xFF, len(body)) + body
    if kind == SCO:
        return struct.pack("<HB", 0x0001, len(body)) + body
    body += bytes(source.choice([0, 0, 0, 600]))
    return struct.pack("<HHHH", 0x2040, len(body) + 4, len(body), 0x0040) + body


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--window", type=int, default=4)
    parser.add_argument("--no-crc", dest="crc", action="store_false")
    parser.add_argument("--flow-control", action="store_true")
    parser.add_argument("--loss", type=float, default=0)
    parser.add_argument("--damage", type=float, default=0)
    options = parser.parse_args()
    source = random.Random(options.seed)

    # The direction of a dump shows with its first command or event.
    queues = {"tx": [(COMMAND, b"\x03\x0c\x00")], "rx": [(EVENT, b"\x0e\x04\x01\x03\x0c\x00")]}
    for line, kinds in (("tx", [COMMAND, ACL, SCO]), ("rx", [EVENT, ACL, SCO])):
        for number in range(300):
            kind = source.choice(kinds)
            queues[line].append((kind, payload(source, kind, number)))
    ends = {line: End(options, queue) for line, queue in queues.items()}
    wire = []
    found, seen = [], set()
    repeated = {"tx": 0, "rx": 0}
    configuration = bytes([options.window | (0x10 if options.crc else 0) | (0x08 if options.flow_control else 0)])
    for line, message in [
        ("tx", SYNC), ("tx", SYNC), ("rx", SYNC_RESPONSE), ("rx", SYNC), ("tx", SYNC_RESPONSE), ("tx", CONFIG + configuration),
        ("rx", CONFIG_RESPONSE + configuration), ("rx", CONFIG + configuration), ("tx", CONFIG_RESPONSE + configuration),
        ("tx", WAKEUP), ("rx", WOKEN),
    ]:
        wire.append((line, ends[line].frame(LINK_CONTROL, message)))

    while any(end.queue or end.unacknowledged for end in ends.values()):
        line = source.choice(["tx", "rx"])
        other = ends["rx" if line == "tx" else "tx"]
        for packet, is_repetition, frame in ends[line].transmit():
            is_damaged = packet is not None and source.random() < options.damage
            if is_damaged:
                place = source.randrange(1, len(frame) - 1)
                wrong = bytes([frame[place] ^ 1 << source.randrange(8)])
                wire.append((line, frame[:place] + wrong + frame[place + 1 :]))
                if packet[0] == SCO:
                    other.accepted.append(packet)
                continue
            wire.append((line, frame))
            if packet is not None and id(packet) in seen:
                repeated[line] += 1
            elif packet is not None:
                seen.add(id(packet))
                found.append((line, packet))
            is_lost = source.random() < options.loss and (packet is None or packet[0] != SCO)
            if not is_lost:
                other.receive(header_of(frame), packet)

    for line, other in (("tx", "rx"), ("rx", "tx")):
        # What is not reliable may overtake a packet that is repeated.
        for is_sco in (False, True):
            took = [packet for packet in ends[other].accepted if (packet[0] == SCO) == is_sco]
            assert took == [packet for packet in queues[line] if (packet[0] == SCO) == is_sco], "the ends disagree"
        with open(os.path.join(options.folder, line + ".bin"), "wb") as file:
            file.write(b"".join(frame for l, frame in wire if l == line))
        with open(os.path.join(options.folder, line + ".txt"), "w") as file:
            file.writelines(f"{kind:02x}{body.hex()}\n" for l, (kind, body) in found if l == line)
    with open(os.path.join(options.folder, "both.txt"), "w") as file:
        file.writelines(f"{'S' if l == 'tx' else 'R'} {kind:02x}{body.hex()}\n" for l, (kind, body) in found)
    with open(os.path.join(options.folder, "both.btsnoop"), "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, 1004))
        for number, (line, frame) in enumerate(wire):
            stamp = BTSNOOP_EPOCH + 1_700_000_000_000_000 + number * 1000
            file.write(struct.pack(">IIIIQ", len(frame), len(frame), int(line == "rx"), 0, stamp) + frame)
    print(json.dumps({"repeated": repeated, "frames": len(wire)}))


if __name__ == "__main__":
    main()
