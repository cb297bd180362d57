import Bluetooth
import Profile

/// Read cases: whole values, Read Blob at every kind of offset, and characteristics without the read property.
enum ReadCases {
    static func all(of definition: CharacteristicDefinition) -> [TestCase] {
        let name = definition.name
        let tags: Set = ["read", name]
        guard definition.properties.contains(.read) else {
            return [
                TestCase.connected(
                    "read.\(name)", "A read of \(name) is refused, as its properties say.",
                    source: "Vol 3, Part F, 3.4.4.4", tags: tags
                ) { tester in
                    let handle = try tester.handle(of: name)
                    tester.coverage.add(.readRefused, of: name, count: 2)
                    try tester.expectError(
                        [.readNotPermitted], to: ATT.encode(ATT.ReadRequest(handle: handle)), about: handle, "a read")
                    try tester.expectError(
                        [.readNotPermitted], to: ATT.encode(ATT.ReadBlobRequest(handle: handle, offset: 0)),
                        about: handle, "a read from offset 0")
                }
            ]
        }
        return [
            TestCase.connected(
                "read.\(name)",
                "\(name) has the same length at ATT_MTU 23 and 247, one that the profile allows, and its type reads it.",
                source: "Vol 3, Part F, 3.4.4.3", tags: tags
            ) { tester in
                let small = try value(of: name, tester)
                try tester.disconnect()
                try tester.connect(mtu: 247)
                let large = try value(of: name, tester)
                tester.expect(
                    small.count == large.count, "as many bytes at ATT_MTU 23 as at \(tester.mtu): \(large.count)",
                    observed: "\(small.count)", bytes: small)
                check(large, of: definition, tester)
            },
            TestCase.connected(
                "read.\(name).blob", "\(name) can be read from every offset up to its end, and not beyond.",
                source: "Vol 3, Part F, 3.4.4.5", tags: tags
            ) { tester in
                try blobs(of: name, tester)
            },
            TestCase.connected(
                "read.\(name).by_type", "Read By Type finds \(name) with the value that a read has.",
                source: "Vol 3, Part F, 3.4.4.1", tags: tags
            ) { tester in
                try byType(definition, tester)
            },
        ]
    }

    private static func value(of name: String, _ tester: LowerTester) throws -> [UInt8] {
        let handle = try tester.handle(of: name)
        tester.coverage.add(.read, of: name)
        return try tester.value(at: handle, "the value of \(name)")
    }

    /// Checks that a value has a length allowed by the profile and decodes as its type.
    private static func check(_ bytes: [UInt8], of definition: CharacteristicDefinition, _ tester: LowerTester) {
        tester.expectLength(of: bytes, definition)
        guard let layout = tester.device.layout(of: definition.name, .read, bytes) else { return }
        do {
            _ = try layout.decode(bytes)
        } catch {
            tester.fail(expected: "a value of type \(layout.name)", observed: "\(error)", bytes: bytes)
        }
    }

    private static func blobs(of name: String, _ tester: LowerTester) throws {
        let handle = try tester.handle(of: name)
        let whole = try value(of: name, tester)
        let isStable = try value(of: name, tester) == whole
        let room = tester.mtu - 1
        let length = whole.count
        for offset in Set([0, 1, length / 2, max(0, length - 1), length]).sorted() where offset <= length {
            tester.coverage.add(.readBlob, of: name)
            let answer = try tester.ask(ATT.ReadBlobRequest(handle: handle, offset: UInt16(offset)))
            if let error = answer.error {
                // A server may reject Read Blob with Attribute Not Long if one response holds the value.
                let mayRefuse = length <= room && [.attributeNotLong, .invalidOffset].contains(error.errorCode)
                tester.expect(
                    mayRefuse && (error.errorCode == .attributeNotLong || offset >= length),
                    "\(name) from offset \(offset) of \(length)", observed: error.errorCode.words, bytes: answer.bytes)
                continue
            }
            guard let part = (answer.pdu as? ATT.ReadBlobResponse)?.value else {
                tester.fail(expected: "Read Blob Response", observed: answer.words, bytes: answer.bytes)
                continue
            }
            let wanted = Array(whole.dropFirst(offset).prefix(room))
            tester.expect(
                part.count == wanted.count, "\(wanted.count) bytes from offset \(offset) of \(length)",
                observed: "\(part.count)", bytes: part)
            if isStable, part.count == wanted.count {
                tester.expect(
                    part == wanted, "from offset \(offset) the bytes of the whole value", observed: "others",
                    bytes: part)
            }
        }
        tester.coverage.add(.readBlob, of: name, count: 2)
        for offset in [length + 1, 0xFFFF] {
            try tester.expectError(
                length <= room ? [.invalidOffset, .attributeNotLong] : [.invalidOffset],
                to: ATT.encode(ATT.ReadBlobRequest(handle: handle, offset: UInt16(clamping: offset))), about: handle,
                "a read from offset \(offset) of \(length)")
        }
    }

    private static func byType(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let handle = try tester.handle(of: definition.name)
        let whole = try value(of: definition.name, tester)
        let answer = try tester.ask(ATT.ReadByTypeRequest(start: handle, end: handle, type: definition.uuid))
        guard let entry = (answer.pdu as? ATT.ReadByTypeResponse)?.entries.first else {
            return tester.fail(
                expected: "\(definition.name) by its type", observed: answer.words, bytes: answer.bytes)
        }
        tester.expect(entry.handle == handle, "handle \(handle)", observed: "\(entry.handle)", bytes: answer.bytes)
        let room = min(tester.mtu - 4, 253)
        tester.expect(
            entry.value.count == min(whole.count, room), "\(min(whole.count, room)) bytes of the value",
            observed: "\(entry.value.count)", bytes: answer.bytes)
    }
}
