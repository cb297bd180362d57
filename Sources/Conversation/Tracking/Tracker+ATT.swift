import Bluetooth
import Bytes
import Captures
import PluginKit

extension Tracker {
    /// Tracks an ATT PDU in `range` of `bytes`. For a PDU that the recorder cut, it tracks the opcode, the handles and
    /// the pairing of requests and responses, but no values.
    mutating func trackATT(
        _ bytes: [UInt8], _ range: Range<Int>, _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        guard !range.isEmpty else { return }
        let pdu = bytes.span.extracting(range).rawBytes
        let opcode = ATT.Opcode(rawValue: pdu.byte(at: 0))
        metadata.begin(opcode)
        guard let shape = ATT.Opcode.table.shape(of: opcode) else { return trackUnknown(opcode, metadata, connection) }
        if shape.handle == .one, pdu.byteCount >= 3 { metadata.att.handle = Handle(pdu.littleEndian(at: 1)) }
        if let offset = shape.valueOffset, pdu.byteCount >= offset, !metadata.packet.isCut {
            metadata.att.setValue(at: offset, count: pdu.byteCount - offset)
        }
        let direction = metadata.direction
        switch shape.kind {
        case .request: trackRequest(bytes, range, &metadata, connection, &reassembly)
        case .response: trackResponse(bytes, range, &metadata, connection, &reassembly)
        case .command: metadata.att.tableVersion = tableVersion(of: connection, sendingIn: direction.opposite)
        case .notification: metadata.att.tableVersion = tableVersion(of: connection, sendingIn: direction)
        case .indication:
            metadata.att.tableVersion = tableVersion(of: connection, sendingIn: direction)
            directions[connection, direction].bearer.indication.ask(RequestFacts(metadata))
            trackServiceChanged(bytes, range, metadata.att, connection, direction)
        case .confirmation:
            metadata.att.tableVersion = tableVersion(of: connection, sendingIn: direction.opposite)
            let asked = DirectionIndex(connection, direction.opposite)
            guard directions[asked].bearer.indication.isOpen else { return }
            directions[asked].bearer.indication.close()
            Self.answer(&metadata, directions[asked].bearer.indication.metadata, &reassembly)
        }
        let knownKeyMaterial =
            summaries[connection, direction].watched.keyMaterial
            | summaries[connection, direction.opposite].watched.keyMaterial
        if knownKeyMaterial != 0 || shape.listsValues,
            concernsKeyMaterial(metadata, shape.kind, connection, reassembly)
        {
            metadata.notes.insert(.keyMaterial)
            learnKeyMaterial(bytes, range, metadata, connection, reassembly)
        }
    }

    /// Tracks an ATT PDU of an enhanced bearer, whose state replaces that of the fixed channel meanwhile.
    mutating func trackATT(
        _ bytes: [UInt8], _ range: Range<Int>, onBearer number: UInt8, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        guard var bearer = openConnections[connection].bearers[number] else { return }
        exchange(&bearer, connection)
        trackATT(bytes, range, &metadata, connection, &reassembly)
        exchange(&bearer, connection)
        openConnections[connection].bearers[number] = bearer
    }

    private mutating func exchange(_ bearer: inout EnhancedBearer, _ connection: OpenConnection.Index) {
        for (number, place) in connection.directions.enumerated() {
            swap(&directions[place].bearer, &bearer.directions[number])
        }
        swap(&openConnections[connection].record.mtu, &bearer.mtu)
    }

    /// Tracks an unknown PDU that is not a command as a request: the server answers it with an error (Vol 3, Part F,
    /// 3.3).
    private mutating func trackUnknown(
        _ opcode: ATT.Opcode, _ metadata: FrameMetadata, _ connection: OpenConnection.Index
    ) {
        guard !opcode.isCommand, !directions[connection, metadata.direction].bearer.request.isOpen else { return }
        directions[connection, metadata.direction].bearer.request.ask(RequestFacts(metadata))
    }

