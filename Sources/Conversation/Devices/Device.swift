package import Bluetooth
import BluetoothCrypto
package import Bytes

/// A device that took part in the traffic. A capture may contain tens of thousands, so it is kept small.
package struct Device: Sendable {
    /// Nil where the capture does not contain it.
    package var address: DeviceAddress?
    /// Strongest and weakest signal seen, in dBm; 127 means not known.
    package var strongestRSSI: Int8 = 127
    package var weakestRSSI: Int8 = 127
    /// Adapter number, for a local adapter.
    package var adapter: UInt16?
    /// Name from advertising data or from the Device Name characteristic.
    package var name: String = ""
    /// The Database Hash that it last reported.
    package var databaseHash: [UInt8]?
    /// Signs in its advertising data that plugins look for, as numbers of `EvidenceTable`.
    var signs = SignSet()
    /// Hashes of the advertising data last searched for signs: advertisements and scan responses alternate.
    var advertisingHashes: (UInt32, UInt32) = (0, 0)
    /// Advertising PDUs and reports seen.
    package var advertisements: UInt32 = 0
    package var connections: UInt32 = 0
    /// Index of the device with its identity address, once that is known; -1 for none.
    package var identity: Int32 = -1
    /// The newest version of its attribute table; unknown for none.
    package var newestTableVersion: TableVersion { leTableVersion.isKnown ? leTableVersion : bredrTableVersion }
    /// The newest table version of each transport, as a server's attributes may differ on BR/EDR (Vol 3, Part G, 2.5);
    /// unknown for none.
    var leTableVersion = TableVersion.unknown
    var bredrTableVersion = TableVersion.unknown

    init(address: DeviceAddress? = nil, adapter: UInt16? = nil) {
        self.address = address
        self.adapter = adapter
    }

    /// The longest name, in bytes (Vol 3, Part C, 12.1); output repeats the name with every frame of the device.
    static let longestName = 248

    /// Decodes a name, which a NUL may end.
    static func name(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(longestName).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// A label in one word: its name, else its address.
    package var title: String {
        if !name.isEmpty { return name }
        if let address { return address.address.description }
        return adapter.map { "hci\($0)" } ?? "?"
    }

    /// Stores the name in advertising data, or in the response to an inquiry, if none is known.
    mutating func observeName(inAdvertisingData data: ArraySlice<UInt8>) {
        guard name.isEmpty, let local = GAP.localName(in: data.span.rawBytes) else { return }
        name = local.name
    }

    mutating func sight(rssi: Int8) {
        advertisements &+= 1
        guard rssi != 127 else { return }
        strongestRSSI = strongestRSSI == 127 ? rssi : max(strongestRSSI, rssi)
        weakestRSSI = weakestRSSI == 127 ? rssi : min(weakestRSSI, rssi)
    }
}

/// All devices of a capture, found by address.
///
/// The number is bounded, so a flood of random addresses cannot fill memory: beyond it, new devices are unknown (-1).
package struct DeviceTable: Sendable {
    package private(set) var devices = PagedArray<Device>()
    private var byAddress = AddressIndex()
    /// The last result from `byAddress`: a device often sends several advertisements in a row.
    private var lastFound: (address: DeviceAddress, index: Int32)?
    private var byAdapter: [UInt16: Int32] = [:]
    private var identityKeys = IdentityKeys()

    /// Devices kept; new ones beyond the limit are unknown.
    static let limit = 200_000
    /// The newest devices, which are checked when a key becomes known.
    private static let reach = 4096

    /// Approximate bytes not shared with `other`, which may be an earlier copy.
    func footprint(beside other: DeviceTable) -> Int {
        devices.footprint(beside: other.devices)
            + byAddress.footprint(adding: devices.count - other.devices.count)
    }

    package subscript(index: Int32) -> Device {
        get { devices[Int(index)] }
        set { devices[Int(index)] = newValue }
    }

    /// Changes a device in place.
    mutating func update(_ index: Int32, _ change: (inout Device) -> Void) {
        change(&devices[Int(index)])
    }

    /// The device with an address, added if new; -1 when the table is full.
    mutating func index(of address: DeviceAddress) -> Int32 {
        if let lastFound, lastFound.address == address { return resolved(lastFound.index) }
        if let index = byAddress[address] {
            lastFound = (address, index)
            return resolved(index)
        }
        guard devices.count < Self.limit else { return -1 }
        let index = Int32(devices.count)
        devices.append(Device(address: address))
        byAddress[address] = index
        guard let identity = identityKeys.owner(of: address) else { return index }
        identify(index, as: identity)
        return resolved(index)
    }

    /// Records an identity resolving key: earlier and later private addresses that it resolves belong to that device.
    /// Without its identity, the first of these addresses names it.
    mutating func learn(_ key: SecretKey, of identity: DeviceAddress?) {
        guard identityKeys.add(key, of: identity) else { return }
        var identity = identity
        for index in devices.indices.suffix(Self.reach) where devices[index].identity < 0 {
            guard let address = devices[index].address, PrivateAddress.isResolved(address, by: key) else { continue }
            if let identity {
                identify(Int32(index), as: identity)
            } else {
                identity = address
                identityKeys.name(key, address)
            }
        }
    }

    /// Records an identity resolving key of a device whose identity address is known without its type.
    mutating func learn(_ key: SecretKey, ofOwnerAt address: Address?) {
        if identityKeys.contains(key) { return }
        guard let address else { return learn(key, of: nil) }
        let asRandom = DeviceAddress(address, .random)
        let asPublic = DeviceAddress(address, .public)
        // Only a static address can be the identity of a device with a random one; public addresses may look alike.
        let isRandom =
            byAddress[asPublic] == nil && (byAddress[asRandom] != nil || address.randomKind == .static)
        learn(key, of: isRandom ? asRandom : asPublic)
    }

    /// Adds a device whose address was not captured; -1 when the table is full.
    mutating func addUnknown() -> Int32 {
        guard devices.count < Self.limit else { return -1 }
        devices.append(Device())
        return Int32(devices.count - 1)
    }

    /// The local adapter with a number, added if new.
    mutating func index(ofAdapter adapter: UInt16) -> Int32 {
        if let index = byAdapter[adapter] { return index }
        let index = Int32(devices.count)
        devices.append(Device(adapter: adapter))
        byAdapter[adapter] = index
        return index
    }

    /// Records the identity of a device that is known by a private address. Only the first identity counts: no real
    /// device has several, and each of them would inherit the attribute table.
    mutating func identify(_ index: Int32, as identity: DeviceAddress) {
        guard devices[Int(index)].identity < 0 else { return }
        let target = self.index(of: identity)
        guard target >= 0, target != index, devices[Int(target)].identity < 0 else { return }
        devices[Int(index)].identity = target
        if devices[Int(target)].name.isEmpty { devices[Int(target)].name = devices[Int(index)].name }
        if devices[Int(index)].leTableVersion.isKnown {
            devices[Int(target)].leTableVersion = devices[Int(index)].leTableVersion
        }
        if devices[Int(index)].bredrTableVersion.isKnown {
            devices[Int(target)].bredrTableVersion = devices[Int(index)].bredrTableVersion
        }
    }

    /// Adds signs found in a device's advertising data.
    mutating func note(_ signs: SignSet, of index: Int32) {
        devices[Int(index)].signs.formUnion(signs)
    }

    /// A copy without the state that only finding devices needs.
    func concluded() -> DeviceTable {
        var table = DeviceTable()
        table.devices = devices
        return table
    }

    /// A device as output shows it: with the address that it used, and the name of its identity if it has none.
    package func shown(_ index: Int32) -> Device {
        var device = devices[Int(index)]
        if device.identity >= 0 {
            if device.name.isEmpty { device.name = devices[Int(device.identity)].name }
            device.signs.formUnion(devices[Int(device.identity)].signs)
        }
        return device
    }

    /// The device with the identity address of `index`, if known, else `index`.
    package func resolved(_ index: Int32) -> Int32 {
        let identity = devices[Int(index)].identity
        return identity >= 0 ? identity : index
    }
}

/// Finds devices by their addresses, in parts: copies share the parts to which neither has added an address.
private struct AddressIndex: Sendable {
    private var parts: [[DeviceAddress: Int32]] = Array(repeating: [:], count: partCount)
    private var count = 0

    private static let partCount = 1 << 10

    subscript(address: DeviceAddress) -> Int32? {
        get { parts[Self.part(of: address)][address] }
        set {
            parts[Self.part(of: address)][address] = newValue
            count += 1
        }
    }

    /// The low bits differ between random addresses, and also between the addresses of one vendor.
    private static func part(of address: DeviceAddress) -> Int {
        Int((address.address.value ^ address.address.value >> 24) & UInt64(partCount - 1))
    }

    /// Estimated bytes not shared with a copy, after this many addresses were added: each copies its part.
    func footprint(adding added: Int) -> Int {
        let part = (count / Self.partCount + 1) * 2 * MemoryLayout<(DeviceAddress, Int32)>.stride
        return Self.partCount * MemoryLayout<[DeviceAddress: Int32]>.stride + min(added, Self.partCount) * part
    }
}
