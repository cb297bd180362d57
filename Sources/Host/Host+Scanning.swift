package import Bluetooth
import Bytes

extension Host {
    /// What a scanner listens for.
    package struct ScanSettings: Hashable, Sendable {
        /// Whether scan responses are asked for.
        package var isActive = true
        /// 4 to 0x4000, in 0.625 ms.
        package var interval: UInt16 = 0x60
        /// 4 to the interval, in 0.625 ms.
        package var window: UInt16 = 0x60
        /// Whether the controller reports each advertiser once.
        package var filtersDuplicates = true
        /// Only these devices are reported; empty: all. A bonded one is known by its identity address too.
        package var devices: Set<DeviceAddress> = []
        /// Only devices that advertise one of these services are reported; empty: all.
        package var services: Set<UUID> = []
        /// Only devices whose name begins so are reported.
        package var namePrefix = ""
        /// Only what was received with at least this power is reported, in dBm.
        package var minimumRSSI: Int8 = -128

        package init() {}
    }
}

extension Host {
    /// One advertising event, or scan response, that a scanner has received.
    package struct Advertisement: Hashable, Sendable {
        /// As it was on the air.
        package var address: DeviceAddress
        /// The advertiser's identity address, where a bond's key resolves it.
        package var identity: DeviceAddress?
        package var isConnectable: Bool
        package var isScannable: Bool
        package var isScanResponse: Bool
        /// In dBm; 127 where it is not known.
        package var rssi: Int8
        package var data: [UInt8]

        /// The data's AD structures.
        package var structures: GAP.AdvertisingData { GAP.AdvertisingData(decoding: data) }

        /// The name that the data has, whole or its beginning.
        package var name: String? {
            let structures = structures
            return (structures[.completeLocalName] ?? structures[.shortenedLocalName]).map {
                String(decoding: $0, as: UTF8.self)
            }
        }

        /// The services that the data lists.
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

/// Where scanning stands.
struct Scanner: Sendable {
    /// The event to report; nil: none.
    var settings: Host.ScanSettings?
    /// Whether the controller scans.
    var isOn = false
    /// Data of extended advertising whose end has not come yet.
    var partial: [PartKey: [UInt8]] = [:]

    /// The key of an advertiser's data.
    struct PartKey: Hashable, Sendable {
        var address: DeviceAddress
        var set: UInt8
    }

    /// Advertisers whose data is put together at the same time.
    static let capacity = 64
    /// Longest data of extended advertising, in bytes (Vol 6, Part B, 2.3.4.9).
    static let maximumData = 1650
}

extension Host {
    /// What scanning takes, in order.
    enum ScanStep: Hashable, Sendable {
        case parameters, enable, disable
        /// Switched off to be restarted, without an event.
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
