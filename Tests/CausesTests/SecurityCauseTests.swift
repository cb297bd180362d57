import Bluetooth
import Causes
import PDUTestKit
import TestKit
import Testing

/// Causes of failed pairings, in both hosts' logs and on the air.
struct PairingCauseTests {
    typealias View = SecurityScene.View

    /// A reason of Pairing Failed that names its cause.
    struct NamedReason: Sendable, CustomTestStringConvertible {
        let reason: SMP.FailureReason
        let cause: String

        var testDescription: String { cause }

        static let all = [
            NamedReason(reason: .pairingNotSupported, cause: "pairing_not_supported"),
            NamedReason(reason: .oobNotAvailable, cause: "pairing_method_mismatch"),
            NamedReason(reason: .authenticationRequirements, cause: "pairing_method_mismatch"),
            NamedReason(reason: .encryptionKeySize, cause: "key_size_too_small"),
            NamedReason(reason: .dhKeyCheckFailed, cause: "dhkey_mismatch"),
            NamedReason(reason: .numericComparisonFailed, cause: "numeric_comparison_rejected"),
        ]
    }

    @Test(arguments: NamedReason.all, View.allCases)
    func aReasonThatNamesItsCauseIsCertain(_ named: NamedReason, _ view: View) throws {
        let scene = SecurityScene(view)
        scene.exchangeJustWorks(secure: true)
        scene.fail(named.reason)
        let failed = scene.recording.packets.count
        scene.disconnect()
        #expect(scene.causes == ["\(named.cause) certain"])
        let incident = try #require(scene.incidents.first)
        #expect(incident.what == .pairingFailed)
        #expect(incident.frames.contains(failed))
        #expect(incident.text.contains("the peripheral"))
        #expect(incident.text.contains("frame \(failed)"))
        #expect(!incident.advice.isEmpty)
    }

    @Test(arguments: NamedReason.all)
    func droppedPacketsMayHideAnotherPairing(_ named: NamedReason) {
        let scene = SecurityScene(.central)
        scene.exchangeJustWorks(secure: true)
        scene.fail(named.reason)
        scene.disconnect()
        let last = scene.recording.packets.count - 1
        #expect(
            SecurityScene.causes(SecurityScene.incidents(scene.recording, drop: last)) == ["\(named.cause) likely"])
    }

    @Test func anUnmetRequirementIsNamed() throws {
        let scene = SecurityScene(.central)
        scene.exchange(
            SecurityScene.features(.noInputNoOutput), SecurityScene.features(.noInputNoOutput, mitm: false))
        scene.fail(.authenticationRequirements, byCentral: true)
        let text = try #require(scene.incidents.first?.text)
        #expect(text.contains("Just Works, which does not give the MITM protection that the central requires"))
    }

    @Test(arguments: View.allCases)
    func aCommandOfTheOtherKindOfPairingShowsAMismatch(_ view: View) {
        let scene = SecurityScene(view)
        scene.exchangeJustWorks(secure: true)
        scene.central(SMP.PairingConfirm(value: 1))
        scene.fail(.unspecifiedReason)
        scene.disconnect()
        #expect(scene.causes == ["pairing_method_mismatch likely"])
    }

    @Test func theOfferedKeySizesAreNamed() throws {
        let scene = SecurityScene(.peripheral)
        scene.exchange(SecurityScene.features(.noInputNoOutput, size: 7), SecurityScene.features(.noInputNoOutput))
        scene.fail(.encryptionKeySize)
        let text = try #require(scene.incidents.first?.text)
        #expect(text.contains("the central offers up to 7 bytes"))
    }

    @Test func aConnectionMayEndAsPairingIsNotAllowed() {
        let scene = SecurityScene(.central)
        scene.exchangeJustWorks()
        scene.disconnect(0x18)
        #expect(scene.causes == ["pairing_not_supported certain"])
    }

    // MARK: - Time

    @Test(arguments: [View.central, .peripheral])
    func silenceForThirtySecondsIsATimeout(_ view: View) throws {
        let scene = SecurityScene(view)
        scene.exchangeJustWorks()
        scene.wait(seconds: 31)
        scene.disconnect()
        #expect(scene.causes == ["pairing_timeout certain"])
        #expect(scene.incidents.first?.text.contains("after Pairing Response of the peripheral in frame 3") == true)
    }

    @Test func silenceOnTheAirIsATimeout() {
        let scene = SecurityScene(.air)
        scene.exchangeJustWorks()
        scene.wait(seconds: 31)
        scene.disconnect()
        #expect(scene.incidents.map(\.cause) == ["pairing_timeout"])
    }

    @Test func aGapMayHideACommand() {
        let scene = SecurityScene(.central)
        scene.exchangeJustWorks()
        scene.gap()
        scene.wait(seconds: 31)
        scene.disconnect()
        #expect(scene.causes == ["pairing_timeout likely"])
    }

    @Test(arguments: View.allCases)
    func aShorterSilenceIsNone(_ view: View) {
        let scene = SecurityScene(view)
        scene.exchangeJustWorks()
        scene.wait(seconds: 20)
        scene.disconnect()
        #expect(scene.causes == [])
    }
}

