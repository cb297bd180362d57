import Bluetooth
import Bytes
import Foundation
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Workbench

/// Messages in streams, checksums and number formats: tshark with an exported script decodes the same as `decode`, even
/// for invalid bytes.
@Suite(.enabled(if: LuaComparison.tshark != nil, "tshark is not installed"))
struct WiresharkStreamTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func streamsReadTheSame(seed: UInt64) async throws {
        let profile = try ProfileReader.read(Self.profile, file: "streams.yaml")
        let plugin = DevicePlugin(try CompiledProfile(profile))
        let folder = try TemporaryFolder()
        let file = try folder.file("streams.btsnoop", Self.session(of: plugin.profile, seed: seed))
        let comparison = try await LuaComparison(plugin, URL(filePath: file))
        #expect(comparison.differences == [])
        #expect(comparison.values > 1000)
    }

    /// A session in which each characteristic notifies a stream in fragments; some of its bytes are wrong.
    private static func session(of profile: CompiledProfile, seed: UInt64) throws -> [UInt8] {
        var random = SplitMix64(seed: seed)
        let session = HCISession()
        let link = session.connect(to: DeviceAddress(try #require(Address("c0:ff:ee:00:00:01")), .random))
        link.exchangeMTU(client: 247, server: 247)
        let service = try #require(profile.profile.services.first)
        let orders = try #require(service.characteristics.last)
        let first: UInt16 = 0x0010
        link.discoverServices(ServerLayout(first: first, .service(service.uuid)))
        var handles: [String: Handle] = [:]
        for (number, characteristic) in service.characteristics.enumerated() {
            let one = ServerLayout(
                first: first + 3 * UInt16(number), .service(service.uuid, .characteristic(characteristic.uuid, .notify))
            )
            link.discoverCharacteristics(one, one.services[0].start...one.services[0].end)
            handles[characteristic.name] = one[characteristic.uuid]
        }
        for message in profile.profile.messages {
            guard case .stream(let framing) = message.framing else { continue }
            var stream: [UInt8] = []
            for _ in 0..<30 { stream += try framing.encode(content(message, profile, &random)) }
            for index in stream.indices where random.next() % 150 == 0 { stream[index] = UInt8(random.next() & 0xFF) }
            while !stream.isEmpty {
                if random.next() % 6 == 0 {
                    link.write(try #require(handles[orders.name]), [UInt8(random.next() % 3)])
                }
                let count = min(stream.count, Int(random.next() % 40) + 1)
                link.notify(try #require(handles[message.characteristic]), Array(stream.prefix(count)))
                stream.removeFirst(count)
            }
        }
        return try session.recording.btsnoop()
    }

    private static func content(
        _ message: MessageDefinition, _ profile: CompiledProfile, _ random: inout SplitMix64
    ) throws -> [UInt8] {
        let record: Value = .record([
            "kind": .integer(Int64(random.next() % 4)),
            "made": .record([
                "week": .integer(Int64(random.next() % 64)), "year": .real(Double(2000 + random.next() % 128)),
                "trend": .real(Double(random.next() % 8) / 10 - 0.4), "mood": .integer(Int64(random.next() % 4)),
            ]),
            "speed": .real(Double(random.next() % 2000) / 10 - 100), "code": .integer(Int64(random.next() % 0x10000)),
            "half": .real(Double(random.next() % 0x100) / 2), "peer": .text("c0:ff:ee:00:12:34"),
        ])
        let content = try #require(profile.types["record"]).encode(record)
        return message.name == "sized" ? [UInt8(content.count)] + content : content
    }

    private static let profile = """
        profile: {id: streams, title: Streams, version: 1.0.0, format: 1}
        match: [{service: 11111111-0000-4000-8000-00805F9B34FB, weight: 100}]
        types:
          record:
            fields:
              - {name: kind, type: u8, range: [0, 2]}
              - name: made
                type: u24
                endian: big
                bits:
                  - {name: week, bits: [0, 5], range: [1, 53], special: {0: unknown}}
                  - {name: year, bits: [6, 12], scale: {offset: 2000}, range: [2000, 2100]}
                  - {name: trend, bits: [13, 15], signed: true, scale: {d: -1}}
                  - {name: mood, bits: [16, 17], special: {3: none}}
              - {name: speed, type: ascii_decimal, length: 6, decimals: 1, unit: km/h, range: [-50, 100]}
              - {name: code, type: ascii_hex, length: 4, special: {0: none}}
              - {name: half, type: ascii_hex, length: 2, scale: {b: -1}}
              - {name: peer, type: address, endian: big}
              - {name: sum, type: u16, checksum: {algorithm: sum, from: made, to: code}}
              - {name: negated, type: u16, endian: big, checksum: {algorithm: negated_sum, initial: 7}}
              - {name: xor, type: u8, checksum: {algorithm: xor, initial: 0x5A, final_xor: 0xFF}}
              - {name: crc8, type: u8, checksum: {algorithm: crc, polynomial: 0x31, reflected: true, from: made}}
              - {name: crc16, type: u16, checksum: {algorithm: crc16_modbus, to: peer}}
              - {name: crc24, type: u24, checksum: {algorithm: crc, polynomial: 0x864CFB, initial: 0xB704CE, to: half}}
              - {name: crc32, type: u32, endian: big, checksum: {algorithm: crc32}}
              - name: crc64
                type: u64
                checksum:
                  algorithm: crc
                  polynomial: 0x42F0E1EBA9EA3693
                  initial: 0xFFFFFFFFFFFFFFFF
                  reflected: true
                  final_xor: 0xFFFFFFFFFFFFFFFF
          sized: {fields: [{name: size, type: u8}, {name: record, type: record}]}
          raw: {fields: [{name: kind, type: u8}, {name: data, type: bytes}]}
          checked:
            switch: {name: kind, type: u8}
            cases:
              - {value: 0, name: zero, fields: [{name: data, type: bytes, length: length - 2},
                 {name: check, type: u8, checksum: {algorithm: sum, from: kind}}]}
            otherwise: {name: other, fields: [{name: data, type: bytes}]}
          order: {fields: [{name: code, type: u8}]}
        gatt:
          - service: 11111111-0000-4000-8000-00805F9B34FB
            name: streams
            characteristics:
              - {uuid: 11111112-0000-4000-8000-00805F9B34FB, name: flagged, properties: [notify]}
              - {uuid: 11111113-0000-4000-8000-00805F9B34FB, name: slipped, properties: [notify]}
              - {uuid: 11111114-0000-4000-8000-00805F9B34FB, name: sized, properties: [notify]}
              - {uuid: 11111115-0000-4000-8000-00805F9B34FB, name: fixed, properties: [notify]}
              - {uuid: 11111116-0000-4000-8000-00805F9B34FB, name: ended, properties: [notify]}
              - {uuid: 11111117-0000-4000-8000-00805F9B34FB, name: orders, properties: [write], value: order}
        messages:
          - name: flagged
            characteristic: flagged
            operation: notify
            stream: {start: 7E, end: 7E, escape: {byte: 7D, xor: 20}, at_most: 100}
            type: record
          - name: slipped
            characteristic: slipped
            operation: notify
            stream: {end: C0, escape: {byte: DB, codes: {DC: C0, DD: DB}}, at_most: 100}
            type: [{when: request.code == 1, type: raw}, {when: request.code == 2, type: checked}, {type: record}]
            request: orders
          - name: sized
            characteristic: sized
            operation: notify
            stream: {start: AA AA 55, end: 77, length: {at: 0, type: u8, add: 1}, at_most: 100}
            type: sized
          - name: fixed
            characteristic: fixed
            operation: notify
            stream: {start: DD, length: 45}
            type: record
          - name: ended
            characteristic: ended
            operation: notify
            stream: {end: 0D 0A 0D, at_most: 100}
            type: [{when: 'u8(0) == 3', type: raw}, {type: record}]
        """
}
