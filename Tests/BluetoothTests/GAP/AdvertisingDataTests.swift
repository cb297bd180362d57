import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// The Aquavate puck's advertisement and scan response.
private let puck = hex("020106 03030f18 1107000000000000002d657461766b61756f 051206000600")
private let puckResponse = hex("0e09 41717561766174652d41334632")
private let puckService = UUID("6f75616b-7661-7465-2d00-000000000000")!

@Test func puckIsReadAndBuilt() throws {
    let data = GAP.AdvertisingData(decoding: puck)
    #expect(data.structures.map(\.type) == [.flags, .completeUUIDs16, .completeUUIDs128, .connectionIntervalRange])
    #expect(data.values(.flags, as: GAP.Flags.self) == [[.leGeneralDiscoverable, .bredrNotSupported]])
    #expect(data.values(.connectionIntervalRange) == [GAP.ConnectionIntervalRange(minimum: 6, maximum: 6)])
    let built = GAP.AdvertisingData([
        .flags([.leGeneralDiscoverable, .bredrNotSupported]), .serviceUUIDs16([UUID(0x180F)]),
        .serviceUUIDs128([puckService]), .connectionIntervalRange(6, 6),
    ])
    #expect(built.encoded == puck)
    #expect(GAP.AdvertisingData([.completeLocalName("Aquavate-A3F2")]).encoded == puckResponse)
}

@Test func nameAndServicesAreFoundInPlace() throws {
    #expect(services(puck) == [UUID(0x180F), puckService])
    #expect(services(puckResponse) == [])
    #expect(name(puck) == nil)
    #expect(name(puckResponse)?.name == "Aquavate-A3F2")
    #expect(name(puckResponse)?.isComplete == true)
    #expect(name(hex("0308 4142"))?.isComplete == false)
    #expect(name(hex("0308 4142 0409 414243"))?.name == "ABC")
    #expect(name(hex("0509 41424300"))?.name == "ABC")
    #expect(name(hex("0909 4142")) == nil)
    #expect(services(hex("0402 0f1801 0505 0f180000 0301 06")) == [UUID(0x180F), UUID(0x180F)])
}

private func name(_ bytes: [UInt8]) -> (name: String, isComplete: Bool)? {
    let reader = ByteReader(bytes.span)
    return GAP.localName(in: reader.rest)
}

private func services(_ bytes: [UInt8]) -> [UUID] {
    let reader = ByteReader(bytes.span)
    return GAP.serviceUUIDs(in: reader.rest)
}

/// The recorded fields and the faults of advertising data.
private func read(_ bytes: [UInt8]) -> (fields: [RecordedField], faults: [DecodeError]) {
    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, recorder: recorder)
    let faults = GAP.readAdvertisingData(&reader)
    let isAtEnd = reader.isAtEnd
    #expect(isAtEnd)
    return (recorder.fields, faults)
}

@Test func treeHasAnEntryForEveryStructure() {
    let (fields, faults) = read(puck)
    #expect(faults == [])
    let entries = fields.filter { $0.field.name == "btcommon.eir_ad.entry" }
    #expect(entries.map(\.offset) == [0, 3, 7, 25])
    #expect(entries.map(\.length) == [3, 4, 18, 6])
    #expect(entries.allSatisfy { $0.depth == 1 })
    #expect(fields.filter { $0.field.name == "btcommon.eir_ad.entry.type" }.map(\.value) == [1, 3, 7, 0x12])
    #expect(fields.filter { $0.field.name == "btcommon.eir_ad.entry.length" }.map(\.value) == [2, 3, 17, 5])
    let uuid = fields.first { $0.field.name == "btcommon.eir_ad.entry.uuid_16" }
    #expect(uuid.flatMap { $0.field.names?[$0.value] } == "Battery")
}

@Test func zeroLengthEndsTheData() {
    let (fields, faults) = read(hex("020106 00 0000"))
    #expect(faults == [])
    #expect(fields.last?.field.name == "btcommon.eir_ad.unused")
    #expect(fields.last?.length == 3)
}

@Test func overrunKeepsTheGoodPrefix() {
    let (fields, faults) = read(hex("020106 0509 414243"))
    #expect(faults.count == 1)
    #expect(faults.first?.offset == 4)
    #expect(faults.first?.needed == 5)
    #expect(faults.first?.available == 4)
    #expect(fields.contains { $0.field.name.hasSuffix("bredr_not_supported") })
    #expect(fields.last?.field.name == "btcommon.eir_ad.entry.data")
    #expect(fields.last?.length == 4)
}

@Test func aWrongValueDoesNotKeepTheNextFromBeingRead() {
    let (fields, faults) = read(hex("0212 06 020a f4"))
    #expect(faults.map(\.field) == ["Connection Interval Min"])
    #expect(faults.first?.lengthSource == "Length")
    #expect(fields.last?.field.name == "btcommon.eir_ad.entry.power_level")
    #expect(fields.contains { $0.field.name == "btcommon.eir_ad.entry.data" && $0.offset == 2 && $0.length == 1 })
}

@Test func unknownTypesAndExtraBytesAreData() {
    let (fields, faults) = read(hex("0377 0102 0301 06aa"))
    #expect(faults == [])
    let data = fields.filter { $0.field.name == "btcommon.eir_ad.entry.data" }
    #expect(data.map(\.offset) == [2, 7])
    #expect(data.map(\.length) == [2, 1])
}

@Test func everyPrefixIsRead() {
    for bytes in [puck, puckResponse, hex("0012"), hex("01ff"), hex("ff"), hex("01 01 03 16 0f18 02 16 0f")] {
        for count in 0...bytes.count {
            let (fields, faults) = read(Array(bytes[..<count]))
            #expect(faults.allSatisfy { $0.offset <= count })
            #expect(fields.allSatisfy { Int($0.offset) + Int($0.length) <= count })
        }
    }
}

@Test func anyAdvertisingDataAreRead() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
        let bytes = (0..<Int.random(in: 0..<80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let (fields, _) = read(bytes)
        #expect(fields.allSatisfy { Int($0.offset) + Int($0.length) <= bytes.count })
        for row in GAP.DataType.table.rows {
            guard let value = try? row.value.init(decoding: bytes) else { continue }
            #expect(bytes.starts(with: value.encoded))
        }
    }
}

/// A deterministic generator.
private struct SeededGenerator: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return seed ^ seed >> 29
    }
}

@Test func structureWritesWhatItReads() {
    #expect(WireFormatCheck.faults(GAP.AdvertisingStructure.self, hex("03 ff 4c00")) == [])
    #expect(GAP.AdvertisingData(decoding: hex("03ff4c00 05ff")).encoded == hex("03ff4c00"))
    #expect(GAP.AdvertisingData(decoding: puck)[.completeUUIDs16] == hex("0f18"))
    #expect(GAP.AdvertisingStructure.serviceData(UUID(0x180F), [100]).encoded == hex("04160f1864"))
    #expect(GAP.AdvertisingStructure.serviceData(UUID(0x1_180F), [100]).encoded == hex("06200f18010064"))
    #expect(GAP.AdvertisingStructure.serviceData(puckService, [1]).type == .serviceData128)
    #expect(GAP.AdvertisingStructure.manufacturerData(company: 0x4C, [2]).encoded == hex("04ff4c0002"))
    #expect(GAP.AdvertisingStructure.txPowerLevel(-4).encoded == hex("020afc"))
    #expect(GAP.AdvertisingStructure.appearance(Appearance(rawValue: 0xC1)).encoded == hex("0319c100"))
    #expect(GAP.AdvertisingStructure.shortenedLocalName("AB").encoded == hex("03084142"))
}