/// Causes of failed authentication: confirm values, passkeys, numbers.
struct AuthenticationCauseTests {
    typealias View = SecurityScene.View

    @Test(arguments: View.allCases)
    func aConfirmValueThatFailsInPasskeyEntryIsAWrongPasskey(_ view: View) {
        let scene = SecurityScene(view)
        scene.exchangePasskey()
        scene.confirmLegacy()
        scene.fail(.confirmValueFailed)
        scene.disconnect()
        #expect(scene.causes == ["passkey_wrong certain"])
    }

    @Test func aGapMakesAWrongPasskeyLikely() {
        let scene = SecurityScene(.central)
        scene.exchangePasskey()
        scene.gap()
        scene.confirmLegacy()
        scene.fail(.confirmValueFailed)
        scene.disconnect()
        #expect(scene.causes == ["passkey_wrong likely"])
    }

    @Test func withoutFeaturesAWrongPasskeyIsPossible() {
        let scene = SecurityScene(.central)
        scene.confirmLegacy()
        scene.fail(.confirmValueFailed)
        scene.disconnect()
        #expect(scene.causes == ["passkey_wrong possible"])
    }

    @Test func anEntryThatFailedIsLikelyAWrongPasskey() {
        let scene = SecurityScene(.central)
        scene.exchangePasskey()
        scene.fail(.passkeyEntryFailed, byCentral: true)
        scene.disconnect()
        #expect(scene.causes == ["passkey_wrong likely"])
    }

    @Test(arguments: View.allCases)
    func theRoundOfAWrongPasskeyIsNamed(_ view: View) throws {
        let scene = SecurityScene(view)
        scene.exchangePasskey(secure: true)
        scene.exchangePublicKeys()
        scene.rounds(3)
        scene.fail(.confirmValueFailed)
        scene.disconnect()
        #expect(scene.causes == ["passkey_wrong certain"])
        let text = try #require(scene.incidents.first?.text)
        #expect(text.contains("round 3 of 20, in bit 2; the central uses 1 for it"))
    }

    @Test(arguments: View.allCases)
    func aConfirmValueThatFitsNoBitIsHardlyAWrongPasskey(_ view: View) {
        let scene = SecurityScene(view)
        scene.exchangePasskey(secure: true)
        scene.exchangePublicKeys()
        scene.confirmLegacy()
        scene.fail(.confirmValueFailed)
        scene.disconnect()
        #expect(scene.causes == ["confirm_mismatch likely"])
        #expect(scene.incidents.first?.considered.contains { $0.cause == "passkey_wrong" } == true)
    }

    @Test(arguments: View.allCases)
    func aConfirmValueThatFailsInJustWorksIsAMismatch(_ view: View) {
        let scene = SecurityScene(view)
        scene.exchangeJustWorks()
        scene.confirmLegacy()
        scene.fail(.confirmValueFailed)
        scene.disconnect()
        #expect(scene.causes == ["confirm_mismatch certain"])
    }

    @Test func aConfirmValueCannotFailBeforeItIsChecked() {
        let scene = SecurityScene(.central)
        scene.exchangeJustWorks()
        scene.central(SMP.PairingConfirm(value: 1))
        scene.fail(.confirmValueFailed)
        scene.disconnect()
        #expect(scene.causes == ["confirm_mismatch possible"])
    }

    /// The central checks the confirm value of the peripheral; some hosts use the same reason if the user says no.
    @Test(
        arguments: [
            (true, true, "numeric_comparison_rejected likely"), (false, true, "confirm_mismatch certain"),
            (true, false, "numeric_comparison_rejected likely"),
        ], View.allCases)
    func aConfirmValueThatMatchesLeavesTheUser(_ row: (fits: Bool, byCentral: Bool, cause: String), _ view: View) {
        let scene = SecurityScene(view)
        let features = SecurityScene.features(.displayYesNo, secure: true)
        scene.exchange(features, features)
        scene.exchangePublicKeys()
        scene.commit(row.fits ? SecurityScene.confirm(ofCentral: false, random: 6, z: 0) : 99)
        scene.fail(.confirmValueFailed, byCentral: row.byCentral)
        scene.disconnect()
        #expect(scene.causes == [row.cause])
    }
}

