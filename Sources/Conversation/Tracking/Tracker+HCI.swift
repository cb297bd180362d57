package import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Keys
import PluginKit

extension Tracker {
    mutating func trackHCI(_ bytes: [UInt8], _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers) {
        guard let view = metadata.hci else { return }
        if repeated.record(metadata.packet, bytes) {
            metadata.notes.insert(.duplicate)
            if metadata.kind == .acl { trackDuplicate(bytes, view, &metadata) }
            return
        }
        switch metadata.kind {
        case .acl: trackACL(bytes, view, &metadata, &reassembly)
        case .iso: trackISO(bytes, view, &metadata, &reassembly)
        case .event where !metadata.packet.isCut: trackEvent(bytes, view, &metadata, &reassembly)
        case .event: trackCutEvent(bytes, view, &metadata)
        case .command where !metadata.packet.isCut: trackCommand(bytes, view, &metadata, &reassembly)
        default: break
        }
    }

    // MARK: - Data

    /// Fills in the metadata of a packet that was recorded before, without tracking it twice.
    private mutating func trackDuplicate(_ bytes: [UInt8], _ view: HCIView, _ metadata: inout FrameMetadata) {
        let length = view.count - HCI.ACLHeader.size
        guard length >= 0 else { return }
        let header = HCI.ACLHeader(packed: bytes.span.rawBytes.littleEndian(at: view.start))
        guard let connection = connection(adapter: view.adapter, handle: header.handle) else { return }
        join(&metadata, connection)
        let start = view.start + HCI.ACLHeader.size
        let data = start..<(start + min(length, Int(header.length)))
        guard !header.boundary.isContinuation, FragmentAssembler.isWholePDU(data, of: bytes) else { return }
        metadata.pdu = FrameMetadata.BufferRange(place: .frame, start: data.lowerBound, count: data.count)
        metadata.channel = FragmentAssembler.channel(bytes[data])?.rawValue ?? 0
    }

    private mutating func trackACL(
        _ bytes: [UInt8], _ view: HCIView, _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        let length = view.count - HCI.ACLHeader.size
        guard length >= 0 else { return }
        let header = HCI.ACLHeader(packed: bytes.span.rawBytes.littleEndian(at: view.start))
        let start = view.start + HCI.ACLHeader.size
        let data = start..<(start + min(length, Int(header.length)))
        let known = connection(adapter: view.adapter, handle: header.handle)
        if known.map({ !openConnections[$0].record.isBeginningKnown }) ?? true,
            recognizeVendorData(bytes[data], header, ofWhole: Int(header.length), view.adapter)
        {
            metadata.notes.insert(.vendorData)
            if let known {
                join(&metadata, known)
                close(known, at: metadata.packet.time, reason: nil)
            }
            return
        }
        guard let connection = known ?? discover(header.handle, view, &metadata) else { return }
        join(&metadata, connection)
        let isFirst = !header.boundary.isContinuation
        guard Int(header.length) <= length else {
            return loseFragment(
                bytes, data, of: Int(header.length), isFirst: isFirst, &metadata, connection, &reassembly)
        }
        trackFragment(bytes, data, isFirst: isFirst, &metadata, connection, &reassembly)
    }

    /// Detects data of a handle that no event opened and that belongs to no connection, and remembers the handle:
    /// controllers use it for debug data, or this data or earlier data does not parse as L2CAP.
    private mutating func recognizeVendorData(
        _ data: ArraySlice<UInt8>, _ header: HCI.ACLHeader, ofWhole count: Int, _ adapter: UInt16
    ) -> Bool {
        if header.handle.isDebugHandle { return true }
        let key = UInt32(adapter) << 16 | UInt32(header.handle.rawValue)
        if vendorHandles.contains(key) { return true }
        if header.boundary.isContinuation || L2CAP.isPlausible(data.span.rawBytes, ofWhole: count) { return false }
        if vendorHandles.count < Self.vendorHandleLimit { vendorHandles.insert(key) }
        return true
    }

