import Bluetooth
import Bytes
import PluginKit
import Profile

/// Write cases: lengths at the limits and beyond, queued writes, writes without response, and characteristics without
/// write properties. The profile decides what a value means, so the device may accept or reject an invalid value, but
/// it must respond and keep working.
enum WriteCases {
    static func all(of definition: CharacteristicDefinition, _ device: TestedDevice) -> [TestCase] {
        let name = definition.name
        let tags: Set = ["write", name]
        guard !definition.properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
            return [
                TestCase.connected(
                    "write.\(name)", "A write of \(name) is refused, as its properties say, and changes nothing.",
                    source: "Vol 3, Part F, 3.4.5.1", tags: tags
                ) { tester in
                    try refused(definition, tester)
                }
            ]
        }
        guard definition.properties.contains(.write) else { return [] }
        return [
            TestCase.connected(
                "write.\(name).length",
                "Values of \(name) with every length from 0 to 512 bytes that matters get a response.",
                source: "Vol 3, Part F, 3.4.5.1", tags: tags, mtu: 517
            ) { tester in
                try lengths(definition, tester)
            },
            TestCase.connected(
                "write.\(name).cancelled", "A queued write of \(name) that is cancelled changes nothing.",
                source: "Vol 3, Part F, 3.4.6.3", tags: tags
            ) { tester in
                try cancelled(definition, tester)
            },
            TestCase.connected(
                "write.\(name).queued", "A queued write of \(name) is repeated part by part, and executed or refused.",
                source: "Vol 3, Part F, 3.4.6.1", tags: tags
            ) { tester in
                try queued(definition, tester)
            },
            TestCase.connected(
                "write.\(name).too_long", "More than 512 bytes of \(name) are refused.",
                source: "Vol 3, Part F, 3.2.9", tags: tags, mtu: 517
            ) { tester in
                try tooLong(definition, tester)
            },
        ] + kept(definition, tags)
    }

    /// The case that reads a written value after a reconnection; none if a written value cannot be read.
    private static func kept(_ definition: CharacteristicDefinition, _ tags: Set<String>) -> [TestCase] {
        let name = definition.name
        guard definition.properties.contains(.read), readsWhatIsWritten(definition) else { return [] }
        return [
            TestCase.connected(
                "write.\(name).kept", "A value of \(name) that was accepted is read again, on another connection too.",
                source: "Vol 3, Part F, 3.4.5.1", tags: tags, mtu: 247
            ) { tester in
                try kept(definition, tester)
            }
        ]
    }

    /// A value to write: the current value, else a vector of the profile, else zeros.
    static func value(of definition: CharacteristicDefinition, _ tester: LowerTester) throws -> [UInt8] {
        if definition.properties.contains(.read), readsWhatIsWritten(definition) {
            if case .success(let bytes) = try tester.read(tester.handle(of: definition.name)) { return bytes }
        }
        if let vector = vectors(of: definition, tester.device).first { return vector }
        return Array(repeating: 0, count: definition.length?.lowerBound ?? 1)
    }

    /// Whether a written value can be read back.
    static func readsWhatIsWritten(_ definition: CharacteristicDefinition) -> Bool {
        definition.readings[.read]?.alternatives.map(\.type) == definition.readings[.write]?.alternatives.map(\.type)
    }

    /// The profile's sample values for the types written.
    static func vectors(of definition: CharacteristicDefinition, _ device: TestedDevice) -> [[UInt8]] {
        let types = Set(definition.readings[.write]?.alternatives.map(\.type) ?? [])
        return device.plugin.profile.profile.vectors.filter { types.contains($0.type) }.map(\.bytes)
    }

    private static func refused(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let name = definition.name
        let handle = try tester.handle(of: name)
        let readable = definition.properties.contains(.read)
        let before = readable ? try tester.read(handle) : nil
        let bytes = (try? before?.get()) ?? [0]
        tester.coverage.add(.writeRefused, of: name)
        try tester.expectError(
            [.writeNotPermitted], to: ATT.encode(ATT.WriteRequest(handle: handle, value: Array(bytes.prefix(20)))),
            about: handle, "a write of \(name)")
        let prepare = ATT.encode(ATT.PrepareWriteRequest(handle: handle, offset: 0, value: Array(bytes.prefix(18))))
        tester.coverage.add(.writeRefused, of: name)
        try tester.expectError(
            [.writeNotPermitted, .requestNotSupported], to: prepare, about: handle, "a queued write of \(name)")
        let changed = bytes.map { ~$0 }
        tester.coverage.add(.writeCommand, of: name)
        try tester.sendCommand(ATT.encode(ATT.WriteCommand(handle: handle, value: Array(changed.prefix(20)))))
        if readable, case .success(let after) = try tester.read(handle) {
            tester.expect(
                after != changed || changed.isEmpty, "\(name) unchanged by a Write Command",
                observed: "the written value",
                bytes: after)
        }
    }

    private static func lengths(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let name = definition.name
        let handle = try tester.handle(of: name)
        try tester.subscribeToReplies(to: name)
        let value = try value(of: definition, tester)
        let room = tester.mtu - 3
        var wanted: Set = [0, 1, value.count - 1, value.count, value.count + 1, 20, 21, 512]
        if let length = definition.length {
            wanted.formUnion([length.lowerBound - 1, length.lowerBound, length.upperBound, length.upperBound + 1])
        }
        for count in wanted.sorted() where count >= 0 && count <= min(room, 512) {
            let bytes = Array((value + Array(repeating: 0, count: 512)).prefix(count))
            let isRight = count == value.count
            tester.coverage.add(isRight ? .write : .writeLength, of: name)
            let answer = try tester.ask(ATT.WriteRequest(handle: handle, value: bytes))
            if let error = answer.error {
                tester.expect(
                    error.errorCode.mayRefuseValue && error.handle == handle,
                    "\(count) bytes of \(name) accepted, or refused for their length or content",
                    observed: "\(error.errorCode.words) about handle \(error.handle)", bytes: bytes)
            } else {
                tester.expect(
                    answer.pdu is ATT.WriteResponse, "Write Response to \(count) bytes of \(name)",
                    observed: answer.words, bytes: answer.bytes)
            }
            try tester.expectAlive(after: "\(count) bytes of \(name)")
        }
        _ = try tester.write(handle, value)
    }

    private static func kept(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let name = definition.name
        let handle = try tester.handle(of: name)
        let before = try tester.value(at: handle, "the value of \(name)")
        let samples = vectors(of: definition, tester.device).filter { $0 != before }
        guard !samples.isEmpty else {
            throw TestStop.notApplicable("the profile has no sample value of \(name) but the one that is there")
        }
        var isAccepted = false
        for bytes in samples.prefix(8) {
            tester.coverage.add(.write, of: name)
            if try tester.write(handle, bytes) != nil { continue }
            isAccepted = true
            // A device may clamp a value to its range, or ignore a value.
            let written = try tester.value(at: handle, "the value of \(name)")
            if written == before { continue }
            try tester.disconnect()
            try tester.connect(mtu: 247)
            let after = try tester.value(at: handle, "the value of \(name)")
            tester.expect(
                after == written, "\(name) after a reconnection as it was after the write: \(written.words)",
                observed: after.words, bytes: after)
            _ = try tester.write(handle, before)
            return
        }
        guard isAccepted else { throw TestStop.notApplicable("the device refuses all sample values of \(name)") }
        tester.fail(
            expected: "one of the sample values of \(name) to be read again after it was accepted",
            observed: "the value of before: \(before.words)", bytes: before)
    }

    private static func prepare(
        _ part: [UInt8], at offset: Int, of handle: Handle, _ tester: LowerTester
    ) throws -> ATT.ErrorCode? {
        let request = ATT.PrepareWriteRequest(handle: handle, offset: UInt16(offset), value: part)
        let answer = try tester.ask(request)
        if let error = answer.error { return error.errorCode }
        guard let response = answer.pdu as? ATT.PrepareWriteResponse else {
            throw TestStop.failed(expected: "Prepare Write Response", observed: answer.words)
        }
        tester.expect(
            response.handle == handle && Int(response.offset) == offset && response.value == part,
            "handle, offset and value of the request in Prepare Write Response", observed: "others",
            bytes: answer.bytes)
        return nil
    }

    private static func cancelled(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let name = definition.name
        let handle = try tester.handle(of: name)
        try tester.subscribeToReplies(to: name)
        let value = try value(of: definition, tester)
        let readable = definition.properties.contains(.read)
        let before = readable ? try tester.read(handle) : nil
        tester.coverage.add(.prepared, of: name)
        if let code = try prepare(value.prefix(18).map { ~$0 }, at: 0, of: handle, tester) {
            tester.expect(code.mayRefuseValue, "a queued write of \(name)", observed: code.words)
            return
        }
        let answer = try tester.ask(ATT.ExecuteWriteRequest(flags: 0))
        tester.expect(answer.pdu is ATT.ExecuteWriteResponse, "Execute Write Response", observed: answer.words)
        guard readable, readsWhatIsWritten(definition), case .success(let bytes)? = before else { return }
        if case .success(let after) = try tester.read(handle) {
            tester.expect(after == bytes, "\(name) unchanged", observed: "another value", bytes: after)
        }
    }

    private static func queued(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let name = definition.name
        let handle = try tester.handle(of: name)
        try tester.subscribeToReplies(to: name)
        let value = try value(of: definition, tester)
        let size = tester.mtu - 5
        for start in stride(from: 0, to: max(1, value.count), by: size) {
            tester.coverage.add(.prepared, of: name)
            let part = Array(value[start..<min(start + size, value.count)])
            if let code = try prepare(part, at: start, of: handle, tester) {
                tester.expect(code.mayRefuseValue, "a queued write of \(name)", observed: code.words)
                return
            }
        }
        let answer = try tester.ask(ATT.ExecuteWriteRequest(flags: 1))
        let isFine = answer.pdu is ATT.ExecuteWriteResponse || answer.error?.errorCode.mayRefuseValue == true
        tester.expect(isFine, "Execute Write Response, or an error about the value", observed: answer.words)
        try tester.expectAlive(after: "a queued write of \(name)")
    }

    private static func tooLong(_ definition: CharacteristicDefinition, _ tester: LowerTester) throws {
        let name = definition.name
        let handle = try tester.handle(of: name)
        try tester.subscribeToReplies(to: name)
        let size = min(tester.mtu - 5, 128)
        var offset = 0
        while offset <= 512 {
            let count = offset + size > 512 ? 513 - offset : size
            tester.coverage.add(.prepared, of: name)
            if let code = try prepare(Array(repeating: 0, count: count), at: offset, of: handle, tester) {
                tester.expect(code.mayRefuseValue, "an error about the length of \(name)", observed: code.words)
                _ = try tester.ask(ATT.ExecuteWriteRequest(flags: 0))
                return try tester.expectAlive(after: "a queued write of \(name) that is too long")
            }
            offset += count
        }
        tester.coverage.add(.writeLength, of: name)
        try tester.expectError(
            [.invalidAttributeValueLength, .invalidOffset, .prepareQueueFull, .insufficientResources],
            to: ATT.encode(ATT.ExecuteWriteRequest(flags: 1)), "513 bytes of \(name)")
        try tester.expectAlive(after: "513 bytes of \(name)")
    }
}
