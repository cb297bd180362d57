import Bluetooth
import Bytes
import Captures
import Conversation

/// Records of an HCI capture without an HCI packet: notes of the recorder and the host.
extension Dissector {
    /// Dissects the record body at the reader's position into the transport's layer.
    func dissectRecord(
        _ reader: inout ByteReader, _ transport: Int?, _ view: HCIView, _ metadata: FrameMetadata,
        _ frame: DissectedFrame
    ) {
        var undecoded = FrameFields.undecoded
        if let transport { frame.recorder.reopen(transport) }
        switch metadata.packet.encapsulation {
        case .monitor, .monitorWithHeader: dissectMonitor(&reader, MonitorOpcode(rawValue: view.recordType), frame)
        case .packetLogger:
            let type = PacketLoggerRecordType(rawValue: UInt8(truncatingIfNeeded: view.recordType))
            switch type.content {
            case .text: readText(&reader, as: FrameFields.packetLoggerText)
            case .undocumented: undecoded = FrameFields.undocumented
            case .hci, .linkManager: break
            }
        default: break
        }
        if let transport { frame.recorder.end(transport, offset: reader.offset) }
        skipUndecoded(&reader, as: undecoded)
    }

    /// Reads a Linux monitor record as far as its type is documented.
    private func dissectMonitor(_ reader: inout ByteReader, _ opcode: MonitorOpcode, _ frame: DissectedFrame) {
        do throws(DecodeError) {
            switch opcode {
            case .newIndex:
                _ = try reader.read(MonitorFields.bus, as: UInt8.self)
                _ = try reader.read(MonitorFields.type, as: UInt8.self)
                _ = try reader.readAddress(MonitorFields.address)
                try reader.skip(MonitorFields.adapterName, count: Self.adapterNameLength)
            case .indexInfo:
                _ = try reader.readAddress(MonitorFields.address)
                _ = try reader.read(MonitorFields.manufacturer, as: UInt16.self)
            case .systemNote: readText(&reader, as: MonitorFields.note)
            case .userLogging:
                _ = try reader.read(MonitorFields.priority, as: UInt8.self)
                let length = try reader.read(MonitorFields.identLength, as: UInt8.self)
                try reader.skip(MonitorFields.ident, count: Int(length))
                readText(&reader, as: MonitorFields.note)
            default: break
            }
        } catch {
            if !reader.isExpected(error) { frame.diagnoses.append(Diagnostic(error, in: MonitorFields.layer.name)) }
        }
    }

    /// Length of the adapter name in a New Index record, in bytes.
    private static let adapterNameLength = 8

    /// Reads a text that ends with the record or with zeros; bytes after a zero are left.
    private func readText(_ reader: inout ByteReader, as field: Field) {
        let bytes = reader.rest
        var length = 0
        while length < bytes.byteCount, bytes.byte(at: length) != 0 { length += 1 }
        var end = length
        while end < bytes.byteCount, bytes.byte(at: end) == 0 { end += 1 }
        // Zeros between two texts belong to neither.
        if end < bytes.byteCount { end = length }
        if end > 0 { try? reader.skip(field, count: end) }
    }
}
