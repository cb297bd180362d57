"""An attribute server, its client, and the tables of servers."""

import struct

from .link import CENTRAL

READ, WRITE_COMMAND, WRITE, NOTIFY, INDICATE = 0x02, 0x04, 0x08, 0x10, 0x20
INVALID_HANDLE, READ_NOT_PERMITTED, WRITE_NOT_PERMITTED, INVALID_PDU = 0x01, 0x02, 0x03, 0x04
NOT_SUPPORTED, INVALID_OFFSET, NOT_FOUND, NOT_LONG = 0x06, 0x07, 0x0A, 0x0B
CCCD = 0x2902


def uuid_bytes(uuid):
    return struct.pack("<H", uuid) if isinstance(uuid, int) else uuid


class Attribute:
    def __init__(self, handle, uuid, value, writes=False, reads=True):
        self.handle, self.uuid, self.value = handle, uuid_bytes(uuid), value
        # Error codes that a read or a write gets.
        self.read_error = None if reads else READ_NOT_PERMITTED
        self.write_error = None if writes else WRITE_NOT_PERMITTED
        self.group_end = handle


class Characteristic:
    """Handles of a characteristic in the table."""

    def __init__(self, uuid, properties, declaration, value, cccd, descriptors, end):
        self.uuid, self.properties, self.declaration, self.value = uuid, properties, declaration, value
        self.cccd, self.descriptors, self.end = cccd, descriptors, end


