"""Faults of pairing, bonds and encryption."""

import struct

from sessions.link import CENTRAL, PERIPHERAL
from sessions.smp import (
    DISPLAY_YES_NO, KEYBOARD_DISPLAY, KEY_SIZE, NONE, NOT_SUPPORTED, NUMERIC_FAILED, OOB_MISSING,
    REQUIREMENTS, Pairing,
)

from .scene import AS_CENTRAL, AS_PERIPHERAL, BOTH, EITHER, HCI, fault


def prepare(scene):
    """Up to the pairing: with or without a discovery."""
    scene.begin()
    scene.meet()
    if scene.random.random() < 0.6:
        scene.discover()
        scene.chat(2)


def pair(scene, *arguments, **options):
    prepare(scene)
    if scene.random.random() < 0.3:
        options["security_request"] = True
    pairing = Pairing(scene.link, *arguments, **options)
    if pairing.run():
        raise RuntimeError("the pairing succeeded")
    return pairing


def bond(scene, **options):
    """A first connection with a pairing that succeeds."""
    scene.open()
    pairing = Pairing(scene.link, "just_works", secure=options.pop("secure", scene.random.random() < 0.5), **options)
    pairing.run()
    scene.chat(2)
    scene.close()
    scene.session.wait(scene.random.uniform(0.5, 4))
    return pairing


def foreign_bond(scene):
    """A bond from before the capture: LTK, Rand and EDIV."""
    random = scene.random
    if random.random() < 0.5:
        return random.randbytes(16), bytes(8), 0
    return random.randbytes(16), random.randbytes(8), random.randrange(1, 1 << 16)


# mic_failure


def rekeyed(scene):
    """The peripheral has another key than the central: it drops the first encrypted PDU and ends."""
    scene.begin()
    scene.meet()
    ltk, rand, ediv = foreign_bond(scene)
    scene.link.encrypt(ltk, rand, ediv, peer_key=scene.random.randbytes(16))
    if scene.role == PERIPHERAL:
        scene.link.report_end(0x3D)
        scene.link.expire(None)
    else:
        scene.link.expire(0x3D)


@fault("mic_failure")
def at_encryption_start(scene):
    scene.session.decrypts = True
    rekeyed(scene)


@fault("mic_failure")
def in_traffic(scene):
    """A data PDU of the remote side fails its MIC after many that did not."""
    scene.session.decrypts = True
    scene.open()
    ltk, rand, ediv = foreign_bond(scene)
    scene.link.encrypt(ltk, rand, ediv)
    scene.chat()
    break_mic(scene)


def break_mic(scene):
    link, side = scene.link, scene.remote
    link.catch_up()
    link.mic_fails[side] = True
    local, link.local = link.local, None
    if side == CENTRAL:
        link.att(side, struct.pack("<BH", 0x0A, scene.handle("settings")), wait=False)
    else:
        link.att(side, struct.pack("<BH", 0x1B, scene.handle("data")) + bytes(5), wait=False)
    # The receiver drops it and ends without another packet.
    if side == CENTRAL:
        link.gone[PERIPHERAL] = True
    else:
        link.deaf[CENTRAL] = True
    for _ in range(2):
        link.event()
    link.local = local
    scene.session.time = max(scene.session.time, link.time)
    link.report_end(0x3D)
    if side == CENTRAL:
        link.expire(None)
    else:
        link.gone[CENTRAL] = True
        scene.session.wait(link.timeout / 100)


@fault("mic_failure")
def after_pairing(scene):
    scene.session.decrypts = True
    scene.open()
    Pairing(scene.link, "just_works", secure=scene.random.random() < 0.5).run()
    scene.chat(2)
    break_mic(scene)


@fault("mic_failure")
def terminated(scene):
    """The remote side states the failure in LL_TERMINATE_IND, as some controllers do."""
    scene.session.decrypts = True
    scene.open()
    ltk, rand, ediv = foreign_bond(scene)
    scene.link.encrypt(ltk, rand, ediv)
    scene.chat(2)
    scene.link.disconnect(scene.remote, 0x3D)


# Bonds.


def refuse_key(scene, pairing=None, version=0x08):
    scene.meet()
    ltk, rand, ediv = (pairing.ltk, pairing.rand, pairing.ediv) if pairing else foreign_bond(scene)
    scene.link.encrypt(ltk, rand, ediv, answer=0x06, version=version)


