"""A fleet of captures, made of two recordings: other devices, days and firmware, rules that are broken, damaged files."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

WAIVERS = Path(__file__).with_name("fleet-waivers.yaml")
FIRST_DAY = date(2026, 2, 1)
DAYS = 4
PUCK, COUNTER = bytes.fromhex("240ac412a3f4"), bytes.fromhex("c0ffee00a5c3")


@dataclass(frozen=True)
class Capture:
    """What a capture of the fleet is."""

    path: Path
    plugin: str
    firmware: str
    day: date
    is_broken: bool = False
    status: str = "ok"


class Recording:
    """A btsnoop file whose copies differ."""

    def __init__(self, path: Path, address: bytes, begin: date):
        data = path.read_bytes()
        self.header, self.address, self.begin = data[:16], address, begin
        noon = int(datetime(begin.year, begin.month, begin.day, 12, tzinfo=timezone.utc).timestamp())
        self.clocks = range(noon - 86_400, noon + 60)
        self.records = [(head, time, packet, self._clocks(packet)) for head, time, packet in self._records(data)]

    @staticmethod
    def _records(data: bytes) -> Iterator[tuple[bytes, int, bytes]]:
        offset = 16
        while offset < len(data):
            (length,) = struct.unpack_from(">I", data, offset + 4)
            (time,) = struct.unpack_from(">q", data, offset + 16)
            yield data[offset : offset + 16], time, data[offset + 24 : offset + 24 + length]
            offset += 24 + length

    def _clocks(self, packet: bytes) -> list[int]:
        """Where a packet has a time of the recording, in seconds since 1970."""
        return [at for at in range(len(packet) - 3) if int.from_bytes(packet[at : at + 4], "little") in self.clocks]

    def copy(self, number: int, day: date, changes: dict[bytes, bytes]) -> bytes:
        """Of another device, on another day, with some bytes changed."""
        seconds = (day - self.begin).days * 86_400 + number % 40_000
        address = self.address[:3] + (number % 40).to_bytes(3, "big")
        changes = {self.address[::-1]: address[::-1], **changes}
        parts = [self.header]
        for head, time, packet, clocks in self.records:
            for at in clocks:
                clock = int.from_bytes(packet[at : at + 4], "little") + seconds
                packet = packet[:at] + clock.to_bytes(4, "little") + packet[at + 4 :]
            for old, new in changes.items():
                packet = packet.replace(old, new)
            parts += [head, struct.pack(">q", time + seconds * 1_000_000), packet]
        return b"".join(parts)


def make_fleet(captures: Path, folder: Path, count: int) -> list[Capture]:
    """Writes `count` captures of four days, each of one of 40 devices.

    Four of five are of pucks, whose firmware is 0.2.0 from the third day on; each third of these breaks AQ-060. Of forty
    captures, one is cut, one is a text, and one is empty.
    """
    puck = Recording(captures / "aquavate-sync" / "capture.btsnoop", PUCK, date(2026, 2, 1))
    counter = Recording(captures / "lifecount-session" / "capture.btsnoop", COUNTER, date(2026, 3, 1))
    made = []
    for number in range(count):
        day_number = number * DAYS // count
        day = FIRST_DAY + timedelta(days=day_number)
        path = folder / day.isoformat() / f"{number:06}.btsnoop"
        path.parent.mkdir(parents=True, exist_ok=True)
        is_counter = number % 5 == 4
        is_new = day_number >= DAYS // 2 and not is_counter
        is_broken = is_new and number % 3 == 0
        changes = {b"0.1.0": b"0.2.0"} if is_new else {}
        if is_broken:
            # The last chunk announces a record that it has not.
            changes[bytes.fromhex("1b1f00010002000100")] = bytes.fromhex("1b1f00010002000200")
        data = (counter if is_counter else puck).copy(number, day, changes)
        status = {17: "damaged", 18: "unreadable", 37: "unreadable"}.get(number % 40, "ok")
        path.write_bytes({17: data[:-3], 18: b"no capture\n", 37: b""}.get(number % 40, data))
        firmware = "1.2" if is_counter else "0.2.0" if is_new else "0.1.0"
        made.append(Capture(path, "lifecount" if is_counter else "aquavate", firmware, day, is_broken, status))
    return made
