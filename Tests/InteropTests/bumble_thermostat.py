"""A thermostat on Bumble with one fault: bumble_thermostat.py TRANSPORT FAULT.

TRANSPORT is written as Bumble writes it; bumble_thermostat.yaml describes the device. FAULT is `none`, one of the names in
FAULTS, or `stock` for Bumble's GATT server without the checks that it leaves out. Runs until it is ended.
"""

import asyncio
import logging
import signal
import sys

from bumble import att, hci
from bumble.core import AdvertisingData, UUID
from bumble.device import Device
from bumble.gatt import (
    GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR as CONFIGURATION,
    Characteristic,
    CharacteristicDeclaration,
    CharacteristicValue,
    Service,
)
from bumble.gatt_server import Server
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

FAULTS = {
    "property": "the measurement can be read, too",
    "length": "the serial number has 5 bytes",
    "error-code": "a read that is not permitted is refused with Unlikely Error",
    "unsubscribed": "a read of the serial number is followed by a notification that nobody subscribed to",
    "kept-configuration": "a Client Characteristic Configuration outlives the connection of a client without a bond",
    "mtu": "responses are as long as the value, whatever ATT_MTU is",
    "blob-offset": "a read from an offset begins one byte later",
    "cancelled-write": "a queued write that is cancelled is executed",
    "echo": "Prepare Write Response has another value than its request",
    "indication": "an indication follows before the one before it is confirmed",
    "order": "the second service stands before the first",
    "open-read": "the offset can be read without encryption",
    "open-write": "the offset can be written without encryption",
    "silent-reply": "requests to the control point are accepted and not answered",
    "slow-reply": "answers of the control point take 3 s, not 1 s",
    "wrong-reply": "answers of the control point name another request",
    "forgotten-target": "the target that was written is lost with the connection",
    "ignored-target": "a target is accepted and not stored",
    "duplicate-handle": "the declaration of the manual names the handle of the serial number",
    "missing-characteristic": "there is no manual",
    "missing-configuration": "the alarm has no Client Characteristic Configuration",
    "written-serial": "the serial number accepts writes that its properties do not have",
    "unknown-request": "an unknown request is refused with Unlikely Error",
    "disconnecting": "a write of more than 20 bytes ends the connection",
    "range": "the measurement is 200 degrees",
    "alarm-length": "an alarm has 2 bytes",
}
TARGET = b"\xd7\x00\x01"
target = bytearray(TARGET)
MANUAL = b"Turn the wheel to the temperature you want, then press it. "

fault = sys.argv[2]
assert fault in ("none", "stock", *FAULTS), fault


def uuid(number):
    return UUID(f"7C6D00{number:02X}-5B1E-4F0A-9A37-2F5D8E610C44")


class FaultyServer(Server):
    """Bumble's GATT server; faults that are in a procedure replace it."""

    kept = {}

    def on_disconnection(self, bearer):
        if fault == "forgotten-target":
            target[:] = TARGET
        if fault == "kept-configuration":
            self.kept.update(self.subscribers.get(bearer, {}))
        super().on_disconnection(bearer)

    def read_cccd(self, bearer, characteristic):
        if bearer not in self.subscribers and characteristic.handle in self.kept:
            return self.kept[characteristic.handle]
        return super().read_cccd(bearer, characteristic)

    def on_att_exchange_mtu_request(self, bearer, request):
        super().on_att_exchange_mtu_request(bearer, request)
        if fault == "mtu":
            bearer.att_mtu = 517

    def on_att_read_blob_request(self, bearer, request):
        if fault == "blob-offset" and request.value_offset > 0:
            request.value_offset += 1
        super().on_att_read_blob_request(bearer, request)

    def on_att_execute_write_request(self, bearer, request):
        if fault == "cancelled-write":
            request.flags = 1
        super().on_att_execute_write_request(bearer, request)

    def send_response(self, bearer, response):
        if fault == "echo" and isinstance(response, att.ATT_Prepare_Write_Response):
            response.part_attribute_value = bytes(byte ^ 1 for byte in response.part_attribute_value)
        super().send_response(bearer, response)

    def indicate_twice(self, bearer, attribute, value):
        for _ in range(2):
            indication = att.ATT_Handle_Value_Indication(attribute_handle=attribute.handle, attribute_value=value)
            self.send_gatt_pdu(bearer, bytes(indication))


