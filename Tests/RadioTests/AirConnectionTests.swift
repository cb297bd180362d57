import Bluetooth
import BluetoothCrypto
import Bytes
import PDUTestKit
import Radio
import Testing

/// Connection events as a sniffer receives them.
@Suite struct AirConnectionTests {
    /// The data PDUs after CONNECT_IND or AUX_CONNECT_RSP.
    private func data(_ bed: inout TestBed) -> [AirPacket] {
        bed.radio.finishAir().filter { $0.traffic == .central || $0.traffic == .peripheral }
    }

    private func header(_ packet: AirPacket) -> LL.DataHeader {
        LL.DataHeader(bits: UInt16(packet.pdu[0]) | UInt16(packet.pdu[1]) << 8)
    }

    /// The control PDU of a packet that is not encrypted; nil for data.
    private func control(_ packet: AirPacket) -> (any LL.ControlPDU)? {
        guard header(packet).llid == .control else { return nil }
        let bytes = Array(packet.pdu[2...])
        var reader = ByteReader(bytes.span)
        return try? LL.readControl(&reader)
    }

    @Test func idleEventsHaveEmptyPDUs() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        _ = try bed.connected()
        _ = bed.radio.finishAir()
        bed.pass(3000)
        // 100 events of 30 ms.
        let packets = data(&bed)
        #expect((198...202).contains(packets.count))
        for (index, packet) in packets.enumerated() {
            #expect(packet.pdu.count == 2 && header(packet).isEmpty && !header(packet).moreData)
            #expect(packet.traffic == (index.isMultiple(of: 2) ? .central : .peripheral))
        }
        // Each new PDU acknowledges the last one of the other end.
        for (packet, next) in zip(packets, packets.dropFirst()) {
            #expect(header(next).nextExpectedSequenceNumber == header(packet).sequenceNumber ^ 1)
        }
        for (packet, next) in zip(packets, packets.dropFirst(2)) {
            #expect(header(next).sequenceNumber == header(packet).sequenceNumber ^ 1)
        }
        let steps = zip(packets, packets.dropFirst()).map { $1.time.nanoseconds(since: $0.time) / 1000 }
        #expect(Set(steps).sorted() == [80 + 150, 30_000 - 230])
    }

    @Test func aPeripheralThatSkipsEventsIsNotHeardInThem() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        _ = try bed.connected(
            timing: HCI.ConnectionTiming(intervalMin: 24, intervalMax: 24, maxLatency: 9, supervisionTimeout: 1000))
        bed.pass(1000)
        _ = bed.radio.finishAir()
        bed.pass(3000)
        #expect((18...22).contains(data(&bed).count))
    }

    /// With loss, every packet has the SN and NESN of Vol 6, Part B, 4.5.9: a PDU is repeated until it is acknowledged.
    @Test(arguments: [0, 0.1, 0.4])
    func whatIsNotAcknowledgedIsSentAgain(loss: Double) throws {
        var bed = TestBed(2, seed: 3)
        bed.radio.recordAir()
        let (central, peripheral) = try bed.connected(
            timing: HCI.ConnectionTiming(intervalMin: 6, intervalMax: 6, supervisionTimeout: 3200))
        bed.radio.setPath(0, 1, Path(loss: loss))
        for round in 0..<100 as Range<UInt8> {
            bed.sendData(0, central, [UInt8](repeating: round, count: 60))
            if round.isMultiple(of: 3) { bed.sendData(1, peripheral, [round, 1, 2]) }
            bed.pass(100)
        }
        bed.pass(2000)
        var last: [AirPacket.Traffic: AirPacket] = [:]
        var heard: [AirPacket.Traffic: [[UInt8]]] = [:]
        var repeated = 0
        for packet in data(&bed) {
            let other: AirPacket.Traffic = packet.traffic == .central ? .peripheral : .central
            if let before = last[packet.traffic], header(before).sequenceNumber == header(packet).sequenceNumber {
                // NESN, SN and MD may differ, in bits 2 to 4.
                #expect(before.pdu[0] & 0xE3 == packet.pdu[0] & 0xE3 && before.pdu[1...] == packet.pdu[1...])
                repeated += 1
            } else {
                let acknowledged = last[other].map { header($0).nextExpectedSequenceNumber } ?? 0
                #expect(header(packet).sequenceNumber == (last[packet.traffic] == nil ? 0 : acknowledged))
                if header(packet).llid != .control, packet.pdu.count > 2 {
                    heard[packet.traffic, default: []].append(Array(packet.pdu[2...]))
                }
            }
            last[packet.traffic] = packet
        }
        #expect((repeated > 0) == (loss > 0))
        #expect(heard[.central] == TestBed.data(in: bed.take(1)).map(\.bytes))
        #expect(heard[.peripheral] == TestBed.data(in: bed.take(0)).map(\.bytes))
        #expect(heard[.central]?.flatMap { $0 }.count == 6000)
    }

    @Test func morePDUsInAnEventAreAnnounced() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        let (central, _) = try bed.connected()
        bed.pass(500)
        _ = bed.radio.finishAir()
        bed.sendData(0, central, [UInt8](repeating: 7, count: 70))
        bed.pass(200)
        let packets = data(&bed).filter { $0.pdu.count > 2 }
        #expect(packets.map(\.pdu.count) == [29, 29, 18])
        #expect(packets.map { header($0).llid } == [.start, .continuation, .continuation])
        #expect(packets.map { header($0).moreData } == [true, true, false])
        #expect(Set(packets.map(\.channel)).count == 1)
    }

    // MARK: - Changes at their instants

    /// The number of a packet's event after that of `first`, with an interval in ms.
    private func event(_ packet: AirPacket, _ first: AirPacket, interval: Int64) -> Int64 {
        packet.time.nanoseconds(since: first.time) / (interval * 1_000_000)
    }

    @Test(arguments: [Path(), Path(loss: 0.3)])
    func theChannelMapChangesAtItsInstant(path: Path) throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        _ = try bed.connected()
        bed.radio.setPath(0, 1, path)
        // Channels 0 to 7.
        bed.send(0, 0x2014, ["le_channel_map": .bytes([0xFF, 0, 0, 0, 0])])
        bed.pass(3000)
        let packets = data(&bed)
        let updates = packets.compactMap { control($0) as? LL.ChannelMapInd }
        let update = try #require(updates.first)
        #expect(Set(updates).count == 1)
        let first = try #require(packets.first)
        let before = packets.filter { event($0, first, interval: 30) < Int64(update.instant) }
        let after = packets.filter { event($0, first, interval: 30) >= Int64(update.instant) }
        #expect(before.contains { $0.channel.rawValue > 7 })
        #expect(!after.isEmpty && after.allSatisfy { $0.channel.rawValue < 8 })
    }

    @Test func theIntervalChangesAtItsInstant() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        let (central, _) = try bed.connected()
        let timing = HCI.ConnectionTiming(intervalMin: 80, intervalMax: 80, supervisionTimeout: 300)
        bed.send(0, HCI.LEConnectionUpdate(handle: central, timing: timing))
        bed.pass(3000)
        let packets = data(&bed)
        let update = try #require(packets.lazy.compactMap { control($0) as? LL.ConnectionUpdateInd }.first)
        #expect(update.interval == 80)
        let first = try #require(packets.first)
        let instant = first.time.advanced(nanoseconds: Int64(update.instant) * 30_000_000)
        let after = packets.filter { $0.time >= instant && $0.traffic == .central }
        #expect(after.count > 15)
        for (packet, next) in zip(after, after.dropFirst()) {
            #expect(next.time.nanoseconds(since: packet.time) == 100_000_000)
        }
        // The event counter goes on: Channel Selection Algorithm #2.
        let selection = LL.ChannelSelection.algorithm2(first.accessAddress)
        for packet in after {
            let event = UInt64(update.instant) + UInt64(packet.time.nanoseconds(since: instant) / 100_000_000)
            #expect(packet.channel == selection.channel(ofEvent: event, in: .all))
        }
    }

    @Test(arguments: [(2, LL.PHY.le2M), (4, .leCoded)] as [(UInt64, LL.PHY)])
    func thePHYChangesAtItsInstant(bits: UInt64, phy: LL.PHY) throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        let (central, _) = try bed.connected()
        bed.send(
            0, 0x2032,
            [
                "connection_handle": .number(UInt64(central.rawValue)), "all_phys": 0, "tx_phys": .number(bits),
                "rx_phys": .number(bits), "phy_options": 0,
            ])
        bed.pass(2000)
        let packets = data(&bed)
        let update = try #require(packets.lazy.compactMap { control($0) as? LL.PHYUpdateInd }.first)
        let first = try #require(packets.first)
        for packet in packets {
            #expect(
                packet.phy == (event(packet, first, interval: 30) < Int64(update.instant) ? .le1M : phy))
        }
        #expect(packets.contains { $0.phy == phy })
    }

    @Test(arguments: [true, false])
    func theEndIsAcknowledged(byCentral: Bool) throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        let (central, peripheral) = try bed.connected()
        bed.send(
            byCentral ? 0 : 1,
            HCI.Disconnect(handle: byCentral ? central : peripheral, reason: .remoteUserTerminatedConnection))
        bed.pass(1000)
        let packets = data(&bed)
        let end = try #require(packets.firstIndex { control($0) is LL.TerminateInd })
        #expect(packets.count == end + 2)
        #expect(packets[end].traffic == (byCentral ? .central : .peripheral))
        #expect(header(packets[end + 1]).isEmpty)
        #expect(
            header(packets[end + 1]).nextExpectedSequenceNumber == header(packets[end]).sequenceNumber ^ 1)
    }

    // MARK: - Encryption

    /// Encrypts, and changes the key: which PDUs are encrypted follows from Vol 6, Part B, 5.1.3, and each session has a key
    /// and counters of its own.
    @Test func aKeyRefreshBeginsANewSession() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        let (central, peripheral) = try bed.connected()
        let keys = [[UInt8](0..<16), [UInt8](16..<32)]
        for key in keys {
            bed.send(
                0,
                HCI.LEEnableEncryption(
                    handle: central, randomNumber: [UInt8](repeating: 0, count: 8), encryptedDiversifier: 0,
                    longTermKey: key))
            bed.pass(300)
            bed.send(1, HCI.LELongTermKeyRequestReply(handle: peripheral, longTermKey: key))
            bed.pass(300)
        }
        bed.sendData(0, central, [7])
        bed.pass(100)
        let packets = data(&bed).filter { $0.pdu.count > 2 }
        let sent = [AirPacket.Traffic.central, .peripheral].map { side in
            packets.filter { $0.traffic == side }.map(\.pdu)
        }
        // LL_ENC_REQ, LL_START_ENC_RSP*, LL_PAUSE_ENC_REQ*, LL_PAUSE_ENC_RSP, LL_ENC_REQ, LL_START_ENC_RSP*, data*: those
        // with an asterisk have a MIC of four bytes.
        #expect(sent[0].map { $0.count - 2 } == [23, 5, 5, 1, 23, 5, 5])
        // LL_ENC_RSP, LL_START_ENC_REQ, LL_START_ENC_RSP*, LL_PAUSE_ENC_RSP*, LL_ENC_RSP, LL_START_ENC_REQ,
        // LL_START_ENC_RSP*.
        #expect(sent[1].map { $0.count - 2 } == [13, 1, 5, 5, 13, 1, 5])
        try #require(sent[0].count == 7 && sent[1].count == 7)
        for (session, key) in keys.enumerated() {
            let request = try LL.EncReq(decoding: Array(sent[0][4 * session][3...]))
            let response = try LL.EncRsp(decoding: Array(sent[1][4 * session][3...]))
            let cipher = LinkEncryption(
                longTermKey: SecretKey(wireBytes: key), centralDiversifier: request.sessionKeyDiversifier,
                peripheralDiversifier: response.sessionKeyDiversifier, centralVector: request.initializationVector,
                peripheralVector: response.initializationVector)
            func opened(_ pdu: [UInt8], _ counter: UInt64, _ sender: LinkEncryption.Sender) -> [UInt8]? {
                cipher.open(Array(pdu[2...]), header: pdu[0], counter: counter, from: sender)
            }
            // LL_START_ENC_RSP, LL_PAUSE_ENC_REQ, LL_PAUSE_ENC_RSP.
            #expect(opened(sent[0][1 + 4 * session], 0, .central) == [0x06])
            #expect(opened(sent[0][2 + 4 * session], 1, .central) == [session == 0 ? 0x0A : 7])
            #expect(opened(sent[1][2 + 4 * session], 0, .peripheral) == [0x06])
            if session == 0 { #expect(opened(sent[1][3], 1, .peripheral) == [0x0B]) }
        }
    }
}
