import Bluetooth
import Bytes
import Captures
import Conversation
import Keys

/// Commands and events of HCI that belong together (Vol 4, Part E, 7).
enum HCIProcedures {
    /// The event that ends the procedure of a command, of a connection unless it begins one.
    struct Completion: Hashable {
        var event: HCI.EventCode
        var subevent = HCI.LESubevent(rawValue: 0)
        var connection: Int32 = -1
    }

    /// The events that end the procedure that a command begins, besides Command Complete and those of encryption.
    static func completions(of opcode: HCI.Opcode, _ connection: Int32) -> [Completion] {
        func le(_ subevents: HCI.LESubevent..., of connection: Int32) -> [Completion] {
            subevents.map { Completion(event: .leMeta, subevent: $0, connection: connection) }
        }
        func event(_ codes: HCI.EventCode...) -> [Completion] {
            codes.map { Completion(event: $0, connection: connection) }
        }
        return switch opcode {
        case .leCreateConnection, .leExtendedCreateConnection, .leExtendedCreateConnectionV2:
            le(.connectionComplete, .enhancedConnectionComplete, .enhancedConnectionCompleteV2, of: -1)
        case .createConnection: [Completion(event: .connectionComplete)]
        case .disconnect: event(.disconnectionComplete)
        case .readRemoteVersionInformation: event(.readRemoteVersionInformationComplete)
        case .leReadRemoteFeatures: le(.readRemoteFeaturesComplete, of: connection)
        case .leConnectionUpdate: le(.connectionUpdateComplete, of: connection)
        case .leSetPHY: le(.phyUpdateComplete, of: connection)
        case .leSetDataLength: le(.dataLengthChange, of: connection)
        default: []
        }
    }

    /// What a command is to the decoding of other frames.
    static func role(of opcode: HCI.Opcode) -> FrameOutline.Role {
        switch opcode {
        case .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
            .leSetAdvertisingEnable, .leCreateConnection, .leCreateConnectionCancel, .createConnection,
            .leAddDeviceToFilterAcceptList, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
            .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
            .leExtendedCreateConnection, .leExtendedCreateConnectionV2:
            .connectionSetup
        case .readBDADDR, .writeLocalName, .readLocalName, .reset, .leAddDeviceToResolvingList: .adapter
        case .disconnect: .connectionEnd
        case .leLongTermKeyRequestNegativeReply: .security
        case .leConnectionUpdate, .leSetPHY, .leSetDataLength: .parameters
        default: opcode.handsOverKey ? .security : .other
        }
    }
}

extension HCI.Opcode {
    fileprivate static let createConnection = Self(rawValue: 0x0405)
    fileprivate static let readRemoteVersionInformation = Self(rawValue: 0x041D)
    fileprivate static let writeLocalName = Self(rawValue: 0x0C13)
    fileprivate static let readLocalName = Self(rawValue: 0x0C14)
    fileprivate static let leAddDeviceToFilterAcceptList = Self(rawValue: 0x2011)
    fileprivate static let leReadRemoteFeatures = Self(rawValue: 0x2016)
    fileprivate static let leExtendedCreateConnectionV2 = Self(rawValue: 0x2085)
}

