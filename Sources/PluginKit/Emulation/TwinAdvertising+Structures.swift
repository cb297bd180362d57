public import BluetoothTypes
import GAP

extension TwinAdvertising {
    /// What a device that can be found and connected to says at least: that it is one of LE alone, its services, and its
    /// name for those who ask.
    public init(services: [UUID], name: String, interval: Duration) {
        var structures: [GAP.AdvertisingStructure] = [.flags([.leGeneralDiscoverable, .bredrNotSupported])]
        let short = services.filter { $0.uuid16 != nil }
        let long = services.filter { $0.uuid16 == nil }
        if !short.isEmpty { structures.append(.serviceUUIDs16(short)) }
        if !long.isEmpty { structures.append(.serviceUUIDs128(long)) }
        self.init(
            data: GAP.AdvertisingData(structures).encoded,
            scanResponse: GAP.AdvertisingData([.completeLocalName(name)]).encoded, interval: interval)
    }
}
