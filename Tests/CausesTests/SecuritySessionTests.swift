import Bluetooth
import Causes
import PDUTestKit
import TestKit
import Testing

/// Sessions whose security went well have no incident.
struct SecuritySessionTests {
    typealias View = SecurityScene.View

    /// A session in which nothing went wrong.
    struct Session: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let play: @Sendable (SecurityScene) -> Void

        init(_ description: String, _ play: @escaping @Sendable (SecurityScene) -> Void) {
            testDescription = description
            self.play = play
        }

        static let all = [
            Session("pairing") {
                $0.pair()
                $0.disconnect()
            },
            Session("encryption with the key of a bond") {
                $0.encrypt()
                $0.disconnect()
            },
            Session("pairing, then encryption on the next connection") {
                $0.pair()
                $0.disconnect()
                $0.reconnect()
                $0.encrypt()
                $0.disconnect()
            },
            Session("a wrong passkey, then the right one") {
                $0.exchangePasskey()
                $0.confirmLegacy()
                $0.fail(.confirmValueFailed)
                $0.pair()
                $0.disconnect()
            },
            Session("a lost bond that pairing repairs") {
                $0.refuseEncryption()
                $0.pair()
                $0.disconnect()
            },
            Session("a refused request that succeeds after pairing") {
                $0.link.request(ATT.ReadRequest(handle: Handle(0x0010)))
                $0.link.refuse(.readRequest, Handle(0x0010), .insufficientAuthentication)
                $0.pair()
                $0.link.read(Handle(0x0010), [1])
                $0.disconnect()
            },
            Session("a refused write that succeeds after encryption") {
                $0.link.request(ATT.WriteRequest(handle: Handle(0x0010), value: [1, 0]))
                $0.link.refuse(.writeRequest, Handle(0x0010), .insufficientEncryption)
                $0.encrypt()
                $0.link.write(Handle(0x0010), [1, 0])
                $0.disconnect()
            },
            Session("a refused Security Request, then use without encryption") {
                $0.peripheral(SMP.SecurityRequest(requirements: SMP.AuthenticationRequirements(isBonding: true)))
                $0.fail(.pairingNotSupported, byCentral: true)
                $0.link.read(Handle(0x0010), [1])
                $0.disconnect()
            },
            Session("a Security Request without an answer") {
                $0.peripheral(SMP.SecurityRequest(requirements: SMP.AuthenticationRequirements(isBonding: true)))
                $0.link.read(Handle(0x0010), [1])
                $0.wait(seconds: 31)
                $0.disconnect()
            },
            Session("a capture that ends during pairing") { $0.exchangeJustWorks() },
            Session("a capture that ends during the pairing after a refused request") {
                $0.link.request(ATT.ReadRequest(handle: Handle(0x0010)))
                $0.link.refuse(.readRequest, Handle(0x0010), .insufficientAuthentication)
                $0.exchangeJustWorks()
            },
            Session("a capture that ends during the start of encryption") { $0.startEncryption() },
        ]
    }

    @Test(arguments: Session.all, View.allCases)
    func nothingWentWrong(_ session: Session, _ view: View) {
        let scene = SecurityScene(view)
        session.play(scene)
        #expect(scene.causes == [])
    }

    /// A peripheral that ends the connection insists on its Security Request.
    @Test func aRefusedSecurityRequestMayEndTheConnection() {
        let scene = SecurityScene(.central)
        scene.peripheral(SMP.SecurityRequest(requirements: SMP.AuthenticationRequirements(isBonding: true)))
        scene.fail(.pairingNotSupported, byCentral: true)
        scene.link.read(Handle(0x0010), [1])
        scene.disconnect(0x05)
        #expect(scene.causes == ["pairing_not_supported certain"])
    }

    /// A capture may end after any packet, and begin with any.
    @Test(arguments: View.allCases)
    func partsOfACaptureAreNoTrap(_ view: View) {
        let scene = SecurityScene(view)
        scene.exchangePasskey(secure: true)
        scene.exchangePublicKeys()
        scene.rounds(2)
        scene.fail(.confirmValueFailed)
        scene.refuseEncryption()
        scene.disconnect()
        let packets = scene.recording.packets
        for index in packets.indices {
            for part in [Array(packets[index...]), Array(packets[...index])] {
                scene.recording.packets = part
                for incident in scene.incidents {
                    #expect(!incident.frames.isEmpty && incident.frames.last ?? 0 <= part.count)
                }
            }
        }
    }

    @Test(arguments: View.allCases)
    func extremeTimesAreNoTrap(_ view: View) {
        let scene = SecurityScene(view)
        scene.exchangePasskey()
        scene.confirmLegacy()
        scene.fail(.confirmValueFailed)
        scene.exchangeJustWorks()
        scene.refuseEncryption()
        scene.disconnect()
        for times in Recording.extremeTimes {
            for incident in SecurityScene.incidents(scene.recording.timed(at: times)) {
                #expect(!incident.text.isEmpty)
            }
        }
    }
}