    /// Opens a connection whose beginning was not captured.
    private mutating func discover(
        _ handle: ConnectionHandle, _ view: HCIView, _ metadata: inout FrameMetadata
    ) -> OpenConnection.Index? {
        guard follows(adapter: view.adapter) else { return nil }
        return open(
            .handle(adapter: view.adapter, handle), sender: devices.index(ofAdapter: view.adapter),
            receiver: devices.addUnknown(), with: &metadata, isBeginning: false)
    }

    // MARK: - Events

    /// Tracks the events that begin, change and end connections, and those that name devices.
    private mutating func trackEvent(
        _ bytes: [UInt8], _ view: HCIView, _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        guard view.count >= 3 else { return }
        let parameters = (view.start + 2)..<(view.start + view.count)
        let code = HCI.EventCode(rawValue: bytes[view.start])
        trackEvent(code, bytes, parameters, view, &metadata, &reassembly)
        guard metadata.connection < 0,
            let handle = handlePlaces.connectionHandle(inEvent: bytes.span.extracting(view.range).rawBytes),
            let connection = connection(adapter: view.adapter, handle: handle),
            !HCI.isHandleVoid(code, bytes[parameters])
        else { return }
        join(&metadata, connection)
        let change: LinkChange? =
            switch code {
            case .leMeta:
                LinkChange(HCI.LESubevent(rawValue: bytes[parameters.lowerBound]), bytes[parameters.dropFirst()])
            case .commandComplete:
                LinkChange(
                    returnedBy: HCI.Opcode(rawValue: bytes.span.rawBytes.littleEndian(at: parameters.lowerBound + 1)),
                    bytes[parameters.dropFirst(3)])
            default: nil
            }
        if let change { apply(change, to: connection, metadata, &reassembly) }
    }

    private mutating func trackEvent(
        _ code: HCI.EventCode, _ bytes: [UInt8], _ parameters: Range<Int>, _ view: HCIView,
        _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        switch code {
        case .leMeta:
            trackLEEvent(
                HCI.LESubevent(rawValue: bytes[parameters.lowerBound]), bytes, parameters.dropFirst(), view, &metadata,
                &reassembly)
        case .disconnectionComplete:
            guard let event = try? HCI.DisconnectionComplete(decoding: Array(bytes[parameters])),
                event.status == .success
            else { return }
            guard let connection = connection(adapter: view.adapter, handle: event.handle) else {
                return streamTable.close(.handle(adapter: view.adapter, event.handle))
            }
            join(&metadata, connection)
            close(connection, at: metadata.packet.time, reason: event.reason.rawValue)
        case .connectionComplete:
            guard let event = try? HCI.ConnectionComplete(decoding: Array(bytes[parameters])), event.status == .success
            else { return }
            let connection = connect(DeviceAddress(event.peer, .public), event.handle, nil, view, &metadata)
            if let connection { openConnections[connection].isBREDR = true }
        case .encryptionChange, .encryptionChangeV2:
            guard let event = HCI.EncryptionChange(code, bytes[parameters]), event.status == .success,
                let connection = connection(adapter: view.adapter, handle: event.handle)
            else { return }
            join(&metadata, connection)
            openConnections[connection].record.isEncrypted = event.enabled != 0
            noteEncryption(of: connection, metadata, &reassembly)
        case .remoteNameRequestComplete: trackRemoteName(bytes[parameters], &metadata)
        case .extendedInquiryResult: trackInquiryResponse(bytes[parameters], &metadata)
        case .commandComplete:
            guard parameters.count >= 4, bytes[parameters.lowerBound + 3] == 0 else { return }
            let returned = bytes[parameters.dropFirst(4)]
            switch HCI.Opcode(rawValue: bytes.span.rawBytes.littleEndian(at: parameters.lowerBound + 1)) {
            case .readBDADDR where returned.count == 6: learnOwnAddress(returned, view)
            case .readLocalName: learnOwnName(returned, view)
            default: break
            }
        default: break
        }
    }

