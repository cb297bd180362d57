"""A thermostat on BlueZ's GATT server: bluez_thermostat.py ADAPTER, where bluetoothd runs.

It is the device of Tests/InteropTests/thermostat.yaml: bluetoothd holds the attribute table, answers requests, and asks this
program by D-Bus for values. That a value may be read or written is left to bluetoothd, which has the flags of the
characteristic. Prints "ready" once bluetoothd advertises the thermostat, and runs until it is ended.
"""

import asyncio
import sys

from dbus_fast import BusType, DBusError, PropertyAccess, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property

ADAPTER = f"/org/bluez/{sys.argv[1]}"
ROOT = "/thermostat"
MANUAL = b"Turn the wheel to the temperature you want, then press it. ".ljust(60)
TEMPERATURE = b"\xd7\x00"


def uuid(number):
    return f"7c6d00{number:02x}-5b1e-4f0a-9a37-2f5d8e610c44"


class Service(ServiceInterface):
    def __init__(self, number):
        super().__init__("org.bluez.GattService1")
        self.uuid = uuid(number)

    @dbus_property(PropertyAccess.READ, "UUID")
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(PropertyAccess.READ, "Primary")
    def Primary(self) -> "b":
        return True


class Characteristic(ServiceInterface):
    """A value whose length stays; with a flag to notify or indicate, it is sent to whoever subscribes."""

    def __init__(self, service, number, flags, value):
        super().__init__("org.bluez.GattCharacteristic1")
        self.service, self.uuid, self.flags, self.value = service, uuid(number), flags, value

    @dbus_property(PropertyAccess.READ, "UUID")
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(PropertyAccess.READ, "Service")
    def Service(self) -> "o":
        return self.service

    @dbus_property(PropertyAccess.READ, "Flags")
    def Flags(self) -> "as":
        return self.flags

    @dbus_property(PropertyAccess.READ, "Value")
    def Value(self) -> "ay":
        return self.value

    @dbus_method("ReadValue")
    def ReadValue(self, options: "a{sv}") -> "ay":
        return self.value[self.offset(options) :]

    @dbus_method("WriteValue")
    def WriteValue(self, value: "ay", options: "a{sv}"):
        offset = self.offset(options)
        if offset + len(value) != len(self.value):
            raise DBusError("org.bluez.Error.InvalidValueLength", f"expected {len(self.value)} bytes")
        self.value = self.value[:offset] + bytes(value)

    def offset(self, options):
        offset = options["offset"].value if "offset" in options else 0
        if offset > len(self.value):
            raise DBusError("org.bluez.Error.InvalidOffset", f"expected {len(self.value)} at most")
        return offset

    @dbus_method("StartNotify")
    def StartNotify(self):
        # After the response to the subscription.
        asyncio.get_running_loop().call_later(0.2, self.emit_properties_changed, {"Value": self.value})

    @dbus_method("StopNotify")
    def StopNotify(self):
        pass

    @dbus_method("Confirm")
    def Confirm(self):
        pass


class Advertisement(ServiceInterface):
    def __init__(self):
        super().__init__("org.bluez.LEAdvertisement1")

    @dbus_property(PropertyAccess.READ, "Type")
    def Type(self) -> "s":
        return "peripheral"

    @dbus_property(PropertyAccess.READ, "LocalName")
    def LocalName(self) -> "s":
        return "Thermostat"

    @dbus_method("Release")
    def Release(self):
        pass


async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    climate, identity = f"{ROOT}/service0", f"{ROOT}/service1"
    objects = {
        climate: Service(0x00),
        f"{climate}/char0": Characteristic(climate, 0x01, ["notify"], TEMPERATURE),
        f"{climate}/char1": Characteristic(climate, 0x02, ["indicate"], b"\2"),
        f"{climate}/char2": Characteristic(climate, 0x03, ["read", "write"], TEMPERATURE + b"\1"),
        f"{climate}/char3": Characteristic(climate, 0x04, ["write"], b"\0"),
        identity: Service(0x10),
        f"{identity}/char0": Characteristic(identity, 0x11, ["read"], (12345).to_bytes(4, "little")),
        f"{identity}/char1": Characteristic(identity, 0x12, ["read"], MANUAL),
    }
    for path, interface in objects.items():
        bus.export(path, interface)
    bus.export("/advertisement", Advertisement())
    adapter = bus.get_proxy_object("org.bluez", ADAPTER, await bus.introspect("org.bluez", ADAPTER))
    properties = adapter.get_interface("org.freedesktop.DBus.Properties")
    await properties.call_set("org.bluez.Adapter1", "Powered", Variant("b", True))
    await adapter.get_interface("org.bluez.GattManager1").call_register_application(ROOT, {})
    await adapter.get_interface("org.bluez.LEAdvertisingManager1").call_register_advertisement("/advertisement", {})
    print("ready", flush=True)
    await bus.wait_for_disconnect()


asyncio.run(main())
