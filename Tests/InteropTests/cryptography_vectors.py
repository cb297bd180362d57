"""Prints random inputs and results of AES-CCM and P-256 as Python's cryptography computes them, one a line:

    ccm KEY NONCE ASSOCIATED MESSAGE SEALED
    p256 PRIVATE X Y OTHER_X OTHER_Y SECRET

All values are hexadecimal, most significant byte first, "-" for no bytes; the tag has four bytes.

Usage: cryptography_vectors.py SEED
"""

import random
import sys

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def ccm(source):
    # Every length around the blocks, and the longest payload of a data PDU.
    for length in [*range(0, 50), 127, 128, 251, 255]:
        key, nonce, message = source.randbytes(16), source.randbytes(13), source.randbytes(length)
        associated = source.randbytes(1)
        sealed = AESCCM(key, tag_length=4).encrypt(nonce, message, associated)
        print("ccm", key.hex(), nonce.hex(), associated.hex(), message.hex() or "-", sealed.hex())


def p256(source):
    # Small and large private keys have leading zeros, and carries, in their coordinates.
    numbers = [1, 2, ORDER - 1, *(source.randrange(1, ORDER) for _ in range(20))]
    for number in numbers:
        own = ec.derive_private_key(number, ec.SECP256R1())
        other = ec.derive_private_key(source.randrange(1, ORDER), ec.SECP256R1()).public_key()
        points = [key.public_numbers() for key in (own.public_key(), other)]
        secret = own.exchange(ec.ECDH(), other)
        coordinates = [f"{value:064x}" for point in points for value in (point.x, point.y)]
        print("p256", f"{number:064x}", *coordinates, secret.hex())


source = random.Random(int(sys.argv[1]))
ccm(source)
p256(source)
