"""Pairing over a link, legacy and Secure Connections (Vol 3, Part H)."""

import struct

from .crypto import ORDER, c1, f4, f5, f6, multiply, s1
from .link import CENTRAL, PERIPHERAL

DISPLAY, DISPLAY_YES_NO, KEYBOARD, NONE, KEYBOARD_DISPLAY = range(5)
REQUEST, RESPONSE, CONFIRM, RANDOM, FAILED, ENCRYPTION, CENTRAL_IDENTIFICATION = range(1, 8)
IDENTITY, IDENTITY_ADDRESS, SIGNING, SECURITY_REQUEST, PUBLIC_KEY, DHKEY_CHECK, KEYPRESS = range(8, 15)
PASSKEY_FAILED, OOB_MISSING, REQUIREMENTS, CONFIRM_FAILED, NOT_SUPPORTED, KEY_SIZE = range(1, 7)
UNSPECIFIED, DHKEY_FAILED, NUMERIC_FAILED = 0x08, 0x0B, 0x0C


class Stopped(Exception):
    """The pairing has ended where the fault wanted it to."""


class Pairing:
    """One pairing. `stop` maps a step to (side, reason): that side fails after it, or is silent if the reason is None.

    Methods: just_works, passkey, numeric, oob. `passkeys` are what both sides use; `spoil` is a side whose DHKey check
    or confirm value (`spoil_confirm`) is wrong.
    """

    def __init__(self, link, method="just_works", secure=True, stop=None, passkeys=None, spoil=None, spoil_confirm=None,
                 sizes=(16, 16), bond=True, request=None, response=None, security_request=False, invalid_key=None):
        self.link, self.session, self.random = link, link.session, link.session.random
        self.method, self.secure, self.stop = method, secure, stop or {}
        number = self.random.randrange(1_000_000)
        self.passkeys = passkeys or (number, number)
        self.spoil, self.spoil_confirm, self.sizes, self.bond = spoil, spoil_confirm, sizes, bond
        self.security_request, self.invalid_key = security_request, invalid_key
        self.capabilities = {
            "just_works": (self.random.choice((KEYBOARD_DISPLAY, NONE, DISPLAY_YES_NO)), NONE),
            "passkey": (KEYBOARD_DISPLAY, DISPLAY),
            "numeric": (DISPLAY_YES_NO, DISPLAY_YES_NO),
            "oob": (DISPLAY_YES_NO, NONE),
        }[method]
        mitm = 4 if method in ("passkey", "numeric") else 0
        self.requirements = [mitm | (8 if secure else 0) | int(bond)] * 2
        self.oob = (1, 1) if method == "oob" else (0, 0)
        self.request_override, self.response_override = request, response
        self.ltk, self.rand, self.ediv = None, bytes(8), 0
        # The keys that a bond keeps: of the peripheral in legacy pairing, of both in Secure Connections.
        self.succeeded = False

    def features(self, side):
        keys = 0 if not self.bond else (2 if self.secure else 3)
        return bytes([REQUEST + side, self.capabilities[side], self.oob[side], self.requirements[side], self.sizes[side],
                      keys, keys])

    def send(self, side, pdu, step=None):
        self.link.smp(side, pdu)
        self.step(step)

    def step(self, name):
        if name in self.stop:
            side, reason = self.stop[name]
            if reason is not None:
                self.fail(side, reason)
            raise Stopped

    def fail(self, side, reason):
        self.link.smp(side, bytes([FAILED, reason]))

    def reject(self, side, reason):
        self.fail(side, reason)
        raise Stopped

    def run(self):
        """Pairs and encrypts; returns whether this succeeded."""
        try:
            if self.security_request:
                self.send(PERIPHERAL, bytes([SECURITY_REQUEST, self.requirements[1]]), "security_request")
            request = self.request_override or self.features(CENTRAL)
            response = self.response_override or self.features(PERIPHERAL)
            self.send(CENTRAL, request, "request")
            self.send(PERIPHERAL, response, "response")
            if self.method in ("passkey", "numeric"):
                self.link.idle(self.random.uniform(1, 4))
            stk = self._secure(request, response) if self.secure else self._legacy(request, response)
            size = min(self.sizes)
            self.step("before_encryption")
            self.link.encrypt(stk[-size:].rjust(16, b"\0") if size < 16 else stk, self.rand_of(), 0)
            self.step("encrypted")
            if self.bond:
                self._distribute()
            self.succeeded = True
        except Stopped:
            pass
        return self.succeeded

    def rand_of(self):
        return bytes(8)

    def addresses(self):
        return [d.address[::-1] for d in self.link.devices], [d.type for d in self.link.devices]

    # Legacy pairing, 2.3.5.2 to 2.3.5.5.

    def _legacy(self, request, response):
        addresses, types = self.addresses()
        keys = [bytes(16), bytes(16)]
        if self.method == "passkey":
            keys = [number.to_bytes(16, "big") for number in self.passkeys]
        elif self.method == "oob":
            keys = [self.random.randbytes(16)] * 2
        randoms = [self.random.randbytes(16), self.random.randbytes(16)]

        def confirm(key, value):
            return c1(key, value, request[::-1], response[::-1], types[0], addresses[0], types[1], addresses[1])

        confirms = [confirm(keys[side], randoms[side]) for side in (0, 1)]
        if self.spoil_confirm is not None:
            confirms[self.spoil_confirm] = self.random.randbytes(16)
        for side in (0, 1):
            self.send(side, bytes([CONFIRM]) + confirms[side][::-1], ("confirm", "confirm_response")[side])
        for side in (0, 1):
            self.send(side, bytes([RANDOM]) + randoms[side][::-1], ("random", "random_response")[side])
            if confirm(keys[1 - side], randoms[side]) != confirms[side]:
                self.reject(1 - side, CONFIRM_FAILED)
        self.ltk = s1(keys[0], randoms[1], randoms[0])
        return self.ltk

    # Secure Connections, 2.3.5.6.

    def _secure(self, request, response):
        privates = [self.random.randrange(2, ORDER), self.random.randrange(2, ORDER)]
        points = [multiply(number) for number in privates]
        if self.session.random.random() < 0.5 and self.link.is_logged:
            own = points[self.link.local]
            self.session.command(0x2025, is_status=True)
            data = own[0].to_bytes(32, "little") + own[1].to_bytes(32, "little")
            self.session.event(self.session.time + 3000, 0x3E, b"\x08\x00" + data)
        if self.invalid_key is not None:
            x, y = points[self.invalid_key]
            points[self.invalid_key] = (x, y ^ 1)
        for side in (0, 1):
            x, y = points[side]
            data = x.to_bytes(32, "little") + y.to_bytes(32, "little")
            self.send(side, bytes([PUBLIC_KEY]) + data, ("public_key", "public_key_response")[side])
            if self.invalid_key == side:
                self.reject(1 - side, DHKEY_FAILED)
        shared = multiply(privates[0], points[1])[0].to_bytes(32, "big")
        keys = [point[0].to_bytes(32, "big") for point in points]
        if self.method == "passkey":
            randoms, values = self._passkey_rounds(keys)
        else:
            randoms, values = self._one_round(keys)
        mac, ltk, checks = self._checks(shared, randoms, values, request, response)
        for side in (0, 1):
            value = checks[side]
            if self.spoil == side:
                value = self.random.randbytes(16)
            self.send(side, bytes([DHKEY_CHECK]) + value[::-1], ("check", "check_response")[side])
            if self.spoil == side:
                self.reject(1 - side, DHKEY_FAILED)
        self.ltk = ltk
        return ltk

    def _checks(self, shared, randoms, values, request, response):
        addresses, types = self.addresses()
        a = [bytes([types[side]]) + addresses[side] for side in (0, 1)]
        mac, ltk = f5(shared, randoms[0], randoms[1], a[0], a[1])
        io = [bytes([pdu[3], pdu[2], pdu[1]]) for pdu in (request, response)]
        return mac, ltk, [
            f6(mac, randoms[0], randoms[1], values[1], io[0], a[0], a[1]),
            f6(mac, randoms[1], randoms[0], values[0], io[1], a[1], a[0]),
        ]

    def _one_round(self, keys):
        randoms = [self.random.randbytes(16), self.random.randbytes(16)]
        if self.method != "oob":
            confirm = f4(keys[1], keys[0], randoms[1], 0)
            if self.spoil_confirm is not None:
                confirm = self.random.randbytes(16)
            self.send(PERIPHERAL, bytes([CONFIRM]) + confirm[::-1], "confirm")
        self.send(CENTRAL, bytes([RANDOM]) + randoms[0][::-1], "random")
        self.send(PERIPHERAL, bytes([RANDOM]) + randoms[1][::-1], "random_response")
        if self.spoil_confirm is not None:
            self.reject(CENTRAL if self.method != "oob" else PERIPHERAL, CONFIRM_FAILED)
        if self.method == "numeric":
            self.link.idle(self.random.uniform(1, 5))
            self.step("compared")
        return randoms, [bytes(16), bytes(16)]

    def _passkey_rounds(self, keys):
        randoms = [b"", b""]
        for turn in range(20):
            bits = [0x80 | number >> turn & 1 for number in self.passkeys]
            randoms = [self.random.randbytes(16), self.random.randbytes(16)]
            confirms = [f4(keys[0], keys[1], randoms[0], bits[0]), f4(keys[1], keys[0], randoms[1], bits[1])]
            expected = [f4(keys[0], keys[1], randoms[0], bits[1]), f4(keys[1], keys[0], randoms[1], bits[0])]
            for side in (0, 1):
                self.send(side, bytes([CONFIRM]) + confirms[side][::-1], f"confirm{turn}-{side}")
            for side in (0, 1):
                self.send(side, bytes([RANDOM]) + randoms[side][::-1], f"random{turn}-{side}")
                if expected[side] != confirms[side]:
                    self.reject(1 - side, CONFIRM_FAILED)
        values = [number.to_bytes(16, "big") for number in self.passkeys]
        return randoms, values

    # Key distribution, 3.6.1: the peripheral first.

    def _distribute(self):
        for side in (PERIPHERAL, CENTRAL):
            device = self.link.devices[side]
            if not self.secure:
                ltk, rand, ediv = self.random.randbytes(16), self.random.randbytes(8), self.random.randrange(1, 1 << 16)
                size = min(self.sizes)
                ltk = bytes(16 - size) + ltk[-size:]
                if side == PERIPHERAL:
                    self.ltk, self.rand, self.ediv = ltk, rand, ediv
                self.send(side, bytes([ENCRYPTION]) + ltk[::-1])
                self.send(side, bytes([CENTRAL_IDENTIFICATION]) + struct.pack("<H", ediv) + rand)
            self.send(side, bytes([IDENTITY]) + device.irk[::-1])
            kind = device.type
            self.send(side, bytes([IDENTITY_ADDRESS, kind]) + device.identity)
        self.step("distributed")

    def reencrypt(self, link, **options):
        """Encrypts a later connection with the bond."""
        return link.encrypt(self.ltk, self.rand, self.ediv, **options)
