import Bluetooth
import Bytes
import Host
import PDUTestKit
import Testing

/// A client whose server is a script.
private struct ScriptedClient {
    var client = AttributeClient()
    var now = Timestamp(nanoseconds: 0)
    var nextID: UInt64 = 1

    mutating func callAsFunction(_ line: String) -> [String] {
        if line.hasPrefix(">") { return describe(client.handle(hex(String(line.dropFirst())), at: now)) }
        let words = line.dropFirst().split(separator: " ").map(String.init)
        if words[0] == "wait" {
            now = now + .seconds(Int(words[1])!)
            return describe(client.tick(at: now))
        }
        if words[0] == "disconnect" { return describe(client.disconnected()) }
        let operation = operation(words)
        defer { nextID += 1 }
        return describe(client.start(operation, id: nextID, at: now))
    }

    private func operation(_ words: [String]) -> AttributeClient.Operation {
        func handle(_ index: Int) -> Handle { Handle(UInt16(words[index], radix: 16)!) }
        switch words[0] {
        case "mtu": return .exchangeMTU(UInt16(words[1])!)
        case "discover": return .discover
        case "read": return .read(handle(1))
        case "find": return .readByType(UUID(words[1])!, Handle(1)...Handle(0xFFFF))
        case "write": return .write(handle(1), hex(words[2]))
        case "command": return .writeCommand(handle(1), hex(words[2]))
        case "reliable":
            return .reliableWrite([.init(handle(1), hex(words[2])), .init(handle(3), hex(words[4]))])
        case "subscribe": return .subscribe(handle(1), AttributeServer.Subscription(rawValue: UInt16(words[2])!))
        case "raw": return .raw(hex(words[1]))
        default: preconditionFailure("no such procedure: \(words)")
        }
    }

    private func describe(_ actions: [AttributeClient.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let pdu): "< " + hexText(pdu)
            case .event(let event): "= " + describe(event)
            }
        }
    }

    private func describe(_ event: AttributeClient.Event) -> String {
        switch event {
        case .finished(let id, .success(let outcome)): "\(id) \(describe(outcome))"
        case .finished(let id, .failure(let failure)): "\(id) \(describe(failure))"
        case .notified(let handle, let value): "notified \(handle) \(hexText(value))"
        case .indicated(let handle, let value): "indicated \(handle) \(hexText(value))"
        case .servicesChanged(let range): "changed \(range.lowerBound) \(range.upperBound)"
        case .mtuChanged(let mtu): "mtu \(mtu)"
        }
    }

    private func describe(_ outcome: AttributeClient.Outcome) -> String {
        switch outcome {
        case .mtu(let mtu): "mtu \(mtu)"
        case .table(let table):
            "table "
                + (table.services.map { "\($0.start)-\($0.end):\($0.type)" }
                + table.characteristics.map { "\($0.value):\($0.type):\($0.properties.rawValue)" }
                + table.descriptors.map { "\($0.handle):\($0.type)" }).joined(separator: " ")
        case .value(let value): "value \(hexText(value))"
        case .values(let entries):
            "values " + entries.map { "\($0.handle):\(hexText($0.value))" }.joined(separator: " ")
        case .written: "written"
        case .response(let pdu): "response \(hexText(pdu))"
        }
    }

    private func describe(_ failure: AttributeClient.Failure) -> String {
        switch failure {
        case .refused(let code, let handle): "refused \(code.rawValue) \(handle)"
        case .timedOut: "timed out"
        case .disconnected: "disconnected"
        case .invalidResponse: "invalid response"
        case .busy: "busy"
        case .notConfigurable(let handle): "not configurable \(handle)"
        }
    }
}

