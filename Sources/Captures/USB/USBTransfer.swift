import Bytes

/// One record of a USB capture: the submission or the completion of a transfer, whichever program recorded it.
struct USBTransfer {
    /// The transfer types of USB 2.0, 5.4.
    enum Kind {
        case control, isochronous, bulk, interrupt
    }

    /// The bytes of an isochronous packet, or all bytes of another transfer.
    struct Part {
        /// The captured bytes, in the buffer.
        var range: Range<Int>
        /// Number of bytes on the bus.
        var length: Int
    }

    /// Nil for a record that is not of a transfer.
    var kind: Kind?
    var bus: UInt16
    var device: UInt16
    /// Endpoint number; the top bit is set for IN.
    var endpoint: UInt8
    /// Identifies the submission and the completion of one transfer.
    var id: UInt64
    var isSubmission: Bool
    /// Whether the transfer failed, so that its data is not valid.
    var hasFailed = false
    /// Offset in the buffer of the eight bytes that start a control transfer (USB 2.0, 9.3).
    var setup: Int?
    var parts: [Part] = []

    /// Whether data goes from the device to the host.
    var isIn: Bool { endpoint & 0x80 != 0 }
    /// Whether the record has the transfer's data: a submission that of OUT, a completion that of IN.
    var carriesData: Bool { isIn != isSubmission && !hasFailed }

    static let setupSize = 8

    /// Reads the pseudo-header of `record`; nil if it is incomplete or inconsistent.
    init?(_ record: CapturedPacket, _ header: USBHeader, in bytes: RawSpan) {
        switch header {
        case .linux(let order): self.init(linux: record.range, Self.linuxHeaderSize, order, bytes)
        case .linuxMapped(let order): self.init(linux: record.range, Self.linuxMappedHeaderSize, order, bytes)
        case .usbPcap: self.init(usbPcap: record.range, bytes)
        case .darwin: self.init(darwin: record.range, bytes)
        }
    }

    /// The captured part of `length` bytes at `start` of a record that ends at `end`.
    private static func part(at start: Int, _ length: Int, before end: Int) -> Part {
        let start = min(start, end)
        return Part(range: start..<min(start + length, end), length: length)
    }
}

/// The pseudo-header before the data of a USB transfer, by link type.
enum USBHeader: Hashable, Sendable {
    /// 48 bytes of Linux's usbmon, in the byte order of the file.
    case linux(ByteOrder)
    /// 64 bytes of usbmon.
    case linuxMapped(ByteOrder)
    /// The header of USBPcap, of variable length.
    case usbPcap
    /// The header of macOS, of variable length.
    case darwin

    /// Nil for other link types.
    init?(_ linkType: LinkType, _ order: ByteOrder) {
        switch linkType {
        case .usbLinux: self = .linux(order)
        case .usbLinuxMapped: self = .linuxMapped(order)
        case .usbPcap: self = .usbPcap
        case .usbDarwin: self = .darwin
        default: return nil
        }
    }
}

// MARK: - Linux

extension USBTransfer {
    private static let linuxHeaderSize = 48
    private static let linuxMappedHeaderSize = 64
    private static let linuxDescriptorSize = 16

    /// LINKTYPE_USB_LINUX and LINKTYPE_USB_LINUX_MMAPPED; `usbmon.rst` of the kernel.
    private init?(linux record: Range<Int>, _ headerSize: Int, _ order: ByteOrder, _ bytes: RawSpan) {
        guard record.count >= headerSize else { return nil }
        let start = record.lowerBound
        let event = bytes.byte(at: start + 8)
        // "S", "C" and "E": submission, completion and failed submission.
        guard event == 0x53 || event == 0x43 || event == 0x45 else { return nil }
        switch bytes.byte(at: start + 9) {
        case 0: kind = .isochronous
        case 1: kind = .interrupt
        case 2: kind = .control
        case 3: kind = .bulk
        default: return nil
        }
        id = bytes.integer(at: start, order)
        isSubmission = event == 0x53
        endpoint = bytes.byte(at: start + 10)
        device = UInt16(bytes.byte(at: start + 11))
        bus = bytes.integer(at: start + 12, order)
        hasFailed = !isSubmission && bytes.integer(at: start + 28, order, as: UInt32.self) != 0
        if kind == .control, isSubmission, bytes.byte(at: start + 14) == 0 { setup = start + 40 }
        let data = start + headerSize
        if kind == .isochronous {
            let count = Int(bytes.integer(at: start + (headerSize == 64 ? 60 : 44), order, as: UInt32.self))
            readLinuxDescriptors(count, data..<record.upperBound, order, bytes)
        } else {
            let length = Int(bytes.integer(at: start + 32, order, as: UInt32.self))
            let captured = Int(bytes.integer(at: start + 36, order, as: UInt32.self))
            let range = data..<min(data + captured, record.upperBound)
            parts = [Part(range: range, length: max(length, captured))]
        }
    }