    private mutating func trackLEEvent(
        _ subevent: HCI.LESubevent, _ bytes: [UInt8], _ parameters: Range<Int>, _ view: HCIView,
        _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        switch subevent {
        case .advertisingReport: trackAdvertisingReport(bytes, parameters, &metadata, &reassembly)
        case .extendedAdvertisingReport:
            guard let event = try? HCI.LEExtendedAdvertisingReport(decoding: Array(bytes[parameters])) else { return }
            trackExtendedReports(event, at: parameters.lowerBound - metadata.packet.start, view, &metadata, &reassembly)
        case .periodicAdvertisingReport, .periodicAdvertisingReportV2:
            let hasSubevent = subevent == .periodicAdvertisingReportV2
            trackPeriodicReport(bytes, parameters, hasSubevent: hasSubevent, view, &metadata, &reassembly)
        case .periodicAdvertisingResponseReport: trackPeriodicResponses(bytes, parameters, view, &metadata, &reassembly)
        case .connectionComplete:
            guard let event = try? HCI.LEConnectionComplete(decoding: Array(bytes[parameters])),
                event.status == .success, let peer = DeviceAddress(event.peer, event.peerType)
            else { return }
            connect(peer, event.handle, event.role, event.timing, view, &metadata, &reassembly)
        case .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
            guard
                let event = try? HCI.LEEnhancedConnectionComplete(
                    decoding: Array(bytes[parameters.prefix(HCI.LEEnhancedConnectionComplete.length)])),
                event.status == .success, let peer = DeviceAddress(event.peer, event.peerType)
            else { return }
            connect(peer, event.handle, event.role, event.timing, view, &metadata, &reassembly)
        default: trackStreamEvent(subevent, bytes[parameters], view)
        }
    }

    /// Reads the reports in place: a scan fills a capture with thousands of them. If one is cut, none counts.
    private mutating func trackAdvertisingReport(
        _ bytes: [UInt8], _ parameters: Range<Int>, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        var probe = ByteReader(bytes.span.extracting(parameters))
        guard let count = try? HCI.LEAdvertisingReport.readCount(&probe) else { return }
        for _ in 0..<count {
            guard (try? HCI.LEAdvertisingReport.readOutline(&probe)) != nil else { return }
        }
        var reader = ByteReader(bytes.span.extracting(parameters.dropFirst()))
        for _ in 0..<count {
            guard let (report, place) = try? HCI.LEAdvertisingReport.readOutline(&reader) else { return }
            let start = parameters.lowerBound + 1
            let address = DeviceAddress(report.address, report.addressType)
            let data = openAdvertising(
                bytes[(start + place.lowerBound)..<(start + place.upperBound)],
                at: start + place.lowerBound - metadata.packet.start,
                from: address.map { devices.index(of: $0) } ?? -1, &metadata, &reassembly)
            trackReport(address, report.rssi, data, of: Int(count), &metadata, &reassembly)
        }
    }

    /// Tracks the reports of an event whose parameters after the subevent code begin at `start` in the frame.
    private mutating func trackExtendedReports(
        _ event: HCI.LEExtendedAdvertisingReport, at start: Int, _ view: HCIView, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        for (report, offset) in zip(event.reports, event.dataOffsets(from: start)) {
            let data = noteAdvertisingData(
                report.data[...], report.dataStatus,
                of: .set(
                    adapter: view.adapter, report.address, report.addressType, sid: report.sid,
                    isScanResponse: report.isScanResponse), at: offset, &metadata, &reassembly)
            let address = DeviceAddress(report.address, report.addressType)
            trackReport(address, report.rssi, data, of: event.reports.count, &metadata, &reassembly)
        }
    }

    /// Tracks the data of a periodic advertising report of either version (Vol 4, Part E, 7.7.65.15).
    private mutating func trackPeriodicReport(
        _ bytes: [UInt8], _ parameters: Range<Int>, hasSubevent: Bool, _ view: HCIView, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let status = parameters.lowerBound + (hasSubevent ? 8 : 5)
        guard status + 2 <= parameters.upperBound else { return }
        let handle: UInt16 = bytes.span.rawBytes.littleEndian(at: parameters.lowerBound)
        metadata.sender = syncedTrains[UInt32(view.adapter) << 16 | UInt32(handle & 0x0FFF)] ?? -1
        noteCountedData(
            bytes, parameters, at: status + 1, HCI.DataStatus(rawValue: bytes[status]) ?? .truncated,
            of: .train(adapter: view.adapter, syncHandle: handle, subevent: hasSubevent ? bytes[status - 1] : 0),
            &metadata, &reassembly)
    }

