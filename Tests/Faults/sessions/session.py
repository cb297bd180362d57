"""A session: a logged host, the devices around it, and the air that a sniffer hears."""

import struct

from .capture import ADVERTISING_ADDRESS, PLAIN_FLAGS, btsnoop, pcap
from .crypto import ah, crc24
from .link import CENTRAL, FEATURE_REQ, FEATURE_RSP, FEATURES, LENGTH_REQ, LENGTH_RSP, PERIPHERAL, VERSION, Link

START = 1_780_000_000_000_000
ADV_IND, ADV_DIRECT_IND, ADV_NONCONN_IND, SCAN_REQ, SCAN_RSP, CONNECT_IND, ADV_SCAN_IND = range(7)
UNKNOWN_CONNECTION, ADVERTISING_TIMEOUT = 0x02, 0x3C


class Device:
    """A device and its advertising data; the address has its least significant byte first."""

    def __init__(self, random, name, kind=None):
        self.name = name
        kind = kind or random.choice(("public", "static", "static", "private"))
        self.is_random = kind != "public"
        self.irk = random.randbytes(16)
        address = bytearray(random.randbytes(6))
        if kind == "static":
            address[5] |= 0xC0
        elif kind == "private":
            address[5] = address[5] & 0x3F | 0x40
            address[:3] = ah(self.irk, bytes(address[5:2:-1]))[::-1]
        elif kind == "public":
            address[3:] = bytes.fromhex("c8f6a4")
        self.address = bytes(address)
        self.identity = self.address
        if kind == "private":
            self.identity = random.randbytes(5) + bytes([random.randrange(256) | 0xC0])
        self.data = b"\x02\x01\x06" + bytes([len(name) + 1, 9]) + name.encode()

    @property
    def type(self):
        return int(self.is_random)


