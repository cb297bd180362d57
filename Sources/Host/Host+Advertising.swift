package import Bluetooth
import Bytes

extension Host {
    /// Advertising data and parameters of a peripheral.
    package struct AdvertisingSettings: Hashable, Sendable {
        /// Type of advertising.
        package enum Kind: Hashable, Sendable {
            /// Any device may connect or send a scan request.
            case connectable
            /// Any device may send a scan request.
            case scannable
            case nonconnectable
            /// Directed advertising: only this device may connect.
            case directed(DeviceAddress)
        }

        package var kind = Kind.connectable
        /// AD structures: 31 bytes in legacy PDUs, up to 1650 in extended ones.
        package var data: [UInt8]
        package var scanResponse: [UInt8]
        /// 0x20 to 0x4000, in units of 0.625 ms.
        package var interval: ClosedRange<UInt16>
        /// Whether to use legacy PDUs, which every scanner receives. Connectable extended advertising here has no scan
        /// response, because it is not scannable.
        package var isLegacy = true
        /// Whether advertising resumes after a central disconnects.
        package var resumes = true

        package init(data: [UInt8], scanResponse: [UInt8] = [], interval: ClosedRange<UInt16> = 0xA0...0xA0) {
            self.data = data
            self.scanResponse = scanResponse
            self.interval = interval
        }
    }
}

extension Host.AdvertisingSettings {
    /// Whether both describe the same legacy advertising with different data.
    fileprivate func differsInDataOnly(from other: Self) -> Bool {
        var changed = self
        (changed.data, changed.scanResponse) = (other.data, other.scanResponse)
        return isLegacy && changed == other
    }
}

/// State of advertising.
struct Advertiser: Sendable {
    /// Current settings, kept for resuming after a disconnection.
    var settings: Host.AdvertisingSettings?
    /// Whether the controller is advertising.
    var isOn = false
}

extension Host {
    /// Steps of advertising, in order.
    enum AdvertisingStep: Hashable, Sendable {
        case parameters, address, data, scanResponse, enable, disable
        /// Disabled temporarily to be restarted; reports no event.
        case pause
    }

    mutating func advertise(_ settings: AdvertisingSettings) {
        let maximum = settings.isLegacy || !usesExtended ? 31 : controller.maximumAdvertisingData
        guard settings.data.count <= maximum, settings.scanResponse.count <= maximum else {
            return report(.refused(.dataTooLong(maximum: maximum)))
        }
        if advertiser.isOn, advertiser.settings?.differsInDataOnly(from: settings) == true {
            advertiser.settings = settings
            return replaceData(by: settings)
        }
        if advertiser.isOn { stopAdvertising(forGood: false) }
        advertiser.settings = settings
        if usesExtended { advertiseExtended(settings) } else { advertiseLegacy(settings) }
    }

    /// Replaces the data without stopping advertising (Vol 4, Part E, 7.8.7 and 7.8.54).
    private mutating func replaceData(by settings: AdvertisingSettings) {
        if usesExtended {
            sendExtended(data: settings.data)
            sendExtended(scanResponse: settings.scanResponse)
        } else {
            command(HCI.LESetAdvertisingData(data: settings.data), for: .advertise(.data))
            command(HCI.LESetScanResponseData(data: settings.scanResponse), for: .advertise(.scanResponse))
        }
    }

    mutating func stopAdvertising(forGood: Bool) {
        if forGood { advertiser.settings = nil } else { advertiser.isOn = false }
        enableAdvertising(false, for: .advertise(forGood ? .disable : .pause))
    }

    /// Resumes advertising after a disconnection.
    mutating func resumeAdvertising() {
        guard stage == .ready, !advertiser.isOn, let settings = advertiser.settings, settings.resumes else { return }
        advertise(settings)
    }

    /// The controller stopped advertising because a central connected (Vol 6, Part B, 4.4.2.4.3).
    mutating func advertisingEnded() {
        guard advertiser.isOn else { return }
        advertiser.isOn = false
        if advertiser.settings?.resumes == false { advertiser.settings = nil }
        report(.advertisingStopped)
    }

