import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// What the log of a host shows of its controller: addresses, advertising and scanning.
struct AdapterHistory {
    private(set) var addresses: Set<DeviceAddress> = []
    /// The command that started advertising; nil while it is off.
    private(set) var advertising: FrameReference?
    /// The frame that stopped it last: the host's command, or the event of a connection or of its duration's end.
    private(set) var stopped: FrameReference?
    /// The command that set the advertising parameters, and the filter policy in it: bit 1 restricts connections to
    /// devices on the filter accept list.
    private(set) var filter: (frame: FrameReference, policy: UInt8)?
    /// The command that directs advertising to one device.
    private(set) var directed: (frame: FrameReference, target: DeviceAddress)?
    private var scanning: FrameReference?
    private var scanTime = 0.0

    private static let addressLimit = 16

    func has(_ device: DeviceAddress) -> Bool { addresses.contains(device) }

    /// Whether the controller advertised at a frame, or whether it had stopped before: nil where it never had.
    func wasAdvertising(at frame: FrameReference) -> Bool? {
        if let advertising, advertising < frame { return true }
        guard let stopped else { return nil }
        return stopped > frame
    }

    /// For how long the controller had scanned, in seconds, up to a frame.
    func scanned(until frame: FrameReference) -> Double {
        scanTime + (scanning.map { max(0, frame.seconds(since: $0)) } ?? 0)
    }

    mutating func handle(_ event: Event) {
        switch event.content {
        case .command(let opcode): handle(opcode, ValueBytes(event.payload), event)
        case .event(.commandComplete, _):
            guard let complete = try? HCI.CommandComplete(decoding: Array(event.payload)),
                let status = complete.returnParameters.first
            else { return }
            let returned = ValueBytes(complete.returnParameters)
            switch complete.opcode {
            case .readBDADDR where status == 0:
                guard let low = returned.u32(1), let high = returned.u16(5) else { return }
                add(DeviceAddress(Address(value: UInt64(high) << 32 | UInt64(low)), .public))
            case .leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable: if status != 0 { advertising = nil }
            default: break
            }
        case .event(.leMeta, .connectionComplete), .event(.leMeta, .enhancedConnectionComplete),
            .event(.leMeta, .enhancedConnectionCompleteV2):
            // Legacy advertising ends with a connection as a peripheral.
            if event.bytes.u8(1) == 0, event.bytes.u8(4) == HCI.Role.peripheral.rawValue { stop(event.moment) }
        case .event(.leMeta, .advertisingSetTerminated): stop(event.moment)
        default: break
        }
    }

    private mutating func handle(_ opcode: HCI.Opcode, _ parameters: ValueBytes, _ event: Event) {
        switch opcode {
        case .reset: (advertising, filter, directed, scanning) = (nil, nil, nil, nil)
        case .leSetRandomAddress: addRandom(parameters, at: 0)
        case .leSetAdvertisingSetRandomAddress: addRandom(parameters, at: 1)
        case .leSetAdvertisingParameters:
            guard let command = try? HCI.LESetAdvertisingParameters(decoding: Array(event.payload)) else { return }
            filter = (event.moment, command.filterPolicy)
            let isDirected = command.type == 1 || command.type == 4
            directed = isDirected ? DeviceAddress(command.peer, command.peerType).map { (event.moment, $0) } : nil
        case .leSetExtendedAdvertisingParameters:
            // Advertising set, properties, two intervals, channels, own address type; then the peer and the policy.
            guard let properties = parameters.u16(1), let policy = parameters.u8(17) else { return }
            filter = (event.moment, policy)
            directed = properties & 0x04 != 0 ? parameters.device(at: 10).map { (event.moment, $0) } : nil
        case .leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable:
            if parameters.u8(0) == 0 {
                stop(event.moment)
            } else {
                advertising = event.moment
            }
        case .leSetScanEnable, .leSetExtendedScanEnable:
            scanTime = scanned(until: event.moment)
            scanning = parameters.u8(0) == 0 ? nil : event.moment
        default: break
        }
    }

    private mutating func stop(_ frame: FrameReference) {
        if advertising != nil { stopped = frame }
        advertising = nil
    }

    private mutating func addRandom(_ parameters: ValueBytes, at offset: Int) {
        guard let low = parameters.u32(offset), let high = parameters.u16(offset + 4) else { return }
        add(DeviceAddress(Address(value: UInt64(high) << 32 | UInt64(low)), .random))
    }

    private mutating func add(_ address: DeviceAddress) {
        if addresses.count < Self.addressLimit { addresses.insert(address) }
    }
}
