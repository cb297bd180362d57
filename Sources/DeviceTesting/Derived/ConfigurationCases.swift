import Bluetooth
import Bytes
import Profile

/// Cases for the Client Characteristic Configuration of each characteristic that notifies or indicates (Vol 3, Part G,
/// 3.3.3.3).
enum ConfigurationCases {
    static func all(of definition: CharacteristicDefinition) -> [TestCase] {
        let name = definition.name
        let source = "Vol 3, Part G, 3.3.3.3"
        let tags: Set = ["cccd", name]
        guard !definition.properties.isDisjoint(with: [.notify, .indicate]), definition.hasConfiguration else {
            return []
        }
        return [
            TestCase.connected(
                "cccd.\(name)",
                "The configuration of \(name) is 0 at first, keeps what it supports, and is 0 after a reconnection without a bond.",
                source: source, tags: tags
            ) { tester in
                try values(definition, tester)
            },
            TestCase.connected(
                "cccd.\(name).wrong",
                "What the configuration of \(name) does not support is refused or ignored, as are wrong lengths.",
                source: source, tags: tags
            ) { tester in
                try wrongValues(definition, tester)
            },
        ]
    }

    private static func read(_ handle: Handle, _ tester: LowerTester) throws -> [UInt8] {
        try tester.value(at: handle, "the configuration")
    }

    private static func values(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let name = definition.name
        let handle = try tester.configuration(of: name)
        // Bonded in an earlier case, the device keeps the value written there.
        if !tester.isBonded || tester.bed.isVirtual {
            let first = try read(handle, tester)
            tester.expect(first == [0, 0], "configuration 0x0000 of \(name)", observed: first.words, bytes: first)
        }
        for value in supported(definition) + [0] {
            tester.coverage.add(.configuration, of: name)
            if let code = try tester.write(handle, [value, 0]) {
                tester.fail(expected: "configuration \(value) of \(name) accepted", observed: code.words)
                continue
            }
            let bytes = try read(handle, tester)
            tester.expect(
                bytes == [value, 0], "configuration \(value) of \(name)", observed: bytes.words, bytes: bytes)
        }
        guard let last = supported(definition).first else { return }
        _ = try tester.write(handle, [last, 0])
        let key = tester.bondKey
        try tester.disconnect()
        try tester.connect()
        let kept = key != nil && tester.bondKey == key ? last : 0
        let after = try read(handle, tester)
        tester.expect(
            after == [kept, 0], "configuration 0x000\(kept) of \(name) after a reconnection", observed: after.words,
            bytes: after)
        if kept != 0 { _ = try tester.write(handle, [0, 0]) }
    }

    private static func wrongValues(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let name = definition.name
        let handle = try tester.configuration(of: name)
        let supported = supported(definition)
        for value: UInt8 in [1, 2, 3, 4] where !supported.contains(value) {
            tester.coverage.add(.configuration, of: name)
            let code = try tester.write(handle, [value, 0])
            if let code {
                tester.expect(
                    code.mayRefuseValue || code == .writeNotPermitted, "configuration \(value) refused as a value",
                    observed: code.words)
            }
            let bytes = try read(handle, tester)
            tester.expect(bytes.count == 2, "a configuration of 2 bytes", observed: bytes.words, bytes: bytes)
        }
        for bytes: [UInt8] in [[], [1], [1, 0, 0]] {
            tester.coverage.add(.configuration, of: name)
            if let code = try tester.write(handle, bytes) {
                tester.expect(
                    code.mayRefuseValue, "a configuration of \(bytes.count) bytes refused for its length",
                    observed: code.words)
            }
            let after = try read(handle, tester)
            tester.expect(after.count == 2, "a configuration of 2 bytes", observed: after.words, bytes: after)
        }
        try tester.expectAlive(after: "wrong configurations")
    }

    /// Configuration values that the properties allow.
    private static func supported(_ definition: CharacteristicDefinition) -> [UInt8] {
        let notifies = definition.properties.contains(.notify)
        let indicates = definition.properties.contains(.indicate)
        return (notifies ? [1] : []) + (indicates ? [2] : [])
    }
}

extension [UInt8] {
    /// `01 00`.
    var words: String { isEmpty ? "no bytes" : map { String(hex: $0, digits: 2) }.joined(separator: " ") }
}