    /// Tracks the data of responses to periodic advertising (Vol 4, Part E, 7.7.65.37).
    private mutating func trackPeriodicResponses(
        _ bytes: [UInt8], _ parameters: Range<Int>, _ view: HCIView, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        guard parameters.count >= 4 else { return }
        let (handle, subevent) = (bytes[parameters.lowerBound], bytes[parameters.lowerBound + 1])
        // Before the data: TX power, RSSI, CTE type, slot, data status and length.
        var place = parameters.lowerBound + 4
        while place + 6 <= parameters.upperBound {
            noteCountedData(
                bytes, parameters, at: place + 5, HCI.DataStatus(rawValue: bytes[place + 4]) ?? .truncated,
                of: .response(adapter: view.adapter, handle: handle, subevent: subevent, slot: bytes[place + 3]),
                &metadata, &reassembly)
            place += 6 + Int(bytes[place + 5])
        }
    }

    /// Tracks the advertising data, or the part of it, that a command sets (Vol 4, Part E, 7.8.54).
    private mutating func trackSetData(
        _ bytes: [UInt8], _ parameters: Range<Int>, _ opcode: HCI.Opcode, _ view: HCIView,
        _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        // Only the command for periodic advertising data has no fragment preference.
        let length = parameters.lowerBound + (opcode == .leSetPeriodicAdvertisingData ? 2 : 3)
        guard length < parameters.upperBound else { return }
        let operation = bytes[parameters.lowerBound + 1]
        // 0: intermediate fragment, 1: first, 2: last, 3: complete, 4: unchanged.
        guard operation < 4 else { return }
        noteCountedData(
            bytes, parameters, at: length, operation < 2 ? .moreToCome : .complete,
            of: .command(opcode, adapter: view.adapter, handle: bytes[parameters.lowerBound]),
            begins: operation == 1 || operation == 3, &metadata, &reassembly)
    }

    /// Records the advertising data after its length field, which is at `length`, if the data was captured.
    private mutating func noteCountedData(
        _ bytes: [UInt8], _ parameters: Range<Int>, at length: Int, _ status: HCI.DataStatus,
        of source: AdvertisingDataAssembler.Source, begins: Bool? = nil, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let data = (length + 1)..<(length + 1 + Int(bytes[length]))
        guard data.upperBound <= parameters.upperBound else { return }
        _ = noteAdvertisingData(
            bytes[data], status, of: source, begins: begins, at: data.lowerBound - metadata.packet.start, &metadata,
            &reassembly
        )
    }

    /// Records advertising data, or a part of it, at an offset in the frame. Returns the AD structures that it
    /// completes: those of all parts for the last part, none for other continuations.
    mutating func noteAdvertisingData(
        _ data: ArraySlice<UInt8>, _ status: HCI.DataStatus, of source: AdvertisingDataAssembler.Source,
        from sender: Int32 = -1, begins: Bool? = nil, next: AdvertisingDataAssembler.Source? = nil, at offset: Int,
        _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) -> ArraySlice<UInt8> {
        let part = advertisingData.add(
            data, status, of: source, from: sender, begins: begins, next: next, to: &reassembly.bytes)
        guard let part else { return openAdvertising(data, at: offset, from: metadata.sender, &metadata, &reassembly) }
        reassembly.advertisingParts[metadata.packet.number, default: [:]][offset] = part
        guard part.isContinuation else { return data }
        if metadata.sender < 0 { metadata.sender = part.sender }
        guard part.whole.isPresent else { return [] }
        // Data reassembled for one frame is contiguous.
        let start = metadata.sdu.isPresent ? metadata.sdu.start : part.whole.start
        metadata.sdu = FrameMetadata.BufferRange(
            place: .reassembled, start: start, count: part.whole.range.upperBound - start)
        let whole = Array(reassembly.bytes[part.whole.range])[...]
        return openAdvertising(whole, at: offset, from: metadata.sender, &metadata, &reassembly)
    }

