import Bluetooth
import Bytes
import Host
import PDUTestKit
import Testing

/// The database of Vol 3, Part G, Appendix B, and its hash.
@Test func databaseHashOfTheSpecification() throws {
    let services: [AttributeDatabase.Service] = [
        .init(0x1800, [.init(.deviceName, [.read, .write]), .init(0x2A01, .read)]),
        .genericAttribute,
        .init(
            0x1808, includes: [0x180F],
            [.init(0x2A18, [.read, .indicate, .extended], descriptors: [.init(0x2900, value: [0, 0])])]),
        .init(0x180F, isPrimary: false, [.init(0x2A19, .read)]),
    ]
    let database = try AttributeDatabase(services)
    #expect(database.attributes.map(\.handle.rawValue) == Array(1...0x16))
    #expect(hexText(database.hash.reversed()) == "f1ca2d48ecf58bac8a8830bbb9fba990")
}

@Test func handlesThatAreTakenAreRefused() {
    let taken: [AttributeDatabase.Service] = [.init(0x1800, [.init(.deviceName, .read)]), .init(0x1801, handle: 3)]
    #expect(throws: AttributeDatabase.DefinitionError.handleTaken(3, 0x1801)) { try AttributeDatabase(taken) }
    let full: [AttributeDatabase.Service] = [.init(0x1800, handle: 0xFFFF, [.init(.deviceName, .read)])]
    #expect(throws: AttributeDatabase.DefinitionError.self) { try AttributeDatabase(full) }
    let last = [AttributeDatabase.Service(0x1800, handle: 0xFFFF)]
    #expect(throws: Never.self) { try AttributeDatabase(last) }
    let unknown = [AttributeDatabase.Service(0x1800, includes: [0x1234])]
    #expect(throws: AttributeDatabase.DefinitionError.unknownInclude(0x1234)) { try AttributeDatabase(unknown) }
}

/// A discovered table is rebuilt at its own handles.
@Test func databaseOfATableKeepsItsHandles() {
    var table = GATT.Table()
    _ = table.learn(GATT.Table.Service(start: 0x10, end: 0x1F, type: 0x180F))
    _ = table.learn(
        GATT.Table.Characteristic(declaration: 0x11, value: 0x13, properties: [.read, .notify], type: 0x2A19))
    _ = table.learn(GATT.Table.Descriptor(handle: 0x15, type: .clientCharacteristicConfiguration))
    var server = ScriptedServer(AttributeDatabase(table, values: [0x13: [0x32]]))
    PDUScript(
        "GATT 3", "a table at its handles",
        """
        > 10 0100 ffff 0028
        < 11 06 1000 1500 0f18
        > 08 1000 1500 0328
        < 09 07 1100 12 1300 192a
        > 04 1400 1500
        < 05 01 1500 0229
        > 0a 1300
        < 0b 32
        > 12 1500 0100
        = subscribed 0013 1
        < 13
        ! tell 0013 31
        < 1b 1300 31
        """
    ).run { server($0) }
}

@Test func attributesAreFoundByHandleAndRange() {
    let database = AttributeDatabase([
        .init(handle: 9, type: 0x2803), .init(handle: 3, type: 0x2800), .init(handle: 3, type: 0x2801),
        .init(handle: 0, type: 0x2800), .init(handle: 0xFFFF, type: 0x2A00),
    ])
    #expect(database.attributes.map(\.handle) == [3, 9, 0xFFFF])
    #expect(database[3]?.type == 0x2800)
    #expect(database[4] == nil)
    #expect(database[Handle(1)...8].map(\.handle) == [3])
    #expect(database[Handle(4)...0xFFFF].map(\.handle) == [9, 0xFFFF])
    #expect(database[Handle(10)...11].isEmpty)
    #expect(database.groupEnd(of: 3) == 0xFFFF)
    #expect(database.groupEnd(of: 0xFFFF) == 0xFFFF)
}

