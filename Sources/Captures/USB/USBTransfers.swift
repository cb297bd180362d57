import Bytes

/// Finds the HCI packets in the transfers of a USB capture (Vol 4, Part B).
///
/// A packet of several transfers gets the number and the time of the record that completes it; its bytes are joined in
/// `FramingPass.made`. Several packets of one record share its number.
struct USBTransfers: Sendable {
    private var devices: [USBDevice] = []
    /// Indices into `devices`.
    private var indices: [USBDevice.Key: Int] = [:]
    /// Adapter numbers in use.
    private var numbers: Set<UInt16> = []
    /// Packets that the capture tool dropped since the last HCI packet.
    private var drops: UInt16 = 0
    /// Bytes of packets of which more is to come.
    private var held = 0

    /// Names in `CaptureReader.skippedRecords`.
    private static let otherDevice = "USB transfer of another device"
    private static let damagedRecord = "USB record with a damaged header"
    private static let incompletePacket = "incomplete HCI packet over USB"
    private static let comment = "comment of a USB transfer without an HCI packet"

    /// Whether there were devices so far, but no adapter among them.
    var lacksAdapter: Bool { !devices.isEmpty && !devices.contains { $0.kind == .adapter } }

    /// Keeps the number of an adapter that is not on USB.
    mutating func reserve(adapter: UInt16) { numbers.insert(adapter) }

    /// Appends the HCI packets that `record` completes to the packets of `pass`.
    mutating func handle(_ record: CapturedPacket, _ header: USBHeader, _ bytes: RawSpan, _ pass: inout FramingPass) {
        let count = pass.packets.count
        if record.followsDrop {
            drops = UInt16(clamping: Int(drops) + Int(record.drops))
            for device in devices.indices { abandon(device, &pass) }
        }
        if let transfer = USBTransfer(record, header, in: bytes) {
            handle(transfer, record, bytes, &pass)
        } else {
            pass.skipped[Self.damagedRecord, default: 0] += 1
        }
        if pass.packets.count > count {
            pass.packets[count].drops = drops
            pass.packets[count].comment = record.comment
            drops = 0
        } else if record.comment >= 0 {
            pass.skipped[Self.comment, default: 0] += 1
        }
    }

    private mutating func handle(
        _ transfer: USBTransfer, _ record: CapturedPacket, _ bytes: RawSpan, _ pass: inout FramingPass
    ) {
        guard
            let device = index(
                of: USBDevice.Key(interface: record.adapter, bus: transfer.bus, address: transfer.device))
        else {
            pass.skipped[Self.otherDevice, default: 0] += 1
            return
        }
        switch transfer.kind {
        case .control: handleControl(transfer, device, record, bytes, &pass)
        case .bulk, .interrupt, .isochronous: handleData(transfer, device, record, bytes, &pass)
        case nil: break
        }
        if devices[device].kind != .adapter { pass.skipped[Self.otherDevice, default: 0] += 1 }
    }

    /// The device's index; nil for a new one above the limit.
    private mutating func index(of key: USBDevice.Key) -> Int? {
        if let index = indices[key] { return index }
        guard devices.count < CaptureLimit.usbDevices else { return nil }
        indices[key] = devices.count
        devices.append(USBDevice())
        return devices.count - 1
    }

    /// The lowest free adapter number for a device that has none.
    private mutating func adapterNumber(of device: Int) -> UInt16 {
        if let number = devices[device].adapter { return number }
        let number = (0...UInt16.max).first { !numbers.contains($0) } ?? .max
        numbers.insert(number)
        devices[device].adapter = number
        return number
    }

    private mutating func append(
        _ type: H4PacketType, _ direction: Direction, of device: Int, _ record: CapturedPacket, start: Int, count: Int,
        length: Int, _ pass: inout FramingPass
    ) {
        pass.packets.append(
            CapturedPacket(
                number: record.number, time: record.time, encapsulation: .usb, direction: direction,
                adapter: adapterNumber(of: device), recordType: UInt16(type.rawValue), originalLength: length,
                start: start, count: count))
    }
}

// MARK: - Control transfers

extension USBTransfers {
    private static let getDescriptor: UInt8 = 6
    /// Requests that carry a command: 0, and 0xE0 of old hosts.
    private static let commandRequests: [UInt8] = [0, 0xE0]
    private static let commandHeaderSize = 3
    private static let reset: [UInt8] = [0x03, 0x0C]