    /// Tracks a report, one of `count` in the event; the frame's sender is that of the last report.
    private mutating func trackReport(
        _ address: DeviceAddress?, _ rssi: Int8, _ data: ArraySlice<UInt8>, of count: Int,
        _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let sender = address.map { devices.index(of: $0) } ?? -1
        if count > 1 { reassembly.reporters[metadata.packet.number, default: []].append(sender) }
        guard address != nil else { return }
        metadata.sender = sender
        sight(sender, rssi, data)
    }

    /// Opens an LE connection with its parameters.
    private mutating func connect(
        _ peer: DeviceAddress, _ handle: ConnectionHandle, _ role: HCI.Role, _ timing: ConnectionParameters,
        _ view: HCIView, _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        guard let connection = connect(peer, handle, ConnectionRole(role), view, &metadata) else { return }
        apply(.timing(timing), to: connection, metadata, &reassembly)
    }

    mutating func connect(
        _ peer: DeviceAddress, _ handle: ConnectionHandle, _ role: ConnectionRole?, _ view: HCIView,
        _ metadata: inout FrameMetadata
    ) -> OpenConnection.Index? {
        guard follows(adapter: view.adapter) else { return nil }
        vendorHandles.remove(UInt32(view.adapter) << 16 | UInt32(handle.rawValue))
        let connection = open(
            .handle(adapter: view.adapter, handle), sender: devices.index(ofAdapter: view.adapter),
            receiver: devices.index(of: peer), with: &metadata, isBeginning: true)
        setRole(role, of: connection)
        join(&metadata, connection)
        return connection
    }

    /// Tracks Remote Name Request Complete, which contains a device's whole name (Vol 4, Part E, 7.7.7).
    private mutating func trackRemoteName(_ parameters: ArraySlice<UInt8>, _ metadata: inout FrameMetadata) {
        let start = parameters.startIndex
        guard parameters.count >= 7, HCI.ErrorCode(rawValue: parameters[start]) == .success else { return }
        metadata.sender = index(ofBREDRAddress: parameters[(start + 1)...])
        let name = Device.name(parameters.dropFirst(7))
        guard metadata.sender >= 0, !name.isEmpty else { return }
        devices.update(metadata.sender) { $0.name = name }
    }

    /// Tracks Extended Inquiry Result, which contains a device's answer to an inquiry, in the form of advertising data
    /// (Vol 4, Part E, 7.7.38).
    private mutating func trackInquiryResponse(_ parameters: ArraySlice<UInt8>, _ metadata: inout FrameMetadata) {
        // Before the response: the number of responses, address, page scan mode, a reserved byte, class, clock offset,
        // RSSI.
        guard parameters.count > 15 else { return }
        metadata.sender = index(ofBREDRAddress: parameters.dropFirst())
        guard metadata.sender >= 0 else { return }
        let data = parameters.dropFirst(15)
        devices.update(metadata.sender) { $0.observeName(inAdvertisingData: data) }
    }

    private mutating func index(ofBREDRAddress bytes: ArraySlice<UInt8>) -> Int32 {
        let value = bytes.prefix(6).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return devices.index(of: DeviceAddress(Address(value: value), .public))
    }

    /// Read BD_ADDR returns the adapter's own address.
    private mutating func learnOwnAddress(_ bytes: ArraySlice<UInt8>, _ view: HCIView) {
        let value = bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let adapter = devices.index(ofAdapter: view.adapter)
        devices.update(adapter) { $0.address = DeviceAddress(Address(value: value), .public) }
    }

    /// Read Local Name and Write Local Name contain the adapter's own name.
    private mutating func learnOwnName(_ bytes: ArraySlice<UInt8>, _ view: HCIView) {
        let adapter = devices.index(ofAdapter: view.adapter)
        let name = Device.name(bytes)
        devices.update(adapter) { $0.name = name }
    }

    // MARK: - Commands