class Server:
    """An attribute table that answers requests (Vol 3, Part F, 3.4)."""

    def __init__(self, random, mtu=None):
        self.random = random
        self.own_mtu = mtu or random.choice((23, 65, 185, 247, 517))
        self.mtu = 23
        self.attributes, self.services, self.characteristics = [], [], {}
        self.next = 1
        self.prepared = []
        self.prepare_limit = 64

    def service(self, uuid, gap=None):
        if self.attributes and self.attributes[-1].handle >= self.next:
            self.next = self.attributes[-1].handle + 1
        self.next += self.random.choice((0, 0, 4, 9)) if gap is None else gap
        attribute = Attribute(self.next, 0x2800, uuid_bytes(uuid))
        attribute.service = uuid
        self.attributes.append(attribute)
        self.services.append(attribute)
        self.next += 1
        return attribute

    def characteristic(self, name, uuid, properties, value, descriptions=()):
        """Adds a characteristic; `descriptions` are (UUID, value) before the CCCD."""
        declaration = self.next
        number = declaration + 1
        data = struct.pack("<BH", properties, number) + uuid_bytes(uuid)
        self.attributes.append(Attribute(declaration, 0x2803, data))
        writes = bool(properties & (WRITE | WRITE_COMMAND))
        self.attributes.append(Attribute(number, uuid, value, writes, bool(properties & READ)))
        descriptors, cccd = [], None
        for kind, content in descriptions:
            number += 1
            descriptors.append(number)
            self.attributes.append(Attribute(number, kind, content))
        if properties & (NOTIFY | INDICATE):
            number += 1
            cccd = number
            self.attributes.append(Attribute(number, CCCD, b"\0\0", writes=True))
        self.next = number + 1
        self.services[-1].group_end = number
        found = Characteristic(uuid, properties, declaration, declaration + 1, cccd, descriptors, number)
        self.characteristics[name] = found
        return found

    def find(self, handle):
        return next((a for a in self.attributes if a.handle == handle), None)

    def between(self, first, last):
        return [a for a in self.attributes if first <= a.handle <= last]

    def respond(self, request):
        """The response to a request, or None where there is none."""
        opcode = request[0]
        handle = struct.unpack_from("<H", request, 1)[0] if len(request) > 2 else 0
        method = {
            0x02: self._mtu, 0x04: self._find_information, 0x06: self._find_by_value, 0x08: self._read_by_type,
            0x0A: self._read, 0x0C: self._read_blob, 0x10: self._read_by_group, 0x12: self._write,
            0x16: self._prepare, 0x18: self._execute, 0x52: self._command,
        }.get(opcode)
        result = method(request) if method else NOT_SUPPORTED
        if isinstance(result, int):
            return struct.pack("<BBHB", 0x01, opcode, self.failing or handle, result)
        return result

    failing = None

    def _mtu(self, request):
        client = struct.unpack_from("<H", request, 1)[0]
        self.mtu = max(23, min(client, self.own_mtu))
        return struct.pack("<BH", 0x03, self.own_mtu)

    def _list(self, opcode, entries):
        """Entries of one size, as many as fit."""
        size, body = len(entries[0]), b""
        for entry in entries:
            if len(entry) != size or 2 + len(body) + size > self.mtu:
                break
            body += entry
        return bytes([opcode, size]) + body

    def _read_by_group(self, request):
        first, last = struct.unpack_from("<HH", request, 1)
        found = [a for a in self.services if first <= a.handle <= last]
        if not found:
            return NOT_FOUND
        return self._list(0x11, [struct.pack("<HH", a.handle, a.group_end) + a.value for a in found])

    def _read_by_type(self, request):
        first, last = struct.unpack_from("<HH", request, 1)
        found = [a for a in self.between(first, last) if a.uuid == request[5:]]
        if not found:
            return NOT_FOUND
        if found[0].read_error:
            return found[0].read_error
        return self._list(0x09, [struct.pack("<H", a.handle) + a.value[: self.mtu - 4] for a in found])

    def _find_information(self, request):
        first, last = struct.unpack_from("<HH", request, 1)
        found = self.between(first, last)
        if not found:
            return NOT_FOUND
        size = len(found[0].uuid)
        body = b""
        for attribute in found:
            if len(attribute.uuid) != size or 2 + len(body) + 2 + size > self.mtu:
                break
            body += struct.pack("<H", attribute.handle) + attribute.uuid
        return bytes([0x05, 1 if size == 2 else 2]) + body

    def _find_by_value(self, request):
        first, last = struct.unpack_from("<HH", request, 1)
        found = [a for a in self.services if first <= a.handle <= last and a.value == request[7:]]
        if not found:
            return NOT_FOUND
        return b"\x07" + b"".join(struct.pack("<HH", a.handle, a.group_end) for a in found)

    def _read(self, request):
        attribute = self.find(struct.unpack_from("<H", request, 1)[0])
        if not attribute:
            return INVALID_HANDLE
        return attribute.read_error or b"\x0b" + attribute.value[: self.mtu - 1]

    def _read_blob(self, request):
        handle, offset = struct.unpack_from("<HH", request, 1)
        attribute = self.find(handle)
        if not attribute:
            return INVALID_HANDLE
        if offset > len(attribute.value):
            return INVALID_OFFSET
        return attribute.read_error or b"\x0d" + attribute.value[offset : offset + self.mtu - 1]

    def _write(self, request):
        attribute = self.find(struct.unpack_from("<H", request, 1)[0])
        if not attribute:
            return INVALID_HANDLE
        if attribute.write_error:
            return attribute.write_error
        attribute.value = request[3:]
        return b"\x13"

    def _command(self, request):
        self._write(request)

    def _prepare(self, request):
        handle, offset = struct.unpack_from("<HH", request, 1)
        attribute = self.find(handle)
        if not attribute:
            return INVALID_HANDLE
        if attribute.write_error:
            return attribute.write_error
        if len(self.prepared) >= self.prepare_limit:
            return 0x09
        self.prepared.append((attribute, offset, request[5:]))
        return b"\x17" + request[1:]

    def _execute(self, request):
        if request[1]:
            for attribute, offset, part in self.prepared:
                attribute.value = attribute.value[:offset] + part + attribute.value[offset + len(part) :]
        self.prepared = []
        return b"\x19"


class Failure(Exception):
    """An Error Response that the script did not expect."""