extension ProcedureTracker {
    /// Follows a command or an event.
    mutating func addHCI(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ index: Int, _ frame: inout FrameOutline.Frame
    ) {
        guard let view = metadata.hci, view.count >= 3 else { return }
        let bytes = batch.packets.bytes[view.range]
        if metadata.kind == .command {
            let opcode = HCI.Opcode(rawValue: UInt16(bytes[view.start]) | UInt16(bytes[view.start + 1]) << 8)
            return addCommand(opcode, metadata, view.adapter, index, &frame)
        }
        let code = HCI.EventCode(rawValue: bytes[view.start])
        switch code {
        case .commandComplete where bytes.count >= 5, .commandStatus where bytes.count >= 6:
            let place = view.start + (code == .commandComplete ? 3 : 4)
            let opcode = HCI.Opcode(rawValue: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
            let command = withAdapter(view.adapter) { state, outline in
                state.commands[opcode].map { outline.frames[$0] }
            }
            guard let command else { return }
            (frame.procedure, frame.role) = (command.procedure, command.role)
            if frame.connection < 0 { frame.connection = command.connection }
        default: addEvent(code, bytes, metadata, batch, view.adapter, index, &frame)
        }
    }

    private mutating func addCommand(
        _ opcode: HCI.Opcode, _ metadata: FrameMetadata, _ adapter: UInt16, _ index: Int,
        _ frame: inout FrameOutline.Frame
    ) {
        frame.role = HCIProcedures.role(of: opcode)
        if metadata.connection >= 0, frame.role == .security {
            let step: SecurityStep = opcode == .leEnableEncryption ? .encryptionStart : .other
            frame.procedure = withConnection(metadata.connection) { state, _ in state.secure(step, at: index) }
        }
        let (procedure, role) = (Int(frame.procedure), frame.role)
        withAdapter(adapter) { state, _ in
            if state.commands.count >= 1024 { state.commands.removeAll() }
            state.commands[opcode] = index
            if role == .connectionSetup { state.setup[opcode] = index }
            if state.events.count >= 1024 { state.events.removeAll() }
            for completion in HCIProcedures.completions(of: opcode, metadata.connection) {
                state.events[completion] = procedure
            }
        }
    }

    private mutating func addEvent(
        _ code: HCI.EventCode, _ bytes: ArraySlice<UInt8>, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        _ adapter: UInt16, _ index: Int, _ frame: inout FrameOutline.Frame
    ) {
        let start = bytes.startIndex
        let subevent = HCI.LESubevent(rawValue: code == .leMeta ? bytes[start + 2] : 0)
        var isStart = code == .connectionComplete
        if code == .leMeta {
            switch subevent {
            case .connectionComplete, .enhancedConnectionComplete, .enhancedConnectionCompleteV2: isStart = true
            case .longTermKeyRequest: return secure(.encryptionStart, metadata, index, &frame)
            case .advertisingReport, .directedAdvertisingReport, .extendedAdvertisingReport:
                return addReports(subevent, bytes.dropFirst(3), metadata, batch, index, &frame)
            default: break
            }
        }
        switch code {
        case .encryptionChange, .encryptionChangeV2, .encryptionKeyRefreshComplete:
            return secure(.encrypted, metadata, index, &frame)
        case .disconnectionComplete:
            frame.role = .connectionEnd
            if metadata.connection >= 0 { end(metadata.connection) }
        case .remoteNameRequestComplete, .extendedInquiryResult:
            frame.role = role(ofAdvertising: Array(bytes).hashValue, metadata.sender)
        default: break
        }
        let completion = HCIProcedures.Completion(
            event: code, subevent: subevent, connection: isStart ? -1 : metadata.connection)
        let procedure = withAdapter(adapter) { state, outline in
            if isStart, metadata.connection >= 0, !state.setup.isEmpty {
                outline.setups[metadata.connection] = state.setup.values.sorted()
            }
            return state.events.removeValue(forKey: completion)
        }
        if let procedure { frame.procedure = UInt32(procedure) }
        if isStart { frame.role = metadata.connection >= 0 ? .connectionStart : .other }
    }

    private mutating func secure(
        _ step: SecurityStep, _ metadata: FrameMetadata, _ index: Int, _ frame: inout FrameOutline.Frame
    ) {
        frame.role = .security
        guard metadata.connection >= 0 else { return }
        frame.procedure = withConnection(metadata.connection) { state, _ in state.secure(step, at: index) }
    }

    /// Follows advertising reports, whose data may name a device or show which plugin describes it.
    private mutating func addReports(
        _ subevent: HCI.LESubevent, _ parameters: ArraySlice<UInt8>, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, _ index: Int, _ frame: inout FrameOutline.Frame
    ) {
        frame.role = .advertising
        let senders = batch.reassembly.reporters[metadata.packet.number]
        if let senders { setReporters(senders, of: index) }
        var hashes: [Int]
        let count = senders?.count ?? 1
        if subevent == .extendedAdvertisingReport {
            guard let event = try? HCI.LEExtendedAdvertisingReport(decoding: Array(parameters)) else { return }
            hashes = event.reports.map { report in
                var hasher = Hasher()
                hasher.combine(report.eventType)
                hasher.combine(report.data)
                return hasher.finalize()
            }
        } else {
            // The last byte is the RSSI.
            hashes = [Array(parameters.dropLast()).hashValue]
        }
        if hashes.count != count { hashes = Array(repeating: hashes.first ?? 0, count: count) }
        for (sender, hash) in zip(senders ?? [metadata.sender], hashes)
        where role(ofAdvertising: hash, sender) == .newAdvertising {
            frame.role = .newAdvertising
        }
    }
}