/// Causes of starts of encryption and of requests that lack security.
struct EncryptionCauseTests {
    typealias View = SecurityScene.View

    @Test(
        arguments: [
            (View.central, "bond_missing_remote"), (.peripheral, "bond_missing_local"), (.air, "bond_missing_remote"),
        ])
    func aKeyIsMissing(_ row: (view: View, cause: String)) {
        let scene = SecurityScene(row.view)
        scene.refuseEncryption()
        scene.disconnect()
        #expect(scene.causes == ["\(row.cause) certain"])
        #expect(scene.incidents.map(\.what) == [.encryptionFailed])
    }

    @Test(arguments: [View.central, .peripheral])
    func droppedPacketsMayHideAnotherStart(_ view: View) {
        let scene = SecurityScene(view)
        scene.refuseEncryption()
        scene.disconnect()
        let incidents = SecurityScene.incidents(scene.recording, drop: scene.recording.packets.count - 1)
        #expect(incidents.map(\.confidence) == [.likely])
    }

    @Test(arguments: [(false, "bond_missing_local certain"), (true, "bond_missing_remote certain")])
    func aLinkKeyIsMissing(_ row: (hasLinkKey: Bool, cause: String)) {
        let recording = SecurityScene.failedAuthentication(hasLinkKey: row.hasLinkKey)
        #expect(SecurityScene.causes(SecurityScene.incidents(recording)) == [row.cause])
    }

    @Test(
        arguments: [
            (View.central, "bond_missing_local"), (.peripheral, "bond_missing_remote"), (.air, "bond_missing_local"),
        ])
    func aCentralThatPairsAnewHasLostItsKey(_ row: (view: View, cause: String)) {
        let scene = SecurityScene(row.view)
        scene.pair()
        scene.disconnect()
        scene.reconnect()
        scene.central(SMP.PairingRequest(features: SecurityScene.features(.noInputNoOutput)))
        scene.fail(.pairingNotSupported)
        scene.disconnect()
        #expect(scene.causes == ["\(row.cause) likely"])
    }

    /// An ATT error that names its cause.
    struct NamedError: Sendable, CustomTestStringConvertible {
        let code: ATT.ErrorCode
        let cause: String

        var testDescription: String { cause }

        static let all = [
            NamedError(code: .insufficientAuthentication, cause: "insufficient_authentication"),
            NamedError(code: .insufficientAuthorization, cause: "insufficient_authorization"),
            NamedError(code: .insufficientEncryption, cause: "insufficient_encryption"),
            NamedError(code: .encryptionKeySizeTooShort, cause: "key_size_too_small"),
        ]
    }

    @Test(arguments: NamedError.all, View.allCases)
    func aRequestIsRefused(_ named: NamedError, _ view: View) {
        let scene = SecurityScene(view)
        scene.link.request(ATT.ReadRequest(handle: Handle(0x0010)))
        scene.link.refuse(.readRequest, Handle(0x0010), named.code)
        scene.disconnect()
        #expect(scene.causes == ["\(named.cause) certain"])
        #expect(scene.incidents.map(\.what) == [.procedureFailed])
    }

    @Test(arguments: NamedError.all)
    func aGapMayHideASecondRequest(_ named: NamedError) {
        let scene = SecurityScene(.central)
        scene.link.request(ATT.ReadRequest(handle: Handle(0x0010)))
        scene.link.refuse(.readRequest, Handle(0x0010), named.code)
        scene.gap()
        scene.disconnect()
        #expect(scene.causes == ["\(named.cause) likely"])
    }

    @Test(arguments: [View.central, .peripheral])
    func aRequestIsRefusedAgainAfterPairing(_ view: View) {
        let scene = SecurityScene(view)
        for isAgain in [false, true] {
            if isAgain { scene.pair() }
            scene.link.request(ATT.ReadRequest(handle: Handle(0x0010)))
            scene.link.refuse(.readRequest, Handle(0x0010), .insufficientAuthentication)
        }
        scene.disconnect()
        #expect(scene.causes == ["insufficient_authentication certain"])
        #expect(scene.incidents.first?.text.contains("on an encrypted connection, 2 times") == true)
    }

    /// The failed pairing explains the errors before it.
    @Test(arguments: View.allCases)
    func aFailedPairingExplainsTheErrorBefore(_ view: View) {
        let scene = SecurityScene(view)
        scene.link.request(ATT.ReadRequest(handle: Handle(0x0010)))
        scene.link.refuse(.readRequest, Handle(0x0010), .insufficientAuthentication)
        scene.central(SMP.PairingRequest(features: SecurityScene.features(.noInputNoOutput)))
        scene.fail(.pairingNotSupported)
        scene.disconnect()
        #expect(scene.causes == ["pairing_not_supported certain"])
    }
}