    private mutating func trackRequest(
        _ bytes: [UInt8], _ range: Range<Int>, _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let direction = metadata.direction
        let pdu = bytes.span.extracting(range).rawBytes
        metadata.att.tableVersion = tableVersion(of: connection, sendingIn: direction.opposite)
        noteOverlap(&metadata, DirectionIndex(connection, direction))
        var request = RequestFacts(metadata)
        if request.opcode.hasHandleRange, range.count >= 5 {
            request.setRange(pdu.littleEndian(at: 1), pdu.littleEndian(at: 3))
        }
        if !metadata.packet.isCut { trackContents(of: &request, bytes, range, &metadata, connection, &reassembly) }
        directions[connection, direction].bearer.request.ask(request)
    }

    /// Tracks the contents of a request besides its handles.
    private mutating func trackContents(
        of request: inout RequestFacts, _ bytes: [UInt8], _ range: Range<Int>, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index, _ reassembly: inout ReassemblyBuffers
    ) {
        let direction = metadata.direction
        let pdu = bytes.span.extracting(range).rawBytes
        switch request.opcode {
        case .readByTypeRequest, .readByGroupTypeRequest:
            request.type = UUID(wire: pdu.extracting(droppingFirst: 5))
        case .findByTypeValueRequest where pdu.byteCount >= 7:
            request.type = UUID(wire: pdu.extracting(5..<7))
            request.value = UUID(wire: pdu.extracting(droppingFirst: 7))
        case .readBlobRequest where range.count >= 5: request.offset = pdu.littleEndian(at: 3)
        case .readMultipleRequest, .readMultipleVariableRequest:
            let handles = Array(bytes[range].dropFirst().prefix(2 * Self.askedLimit))
            directions[connection, direction].bearer.askedHandles = handles
        case .prepareWriteRequest:
            guard range.count >= 5 else { break }
            directions[connection, direction].queuedWrite.add(
                bytes[(range.lowerBound + 5)..<range.upperBound], at: Int(pdu.littleEndian(at: 3, as: UInt16.self)),
                of: request.handle)
        case .executeWriteRequest:
            let whole = directions[connection, direction].queuedWrite.take()
            guard let whole, range.count >= 2, pdu.byte(at: 1) == 1 else { break }
            metadata.att.handle = whole.handle
            request.handle = whole.handle
            Self.keepLong(whole.value, &metadata, &reassembly)
        case .exchangeMTURequest where range.count >= 3:
            request.offeredMTU = pdu.littleEndian(at: 1)
        default: break
        }
    }

    private mutating func trackResponse(
        _ bytes: [UInt8], _ range: Range<Int>, _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let direction = metadata.direction
        let pdu = bytes.span.extracting(range).rawBytes
        metadata.att.tableVersion = tableVersion(of: connection, sendingIn: direction)
        if metadata.att.opcode.operation == .read, !metadata.packet.isCut { reassembly.noteRead() }
        if metadata.att.opcode == .errorResponse, pdu.byteCount >= 4 {
            metadata.att.handle = Handle(pdu.littleEndian(at: 2))
        }
        let asked = DirectionIndex(connection, direction.opposite)
        guard let request = takeRequest(answeredBy: pdu, metadata, connection) else {
            metadata.notes.insert(.unasked)
            return
        }
        Self.answer(&metadata, request, &reassembly)
        let isAmbiguous = directions[asked].bearer.isOverlapped
        if isAmbiguous { reassembly.requests[Int(metadata.att.request)].isAmbiguous = true }
        if request.opcode.isSettledWrite {
            let outcome: WriteOutcome =
                metadata.att.opcode != .errorResponse ? .accepted : .refused(pdu.byteCount >= 5 ? pdu.byte(at: 4) : 0)
            settleWrite(request, isAmbiguous ? .unknown : outcome)
        }
        if !directions[asked].bearer.request.isOpen { directions[asked].bearer.isOverlapped = false }
        if metadata.packet.isCut { return trackPart(bytes, range, request, connection, direction) }
        switch metadata.att.opcode {
        case .writeResponse, .errorResponse: break
        case .exchangeMTUResponse where pdu.byteCount >= 3:
            let agreed = min(request.offeredMTU, pdu.littleEndian(at: 1))
            let mtu = max(UInt16(ATT.defaultMTU), agreed)
            // An enhanced bearer has the MTU of its channel (Vol 3, Part G, 5.3.1).
            if metadata.segment == nil, mtu != openConnections[connection].record.mtu {
                apply(.mtu(mtu), to: connection, metadata, &reassembly)
            }
        case .readResponse, .readBlobResponse:
            let value = (range.lowerBound + 1)..<range.upperBound
            trackRead(bytes, value, reassembly.requests[Int(metadata.att.request)], &metadata, connection, &reassembly)
        case .readByGroupTypeResponse, .readByTypeResponse, .findInformationResponse, .findByTypeValueResponse:
            trackDiscovery(bytes, range, reassembly.requests[Int(metadata.att.request)], connection, direction)
            noteCut(bytes, range, &metadata, connection)
        case .readMultipleResponse, .readMultipleVariableResponse:
            let handles = reassembly.append(directions[asked].bearer.askedHandles)
            reassembly.requests[Int(metadata.att.request)].handles = handles
            noteCut(bytes, range, &metadata, connection)
        default: break
        }
    }

