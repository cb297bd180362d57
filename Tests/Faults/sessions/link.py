"""A connection: the link layer on the air and what the local host sees of it."""

import struct
from collections import deque

from .capture import CRC_VALID, DECRYPTED, MIC_CHECKED, MIC_VALID
from .crypto import aes, ccm

CENTRAL, PERIPHERAL = 0, 1
TERMINATE, ENC_REQ, ENC_RSP, START_ENC_REQ, START_ENC_RSP = 0x02, 0x03, 0x04, 0x05, 0x06
UNKNOWN_RSP, FEATURE_REQ, FEATURE_RSP, VERSION = 0x07, 0x08, 0x09, 0x0C
REJECT, REJECT_EXT, PERIPHERAL_FEATURE_REQ, LENGTH_REQ, LENGTH_RSP = 0x0D, 0x11, 0x0E, 0x14, 0x15
CONTROL, START, CONTINUATION = 3, 2, 1
# Features: encryption, extended reject, peripheral's feature exchange, ping, data length.
FEATURES = 0x3D


class Item:
    """A PDU to be sent; `received` and `completed` are called with the time."""

    def __init__(self, llid, payload, received=None, completed=None):
        self.llid, self.payload, self.received, self.completed = llid, payload, received, completed
        self.sent = None


class Link:
    """Connection events from the first anchor on; `local` is the side whose host is logged, or None.

    Vol 6, Part B, 4.5. Methods advance the session's clock to the next free connection event.
    """

    def __init__(self, session, devices, local, handle, access, crc, hop, interval, latency, timeout, anchor):
        self.session, self.devices, self.local, self.handle = session, devices, local, handle
        self.access, self.crc, self.hop = access, crc, hop
        self.interval, self.latency, self.timeout = interval, latency, timeout
        self.time, self.count = anchor, 0
        self.unmapped, self.map = 0, list(range(37))
        self.queues = (deque(), deque())
        self.current = [None, None]
        self.sn, self.nesn = [0, 0], [0, 0]
        self.gone = [False, False]
        self.deaf = [False, False]
        self.ended = False
        self.loss = session.loss
        self.length = 27
        # Session key and IV of each sender; None while it sends plain text.
        self.keys, self.sending = None, [None, None]
        self.mic_fails = [False, False]
        self.counters = [0, 0]
        self.reports_completed = True
        self.at_event = {}
        self.heard = anchor
        self.identifier = 0
        self.air_peer = [list(session.levels(d)) for d in devices]

    @property
    def is_logged(self):
        return self.local is not None

    def channel(self):
        self.unmapped = (self.unmapped + self.hop) % 37
        return self.unmapped if self.unmapped in self.map else self.map[self.unmapped % len(self.map)]

    # The air.

    def event(self, silent=False):
        """One connection event; `silent` means that neither side is heard."""
        session, time, channel = self.session, self.time, self.channel()
        for change in self.at_event.pop(self.count, []):
            change()
        if not self.gone[CENTRAL] and not silent:
            for _ in range(4):
                pdu = self.transmit(CENTRAL, time, channel)
                time += (len(pdu.sent) + 8) * 8 + 150
                if self.gone[PERIPHERAL] or self.deaf[PERIPHERAL] or session.random.random() < self.loss:
                    break
                self.receive(PERIPHERAL, pdu, time)
                pdu = self.transmit(PERIPHERAL, time, channel)
                time += (len(pdu.sent) + 8) * 8 + 150
                if self.deaf[CENTRAL] or session.random.random() < self.loss:
                    break
                self.heard = time
                self.receive(CENTRAL, pdu, time)
                if not (pdu.sent[0] & 0x10 or self.queues[CENTRAL]):
                    break
        self.count += 1
        self.time += self.interval * 1250
        session.time = max(session.time, self.time - self.interval * 1250 + 1)

    def transmit(self, side, time, channel):
        item = self.current[side]
        if item is None:
            item = self.queues[side].popleft() if self.queues[side] else Item(CONTINUATION, b"")
            item.counter = None
            if item.payload and self.sending[side]:
                item.counter = self.counters[side]
                self.counters[side] += 1
                item.key = self.sending[side]
                item.fails = self.mic_fails[side]
            self.current[side] = item
        more = 0x10 if self.queues[side] else 0
        first = item.llid | self.nesn[side] << 2 | self.sn[side] << 3 | more
        payload, flags = item.payload, 0x0100 if side == CENTRAL else 0x0180
        if item.counter is not None:
            if self.session.decrypts:
                flags |= DECRYPTED | MIC_CHECKED | (0 if item.fails else MIC_VALID)
            else:
                key, vector = item.key
                number = item.counter | (0 if side == PERIPHERAL else 1 << 39)
                payload = ccm(key, number.to_bytes(5, "little") + vector, item.llid, payload)
                if item.fails:
                    payload = payload[:-1] + bytes([payload[-1] ^ 0x55])
        item.sent = bytes([first, len(payload)]) + payload
        missed = not item.payload and self.session.random.random() < self.session.missed
        if not missed:
            low, high = self.air_peer[side]
            dbm = self.session.random.randint(low, high)
            self.session.on_air(time, channel, dbm, flags, self.access, item.sent, self.crc)
        return item

    def receive(self, side, item, time):
        """Acknowledgement and flow control (Vol 6, Part B, 4.5.9)."""
        sn, nesn = item.sent[0] >> 3 & 1, item.sent[0] >> 2 & 1
        own = self.current[side]
        if own is not None and nesn != self.sn[side]:
            self.sn[side] ^= 1
            self.current[side] = None
            if own.completed:
                own.completed(time)
        if sn == self.nesn[side]:
            self.nesn[side] ^= 1
            if item.received:
                item.received(time)

    def is_busy(self):
        def waits(side):
            current = self.current[side]
            return bool(self.queues[side]) or (current is not None and current.payload)

        return waits(CENTRAL) or waits(PERIPHERAL)

    def catch_up(self):
        while self.time < self.session.time:
            self.event()

    def flush(self, limit=200):
        """Runs connection events until all is sent and acknowledged."""
        self.catch_up()
        for _ in range(limit):
            self.event()
            if not self.is_busy():
                return
        raise RuntimeError("the link never becomes idle")

    def idle(self, seconds):
        self.session.time = max(self.session.time, self.time - self.interval * 1250) + int(seconds * 1e6)
        self.catch_up()

    def until(self, time):
        self.session.time = max(self.session.time, time)
        self.catch_up()

    # What hosts send.

    def l2cap(self, side, channel, payload, wait=True):
        frame = struct.pack("<HH", len(payload), channel) + payload
        session = self.session
        if side != self.local:
            self._enqueue(side, frame, self.length, self._receive_report if self.is_logged else None, None)
        else:
            for start in range(0, len(frame), session.acl_length):
                piece = frame[start : start + session.acl_length]
                session.acl(max(session.time, self.time - 900), False, self.handle, 1 if start else 0, piece)
                self._enqueue(side, piece, self.length, None, self._report_completed, is_start=start == 0)
        if wait:
            self.flush()

    def _enqueue(self, side, data, length, report, completed, is_start=True):
        for start in range(0, len(data), length):
            piece = data[start : start + length]
            is_first, is_last = is_start and start == 0, start + length >= len(data)
            received = None
            if report:
                received = lambda time, piece=piece, first=is_first: report(time, first, piece)  # noqa: E731
            self.queues[side].append(
                Item(START if is_first else CONTINUATION, piece, received, completed if is_last else None)
            )

    def _receive_report(self, time, is_first, piece):
        self.session.acl(time + 120, True, self.handle, 2 if is_first else 1, piece)

    def _report_completed(self, time):
        if self.reports_completed:
            self.session.event(time + 180, 0x13, struct.pack("<BHH", 1, self.handle, 1))

    def att(self, side, payload, wait=True):
        self.l2cap(side, 4, payload, wait)

    def smp(self, side, payload):
        self.l2cap(side, 6, payload)

    def signal(self, side, code, data, identifier=None):
        if identifier is None:
            self.identifier = self.identifier % 255 + 1
            identifier = self.identifier
        self.l2cap(side, 5, struct.pack("<BBH", code, identifier, len(data)) + data)
        return identifier

    def control(self, side, opcode, data=b"", wait=True, received=None):
        self.queues[side].append(Item(CONTROL, bytes([opcode]) + data, received))
        if wait:
            self.flush()

    # Encryption (Vol 6, Part B, 5.1.3).

    def encrypt(self, ltk, rand=bytes(8), ediv=0, answer=None, peer_key=None, version=0x08):
        """Starts encryption with a key, most significant byte first.

        `answer` is an error code with which the peripheral's host has no key. `peer_key` is another key that the
        peripheral uses, so that no MIC fits.
        """
        session, random = self.session, self.session.random
        self.catch_up()
        if self.local == CENTRAL:
            session.command(0x2019, struct.pack("<H", self.handle) + rand + struct.pack("<H", ediv) + ltk[::-1],
                            is_status=True)
        skd = [random.randbytes(8), random.randbytes(8)]
        vector = [random.randbytes(4), random.randbytes(4)]
        self.control(CENTRAL, ENC_REQ, rand + struct.pack("<H", ediv) + skd[0] + vector[0])
        if self.local == PERIPHERAL:
            session.event(session.time + 200, 0x3E, b"\x05" + struct.pack("<H", self.handle) + rand + struct.pack("<H", ediv))
        self.control(PERIPHERAL, ENC_RSP, skd[1] + vector[1])
        if self.local == PERIPHERAL:
            session.time += 1500
            if answer:
                session.command(0x201B, struct.pack("<H", self.handle), returns=struct.pack("<H", self.handle))
            else:
                session.command(0x201A, struct.pack("<H", self.handle) + (peer_key or ltk)[::-1],
                                returns=struct.pack("<H", self.handle))
        if answer:
            if session.extended_reject:
                self.control(PERIPHERAL, REJECT_EXT, bytes([ENC_REQ, answer]))
            else:
                self.control(PERIPHERAL, REJECT, bytes([answer]))
            if self.local == CENTRAL:
                self.report_encryption(answer, 0, version)
            return False
        material = (skd[0] + skd[1])[::-1]
        key = aes(ltk, material)
        other = aes(peer_key, material) if peer_key else key
        self.keys = ((key, vector[0] + vector[1]), (other, vector[0] + vector[1]))
        self.counters = [0, 0]
        self.control(PERIPHERAL, START_ENC_REQ)
        self.sending[CENTRAL] = self.keys[0]
        if peer_key:
            # The peripheral drops the first PDU whose MIC is wrong (Vol 6, Part B, 5.1.3.1).
            self.mic_fails[CENTRAL] = True
            self.queues[CENTRAL].append(Item(CONTROL, bytes([START_ENC_RSP])))
            self.gone[PERIPHERAL] = True
            self.event()
            return False
        self.control(CENTRAL, START_ENC_RSP)
        self.sending[PERIPHERAL] = self.keys[1]
        self.control(PERIPHERAL, START_ENC_RSP)
        if self.is_logged:
            self.report_encryption(0, 1, version)
        return True

    def report_encryption(self, status, enabled, version=0x08):
        tail = b"\x10" if version == 0x59 else b""
        self.session.event(self.session.time + 250, version, struct.pack("<BHB", status, self.handle, enabled) + tail)

    # The end.

    def disconnect(self, side, reason=0x13):
        """One side ends the connection; a logged host sees 0x16 or the reason."""
        session = self.session
        self.catch_up()
        if side == self.local:
            session.command(0x0406, struct.pack("<HB", self.handle, reason), is_status=True)
        self.control(side, TERMINATE, bytes([reason]))
        if self.is_logged:
            self.report_end(0x16 if side == self.local else reason)
        self.ended = True
        session.time = self.time + session.random.randint(1000, 5000)

    def report_end(self, reason):
        session = self.session
        session.event(session.time + 300, 0x05, struct.pack("<BHB", 0, self.handle, reason))

    def lose(self, side, reason=0x08):
        """One side is no longer there; the other ends after the supervision time-out."""
        session = self.session
        self.catch_up()
        self.gone[side] = True
        self.expire(reason)

    def expire(self, reason=0x08):
        end = max(self.heard, self.time - self.interval * 1250) + self.timeout * 10_000
        while self.time < end:
            self.event()
        self.session.time = max(self.session.time, end)
        if self.is_logged and reason is not None:
            self.report_end(reason)
        self.ended = True