class Client:
    """The client at one end of a link and the server at the other."""

    def __init__(self, link, server, side=CENTRAL):
        self.link, self.server, self.side = link, server, side
        self.session = link.session
        server.mtu = 23

    def request(self, pdu, is_answered=True):
        """Sends a request; returns the response of the server."""
        self.link.att(self.side, pdu)
        if not is_answered:
            return None
        response = self.server.respond(pdu)
        if response is not None:
            self.link.att(1 - self.side, response)
        return response

    def respond(self, pdu):
        self.link.att(1 - self.side, pdu)

    def error(self, pdu, code, handle=None):
        """A request that gets an Error Response of this code."""
        self.link.att(self.side, pdu)
        if handle is None:
            handle = struct.unpack_from("<H", pdu, 1)[0]
        self.link.att(1 - self.side, struct.pack("<BBHB", 1, pdu[0], handle, code))

    def exchange_mtu(self, mtu=None):
        self.request(struct.pack("<BH", 0x02, mtu or self.session.random.choice((185, 247, 512, 517))))

    def discover(self, uuids=(), is_partial=False):
        """Primary services, characteristics and descriptors, as most hosts discover them; ends with Attribute Not Found."""
        start = 1
        while start <= 0xFFFF:
            response = self.request(struct.pack("<BHHH", 0x10, start, 0xFFFF, 0x2800))
            if response[0] != 0x11:
                break
            size = response[1]
            last = response[len(response) - size :]
            start = struct.unpack_from("<H", last, 2)[0] + 1
        services = self.server.services
        for index, service in enumerate(services):
            if is_partial and index == len(services) // 2:
                return
            self.discover_characteristics(service)

    def discover_characteristics(self, service):
        start = service.handle + 1
        if start > service.group_end:
            return
        while start <= service.group_end:
            response = self.request(struct.pack("<BHHH", 0x08, start, service.group_end, 0x2803))
            if response[0] != 0x09:
                break
            size = response[1]
            start = struct.unpack_from("<H", response, len(response) - size)[0] + 1
        for found in self.server.characteristics.values():
            if service.handle < found.value <= service.group_end and found.value < found.end:
                self.discover_descriptors(found)

    def discover_descriptors(self, found):
        start = found.value + 1
        while start <= found.end:
            response = self.request(struct.pack("<BHH", 0x04, start, found.end))
            if response[0] != 0x05:
                break
            size = 4 if response[1] == 1 else 18
            start = struct.unpack_from("<H", response, len(response) - size)[0] + 1

    def read(self, handle):
        return self.request(struct.pack("<BH", 0x0A, handle))

    def read_long(self, handle):
        value = self.read(handle)[1:]
        size = self.server.mtu - 1
        while len(value) and len(value) % size == 0:
            response = self.request(struct.pack("<BHH", 0x0C, handle, len(value)))
            if response[0] != 0x0D or len(response) == 1:
                break
            value += response[1:]
        return value

    def write(self, handle, value):
        return self.request(struct.pack("<BH", 0x12, handle) + value)

    def command(self, handle, value):
        return self.request(struct.pack("<BH", 0x52, handle) + value)

    def subscribe(self, found, bits=None):
        bits = bits or (1 if found.properties & NOTIFY else 2)
        return self.write(found.cccd, struct.pack("<H", bits))

    def notify(self, handle, value):
        self.link.att(1 - self.side, struct.pack("<BH", 0x1B, handle) + value)

    def indicate(self, handle, value):
        self.link.att(1 - self.side, struct.pack("<BH", 0x1D, handle) + value)
        self.link.att(self.side, b"\x1e")


def thing(random, name="Thing", mtu=None):
    """A server as sensors have them: GAP, GATT, battery, device information and a vendor's service."""
    server = Server(random, mtu)
    server.next = 1
    server.service(0x1800, 0)
    server.characteristic("name", 0x2A00, READ, name.encode())
    server.characteristic("appearance", 0x2A01, READ, struct.pack("<H", 0x0540))
    server.service(0x1801)
    server.characteristic("changed", 0x2A05, INDICATE, b"")
    if random.random() < 0.7:
        server.service(0x180A)
        server.characteristic("maker", 0x2A29, READ, b"Acme")
        server.characteristic("model", 0x2A24, READ, b"T-%d" % random.randint(1, 900))
    server.service(0x180F)
    server.characteristic("battery", 0x2A19, READ | NOTIFY, bytes([random.randint(5, 100)]))
    base = random.randbytes(12)
    server.service(base + b"\x01\x00\x3b\x5a")
    names = ["data", "control", "settings"]
    random.shuffle(names)
    for number, kind in enumerate(names):
        uuid = base + struct.pack("<H", number + 2) + b"\x3b\x5a"
        describes = [(0x2901, kind.encode())] if random.random() < 0.5 else []
        if kind == "data":
            server.characteristic(kind, uuid, NOTIFY | READ, random.randbytes(random.randint(4, 12)), describes)
        elif kind == "control":
            server.characteristic(kind, uuid, WRITE | INDICATE, b"", describes)
        else:
            server.characteristic(kind, uuid, READ | WRITE, random.randbytes(random.randint(2, 16)), describes)
    return server

