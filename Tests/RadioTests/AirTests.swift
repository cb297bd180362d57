import Bluetooth
import Bytes
import PDUTestKit
import Testing

@testable import Radio

/// Advertising, scanning and connecting as a sniffer receives them.
@Suite struct AirTests {
    private func header(_ packet: AirPacket) throws -> LL.AdvertisingHeader {
        try LL.AdvertisingHeader(decoding: Array(packet.pdu[..<2]))
    }

    private func payload<PDU: LL.AdvertisingPDU>(_ packet: AirPacket, _ type: PDU.Type) throws -> PDU {
        try PDU(decoding: Array(packet.pdu[2...]))
    }

    /// From the end of a packet to the start of the next one, in µs; on LE 1M, a packet has 10 bytes beside its payload.
    private func gap(_ packet: AirPacket, _ next: AirPacket) -> Int64 {
        next.time.nanoseconds(since: packet.time) / 1000 - 8 * Int64(packet.pdu.count + 8)
    }

    /// A conversation of three controllers with many random choices.
    private func conversation(pace: Radio.Pace, path: Path, isRecorded: Bool) throws -> [Radio.Output] {
        var bed = TestBed(3, seed: 11, pace: pace, path: path)
        if isRecorded { bed.radio.recordAir(loss: 0.1, damage: 0.1) }
        bed.advertise(1, interval: 0xA0)
        bed.pass(500)
        bed.send(2, HCI.LESetScanParameters(type: 1, interval: 0x60, window: 0x30, ownType: .publicDevice))
        bed.send(2, HCI.LESetScanEnable(enable: true, filterDuplicates: false))
        bed.pass(500)
        bed.send(2, HCI.LESetScanEnable(enable: false, filterDuplicates: false))
        bed.connect(0, to: 1)
        bed.advertise(2)
        for round in 0..<100 {
            bed.pass(35)
            if round.isMultiple(of: 3) { bed.sendData(0, 0x0040, [UInt8](repeating: UInt8(round), count: 40)) }
            if round.isMultiple(of: 7) { bed.sendData(1, 0x0040, [UInt8(round)]) }
            if round == 20 { bed.send(0, HCI.LESetDataLength(handle: 0x0040, txOctets: 100, txTime: 2120)) }
            if round == 40 {
                bed.send(
                    0,
                    HCI.LEConnectionUpdate(
                        handle: 0x0040,
                        timing: HCI.ConnectionTiming(
                            intervalMin: 16, intervalMax: 16, maxLatency: 3, supervisionTimeout: 300)))
            }
            bed.send(0, "01 18 20 00")
        }
        return bed.output
    }

    @Test(arguments: [Radio.Pace.air, .immediate], [Path(), Path(loss: 0.1), Path(latency: 2_000_000)])
    func recordingChangesNothing(pace: Radio.Pace, path: Path) throws {
        let recorded = try conversation(pace: pace, path: path, isRecorded: true)
        #expect(recorded.count > 110)
        #expect(try recorded == conversation(pace: pace, path: path, isRecorded: false))
    }

    @Test func nothingIsCollectedUnlessAskedFor() throws {
        var bed = TestBed(2)
        _ = try bed.connected()
        #expect(bed.radio.finishAir().isEmpty)
        #expect(bed.radio.nextAir == nil)
    }

