import Bluetooth
import Bytes
import Captures
import PDUTestKit
import Radio
import TestKit
import Testing

@testable import Workbench

/// Captures of the virtual radio's air, in their files.
@Suite struct AirCaptureTests {
    /// Two controllers that connect, encrypt and exchange data; the second one advertises.
    private func recording(loss: Double = 0, damage: Double = 0) -> [AirPacket] {
        var radio = Radio(seed: 9, start: Timestamp(nanoseconds: 1_700_000_000_000_000_000))
        for number in 1...2 as ClosedRange<UInt64> {
            radio.add(ControllerConfiguration(address: Address(value: 0x0242_0000_0000 + number)))
        }
        radio.recordAir(loss: loss, damage: damage)
        func pass(_ milliseconds: Int64) {
            _ = radio.advance(to: radio.now.advanced(nanoseconds: milliseconds * 1_000_000))
        }
        func send(_ controller: Int, _ command: some HCI.Command) {
            _ = radio.send([1] + HCI.encode(command), to: controller)
        }
        let handle: ConnectionHandle = 0x0040
        let key = [UInt8](0..<16)
        send(
            1,
            HCI.LESetAdvertisingParameters(
                intervalMin: 0x20, intervalMax: 0x20, type: 0, ownType: .publicDevice, filterPolicy: 0))
        send(1, HCI.LESetAdvertisingData(data: [2, 1, 6]))
        send(1, HCI.LESetAdvertisingEnable(enable: true))
        pass(200)
        send(
            0,
            HCI.LECreateConnection(
                scanInterval: 0x10, scanWindow: 0x10, peerType: .publicDevice, peer: Address(value: 0x0242_0000_0002),
                ownType: .publicDevice,
                timing: HCI.ConnectionTiming(intervalMin: 24, intervalMax: 24, supervisionTimeout: 100)))
        pass(300)
        send(
            0,
            HCI.LEEnableEncryption(
                handle: handle, randomNumber: [UInt8](repeating: 0, count: 8), encryptedDiversifier: 0,
                longTermKey: key))
        pass(300)
        send(1, HCI.LELongTermKeyRequestReply(handle: handle, longTermKey: key))
        pass(300)
        // An ATT Read Request of handle 3.
        let read: [UInt8] = [3, 0, 4, 0, 0x0A, 3, 0]
        let header = HCI.ACLHeader(handle: handle, boundary: .firstNonFlushable, length: UInt16(read.count))
        _ = radio.send([2] + header.encoded + read, to: 0)
        pass(300)
        send(0, HCI.Disconnect(handle: handle, reason: .remoteUserTerminatedConnection))
        pass(300)
        return radio.finishAir()
    }

    private func write(_ packets: [AirPacket], to path: String) throws {
        let writer = try RadioRecorder.airWriter(path)
        for packet in packets { try writer.write(linkLayer: packet.frame, time: packet.time) }
        try writer.flush()
    }

    @Test(arguments: ["air.pcap", "air.pcapng"])
    func theFileHasThePackets(name: String) throws {
        let folder = try TemporaryFolder()
        let packets = recording()
        try #require(packets.count > 60)
        try write(packets, to: folder.path(name))
        let reader = try CaptureReader(path: folder.path(name))
        var read: [(time: Timestamp, frame: [UInt8])] = []
        while let batch = try reader.next() {
            for packet in batch.packets {
                #expect(packet.encapsulation == .linkLayerWithHeader)
                read.append((packet.time, Array(batch.bytes[packet.range])))
            }
        }
        #expect(read.map(\.time) == packets.map(\.time))
        #expect(read.map(\.frame) == packets.map(\.frame))
    }

    @Test(arguments: ["air.btsnoop", "air.pklg", "air.txt", "air"])
    func otherFormatsAreRefused(name: String) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: CaptureError.self) { _ = try RadioRecorder.airWriter(folder.path(name)) }
        #expect(error?.finding.advice == "use .pcap or .pcapng")
    }

    @Test func bothRecordingsNeedAFile() throws {
        let folder = try TemporaryFolder()
        var options = RadioOptions()
        options.record = folder.path("session.pcapng")
        options.air = AirOptions(path: folder.path("./session.pcapng"))
        let error = #expect(throws: CaptureError.self) { _ = try RadioJob(options) }
        #expect(error?.kind == .cannotWrite)
    }

    /// tshark reads the same channel, access address, direction and CRC, and no packet is malformed.
    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"), arguments: [0, 0.2])
    func tsharkReadsTheSame(damage: Double) throws {
        let folder = try TemporaryFolder()
        let packets = recording(damage: damage)
        let path = folder.path("air.pcapng")
        try write(packets, to: path)
        let rows = try Tshark.fields(
            ["btle_rf.channel", "btle.access_address", "btle_rf.flags.crc_valid", "btle_rf.signal_dbm"], of: path)
        try #require(rows.count == packets.count)
        for (row, packet) in zip(rows, packets) {
            #expect(row[0] == "\(packet.channel.radioChannel)")
            #expect(row[1] == "0x\(String(hex: packet.accessAddress.rawValue, digits: 8))")
            #expect(["1", "True"].contains(row[2]) == packet.isCRCValid)
            #expect(row[3] == "\(packet.signal)")
        }
        if damage == 0 { #expect(try Tshark.run(["-r", path, "-Y", "_ws.malformed || btle.crc.incorrect"]).isEmpty) }
    }
}