def bond_missing(cause, views, roles):
    @fault(cause, "old_bond", views, roles)
    def old_bond(scene):
        scene.begin()
        refuse_key(scene)
        scene.link.idle(0.5)
        scene.leave()

    @fault(cause, "bond_of_this_capture", views, roles)
    def bond_of_this_capture(scene):
        refuse_key(scene, bond(scene))
        scene.leave()

    @fault(cause, "ended_with_reason", views, roles)
    def ended_with_reason(scene):
        scene.begin()
        refuse_key(scene, version=0x59 if scene.random.random() < 0.3 else 0x08)
        scene.link.disconnect(scene.role if scene.view == "hci" and cause.endswith("local") else PERIPHERAL, 0x05)


bond_missing("bond_missing_remote", BOTH, AS_CENTRAL)
bond_missing("bond_missing_local", HCI, AS_PERIPHERAL)


# Pairing that fails.


@fault("pairing_not_supported")
def by_responder(scene):
    pair(scene, stop={"request": (PERIPHERAL, NOT_SUPPORTED)})
    scene.leave()


@fault("pairing_not_supported")
def by_initiator(scene):
    prepare(scene)
    Pairing(scene.link, security_request=True, stop={"security_request": (CENTRAL, NOT_SUPPORTED)}).run()
    scene.leave()


@fault("pairing_not_supported")
def twice_then_ended(scene):
    prepare(scene)
    for _ in range(2):
        Pairing(scene.link, stop={"request": (PERIPHERAL, NOT_SUPPORTED)}).run()
        scene.link.idle(0.7)
    scene.close(PERIPHERAL)


def exchange(capability, requirements, oob=0):
    return lambda code: bytes([code, capability, oob, requirements, 16, 2, 2])


@fault("pairing_method_mismatch")
def mitm_impossible(scene):
    """The responder requires MITM protection; neither side can enter or compare."""
    pair(scene, secure=True, request=exchange(NONE, 0x09)(1), stop={"request": (PERIPHERAL, REQUIREMENTS)})
    scene.leave()


@fault("pairing_method_mismatch")
def refused_by_initiator(scene):
    """The initiator requires MITM protection; the responder answers with NoInputNoOutput."""
    pair(scene, secure=True, request=exchange(KEYBOARD_DISPLAY, 0x0D)(1), response=exchange(NONE, 0x09)(2),
         stop={"response": (CENTRAL, REQUIREMENTS)})
    scene.leave()


@fault("pairing_method_mismatch")
def secure_connections_only(scene):
    """The initiator accepts Secure Connections only; the responder has legacy pairing."""
    pair(scene, secure=True, request=exchange(DISPLAY_YES_NO, 0x0D)(1), response=exchange(DISPLAY_YES_NO, 0x05)(2),
         stop={"response": (CENTRAL, REQUIREMENTS)})
    scene.leave()


@fault("pairing_method_mismatch")
def oob_not_available(scene):
    pair(scene, "oob", secure=False, stop={"response": (CENTRAL, OOB_MISSING)})
    scene.leave()


def two_numbers(scene):
    return tuple(scene.random.sample(range(1_000_000), 2))


@fault("passkey_wrong")
def legacy(scene):
    pair(scene, "passkey", secure=False, passkeys=two_numbers(scene))
    scene.leave()


@fault("passkey_wrong")
def secure_connections(scene):
    pair(scene, "passkey", secure=True, passkeys=two_numbers(scene))
    scene.leave()


@fault("passkey_wrong")
def one_digit(scene):
    number = scene.random.randrange(999_990)
    pair(scene, "passkey", secure=scene.random.random() < 0.5, passkeys=(number, number ^ 1))
    scene.close(CENTRAL)


@fault("confirm_mismatch")
def legacy_just_works(scene):
    pair(scene, "just_works", secure=False, spoil_confirm=scene.random.choice((CENTRAL, PERIPHERAL)))
    scene.leave()


@fault("confirm_mismatch")
def secure_just_works(scene):
    pair(scene, "just_works", secure=True, spoil_confirm=PERIPHERAL)
    scene.leave()


