import Bluetooth
import Captures
import Causes
import TestKit
import Testing

/// Requests that are not answered, late or out of turn.
struct AttributeTransactionTests {
    typealias View = AttributeScene.View

    @Test(arguments: View.allCases, [false, true])
    func aRequestTimesOut(_ view: View, _ hasGap: Bool) {
        let scene = AttributeScene(view)
        scene.client("0a 0700")
        let request = scene.frame
        if hasGap { scene.lose() }
        scene.wait(seconds: 31)
        scene.disconnect()
        #expect(scene.causes() == ["request_timeout \(hasGap ? "likely" : "certain")"])
        #expect(scene.incidents().first?.frames.first == request)
    }

    @Test(arguments: View.allCases)
    func aResponseIsLate(_ view: View) {
        let scene = AttributeScene(view)
        scene.client("0a 0700")
        let request = scene.frame
        scene.wait(seconds: 31)
        scene.server("0b 05")
        let response = scene.frame
        scene.disconnect()
        #expect(scene.causes() == ["request_timeout certain"])
        #expect(scene.incidents().first?.frames == [request, response])
    }

    /// A host that disconnects has given up.
    @Test(arguments: View.allCases)
    func aClientGivesUp(_ view: View) {
        let scene = AttributeScene(view)
        scene.client("0a 0700")
        scene.wait(seconds: 10)
        scene.disconnect()
        #expect(scene.causes() == ["request_timeout likely"])
    }

    @Test func anIndicationTimesOut() {
        let scene = AttributeScene(.host)
        scene.client("12 0c00 0200")
        scene.server("13")
        scene.server("1d 0b00 05")
        scene.wait(seconds: 31)
        scene.disconnect()
        #expect(scene.causes() == ["request_timeout certain"])
    }

    /// A response may be on its way when the connection ends, or the capture.
    @Test(arguments: View.allCases, [0, 1, 2])
    func aRequestThatIsPendingAtTheEndHasNotFailed(_ view: View, _ end: Int) {
        let scene = AttributeScene(view)
        scene.client("0a 0700")
        if end == 1 { scene.disconnect() }
        if end == 2 {
            scene.wait(seconds: 1)
            scene.disconnect(isLost: true)
        }
        #expect(scene.causes() == [])
    }

    /// A server may keep a response back until the link is encrypted.
    @Test func aResponseMayWaitForPairing() {
        let scene = AttributeScene(.host)
        scene.client("0a 0700")
        scene.link.carry([0x0B, 0x01], on: .smp, .received)
        scene.wait(seconds: 10)
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    @Test(arguments: View.allCases, [false, true])
    func requestsOverlap(_ view: View, _ hasGap: Bool) {
        let scene = AttributeScene(view)
        scene.client("0a 0700")
        let first = scene.frame
        scene.client("12 0900 05")
        let second = scene.frame
        scene.server("0b 05")
        let response = scene.frame
        scene.server("13")
        if hasGap { scene.lose() }
        scene.disconnect()
        // On the air, an overlap is a gap: the sniffer may have missed a response.
        let isCertain = view == .host && !hasGap
        #expect(scene.causes() == ["requests_overlapped \(isCertain ? "certain" : "likely")"])
        #expect(scene.incidents().first?.frames == [first, second, response])
    }

    /// In a host's log, a request without a response has none; a sniffer may have missed it.
    @Test(arguments: View.allCases)
    func aRequestIsDropped(_ view: View) {
        let scene = AttributeScene(view)
        scene.client("0a 0700")
        scene.client("12 0900 05")
        scene.server("13")
        scene.disconnect()
        #expect(scene.causes() == (view == .host ? ["requests_overlapped likely"] : []))
    }

    @Test(arguments: View.allCases)
    func requestsInTurnDoNotOverlap(_ view: View) {
        let scene = AttributeScene(view)
        for _ in 0..<10 {
            scene.link.read(0x0007, [5])
            scene.link.write(0x0009, [5])
        }
        scene.disconnect()
        #expect(scene.causes() == [])
    }
}
