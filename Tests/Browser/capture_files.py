"""Captures that the tests generate: one of many packets, one of hostile texts."""

import os
import struct
from pathlib import Path

#: A debug program filters too slowly for a million; scripts/browser-test says so.
PACKETS = int(os.environ.get("BROWSER_TEST_PACKETS", "1000000"))
#: Every so many packets, a notification comes from this handle instead of 0x0012.
RARE_EVERY = 1000
RARE_HANDLE = 0x0034

HEADER = b"btsnoop\0" + struct.pack(">II", 1, 1002)
#: 2026-01-01 in microseconds since year 0, as btsnoop counts.
START = 0x00DCDDB30F2F8000 + 1_767_225_600_000_000
ADDRESS = bytes.fromhex("010000eeffc0")


def record(packet: bytes, microseconds: int, received: bool = True) -> bytes:
    flags = int(received) | (2 if packet[0] in (1, 4) else 0)
    return struct.pack(">IIIIQ", len(packet), len(packet), flags, 0, START + microseconds) + packet


def connection_complete(address: bytes = ADDRESS, handle: int = 0x0040) -> bytes:
    event = struct.pack("<BBHBB", 0x01, 0, handle, 0, 1) + address + struct.pack("<HHHB", 24, 0, 200, 0)
    return bytes([4, 0x3E, len(event)]) + event


def advertising_report(address: bytes, data: bytes, response: bool = False) -> bytes:
    event = struct.pack("<BBBB", 0x02, 1, 4 if response else 0, 1) + address + bytes([len(data)]) + data + b"\xc4"
    return bytes([4, 0x3E, len(event)]) + event


def att(pdu: bytes, received: bool = True, handle: int = 0x0040) -> bytes:
    frame = struct.pack("<HH", len(pdu), 4) + pdu
    return b"\x02" + struct.pack("<HH", handle | (0x2000 if received else 0), len(frame)) + frame


def notification(handle: int, value: bytes) -> bytes:
    return att(struct.pack("<BH", 0x1B, handle) + value)


def large_capture(path: Path, packets: int = PACKETS) -> Path:
    """A connection and `packets - 1` notifications of two bytes, 5 ms apart; the value is the number of the packet."""
    common = bytearray(record(notification(0x0012, b"\0\0"), 0))
    time_at = 16
    handle_at = len(common) - 4
    out = bytearray(HEADER + record(connection_complete(), 0))
    for number in range(2, packets + 1):
        struct.pack_into(">Q", common, time_at, START + number * 5000)
        struct.pack_into("<HH", common, handle_at, RARE_HANDLE if number % RARE_EVERY == 0 else 0x0012, number & 0xFFFF)
        out += common
    path.write_bytes(out)
    return path


#: Names that devices send. None may become markup, run, or turn the text around it.
HOSTILE_NAMES = (
    "<img src=x onerror=window.pwned=1>",
    "</span><script>window.pwned=1</script>",
    "\u202egnp.reppihc \u2067",
    "'\"><b>${7*7}{{7*7}}",
    "line\nbreak\ttab\0nul",
    "=HYPERLINK(1)",
)
#: The value of a notification that is put together from many packets of a credit-based channel has this length.
LONG_TEXT = 100_000
ATTRIBUTES = 60_000
#: Attributes of a table that are kept: docs/limits.md.
ATTRIBUTES_KEPT = 2_048


def hostile_capture(path: Path) -> Path:
    """Names with markup, an attribute table of 60,000 attributes, values of markup and texts as long as can be."""
    out = bytearray(HEADER)
    clock = 0

    def add(packet: bytes, received: bool = True) -> None:
        nonlocal clock
        clock += 1000
        out.extend(record(packet, clock, received))

    for place, name in enumerate(HOSTILE_NAMES):
        text = name.encode()
        address = bytes([place + 2]) + ADDRESS[1:]
        add(advertising_report(address, bytes([2, 1, 6, len(text[:26]) + 1, 9]) + text[:26]))
        add(advertising_report(address, bytes([len(text[:29]) + 1, 9]) + text[:29], response=True))
    add(connection_complete())
    add(att(struct.pack("<BH", 0x02, 517), received=False), received=False)
    add(att(struct.pack("<BH", 0x03, 517)))
    for first in range(1, ATTRIBUTES, 120):
        add(att(struct.pack("<BHH", 0x04, first, 0xFFFF), received=False), received=False)
        entries = b"".join(struct.pack("<HH", handle, 0x2901 if handle % 2 else 0x2A00) for handle in range(first, first + 120))
        add(att(b"\x05\x01" + entries))
    for name in HOSTILE_NAMES:
        add(att(struct.pack("<BH", 0x0A, 2), received=False), received=False)
        add(att(b"\x0b" + name.encode()))
    add(att(struct.pack("<BH", 0x0A, 2), received=False), received=False)
    add(att(b"\x0b" + b"<i>" * 171))
    path.write_bytes(out)
    return path


def commented_capture(path: Path, comment: str) -> Path:
    """A pcapng file with one packet and a comment of any length, in as many options as it needs."""
    def block(kind: int, body: bytes) -> bytes:
        length = 12 + len(body)
        return struct.pack("<II", kind, length) + body + struct.pack("<I", length)

    def option(code: int, value: bytes) -> bytes:
        return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

    packet = struct.pack(">I", 1) + notification(3, b"\x01")
    text = comment.encode()
    pieces = [text[start:start + 60_000] for start in range(0, len(text), 60_000)]
    body = struct.pack("<IIIII", 0, 0x0006_0000, 0, len(packet), len(packet)) + packet + bytes(-len(packet) % 4)
    path.write_bytes(
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        + block(1, struct.pack("<HHI", 201, 0, 0))
        + block(6, body + b"".join(option(1, piece) for piece in pieces) + option(0, b"")))
    return path


def connections_capture(path: Path, connections: int = 10) -> Path:
    """Connections with two notifications each; every device has an address of its own."""
    out = bytearray(HEADER)
    packets = [connection_complete(device_address(number), handle=0x40 + number) for number in range(1, connections + 1)]
    packets += [att(struct.pack("<BHB", 0x1B, 0x10, number), handle=0x40 + number) for _ in range(2) for number in range(1, connections + 1)]
    for place, packet in enumerate(packets):
        out += record(packet, (place + 1) * 10_000)
    path.write_bytes(out)
    return path


def signals_capture(path: Path) -> Path:
    """Advertisements of two devices, with another RSSI each time."""
    out = bytearray(HEADER)
    for place in range(6):
        report = advertising_report(device_address(1 + place % 2), b"\x02\x01\x06")
        out += record(report[:-1] + struct.pack("b", -40 - place), (place + 1) * 10_000)
    path.write_bytes(out)
    return path


def device_address(number: int) -> bytes:
    """`c0:ff:ee:00:00:01` for 1."""
    return bytes([number]) + ADDRESS[1:]