    /// Reads isochronous descriptors, which come before the data: status, offset and length of each packet.
    private mutating func readLinuxDescriptors(
        _ count: Int, _ range: Range<Int>, _ order: ByteOrder, _ bytes: RawSpan
    ) {
        let data = range.lowerBound + count * Self.linuxDescriptorSize
        guard data <= range.upperBound else { return }
        for descriptor in stride(from: range.lowerBound, to: data, by: Self.linuxDescriptorSize)
        where isSubmission || bytes.integer(at: descriptor, order, as: UInt32.self) == 0 {
            let offset = Int(bytes.integer(at: descriptor + 4, order, as: UInt32.self))
            let length = Int(bytes.integer(at: descriptor + 8, order, as: UInt32.self))
            parts.append(Self.part(at: data + offset, length, before: range.upperBound))
        }
    }
}

// MARK: - USBPcap

extension USBTransfer {
    private static let usbPcapHeaderSize = 27
    private static let usbPcapIsochronousHeaderSize = 39
    private static let usbPcapPacketSize = 12

    /// LINKTYPE_USBPCAP; USBPcap's capture format specification.
    private init?(usbPcap record: Range<Int>, _ bytes: RawSpan) {
        let start = record.lowerBound
        guard record.count >= Self.usbPcapHeaderSize else { return nil }
        let headerSize = Int(bytes.littleEndian(at: start, as: UInt16.self))
        guard headerSize >= Self.usbPcapHeaderSize, headerSize <= record.count else { return nil }
        id = bytes.littleEndian(at: start + 2)
        hasFailed = bytes.littleEndian(at: start + 10, as: UInt32.self) & 0x8000_0000 != 0
        isSubmission = bytes.byte(at: start + 16) & 1 == 0
        bus = bytes.littleEndian(at: start + 17)
        device = bytes.littleEndian(at: start + 19)
        endpoint = bytes.byte(at: start + 21)
        switch bytes.byte(at: start + 22) {
        case 0: kind = .isochronous
        case 1: kind = .interrupt
        case 2: kind = .control
        case 3: kind = .bulk
        default: kind = nil
        }
        let length = Int(bytes.littleEndian(at: start + 23, as: UInt32.self))
        let data = start + headerSize
        if kind == .isochronous {
            readUSBPcapPackets(record, headerSize, length, bytes)
            return
        }
        parts = [Self.part(at: data, length, before: record.upperBound)]
        // Stage 0 starts a control transfer; the bytes of the setup come before its data.
        let hasStage = headerSize > Self.usbPcapHeaderSize
        if kind == .control, hasStage, bytes.byte(at: start + Self.usbPcapHeaderSize) == 0,
            length >= Self.setupSize, record.upperBound - data >= Self.setupSize
        {
            setup = data
            parts = [Self.part(at: data + Self.setupSize, length - Self.setupSize, before: record.upperBound)]
        }
    }

