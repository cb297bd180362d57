"""Patched security managers, and bonds that one side has lost."""

import asyncio

from bumble import smp
from bumble.smp import CommandCode, ErrorCode

from .scene import CENTRAL, PERIPHERAL, fault


async def prepare(scene, method, secure=None, **options):
    await scene.begin()
    secure = scene.random.random() < 0.5 if secure is None else secure
    scene.pairs_by(method, secure, **options)
    await scene.meet()
    if scene.random.random() < 0.5:
        await scene.discover()
        await scene.chat(2)


def device(scene, side):
    return scene.central if side == CENTRAL else scene.peripheral


def alter(scene, side, code, change):
    """A side's SMP PDUs of one code pass through `change`; None drops a PDU."""
    manager = device(scene, side).smp_manager
    send = manager.send_command

    def patched(connection, command):
        if command.code != code:
            send(connection, command)
        elif altered := change(bytes(command)):
            connection.send_l2cap_pdu(smp.SMP_CID, altered)

    manager.send_command = patched


def flip(scene):
    """One wrong bit in the last 16 octets of a PDU."""
    position, bit = scene.random.randrange(1, 17), 1 << scene.random.randrange(8)

    def change(pdu):
        altered = bytearray(pdu)
        altered[-position] ^= bit
        return bytes(altered)

    return change


def fail_at(scene, side, name, reason):
    """A side answers an SMP PDU by Pairing Failed; `name` is of the session's method for it."""

    class Session(smp.Session):
        pass

    setattr(Session, name, lambda session, command: session.send_pairing_failed(reason))
    device(scene, side).smp_manager.session_proxy = Session


@fault("passkey_mistyped", "passkey_wrong")
async def passkey_mistyped(scene):
    await prepare(scene, "passkey")
    scene.delegates[CENTRAL].slip = scene.random.choice((1, 10, 100, 1000))
    await scene.expect_failure()
    await scene.leave()


@fault("passkey_of_another_device", "passkey_wrong")
async def passkey_of_another_device(scene):
    await prepare(scene, "passkey", True)
    scene.delegates[CENTRAL].slip = scene.random.randrange(1, 1_000_000)
    await scene.expect_failure()
    await scene.close(CENTRAL)


def reject_numbers(side):
    @fault(f"numbers_rejected_by_{side}", "numeric_comparison_rejected")
    async def plant(scene):
        await prepare(scene, "numeric", True)

        class Session(smp.Session):
            """Bumble's sends Confirm Value Failed when the user rejects."""

            def prompt_user_for_numeric_comparison(self, code, next_steps):
                async def reject():
                    await asyncio.sleep(2)
                    self.send_pairing_failed(ErrorCode.NUMERIC_COMPARISON_FAILED)

                self.connection.cancel_on_disconnection(reject())

        device(scene, side).smp_manager.session_proxy = Session
        await scene.expect_failure()
        await scene.leave()


reject_numbers(CENTRAL)
reject_numbers(PERIPHERAL)


@fault("confirm_damaged", "confirm_mismatch")
async def confirm_damaged(scene):
    await prepare(scene, "just_works")
    alter(scene, PERIPHERAL, CommandCode.PAIRING_CONFIRM, flip(scene))
    await scene.expect_failure()
    await scene.leave()


@fault("random_damaged", "confirm_mismatch")
async def random_damaged(scene):
    await prepare(scene, scene.random.choice(("just_works", "numeric")), True)
    alter(scene, PERIPHERAL, CommandCode.PAIRING_RANDOM, flip(scene))
    await scene.expect_failure()
    await scene.leave()


def confuse_address_type(scene, side):
    """A side computes with the wrong type of its own address, a common mistake of new stacks."""

    class Session(smp.Session):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self.iat ^= side == CENTRAL
            self.rat ^= side == PERIPHERAL

    device(scene, side).smp_manager.session_proxy = Session


@fault("address_type_in_confirm", "confirm_mismatch")
async def address_type_in_confirm(scene):
    await prepare(scene, "just_works", False)
    confuse_address_type(scene, scene.random.choice((CENTRAL, PERIPHERAL)))
    await scene.expect_failure()
    await scene.leave()


@fault("address_type_in_check", "dhkey_mismatch")
async def address_type_in_check(scene):
    await prepare(scene, scene.random.choice(("just_works", "numeric", "passkey")), True)
    confuse_address_type(scene, scene.random.choice((CENTRAL, PERIPHERAL)))
    await scene.expect_failure()
    await scene.leave()


def damage_check(side):
    @fault(f"check_of_{side}_damaged", "dhkey_mismatch")
    async def plant(scene):
        await prepare(scene, scene.random.choice(("just_works", "numeric", "passkey")), True)
        alter(scene, side, CommandCode.PAIRING_DHKEY_CHECK, flip(scene))
        await scene.expect_failure()
        await scene.leave()