    /// Tracks the part of a response that the recorder kept: the whole entries of a list of attributes.
    private mutating func trackPart(
        _ bytes: [UInt8], _ range: Range<Int>, _ request: RequestFacts, _ connection: OpenConnection.Index,
        _ direction: Direction
    ) {
        guard range.count >= 2 else { return }
        let second = Int(bytes[range.lowerBound + 1])
        let (start, size): (Int, Int)
        switch ATT.Opcode(rawValue: bytes[range.lowerBound]) {
        case .readByGroupTypeResponse, .readByTypeResponse: (start, size) = (2, second)
        case .findInformationResponse: (start, size) = (2, second == 1 ? 4 : 18)
        case .findByTypeValueResponse: (start, size) = (1, 4)
        default: return
        }
        guard size > 0, range.count >= start + size else { return }
        let entries = (range.count - start) / size
        trackDiscovery(bytes, range.prefix(start + entries * size), request, connection, direction)
    }

    /// Handles kept of a Read Multiple Request.
    private static let askedLimit = 256

    /// Records that a value in a list of values fills the PDU and may thus be incomplete (Vol 3, Part F, 3.4.4.2 and
    /// 3.4.4.8).
    private func noteCut(
        _ bytes: [UInt8], _ range: Range<Int>, _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index
    ) {
        let mtu = Int(openConnections[connection].record.mtu)
        let isFull =
            switch ATT.Opcode(rawValue: bytes[range.lowerBound]) {
            case .readByTypeResponse where range.count >= 2:
                Int(bytes[range.lowerBound + 1]) >= min(mtu - 2, Int(UInt8.max))
            case .readMultipleResponse: range.count >= mtu
            default: false
            }
        if isFull { metadata.notes.insert(.partialValue) }
    }

    /// Records the outcome of a write, as the current frame shows it.
    private mutating func settleWrite(_ request: RequestFacts, _ outcome: WriteOutcome) {
        settledWrites.append(SettledWrite(request: request.frame, outcome: outcome, frame: currentFrame))
    }

    /// Records that the pending writes of a closed connection get no response.
    mutating func settleWrites(of connection: OpenConnection.Index) {
        for place in connection.directions { settleWrites(of: directions[place].bearer) }
        for bearer in openConnections[connection].bearers.values {
            for place in bearer.directions.indices { settleWrites(of: bearer.directions[place]) }
        }
    }

    private mutating func settleWrites(of bearer: BearerState) {
        guard bearer.request.isOpen else { return }
        for request in bearer.olderRequests + [bearer.request.metadata] where request.opcode.isSettledWrite {
            settleWrite(request, .unknown)
        }
    }

