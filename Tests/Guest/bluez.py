"""What clients on BlueZ share: proofs, and a search that works in the guest."""

from bleak import BleakScanner


def expect(condition, text):
    if not condition:
        raise AssertionError(text)
    print("ok", text, flush=True)


async def find(name):
    """The device with a name; an AssertionError where there is none."""
    # btvirt's controllers report an advertiser once for each time that scanning begins, at once. The kernel drops a report
    # that comes before it has taken the end of the command: about two of three.
    for _ in range(60):
        device = await BleakScanner.find_device_by_name(name, timeout=3)
        if device is not None:
            break
    expect(device is not None, f"{name} is found")
    return device