class Session:
    """Records both views at once; all that is random comes from one source."""

    def __init__(self, random, local=CENTRAL, **options):
        self.random, self.local = random, local
        self.hci, self.air = [], []
        self.origin = START + random.randrange(10**13)
        self.time = self.origin
        self.loss = options.get("loss", random.choice((0, 0, 0.01, 0.03)))
        self.missed = random.choice((0, 0, 0.005))
        self.acl_length = random.choice((27, 251, 251))
        self.acl_count = random.randint(4, 12)
        self.uses_extended = options.get("uses_extended", random.random() < 0.4)
        self.enhanced = self.uses_extended or random.random() < 0.5
        self.extended_reject = random.random() < 0.5
        self.decrypts = True
        self.credits = random.randint(2, 6)
        self.next_handle = random.choice((0x0001, 0x0010, 0x0040, 0x0041, 0x0200, 0x0800))
        self.host = Device(random, "host", random.choice(("public", "static")))
        self.powers = {}
        self.keys = []

    # Recording.

    def levels(self, device):
        if device not in self.powers:
            middle = self.random.randint(-75, -40)
            self.powers[device] = (middle - 3, middle + 3)
        return self.powers[device]

    def on_air(self, time, channel, dbm, flags, access, pdu, crc):
        self.air.append((time, channel, dbm, flags | PLAIN_FLAGS, access, pdu + crc24(pdu, crc)))

    def event(self, time, code, parameters):
        self.time = max(self.time, time)
        self.hci.append((time, True, bytes([4, code, len(parameters)]) + parameters))

    def acl(self, time, received, handle, boundary, data):
        self.hci.append((time, received, struct.pack("<BHH", 2, handle | boundary << 12, len(data)) + data))

    def command(self, opcode, parameters=b"", status=0, returns=b"", is_status=False):
        """A command and its Command Complete or Command Status."""
        self.send_command(opcode, parameters)
        self.time += self.random.randint(150, 900)
        self.answer(opcode, status, returns, is_status)

    def send_command(self, opcode, parameters=b""):
        self.hci.append((self.time, False, struct.pack("<BHB", 1, opcode, len(parameters)) + parameters))

    def answer(self, opcode, status=0, returns=b"", is_status=False):
        if is_status:
            self.event(self.time, 0x0F, struct.pack("<BBH", status, self.credits, opcode))
        else:
            self.event(self.time, 0x0E, struct.pack("<BHB", self.credits, opcode, status) + returns)
        self.time += self.random.randint(100, 1500)

    def wait(self, seconds):
        self.time += int(seconds * 1e6)

    def file(self, view, link_type=256):
        """The session as a file."""
        if view == "hci":
            return btsnoop(sorted(self.hci, key=lambda p: p[0]))
        return pcap(sorted(self.air, key=lambda p: p[0]), link_type)

    # Set-up.

    def start(self):
        """The commands with which a host sets up its controller."""
        self.command(0x0C03)
        self.command(0x1001, returns=struct.pack("<BHBHH", 0x0B, 0x1234, 0x0B, 0x0059, 0x0100))
        self.command(0x1003, returns=bytes.fromhex("bf0a0000b8000000")[:4] + bytes.fromhex("60000000"))
        self.command(0x1009, returns=self.host.address if not self.host.is_random else self.random.randbytes(6))
        self.command(0x0C01, bytes.fromhex("ffff9fffffbfff3d"))
        self.command(0x2002, returns=struct.pack("<HB", self.acl_length, self.acl_count))
        self.command(0x2003, returns=struct.pack("<Q", 0x1100 | FEATURES))
        self.command(0x2001, bytes.fromhex("ff1f0a0000000000") if self.enhanced else bytes.fromhex("7f00000000000000"))
        self.command(0x200F, returns=bytes([self.random.randint(4, 16)]))
        if self.host.is_random:
            self.command(0x2005, self.host.address)

    # Advertising on the air.

    def advertise_on_air(self, device, until, kind=ADV_IND, target=None, scanner=None, interval=None, start=None):
        """Advertising events of a device until a time; a scanner requests responses from some of them."""
        time = (start or self.time) + self.random.randint(0, 10_000)
        interval = interval or self.random.choice((30_000, 60_000, 100_000, 152_500))
        header = kind | device.type << 6 | ((target.type << 7) if target else 0)
        body = device.address + (target.address if kind == ADV_DIRECT_IND else device.data)
        pdu = bytes([header, len(body)]) + body
        while time < until - 4000:
            for step, channel in enumerate((37, 38, 39)):
                at = time + step * 900
                self.on_air(at, channel, self.random.randint(*self.levels(device)), 0, ADVERTISING_ADDRESS, pdu, 0x555555)
                if scanner and channel == 38 and self.random.random() < 0.2:
                    self.scan_on_air(at + (len(pdu) + 8) * 8 + 150, channel, scanner, device)
            time += interval + self.random.randint(0, 10_000)

    def scan_on_air(self, time, channel, scanner, device):
        body = scanner.address + device.address
        request = bytes([SCAN_REQ | scanner.type << 6 | device.type << 7, 12]) + body
        response = bytes([SCAN_RSP | device.type << 6, 10]) + device.address + b"\x03\x19\x40\x03"
        for pdu, sender in ((request, scanner), (response, device)):
            self.on_air(time, channel, self.random.randint(*self.levels(sender)), 0, ADVERTISING_ADDRESS, pdu, 0x555555)
            time += (len(pdu) + 8) * 8 + 150

    # Scanning, as the host sees it.

    def scan(self, devices, seconds, policy=0, until_stop=True, duplicates=False):
        """The host scans; each of the devices advertises meanwhile and is reported."""
        end = self.time + int(seconds * 1e6)
        if self.uses_extended:
            self.command(0x2041, struct.pack("<BBBBHH", self.host.type, policy, 1, 1, 0x60, 0x30))
            self.command(0x2042, struct.pack("<BBHH", 1, int(not duplicates), 0, 0))
        else:
            self.command(0x200B, struct.pack("<BHHBB", 1, 0x60, 0x30, self.host.type, policy))
            self.command(0x200C, struct.pack("<BB", 1, int(not duplicates)))
        begin = self.time
        for device in devices:
            self.advertise_on_air(device, end, scanner=self.host, start=begin)
            count = self.random.randint(1, 4)
            for time in sorted(self.random.randint(begin + 5000, max(end - 5000, begin + 6000)) for _ in range(count)):
                self.report(device, time)
        self.time = max(self.time, end)
        if until_stop:
            self.stop_scan()

    def stop_scan(self):
        if self.uses_extended:
            self.command(0x2042, struct.pack("<BBHH", 0, 0, 0, 0))
        else:
            self.command(0x200C, b"\0\0")

    def report(self, device, time, kind=ADV_IND, target=None):
        """An advertising report; kinds as in the PDU."""
        dbm = self.random.randint(*self.levels(device)) & 0xFF
        data = b"" if kind == ADV_DIRECT_IND else device.data
        if self.uses_extended:
            event_type = {ADV_IND: 0x13, ADV_DIRECT_IND: 0x15, ADV_NONCONN_IND: 0x10}[kind]
            direct = (b"\xfe" + target.address) if target else bytes(7)
            # The periodic interval, 0, follows the RSSI.
            parameters = (
                struct.pack("<BBHB", 0x0D, 1, event_type, device.type) + device.address
                + bytes([1, 0, 0xFF, 0x7F, dbm]) + b"\0\0" + direct + bytes([len(data)]) + data
            )
        elif kind == ADV_DIRECT_IND and target and target is not self.host:
            parameters = bytes([0x0B, 1, 1, device.type]) + device.address + bytes([target.type]) + target.address
            parameters += bytes([dbm])
        else:
            event_type = {ADV_IND: 0, ADV_DIRECT_IND: 1, ADV_NONCONN_IND: 3}[kind]
            parameters = bytes([2, 1, event_type, device.type]) + device.address + bytes([len(data)]) + data + bytes([dbm])
        self.hci.append((time, True, bytes([4, 0x3E, len(parameters)]) + parameters))

    # Connecting.

    def create_connection(self, peer, policy=0, status=0, interval=24, latency=0, timeout=200):
        """LE Create Connection, or the extended command, with its Command Status."""
        address = bytes([peer.type]) + peer.address if policy == 0 else bytes(7)
        timing = struct.pack("<HHHHHH", interval, interval, latency, timeout, 0, 0)
        if self.uses_extended:
            body = bytes([policy, self.host.type]) + address + b"\x01" + struct.pack("<HH", 0x60, 0x30) + timing
            self.command(0x2043, body, status, is_status=True)
        else:
            body = struct.pack("<HHB", 0x60, 0x30, policy) + address + bytes([self.host.type]) + timing
            self.command(0x200D, body, status, is_status=True)

    def cancel_connection(self):
        """LE Create Connection Cancel, and the event that ends the attempt."""
        self.command(0x200E)
        self.report_connection(UNKNOWN_CONNECTION, 0, CENTRAL, None, 0, 0, 0)

    def report_connection(self, status, handle, role, peer, interval, latency, timeout):
        address = bytes([peer.type]) + peer.address if peer else bytes(7)
        parameters = struct.pack("<BHB", status, handle, role) + address
        if self.enhanced:
            parameters = b"\x0a" + parameters + bytes(12)
        else:
            parameters = b"\x01" + parameters
        self.event(self.time + 300, 0x3E, parameters + struct.pack("<HHHB", interval, latency, timeout, 0 if role == 0 else 5))

    def host_advertises(self, seconds=0.3, kind=0, target=None, policy=0):
        """The host, as a peripheral, sets up advertising, and advertises for a time."""
        address = bytes([target.type]) + target.address if target else bytes(7)
        self.command(0x2006, struct.pack("<HHBB", 0xA0, 0xA0, kind, self.host.type) + address + bytes([7, policy]))
        self.command(0x2008, bytes([len(self.host.data)]) + self.host.data.ljust(31, b"\0"))
        self.command(0x2009, bytes(32))
        self.command(0x200A, b"\x01")
        begin = self.time
        self.wait(seconds)
        self.advertise_on_air(self.host, self.time, ADV_DIRECT_IND if target else ADV_IND, target, start=begin)

    def connect(self, peer, advertised=0.4, prepared=False, established=True, exchange=True, interval=None,
                timeout=None, latency=0, between=None, directed=None):
        """A connection of the host with a peer, or between two other devices (`between`).

        With `established` false, the Link has a peripheral that never answers, and nothing is reported. `directed` is
        the device that the peripheral advertises to.
        """
        random = self.random
        interval = interval or random.choice((24, 32, 40))
        timeout = timeout or random.choice((200, 300, 400))
        local = None if between else self.local
        if between:
            central, peripheral = between
        else:
            central, peripheral = (self.host, peer) if local == CENTRAL else (peer, self.host)
        if not prepared:
            if local == CENTRAL:
                self.create_connection(peer, interval=interval, latency=latency, timeout=timeout)
            elif local == PERIPHERAL:
                self.host_advertises(advertised)
        if local != PERIPHERAL:
            begin = self.time
            self.wait(advertised)
            self.advertise_on_air(peripheral, self.time, start=begin)
        access = self.access_address()
        crc, hop = random.randrange(1, 1 << 24), random.randint(5, 16)
        channel = random.choice((37, 38, 39))
        if directed:
            body = bytes([ADV_DIRECT_IND | peripheral.type << 6 | directed.type << 7, 12]) + peripheral.address
            body += directed.address
        else:
            body = bytes([ADV_IND | peripheral.type << 6, 6 + len(peripheral.data)]) + peripheral.address + peripheral.data
        self.on_air(self.time, channel, random.randint(*self.levels(peripheral)), 0, ADVERTISING_ADDRESS, body, 0x555555)
        at = self.time + (len(body) + 8) * 8 + 150
        offset = random.randint(0, 6)
        request = central.address + peripheral.address + struct.pack("<I", access) + crc.to_bytes(3, "little")
        request += struct.pack("<BHHHH", 2, offset, interval, latency, timeout) + b"\xff\xff\xff\xff\x1f" + bytes([hop | 1 << 5])
        pdu = bytes([CONNECT_IND | central.type << 6 | peripheral.type << 7, 34]) + request
        self.on_air(at, channel, random.randint(*self.levels(central)), 0, ADVERTISING_ADDRESS, pdu, 0x555555)
        handle = self.next_handle
        self.next_handle += 1
        anchor = at + 352 + 1250 + offset * 1250 + random.randint(0, 1000)
        self.time = at + 400
        link = Link(self, (central, peripheral), local, handle, access, crc, hop, interval, latency, timeout, anchor)
        if not established:
            link.gone[PERIPHERAL] = True
            return link
        if local is not None:
            self.report_connection(0, handle, local, peer, interval, latency, timeout)
        link.event()
        if exchange:
            self.exchange(link)
        return link

    def access_address(self):
        while True:
            access = self.random.randrange(1 << 32)
            bits = f"{access:032b}"
            # The rules of Vol 6, Part B, 2.1.2 that matter to readers.
            if "0" * 7 in bits or "1" * 7 in bits or bits.count("01") + bits.count("10") > 20:
                continue
            if sum(a != b for a, b in zip(bits, bits[1:])) < 8 or bits[:6].count("01") + bits[:6].count("10") < 2:
                continue
            return access

    def exchange(self, link):
        """Versions, features and data length, as most controllers and hosts exchange them."""
        handle = struct.pack("<H", link.handle)
        is_central = link.local == CENTRAL
        features = struct.pack("<Q", FEATURES)
        if is_central:
            self.command(0x2016, handle, is_status=True)
        link.control(CENTRAL, FEATURE_REQ, features)
        link.control(PERIPHERAL, FEATURE_RSP, features)
        if is_central:
            self.event(self.time + 300, 0x3E, b"\x04\x00" + handle + features)
        if self.random.random() < 0.6:
            versions = [struct.pack("<BHH", 0x0B, 0x0059, 0x0100), struct.pack("<BHH", 0x09, 0x000D, 0x0200)]
            if is_central:
                self.command(0x041D, handle, is_status=True)
            link.control(CENTRAL, VERSION, versions[0])
            link.control(PERIPHERAL, VERSION, versions[1])
            if is_central:
                self.event(self.time + 300, 0x0C, b"\x00" + handle + versions[1])
        if self.random.random() < 0.5:
            lengths = struct.pack("<HHHH", 251, 2120, 251, 2120)
            if is_central:
                self.command(0x2022, handle + struct.pack("<HH", 251, 2120), returns=handle)
            link.control(CENTRAL, LENGTH_REQ, lengths)
            link.control(PERIPHERAL, LENGTH_RSP, lengths)
            link.length = 251
            if link.is_logged:
                self.event(self.time + 300, 0x3E, b"\x07" + handle + lengths)