damage_check(CENTRAL)
damage_check(PERIPHERAL)


@fault("pairing_declined", "pairing_not_supported")
async def pairing_declined(scene):
    await prepare(scene, "just_works")
    scene.delegates[PERIPHERAL].accepts = False
    await scene.expect_failure()
    await scene.leave()


@fault("no_security_manager", "pairing_not_supported")
async def no_security_manager(scene):
    await prepare(scene, "just_works")
    fail_at(scene, PERIPHERAL, "on_smp_pairing_request_command", ErrorCode.PAIRING_NOT_SUPPORTED)
    await scene.expect_failure()
    await scene.close(CENTRAL)


@fault("short_key_refused_by_peripheral", "key_size_too_small")
async def short_key_refused_by_peripheral(scene):
    await prepare(scene, "just_works", sizes=(scene.random.choice((7, 8, 10)), 16))
    fail_at(scene, PERIPHERAL, "on_smp_pairing_request_command", ErrorCode.ENCRYPTION_KEY_SIZE)
    await scene.expect_failure()
    await scene.leave()


@fault("short_key_refused_by_central", "key_size_too_small")
async def short_key_refused_by_central(scene):
    await prepare(scene, "just_works", sizes=(16, scene.random.choice((7, 8, 10))))
    fail_at(scene, CENTRAL, "on_smp_pairing_response_command", ErrorCode.ENCRYPTION_KEY_SIZE)
    await scene.expect_failure()
    await scene.leave()


@fault("protection_not_possible", "pairing_method_mismatch")
async def protection_not_possible(scene):
    """The central wants protection against a man in the middle from a device without input and output."""
    await prepare(scene, "just_works")
    scene.central.pairing_config_factory(None).mitm = True
    fail_at(scene, CENTRAL, "on_smp_pairing_response_command", ErrorCode.AUTHENTICATION_REQUIREMENTS)
    await scene.expect_failure()
    await scene.leave()


@fault("protection_demanded", "pairing_method_mismatch")
async def protection_demanded(scene):
    """The peripheral refuses a central without input and output."""
    await prepare(scene, "passkey")
    scene.delegates[CENTRAL].io_capability = smp.IoCapability.NO_INPUT_NO_OUTPUT
    fail_at(scene, PERIPHERAL, "on_smp_pairing_request_command", ErrorCode.AUTHENTICATION_REQUIREMENTS)
    await scene.expect_failure()
    await scene.leave()


# Stalled pairing: 30 s without the next PDU (Vol 3, Part H, 3.4).


def stall(way, side, code, method, secure):
    @fault(way, "pairing_timeout")
    async def plant(scene):
        await prepare(scene, method, secure)
        alter(scene, side, code, lambda pdu: None)
        pairing = asyncio.ensure_future(scene.connection.pair())
        await scene.idle(31, 40)
        pairing.cancel()
        await scene.close(CENTRAL)


stall("no_pairing_response", PERIPHERAL, CommandCode.PAIRING_RESPONSE, "just_works", None)
stall("no_confirm_value", PERIPHERAL, CommandCode.PAIRING_CONFIRM, "just_works", None)
stall("no_random_value", CENTRAL, CommandCode.PAIRING_RANDOM, "numeric", True)
stall("no_passkey_entered", CENTRAL, CommandCode.PAIRING_CONFIRM, "passkey", None)


# Bonds.


async def reconnect(scene):
    """A bond of LE Secure Connections; with one of legacy pairing Bumble's central encrypts with the wrong key."""
    await prepare(scene, scene.random.choice(("just_works", "numeric")), True)
    if error := await scene.pair():
        raise error
    await scene.close()
    await scene.idle(0.5, 3)


async def encrypt_in_vain(scene):
    await scene.meet()
    try:
        await asyncio.wait_for(scene.connection.encrypt(), 20)
    except (Exception, asyncio.CancelledError):
        # Bumble cancels it if the connection ends.
        await scene.idle(0.3, 2)
        return
    raise RuntimeError("the encryption succeeded")


@fault("bond_deleted", central="bond_missing_remote", peripheral="bond_missing_local", air="bond_missing_remote")
async def bond_deleted(scene):
    await reconnect(scene)
    await scene.peripheral.keystore.delete_all()
    await encrypt_in_vain(scene)
    await scene.close(CENTRAL)


@fault("other_bond", central="mic_failure", peripheral="mic_failure")
async def other_bond(scene):
    """The peripheral has a key of another pairing under the central's address."""
    await reconnect(scene)
    ((address, keys),) = await scene.peripheral.keystore.get_all()
    keys.ltk.value = scene.random.randbytes(16)
    await scene.peripheral.keystore.update(address, keys)
    await encrypt_in_vain(scene)
