#!/usr/bin/env python3
"""Writes a file of TI's SmartRF Packet Sniffer (.psd) with the packets of a CC2540 that listens to an advertiser and then to a
connection.

    smartrf_writer.py FOLDER [--seed N]

Files in FOLDER: sniffed.psd; sniffed.txt, what a reader must find, a packet on each line: nanoseconds since the first
packet, RF channel in order of frequency, dBm, 1 for a valid CRC or 0, and the packet from access address to CRC in hexadecimal.
"""

import argparse
import os
import random
import struct

RECORD_SIZE = 271
ADVERTISING_ADDRESS, ADVERTISING_CRC = 0x8E89BED6, 0x555555
# 32 MHz; the chip's timer starts anew after 156.25 us.
TIMER_RANGE = 5000


def crc(pdu, initial):
    """The CRC of Vol 6, Part B, 3.1.1: x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1, in the order of the air."""
    register = initial
    for byte in pdu:
        for position in range(8):
            feedback = (register >> 23) ^ (byte >> position & 1)
            register = register << 1 & 0xFFFFFF
            if feedback:
                register ^= 0x00065B
    # The most significant bit is sent first, and a byte's first bit is its least significant one.
    return bytes(int(f"{register >> shift & 0xFF:08b}"[::-1], 2) for shift in (16, 8, 0))


def rf_channel(index):
    """Place of a channel index in order of frequency (Vol 6, Part B, 1.4.1)."""
    return {37: 0, 38: 12, 39: 39}.get(index, index + (1 if index < 11 else 2))


def record(number, ticks, packet, dbm, channel, is_valid):
    stamp = (ticks // TIMER_RANGE) << 16 | ticks % TIMER_RANGE
    header = struct.pack("<BIQHB", 1, number, stamp, len(packet) + 3, len(packet))
    status = struct.pack("<bB", dbm + 94, channel | (0x80 if is_valid else 0))
    return (header + packet + status).ljust(RECORD_SIZE, b"\0")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = random.Random(options.seed)
    address = bytes(source.randrange(256) for _ in range(6))
    connection_crc = source.randrange(1 << 24)
    access_address = source.randrange(1 << 32)
    ticks, start, channel = source.randrange(1 << 34), None, 0
    records, lines = [], []
    for number in range(1, 401):
        if number <= 100:
            body = address + bytes([2, 1, 6, 5, 9]) + b"Test"
            pdu = bytes([0x40, len(body)]) + body
            packet = struct.pack("<I", ADVERTISING_ADDRESS) + pdu + crc(pdu, ADVERTISING_CRC)
            index = 37 + number % 3
        else:
            body = bytes(source.randrange(256) for _ in range(source.choice([0, 0, 7, 27])))
            pdu = bytes([2 if body else 1, len(body)]) + body
            packet = struct.pack("<I", access_address) + pdu + crc(pdu, connection_crc)
            channel = (channel + 7) % 37
            index = channel
        is_valid = source.random() > 0.1
        if not is_valid:
            packet = packet[:-1] + bytes([packet[-1] ^ 1])
        ticks += source.randrange(3_000, 3_200_000)
        start = ticks if start is None else start
        dbm = source.randrange(-100, -20)
        records.append(record(number, ticks, packet, dbm, index, is_valid))
        lines.append(f"{ticks * 125 // 4 - start * 125 // 4} {rf_channel(index)} {dbm} {int(is_valid)} {packet.hex()}\n")
    with open(os.path.join(options.folder, "sniffed.psd"), "wb") as file:
        file.write(b"".join(records))
    with open(os.path.join(options.folder, "sniffed.txt"), "w") as file:
        file.writelines(lines)


if __name__ == "__main__":
    main()