/// The client's requests (GATT.TS, Client).
private let scripts = [
    PDUScript(
        "GATT/CL/GAC/BV-01-C", "exchanges the MTU; the smaller counts",
        """
        ! mtu 100
        < 02 6400
        > 03 3200
        = mtu 50
        = 1 mtu 50
        ! mtu 100
        < 02 6400
        > 01 02 0000 06
        = 2 refused 6 0x0000
        """),
    PDUScript(
        "GATT/CL/GAD/BV-01-C", "discovers services, included services, characteristics and descriptors",
        """
        ! discover
        < 08 0100 ffff 2a2b
        > 01 08 0100 0a
        < 10 0100 ffff 0028
        > 11 06 0100 0500 0018 1000 1600 0f18
        < 10 1700 ffff 0028
        > 11 14 2000 ffff 0102030405060708090a0b0c0d0e0f10
        < 08 0100 ffff 0228
        > 09 08 2100 0800 0900 0a18
        < 08 2200 ffff 0228
        > 01 08 2200 0a
        < 08 0100 ffff 0328
        > 09 07 0200 02 0300 002a 1100 12 1200 192a
        < 08 1200 ffff 0328
        > 01 08 1200 0a
        < 04 0400 0500
        > 01 04 0400 0a
        < 04 1300 1600
        > 05 01 1300 0229 1400 0129
        < 04 1500 1600
        > 01 04 1500 0a
        = 1 table 0x0001-0x0005:0x1800 0x0008-0x0009:0x180a 0x0010-0x0016:0x180f \
        0x0020-0xffff:100f0e0d-0c0b-0a09-0807-060504030201 0x0003:0x2a00:2 0x0012:0x2a19:18 0x0013:0x2902 0x0014:0x2901
        ! subscribe 0012 1
        < 12 1300 0100
        > 13
        = 2 written
        ! subscribe 0003 1
        = 3 not configurable 0x0003
        """),
    PDUScript(
        "GATT/CL/GAD/BV-03-C", "an included service of 128 bits is asked for its UUID",
        """
        ! discover
        < 08 0100 ffff 2a2b
        > 01 08 0100 0a
        < 10 0100 ffff 0028
        > 11 06 0100 ffff 0018
        < 08 0100 ffff 0228
        > 09 06 0200 0500 0600
        < 0a 0500
        > 0b 0102030405060708090a0b0c0d0e0f10
        < 08 0300 ffff 0228
        > 01 08 0300 0a
        < 08 0100 ffff 0328
        > 01 08 0100 0a
        = 1 table 0x0001-0xffff:0x1800
        """),
    PDUScript(
        "GATT/CL/GAD/BV-02-C", "a server without services",
        """
        ! discover
        < 08 0100 ffff 2a2b
        > 01 08 0100 0a
        < 10 0100 ffff 0028
        > 01 10 0100 0a
        = 1 table \("")
        """),
    PDUScript(
        "GATT/CL/GAD/BV-09-C", "a table is known by its hash",
        """
        ! discover
        < 08 0100 ffff 2a2b
        > 09 12 0300 000102030405060708090a0b0c0d0e0f
        < 10 0100 ffff 0028
        > 11 06 0100 ffff 0018
        < 08 0100 ffff 0228
        > 01 08 0100 0a
        < 08 0100 ffff 0328
        > 01 08 0100 0a
        = 1 table 0x0001-0xffff:0x1800
        ! discover
        < 08 0100 ffff 2a2b
        > 09 12 0300 000102030405060708090a0b0c0d0e0f
        = 2 table 0x0001-0xffff:0x1800
        """),
    PDUScript(
        "ATT 3.4.4.10", "handles that do not rise end the discovery",
        """
        ! discover
        < 08 0100 ffff 2a2b
        > 01 08 0100 0a
        < 10 0100 ffff 0028
        > 11 06 0100 0500 0018
        < 10 0600 ffff 0028
        > 11 06 0100 0500 0018
        = 1 invalid response
        """),
    PDUScript(
        "GATT/CL/GAR/BV-01-C", "reads a value",
        """
        ! read 0003
        < 0a 0300
        > 0b 010203
        = 1 value 010203
        """),
    PDUScript(
        "GATT/CL/GAR/BI-01-C", "the server's error is told",
        """
        ! read 0003
        < 0a 0300
        > 01 0a 0300 02
        = 1 refused 2 0x0003
        ! read 0004
        < 0a 0400
        > 01 0a 0400 05
        = 2 refused 5 0x0004
        """),
    PDUScript(
        "GATT/CL/GAR/BV-03-C", "reads by type until the range is through",
        """
        ! find 2a19
        < 08 0100 ffff 192a
        > 09 03 0300 64 0700 63
        < 08 0800 ffff 192a
        > 01 08 0800 0a
        = 1 values 0x0003:64 0x0007:63
        """),
    PDUScript(
        "GATT/CL/GAR/BI-06-C", "by type, the server's error is told",
        """
        ! find 2a19
        < 08 0100 ffff 192a
        > 01 08 0300 02
        = 1 refused 2 0x0003
        """),
    PDUScript(
        "GATT/CL/GAR/BV-04-C", "reads a long value",
        """
        ! read 0003
        < 0a 0300
        > 0b 000102030405060708090a0b0c0d0e0f101112131415
        < 0c 0300 1600
        > 0d 161718191a1b1c1d1e1f202122232425262728292a2b
        < 0c 0300 2c00
        > 0d
        = 1 value 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b
        ! read 0003
        < 0a 0300
        > 0b 000102030405060708090a0b0c0d0e0f101112131415
        < 0c 0300 1600
        > 01 0c 0300 0b
        = 2 value 000102030405060708090a0b0c0d0e0f101112131415
        """),
    PDUScript(
        "GATT/CL/GAW/BV-01-C", "writes without a response, at once",
        """
        ! read 0003
        < 0a 0300
        ! command 0004 aabb
        < 52 0400 aabb
        = 2 written
        """),
    PDUScript(
        "GATT/CL/GAW/BV-03-C", "writes a value",
        """
        ! write 0003 aabb
        < 12 0300 aabb
        > 13
        = 1 written
        """),
    PDUScript(
        "GATT/CL/GAW/BI-02-C", "a write is refused",
        """
        ! write 0003 aabb
        < 12 0300 aabb
        > 01 12 0300 03
        = 1 refused 3 0x0003
        """),
    PDUScript(
        "GATT/CL/GAW/BV-05-C", "writes a long value",
        """
        ! write 0003 000102030405060708090a0b0c0d0e0f1011121314
        < 16 0300 0000 000102030405060708090a0b0c0d0e0f1011
        > 17 0300 0000 000102030405060708090a0b0c0d0e0f1011
        < 16 0300 1200 121314
        > 17 0300 1200 121314
        < 18 01
        > 19
        = 1 written
        """),
    PDUScript(
        "GATT/CL/GAW/BI-09-C", "a long write is refused",
        """
        ! write 0003 000102030405060708090a0b0c0d0e0f1011121314
        < 16 0300 0000 000102030405060708090a0b0c0d0e0f1011
        > 01 16 0300 09
        = 1 refused 9 0x0003
        """),
    PDUScript(
        "GATT/CL/GAW/BV-06-C", "writes reliably",
        """
        ! reliable 0003 aa 0004 bb
        < 16 0300 0000 aa
        > 17 0300 0000 aa
        < 16 0400 0000 bb
        > 17 0400 0000 bb
        < 18 01
        > 19
        = 1 written
        ! reliable 0003 aa 0004 bb
        < 16 0300 0000 aa
        > 17 0300 0000 ab
        < 18 00
        > 19
        = 2 invalid response
        """),
    PDUScript(
        "GATT/CL/GAN/BV-01-C", "notifications are told, also several in one PDU",
        """
        > 1b 0300 0102
        = notified 0x0003 0102
        > 23 0300 0100 aa 0400 0200 bbcc
        = notified 0x0003 aa
        = notified 0x0004 bbcc
        """),
    PDUScript(
        "GATT/CL/GAI/BV-01-C", "indications are confirmed and told",
        """
        > 1d 0300 0102
        < 1e
        = indicated 0x0003 0102
        """),
    PDUScript(
        "GATT/CL/GAT/BV-01-C", "a request that is not answered in 30 s ends all",
        """
        ! read 0003
        < 0a 0300
        ! write 0004 01
        ! wait 29
        ! wait 1
        = 1 timed out
        = 2 timed out
        > 0b 01
        ! read 0003
        = 3 timed out
        """),
    PDUScript(
        "ATT 3.3.2", "one request at a time",
        """
        ! read 0003
        < 0a 0300
        ! read 0004
        ! write 0005 01
        > 0b 01
        = 1 value 01
        < 0a 0400
        > 0b 02
        = 2 value 02
        < 12 0500 01
        > 13
        = 3 written
        > 13
        """),
    PDUScript(
        "ATT 3.4.1.1", "an answer to something else is no answer",
        """
        ! read 0003
        < 0a 0300
        > 13
        = 1 invalid response
        ! read 0003
        < 0a 0300
        > 01 12 0300 03
        = 2 invalid response
        ! raw 3e01
        < 3e 01
        > 01 3e 0000 06
        = 3 response 013e000006
        ! read 0003
        < 0a 0300
        ! disconnect
        = 4 disconnected
        """),
]

