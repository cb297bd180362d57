"""Writers of btsnoop (H4) and pcap (link types 251 and 256)."""

import struct

BTSNOOP_EPOCH = 0x00DCDDB30F2F8000
ADVERTISING_ADDRESS = 0x8E89BED6
# Pseudo-header: dewhitened, signal power valid, CRC checked and valid.
PLAIN_FLAGS = 0x0C03
CRC_VALID = 0x0800
DECRYPTED = 0x0008
MIC_CHECKED, MIC_VALID = 0x1000, 0x2000


def rf_channel(index):
    """Place of a channel index in order of frequency (Vol 6, Part B, 1.4.1)."""
    return {37: 0, 38: 12, 39: 39}.get(index, index + (1 if index < 11 else 2))


def btsnoop(packets):
    """A file of (microseconds since 1970, whether the host received it, H4 packet)."""
    parts = [b"btsnoop\0" + struct.pack(">II", 1, 1002)]
    for time, received, packet in packets:
        flags = int(received) | (2 if packet[0] in (1, 4) else 0)
        parts.append(struct.pack(">IIIIQ", len(packet), len(packet), flags, 0, time + BTSNOOP_EPOCH) + packet)
    return b"".join(parts)


def pcap(packets, link_type):
    """A file of (microseconds since 1970, channel index, dBm, flags, access address, PDU with CRC)."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)]
    for time, channel, dbm, flags, access, pdu in packets:
        data = struct.pack("<I", access) + pdu
        if link_type == 256:
            data = struct.pack("<BbbBIH", rf_channel(channel), dbm, -128, 0, access, flags) + data
        parts.append(struct.pack("<IIII", time // 1_000_000, time % 1_000_000, len(data), len(data)) + data)
    return b"".join(parts)
