package import Bytes

extension CaptureBuilder {
    /// A record of a USB capture, as each pseudo-header states it.
    package struct USBRecord: Sendable {
        package enum Kind: UInt8, Sendable {
            case isochronous = 0
            case interrupt, control, bulk
        }

        package var kind: Kind
        package var endpoint: UInt8
        package var isSubmission: Bool
        package var id: UInt64 = 1
        package var bus: UInt8 = 1
        package var device: UInt8 = 5
        package var setup: [UInt8] = []
        package var data: [UInt8] = []
        /// Length of the data on the bus.
        package var length: Int?
        package var status: UInt32 = 0
        /// Lengths of the isochronous packets in `data`.
        package var packets: [Int] = []

        package init(_ kind: Kind, _ endpoint: UInt8, isSubmission: Bool, _ data: [UInt8] = [], packets: [Int] = []) {
            self.kind = kind
            self.endpoint = endpoint
            self.isSubmission = isSubmission
            self.data = data
            self.packets = packets
        }

        /// The same record of another device.
        package func of(device: UInt8, bus: UInt8 = 1) -> USBRecord {
            var record = self
            record.device = device
            record.bus = bus
            return record
        }

        /// The record with the pseudo-header of a link type.
        package func bytes(_ linkType: UInt32, _ order: ByteOrder = .littleEndian) -> [UInt8] {
            switch linkType {
            case 189: linux(order, isMapped: false)
            case 220: linux(order, isMapped: true)
            case 249: usbPcap
            default: darwin
            }
        }
    }
}

// MARK: - Transfers

extension CaptureBuilder.USBRecord {
    /// The submission of a command, with its parameters.
    package static func command(_ packet: [UInt8]) -> Self {
        var record = Self(.control, 0x00, isSubmission: true, packet)
        record.setup = [0x20, 0, 0, 0, 0, 0, UInt8(packet.count), 0]
        return record
    }

    /// The completion of a transfer of IN.
    package static func received(_ kind: Kind, _ endpoint: UInt8, _ data: [UInt8], packets: [Int] = []) -> Self {
        Self(kind, endpoint, isSubmission: false, data, packets: packets)
    }

    /// The submission of a transfer of OUT.
    package static func sent(_ kind: Kind, _ endpoint: UInt8, _ data: [UInt8], packets: [Int] = []) -> Self {
        Self(kind, endpoint, isSubmission: true, data, packets: packets)
    }

    /// The request for a descriptor, and its response.
    package static func descriptor(_ type: UInt8, _ data: [UInt8], id: UInt64) -> [Self] {
        var request = Self(.control, 0x80, isSubmission: true)
        request.setup = [0x80, 6, 0, type, 0, 0, UInt8(data.count), 0]
        request.length = data.count
        var response = Self(.control, 0x80, isSubmission: false, data)
        (request.id, response.id) = (id, id)
        return [request, response]
    }

    /// The device descriptor of a Bluetooth adapter.
    package static let adapterDevice = hex("12 01 0002 e0 01 01 40 3412 7856 0001 00 00 00 01")
    /// Its configuration: interface 0 with endpoints 81 (interrupt), 02 and 82 (bulk), interface 1 with 03 and 83
    /// (isochronous).
    package static let adapterConfiguration = hex(
        """
        09 02 3e00 02 01 00 e0 32
        09 04 00 00 03 e0 01 01 00  07 05 81 03 1000 01  07 05 02 02 4000 00  07 05 82 02 4000 00
        09 04 01 01 02 e0 01 01 00  07 05 03 01 0900 01  07 05 83 01 0900 01
        """)
    /// The requests for an adapter's descriptors, and the responses.
    package static let adapterDescriptors =
        descriptor(1, adapterDevice, id: 71) + descriptor(2, adapterConfiguration, id: 72)

    /// The device and configuration descriptor of a keyboard.
    package static let keyboardDevice = hex("12 01 0002 00 00 00 08 6d04 1cc3 0001 00 00 00 01")
    package static let keyboardConfiguration = hex(
        "09 02 2200 01 01 00 a0 32  09 04 00 00 01 03 01 01 00  09 21 1001 00 01 22 4100  07 05 81 03 0800 0a")
}