class Thermostat(Device):
    """A Bumble device that refuses what Bumble's server should refuse and does not."""

    # Lengths of requests and commands by opcode: the exact ones, or the least as the first and None after it.
    LENGTHS = {
        0x02: (3,), 0x04: (5,), 0x06: (7, None), 0x08: (7, 21), 0x0A: (3,), 0x0C: (5,), 0x0E: (5, None),
        0x10: (7, 21), 0x12: (3, None), 0x16: (5, None), 0x18: (2,), 0x1E: (1,), 0x52: (3, None),
    }  # fmt: skip
    READS, WRITES, RANGES = (0x0A, 0x0C), (0x12, 0x16, 0x52), (0x04, 0x06, 0x08, 0x10)

    def on_gatt_pdu(self, handle, pdu):
        connection = self.lookup_connection(handle)
        problem = None if fault == "stock" else self.problem(pdu)
        if problem is None:
            return super().on_gatt_pdu(handle, pdu)
        code, attribute = problem
        # A command is ignored.
        if pdu[0] & 0x40 == 0:
            response = att.ATT_Error_Response(
                request_opcode_in_error=pdu[0], attribute_handle_in_error=attribute, error_code=code
            )
            self.gatt_server.send_response(connection, response)

    def problem(self, pdu):
        """The error that a PDU deserves, and the handle that it names; None where Bumble may answer."""
        lengths = self.LENGTHS.get(pdu[0])
        if lengths is None:
            is_wrong = fault == "unknown-request"
            return att.ATT_UNLIKELY_ERROR_ERROR if is_wrong else att.ATT_REQUEST_NOT_SUPPORTED_ERROR, 0
        if len(pdu) not in lengths and not (lengths[-1] is None and len(pdu) >= lengths[0]):
            return att.ATT_INVALID_PDU_ERROR, 0
        first = int.from_bytes(pdu[1:3], "little")
        if pdu[0] in self.RANGES and not 0 < first <= int.from_bytes(pdu[3:5], "little"):
            return att.ATT_INVALID_HANDLE_ERROR, first
        attribute = self.gatt_server.get_attribute(first)
        if attribute is None:
            return None
        if pdu[0] in self.READS and not attribute.permissions & att.Attribute.READABLE:
            is_wrong = fault == "error-code"
            return att.ATT_UNLIKELY_ERROR_ERROR if is_wrong else att.ATT_READ_NOT_PERMITTED_ERROR, first
        if pdu[0] in self.WRITES and not attribute.permissions & att.Attribute.WRITEABLE:
            return att.ATT_WRITE_NOT_PERMITTED_ERROR, first
        return None