    mutating func answered(_ step: AdvertisingStep, _ answer: CommandQueue<Purpose>.Answer, at now: Timestamp) {
        guard answer.status == .success else {
            // Disabling fails if advertising is already off. Steps after a refused one are refused too, without a
            // report.
            if step == .pause || step == .disable || advertiser.settings == nil { return }
            advertiser.settings = nil
            advertiser.isOn = false
            return report(.advertisingFailed(answer.status))
        }
        switch step {
        case .enable:
            advertiser.isOn = true
            report(.advertisingStarted(ownAddress))
        case .disable:
            advertiser.isOn = false
            report(.advertisingStopped)
        default: break
        }
    }

    private mutating func enableAdvertising(_ isOn: Bool, for purpose: Purpose) {
        guard usesExtended else { return command(HCI.LESetAdvertisingEnable(enable: isOn), for: purpose) }
        command(HCI.LESetExtendedAdvertisingEnable(isEnabled: isOn, set: Self.advertisingSet), for: purpose)
    }

    private mutating func advertiseLegacy(_ settings: AdvertisingSettings) {
        var parameters = HCI.LESetAdvertisingParameters(
            intervalMin: settings.interval.lowerBound, intervalMax: settings.interval.upperBound,
            ownType: ownAddressType)
        switch settings.kind {
        case .connectable: parameters.type = 0
        case .scannable: parameters.type = 2
        case .nonconnectable: parameters.type = 3
        case .directed(let peer):
            parameters.type = 4
            parameters.peerType = HCI.AddressType(rawValue: peer.kind.rawValue)
            parameters.peer = peer.address
        }
        command(parameters, for: .advertise(.parameters))
        if parameters.type != 4 {
            command(HCI.LESetAdvertisingData(data: settings.data), for: .advertise(.data))
            command(HCI.LESetScanResponseData(data: settings.scanResponse), for: .advertise(.scanResponse))
        }
        enableAdvertising(true, for: .advertise(.enable))
    }
}

// MARK: - Extended advertising

extension Host {
    /// Handle of the only advertising set in use.
    private static let advertisingSet: UInt8 = 0
    /// Maximum data per command, in bytes.
    private static let fragmentSize = 251

    private mutating func advertiseExtended(_ settings: AdvertisingSettings) {
        var parameters = HCI.LESetExtendedAdvertisingParameters(
            set: Self.advertisingSet, properties: settings.isLegacy ? .legacy : [], interval: settings.interval,
            ownType: ownAddressType)
        switch settings.kind {
        case .connectable:
            parameters.properties.formUnion(settings.isLegacy ? [.connectable, .scannable] : .connectable)
        case .scannable: parameters.properties.insert(.scannable)
        case .nonconnectable: break
        case .directed(let peer):
            parameters.properties.formUnion([.connectable, .directed])
            parameters.peerType = HCI.AddressType(rawValue: peer.kind.rawValue)
            parameters.peer = peer.address
        }
        command(parameters, for: .advertise(.parameters))
        if let randomAddress, configuration.addressing != .public {
            command(
                HCI.LESetAdvertisingSetRandomAddress(set: Self.advertisingSet, address: randomAddress),
                for: .advertise(.address))
        }
        switch settings.kind {
        case .directed: break
        case .connectable, .nonconnectable:
            sendExtended(data: settings.data)
            if settings.isLegacy { sendExtended(scanResponse: settings.scanResponse) }
        case .scannable:
            // With extended PDUs, a scannable set has data only in its scan response.
            if settings.isLegacy { sendExtended(data: settings.data) }
            sendExtended(scanResponse: settings.scanResponse)
        }
        enableAdvertising(true, for: .advertise(.enable))
    }

    private mutating func sendExtended(data: [UInt8]) {
        for fragment in Self.fragments(of: data) {
            command(HCI.LESetExtendedAdvertisingData(fragment), for: .advertise(.data))
        }
    }

    private mutating func sendExtended(scanResponse: [UInt8]) {
        for fragment in Self.fragments(of: scanResponse) {
            command(HCI.LESetExtendedScanResponseData(fragment), for: .advertise(.scanResponse))
        }
    }

    /// Splits data into fragments, one per command.
    private static func fragments(of data: [UInt8]) -> [HCI.DataFragment] {
        let starts = Array(stride(from: 0, to: max(1, data.count), by: fragmentSize))
        return starts.enumerated().map { index, start in
            let (isFirst, isLast) = (index == 0, index == starts.count - 1)
            return HCI.DataFragment(
                set: advertisingSet,
                operation: isFirst ? (isLast ? .complete : .first) : isLast ? .last : .intermediate,
                bytes: Array(data[start..<min(start + fragmentSize, data.count)]))
        }
    }
}
