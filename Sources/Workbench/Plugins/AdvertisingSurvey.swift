import Bluetooth
import Bytes
import Conformance
import Conversation
import Dissection
import PluginKit

/// Collects the service data, manufacturer data and services that the devices of a capture advertise.
final class AdvertisingSurvey: EventConsumer {
    /// Advertised data and services of one device.
    struct Advertiser {
        var data: [CaptureSurvey.AdvertisedData] = []
        var services: [UUID] = []
    }

    /// Advertisers by index in the tracker's devices.
    private(set) var advertisers: [Int32: Advertiser] = [:]
    /// Number of data owners over all advertisers, and total size of their values in bytes.
    private var owners = 0
    private var bytes = 0

    /// Maximum number of services of one advertiser, and maximum bytes of values over all advertisers.
    private static let (serviceLimit, byteLimit) = (32, 16 << 20)

    package func handle(_ event: Event, of frame: EventFrame, on connection: Connection) {
        guard case .advertised(let advertisement) = event.content, !advertisement.data.isEmpty else { return }
        if case .own = advertisement.kind { return }
        let sender = frame.metadata.sender
        guard sender >= 0, advertisers[sender] != nil || advertisers.count < CaptureSurvey.placeLimit else { return }
        let data = advertisement.data.span.rawBytes
        var advertiser = advertisers.removeValue(forKey: sender) ?? Advertiser()
        for service in GAP.serviceUUIDs(in: data) where advertiser.services.count < Self.serviceLimit {
            if !advertiser.services.contains(service) { advertiser.services.append(service) }
        }
        var cursor = GAP.StructureCursor(data)
        while let (owner, place) = cursor.nextOwned() { note(Array(advertisement.data[place]), owner, &advertiser) }
        advertisers[sender] = advertiser
    }

    package func end(_ connection: Connection, at time: Timestamp) {}

    private func note(_ value: [UInt8], _ owner: GAP.DataOwner, _ advertiser: inout Advertiser) {
        guard bytes + value.count <= Self.byteLimit else { return }
        if let index = advertiser.data.firstIndex(where: { $0.owner == owner }) {
            let values = advertiser.data[index].values
            guard values.count < CaptureSurvey.valueLimit, !values.contains(value) else { return }
            advertiser.data[index].values.append(value)
        } else {
            guard owners < CaptureSurvey.placeLimit else { return }
            owners += 1
            advertiser.data.append(CaptureSurvey.AdvertisedData(owner: owner, values: [value]))
        }
        bytes += value.count
    }
}

extension CaptureSurvey.Device {
    /// Merges the data that the device advertised under one of its addresses.
    mutating func add(_ heard: AdvertisingSurvey.Advertiser) {
        services += heard.services.filter { !services.contains($0) }
        for data in heard.data {
            if let index = advertised.firstIndex(where: { $0.owner == data.owner }) {
                let known = advertised[index].values
                advertised[index].values += data.values.filter { !known.contains($0) }
            } else {
                advertised.append(data)
            }
        }
    }
}
