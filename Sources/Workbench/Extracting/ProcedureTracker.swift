import Bluetooth
import Bytes
import Captures
import Conversation

/// Divides the frames of a capture into procedures: a request and its response, a discovery, a pairing, a command and its
/// events.
///
/// A procedure is named by the frame that begins it. A frame that belongs to no other is a procedure of its own.
struct ProcedureTracker {
    private(set) var outline = FrameOutline()
    private var connections: [Int32: ConnectionProcedures] = [:]
    var adapters: [UInt16: AdapterProcedures] = [:]
    private var advertised: [Int32: [Int]] = [:]
    private var encapsulations: (host: Bool, air: Bool) = (false, false)

    /// Connections, adapters and advertisers that are followed at one time.
    private static let (connectionLimit, adapterLimit, advertiserLimit) = (1024, 64, 100_000)
    /// Different advertising data of a device that count as new.
    private static let dataLimit = 8
    /// Fragments of a PDU that are added to its procedure.
    private static let partLimit = 16_384

    /// Procedures of a connection that are not complete.
    struct ConnectionProcedures {
        /// Fragments of the PDU in progress, by direction, and segments of SDUs, by channel and direction.
        var parts: [[Int]] = [[], [], []]
        var segments: [UInt32: [Int]] = [:]
        /// By direction of the requests: a discovery, a read of a long value, a queue of writes.
        var discovery: [Int?] = [nil, nil, nil]
        var longRead: [(handle: UInt16, procedure: Int)?] = [nil, nil, nil]
        var queuedWrite: [Int?] = [nil, nil, nil]
        /// L2CAP signaling requests, by direction and identifier.
        var signals: [UInt16: Int] = [:]
        /// The last procedure of the link layer that a control PDU began.
        var control: Int?
        var security: Security?

        /// A pairing, or a start of encryption.
        struct Security {
            var procedure: Int
            var isPairing = false
            var isEncrypted = false
        }
    }

    /// A step of a pairing or of a start of encryption.
    enum SecurityStep {
        case pairingRequest, encryptionStart, encrypted, other
    }

    /// Commands of an adapter that wait for their events.
    struct AdapterProcedures {
        /// By opcode.
        var commands: [HCI.Opcode: Int] = [:]
        /// By the event that ends the procedure, and the connection.
        var events: [HCIProcedures.Completion: Int] = [:]
        /// The last commands that set up a connection, by opcode.
        var setup: [HCI.Opcode: Int] = [:]
    }

    /// Adds the frames of a tracked batch.
    mutating func add(_ batch: borrowing TrackedBatch) {
        for index in batch.metadata.indices { add(batch.metadata[index], batch) }
    }

    /// Ends the capture and returns its outline.
    mutating func finish(_ tracker: Tracker) -> FrameOutline {
        outline.finish(tracker, isMixed: encapsulations.host && encapsulations.air)
        return outline
    }

    private mutating func add(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        let index = outline.frames.count
        var frame = FrameOutline.Frame(metadata, at: index)
        if metadata.packet.encapsulation.isLinkLayer { encapsulations.air = true } else { encapsulations.host = true }
        let views = batch.views(of: metadata).compactMap(\.frame)
        if !views.isEmpty { outline.views[metadata.packet.number] = views }
        if !metadata.notes.isDisjoint(with: [.duplicate, .badCRC, .retransmission]) {
            outline.frames.append(frame)
            return
        }
        switch metadata.kind {
        case .command, .event: addHCI(metadata, batch, index, &frame)
        case .acl, .data: addData(metadata, batch, index, &frame)
        case .control: addControl(metadata, batch, index, &frame)
        case .advertising, .auxiliary, .periodic:
            if metadata.connection >= 0 {
                frame.role = .connectionStart
            } else if let packet = batch.linkLayer(of: metadata) {
                let pdu = batch.packets.bytes[metadata.packet.range].dropFirst(packet.header.pdu.lowerBound)
                frame.role = role(ofAdvertising: Array(pdu.prefix(packet.header.pdu.count)).hashValue, metadata.sender)
            }
        default: break
        }
        outline.frames.append(frame)
    }

    /// The role of advertising data with a hash.
    mutating func role(ofAdvertising hash: Int, _ sender: Int32) -> FrameOutline.Role {
        guard sender >= 0 else { return .advertising }
        if advertised.count >= Self.advertiserLimit, advertised[sender] == nil { return .advertising }
        let known = advertised[sender, default: []]
        guard known.count < Self.dataLimit, !known.contains(hash) else { return .advertising }
        advertised[sender, default: []].append(hash)
        return .newAdvertising
    }

    /// Changes the state of a connection.
    mutating func withConnection<Result>(
        _ connection: Int32, _ body: (inout ConnectionProcedures, inout FrameOutline) -> Result
    ) -> Result {
        if connections.count >= Self.connectionLimit, connections[connection] == nil { connections.removeAll() }
        return body(&connections[connection, default: ConnectionProcedures()], &outline)
    }