@fault("confirm_mismatch")
def numeric(scene):
    pair(scene, "numeric", secure=True, spoil_confirm=PERIPHERAL)
    scene.leave()


@fault("confirm_mismatch")
def oob_data(scene):
    pair(scene, "oob", secure=False, spoil_confirm=scene.random.choice((CENTRAL, PERIPHERAL)))
    scene.leave()


def spoil_check(way, method):
    @fault("dhkey_mismatch", way)
    def plant(scene):
        pair(scene, method, secure=True, spoil=scene.random.choice((CENTRAL, PERIPHERAL)))
        scene.leave()


spoil_check("just_works", "just_works")
spoil_check("numeric_comparison", "numeric")
spoil_check("passkey_entry", "passkey")


@fault("dhkey_mismatch")
def invalid_public_key(scene):
    pair(scene, scene.random.choice(("just_works", "numeric")), secure=True,
         invalid_key=scene.random.choice((CENTRAL, PERIPHERAL)))
    scene.leave()


@fault("key_size_too_small")
def refused_by_responder(scene):
    pair(scene, secure=scene.random.random() < 0.5, sizes=(scene.random.choice((7, 8, 10)), 16),
         stop={"request": (PERIPHERAL, KEY_SIZE)})
    scene.leave()


@fault("key_size_too_small", "refused_by_initiator")
def size_refused_by_initiator(scene):
    pair(scene, secure=scene.random.random() < 0.5, sizes=(16, scene.random.choice((7, 8, 10))),
         stop={"response": (CENTRAL, KEY_SIZE)})
    scene.leave()


@fault("key_size_too_small")
def attribute_refused(scene):
    """A link with a key of 7 bytes; the server wants more: Encryption Key Size Too Short."""
    scene.session.decrypts = True
    scene.open()
    Pairing(scene.link, "just_works", secure=False, sizes=(7, 16)).run()
    scene.client.error(struct.pack("<BH", 0x0A, scene.handle("settings")), 0x0C)
    scene.leave()


# Stalled pairing: after 30 s the procedure is over (Vol 3, Part H, 3.4).


def stall(way, method, secure, step, roles=EITHER):
    @fault("pairing_timeout", way, roles=roles)
    def plant(scene):
        pair(scene, method, secure=secure, stop={step: (None, None)})
        scene.link.idle(scene.random.uniform(30.5, 34))
        if scene.random.random() < 0.7:
            scene.close()


stall("no_response", "just_works", True, "request")
stall("no_passkey", "passkey", False, "response")
stall("no_random", "just_works", True, "public_key_response")
stall("not_compared", "numeric", True, "compared")


def refuse_number(way, step, side):
    @fault("numeric_comparison_rejected", way)
    def plant(scene):
        pair(scene, "numeric", secure=True, stop={step: (side, NUMERIC_FAILED)})
        scene.leave()


refuse_number("by_initiator", "compared", CENTRAL)
refuse_number("by_responder", "compared", PERIPHERAL)
refuse_number("by_responder_after_check", "check", PERIPHERAL)


# What an attribute requires.


def requires(cause, code):
    @fault(cause, "read")
    def read(scene):
        scene.open()
        scene.chat(2)
        scene.client.error(struct.pack("<BH", 0x0A, scene.handle("settings")), code)
        scene.leave()

    @fault(cause, "write")
    def write(scene):
        scene.open()
        scene.client.error(struct.pack("<BH", 0x12, scene.handle("control")) + b"\x01\x02", code)
        scene.chat(1)
        scene.leave()

    @fault(cause, "subscription")
    def subscription(scene):
        scene.open()
        scene.client.error(struct.pack("<BH", 0x12, scene.server.characteristics["data"].cccd) + b"\x01\x00", code)
        scene.leave()

    @fault(cause, "again_and_again")
    def again_and_again(scene):
        scene.open()
        for _ in range(scene.random.randint(2, 4)):
            scene.client.error(struct.pack("<BH", 0x0A, scene.handle("settings")), code)
            scene.link.idle(scene.random.uniform(0.3, 1.5))
        scene.close(CENTRAL)


requires("insufficient_authentication", 0x05)
requires("insufficient_authorization", 0x08)
requires("insufficient_encryption", 0x0F)