/// Two clients have separate subscriptions; the state of a bonded one can be stored and restored.
@Test func clientsAreKeptApart() {
    var scripted = ScriptedServer()
    scripted.server.connect(2)
    _ = scripted.server.handle(hex("12 1300 0100"), from: 2, at: scripted.now)
    #expect(scripted.server.subscription(of: 1, to: 0x12) == [])
    #expect(scripted.server.subscription(of: 2, to: 0x12) == .notifications)
    #expect(
        scripted.server.sendUpdate([0x01], at: 0x12, now: scripted.now) == [.send(hex("1b 1200 01"), to: 2)])
    _ = scripted.server.identify(2, as: ScriptedServer.identity, at: scripted.now)
    let kept = scripted.server.client(ScriptedServer.identity)
    #expect(kept?.configurations == [0x13: 1])
    scripted.server.disconnect(2)

    var another = ScriptedServer()
    another.server.remember(kept ?? ClientState(), of: ScriptedServer.identity)
    _ = another.server.identify(1, as: ScriptedServer.identity, at: another.now)
    #expect(another.server.subscription(of: 1, to: 0x12) == .notifications)
    another.server.forget(ScriptedServer.identity)
    another.server.disconnect(1)
    #expect(another.server.client(ScriptedServer.identity) == nil)
}

/// After a database change a handle may belong to another characteristic, to which the client has not subscribed.
@Test func aSubscriptionDoesNotPassToAnotherCharacteristic() throws {
    func database(_ first: Bluetooth.UUID, _ second: Bluetooth.UUID) throws -> AttributeDatabase {
        try AttributeDatabase([
            .init(0x180F, handle: 0x10, [.init(0x2A19, [.read, .notify], value: [0x64])]),
            .init(0x180A, handle: 0x20, [.init(first, .notify), .init(second, .notify)]),
        ])
    }
    var scripted = ScriptedServer(try database(0xFF01, 0xFF02))
    _ = scripted("! identify")
    _ = scripted("> 12 1300 0100")
    _ = scripted("> 12 2300 0100")
    #expect(scripted("! tell 0022 01") == ["< 1b220001"])
    _ = scripted.server.replace(try database(0xFF02, 0xFF01), at: scripted.now)
    #expect(scripted("! tell 0022 01").isEmpty)
    #expect(scripted("! tell 0012 63") == ["< 1b120063"])
    #expect(scripted("> 0a 2300") == ["< 0b0000"])
    // A disconnected client loses the same subscriptions.
    _ = scripted("> 12 2300 0100")
    _ = scripted("! reconnect")
    _ = scripted.server.replace(try database(0xFF01, 0xFF02), at: scripted.now)
    _ = scripted("! identify")
    #expect(scripted.server.client(ScriptedServer.identity)?.configurations == [0x13: 1])
}

/// Random bytes on any connection leave the server operational.
@Test func serverSurvivesRandomPDUs() {
    var random = SplitMix64(seed: 5)
    var scripted = ScriptedServer()
    for round in 0..<20_000 {
        var pdu = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        if !pdu.isEmpty, round % 4 != 0 { pdu[0] = UInt8.random(in: 0...0x24, using: &random) }
        if pdu.count > 2, round % 2 == 0 { pdu[2] = 0 }
        _ = scripted.server.handle(pdu, from: 1, at: scripted.now)
        if round % 50 == 0 { _ = scripted("! answer 00") }
        if round % 500 == 0 { _ = scripted("! reconnect") }
    }
    _ = scripted("! reconnect")
    #expect(scripted("> 0a 0300") == ["< 0b54657374"])
}

/// Three groups of 6 bytes fit into an MTU of 23 (Vol 3, Part F, 3.4.4.10).
@Test func aResponseHasAsManyGroupsAsFitIntoTheMTU() throws {
    let services = [0x180A, 0x180D, 0x180F, 0x1816].map { AttributeDatabase.Service(Bluetooth.UUID($0)) }
    var server = ScriptedServer(try AttributeDatabase(services))
    PDUScript(
        "ATT 3.4.4.10", "as many groups as fit",
        """
        > 10 0100 ffff 0028
        < 11 06 0100 0100 0a18 0200 0200 0d18 0300 0300 0f18
        > 10 0400 ffff 0028
        < 11 06 0400 0400 1618
        """
    ).run { server($0) }
}
