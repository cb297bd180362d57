import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

/// SYNC and CONFIG as a host sends them (Vol 4, Part D, 8).
private let sync = hex("c0 00 2f 00 d0 017e c0")
private let config = hex("c0 00 3f 00 dbdc 03fc10 c0")
/// An acknowledgement of sequence numbers up to 1.
private let acknowledgement = hex("c0 10 00 00 ef c0")

/// A packet with the header that Vol 4, Part D, 4 describes, before SLIP.
private func packet(_ sequence: UInt8, _ type: UInt8, _ payload: [UInt8], isReliable: Bool = true) -> [UInt8] {
    let first = sequence | (isReliable ? 0x80 : 0)
    let second = type | UInt8(payload.count & 0x0F) << 4
    let third = UInt8(payload.count >> 4)
    let header: [UInt8] = [first, second, third, ~(first &+ second &+ third)]
    return header + payload
}

/// A packet between delimiters (3.1).
private func frame(_ packet: [UInt8]) -> [UInt8] {
    var frame: [UInt8] = [0xC0]
    for byte in packet {
        switch byte {
        case 0xC0: frame += [0xDB, 0xDC]
        case 0xDB: frame += [0xDB, 0xDD]
        default: frame.append(byte)
        }
    }
    return frame + [0xC0]
}

private func frame(_ sequence: UInt8, _ h4: [UInt8]) -> [UInt8] {
    frame(packet(sequence, h4[0], Array(h4.dropFirst())))
}

private func read(_ dump: [UInt8], chunkSize: Int = 256 * 1024) throws(CaptureError) -> ReadCapture {
    try ReadCapture(CaptureReader(source: ByteSource(bytes: dump, name: "test", chunkSize: chunkSize), as: .h5))
}