    @Test func advertisingIsRecordedWithoutAListener() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        bed.advertise(interval: 0xA0)
        bed.pass(1000)
        let packets = bed.radio.finishAir()
        // An event each 100 to 110 ms.
        #expect((27...30).contains(packets.count))
        #expect(packets.map(\.channel.rawValue) == (0..<packets.count).map { [37, 38, 39][$0 % 3] })
        for packet in packets {
            #expect(packet.accessAddress == .advertising)
            #expect(packet.crc == LL.crc(of: packet.pdu, initial: 0x555555))
            #expect(packet.isCRCValid && packet.traffic == .advertising && packet.phy == .le1M && packet.sender == 1)
            #expect((-52 ... -48).contains(packet.signal))
            #expect(try header(packet).type == .advInd && header(packet).chSel)
            #expect(try payload(packet, LL.UndirectedAdvertising.self).advertiser == TestBed.address(1))
            #expect(try payload(packet, LL.UndirectedAdvertising.self).data == [2, 1, 6])
        }
    }

    @Test func aScanIsOnTheChannelOfItsAdvertisement() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        bed.advertise()
        bed.send(0, HCI.LESetScanParameters(type: 1, interval: 0x10, window: 0x10, ownType: .publicDevice))
        bed.send(0, HCI.LESetScanEnable(enable: true, filterDuplicates: false))
        bed.pass(1000)
        let packets = bed.radio.finishAir()
        let requests = try packets.indices.filter { try header(packets[$0]).type == .scanReq }
        #expect(requests.count > 20)
        #expect(Set(requests.map { packets[$0].channel.rawValue }) == [37, 38, 39])
        for index in requests where index > 0 && index + 1 < packets.count {
            let three = packets[(index - 1)...(index + 1)]
            #expect(try three.map { try header($0).type } == [.advInd, .scanReq, .scanRsp])
            #expect(Set(three.map(\.channel)).count == 1)
            #expect(gap(packets[index - 1], packets[index]) == 150)
            #expect(gap(packets[index], packets[index + 1]) == 150)
            let request = try payload(packets[index], LL.ScanRequest.self)
            #expect(request == LL.ScanRequest(scanner: TestBed.address(0), advertiser: TestBed.address(1)))
            #expect(try payload(packets[index + 1], LL.ScanResponse.self).data == [3, 9, 0x41, 0x42])
        }
    }

    @Test(arguments: [true, false])
    func aConnectionBeginsInItsTransmitWindow(usesAlgorithm2: Bool) throws {
        let peripheral =
            usesAlgorithm2 ? ControllerConfiguration(address: TestBed.address(1)) : .old(address: TestBed.address(1))
        var bed = TestBed([ControllerConfiguration(address: TestBed.address(0)), peripheral])
        bed.radio.recordAir()
        bed.wantAllEvents(0)
        bed.wantAllEvents(1)
        _ = try bed.connected()
        let packets = bed.radio.finishAir()
        let place = try #require(
            try packets.firstIndex { try header($0).type == .connectInd && $0.traffic == .advertising })
        #expect(try header(packets[place]).chSel)
        #expect(try header(packets[place - 1]).chSel == usesAlgorithm2)
        #expect(gap(packets[place - 1], packets[place]) == 150)
        let request = try payload(packets[place], LL.ConnectInd.self)
        #expect(request.accessAddress.isValidForConnection)
        #expect(request.initiator == TestBed.address(0) && request.advertiser == TestBed.address(1))
        #expect(request.interval == 24 && request.latency == 0 && request.timeout == 100)
        #expect(request.channelMap == .all && (5...16).contains(request.hop))
        let data = packets[(place + 1)...]
        #expect(data.allSatisfy { $0.accessAddress == request.accessAddress })
        let first = try #require(data.first)
        // 1.25 ms after the end of CONNECT_IND, in units of 1.25 ms.
        let window = 1250 * (1 + Int64(request.windowOffset))
        #expect((window...(window + 1250 * Int64(request.windowSize))).contains(gap(packets[place], first)))
        let selection: LL.ChannelSelection =
            usesAlgorithm2 ? .algorithm2(request.accessAddress) : .algorithm1(hop: request.hop)
        for packet in data {
            let event = UInt64(packet.time.nanoseconds(since: first.time) / 30_000_000)
            #expect(packet.channel == selection.channel(ofEvent: event, in: .all))
        }
    }

    /// Link type 256: RF channel, signal, flags; PHY and direction in the flags.
    @Test func aPacketHasThePseudoHeader() throws {
        let pdu = hex("0100")
        let packet = AirPacket(
            time: Timestamp(nanoseconds: 0), channel: LL.Channel(rawValue: 11), phy: .leCoded,
            accessAddress: LL.AccessAddress(rawValue: 0x50C2_1A97), pdu: pdu, crc: LL.crc(of: pdu, initial: 1),
            signal: -60, traffic: .peripheral, sender: 1)
        let frame = packet.frame
        #expect(frame.count == 10 + 4 + 1 + 2 + 3)
        let header = try LL.RadioHeader(decoding: Array(frame[..<10]))
        #expect(header.radioChannel == 13 && header.signal == -60 && header.flags.phy == .leCoded)
        #expect(header.flags.pduType == 3 && header.referenceAccessAddress == packet.accessAddress)
        #expect(header.flags.has(0x0C13))
        var reader = ByteReader(frame.span)
        _ = try LL.RadioHeader(reading: &reader)
        let read = try LL.PacketHeader(reading: &reader, hasCodingIndicator: true)
        #expect(read.accessAddress == packet.accessAddress && read.codingIndicator == 0 && read.crc == packet.crc)
    }

    // MARK: - The sniffer's reception

    @Test func theSnifferMissesPacketsAndReceivesWrongBits() throws {
        func packets(loss: Double, damage: Double) -> [AirPacket] {
            var bed = TestBed(2)
            bed.radio.recordAir(loss: loss, damage: damage)
            bed.advertise()
            bed.pass(10_000)
            return bed.radio.finishAir()
        }
        let all = packets(loss: 0, damage: 0)
        #expect(all.count > 1000)
        #expect(packets(loss: 1, damage: 0).isEmpty)
        let heard = packets(loss: 0.3, damage: 0.2)
        #expect(Double(heard.count) / Double(all.count) > 0.6 && Double(heard.count) / Double(all.count) < 0.8)
        let damaged = heard.filter { !$0.isCRCValid }
        #expect(Double(damaged.count) / Double(heard.count) > 0.15)
        #expect(Double(damaged.count) / Double(heard.count) < 0.25)
        for packet in heard {
            #expect((LL.crc(of: packet.pdu, initial: LL.advertisingCRCInit) == packet.crc) == packet.isCRCValid)
            #expect(Int(packet.pdu[1]) == packet.pdu.count - 2)
        }
        // What is received whole is what was sent.
        #expect(Set(heard.filter(\.isCRCValid)).isSubset(of: all))
    }

    @Test func packetsComeInOrderAndOnce() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        _ = try bed.connected()
        bed.advertise(0)
        var taken: [AirPacket] = []
        for _ in 0..<200 {
            bed.pass(7)
            let now = bed.radio.now
            let packets = bed.radio.takeAir()
            #expect(packets.allSatisfy { $0.time <= now })
            taken += packets
        }
        let rest = bed.radio.finishAir()
        #expect(taken.count > rest.count && !rest.isEmpty)
        taken += rest
        #expect(taken.map(\.time) == taken.map(\.time).sorted())
        #expect(bed.radio.finishAir().isEmpty)
    }
}