    /// Links a response to its request.
    @inline(__always)
    private static func answer(
        _ metadata: inout FrameMetadata, _ request: RequestFacts, _ reassembly: inout ReassemblyBuffers
    ) {
        if metadata.att.handle.rawValue == 0 { metadata.att.handle = request.handle }
        let index = reassembly.requests.count
        metadata.att.request = Int32(index)
        reassembly.requests.append(request)
        reassembly.requests[index].latency = max(.zero, metadata.packet.time - request.time)
    }

    /// Stores a value that ends with a frame, after the SDU that does, if there is one.
    private static func keepLong(
        _ value: [UInt8], _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        metadata.longValue = keep(value, in: &reassembly)
        guard metadata.sdu.isPresent else { return }
        metadata.sdu = FrameMetadata.BufferRange(
            place: .reassembled, start: metadata.sdu.start, count: reassembly.bytes.count - metadata.sdu.start)
    }

    static func keep(_ value: [UInt8], in reassembly: inout ReassemblyBuffers) -> FrameMetadata.BufferRange {
        let start = reassembly.bytes.count
        reassembly.bytes.append(contentsOf: value)
        return FrameMetadata.BufferRange(place: .reassembled, start: start, count: value.count)
    }
}

// MARK: - Values that describe the server

extension Tracker {
    /// Tracks a value that was read: assembles long values, and records a device's name and Database Hash.
    private mutating func trackRead(
        _ bytes: [UInt8], _ value: Range<Int>, _ request: RequestFacts, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let direction = metadata.direction
        let mtu = Int(openConnections[connection].record.mtu)
        let isFull = value.count >= mtu - 1
        if request.opcode == .readBlobRequest || isFull {
            let offset = request.opcode == .readBlobRequest ? Int(request.offset) : 0
            metadata.notes.insert(.partialValue)
            directions[connection, direction].longRead.add(bytes[value], at: offset, of: request.handle)
            if !isFull, offset > 0, let whole = directions[connection, direction].longRead.take() {
                Self.keepLong(whole.value, &metadata, &reassembly)
            }
        }
        if value.count == 5 || value.count == 19, !isFull, request.offset == 0,
            trackDeclaration(bytes[value], request.handle, connection, direction)
        {
            metadata.notes.insert(.declaration)
        }
        let watched = summaries[connection, direction].watched
        if request.handle.rawValue == 0 { return }
        if request.handle.rawValue == watched.deviceName, request.opcode == .readRequest {
            name(connection, direction, bytes[value])
        } else if request.handle.rawValue == watched.databaseHash {
            noteHash(connection, direction, bytes[value])
        }
    }

    /// Learns from a value that a client read by its handle, if that is a characteristic declaration (Vol 3, Part G,
    /// 3.3.1), and returns whether it is.
    private mutating func trackDeclaration(
        _ value: ArraySlice<UInt8>, _ handle: Handle, _ connection: OpenConnection.Index, _ direction: Direction
    ) -> Bool {
        let tableVersion = summaries[connection, direction].tableVersion
        // Most values of that length are not declarations; the handle in a declaration is greater than the
        // declaration's own.
        let first = value.startIndex
        guard tableVersion.isKnown, UInt16(value[first + 1]) | UInt16(value[first + 2]) << 8 > handle.rawValue,
            let known = knowledge.attribute(at: handle, of: tableVersion)?.0, known.type == .characteristic,
            let declaration = try? GATT.CharacteristicDeclaration(decoding: Array(value))
        else { return false }
        let characteristic = GATT.Table.Characteristic(declaration, at: handle)
        if known.kind != .characteristic(characteristic) {
            learn(.characteristic(characteristic), connection, direction)
        }
        return true
    }

    private mutating func name(_ connection: OpenConnection.Index, _ direction: Direction, _ value: ArraySlice<UInt8>) {
        let device = device(of: connection, sendingIn: direction)
        guard device >= 0, !value.isEmpty else { return }
        devices.update(device) { $0.name = Device.name(value) }
    }

