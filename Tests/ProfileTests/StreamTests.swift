import Bytes
import PDUTestKit
import TestKit
import Testing

@testable import Profile
@testable import ProfileTools

/// Messages in a byte stream, split at arbitrary points.
@Suite struct StreamTests {
    private typealias Event = StreamDecoder.Event

    private static func framing(_ change: (inout StreamFraming) -> Void) -> StreamFraming {
        var framing = StreamFraming()
        change(&framing)
        return framing
    }

    private func events(_ framing: StreamFraming, _ bytes: [UInt8]) -> [Event] {
        var decoder = StreamDecoder(framing)
        return bytes.compactMap { decoder.add($0) }
    }

    private static let jbd = framing {
        $0.start = [0xDD]
        $0.end = [0x77]
        $0.length = .field(.init(offset: 2, size: 1, form: .unsigned(isBigEndian: false), addend: 5))
    }
    private static let hdlc = framing {
        $0.start = [0x7E]
        $0.end = [0x7E]
        $0.escape = .init(0x7D, .xor(0x20))
    }
    private static let slip = framing {
        $0.end = [0xC0]
        $0.escape = .init(0xDB, .codes([0xDC: 0xC0, 0xDD: 0xDB]))
    }
    private static let prompt = framing { $0.end = [0x0D, 0x0D, 0x3E] }
    private static let robot = framing {
        $0.start = [0xFF, 0xFE]
        $0.length = .field(.init(offset: 1, size: 2, form: .digits(base: 16), addend: 3))
    }
    private static let lines = framing {
        $0.end = [0x0A]
        $0.limit = 4
    }