    private mutating func handleControl(
        _ transfer: USBTransfer, _ device: Int, _ record: CapturedPacket, _ bytes: RawSpan, _ pass: inout FramingPass
    ) {
        guard let data = transfer.parts.first else { return }
        if let setup = transfer.setup {
            devices[device].command = nil
            let (type, request) = (bytes.byte(at: setup), bytes.byte(at: setup + 1))
            let length = Int(bytes.littleEndian(at: setup + 6, as: UInt16.self))
            if type == 0x80, request == Self.getDescriptor {
                devices[device].descriptorRequest = transfer.id
            } else if type == 0x20, Self.commandRequests.contains(request), length > 0 {
                if data.length > 0 {
                    handleCommand(data.range, length, device, record, bytes, &pass)
                } else {
                    devices[device].command = (transfer.id, length)
                }
            }
        } else if transfer.isSubmission {
            // USBPcap before 1.3 records the data of a request apart from its setup.
            guard let command = devices[device].command, command.id == transfer.id else { return }
            devices[device].command = nil
            handleCommand(data.range, command.length, device, record, bytes, &pass)
        } else if devices[device].descriptorRequest == transfer.id, !transfer.hasFailed, !data.range.isEmpty {
            devices[device].descriptorRequest = nil
            devices[device].readDescriptors(data.range, in: bytes)
        }
    }

    private mutating func handleCommand(
        _ range: Range<Int>, _ length: Int, _ device: Int, _ record: CapturedPacket, _ bytes: RawSpan,
        _ pass: inout FramingPass
    ) {
        if devices[device].kind == .unknown, range.count >= Self.commandHeaderSize,
            Self.commandHeaderSize + Int(bytes.byte(at: range.lowerBound + 2)) == length
        {
            devices[device].kind = .adapter
        }
        guard devices[device].kind == .adapter else { return }
        if bytes.prefix(of: range, 2) == Self.reset { devices[device].reset() }
        append(
            .command, .sent, of: device, record, start: range.lowerBound, count: range.count,
            length: max(length, range.count), &pass)
    }
}

// MARK: - Events and data

extension USBTransfers {
    private mutating func handleData(
        _ transfer: USBTransfer, _ device: Int, _ record: CapturedPacket, _ bytes: RawSpan, _ pass: inout FramingPass
    ) {
        guard transfer.kind != .interrupt || transfer.isIn else { return }
        if devices[device].kind == .unknown, transfer.carriesData, let part = transfer.parts.first,
            transfer.isEvidence(bytes.prefix(of: part.range, USBTransfer.evidenceSize), length: part.length)
        {
            devices[device].kind = .adapter
        }
        guard devices[device].kind == .adapter, devices[device].uses(transfer.endpoint) else { return }
        let stream = streamIndex(transfer.endpoint, of: device)
        if transfer.hasFailed { return abandon(stream, of: device, &pass) }
        guard transfer.carriesData else { return }
        for part in transfer.parts { join(part, transfer, device, stream, record, bytes, &pass) }
    }

    private mutating func streamIndex(_ endpoint: UInt8, of device: Int) -> Int {
        if let index = devices[device].streams.firstIndex(where: { $0.endpoint == endpoint }) { return index }
        devices[device].streams.append(USBStream(endpoint: endpoint))
        return devices[device].streams.count - 1
    }

    /// Appends the packets that end in `part`, and keeps the start of one that does not.
    private mutating func join(
        _ part: USBTransfer.Part, _ transfer: USBTransfer, _ device: Int, _ stream: Int, _ record: CapturedPacket,
        _ bytes: RawSpan, _ pass: inout FramingPass
    ) {
        var position = part.range.lowerBound
        var left = part.length
        while left > 0 {
            let captured = min(part.range.upperBound - position, left)
            if devices[device].streams[stream].received > 0 {
                let taken = resume(transfer, device, stream, position, captured, left, record, bytes, &pass)
                position += min(taken, captured)
                left -= taken
                continue
            }
            let start = bytes.prefix(of: position..<(position + captured), 4)
            guard let header = transfer.header(start, of: devices[device]) else {
                if captured == left {
                    return hold(nil, position..<(position + captured), left, device, stream, bytes, &pass)
                }
                pass.skipped[Self.incompletePacket, default: 0] += 1
                return
            }
            guard
                devices[device].streams[stream].isSynchronized || transfer.canStart(header, start, left: left)
            else {
                pass.skipped[Self.incompletePacket, default: 0] += 1
                return
            }
            devices[device].streams[stream].isSynchronized = true
            guard header.total <= left else {
                return hold(header, position..<(position + captured), left, device, stream, bytes, &pass)
            }
            let count = min(header.total, captured)
            if header.type == .event {
                devices[device].follow(bytes.prefix(of: position..<(position + count), Self.followedSize))
            }
            append(
                header.type, transfer.isIn ? .received : .sent, of: device, record, start: position, count: count,
                length: header.total, &pass)
            position += count
            left -= header.total
        }
    }

