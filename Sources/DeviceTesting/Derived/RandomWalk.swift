import Bluetooth
import Bytes
import Profile

/// Random valid request sequences, drawn from a seed and shrunk on failure.
package enum RandomWalk {
    /// An action of the client.
    package enum Step: Hashable, Sendable {
        case disconnect
        case loseLink
        case exchangeMTU(UInt16)
        case read(String)
        case readBlob(String, offset: UInt16)
        case write(String, [UInt8])
        case writeCommand(String, [UInt8])
        case subscribe(String, Bool)
        case wait(milliseconds: Int)
    }

    /// Number of steps in a walk.
    private static let length = 120

    static func testCase(of device: TestedDevice, seed: UInt64) -> TestCase {
        let steps = draw(of: device, seed: seed)
        var walk = testCase(steps)
        walk.shrinking = TestCase.Shrinking(steps: steps.map(words)) { kept in testCase(kept.map { steps[$0] }) }
        return walk
    }

    private static func testCase(_ steps: [Step]) -> TestCase {
        TestCase(
            "random", "Requests in random order are answered as the profile and the specification say.",
            source: "Vol 3, Part F, 3.3.2", tags: ["random"]
        ) { tester in
            var subscribed: Set<String> = []
            try tester.connect()
            if tester.isBonded { try unsubscribe(tester) }
            for (index, step) in steps.enumerated() where tester.findings.isEmpty {
                try tester.connect()
                try perform(step, tester, &subscribed)
                for finding in tester.takeUnexpected(besides: subscribed) {
                    tester.fail(
                        expected: "only values that were subscribed to", observed: "\(finding) after step \(index + 1)")
                }
            }
            try tester.connect()
            try tester.expectAlive(after: "\(steps.count) steps")
        }
    }

    /// A step as text, for reports.
    private static func words(_ step: Step) -> String {
        switch step {
        case .disconnect: "disconnect"
        case .loseLink: "lose the link"
        case .exchangeMTU(let mtu): "exchange MTU \(mtu)"
        case .read(let name): "read \(name)"
        case .readBlob(let name, let offset): "read \(name) from offset \(offset)"
        case .write(let name, let bytes): "write \(name) \(bytes.words)"
        case .writeCommand(let name, let bytes): "write command \(name) \(bytes.words)"
        case .subscribe(let name, let isOn): "\(isOn ? "subscribe to" : "unsubscribe from") \(name)"
        case .wait(let time): "wait \(time) ms"
        }
    }

    // MARK: - Generation

    private static func draw(of device: TestedDevice, seed: UInt64) -> [Step] {
        var random = SplitMix64(seed: seed)
        let all = device.characteristics
        let readable = all.filter { $0.properties.contains(.read) }
        let writable = all.filter { $0.properties.contains(.write) }
        let sending = sending(device)
        return (0..<length).map { _ in
            let any = all.randomElement(using: &random)?.name ?? ""
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<4: return .disconnect
            case 4..<5: return .loseLink
            case 5..<7: return .exchangeMTU(DerivedCases.mtus.randomElement(using: &random) ?? 23)
            case 7..<30: return .read(readable.randomElement(using: &random)?.name ?? any)
            case 30..<38: return .readBlob(any, offset: UInt16.random(in: 0...40, using: &random))
            case 38..<72:
                guard let definition = writable.randomElement(using: &random) else { return .read(any) }
                return .write(definition.name, value(of: definition, device, &random))
            case 72..<75: return .writeCommand(any, [UInt8.random(in: 0...255, using: &random)])
            case 75..<88:
                guard let name = sending.randomElement(using: &random)?.name else { return .read(any) }
                return .subscribe(name, Bool.random(using: &random))
            default: return .wait(milliseconds: Int.random(in: 1...3000, using: &random))
            }
        }
    }

    /// Mostly a sample value of the profile, sometimes with one byte changed, sometimes random bytes.
    private static func value(
        of definition: CharacteristicDefinition, _ device: TestedDevice, _ random: inout SplitMix64
    ) -> [UInt8] {
        let vectors = WriteCases.vectors(of: definition, device)
        guard var bytes = vectors.randomElement(using: &random), Int.random(in: 0..<10, using: &random) > 0 else {
            let lengths = definition.length ?? 0...20
            let count = min(Int.random(in: lengths, using: &random), 20)
            return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        if Int.random(in: 0..<4, using: &random) == 0, let place = bytes.indices.randomElement(using: &random) {
            bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }

    /// Characteristics that can be subscribed to.
    private static func sending(_ device: TestedDevice) -> [CharacteristicDefinition] {
        device.characteristics.filter {
            !$0.properties.isDisjoint(with: [.notify, .indicate]) && $0.hasConfiguration
        }
    }

    // MARK: - Execution

    /// Removes the subscriptions of earlier cases, which a bonded device keeps.
    private static func unsubscribe(_ tester: LowerTester) throws {
        for name in sending(tester.device).map(\.name) where (try? tester.handle(of: name)) != nil {
            try tester.subscribe(name, isOn: false)
        }
        tester.forgetReceived()
    }

    private static func perform(_ step: Step, _ tester: LowerTester, _ subscribed: inout Set<String>) throws {
        switch step {
        case .disconnect, .loseLink:
            let isBonded = tester.isBonded
            if step == .disconnect { try tester.disconnect() } else { try tester.loseLink() }
            tester.forgetReceived()
            if !isBonded { subscribed = [] }
        case .exchangeMTU(let mtu):
            // A second exchange on one connection would be the client's fault (Vol 3, Part F, 3.4.2.1).
            if !tester.hasExchangedMTU { try tester.exchangeMTU(mtu) }
        case .read(let name): try read(name, tester)
        case .readBlob(let name, let offset):
            guard let handle = try? tester.handle(of: name) else { return }
            _ = try tester.ask(ATT.ReadBlobRequest(handle: handle, offset: offset))
        case .write(let name, let bytes):
            guard let handle = try? tester.handle(of: name) else { return }
            tester.coverage.add(.write, of: name)
            if let code = try tester.write(handle, bytes) {
                tester.expect(
                    code.mayRefuseValue, "\(words(step)) accepted, or refused for its content", observed: code.words,
                    bytes: bytes)
            }
        case .writeCommand(let name, let bytes):
            guard let handle = try? tester.handle(of: name) else { return }
            try tester.sendCommand(ATT.encode(ATT.WriteCommand(handle: handle, value: bytes)))
        case .subscribe(let name, let isOn):
            guard (try? tester.handle(of: name)) != nil else { return }
            try tester.subscribe(name, isOn: isOn)
            // A notification may still be in flight when the client unsubscribes.
            if isOn { subscribed.insert(name) }
        case .wait(let time): try tester.wait(.milliseconds(time))
        }
    }

    private static func read(_ name: String, _ tester: LowerTester) throws {
        guard let handle = try? tester.handle(of: name), let definition = tester.device.definition(of: name) else {
            return
        }
        tester.coverage.add(.read, of: name)
        switch try tester.read(handle) {
        case .failure(let code): tester.fail(expected: "the value of \(name)", observed: code.words)
        case .success(let bytes):
            // A value written by a client may have any length.
            if !definition.properties.contains(.write) { tester.expectLength(of: bytes, definition) }
        }
    }
}
