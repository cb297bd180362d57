import Bluetooth
import Bytes
import Profile

/// Test cases derived from a profile: the requirements of the specification on any server, for each service,
/// characteristic, descriptor and field of the profile.
package enum DerivedCases {
    package static func all(of device: TestedDevice, seed: UInt64) -> [TestCase] {
        let characteristics = device.characteristics
        return TableCases.all(of: device)
            + characteristics.flatMap { ReadCases.all(of: $0) }
            + characteristics.flatMap { WriteCases.all(of: $0, device) }
            + characteristics.flatMap { ValueCases.all(of: $0, device) }
            + characteristics.flatMap { ConfigurationCases.all(of: $0) }
            + SecurityCases.all(of: device)
            + ReplyCases.all(of: device)
            + RequestCases.all(of: device)
            + LinkCases.all(of: device)
            + [RandomWalk.testCase(of: device, seed: seed)]
    }

    /// ATT_MTUs to test: the minimum, those of common phones, the puck's, and the largest useful one.
    static let mtus: [UInt16] = [23, 65, 185, 247, 517]
}

/// A device's response to a request, decoded if possible.
struct Answer {
    var bytes: [UInt8]
    var pdu: (any ATT.PDU)?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var reader = ByteReader(bytes.span)
        pdu = (try? ATT.read(&reader)) ?? nil
    }

    var error: ATT.ErrorResponse? { pdu as? ATT.ErrorResponse }

    var words: String {
        if let error { return error.errorCode.words }
        guard let first = bytes.first else { return "nothing" }
        return ATT.Opcode(rawValue: first).words
    }
}

extension LowerTester {
    /// Sends a request; ends the case if the connection is lost instead of a response.
    func ask(_ pdu: [UInt8]) throws -> Answer {
        guard let answer = try send(pdu) else {
            throw TestStop.failed(
                expected: "a response to \(ATT.Opcode(rawValue: pdu.first ?? 0).words)",
                observed: "the connection was lost")
        }
        return Answer(answer)
    }

    func ask(_ pdu: some ATT.PDU) throws -> Answer { try ask(ATT.encode(pdu)) }

    /// Records a fault unless the request is rejected with one of these errors, and the error names the request.
    func expectError(
        _ codes: [ATT.ErrorCode], to pdu: [UInt8], about handle: Handle? = nil, _ what: String
    ) throws {
        let answer = try ask(pdu)
        let wanted = codes.map(\.words).joined(separator: " or ")
        guard let error = answer.error else {
            return fail(expected: "\(what): \(wanted)", observed: answer.words, bytes: answer.bytes)
        }
        expect(
            codes.contains(error.errorCode), "\(what): \(wanted)", observed: error.errorCode.words, bytes: answer.bytes)
        expect(
            error.requestOpcode.rawValue == pdu.first, "\(what): the opcode of the request in the error",
            observed: error.requestOpcode.words, bytes: answer.bytes)
        if let handle {
            expect(
                error.handle == handle, "\(what): handle \(handle) in the error", observed: "\(error.handle)",
                bytes: answer.bytes)
        }
    }

    /// Records a fault unless the device still responds.
    func expectAlive(after what: String) throws {
        guard connection != nil else {
            return fail(
                expected: "the connection to go on after \(what)",
                observed: "disconnected: \(disconnectReason.map { $0.name ?? "\($0.rawValue)" } ?? "no reason")")
        }
        _ = try ask(ATT.ReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: .primaryService))
    }
}

extension ATT.ErrorCode {
    /// Whether a server may reject a permitted write with this error (Vol 3, Part F, 3.4.5.1; 0x80 to 0x9F and 0xE0 to
    /// 0xFF belong to profiles).
    var mayRefuseValue: Bool {
        [
            .invalidAttributeValueLength, .valueNotAllowed, .insufficientResources, .unlikelyError, .invalidOffset,
            .prepareQueueFull, .requestNotSupported, .attributeNotLong,
        ].contains(self) || (0x80...0x9F).contains(rawValue) || rawValue >= 0xE0
    }
}