@Suite("three-wire UART") struct ThreeWireTests {
    @Test func aDumpHasTheHCIPacketsOfALine() throws {
        // Reset, as an octet string: sequence number 0, reliable, a command of 3 bytes, checksum.
        let reset = hex("c0 80 31 00 4e 030c00 c0")
        #expect(reset == frame(0, Build.reset))
        let capture = try read(sync + config + acknowledgement + reset + frame(1, Build.notification))
        #expect(capture.format == .threeWireDump)
        #expect(capture.bytes == [Build.reset, Build.notification])
        #expect(capture.packets.map(\.number) == [1, 2])
        // All that a dump says of times is the order.
        #expect(capture.packets.map(\.time.nanoseconds) == [0, 1000])
        // The command has shown that the line is the host's.
        #expect(capture.packets.map(\.direction) == [.sent, .sent])
        #expect(
            capture.skippedRecords == [
                "link control message of the three-wire UART": 2, "acknowledgement of the three-wire UART": 1,
            ])
        #expect(capture.warnings.isEmpty)
    }

    @Test func theDataIntegrityCheckIsVerified() throws {
        // Sequence number 1, acknowledges up to 2, with a check: Command Complete of Reset. The check is CRC-16/MCRF4XX
        // of header and payload, 5941, its bits reversed.
        var dump = hex("c0 d1 64 00 ca 0e0401030c00 829a c0")
        #expect(try read(dump).bytes == [Build.resetComplete])
        dump[6] ^= 1
        let capture = try read(frame(0, Build.resetComplete) + dump)
        #expect(capture.packets.count == 1)
        #expect(
            capture.warnings.map(\.description) == [
                "test: offset 13: 12 bytes are no frame of the three-wire UART: a wrong data integrity check; skipped"
            ])
    }

    @Test func escapedBytesAreDecoded() throws {
        let data = hex("02 4020 0500 0100 0400 c0") + hex("02 4020 0500 0100 0400 db")
        let (first, second) = (Array(data[..<10]), Array(data[10...]))
        let dump = frame(0, first) + frame(1, second)
        #expect(try read(dump).bytes == [first, second])
        // 11 and 13 are escaped with software flow control.
        let flow = hex("c0 80 11 00 6e dbde c0 c0 81 11 00 6d dbdf c0")
        #expect(try read(flow).bytes == [[1, 0x11], [1, 0x13]])
    }

    @Test func retransmissionsAreShownOnce() throws {
        let commands: [[UInt8]] = (0...9).map { [1, 3, 0x0C, 1, $0] }
        var dump: [UInt8] = []
        for (index, command) in commands.enumerated() { dump += frame(UInt8(index % 8), command) }
        // The last three, again.
        for index in 7...9 { dump += frame(UInt8(index % 8), commands[index]) }
        // The next one is like an earlier one with this number.
        dump += frame(2, commands[2])
        let capture = try read(dump)
        #expect(capture.bytes == commands + [commands[2]])
        #expect(capture.skippedRecords == ["retransmission of the three-wire UART": 3])
        #expect(capture.packets.allSatisfy { $0.drops == 0 })
    }

    @Test func aMissingSequenceNumberIsALoss() throws {
        let capture = try read(frame(0, Build.reset) + frame(3, Build.reset) + frame(4, Build.reset))
        #expect(capture.packets.map(\.drops) == [0, 2, 0])
        // Both sides start anew with a link.
        let again = try read(frame(3, Build.reset) + sync + frame(0, Build.reset))
        #expect(again.packets.map(\.drops) == [0, 0])
    }

    @Test func damageCostsTheFramesThatItTouches() throws {
        let packets = (0...5).map { [1, 3, 0x0C, 1, $0] as [UInt8] }
        let frames = packets.enumerated().map { frame(UInt8($0.offset), $0.element) }
        let dump = frames.flatMap(\.self)
        for offset in dump.indices {
            for change in [[], [0x55], [0xC0], [0x80, dump[offset]]] as [[UInt8]] {
                var damaged = dump
                damaged.replaceSubrange(offset...offset, with: change)
                guard let capture = try? read(damaged) else { continue }
                let touched = offset / frames[0].count
                // A lost delimiter joins two frames, one of which is the one before or after.
                #expect(capture.packets.count >= packets.count - 2, "\(offset)")
                for (index, packet) in packets.enumerated() where abs(index - touched) > 1 {
                    #expect(capture.bytes.contains(packet), "\(offset)")
                }
            }
        }
    }

    @Test(arguments: [1, 5, 64]) func truncationAtEveryByteKeepsTheWholeFrames(chunkSize: Int) throws {
        let frames = [sync, frame(0, Build.reset), acknowledgement, frame(1, Build.notification)]
        let dump = frames.flatMap(\.self)
        for count in 1...dump.count {
            let whole = [(frames[0] + frames[1]).count, dump.count].filter { $0 <= count }.count
            do throws(CaptureError) {
                let capture = try read(Array(dump[..<count]), chunkSize: chunkSize)
                #expect(capture.bytes == Array([Build.reset, Build.notification].prefix(whole)))
            } catch {
                #expect(whole == 0)
            }
        }
    }

    @Test func bytesWithoutFramesAreNoDump() throws {
        let error = #expect(throws: CaptureError.self) { try read([UInt8](repeating: 0x55, count: 10_000)) }
        #expect(error?.kind == .notACapture)
        #expect(error?.description.contains("no packet of three-wire UART (H5) was found") == true)
        let long = [UInt8](repeating: 7, count: 9000) + [0xC0]
        let capture = try read(hex("555555") + frame(0, Build.reset) + long + frame(1, Build.reset))
        #expect(capture.packets.count == 2)
        #expect(
            capture.warnings.map(\.description) == [
                "test: offset 0: 3 bytes are no frame of the three-wire UART; they were skipped",
                "test: offset 12: 9000 bytes are no frame of the three-wire UART; they were skipped",
            ])
    }

    /// Records of capture files: with and without SLIP, cut, both directions.
    @Test func recordsOfBtsnoopAreRead() throws {
        let event = packet(0, 4, Array(Build.resetComplete.dropFirst()))
        let data = packet(1, 2, Array(Build.notification.dropFirst()))
        let capture = try ReadCapture(
            Build.btsnoop(
                1004,
                [
                    Build.btsnoopRecord(frame(0, Build.reset)), Build.btsnoopRecord(event, flags: 1),
                    Build.btsnoopRecord(acknowledgement), Build.btsnoopRecord(event, flags: 1),
                    Build.btsnoopRecord(Array(data[..<12]), flags: 1, original: UInt32(data.count)),
                    Build.btsnoopRecord(hex("80 31 00 00 030c00")),
                ]))
        #expect(
            capture.bytes == [Build.reset, Build.resetComplete, Array(Build.notification[..<9])])
        #expect(capture.packets.map(\.direction) == [.sent, .received, .received])
        #expect(capture.packets.map(\.number) == [1, 2, 5])
        #expect(capture.packets.map(\.originalLength) == [4, 7, Build.notification.count])
        #expect(capture.skippedRecords["retransmission of the three-wire UART"] == 1)
        #expect(
            capture.warnings.map(\.text) == ["frame 6 is no packet of the three-wire UART: a wrong header checksum"])
    }
}

