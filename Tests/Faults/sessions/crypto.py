"""The cryptography of pairing and of the link layer: AES-128, AES-CMAC, AES-CCM, P-256 and the functions built on them.

Vol 3, Part H, 2.2; Vol 6, Part E, 2. Byte strings have the most significant byte first, as the specification's sample data.
"""

EXPONENT = bytearray(512)
LOGARITHM = bytearray(256)


def _tables():
    value = 1
    for power in range(255):
        EXPONENT[power] = EXPONENT[power + 255] = value
        LOGARITHM[value] = power
        value ^= (value << 1) ^ (0x11B if value & 0x80 else 0)
        value &= 0xFF
    box = bytearray(256)
    for number in range(256):
        inverse = EXPONENT[255 - LOGARITHM[number]] if number else 0
        result = 0x63
        for turn in range(5):
            result ^= (inverse << turn | inverse >> (8 - turn)) & 0xFF
        box[number] = result
    return bytes(box)


BOX = _tables()
DOUBLE = bytes(((n << 1) ^ (0x1B if n & 0x80 else 0)) & 0xFF for n in range(256))
SHIFTED = (0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11)
_round_keys = {}


def _expand(key):
    if key in _round_keys:
        return _round_keys[key]
    words = [key[i : i + 4] for i in range(0, 16, 4)]
    constant = 1
    for index in range(4, 44):
        word = words[-1]
        if index % 4 == 0:
            word = bytes(BOX[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = DOUBLE[constant]
        words.append(bytes(a ^ b for a, b in zip(words[-4], word)))
    keys = [b"".join(words[i : i + 4]) for i in range(0, 44, 4)]
    _round_keys[key] = keys
    return keys


def aes(key, block):
    """AES-128 of one block (FIPS 197)."""
    keys = _expand(bytes(key))
    state = [a ^ b for a, b in zip(block, keys[0])]
    for turn in range(1, 11):
        state = [BOX[state[i]] for i in SHIFTED]
        if turn < 10:
            mixed = []
            for column in range(0, 16, 4):
                a, b, c, d = state[column : column + 4]
                every = a ^ b ^ c ^ d
                mixed += [
                    a ^ every ^ DOUBLE[a ^ b],
                    b ^ every ^ DOUBLE[b ^ c],
                    c ^ every ^ DOUBLE[c ^ d],
                    d ^ every ^ DOUBLE[d ^ a],
                ]
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[turn])]
    return bytes(state)


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def cmac(key, message):
    """AES-CMAC (RFC 4493)."""

    def double(block):
        number = int.from_bytes(block, "big") << 1
        if number >> 128:
            number = (number & ((1 << 128) - 1)) ^ 0x87
        return number.to_bytes(16, "big")

    first = double(aes(key, bytes(16)))
    whole = message and len(message) % 16 == 0
    padded = message if whole else message + b"\x80" + bytes(-(len(message) + 1) % 16)
    mask = first if whole else double(first)
    state = bytes(16)
    for start in range(0, len(padded), 16):
        block = padded[start : start + 16]
        if start + 16 == len(padded):
            block = xor(block, mask)
        state = aes(key, xor(state, block))
    return state


def ccm(key, nonce, first, payload):
    """The payload encrypted and its MIC (Vol 6, Part E, 2); `first` is the header without NESN, SN and MD."""
    state = aes(key, b"\x49" + nonce + len(payload).to_bytes(2, "big"))
    state = aes(key, xor(state, b"\x00\x01" + bytes([first]) + bytes(13)))
    for start in range(0, len(payload), 16):
        state = aes(key, xor(state, payload[start : start + 16].ljust(16, b"\0")))
    mic = xor(state[:4], aes(key, b"\x01" + nonce + b"\0\0"))
    cipher = b""
    for start in range(0, len(payload), 16):
        stream = aes(key, b"\x01" + nonce + (start // 16 + 1).to_bytes(2, "big"))
        cipher += xor(payload[start : start + 16], stream)
    return cipher + mic


def c1(key, random, request, response, initiator_type, initiator, responder_type, responder):
    """Confirm value of legacy pairing (Vol 3, Part H, 2.2.3)."""
    first = response + request + bytes([responder_type, initiator_type])
    second = bytes(4) + initiator + responder
    return aes(key, xor(aes(key, xor(random, first)), second))


def s1(key, responder_random, initiator_random):
    """STK of legacy pairing (Vol 3, Part H, 2.2.4)."""
    return aes(key, responder_random[8:] + initiator_random[8:])


def f4(u, v, x, z):
    """Confirm value of Secure Connections (Vol 3, Part H, 2.2.6)."""
    return cmac(x, u + v + bytes([z]))


def f5(secret, n1, n2, a1, a2):
    """MacKey and LTK (Vol 3, Part H, 2.2.7)."""
    key = cmac(bytes.fromhex("6C888391AAF5A53860370BDB5A6083BE"), secret)
    tail = b"btle" + n1 + n2 + a1 + a2 + b"\x01\x00"
    return cmac(key, b"\x00" + tail), cmac(key, b"\x01" + tail)


def f6(key, n1, n2, r, capabilities, a1, a2):
    """DHKey check (Vol 3, Part H, 2.2.8)."""
    return cmac(key, n1 + n2 + r + capabilities + a1 + a2)


def ah(irk, prand):
    """Hash of a resolvable private address (Vol 3, Part H, 2.2.2)."""
    return aes(irk, bytes(13) + prand)[13:]


P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
GENERATOR = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def _add(a, b):
    if a is None or b is None:
        return b if a is None else a
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(scalar, point=GENERATOR):
    """A point of P-256 times a number (Vol 2, Part H, 7.6)."""
    result = None
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def crc24(pdu, initial):
    """The CRC of Vol 6, Part B, 3.1.1, in the order of the air; `initial` as CONNECT_IND has it, as a number."""
    register = int(f"{initial:024b}"[::-1], 2)
    for byte in pdu:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0xDA6000 if register & 1 else 0)
    return register.to_bytes(3, "little")
