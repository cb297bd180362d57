"""What clients on BlueZ share: proofs, and a search that works in the guest."""

from bleak import BleakScanner


def expect(condition, text):
    if not condition:
        raise AssertionError(text)
    print("ok", text, flush=True)


async def find(name):
    """The device with a name; an AssertionError where there is none."""
    # btvirt's controllers report an advertiser once for each time that scanning begins. A busy guest misses many.
    for _ in range(20):
        device = await BleakScanner.find_device_by_name(name, timeout=8)
        if device is not None:
            break
    expect(device is not None, f"{name} is found")
    return device