    private mutating func noteHash(
        _ connection: OpenConnection.Index, _ direction: Direction, _ value: ArraySlice<UInt8>
    ) {
        let device = device(of: connection, sendingIn: direction)
        let tableVersion = summaries[connection, direction].tableVersion
        guard device >= 0, tableVersion.isKnown, value.count == 16 else { return }
        let hash = Array(value)
        switch knowledge.noteHash(tableVersion, hash, previous: devices[device].databaseHash) {
        case .agrees: break
        case .endsEarlier: watch(connection, direction)
        case .contradicts:
            _ = knowledge.noteHash(replaceTableVersion(connection, direction, earlier: nil), hash, previous: nil)
        }
        devices.update(device) { $0.databaseHash = hash }
    }

    /// Tracks Service Changed: earlier knowledge of the range is no longer valid (Vol 3, Part G, 7.1).
    private mutating func trackServiceChanged(
        _ bytes: [UInt8], _ range: Range<Int>, _ attribute: AttributeFacts, _ connection: OpenConnection.Index,
        _ direction: Direction
    ) {
        let summary = summaries[connection, direction]
        let watched = summary.watched.serviceChanged
        guard watched != 0, attribute.handle.rawValue == watched, range.count == 7 else { return }
        let value = range.lowerBound + 3
        let start = Handle(UInt16(bytes[value]) | UInt16(bytes[value + 1]) << 8)
        let end = Handle(UInt16(bytes[value + 2]) | UInt16(bytes[value + 3]) << 8)
        guard start <= end else { return }
        knowledge.settle(summary.tableVersion)
        use(knowledge.split(summary.tableVersion, forgetting: start...end), connection, direction)
    }
}

// MARK: - Tables

extension Tracker {
    /// The table version of the server that sends in a direction, opened on first use.
    private mutating func tableVersion(
        of connection: OpenConnection.Index, sendingIn direction: Direction
    ) -> TableVersion {
        let tableVersion = summaries[connection, direction].tableVersion
        return tableVersion.isKnown ? tableVersion : openTableVersion(connection, direction)
    }

    private mutating func openTableVersion(
        _ connection: OpenConnection.Index, _ direction: Direction
    ) -> TableVersion {
        let device = device(of: connection, sendingIn: direction)
        let address = device >= 0 ? devices[device].address : nil
        let isBREDR = openConnections[connection].isBREDR
        let before: TableVersion =
            device < 0 ? .unknown : isBREDR ? devices[device].bredrTableVersion : devices[device].leTableVersion
        if before.isKnown {
            settle(DirectionIndex(connection, direction))
            return use(knowledge.open(device, after: before), connection, direction)
        }
        // A table imported without an address is not meant for the local host or the central.
        let table = direction == .sent ? address.flatMap { imported.byAddress[$0] } : imported[address]
        return replaceTableVersion(
            connection, direction, earlier: table, confidence: table == nil ? .remembered : .imported)
    }

    private mutating func replaceTableVersion(
        _ connection: OpenConnection.Index, _ direction: Direction, earlier: GATT.Table?,
        confidence: GATT.Confidence = .remembered
    ) -> TableVersion {
        settle(DirectionIndex(connection, direction))
        let device = device(of: connection, sendingIn: direction)
        return use(knowledge.open(device, earlier: earlier, confidence: confidence), connection, direction)
    }

    /// Makes a table version the current one of the server that sends in a direction.
    @discardableResult
    private mutating func use(
        _ tableVersion: TableVersion, _ connection: OpenConnection.Index, _ direction: Direction
    ) -> TableVersion {
        summaries[connection, direction].tableVersion = tableVersion
        watch(connection, direction)
        let device = device(of: connection, sendingIn: direction)
        guard device >= 0 else { return tableVersion }
        let isBREDR = openConnections[connection].isBREDR
        devices.update(device) {
            if isBREDR { $0.bredrTableVersion = tableVersion } else { $0.leTableVersion = tableVersion }
        }
        return tableVersion
    }

    /// Updates the handles of the values that the tracker monitors.
    private mutating func watch(_ connection: OpenConnection.Index, _ direction: Direction) {
        summaries[connection, direction].watched = knowledge.watched(summaries[connection, direction].tableVersion)
    }