def add_services(device):
    Properties = Characteristic.Properties
    offset = bytearray(2)
    serial = (12345).to_bytes(5 if fault == "length" else 4, "little")

    def write(length, stored=None):
        def store(connection, value):
            if fault == "disconnecting" and len(value) > 20:
                asyncio.ensure_future(connection.disconnect())
            if len(value) != length:
                raise att.ATT_Error(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
            if stored is not None and not (fault == "ignored-target" and stored is target):
                stored[:] = value

        return store

    def read_serial(connection):
        if fault == "unsubscribed":
            asyncio.ensure_future(device.notify_subscriber(connection, measurement, b"\xd7\x00", force=True))
        return serial

    async def answer(connection, request, status):
        if fault == "silent-reply":
            return
        if fault == "slow-reply":
            await asyncio.sleep(3)
        named = request ^ 3 if fault == "wrong-reply" else request
        await device.indicate_subscriber(connection, control, bytes([named, status]))

    def write_control(connection, value):
        configuration = device.gatt_server.subscribers.get(connection, {}).get(control.handle, b"\0\0")
        if configuration[0] & 2 == 0:
            raise att.ATT_Error(0xFD)
        if len(value) != {1: 1, 2: 2}.get(value[0] if value else 0, 1):
            raise att.ATT_Error(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
        asyncio.ensure_future(answer(connection, value[0], 0 if value[0] in (1, 2) else 1))

    reading = b"\xd0\x07" if fault == "range" else b"\xd7\x00"
    alert = b"\2\0" if fault == "alarm-length" else b"\2"
    secured = Characteristic.READABLE | Characteristic.WRITEABLE
    if fault != "open-read":
        secured |= Characteristic.READ_REQUIRES_ENCRYPTION
    if fault != "open-write":
        secured |= Characteristic.WRITE_REQUIRES_ENCRYPTION
    is_readable = fault == "property"
    measurement = Characteristic(
        uuid(0x01),
        Properties.NOTIFY | (Properties.READ if is_readable else Properties(0)),
        Characteristic.READABLE if is_readable else Characteristic.Permissions(0),
        b"\xd7\x00",
    )
    alarm = Characteristic(uuid(0x02), Properties.INDICATE, Characteristic.Permissions(0), b"\2")
    climate = [
        measurement,
        alarm,
        Characteristic(
            uuid(0x03),
            Properties.READ | Properties.WRITE,
            Characteristic.READABLE | Characteristic.WRITEABLE,
            CharacteristicValue(read=lambda connection: bytes(target), write=write(3, target)),
        ),
        Characteristic(
            uuid(0x04), Properties.WRITE, Characteristic.WRITEABLE, CharacteristicValue(write=write(1))
        ),
        Characteristic(
            uuid(0x05),
            Properties.READ | Properties.WRITE,
            secured,
            CharacteristicValue(read=lambda connection: bytes(offset), write=write(2, offset)),
        ),
    ]
    control = Characteristic(
        uuid(0x06),
        Properties.WRITE | Properties.INDICATE,
        Characteristic.WRITEABLE,
        CharacteristicValue(write=write_control),
    )
    climate.append(control)
    serial_permissions = Characteristic.READABLE
    if fault == "written-serial":
        serial_permissions |= Characteristic.WRITEABLE
    identity = [
        Characteristic(
            uuid(0x11),
            Properties.READ,
            serial_permissions,
            CharacteristicValue(read=read_serial, write=lambda connection, value: None),
        ),
    ]
    if fault != "missing-characteristic":
        identity.append(Characteristic(uuid(0x12), Properties.READ, Characteristic.READABLE, MANUAL.ljust(60)))

    def notify(connection, notifies, indicates):
        if notifies:
            asyncio.ensure_future(device.notify_subscriber(connection, measurement, reading))

    def indicate(connection, notifies, indicates):
        if indicates and fault == "indication":
            device.gatt_server.indicate_twice(connection, alarm, b"\2")
        elif indicates:
            asyncio.ensure_future(device.indicate_subscriber(connection, alarm, alert))

    measurement.on("subscription", notify)
    alarm.on("subscription", indicate)
    services = [Service(uuid(0x00), climate), Service(uuid(0x10), identity)]
    device.add_services(reversed(services) if fault == "order" else services)
    for attribute in device.gatt_server.attributes:
        if fault == "missing-configuration" and attribute.type == CONFIGURATION:
            if attribute.handle == alarm.handle + 1:
                attribute.type = UUID.from_16_bits(0x2901)
        if fault == "duplicate-handle" and isinstance(attribute, CharacteristicDeclaration):
            if attribute.characteristic is identity[1]:
                number = identity[0].handle.to_bytes(2, "little")
                attribute.value = attribute.value[:1] + number + attribute.value[3:]


async def main():
    transport = await open_transport(sys.argv[1])
    device = Thermostat.with_hci(
        "Thermostat", hci.Address("F0:00:00:00:00:07"), transport.source, transport.sink
    )
    device.pairing_config_factory = lambda connection: PairingConfig(
        sc=True, mitm=False, bonding=False, delegate=PairingDelegate()
    )
    # In place of the server that the device has made for itself, with the same general services.
    server = FaultyServer(device)
    server.add_services(device.gatt_server.services)
    device.gatt_server = server
    add_services(device)
    await device.power_on()
    device.advertising_data = bytes(
        AdvertisingData([(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, b"Thermostat")])
    )
    await device.start_advertising(auto_restart=True)
    await asyncio.get_running_loop().create_future()


# A test runner may start it with signals blocked, and ends it by one.
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
# What it logs of the requests that a test makes on purpose would fill the pipe that nobody reads.
logging.disable()
asyncio.run(main())
