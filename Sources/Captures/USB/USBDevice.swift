import Bytes

/// A device of a USB capture: whether it is a Bluetooth adapter, and the state needed to read its transfers.
struct USBDevice {
    /// Identifies a device: its address on a bus, and the interface of a pcapng capture.
    struct Key: Hashable {
        var interface: UInt16
        var bus: UInt16
        var address: UInt16
    }

    enum Kind {
        case unknown, adapter, other
    }

    var kind = Kind.unknown
    /// Adapter number of a Bluetooth adapter.
    var adapter: UInt16?
    /// Endpoints of the Bluetooth interfaces, one bit each; 0 if no descriptor was captured.
    private var endpoints: UInt32 = 0
    /// The last request for a descriptor.
    var descriptorRequest: UInt64?
    /// A command whose parameters a record of its own carries, and their length.
    var command: (id: UInt64, length: Int)?
    var streams: [USBStream] = []
    /// Handles of isochronous streams, whose data shares endpoints with ACL or synchronous data.
    private(set) var isochronousHandles: Set<UInt16> = []

    /// Maximum number of handles of isochronous streams.
    private static let handleLimit = 256

    /// Whether an endpoint may belong to the Bluetooth interfaces.
    func uses(_ endpoint: UInt8) -> Bool { endpoints == 0 || endpoints & Self.bit(endpoint) != 0 }

    private static func bit(_ endpoint: UInt8) -> UInt32 {
        1 << (UInt32(endpoint & 0x0F) + (endpoint >= 0x80 ? 16 : 0))
    }
}

// MARK: - Descriptors

extension USBDevice {
    private enum DescriptorType {
        static let device: UInt8 = 1
        static let configuration: UInt8 = 2
        static let interface: UInt8 = 4
        static let endpoint: UInt8 = 5
    }

    /// Wireless Controller, RF Controller, Bluetooth Programming Interface (Vol 4, Part B, 3.1).
    private static let bluetoothClass: [UInt8] = [0xE0, 0x01, 0x01]
    private static let vendorClass: UInt8 = 0xFF
    /// Classes of devices whose interfaces have classes of their own: none, wireless, miscellaneous, vendor-specific.
    private static let openClasses: Set<UInt8> = [0x00, 0xE0, 0xEF, 0xFF]

    /// Reads the descriptors that the device returned (USB 2.0, 9.6).
    mutating func readDescriptors(_ range: Range<Int>, in bytes: RawSpan) {
        guard range.count >= 2 else { return }
        switch bytes.byte(at: range.lowerBound + 1) {
        case DescriptorType.device: readDevice(range, bytes)
        case DescriptorType.configuration: readConfiguration(range, bytes)
        default: break
        }
    }

    private static func classCodes(at offset: Int, _ bytes: RawSpan) -> [UInt8] {
        [bytes.byte(at: offset), bytes.byte(at: offset + 1), bytes.byte(at: offset + 2)]
    }

    private mutating func readDevice(_ range: Range<Int>, _ bytes: RawSpan) {
        guard range.count >= 7 else { return }
        let codes = Self.classCodes(at: range.lowerBound + 4, bytes)
        if codes == Self.bluetoothClass {
            kind = .adapter
        } else if !Self.openClasses.contains(codes[0]) {
            kind = .other
        }
    }

    private mutating func readConfiguration(_ range: Range<Int>, _ bytes: RawSpan) {
        var position = range.lowerBound
        var (isBluetooth, hasBluetooth, hasVendorClass) = (false, false, false)
        var found: UInt32 = 0
        while range.upperBound - position >= 2 {
            let length = Int(bytes.byte(at: position))
            guard length >= 2, range.upperBound - position >= length else { break }
            switch bytes.byte(at: position + 1) {
            case DescriptorType.interface where length >= 8:
                let codes = Self.classCodes(at: position + 5, bytes)
                isBluetooth = codes == Self.bluetoothClass
                hasBluetooth = hasBluetooth || isBluetooth
                hasVendorClass = hasVendorClass || codes[0] == Self.vendorClass
            case DescriptorType.endpoint where length >= 3 && isBluetooth:
                found |= Self.bit(bytes.byte(at: position + 2))
            default: break
            }
            position += length
        }
        if hasBluetooth {
            kind = .adapter
            endpoints = found
        } else if kind == .unknown, !hasVendorClass, range.count >= 4,
            position - range.lowerBound >= Int(bytes.littleEndian(at: range.lowerBound + 2, as: UInt16.self))
        {
            kind = .other
        }
    }
}

// MARK: - Handles

extension USBDevice {
    /// Whether data with the handle is that of an isochronous stream.
    func isIsochronous(_ handle: UInt16) -> Bool { isochronousHandles.contains(handle) }

    /// Forgets the connections when the host resets the controller.
    mutating func reset() { isochronousHandles = [] }

    /// Follows the handles in an event, which starts with its code.
    mutating func follow(_ event: [UInt8]) {
        func handle(at offset: Int) -> UInt16? {
            guard event.count >= offset + 2 else { return nil }
            return UInt16(event[offset]) | UInt16(event[offset + 1] & 0x0F) << 8
        }
        func handles(after offset: Int) -> [UInt16] {
            guard event.count > offset else { return [] }
            return (0..<Int(event[offset])).compactMap { handle(at: offset + 1 + 2 * $0) }
        }
        guard event.count > 3 else { return }
        switch (event[0], event[2]) {
        // Connection Complete and Disconnection Complete.
        case (0x03, 0), (0x05, 0):
            if let handle = handle(at: 3) { isochronousHandles.remove(handle) }
        // LE Connection Complete, LE Enhanced Connection Complete [v1] and [v2].
        case (0x3E, 0x01), (0x3E, 0x0A), (0x3E, 0x29):
            if let handle = handle(at: 4) { isochronousHandles.remove(handle) }
        // LE CIS Established [v1] and [v2].
        case (0x3E, 0x19), (0x3E, 0x2A):
            if event[3] == 0, let handle = handle(at: 4) { insert([handle]) }
        // LE Create BIG Complete, LE BIG Sync Established.
        case (0x3E, 0x1B):
            if event[3] == 0 { insert(handles(after: 20)) }
        case (0x3E, 0x1D):
            if event[3] == 0 { insert(handles(after: 16)) }
        default: break
        }
    }

    private mutating func insert(_ handles: [UInt16]) {
        for handle in handles where isochronousHandles.count < Self.handleLimit { isochronousHandles.insert(handle) }
    }
}
