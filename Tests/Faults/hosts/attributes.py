"""Servers that refuse or do not answer, and clients that ask for the wrong thing."""

from bumble import att, gatt_server
from bumble.core import UUID
from bumble.core import TimeoutError as RequestTimeout
from bumble.gatt import Characteristic

from .scene import CENTRAL, PERIPHERAL, fault


async def read(scene, name="settings"):
    await scene.attempt(scene.remote(name).read_value())


async def write(scene, name="settings", size=8):
    await scene.attempt(scene.remote(name).write_value(scene.random.randbytes(size), with_response=True))


def refuse(way, cause, operation, *codes):
    """The application of the server answers by an error."""

    @fault(way, cause)
    async def plant(scene):
        await scene.open()
        await scene.chat(2)
        scene.refusals["settings", operation] = scene.random.choice(codes)
        await (read if operation == "read" else write)(scene)
        await scene.leave()


refuse("read_wants_authentication", "insufficient_authentication", "read", 0x05)
refuse("write_wants_authentication", "insufficient_authentication", "write", 0x05)
refuse("read_wants_authorization", "insufficient_authorization", "read", 0x08)
refuse("write_wants_authorization", "insufficient_authorization", "write", 0x08)
refuse("write_wants_encryption", "insufficient_encryption", "write", 0x0F)
refuse("application_refuses_write", "application_error", "write", *range(0x80, 0xA0))
refuse("application_refuses_read", "application_error", "read", *range(0x80, 0xA0))
refuse("value_has_wrong_length", "value_rejected", "write", 0x0D)
refuse("value_not_allowed", "value_rejected", "write", 0x13)
refuse("value_out_of_range", "value_rejected", "write", 0xFF)


def require(way, cause, permission):
    """Bumble's own server demands what the link has not."""

    @fault(way, cause)
    async def plant(scene):
        await scene.open()
        await scene.chat(1)
        scene.settings.permissions |= permission
        for _ in range(scene.random.randint(1, 3)):
            await read(scene)
        await scene.leave()


require("permission_encryption", "insufficient_encryption", Characteristic.READ_REQUIRES_ENCRYPTION)
require("permission_authentication", "insufficient_authentication", Characteristic.READ_REQUIRES_AUTHENTICATION)
require("permission_authorization", "insufficient_authorization", Characteristic.READ_REQUIRES_AUTHORIZATION)


@fault("read_wants_longer_key", central="key_size_too_small", peripheral="key_size_too_small")
async def read_wants_longer_key(scene):
    """A link with a key of 7 octets, and a value that wants more: Encryption Key Size Too Short."""
    await scene.open()
    scene.pairs_by("just_works", True, sizes=(7, 16))
    if error := await scene.pair():
        raise error
    scene.refusals["settings", "read"] = 0x0C
    await read(scene)
    await scene.leave()


@fault("not_writable", "write_not_permitted")
async def not_writable(scene):
    """The characteristic has the property Write, but its value may not be written."""
    await scene.open()
    await scene.chat(2)
    await write(scene, "key")
    await scene.leave()


@fault("service_missing", "attribute_not_found")
async def service_missing(scene):
    """The client wants a service that the server lacks, and gives up."""
    await scene.begin()
    await scene.meet()
    await scene.peer.request_mtu(247)
    if await scene.peer.discover_service(UUID.from_bytes(scene.random.randbytes(16))):
        raise RuntimeError("the service was found")
    await scene.idle(0.3, 1)
    await scene.close(CENTRAL)


@fault("value_missing", "attribute_not_found")
async def value_missing(scene):
    """Read Using Characteristic UUID of a characteristic that the server lacks."""
    await scene.open()
    await scene.chat(1)
    await ask(scene, att.ATT_Read_By_Type_Request(
        starting_handle=1, ending_handle=0xFFFF, attribute_type=UUID.from_bytes(scene.random.randbytes(16)),
    ))
    await scene.close(CENTRAL)


async def ask(scene, request):
    response = await scene.peer.gatt_client.send_request(request)
    await scene.idle(0.1, 1)
    return response


# No answer.


def ignore(scene, name):
    """The server receives a request and never answers."""
    setattr(scene.peripheral.gatt_server, f"on_att_{name}", lambda bearer, request: None)


async def time_out(scene, operation):
    try:
        await operation
    except (TimeoutError, RequestTimeout):
        await scene.idle(0.1, 2)
        return
    raise RuntimeError("there was an answer")


@fault("no_read_response", "request_timeout")
async def no_read_response(scene):
    await scene.open()
    await scene.chat(2)
    ignore(scene, "read_request")
    await time_out(scene, scene.remote("settings").read_value())
    await scene.close(CENTRAL)


@fault("no_write_response", "request_timeout")
async def no_write_response(scene):
    await scene.open()
    ignore(scene, "write_request")
    await time_out(scene, scene.remote("settings").write_value(b"\x01", with_response=True))
    await scene.close(CENTRAL)


@fault("discovery_stalls", "request_timeout")
async def discovery_stalls(scene):
    await scene.begin()
    await scene.meet()
    await scene.peer.discover_services()
    ignore(scene, "read_by_type_request")
    await time_out(scene, scene.peer.discover_characteristics())
    await scene.close(CENTRAL)


@fault("no_confirmation", "request_timeout")
async def no_confirmation(scene):
    await scene.open()
    await scene.subscribe("control")
    scene.peer.gatt_client.send_confirmation = lambda confirmation: None
    await time_out(scene, scene.peripheral.indicate_subscriber(scene.served, scene.control, b"\x01"))
    await scene.close(PERIPHERAL)


# Requests that break the protocol, and queues.


@fault("client_does_not_wait", "requests_overlapped")
async def client_does_not_wait(scene):
    await scene.open()
    await scene.chat(1)
    client = scene.peer.gatt_client
    for name in ("settings", "key"):
        client.send_gatt_pdu(bytes(att.ATT_Read_Request(attribute_handle=scene.remote(name).handle)))
    await scene.idle(0.5, 2)
    await scene.close(CENTRAL)


@fault("long_write_fills_queue", "prepare_queue_full")
async def long_write_fills_queue(scene):
    await scene.open()
    await scene.chat(1)
    limit, gatt_server.GATT_SERVER_MAX_PREPARED_WRITES = gatt_server.GATT_SERVER_MAX_PREPARED_WRITES, 3
    try:
        for number in range(4):
            await ask(scene, att.ATT_Prepare_Write_Request(
                attribute_handle=scene.remote("settings").handle, value_offset=18 * number,
                part_attribute_value=scene.random.randbytes(18),
            ))
        await ask(scene, att.ATT_Execute_Write_Request(flags=0))
    finally:
        gatt_server.GATT_SERVER_MAX_PREPARED_WRITES = limit
    await scene.close(CENTRAL)


def remove_service(scene):
    """Removes the last service from the server; its first handle."""
    server = scene.peripheral.gatt_server
    # The service's declaration and that of its first characteristic come before the value.
    first = scene.data.handle - 2
    server.attributes = [known for known in server.attributes if known.handle < first]
    server.attributes_by_handle = {known.handle: known for known in server.attributes}
    return first


@fault("service_removed", "stale_handles")
async def service_removed(scene):
    """The server's second firmware lacks the service; the client uses what it has discovered before."""
    await scene.open()
    await scene.chat(2)
    handle = scene.remote("settings").handle
    await scene.close()
    remove_service(scene)
    await scene.meet()
    await scene.attempt(scene.peer.gatt_client.read_value(handle))
    await scene.leave()