    @Test func lengthsAndDelimiters() {
        #expect(events(Self.jbd, hex("DD 03 00 02 77 DD FF 84 77")) == [.message(hex("03 00 02 77 DD FF 84"))])
        #expect(
            events(Self.robot, [0xFF, 0xFE] + Array("x0A".utf8) + [UInt8](repeating: 7, count: 10))
                == [.message(Array("x0A".utf8) + [UInt8](repeating: 7, count: 10))])
        #expect(
            events(Self.prompt, Array("41\r0C\r\r>OK\r\r>".utf8)) == [
                .message(Array("41\r0C".utf8)), .message(Array("OK".utf8)),
            ])
        let fixed = Self.framing { $0.length = .fixed(2) }
        #expect(events(fixed, [1, 2, 3, 4, 5]) == [.message([1, 2]), .message([3, 4])])
    }

    /// One flag may end a message and begin the next; empty messages do not count.
    @Test func sharedFlagsAndEscapes() {
        #expect(
            events(Self.hdlc, hex("7E 01 7D 5E 02 7E 03 7E 7E 7D 5D 7E"))
                == [.message([1, 0x7E, 2]), .message([3]), .message([0x7D])])
        #expect(events(Self.slip, hex("C0 DB DC DB DD 01 C0 C0")) == [.message([0xC0, 0xDB, 1])])
    }

    /// A byte after an escape does not end a message, even if it equals the delimiter.
    @Test func escapedBytesAreNoDelimiters() {
        let framing = Self.framing {
            $0.end = [0x0D]
            $0.escape = .init(0x5C, .xor(0))
        }
        #expect(events(framing, [1, 0x5C, 0x0D, 2, 0x0D]) == [.message([1, 0x0D, 2])])
    }

    @Test func whatIsNoMessageIsSaidOnceAndTheNextIsFound() {
        let outside = Event.fault("bytes outside of a message")
        #expect(
            events(Self.jbd, hex("00 01 02 DD 03 00 00 FF FD 77 09")) == [
                outside, .message(hex("03 00 00 FF FD")), outside,
            ])
        #expect(
            events(Self.jbd, hex("DD 03 00 00 FF FD DD 04 00 00 FF FC 77"))
                == [.fault("a message of 5 bytes does not end with 77"), .message(hex("04 00 00 FF FC"))])
        #expect(
            events(Self.slip, hex("01 DB 01 02 C0 03 C0"))
                == [.fault("0x01 after an escape stands for nothing"), .message([3])])
        #expect(
            events(Self.lines, hex("01 02 03 04 05 06 07 0A 08 0A")) == [
                .fault("a message without an end in 4 bytes"), .message([8]),
            ])
        #expect(events(Self.lines, hex("01 02 03 04 0A")) == [.message([1, 2, 3, 4])])
    }

    @Test func lengthsThatLie() {
        var framing = Self.jbd
        framing.limit = 20
        #expect(
            events(framing, hex("DD 03 00 FF 01 02 DD 04 00 00 FF FC 77"))
                == [
                    .fault("message length 260; at most 20 expected"), .message(hex("04 00 00 FF FC")),
                ])
        let short = Self.framing {
            $0.start = [0xAA]
            $0.length = .field(.init(offset: 1, size: 1, form: .unsigned(isBigEndian: false), addend: 0))
        }
        #expect(
            events(short, [0xAA, 9, 1, 0xAA, 9, 2]) == [
                .fault("message length 1 is too short"), .message([9, 2]),
            ])
        #expect(events(Self.robot, [0xFF, 0xFE] + Array("x?A".utf8)) == [.fault("the length is not a number")])
    }

    /// A start of several bytes is found even after a prefix of itself.
    @Test func startsThatBeginTwice() {
        let framing = Self.framing {
            $0.start = [0xAA, 0xAA, 0x55]
            $0.length = .fixed(1)
        }
        #expect(events(framing, hex("AA AA AA 55 01")).last == .message([1]))
        #expect(events(framing, hex("AA 00 AA AA 55 02")) == [.fault("bytes outside of a message"), .message([2])])
    }

    /// For arbitrary input, the buffer never exceeds its limit, and every byte is consumed.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func nothingGrows(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for framing in [Self.jbd, Self.hdlc, Self.slip, Self.prompt, Self.robot, Self.lines] {
            var framing = framing
            framing.limit = min(framing.limit, 64)
            var decoder = StreamDecoder(framing)
            let special: [UInt8] = framing.start + framing.end + [framing.escape?.byte ?? 0, 0xDC, 0x30]
            for _ in 0..<20_000 {
                let byte = UInt8(truncatingIfNeeded: random.next())
                let next = byte < 0x80 ? byte : special[Int(byte) % special.count]
                if case .message(let message)? = decoder.add(next) { #expect(message.count <= 64 && !message.isEmpty) }
                #expect(decoder.count <= 64 + framing.end.count)
            }
        }
    }

    /// Messages encoded into a stream are decoded again, byte by byte.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func streamsHoldBothWays(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for framing in [Self.hdlc, Self.slip, Self.prompt] {
            var stream: [UInt8] = []
            var messages: [[UInt8]] = []
            for count in 1..<60 {
                let message = (0..<count).map { _ -> UInt8 in
                    let byte = UInt8(truncatingIfNeeded: random.next())
                    return framing.escape == nil
                        ? byte | 0x80 : byte & 1 == 0 ? byte : [0x7E, 0x7D, 0xC0, 0xDB, 0xDC][Int(byte) % 5]
                }
                messages.append(message)
                stream += try framing.encode(message)
            }
            #expect(events(framing, stream) == messages.map { .message($0) })
        }
        #expect(try Self.jbd.encode(hex("03 00 00 FF FD")) == hex("DD 03 00 00 FF FD 77"))
        #expect { try Self.jbd.encode(hex("03 00 01 FF FD")) } throws: { "\($0)".contains("length 6") }
        #expect { try Self.lines.encode([1, 2, 3, 4, 5]) } throws: { "\($0)".contains("at most 4") }
    }
}

/// The section `messages`, with streams and requests.
@Suite struct MessageReadingTests {
    private static func profile(_ message: String, _ others: String = "") -> String {
        ProfileSamples.profile(
            """
            types: {t: {fields: [{name: x, type: u8}]}, bytes_only: {type: bytes}}
            gatt:
              - service: FFF0
                name: s
                characteristics:
                  - {uuid: FFF1, name: c, properties: [notify]}
                  - {uuid: FFF2, name: w, properties: [write], value: t}
            messages: [{name: m, characteristic: c, operation: notify, \(message)}]
            \(others)
            """)
    }

    @Test func streamsAreRead() throws {
        let text = Self.profile(
            "stream: {start: 3A, length: {at: 1, digits: 2, base: 16, add: 4}, at_most: 99}, type: t, request: w, part: 1"
        )
        let message = try #require(try ProfileReader.read(text, file: "p.yaml").messages.first)
        guard case .stream(let framing) = message.framing else {
            Issue.record("no stream")
            return
        }
        #expect(framing.start == [0x3A] && framing.end.isEmpty && framing.limit == 99)
        #expect(framing.length == .field(.init(offset: 1, size: 2, form: .digits(base: 16), addend: 4)))
        #expect(message.request == "w" && message.part == 1 && message.types == ["t"])
    }

