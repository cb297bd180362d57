#!/usr/bin/env python3
"""A firmware's side of a serial port: plays Bluetooth traffic in the monitor protocol on a pseudo-terminal.

    monitor_player.py SCENARIO [--stack zephyr|nimble]

The first line of output is the path of the terminal, the second the sequence numbers of the packets that a reader must
find, as ranges. The player starts when a reader has set the terminal up. "read" follows when the reader has taken
everything. Then the player waits for a line, or for the end, of its standard input and ends, which hangs up the
terminal.

Packets are ATT notifications with a sequence number, 32 bits, at the start of their value. Log lines and printk are
among them.
"""

import argparse
import array
import fcntl
import os
import random
import select
import struct
import sys
import termios
import time
import tty

NEW_INDEX, EVENT, ACL_RX, OPEN_INDEX, SYSTEM_NOTE, USER_LOGGING = 0, 3, 5, 8, 12, 13
EVENT_DROPS, TIME = 2, 8
BOOT_TEXT = b"\r\n*** Booting Zephyr OS build v3.7.0 ***\r\n"
# How long a player waits for a reader or for its end, in seconds, before it gives up.
PATIENCE = 60


class Firmware:
    """Frames as a stack writes them."""

    def __init__(self, stack):
        self.stack = stack
        self.start = time.monotonic()

    def frame(self, opcode, body, dropped_events=0):
        ticks = int((time.monotonic() - self.start) * 10_000) & 0xFFFFFFFF
        stamp = struct.pack("<BI", TIME, ticks)
        drops = bytes([EVENT_DROPS, dropped_events]) if dropped_events else b""
        header = stamp + drops if self.stack == "zephyr" else drops + stamp
        return struct.pack("<HHBB", 4 + len(header) + len(body), opcode, 0, len(header)) + header + body

    def boot(self):
        name = self.stack.encode().ljust(8, b"\0")
        return self.frame(NEW_INDEX, bytes([0, 5, 1, 2, 3, 4, 5, 6]) + name) + self.frame(OPEN_INDEX, b"")

    def packet(self, number):
        """A notification; every tenth packet comes with a log line, a note and drops."""
        value = struct.pack("<I", number) + bytes(range(number % 180))
        att = struct.pack("<BH", 0x1B, 0x2A) + value
        body = struct.pack("<HHHH", 0x2040, len(att) + 4, len(att), 4) + att
        frame = self.frame(ACL_RX, body, dropped_events=number % 10 == 3)
        if number % 10 == 5:
            frame += self.frame(USER_LOGGING, b"\x06\x07bt_att\0" + b"notification %d\0" % number)
            frame += self.frame(SYSTEM_NOTE, b"packets: %d\r\0" % number)
            if self.stack == "nimble":
                frame += self.frame(SYSTEM_NOTE, b"", dropped_events=1)
        return frame


class Port:
    """The firmware's end of a pseudo-terminal."""

    def __init__(self):
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        settings = termios.tcgetattr(self.slave)
        settings[2] &= ~termios.CLOCAL
        termios.tcsetattr(self.slave, termios.TCSANOW, settings)
        self.path = os.ttyname(self.slave)

    def wait_for_reader(self):
        """Waits until a reader has set the terminal up, which may discard what was written before."""
        end = time.monotonic() + PATIENCE
        while not termios.tcgetattr(self.slave)[2] & termios.CLOCAL and time.monotonic() < end:
            time.sleep(0.005)

    def write(self, data):
        while data:
            data = data[os.write(self.master, data):]

    def wait_until_read(self, times=20):
        """Waits until a reader has taken all bytes, several times in a row: they pass the terminal in two steps."""
        end = time.monotonic() + PATIENCE
        empty = 0
        while empty < times and time.monotonic() < end:
            waiting = array.array("i", [0])
            fcntl.ioctl(self.slave, termios.FIONREAD, waiting)
            empty = empty + 1 if waiting[0] == 0 else 0
            time.sleep(0.005)


def without_byte(frame, at):
    return frame[:at] + frame[at + 1:]


def with_doubled_byte(frame, at):
    return frame[:at + 1] + frame[at:]


class Play:
    """What the scenarios do with the packets; each returns the numbers of the packets that it damages."""

    def __init__(self, port, firmware, count):
        self.port, self.firmware, self.count = port, firmware, count
        self.random = random.Random(40)

    def clean(self, number, frame):
        self.port.write(frame)

    full = clean

    def split(self, number, frame):
        """Each packet in two writes, the second when the first has been read."""
        at = 1 + number % (len(frame) - 1)
        self.port.write(frame[:at])
        self.port.wait_until_read(times=2)
        self.port.write(frame[at:])

    def noise(self, number, frame):
        if number % 3 == 0:
            self.port.write(self.random.randbytes(self.random.randint(1, 200)))
        self.port.write(frame)

    def boot(self, number, frame):
        """Starts with the text of a boot loader, and starts anew twice."""
        if number % 40 == 0:
            self.port.write(BOOT_TEXT + self.firmware.boot())
        self.port.write(frame)

    def lost(self, number, frame):
        self.damage(number, frame, without_byte)

    def doubled(self, number, frame):
        self.damage(number, frame, with_doubled_byte)

    def reset(self, number, frame):
        """Resets within a packet."""
        if self.is_damaged(number):
            self.port.write(frame[:len(frame) // 2] + BOOT_TEXT + self.firmware.boot())
        else:
            self.port.write(frame)

    def damage(self, number, frame, change):
        if self.is_damaged(number):
            frame = change(frame, self.random.randrange(len(frame)))
        self.port.write(frame)

    def is_damaged(self, number):
        return number % 8 == 4 and number < self.count - 1


DAMAGING = ("lost", "doubled", "reset")
COUNTS = {"full": 20_000}


def ranges(numbers):
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{first}-{last}" for first, last in parts)


def main():
    scenarios = ["clean", "full", "split", "noise", "boot", "lost", "doubled", "reset"]
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", choices=scenarios)
    parser.add_argument("--stack", choices=["zephyr", "nimble"], default="zephyr")
    arguments = parser.parse_args()

    port, firmware = Port(), Firmware(arguments.stack)
    count = COUNTS.get(arguments.scenario, 120)
    play = Play(port, firmware, count)
    damaged = arguments.scenario in DAMAGING
    print(port.path)
    print(ranges([n for n in range(count) if not (damaged and play.is_damaged(n))]), flush=True)

    port.wait_for_reader()
    port.write(firmware.boot())
    for number in range(count):
        getattr(play, arguments.scenario)(number, firmware.packet(number))
    port.wait_until_read()
    print("read", flush=True)
    select.select([sys.stdin], [], [], PATIENCE)


if __name__ == "__main__":
    main()
