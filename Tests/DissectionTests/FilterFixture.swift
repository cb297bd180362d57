import Bluetooth
import Bytes
import Dissection
import PDUTestKit
import TestKit

/// A fictitious protocol with a field of every format.
enum Sample {
    static let layer = Field("test", "Test Protocol", .group)
    static let code = Field(
        "test.code", "Code", .hex(2),
        names: ValueNames([
            0x01: "Read Request", 0x1B: "Notification", 0x1D: "Indication", 0x40: "Vendor", 0x41: "Vendor",
        ]))
    static let handle = Field("test.handle", "Handle", .hex(4))
    static let start = Field("test.start", "Start", .hex(4))
    static let rssi = Field("test.rssi", "RSSI", .signed, unit: "dBm", size: 1)
    static let flags = Field("test.flags", "Flags", .hex(2))
    static let flag = Field("test.flags.more", "More", .boolean, mask: 0x80)
    static let level = Field("test.flags.level", "Level", .signed, mask: 0x07)
    static let value = Field("test.value", "Value", .bytes)
    static let name = Field("test.name", "Name", .text)
    static let address = Field("test.address", "Address", .address)
    static let uuid = Field("test.uuid", "UUID", .uuid128)
    static let temperature = Field("test.temperature", "Temperature", .number, unit: "°C")
    static let interval = Field("test.interval", "Interval", .decimal, unit: "ms", scale: 1.25)
    static let peer = Field("test.peer", "Peer", .text)
    static let sdu = Field("test.sdu", "SDU", .bytes)
    static let fragment = Field("test.fragment", "Fragment", .bytes)
    static let moveResult = Field("test.result", "Result", .hex(4), names: ValueNames([0: "Moved", 1: "Pending"]))
    static let updateResult = Field(
        "test.result", "Result", .hex(4), names: ValueNames([0: "Accepted", 1: "Rejected"]))
    static let absent = Field("test.absent", "Absent", .decimal)
    static let otherLayer = Field("other", "Other Protocol", .group)
    static let otherValue = Field("other.value", "Other Value", .bytes)

    static let catalog = FieldCatalog([
        layer, code, handle, start, rssi, flags, flag, level, value, name, address, uuid, temperature, interval, peer,
        sdu, fragment, moveResult, updateResult, absent, otherLayer, otherValue,
    ])

    static let frame = hex(
        """
        1b 1400 2000 1000 c4 87 0102030405 484f52495a4f4e20372e340000 665544332211
        fb349b5f80000080 00100000 0f180000 1800 0100
        """)
    static let sduBytes = hex("aabbcc")
    static let reassembledBytes = hex("ddeeff")

    static func record() throws(DecodeError) -> FieldRecorder {
        let recorder = FieldRecorder()
        try read(frame, recorder)
        recorder.add(temperature, value: 21.5.bitPattern, offset: 0, length: 1)
        recorder.addGenerated(peer, text: "Fire Tablet")
        recorder.buffer = .sdu
        recorder.add(sdu, value: 0, offset: 0, length: 3)
        recorder.buffer = .reassembled
        recorder.add(fragment, value: 0, offset: 1, length: 2)
        return recorder
    }

    private static func read(_ bytes: [UInt8], _ recorder: FieldRecorder) throws(DecodeError) {
        var reader = ByteReader(bytes.span, recorder: recorder)
        let group = reader.begin(layer)
        _ = try reader.read(code, as: UInt8.self)
        _ = try reader.read(handle, as: UInt16.self)
        _ = try reader.read(handle, as: UInt16.self)
        _ = try reader.read(start, as: UInt16.self)
        _ = try reader.read(rssi, as: Int8.self)
        let flags = try reader.read(Self.flags, as: UInt8.self)
        reader.recordBits(flags, [flag, level])
        try reader.skip(value, count: 5)
        try reader.skip(name, count: 13)
        _ = try reader.readAddress(address)
        _ = try reader.readUUID128(uuid)
        _ = try reader.read(interval, as: UInt16.self)
        _ = try reader.read(updateResult, as: UInt16.self)
        reader.end(group)
    }

    /// Whether the frame passes the filter.
    static func passes(_ text: String) throws -> Bool {
        let filter = try DisplayFilter(text, catalog: catalog)
        return passes(filter, try record(), frame, reassembledBytes, sduBytes)
    }

    static func passes(
        _ filter: DisplayFilter, _ recorder: FieldRecorder, _ frame: [UInt8], _ reassembled: [UInt8], _ sdu: [UInt8]
    ) -> Bool {
        filter.matches(
            FilterFrame(
                recorder, frame: frame.span.bytes, reassembled: reassembled.span.bytes, sdu: sdu.span.bytes,
                decrypted: RawSpan()))
    }
}