    /// Reads the offsets and lengths of isochronous packets, which end the header. Lengths of OUT are not set: a packet
    /// reaches up to the next one.
    private mutating func readUSBPcapPackets(
        _ record: Range<Int>, _ headerSize: Int, _ length: Int, _ bytes: RawSpan
    ) {
        guard headerSize >= Self.usbPcapIsochronousHeaderSize else { return }
        let first = record.lowerBound + Self.usbPcapIsochronousHeaderSize
        let stated = Int(bytes.littleEndian(at: record.lowerBound + 31, as: UInt32.self))
        let count = min(stated, (headerSize - Self.usbPcapIsochronousHeaderSize) / Self.usbPcapPacketSize)
        let data = record.lowerBound + headerSize
        for index in 0..<count {
            let packet = first + index * Self.usbPcapPacketSize
            let offset = Int(bytes.littleEndian(at: packet, as: UInt32.self))
            var size = Int(bytes.littleEndian(at: packet + 4, as: UInt32.self))
            if isIn {
                guard bytes.littleEndian(at: packet + 8, as: UInt32.self) == 0 else { continue }
            } else {
                let isLast = index == count - 1
                let end =
                    isLast ? length : Int(bytes.littleEndian(at: packet + Self.usbPcapPacketSize, as: UInt32.self))
                size = max(0, end - offset)
            }
            parts.append(Self.part(at: data + offset, size, before: record.upperBound))
        }
    }
}

// MARK: - macOS

extension USBTransfer {
    private static let darwinHeaderSize = 32
    private static let darwinFrameHeaderSize = 28
    /// kIOReturnUnderrun: less data than requested, which is valid.
    private static let darwinUnderrun: UInt32 = 0xE000_02E7

    /// LINKTYPE_USB_DARWIN.
    private init?(darwin record: Range<Int>, _ bytes: RawSpan) {
        let start = record.lowerBound
        guard record.count >= Self.darwinHeaderSize else { return nil }
        let headerSize = Int(bytes.byte(at: start + 2))
        guard headerSize >= Self.darwinHeaderSize, headerSize <= record.count else { return nil }
        isSubmission = bytes.byte(at: start + 3) == 0
        let status = bytes.littleEndian(at: start + 8, as: UInt32.self)
        hasFailed = !isSubmission && status != 0 && status != Self.darwinUnderrun
        id = bytes.littleEndian(at: start + 16)
        // The location's upper byte is the bus, its other digits are the ports of hubs.
        bus = UInt16(bytes.byte(at: start + 27))
        device = UInt16(bytes.byte(at: start + 29))
        endpoint = bytes.byte(at: start + 30)
        switch bytes.byte(at: start + 31) {
        case 0: kind = .control
        case 1: kind = .isochronous
        case 2: kind = .bulk
        case 3: kind = .interrupt
        default: kind = nil
        }
        let length = Int(bytes.littleEndian(at: start + 4, as: UInt32.self))
        var data = start + headerSize
        if kind == .isochronous {
            let count = Int(bytes.littleEndian(at: start + 12, as: UInt32.self))
            readDarwinFrames(count, data..<record.upperBound, bytes)
            return
        }
        if kind == .control, isSubmission, record.upperBound - data >= Self.setupSize {
            setup = data
            data += Self.setupSize
        }
        let range = data..<record.upperBound
        parts = [Part(range: range, length: max(length, range.count))]
    }

    /// Reads the frames of an isochronous transfer: a header each, then the data, padded to four bytes.
    private mutating func readDarwinFrames(_ count: Int, _ range: Range<Int>, _ bytes: RawSpan) {
        var position = range.lowerBound
        for _ in 0..<count {
            guard range.upperBound - position >= Self.darwinFrameHeaderSize else { return }
            let headerSize = Int(bytes.littleEndian(at: position, as: UInt32.self))
            guard headerSize >= Self.darwinFrameHeaderSize else { return }
            let length = Int(bytes.littleEndian(at: position + 4, as: UInt32.self))
            let status = bytes.littleEndian(at: position + 8, as: UInt32.self)
            position += headerSize
            guard isIn != isSubmission else { continue }
            if isSubmission || status == 0 || status == Self.darwinUnderrun {
                parts.append(Self.part(at: position, length, before: range.upperBound))
            }
            position += (length + 3) & ~3
        }
    }
}
