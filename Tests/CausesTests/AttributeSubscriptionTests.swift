import Bluetooth
import Causes
import PDUTestKit
import TestKit
import Testing

/// Subscriptions that were never made, made at a wrong handle, or lost.
struct AttributeSubscriptionTests {
    typealias View = AttributeScene.View

    @Test(arguments: View.allCases, [false, true])
    func aClientWaitsForValuesThatItDidNotEnable(_ view: View, _ writes: Bool) {
        let scene = AttributeScene(view)
        if writes { scene.link.write(0x0009, [1]) }
        scene.wait(seconds: 5)
        scene.disconnect()
        #expect(scene.causes() == ["cccd_never_written likely"])
        #expect(scene.incidents().first?.what == .subscriptionFailed)
    }

    @Test func aGapLeavesItPossible() {
        let scene = AttributeScene(.host)
        scene.link.write(0x0009, [1])
        scene.lose()
        scene.wait(seconds: 5)
        scene.disconnect()
        #expect(scene.causes() == ["cccd_never_written possible"])
    }

    @Test(arguments: View.allCases)
    func aServerNamesTheMissingConfiguration(_ view: View) {
        let scene = AttributeScene(view)
        scene.client("12 0900 01")
        scene.server("01 12 0900 fd")
        scene.disconnect()
        #expect(scene.causes() == ["cccd_never_written certain"])
    }

    /// Nothing says that the client wanted values.
    @Test(arguments: View.allCases, 0..<6)
    func aClientNeedsNoSubscription(_ view: View, _ number: Int) {
        let scene = AttributeScene(view)
        switch number {
        case 0: scene.link.read(0x0007, [5])
        case 1: scene.link.subscribe(0x0004)
        case 2:
            scene.link.subscribe(0x000C)
            scene.link.notify(0x000B, [1])
        case 3:
            // The connection is lost meanwhile.
            scene.wait(seconds: 5)
            return #expect(scene.causes() == [])
        case 4:
            // A client that leaves at once has not waited.
            scene.disconnect()
            return #expect(scene.causes() == [])
        default:
            scene.link.write(0x0009, [1])
            scene.link.subscribe(0x000C)
        }
        scene.wait(seconds: 5)
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    /// A declaration, a value without a property for writing, the descriptor behind the right one.
    @Test(arguments: View.allCases, ["0a00", "0b00", "0d00"])
    func aConfigurationGoesToAWrongHandle(_ view: View, _ handle: String) {
        for (response, hasGap) in [("13", false), ("01 12 \(handle) 03", false), ("13", true)] {
            let scene = AttributeScene(view)
            scene.client("12 \(handle) 0100")
            let request = scene.frame
            scene.server(response)
            if hasGap { scene.lose() }
            scene.disconnect()
            #expect(scene.causes() == ["cccd_wrong_handle \(hasGap ? "likely" : "certain")"])
            #expect(scene.incidents().first?.what == .subscriptionFailed)
            #expect(scene.incidents().first?.frames.first == request)
        }
    }

    /// The client corrects itself; a value of two bytes may be written where the properties say so.
    @Test(
        arguments: View.allCases, [["12 0b00 0100", "01 12 0b00 03", "12 0c00 0100", "13"], ["12 0700 0100", "13"]])
    func aWriteIsNoConfiguration(_ view: View, _ pdus: [String]) {
        let scene = AttributeScene(view)
        for (index, pdu) in pdus.enumerated() {
            if index.isMultiple(of: 2) { scene.client(pdu) } else { scene.server(pdu) }
        }
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    /// A connection with values every second, then another one of the same devices.
    private func reconnected(_ view: View) -> AttributeScene {
        let scene = AttributeScene(view)
        scene.link.subscribe(0x000C)
        for value in 0..<4 as Range<UInt8> {
            scene.wait(seconds: 1)
            scene.link.notify(0x000B, [value])
        }
        scene.reconnect()
        return scene
    }

    @Test(arguments: View.allCases, [false, true])
    func aSubscriptionIsNotMadeAgain(_ view: View, _ hasGap: Bool) {
        let scene = reconnected(view)
        scene.link.read(0x0007, [5])
        if hasGap { scene.lose() }
        scene.wait(seconds: 10)
        scene.disconnect()
        #expect(scene.causes() == ["subscription_lost \(hasGap ? "possible" : "certain")"])
        #expect(scene.incidents().first?.connection == 2)
    }

    @Test(arguments: View.allCases)
    func aSubscriptionIsMadeAgain(_ view: View) {
        let scene = reconnected(view)
        scene.link.subscribe(0x000C)
        scene.wait(seconds: 10)
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    /// A connection may be too short for values to come.
    @Test(arguments: View.allCases)
    func aShortConnectionLosesNothing(_ view: View) {
        let scene = reconnected(view)
        scene.link.read(0x0007, [5])
        scene.disconnect()
        #expect(scene.causes() == [])
    }
}