    @Test(arguments: [
        ("stream: {start: DD}", "what ends a message, \"end\" or \"length\""),
        ("stream: {end: ''}", "1 to 16 bytes"), ("stream: {end: 0D, stop: 1}", "unknown key \"stop\""),
        ("stream: {end: 0D 0A, escape: {byte: 7D, xor: 20}}", "expected delimiters of one byte beside it"),
        ("stream: {end: 0D, escape: {byte: 7D}}", "what a byte after it stands for"),
        ("stream: {end: 0D, escape: {byte: 7D1, xor: 20}}", "a byte in hexadecimal"),
        ("stream: {length: 0}", "whole number from 1 to 65535"),
        ("stream: {length: {at: 2}}", "expected \"type\""),
        ("stream: {length: {at: 90, type: u8}, at_most: 20}", "expected a place within the 20 bytes"),
        ("stream: {length: 30, at_most: 20}", "expected at most 20 bytes"),
        ("stream: {length: {at: 0, digits: 2, type: u8}}", "does not go with digits"),
        ("stream: {length: {at: 0, type: u8, base: 16}}", "belongs to digits"),
        ("stream: {end: 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10}", "1 to 16 bytes"),
        ("stream: {end: 0D}, length_prefix: u8", "cannot stand beside"),
    ])
    func faultsOfStreams(message: String, fault: String) {
        let faults = ProfileSamples.faults(Self.profile("\(message), type: t"))
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
    }

    @Test(arguments: [
        ("stream: {end: 0D}, type: t, request: v", "", "there is no characteristic or message \"v\""),
        (
            "stream: {end: 0D}, type: [{when: request.y == 1, type: t}, {type: bytes_only}], request: w", "",
            "there is no field \"y\" in t"
        ),
        (
            "stream: {end: 0D}, type: [{when: request.x == 1, type: t}, {type: bytes_only}]", "",
            "the value answers no request"
        ),
        (
            "stream: {end: 0D}, type: t, request: w",
            "rules: [{id: R, text: t, role: peripheral, severity: error, check: {on: message m, holds: x == request.z}}]",
            "there is no field \"z\" in t"
        ),
        (
            "stream: {end: 0D}, type: t",
            "rules: [{id: R, text: t, role: peripheral, severity: error, check: {on: message n, holds: x == 1}}]",
            "there is no message \"n\""
        ),
        (
            "stream: {end: 0D}, type: t",
            "emulate: {reactions: [{on: write w, do: [{send: m, value: {x: request.a}}]}]}",
            "there is no field \"a\" in t"
        ),
        (
            "stream: {end: 0D}, type: t", "emulate: {reactions: [{on: message m, do: [{send: m, value: {x: 1}}]}]}",
            "m is not a message that a client writes in a stream"
        ),
        (
            "stream: {length: 2}, type: t", "emulate: {reactions: [{on: write w, do: [{send: m, value: {x: 1}}]}]}",
            "1 bytes of a message with length 2"
        ),
        (
            "stream: {end: 0D}, type: t",
            "emulate: {reactions: [{every: 1 s, do: [{send: m, value: {x: request.x}}]}]}",
            "there is no request"
        ),
    ])
    func lintFollowsMessagesAndRequests(message: String, others: String, text: String) throws {
        let profile = try ProfileReader.read(Self.profile(message, others), file: "p.yaml")
        let texts = ProfileLint.report(on: profile).findings.map(\.text)
        #expect(texts.contains { $0.contains(text) }, "\(texts)")
    }

    @Test func aRequestOfARuleIsWhatCameBefore() throws {
        let rule =
            "rules: [{id: R, text: t, role: peripheral, severity: error, reply: {after: write w, "
            + "expect: message m, expect_where: x == request.x, within: 1 s}}]"
        let profile = try ProfileReader.read(Self.profile("stream: {end: 0D}, type: t", rule), file: "p.yaml")
        let findings = ProfileLint.report(on: profile).findings
        #expect(!findings.contains { $0.check == "unknown-name" }, "\(findings.map(\.text))")
    }
}
