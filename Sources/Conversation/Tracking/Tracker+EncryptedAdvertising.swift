import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Keys

/// Encrypted Advertising Data (Supplement to the Core Specification, Part A, 1.23).
extension Tracker {
    /// Opens the encrypted structures of complete advertising data at an offset in the frame. Returns what counts as the
    /// device's advertising data: `data`, followed by the structures in plain text.
    mutating func openAdvertising(
        _ data: ArraySlice<UInt8>, at offset: Int, from device: Int32, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) -> ArraySlice<UInt8> {
        if advertisingKeys.isEmpty(in: keys) { return data }
        var plain: [UInt8] = []
        var cursor = GAP.StructureCursor(data.span.rawBytes)
        while let (type, place) = cursor.next() {
            guard type == .encryptedData else { continue }
            let value = data[(data.startIndex + place.lowerBound)..<(data.startIndex + place.upperBound)]
            plain += open(Array(value), from: device) ?? []
        }
        if plain.isEmpty { return data }
        // Data that is kept for one frame is contiguous.
        let opened = reassembly.append(plain)
        let start = metadata.sdu.isPresent ? metadata.sdu.start : opened.start
        metadata.sdu = FrameMetadata.BufferRange(
            place: .reassembled, start: start, count: opened.range.upperBound - start)
        reassembly.openedAdvertising[metadata.packet.number, default: [:]][offset] = opened
        return data + plain
    }

    /// The structures in the value of an encrypted structure; nil if no key opens it. Bytes of keys are also tried in
    /// the opposite order.
    private mutating func open(_ value: [UInt8], from device: Int32) -> [UInt8]? {
        let sender = device < 0 ? device : devices.resolved(device)
        if let last = advertisingKeys.last[sender], let plain = Self.open(value, with: keys.keys[last]) { return plain }
        searchBudget.frame = currentFrame
        guard searchBudget.spend(advertisingKeys.count) else { return nil }
        let addresses = device < 0 ? [] : [devices[device].address, devices[sender].address]
        for index in advertisingKeys.candidates(in: keys, of: addresses.compactMap { $0?.address }) {
            guard searchBudget.spend(AdvertisingKeys.cost(of: value.count)) else { return nil }
            guard let plain = Self.open(value, with: keys.keys[index]) else { continue }
            if sender >= 0 { advertisingKeys.last[sender] = index }
            return plain
        }
        return nil
    }

    private static func open(_ value: [UInt8], with known: KnownKey) -> [UInt8]? {
        guard case .advertising(let key, let vector) = known.value else { return nil }
        return EncryptedAdvertisingData.open(value, key: key, vector: vector)
            ?? EncryptedAdvertisingData.open(
                value, key: SecretKey(key.value.byteSwapped), vector: vector.byteSwapped)
    }

    /// Whether the attribute of an ATT PDU is a server's Encrypted Data Key Material. It changes nothing, but is mutating
    /// so that the tracker's members are not copied for the call.
    mutating func concernsKeyMaterial(
        _ metadata: borrowing FrameMetadata, _ kind: ATT.PDUKind, _ connection: OpenConnection.Index,
        _ reassembly: borrowing ReassemblyBuffers
    ) -> Bool {
        let isFromClient =
            switch kind {
            case .request, .command, .confirmation: true
            case .response, .notification, .indication: false
            }
        let server = isFromClient ? metadata.direction.opposite : metadata.direction
        let known = summaries[connection, server].watched.keyMaterial
        let handle = metadata.att.handle.rawValue
        if handle != 0 { return handle == known }
        guard metadata.att.opcode.listsValues, metadata.att.request >= 0 else { return false }
        let request = reassembly.requests[Int(metadata.att.request)]
        if request.type == .keyMaterial { return true }
        guard known != 0, request.handles.place == .reassembled else { return false }
        let handles = reassembly.bytes.span.extracting(request.handles.range).rawBytes
        return stride(from: 0, to: handles.byteCount - 1, by: 2).contains { handles.littleEndian(at: $0) == known }
    }

    /// Learns the key of a server's advertising data from the value of its Encrypted Data Key Material characteristic,
    /// in an ATT PDU (Vol 3, Part C, 12.6).
    mutating func learnKeyMaterial(
        _ bytes: [UInt8], _ pdu: Range<Int>, _ metadata: borrowing FrameMetadata, _ connection: OpenConnection.Index,
        _ reassembly: borrowing ReassemblyBuffers
    ) {
        let opcode = metadata.att.opcode
        guard [.read, .notify, .indicate].contains(opcode.operation),
            !metadata.packet.isCut, let range = metadata.att.value
        else { return }
        let value =
            metadata.longValue.isPresent
            ? reassembly.bytes[metadata.longValue.range]
            : bytes[pdu].dropFirst(range.lowerBound)
        guard value.count == 24 else { return }
        func number(_ part: ArraySlice<UInt8>) -> UInt128 { part.reduce(0) { $0 << 8 | UInt128($1) } }
        let key = SecretKey(number(value.prefix(16)))
        let server = device(of: connection, sendingIn: metadata.direction)
        guard key.value != 0 else { return }
        _ = keys.add(
            KnownKey(
                .advertising(key, vector: UInt64(truncatingIfNeeded: number(value.dropFirst(16)))),
                address: server < 0 ? nil : devices[server].address?.address,
                origin: .frame(metadata.packet.number, "Encrypted Data Key Material")))
    }
}

/// The keys of a ring that open advertising data; the ring grows while a capture is tracked.
struct AdvertisingKeys: Sendable {
    private var indices: [Int] = []
    /// Keys of the ring that were considered.
    private var considered = 0
    /// The key that has opened the last data of a device, by the device's index.
    var last: [Int32: Int] = [:]

    /// Keys tried for one structure.
    private static let limit = 32

    var count: Int { indices.count }

    /// AES operations of trying a key in both byte orders, with its expansion, for a structure of `count` bytes.
    static func cost(of count: Int) -> Int { 2 * (32 + CCM.cost(of: count)) }

    mutating func isEmpty(in ring: KeyRing) -> Bool {
        if considered < ring.keys.count {
            indices += (considered..<ring.keys.count).filter { ring.keys[$0].kind == .ead }
            considered = ring.keys.count
        }
        return indices.isEmpty
    }

    /// The indices of the keys to try, those of the device first, then the newest.
    func candidates(in ring: KeyRing, of addresses: [Address]) -> [Int] {
        let newest = Array(indices.reversed())
        func isOwn(_ index: Int) -> Bool { ring.keys[index].address.map(addresses.contains) ?? false }
        return Array((newest.filter(isOwn) + newest.filter { !isOwn($0) }).prefix(Self.limit))
    }
}