// MARK: - Pseudo-headers

extension CaptureBuilder.USBRecord {
    private var wireLength: UInt32 { UInt32(length ?? data.count) }

    /// `usbmon.rst` of the kernel: 48 bytes, or 64 with the memory-mapped interface.
    private func linux(_ order: ByteOrder, isMapped: Bool) -> [UInt8] {
        func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] { CaptureBuilder.integer(value, order) }
        var offset: UInt32 = 0
        let descriptors = packets.flatMap { size -> [UInt8] in
            defer { offset += UInt32(size) }
            return [0, offset, UInt32(size), 0].flatMap { number($0) }
        }
        var bytes = number(id)
        bytes += [isSubmission ? 0x53 : 0x43, kind.rawValue, endpoint, device]
        bytes += number(UInt16(bus))
        bytes += [setup.isEmpty ? 0x2D : 0, data.isEmpty ? 0x3C : 0]
        bytes += number(1_674_874_116 as Int64)
        bytes += [395_644, status, wireLength, UInt32(descriptors.count + data.count)].flatMap { number($0) }
        if kind == .isochronous {
            bytes += number(0 as UInt32) + number(UInt32(packets.count))
        } else {
            bytes += setup.isEmpty ? [UInt8](repeating: 0, count: 8) : setup
        }
        if isMapped {
            bytes += [0, 0, 0, UInt32(packets.count)].flatMap { number($0) }
        }
        return bytes + descriptors + data
    }

    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        CaptureBuilder.integer(value, .littleEndian)
    }

    /// USBPcap's capture format specification: 27 bytes, then the stage of a control transfer or the packets of an
    /// isochronous one.
    private var usbPcap: [UInt8] {
        var more: [UInt8] = []
        switch kind {
        case .control: more = [isSubmission ? 0 : 3]
        case .isochronous:
            more = Self.little(0 as UInt32) + Self.little(UInt32(packets.count)) + Self.little(0 as UInt32)
            var offset: UInt32 = 0
            for size in packets {
                // The length of a packet of OUT is not set.
                more += Self.little(offset) + Self.little(isSubmission ? 0 : UInt32(size)) + Self.little(0 as UInt32)
                offset += UInt32(size)
            }
        case .bulk, .interrupt: break
        }
        // A request of IN has no data.
        let size = isSubmission && endpoint >= 0x80 ? data.count : Int(wireLength)
        var bytes = Self.little(UInt16(27 + more.count))
        bytes += Self.little(id)
        bytes += Self.little(status)
        bytes += Self.little(9 as UInt16)
        bytes += [isSubmission ? 0 : 1]
        bytes += Self.little(UInt16(bus))
        bytes += Self.little(UInt16(device))
        bytes += [endpoint, kind.rawValue]
        bytes += Self.little(UInt32(setup.count + size))
        return bytes + more + setup + data
    }

    /// LINKTYPE_USB_DARWIN: 32 bytes, then the setup of a control transfer or frames with a header of 28 bytes each.
    private var darwin: [UInt8] {
        let type: UInt8 =
            switch kind {
            case .control: 0
            case .isochronous: 1
            case .bulk: 2
            case .interrupt: 3
            }
        var body = setup + data
        if kind == .isochronous {
            body = []
            var offset = 0
            for size in packets {
                body += Self.little(28 as UInt32) + Self.little(UInt32(size)) + Self.little(0 as UInt32)
                body += Self.little(0 as UInt64) + Self.little(0 as UInt64)
                body += CaptureBuilder.pad(Array(data[offset..<(offset + size)]))
                offset += size
            }
        }
        var bytes = Self.little(0x0100 as UInt16)
        bytes += [32, isSubmission ? 0 : 1]
        bytes += Self.little(wireLength)
        bytes += Self.little(status)
        bytes += Self.little(UInt32(packets.count))
        bytes += Self.little(id)
        bytes += Self.little(UInt32(bus) << 24 | 0x0010_0000)
        bytes += [1, device, endpoint, type]
        return bytes + body
    }
}
