import Bytes
import PDUTestKit
import Profile
import TestKit
import Testing

private let types = kitchenSink + aquavateTypes

/// The decoded value of random bytes is the same after encoding and decoding it; none of them crashes.
@Test(arguments: types.map(\.name))
func randomValuesComeBack(_ name: String) throws {
    let layout = try #require(compile(types).types[name])
    var random = SplitMix64(seed: 0x5EED)
    var decoded = 0
    for round in 0..<600 {
        // Small values are as frequent as large ones, so that counts and conditions vary.
        let ceiling: UInt8 = [3, 16, 255][round % 3]
        let longest = min(layout.lengths.upperBound, layout.lengths.lowerBound + 60)
        let bytes = (0..<Int.random(in: layout.lengths.lowerBound...longest, using: &random)).map { _ in
            UInt8.random(in: 0...ceiling, using: &random)
        }
        // Without the trailing bytes, whose number conditions may depend on.
        guard let used = layout.used(of: bytes), layout.used(of: Array(bytes[..<used])) == used else { continue }
        let value = try layout.decode(Array(bytes[..<used]))
        decoded += 1
        let written = try layout.encode(value)
        #expect(try layout.decode(written) == value, "\(hexText(bytes)) → \(value.json) → \(hexText(written))")
        #expect(layout.lengths.contains(written.count))
    }
    #expect(decoded > 20)
}

extension Layout {
    /// Number of bytes that a value takes; nil if decoding fails.
    fileprivate func used(of bytes: [UInt8]) -> Int? {
        var reader = ByteReader(bytes.span)
        return (try? read(&reader)) == nil ? nil : reader.offset
    }
}

/// All three decoders agree on whether bytes are valid; errors and fields lie inside the bytes.
@Test(arguments: types.map(\.name))
func shorterBytesAreAnError(_ name: String) throws {
    let layout = try #require(compile(types).types[name])
    var random = SplitMix64(seed: 77)
    for _ in 0..<20 {
        let whole = (0..<70).map { _ in UInt8.random(in: 0...9, using: &random) }
        for count in 0...whole.count {
            let bytes = Array(whole[..<count])
            let recorder = FieldRecorder()
            var reader = ByteReader(bytes.span, recorder: recorder)
            var diagnostics: [Diagnostic] = []
            var failure: DecodeError?
            do throws(DecodeError) { try layout.read(&reader, diagnostics: &diagnostics) } catch { failure = error }
            #expect((failure == nil) == ((try? layout.decode(bytes)) != nil))
            if let failure {
                #expect(failure.offset <= count)
                #expect(failure.reason != .truncated || failure.needed > failure.available)
            } else {
                #expect(count >= layout.lengths.lowerBound)
            }
            #expect(recorder.fields.allSatisfy { Int($0.offset) + Int($0.length) <= count })
            #expect(diagnostics.allSatisfy { $0.offset <= count })
            if count < layout.lengths.lowerBound { #expect(failure != nil) }
        }
    }
}

@Test func hugeCountsEndWithTheBytes() throws {
    let layout = try layout([.u32("count"), .u16("values") { $0.count = .computed(expression("count")) }])
    #expect(throws: DecodeError.self) { try layout.decode(hex("FFFFFFFF 0100 0200 03")) }
    let recorder = FieldRecorder()
    let bytes = hex("FFFFFFFF 0100 0200 03")
    var reader = ByteReader(bytes.span, recorder: recorder)
    do {
        try layout.read(&reader)
        Issue.record("read more than there is")
    } catch {
        #expect(error.description == "values: needs 2 bytes, 1 left")
    }
    // The fields before the error are kept.
    #expect(recorder.fields.map(\.value) == [0, 0xFFFF_FFFF, 1, 2])
}

@Test func countsAndLengthsMustBeNumbersFromZeroUp() throws {
    let negative = try layout([.i16("count"), .u8("values") { $0.count = .computed(expression("count - 1")) }])
    #expect(throws: DecodeError.self) { try negative.decode(hex("0000 01")) }
    #expect(try negative.decode(hex("0200 01")) == .record(["count": .integer(2), "values": .list([.integer(1)])]))
    let unknown = try layout([.u8("size"), .make("text", .text(.computed(expression("10 / size")), end: .length))])
    do {
        _ = try unknown.decode(hex("00 41"))
        Issue.record("divided by zero")
    } catch {
        #expect(error.description == "text: expected a length of 0 or more, it cannot be computed")
    }
}
