import Bluetooth
import Causes
import PDUTestKit
import TestKit
import Testing

/// Handles of old tables, and values that no PDU has room for.
struct AttributeTableTests {
    typealias View = AttributeScene.View

    /// Generic Attribute with Service Changed at 0x0003, a value at 0x0007.
    static let changing = ServerLayout(
        .service(0x1801, .characteristic(0x2A05, [.indicate], descriptors: 0x2902)),
        .service(0xFFF0, .characteristic(0xFFF1, [.read, .write])))

    @Test(arguments: View.allCases, [false, true])
    func aHandleOfAnEarlierConnectionIsGone(_ view: View, _ hasGap: Bool) {
        let scene = AttributeScene(view)
        scene.reconnect()
        scene.client("0a 0700")
        let request = scene.frame
        scene.server("01 0a 0700 01")
        let response = scene.frame
        if hasGap { scene.lose() }
        scene.disconnect()
        #expect(scene.causes() == ["stale_handles \(hasGap ? "likely" : "certain")"])
        #expect(scene.incidents().first?.frames == [request, response])
        #expect(scene.incidents().first?.considered.contains { $0.cause == "attribute_not_found" } == true)
    }

    /// The client has a table from before the capture.
    @Test func aHandleWithoutDiscoveryIsOld() {
        let scene = AttributeScene(.host, isDiscovered: false)
        scene.client("0a 0700")
        scene.server("01 0a 0700 01")
        scene.disconnect()
        #expect(scene.causes() == ["stale_handles likely"])
    }

    @Test(arguments: View.allCases)
    func aHandleMeansSomethingElseNow(_ view: View) {
        let scene = AttributeScene(view)
        scene.reconnect()
        scene.client("12 0700 05")
        let write = scene.frame
        scene.server("13")
        scene.link.discover(
            ServerLayout(
                .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)),
                .service(0xFFF0, .characteristic(0xFFF5, [.read, .write]))))
        scene.disconnect()
        #expect(scene.causes() == ["stale_handles certain"])
        #expect(scene.incidents().first?.frames == [write])
    }

    @Test(arguments: [false, true])
    func aClientIsUnawareOfAChange(_ discoversAgain: Bool) {
        let scene = AttributeScene(.host)
        scene.client("0a 0700")
        scene.server("01 0a 0700 12")
        if discoversAgain { scene.link.discover(AttributeScene.layout) }
        scene.disconnect()
        #expect(scene.causes() == (discoversAgain ? [] : ["stale_handles certain"]))
    }

    @Test func aClientThatKeepsItsTableIsRight() {
        let scene = AttributeScene(.host)
        scene.reconnect()
        scene.link.read(0x0007, [5])
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    private func change(_ view: View) -> AttributeScene {
        let scene = AttributeScene(view, isDiscovered: false)
        scene.link.discover(Self.changing)
        scene.link.subscribe(0x0004, indications: true)
        scene.link.indicateServiceChanged(0x0003, 0x0005, 0xFFFF)
        return scene
    }

    @Test(arguments: View.allCases, [false, true])
    func serviceChangedIsIgnored(_ view: View, _ hasGap: Bool) {
        let scene = change(view)
        scene.client("0a 0700")
        let request = scene.frame
        scene.server("01 0a 0700 01")
        if hasGap { scene.lose() }
        scene.disconnect()
        #expect(scene.causes() == ["service_changed_ignored \(hasGap ? "likely" : "certain")"])
        #expect(scene.incidents().first?.frames.contains(request) == true)
    }

    @Test func serviceChangedIsIgnoredWithoutAnError() {
        let scene = change(.host)
        scene.link.read(0x0007, [5])
        scene.disconnect()
        #expect(scene.causes() == ["service_changed_ignored likely"])
    }

    @Test(arguments: View.allCases)
    func serviceChangedIsObeyed(_ view: View) {
        let scene = change(view)
        scene.link.discover(Self.changing)
        scene.link.read(0x0007, [5])
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    // MARK: - Lengths

    private static let long = [UInt8](0..<60)

    @Test(arguments: View.allCases)
    func aReadIsNotContinued(_ view: View) {
        let scene = AttributeScene(view)
        scene.link.read(0x0007, Array(Self.long.prefix(22)))
        let response = scene.frame
        scene.disconnect()
        #expect(scene.causes() == ["mtu_too_small likely"])
        #expect(scene.incidents().first?.what == .valueTruncated)
        #expect(scene.incidents().first?.frames.last == response)
    }

    @Test(arguments: View.allCases)
    func aReadThatEndsIsWhole(_ view: View) {
        let scene = AttributeScene(view)
        scene.link.readLong(0x0007, Self.long)
        scene.link.readLong(0x0007, Array(Self.long.prefix(22)))
        scene.link.read(0x0007, Array(Self.long.prefix(21)))
        scene.link.exchangeMTU(client: 247, server: 247)
        scene.link.read(0x0007, Self.long)
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    @Test func aWrittenValueIsCut() {
        let scene = AttributeScene(.host)
        scene.client("12 0700 " + hexText(Self.long.prefix(20)))
        scene.server("01 12 0700 0d")
        scene.disconnect()
        #expect(scene.causes() == ["mtu_too_small likely"])
    }

    @Test func aRequestIsLongerThanTheMTU() {
        let scene = AttributeScene(.host)
        scene.client("12 0700 " + hexText(Self.long))
        scene.server("01 12 0700 0d")
        scene.disconnect()
        #expect(scene.causes() == ["mtu_too_small certain"])
    }

    @Test(arguments: View.allCases, [false, true])
    func aNotificationIsCut(_ view: View, _ hasGap: Bool) {
        let scene = AttributeScene(view)
        scene.link.subscribe(0x0004)
        scene.link.notify(0x0003, Array(Self.long.prefix(20)))
        let notification = scene.frame
        scene.link.readLong(0x0003, Self.long)
        let last = scene.frame
        if hasGap { scene.lose() }
        scene.disconnect()
        #expect(scene.causes() == ["notification_truncated \(hasGap ? "likely" : "certain")"])
        #expect(scene.incidents().first?.frames == [notification, last])
    }

    /// A stream of full notifications is none that is cut.
    @Test(arguments: View.allCases)
    func fullNotificationsMayBeWhole(_ view: View) {
        let scene = AttributeScene(view)
        scene.link.subscribe(0x000C)
        for _ in 0..<5 { scene.link.notify(0x000B, Array(Self.long.prefix(20))) }
        scene.disconnect()
        #expect(scene.causes() == [])
    }
}