    /// Forgets a connection that has ended.
    mutating func end(_ connection: Int32) { connections[connection] = nil }

    /// Changes the state of an adapter.
    mutating func withAdapter<Result>(
        _ adapter: UInt16, _ body: (inout AdapterProcedures, inout FrameOutline) -> Result
    ) -> Result {
        if adapters.count >= Self.adapterLimit, adapters[adapter] == nil { adapters.removeAll() }
        return body(&adapters[adapter, default: AdapterProcedures()], &outline)
    }

    mutating func setReporters(_ senders: [Int32], of index: Int) { outline.reporters[index] = senders }
}

// MARK: - Data

extension ProcedureTracker {
    private mutating func addData(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ index: Int, _ frame: inout FrameOutline.Frame
    ) {
        guard metadata.connection >= 0 else { return }
        let direction = Int(metadata.direction.rawValue)
        withConnection(metadata.connection) { state, outline in
            if metadata.notes.contains(.fragment) {
                if metadata.notes.contains(.unfinished) { state.parts[direction] = [] }
                Self.append(index, to: &state.parts[direction])
                frame.procedure = UInt32(state.parts[direction][0])
                return
            }
            guard metadata.pdu.isPresent else { return }
            var parts = state.parts[direction]
            state.parts[direction] = []
            let channel = UInt32(metadata.channel) << 2 | UInt32(direction)
            if metadata.notes.contains(.segment) {
                var segments =
                    metadata.segment?.isFirst == true ? [] : state.segments.removeValue(forKey: channel) ?? []
                for part in parts + [index] { Self.append(part, to: &segments) }
                frame.procedure = UInt32(segments[0])
                for part in parts { outline.frames[part].procedure = frame.procedure }
                if state.segments.count >= 64 { state.segments.removeAll() }
                state.segments[channel] = segments
                return
            }
            if let first = parts.first, frame.isOnAir { outline.fragmentedPDUs.append(first...index) }
            if metadata.segment?.endsSDU == true { parts = (state.segments.removeValue(forKey: channel) ?? []) + parts }
            (frame.procedure, frame.role) = state.classify(metadata, batch, beginningAt: parts.first ?? index, outline)
            for part in parts {
                outline.frames[part].procedure = frame.procedure
                outline.frames[part].role = frame.role
            }
        }
    }

    private static func append(_ index: Int, to parts: inout [Int]) {
        if parts.count < partLimit { parts.append(index) }
    }

    /// Follows a control PDU of the link layer (Vol 6, Part B, 5.1).
    private mutating func addControl(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ index: Int, _ frame: inout FrameOutline.Frame
    ) {
        guard metadata.connection >= 0 else { return }
        let first =
            metadata.plain.isPresent
            ? batch.bytes(of: metadata.plain).first : batch.linkLayerPayload(of: metadata)?.first
        guard metadata.plain.isPresent || metadata.notes.isDisjoint(with: [.encrypted, .undecidedEncryption]),
            let opcode = first.map({ LL.ControlOpcode(rawValue: $0) })
        else { return }
        withConnection(metadata.connection) { state, _ in
            switch opcode {
            case .encReq: frame.procedure = state.secure(.encryptionStart, at: index)
            case .startEncRsp: frame.procedure = state.secure(.encrypted, at: index)
            case .encRsp, .startEncReq, .pauseEncReq, .pauseEncRsp: frame.procedure = state.secure(.other, at: index)
            default:
                if !opcode.begins, let control = state.control { frame.procedure = UInt32(control) }
                state.control = Int(frame.procedure)
                frame.role = opcode == .terminateInd ? .connectionEnd : .parameters
                return
            }
            state.control = Int(frame.procedure)
            frame.role = .security
        }
    }
}

extension LL.ControlOpcode {
    /// Whether the PDU begins a procedure of the link layer, and answers none.
    fileprivate var begins: Bool {
        switch self {
        case .connectionUpdateInd, .channelMapInd, .terminateInd, .featureReq, .peripheralFeatureReq, .versionInd,
            .connectionParamReq, .pingReq, .lengthReq, .phyReq, .minUsedChannelsInd:
            true
        default: false
        }
    }
}

// MARK: - PDUs of L2CAP

extension ProcedureTracker.ConnectionProcedures {
    /// Adds a step of a pairing or of a start of encryption, and returns its procedure.
    mutating func secure(_ step: ProcedureTracker.SecurityStep, at index: Int) -> UInt32 {
        let begins =
            switch (step, security) {
            case (_, nil): true
            case (.pairingRequest, let security?): security.isPairing || security.isEncrypted
            case (.encryptionStart, let security?): security.isEncrypted
            case (.encrypted, _), (.other, _): false
            }
        var current = begins ? Security(procedure: index) : security ?? Security(procedure: index)
        if step == .pairingRequest { current.isPairing = true }
        if step == .encrypted { current.isEncrypted = true }
        security = current
        return UInt32(current.procedure)
    }