    /// Continues the held packet with at most `left` bytes, `captured` of which are at `position`; returns their
    /// number.
    private mutating func resume(
        _ transfer: USBTransfer, _ device: Int, _ stream: Int, _ position: Int, _ captured: Int, _ left: Int,
        _ record: CapturedPacket, _ bytes: RawSpan, _ pass: inout FramingPass
    ) -> Int {
        var taken = 0
        while taken < left {
            let header = devices[device].streams[stream].header
            // Until the length is known, byte by byte.
            let wanted = header.map { $0.total - devices[device].streams[stream].received } ?? 1
            let count = min(wanted, left - taken)
            let available = min(count, max(0, captured - taken))
            guard header != nil || available > 0, held + available <= CaptureLimit.heldUSBBytes else {
                abandon(stream, of: device, &pass)
                return left
            }
            if !devices[device].streams[stream].isCut {
                let start = position + taken
                devices[device].streams[stream].bytes += bytes.prefix(of: start..<(start + available), available)
                held += available
            }
            devices[device].streams[stream].received += count
            taken += count
            if header == nil {
                devices[device].streams[stream].header = transfer.header(
                    devices[device].streams[stream].bytes, of: devices[device])
            }
            if let header = devices[device].streams[stream].header,
                header.total == devices[device].streams[stream].received
            {
                complete(header, transfer, device, stream, record, bytes, &pass)
                return taken
            }
        }
        return taken
    }

    private mutating func complete(
        _ header: USBStream.Header, _ transfer: USBTransfer, _ device: Int, _ stream: Int, _ record: CapturedPacket,
        _ bytes: RawSpan, _ pass: inout FramingPass
    ) {
        let joined = devices[device].streams[stream].bytes
        held -= joined.count
        devices[device].streams[stream].abandon()
        if header.type == .event { devices[device].follow(joined) }
        append(
            header.type, transfer.isIn ? .received : .sent, of: device, record,
            start: pass.make(joined, after: bytes.byteCount), count: joined.count, length: header.total, &pass)
    }

    /// Keeps the start of a packet, all starts together up to a limit.
    private mutating func hold(
        _ header: USBStream.Header?, _ range: Range<Int>, _ length: Int, _ device: Int, _ stream: Int, _ bytes: RawSpan,
        _ pass: inout FramingPass
    ) {
        if held + range.count > CaptureLimit.heldUSBBytes {
            for other in devices.indices { abandon(other, &pass) }
        }
        devices[device].streams[stream].header = header
        devices[device].streams[stream].bytes = bytes.prefix(of: range, range.count)
        devices[device].streams[stream].received = length
        held += range.count
    }

    private mutating func abandon(_ device: Int, _ pass: inout FramingPass) {
        for stream in devices[device].streams.indices { abandon(stream, of: device, &pass) }
    }

    private mutating func abandon(_ stream: Int, of device: Int, _ pass: inout FramingPass) {
        guard devices[device].streams[stream].received > 0 else { return }
        held -= devices[device].streams[stream].bytes.count
        devices[device].streams[stream].abandon()
        pass.skipped[Self.incompletePacket, default: 0] += 1
    }

    /// Bytes of an event that lists handles: those of the largest BIG, which has 31 streams.
    private static let followedSize = 96
}

extension RawSpan {
    /// The first bytes of a range, at most `limit`.
    fileprivate func prefix(of range: Range<Int>, _ limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for offset in range.prefix(limit) { bytes.append(byte(at: offset)) }
        return bytes
    }
}
