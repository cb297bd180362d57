package import Bluetooth
package import Bytes
package import PluginKit

/// The connection parameters in force, as far as the capture shows them.
package struct LinkParameters: Sendable, Hashable {
    /// Interval, latency and supervision timeout of an LE connection.
    package private(set) var timing: ConnectionParameters?
    package private(set) var subrate: Subrate?
    package private(set) var dataLength: DataLength?
    package private(set) var phys: PHYs?
    /// LE features of the remote device, one bit each (Vol 6, Part B, 4.6).
    package private(set) var remoteFeatures: UInt64?
    /// Transmit power of the local and of the remote device.
    package private(set) var localPower: TransmitPower?
    package private(set) var remotePower: TransmitPower?

    /// The subset of connection events in use (Vol 6, Part B, 4.5.1).
    package struct Subrate: Sendable, Hashable {
        package var factor: UInt16
        package var continuationNumber: UInt16
    }

    /// The longest payloads of data PDUs, in bytes.
    package struct DataLength: Sendable, Hashable {
        package var sent: UInt16
        package var received: UInt16
    }

    /// The PHY of each direction, numbered as in HCI; nil where it is unchanged.
    package struct PHYs: Sendable, Hashable {
        package var sent: HCI.PHY?
        package var received: HCI.PHY?

        package var sentName: String? { sent.map(Self.name) }
        package var receivedName: String? { received.map(Self.name) }

        private static func name(_ phy: HCI.PHY) -> String { phy.name ?? "PHY \(phy.rawValue)" }
    }

    /// A transmit power on a PHY.
    package struct TransmitPower: Sendable, Hashable {
        package var isRemote: Bool
        /// LE 1M, LE 2M, LE Coded with S=8 and S=2, numbered from 1 (Vol 4, Part E, 7.7.65.33).
        package var phy: UInt8
        /// In dBm.
        package var level: Int8
    }

    mutating func apply(_ change: LinkChange) {
        timing = change.applied(to: timing)
        switch change {
        case .subrate(let subrate, _, _): self.subrate = subrate
        case .dataLength(let length): dataLength = length
        case .phys(let phys):
            self.phys = PHYs(sent: phys.sent ?? self.phys?.sent, received: phys.received ?? self.phys?.received)
        case .remoteFeatures(let features): remoteFeatures = features
        case .power(let power): if power.isRemote { remotePower = power } else { localPower = power }
        case .timing, .mtu, .encryption: break
        }
    }
}

/// A change of a connection's parameters.
package enum LinkChange: Sendable, Hashable {
    case timing(ConnectionParameters)
    /// Includes the latency, in subrated connection events, and the supervision timeout, in units of 10 ms.
    case subrate(LinkParameters.Subrate, latency: UInt16, timeout: UInt16)
    case dataLength(LinkParameters.DataLength)
    case phys(LinkParameters.PHYs)
    case remoteFeatures(UInt64)
    case power(LinkParameters.TransmitPower)
    /// ATT_MTU of the unenhanced bearer, in bytes.
    case mtu(UInt16)
    case encryption(Bool)

    /// The interval, latency and supervision timeout after the change.
    func applied(to timing: ConnectionParameters?) -> ConnectionParameters? {
        switch self {
        case .timing(let timing): return timing
        case .subrate(_, let latency, let timeout):
            var timing = timing
            timing?.latency = latency
            timing?.timeout = timeout
            return timing
        case .dataLength, .phys, .remoteFeatures, .power, .mtu, .encryption: return timing
        }
    }

    /// A change with its frame.
    package struct Record: Sendable, Hashable {
        package var change: LinkChange
        package var frame: Int
        package var time: Timestamp
    }
}

extension LinkChange: CustomStringConvertible {
    package var description: String {
        switch self {
        case .timing(let timing):
            "interval \(timing.intervalText), latency \(timing.latency), timeout \(10 * Int(timing.timeout)) ms"
        case .subrate(let subrate, let latency, let timeout):
            "subrate factor \(subrate.factor), continuation number \(subrate.continuationNumber), latency \(latency), "
                + "timeout \(10 * Int(timeout)) ms"
        case .dataLength(let length): "data length \(length.sent) bytes sent, \(length.received) received"
        case .phys(let phys):
            [(phys.sentName, "sent"), (phys.receivedName, "received")].compactMap { name, direction in
                name.map { "\($0) \(direction)" }
            }.joined(separator: ", ")
        case .remoteFeatures(let features): "remote features 0x\(String(hex: features, digits: 16))"
        case .power(let power): "transmit power \(power.level) dBm \(power.isRemote ? "remote" : "local")"
        case .mtu(let mtu): "MTU \(mtu)"
        case .encryption(let isOn): isOn ? "encrypted" : "not encrypted"
        }
    }
}