@Test(arguments: scripts)
func clientAsks(script: PDUScript) {
    var client = ScriptedClient()
    script.run { client($0) }
}

/// Service Changed makes the client forget the affected range.
@Test func changedServicesAreForgotten() {
    var client = AttributeClient()
    _ = client.table.learn(GATT.Table.Service(start: 1, end: 5, type: 0x1801))
    _ = client.table.learn(
        GATT.Table.Characteristic(declaration: 2, value: 3, properties: .indicate, type: .serviceChanged))
    _ = client.table.learn(GATT.Table.Service(start: 0x10, end: 0x20, type: 0x180F))
    let actions = client.handle(hex("1d 0300 1000 ffff"), at: Timestamp(nanoseconds: 0))
    #expect(
        actions == [
            .send([0x1E]), .event(.indicated(3, hex("1000 ffff"))), .event(.servicesChanged(0x10...0xFFFF)),
        ])
    #expect(client.table.services.map(\.start) == [1])
}

/// Random responses at any point leave the client operational.
@Test func clientSurvivesRandomAnswers() {
    var random = SplitMix64(seed: 9)
    let operations: [AttributeClient.Operation] = [
        .discover, .read(3), .write(3, [UInt8](repeating: 1, count: 100)), .readByType(0x2A00, 1...0xFFFF),
        .exchangeMTU(100), .reliableWrite([.init(3, [1])]), .subscribe(3, .notifications),
    ]
    let now = Timestamp(nanoseconds: 0)
    var finished = 0
    for round in 0..<4000 {
        var client = AttributeClient()
        var actions = client.start(operations[round % operations.count], id: 1, at: now)
        for _ in 0..<60 where !client.isIdle {
            guard case .send(let request) = actions.first(where: { if case .send = $0 { true } else { false } }) else {
                break
            }
            var answer = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if !answer.isEmpty { answer[0] = request[0] &+ 1 }
            if answer.count > 1, request[0] == 8 || request[0] == 0x10 {
                answer[1] = [4, 6, 7, 8, 20].randomElement(using: &random)!
            }
            actions = client.handle(answer, at: now)
        }
        if client.isIdle { finished += 1 }
    }
    #expect(finished > 3500)
}