@Suite("--as") struct StatedContentTests {
    private func read(_ file: [UInt8], as stated: StatedContent) throws(CaptureError) -> ReadCapture {
        try ReadCapture(CaptureReader(source: ByteSource(bytes: file, name: "test"), as: stated))
    }

    @Test(
        arguments: [
            ("h4", .h4), ("H5", .h5), ("187", .linkType(.h4)), ("nordic", .linkType(.nordic)),
            ("251", .linkType(.linkLayer)), ("157", nil), ("1", nil), ("h6", nil), ("", nil),
        ] as [(String, StatedContent?)])
    func valuesAreParsed(text: String, expected: StatedContent?) {
        #expect(StatedContent(text) == expected)
    }

    @Test(
        arguments: [
            (.h4, .h4), (.linkType(.h4), .h4), (.linkType(.h4WithDirection), .h4WithDirection),
            (.linkType(.linkLayer), .linkLayer), (.linkType(.linkLayerWithHeader), .linkLayerWithHeader),
            (.linkType(.nordic), .nordic),
        ] as [(StatedContent, Encapsulation)])
    func aLinkTypeForPrivateUseIsWhatTheUserStates(stated: StatedContent, encapsulation: Encapsulation) throws {
        for number in [147, 157, 162] as [UInt16] {
            let files = [
                Build.pcap(UInt32(number), [Build.pcapRecord(Build.reset)]),
                Build.sectionHeader() + Build.interface(number) + Build.enhancedPacket(Build.reset),
            ]
            for file in files {
                let capture = try read(file, as: stated)
                #expect(capture.packets.map(\.encapsulation) == [encapsulation])
                #expect(capture.bytes == [Build.reset])
            }
        }
    }

    @Test func aKnownFormatIsReadAsWhatItIs() throws {
        #expect(try read(Build.pcap(187, [Build.pcapRecord(Build.reset)]), as: .h5).bytes == [Build.reset])
        let error = #expect(throws: CaptureError.self) {
            try read(Build.pcap(1, [Build.pcapRecord(Build.reset)]), as: .h4)
        }
        #expect(error?.kind == .unsupported)
        #expect(throws: CaptureError.self) { try read(Build.reset, as: .linkType(.h4)) }
    }

    /// tshark is told by its preferences, gattbench by --as.
    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"))
    func tsharkReadsTheSameOfAPrivateLinkType() throws {
        let packets = [Build.reset, Build.resetComplete, Build.notification]
        let folder = try TemporaryFolder()
        let path = try folder.file("user.pcap", Build.pcap(157, packets.map { Build.pcapRecord($0) }))
        let linkType = #"uat:user_dlts:"User 10 (DLT=157)","hci_h4","0","","0","""#
        let rows = try Tshark.run([
            "-n", "-r", path, "-o", linkType, "-T", "fields", "-e", "frame.number", "-e", "hci_h4.type",
        ])
        let capture = try ReadCapture(CaptureReader(source: ByteSource(path: path), as: .h4))
        #expect(rows == capture.packets.indices.map { ["\($0 + 1)", "0x0\(capture.bytes[$0][0])"] })
    }

    @Test func threeWirePacketsOfAPrivateLinkType() throws {
        let file =
            Build.sectionHeader() + Build.interface(157) + Build.interface(187)
            + Build.enhancedPacket(frame(0, Build.reset)) + Build.enhancedPacket(Build.resetComplete, interface: 1)
            + Build.enhancedPacket(frame(1, Build.reset) + frame(2, Build.resetComplete))
            + Build.enhancedPacket(acknowledgement)
            + Build.enhancedPacket(Build.notification, interface: 1)
        let capture = try read(file, as: .h5)
        #expect(
            capture.bytes == [Build.reset, Build.resetComplete, Build.reset, Build.resetComplete, Build.notification])
        #expect(capture.packets.map(\.number) == [1, 2, 3, 4, 6])
        #expect(capture.packets.map(\.adapter) == [0, 1, 0, 0, 1])
    }
}
