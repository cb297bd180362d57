package import Bluetooth
import Bytes
import Captures
import PluginKit

/// One of the attribute values in a PDU that can carry several.
package struct ListedValue: Sendable {
    package let handle: Handle
    /// Location of its bytes.
    package let piece: FrameMetadata.BufferRange
    /// Whether the PDU may have had no room for all of it.
    package let isPartial: Bool

    package init(handle: Handle, piece: FrameMetadata.BufferRange, isPartial: Bool) {
        self.handle = handle
        self.piece = piece
        self.isPartial = isPartial
    }
}

extension TrackedBatch {
    /// The values in a PDU that can carry several, in order; empty if their attributes cannot be determined.
    ///
    /// A Read Multiple Response contains values without their lengths: they are separated as far as `plugins` define
    /// that all values of an attribute have the same length.
    package func listedValues(of metadata: borrowing FrameMetadata, plugins: PluginSet = .none) -> [ListedValue] {
        guard let attribute = metadata.attribute, !metadata.packet.isCut, !metadata.notes.contains(.keyMaterial) else {
            return []
        }
        let pdu = metadata.attPDU
        // The values follow the opcode.
        guard pdu.place != .none, pdu.count > 1 else { return [] }
        let start = pdu.start + 1
        let bytes = pdu.place == .frame ? packets.bytes.span : reassembly.bytes.span
        let reader = ByteReader(bytes.extracting(start..<pdu.range.upperBound), origin: start)
        var list = ListReader(reader: reader, place: pdu.place)
        let request = request(of: metadata)
        switch attribute.opcode {
        case .readByTypeResponse:
            guard let type = request?.type, !UUID.declarations.contains(type) else { break }
            list.readPairs(isCut: metadata.notes.contains(.partialValue))
        case .readMultipleVariableResponse: list.readVariable(handles(of: request))
        case .multipleHandleValueNotification: list.readNotification()
        case .readMultipleResponse:
            let contents = tableVersions[attribute.tableVersion]
            let plugin = matches[attribute.tableVersion]?.plugin ?? -1
            list.readMultiple(handles(of: request), isCut: metadata.notes.contains(.partialValue)) { handle in
                let type = contents?.attribute(at: handle)?.0.type
                return type.flatMap { plugins.readLength(of: $0, plugin: plugin) }
            }
        default: break
        }
        return list.values
    }

    /// The handles in a Read Multiple Request.
    package func handles(of request: RequestFacts?) -> [Handle] {
        guard let request, request.handles.place == .reassembled else { return [] }
        var reader = ByteReader(reassembly.bytes.span.extracting(request.handles.range))
        var handles: [Handle] = []
        while let handle = try? reader.read(ATT.Fields.handle, as: Handle.self) { handles.append(handle) }
        return handles
    }
}

/// Reads lists of values; an incomplete element ends the list.
private struct ListReader: ~Copyable, ~Escapable {
    package var reader: ByteReader
    /// The buffer that the reader's offsets refer to.
    let place: FrameMetadata.BufferRange.Place
    private(set) var values: [ListedValue] = []

    @_lifetime(copy reader)
    init(reader: consuming ByteReader, place: FrameMetadata.BufferRange.Place) {
        self.reader = reader
        self.place = place
    }

    /// Reads the next bytes as a value.
    @_lifetime(self: copy self)
    private mutating func take(_ count: Int, of handle: Handle, isPartial: Bool = false) {
        let piece = FrameMetadata.BufferRange(place: place, start: reader.offset, count: count)
        guard (try? reader.skip(ATT.Fields.value, count: count)) != nil else { return reader.passRest() }
        values.append(ListedValue(handle: handle, piece: piece, isPartial: isPartial))
    }

    @_lifetime(self: copy self)
    private mutating func readLength() -> Int? {
        (try? reader.read(ATT.Fields.length, as: UInt16.self)).map { Int($0) }
    }

    /// Handles and values, all of one length (Vol 3, Part F, 3.4.4.2).
    @_lifetime(self: copy self)
    mutating func readPairs(isCut: Bool) {
        guard let length = try? reader.read(ATT.Fields.length, as: UInt8.self), length >= 2 else { return }
        while let handle = try? reader.read(ATT.Fields.handle, as: Handle.self) {
            take(Int(length) - 2, of: handle, isPartial: isCut)
        }
    }

    /// Lengths and values (Vol 3, Part F, 3.4.4.12); the last value may be cut.
    @_lifetime(self: copy self)
    mutating func readVariable(_ handles: [Handle]) {
        for handle in handles {
            guard let length = readLength() else { return }
            take(min(length, reader.remaining), of: handle, isPartial: length > reader.remaining)
        }
    }

    /// Handles, lengths and values (Vol 3, Part F, 3.4.7.4).
    @_lifetime(self: copy self)
    mutating func readNotification() {
        while let handle = try? reader.read(ATT.Fields.handle, as: Handle.self), let length = readLength() {
            take(length, of: handle)
        }
    }

    /// Values only (Vol 3, Part F, 3.4.4.8), whose lengths depend on their handles; all remaining bytes belong to the
    /// last one.
    @_lifetime(self: copy self)
    mutating func readMultiple(_ handles: [Handle], isCut: Bool, length: (Handle) -> Int?) {
        for handle in handles.dropLast() {
            guard let count = length(handle) else { return }
            take(count, of: handle)
        }
        if let last = handles.last, !reader.isAtEnd { take(reader.remaining, of: last, isPartial: isCut) }
    }
}

extension UUID {
    /// Types of attributes that describe others (Vol 3, Part G, 3.1 to 3.3.1).
    fileprivate static let declarations: Set<UUID> = [.primaryService, .secondaryService, .include, .characteristic]
}