    /// The procedure and the role of a whole PDU, whose first fragment is at `start`.
    fileprivate mutating func classify(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, beginningAt start: Int,
        _ outline: borrowing FrameOutline
    ) -> (UInt32, FrameOutline.Role) {
        if metadata.attribute != nil { return classifyATT(metadata, batch, beginningAt: start, outline) }
        let payload = batch.bytes(of: metadata.pdu).dropFirst(4)
        guard let code = payload.first else { return (UInt32(start), .other) }
        switch L2CAP.ChannelID(rawValue: metadata.channel) {
        case .smp, .bredrSMP:
            let step: ProcedureTracker.SecurityStep =
                SMP.Opcode(rawValue: code) == .pairingRequest ? .pairingRequest : .other
            // A Security Request asks for a pairing or for encryption; it belongs to no earlier one.
            if SMP.Opcode(rawValue: code) == .securityRequest { security = nil }
            return (secure(step, at: start), .security)
        case .leSignaling, .signaling:
            return classifySignal(L2CAP.CommandCode(rawValue: code), payload, metadata, start)
        default: return (UInt32(start), .other)
        }
    }

    /// Follows signaling (Vol 3, Part A, 4): a response has the identifier of its request.
    private mutating func classifySignal(
        _ code: L2CAP.CommandCode, _ payload: ArraySlice<UInt8>, _ metadata: FrameMetadata, _ start: Int
    ) -> (UInt32, FrameOutline.Role) {
        let isUpdate = code == .connectionParameterUpdateRequest || code == .connectionParameterUpdateResponse
        let role: FrameOutline.Role = isUpdate ? .parameters : .channel
        guard let identifier = payload.dropFirst().first else { return (UInt32(start), role) }
        func key(_ direction: Direction) -> UInt16 { UInt16(direction.rawValue) << 8 | UInt16(identifier) }
        if L2CAP.CommandCode.table[code]?.response != nil {
            signals[key(metadata.direction)] = start
            return (UInt32(start), role)
        }
        return (UInt32(signals.removeValue(forKey: key(metadata.direction.opposite)) ?? start), role)
    }

    private mutating func classifyATT(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, beginningAt start: Int,
        _ outline: borrowing FrameOutline
    ) -> (UInt32, FrameOutline.Role) {
        guard let attribute = metadata.attribute, let shape = ATT.Opcode.table.shape(of: attribute.opcode) else {
            return (UInt32(start), .other)
        }
        switch shape.kind {
        case .request:
            let pdu = batch.bytes(of: metadata.attPDU)
            return classifyRequest(attribute, pdu, Int(metadata.direction.rawValue), start)
        case .response, .confirmation:
            guard let request = batch.request(of: metadata), let asked = outline.index(ofFrame: request.frame) else {
                return (UInt32(start), .other)
            }
            return (outline.frames[asked].procedure, outline.frames[asked].role)
        case .command: return (UInt32(start), .write)
        case .indication: return (UInt32(start), .indication)
        case .notification: return (UInt32(start), .other)
        }
    }

    private mutating func classifyRequest(
        _ attribute: AttributeFacts, _ pdu: ArraySlice<UInt8>, _ direction: Int, _ start: Int
    ) -> (UInt32, FrameOutline.Role) {
        let handle = attribute.handle.rawValue
        let isDiscovery =
            switch attribute.opcode {
            case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest: true
            case .readByTypeRequest:
                [UUID.characteristic, .include].contains(UUID(wire: Array(pdu.dropFirst(5))))
            default: false
            }
        if isDiscovery {
            let procedure = discovery[direction] ?? start
            discovery[direction] = procedure
            return (UInt32(procedure), .discovery)
        }
        discovery[direction] = nil
        switch attribute.opcode {
        case .exchangeMTURequest: return (UInt32(start), .mtu)
        case .readByTypeRequest:
            let type = UUID(wire: Array(pdu.dropFirst(5)))
            return (UInt32(start), type == .deviceName || type == .databaseHash ? .identity : .read)
        case .readRequest:
            longRead[direction] = (handle, start)
            return (UInt32(start), .read)
        case .readBlobRequest:
            let procedure = longRead[direction].flatMap { $0.handle == handle ? $0.procedure : nil } ?? start
            longRead[direction] = (handle, procedure)
            return (UInt32(procedure), .read)
        case .prepareWriteRequest:
            let procedure = queuedWrite[direction] ?? start
            queuedWrite[direction] = procedure
            return (UInt32(procedure), .write)
        case .executeWriteRequest:
            let procedure = queuedWrite[direction] ?? start
            queuedWrite[direction] = nil
            return (UInt32(procedure), .write)
        case .writeRequest: return (UInt32(start), .write)
        default: return (UInt32(start), .read)
        }
    }
}