    /// Tracks commands: Reset ends all connections of the adapter; the resolving list has keys of devices that bonded
    /// before.
    private mutating func trackCommand(
        _ bytes: [UInt8], _ view: HCIView, _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        guard view.count >= 3 else { return }
        if let handle = handlePlaces.connectionHandle(inCommand: bytes.span.extracting(view.range).rawBytes),
            let connection = connection(adapter: view.adapter, handle: handle)
        {
            join(&metadata, connection)
        }
        let opcode = HCI.Opcode(rawValue: UInt16(bytes[view.start]) | UInt16(bytes[view.start + 1]) << 8)
        if opcode.setsAdvertisingData { metadata.sender = devices.index(ofAdapter: view.adapter) }
        switch opcode {
        case .reset:
            closeAll(adapter: view.adapter)
            closeStreams(adapter: view.adapter)
        case .leCreateCIS: trackCreateCIS(bytes[(view.start + 3)..<(view.start + view.count)], view)
        case .writeLocalName: learnOwnName(bytes[(view.start + 3)..<(view.start + view.count)], view)
        case .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData, .leSetPeriodicAdvertisingData:
            trackSetData(
                bytes, (view.start + 3)..<(view.start + view.count), opcode, view, &metadata, &reassembly)
        case .leAddDeviceToResolvingList:
            guard
                let command = try? HCI.LEAddDeviceToResolvingList(
                    decoding: Array(bytes[(view.start + 3)..<(view.start + view.count)])),
                let identity = DeviceAddress(command.peer, command.peerType)
            else { return }
            devices.learn(SecretKey(wireBytes: command.peerIRK), of: identity)
            followKeys(inCommand: view.range, of: bytes, metadata)
        case _ where opcode.handsOverKey: followKeys(inCommand: view.range, of: bytes, metadata)
        default: break
        }
    }
}

extension HCI {
    /// Whether the handle in an event names no connection, as the event reports that none was established.
    fileprivate static func isHandleVoid(_ code: EventCode, _ parameters: ArraySlice<UInt8>) -> Bool {
        var parameters = parameters
        switch code {
        case .connectionComplete, .synchronousConnectionComplete: break
        case .leMeta:
            switch parameters.popFirst().map(LESubevent.init) {
            case .connectionComplete?, .enhancedConnectionComplete?, .enhancedConnectionCompleteV2?,
                .advertisingSetTerminated?:
                break
            default: return false
            }
        default: return false
        }
        return parameters.first != ErrorCode.success.rawValue
    }
}

extension HCI.Opcode {
    fileprivate static let writeLocalName = Self(rawValue: 0x0C13)
    fileprivate static let readLocalName = Self(rawValue: 0x0C14)
    fileprivate static let leCreateCIS = Self(rawValue: 0x2064)
}

extension DeviceAddress {
    /// A device address as HCI reports it; nil for an anonymous advertiser. An address that the controller has resolved
    /// counts as the identity address.
    package init?(_ address: Address, _ type: HCI.AddressType) {
        guard let kind = type.kind else { return nil }
        self.init(address, kind)
    }
}

extension L2CAP {
    /// Whether the first fragment of a PDU is plausible, from an ACL packet of `count` bytes of which `data` was
    /// captured: its length, its channel and the code that begins the payload of a fixed channel are possible.
    fileprivate static func isPlausible(_ data: RawSpan, ofWhole count: Int) -> Bool {
        guard data.byteCount >= FragmentAssembler.headerLength else { return count < FragmentAssembler.headerLength }
        let length = Int(data.littleEndian(at: 0, as: UInt16.self))
        guard count <= length + FragmentAssembler.headerLength else { return false }
        let channel = ChannelID(rawValue: data.littleEndian(at: 2))
        guard data.byteCount > FragmentAssembler.headerLength else { return channel != .null }
        let code = data.byte(at: FragmentAssembler.headerLength)
        switch channel {
        case .att: return ATT.Opcode.table.shape(of: ATT.Opcode(rawValue: code)) != nil
        case .smp, .bredrSMP: return SMP.Opcode(rawValue: code).name != nil
        case .signaling, .leSignaling: return CommandCode.table[CommandCode(rawValue: code)] != nil
        case .connectionless, .ampManager, .ampTestManager: return true
        default: return channel.isDynamic || channel.isAssignedByOthers
        }
    }
}
