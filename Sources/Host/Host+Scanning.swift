package import Bluetooth
import Bytes

extension Host {
    /// Scan parameters and filters.
    package struct ScanSettings: Hashable, Sendable {
        /// Whether to send scan requests.
        package var isActive = true
        /// 4 to 0x4000, in units of 0.625 ms.
        package var interval: UInt16 = 0x60
        /// 4 to the interval, in units of 0.625 ms.
        package var window: UInt16 = 0x60
        /// Whether the controller reports each advertiser only once.
        package var filtersDuplicates = true
        /// Devices to report; empty for all. A bonded device also matches by its identity address.
        package var devices: Set<DeviceAddress> = []
        /// Report only devices that advertise one of these services; empty for all.
        package var services: Set<UUID> = []
        /// Report only devices whose name has this prefix.
        package var namePrefix = ""
        /// Minimum RSSI to report, in dBm.
        package var minimumRSSI: Int8 = -128

        package init() {}
    }
}

extension Host {
    /// An advertisement or scan response received by a scanner.
    package struct Advertisement: Hashable, Sendable {
        /// Address on the air.
        package var address: DeviceAddress
        /// The advertiser's identity address, if a bond's key resolves its address.
        package var identity: DeviceAddress?
        package var isConnectable: Bool
        package var isScannable: Bool
        package var isScanResponse: Bool
        /// In dBm; 127 if unknown.
        package var rssi: Int8
        package var data: [UInt8]

        /// AD structures of the data.
        package var structures: GAP.AdvertisingData { GAP.AdvertisingData(decoding: data) }

        /// The complete or shortened local name.
        package var name: String? {
            let structures = structures
            return (structures[.completeLocalName] ?? structures[.shortenedLocalName]).map {
                String(decoding: $0, as: UTF8.self)
            }
        }

        /// The service UUIDs listed in the data.
        package var services: Set<UUID> {
            let structures = structures
            return Set(
                structures.values(.completeUUIDs16, as: GAP.UUIDs16.self).flatMap(\.uuids)
                    + structures.values(.incompleteUUIDs16, as: GAP.UUIDs16.self).flatMap(\.uuids)
                    + structures.values(.completeUUIDs128, as: GAP.UUIDs128.self).flatMap(\.uuids)
                    + structures.values(.incompleteUUIDs128, as: GAP.UUIDs128.self).flatMap(\.uuids))
        }
    }
}

/// State of scanning.
struct Scanner: Sendable {
    /// Settings of the current scan; nil if scanning was not requested.
    var settings: Host.ScanSettings?
    /// Whether the controller is scanning.
    var isOn = false
    /// Incomplete data of extended advertising, by advertiser.
    var partial: [PartKey: [UInt8]] = [:]

    /// Identifies an advertiser's data.
    struct PartKey: Hashable, Sendable {
        var address: DeviceAddress
        var set: UInt8
    }

    /// Maximum number of advertisers whose data is reassembled at the same time.
    static let capacity = 64
    /// Maximum length of extended advertising data, in bytes (Vol 6, Part B, 2.3.4.9).
    static let maximumData = 1650
}

extension Host {
    /// Steps of scanning, in order.
    enum ScanStep: Hashable, Sendable {
        case parameters, enable, disable
        /// Disabled temporarily to be restarted; reports no event.
        case pause
    }

    mutating func scan(_ settings: ScanSettings) {
        if scanner.isOn { enableScanning(false, for: .scan(.pause)) }
        scanner.settings = settings
        if usesExtended {
            command(
                HCI.LESetExtendedScanParameters(
                    ownType: ownAddressType, isActive: settings.isActive, interval: settings.interval,
                    window: settings.window), for: .scan(.parameters))
        } else {
            command(
                HCI.LESetScanParameters(
                    type: settings.isActive ? 1 : 0, interval: settings.interval, window: settings.window,
                    ownType: ownAddressType), for: .scan(.parameters))
        }
        enableScanning(true, for: .scan(.enable))
    }

    mutating func stopScanning() {
        enableScanning(false, for: .scan(.disable))
        scanner.settings = nil
        scanner.partial = [:]
    }

    private mutating func enableScanning(_ isOn: Bool, for purpose: Purpose) {
        let filter = scanner.settings?.filtersDuplicates ?? false
        guard usesExtended else {
            return command(HCI.LESetScanEnable(enable: isOn, filterDuplicates: filter), for: purpose)
        }
        command(HCI.LESetExtendedScanEnable(isEnabled: isOn, filtersDuplicates: filter), for: purpose)
    }

    mutating func answered(_ step: ScanStep, _ answer: CommandQueue<Purpose>.Answer) {
        guard answer.status == .success else {
            if step == .pause || step == .disable || scanner.settings == nil { return }
            scanner.settings = nil
            scanner.isOn = false
            return report(.scanningFailed(answer.status))
        }
        switch step {
        case .parameters: break
        case .enable:
            scanner.isOn = true
            report(.scanningStarted)
        case .disable:
            scanner.isOn = false
            report(.scanningStopped)
        case .pause: scanner.isOn = false
        }
    }
}

// MARK: - Reports

extension Host {
    mutating func received(_ event: HCI.LEAdvertisingReport) {
        for report in event.reports {
            guard let kind = report.addressType.kind else { continue }
            received(
                Advertisement(
                    address: DeviceAddress(report.address, kind), isConnectable: report.eventType <= 1,
                    isScannable: report.eventType == 0 || report.eventType == 2,
                    isScanResponse: report.eventType == 4, rssi: report.rssi, data: report.data))
        }
    }

    mutating func received(_ event: HCI.LEExtendedAdvertisingReport) {
        for report in event.reports {
            guard let kind = report.addressType.kind else { continue }
            let address = DeviceAddress(report.address, kind)
            let key = Scanner.PartKey(address: address, set: report.sid)
            let data = (scanner.partial[key] ?? []) + report.data
            scanner.partial[key] = nil
            if report.dataStatus == .moreToCome {
                if scanner.partial.count < Scanner.capacity, data.count <= Scanner.maximumData {
                    scanner.partial[key] = data
                }
                continue
            }
            received(
                Advertisement(
                    address: address, isConnectable: report.eventType & 1 != 0,
                    isScannable: report.eventType & 2 != 0, isScanResponse: report.isScanResponse,
                    rssi: report.rssi, data: data))
        }
    }

    private mutating func received(_ advertisement: Advertisement) {
        guard let settings = scanner.settings else { return }
        var advertisement = advertisement
        advertisement.identity = bonds.bond(at: advertisement.address)?.peer
        guard advertisement.rssi >= settings.minimumRSSI,
            settings.devices.isEmpty || settings.devices.contains(advertisement.address)
                || advertisement.identity.map(settings.devices.contains) == true,
            settings.services.isEmpty || !settings.services.isDisjoint(with: advertisement.services),
            settings.namePrefix.isEmpty || advertisement.name?.hasPrefix(settings.namePrefix) == true
        else { return }
        report(.advertisement(advertisement))
    }
}