extension ConnectionParameters {
    /// The interval, in milliseconds.
    package var milliseconds: Double { Double(interval) * 1.25 }

    /// The interval with its unit, with only the decimals that it needs.
    package var intervalText: String {
        milliseconds == milliseconds.rounded() ? "\(Int(milliseconds)) ms" : "\(milliseconds) ms"
    }
}

// MARK: - HCI events

extension LinkChange {
    /// The change that an LE event reports for its connection; nil for others. `parameters` follow the subevent code.
    init?(_ subevent: HCI.LESubevent, _ parameters: ArraySlice<UInt8>) {
        switch subevent {
        case .connectionUpdateComplete:
            guard let event = try? HCI.LEConnectionUpdateComplete(decoding: Array(parameters)),
                event.status == .success
            else { return nil }
            self = .timing(
                ConnectionParameters(
                    interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout))
        case .dataLengthChange:
            guard let event = try? HCI.LEDataLengthChange(decoding: Array(parameters)) else { return nil }
            self = .dataLength(.init(sent: event.maxTxOctets, received: event.maxRxOctets))
        case .phyUpdateComplete:
            guard let event = try? HCI.LEPHYUpdateComplete(decoding: Array(parameters)), event.status == .success
            else { return nil }
            self = .phys(.init(sent: event.txPHY, received: event.rxPHY))
        default: self.init(rowOf: subevent, parameters)
        }
    }

    /// The change in an event that has no struct and is read by its table row.
    private init?(rowOf subevent: HCI.LESubevent, _ parameters: ArraySlice<UInt8>) {
        guard [.readRemoteFeaturesComplete, .transmitPowerReporting, .subrateChange].contains(subevent),
            let row = HCI.LEEventRow.table[subevent], let values = RowValues(row.parameters, parameters),
            values["status"] == 0
        else { return nil }
        switch subevent {
        case .readRemoteFeaturesComplete:
            guard let features = values["le_features"] else { return nil }
            self = .remoteFeatures(features)
        case .transmitPowerReporting:
            guard let phy = values["phy_and_coding"], let level = values["transmit_power_level"],
                let reason = values["power_report_reason"], level != 0x7E, level != 0x7F
            else { return nil }
            // Reason 0 is a change of the local device; 1 and 2 concern the remote one. 0x7E and 0x7F are not levels.
            self = .power(
                .init(
                    isRemote: reason != 0, phy: UInt8(truncatingIfNeeded: phy), level: Int8(truncatingIfNeeded: level)))
        default:
            guard let factor = values["subrate_factor"], let number = values["continuation_number"],
                let latency = values["le_con_latency"], let timeout = values["le_supv_timeout"]
            else { return nil }
            self = .subrate(
                .init(
                    factor: UInt16(truncatingIfNeeded: factor),
                    continuationNumber: UInt16(truncatingIfNeeded: number)),
                latency: UInt16(truncatingIfNeeded: latency), timeout: UInt16(truncatingIfNeeded: timeout))
        }
    }

    /// The change that the return parameters of LE Read PHY report; nil for those of other commands.
    init?(returnedBy opcode: HCI.Opcode, _ parameters: ArraySlice<UInt8>) {
        guard opcode == .leReadPHY, let layout = HCI.CommandRow.table[opcode]?.returnParameters,
            let values = RowValues(layout, parameters), values["status"] == 0, let sent = values["le_tx_phy"],
            let received = values["le_rx_phy"]
        else { return nil }
        self = .phys(
            .init(
                sent: HCI.PHY(rawValue: UInt8(truncatingIfNeeded: sent)),
                received: HCI.PHY(rawValue: UInt8(truncatingIfNeeded: received))))
    }
}

/// Numeric parameters of an event, read by its table row, by the suffixes of their fields' names.
private struct RowValues {
    private let values: [String: HCI.Value]

    init?(_ layout: [HCI.Parameter], _ parameters: ArraySlice<UInt8>) {
        var reader = ByteReader(parameters.span)
        guard let values = try? HCI.readValues(layout, .event, from: &reader) else { return nil }
        self.values = values
    }

    subscript(name: String) -> UInt64? {
        if case .number(let number) = values["bthci_evt." + name] { number } else { nil }
    }
}

extension HCI.LEConnectionComplete {
    var timing: ConnectionParameters {
        ConnectionParameters(interval: interval, latency: latency, timeout: supervisionTimeout)
    }
}

extension HCI.LEEnhancedConnectionComplete {
    var timing: ConnectionParameters {
        ConnectionParameters(interval: interval, latency: latency, timeout: supervisionTimeout)
    }
}