    /// Adds an entry that discovery showed; an entry that contradicts the same span's discovery starts a new span.
    private mutating func learn(_ entry: GATT.Table.Entry, _ connection: OpenConnection.Index, _ direction: Direction) {
        switch knowledge.learn(summaries[connection, direction].tableVersion, entry) {
        case .agrees, .endsEarlier: break
        case .contradicts: _ = knowledge.learn(replaceTableVersion(connection, direction, earlier: nil), entry)
        }
        watch(connection, direction)
    }

    /// Learns from a discovery response (Vol 3, Part G, 4.4 to 4.7), unless the effect of the same response is known
    /// from another server.
    private mutating func trackDiscovery(
        _ bytes: [UInt8], _ range: Range<Int>, _ request: RequestFacts, _ connection: OpenConnection.Index,
        _ direction: Direction
    ) {
        let tableVersion = summaries[connection, direction].tableVersion
        // Responses to Read By Type contain values, except for characteristic declarations.
        let isOfTable =
            ATT.Opcode(rawValue: bytes[range.lowerBound]) != .readByTypeResponse || request.type == .characteristic
        guard isOfTable, let stage = knowledge.stage(of: tableVersion) else {
            return readDiscovery(bytes, range, request, connection, direction)
        }
        if knowledge.learn(tableVersion, bytes.span.extracting(range).rawBytes, to: request) {
            return watch(connection, direction)
        }
        readDiscovery(bytes, range, request, connection, direction)
        guard summaries[connection, direction].tableVersion == tableVersion else { return }
        knowledge.note(tableVersion, Array(bytes[range]), to: request, after: stage)
    }

    private mutating func readDiscovery(
        _ bytes: [UInt8], _ range: Range<Int>, _ request: RequestFacts, _ connection: OpenConnection.Index,
        _ direction: Direction
    ) {
        let pdu = Array(bytes[range.dropFirst()])
        switch (ATT.Opcode(rawValue: bytes[range.lowerBound]), request.type) {
        case (.readByGroupTypeResponse, UUID.primaryService), (.readByGroupTypeResponse, UUID.secondaryService):
            for group in (try? ATT.ReadByGroupTypeResponse(decoding: pdu))?.groups ?? [] {
                guard let type = group.service, group.handle <= group.end else { continue }
                let service = GATT.Table.Service(start: group.handle, end: group.end, type: type)
                learn(.service(service), connection, direction)
            }
        case (.findByTypeValueResponse, UUID.primaryService):
            guard let type = request.value else { return }
            for group in (try? ATT.FindByTypeValueResponse(decoding: pdu))?.groups ?? [] where group.handle <= group.end
            {
                let service = GATT.Table.Service(start: group.handle, end: group.end, type: type)
                learn(.service(service), connection, direction)
            }
        case (.findInformationResponse, _):
            for entry in (try? ATT.FindInformationResponse(decoding: pdu))?.entries ?? [] {
                learn(.descriptor(GATT.Table.Descriptor(handle: entry.handle, type: entry.type)), connection, direction)
            }
        case (.readByTypeResponse, let type?):
            for entry in (try? ATT.ReadByTypeResponse(decoding: pdu))?.entries ?? [] {
                trackValue(entry, of: type, connection, direction)
            }
        default: break
        }
    }

    private mutating func trackValue(
        _ entry: ATT.ReadByTypeResponse.Entry, of type: UUID, _ connection: OpenConnection.Index, _ direction: Direction
    ) {
        switch type {
        case .characteristic:
            guard let declaration = try? GATT.CharacteristicDeclaration(decoding: entry.value) else { return }
            learn(.characteristic(GATT.Table.Characteristic(declaration, at: entry.handle)), connection, direction)
        case .deviceName: name(connection, direction, entry.value[...])
        case .databaseHash: noteHash(connection, direction, entry.value[...])
        default: break
        }
    }
}

extension GATT.Table.Characteristic {
    /// The characteristic that the declaration at a handle declares.
    fileprivate init(_ declaration: GATT.CharacteristicDeclaration, at handle: Handle) {
        self.init(
            declaration: handle, value: declaration.valueHandle, properties: declaration.properties,
            type: declaration.type)
    }
}
