package import Bluetooth
package import Captures
import Conformance
import Conversation
import Dissection
import PluginKit

/// The devices of a capture: their attributes with the values seen, and their advertised data.
package struct CaptureSurvey: Sendable {
    /// An attribute server, or a device that only advertises.
    package struct Device: Sendable {
        package var address: DeviceAddress?
        package var name: String
        /// The attribute table; empty for a device that only advertised.
        package var table: GATT.Table
        /// Distinct values by the characteristic's UUID, in the order seen.
        package var values: [UUID: [[UInt8]]] = [:]
        /// Texts of Characteristic User Description descriptors (Vol 3, Part G, 3.3.3.2).
        package var descriptions: [UUID: String] = [:]
        /// Advertised service data and manufacturer data, and advertised services.
        package var advertised: [AdvertisedData] = []
        package var services: [UUID] = []

        /// Whether its attribute table is known.
        package var isServer: Bool { !table.characteristics.isEmpty }

        /// Amount of data for a profile; sorts the devices.
        fileprivate var weight: Int {
            values.values.reduce(table.characteristics.count) { $0 + $1.count }
                + advertised.reduce(0) { $0 + $1.values.count }
        }
    }

    /// Service data or manufacturer data of a device.
    package struct AdvertisedData: Sendable {
        package var owner: GAP.DataOwner
        /// Distinct values in the order seen.
        package var values: [[UInt8]]
    }

    /// Devices with a known table, then devices that only advertise; in each group those with the most data come first.
    package private(set) var devices: [Device] = []

    /// An attribute of one table version.
    private struct Place: Hashable {
        var tableVersion: TableVersion
        var handle: Handle
    }

    /// Maximum number of values of one attribute, or of one device's data of one owner; maximum number of such
    /// attributes and owners.
    static let (valueLimit, placeLimit) = (64, 20_000)

    /// Reads a capture, with imported attribute tables; `goesOn` is called after every batch, with the number of frames
    /// so far.
    package init(
        _ reader: CaptureReader, tables: GATT.KnownTables = GATT.KnownTables(), goesOn: (Int) -> Bool
    ) throws {
        var tracker = Tracker(imported: tables)
        var seen: [Place: [[UInt8]]] = [:]
        var traffic = TrafficReader(TrafficReader.Wants(advertising: true))
        let advertising = AdvertisingSurvey()
        var batch = TrackedBatch()
        var frames = 0
        while let packets = try reader.next() {
            frames += packets.packets.count
            batch.fill(packets)
            tracker.track(&batch)
            for metadata in batch.metadata { Self.note(metadata, of: batch, in: &seen) }
            traffic.read(batch, into: advertising)
            reader.reuse(batch.empty())
            guard goesOn(frames) else { break }
        }
        devices = Self.devices(tracker, seen, advertising)
    }

    private static func note(
        _ metadata: FrameMetadata, of batch: borrowing TrackedBatch, in seen: inout [Place: [[UInt8]]]
    ) {
        guard let attribute = metadata.attribute, attribute.tableVersion.isKnown, attribute.opcode.operation != nil
        else { return }
        if attribute.opcode.listsValues {
            for value in batch.listedValues(of: metadata) where !value.isPartial {
                note(
                    value.piece, of: Place(tableVersion: attribute.tableVersion, handle: value.handle), batch, in: &seen
                )
            }
        } else if attribute.handle.rawValue != 0, let piece = batch.value(of: metadata) {
            note(piece, of: Place(tableVersion: attribute.tableVersion, handle: attribute.handle), batch, in: &seen)
        }
    }

    private static func note(
        _ piece: FrameMetadata.BufferRange, of place: Place, _ batch: borrowing TrackedBatch,
        in seen: inout [Place: [[UInt8]]]
    ) {
        guard seen[place] != nil || seen.count < placeLimit else { return }
        let value = Array(batch.bytes(of: piece))
        let known = seen[place] ?? []
        if known.count < valueLimit, !known.contains(value) { seen[place, default: []].append(value) }
    }

    /// Groups the values by device instead of by table version and handle.
    private static func devices(
        _ tracker: borrowing Tracker, _ seen: [Place: [[UInt8]]], _ advertising: AdvertisingSurvey
    ) -> [Device] {
        var found: [Int32: Device] = [:]
        let order = seen.keys.sorted { ($0.tableVersion, $0.handle) < ($1.tableVersion, $1.handle) }
        for (index, device) in tracker.devices.devices.enumerated()
        where device.newestTableVersion.isKnown && device.identity < 0 {
            let table = tracker.knowledge[device.newestTableVersion].table
            if table.characteristics.isEmpty { continue }
            found[Int32(index)] = Device(address: device.address, name: device.name, table: table)
        }
        for (index, heard) in advertising.advertisers.sorted(by: { $0.key < $1.key }) {
            let index = tracker.devices.resolved(index)
            let device = tracker.devices[index]
            var known = found[index] ?? Device(address: device.address, name: device.name, table: GATT.Table())
            known.add(heard)
            if known.isServer || !known.advertised.isEmpty { found[index] = known }
        }
        for place in order {
            let contents = tracker.knowledge[place.tableVersion]
            guard contents.device >= 0, let values = seen[place],
                let (attribute, _) = contents.attribute(at: place.handle),
                let characteristic = attribute.characteristic
            else { continue }
            let device = tracker.devices.resolved(contents.device)
            switch attribute.kind {
            case .value:
                let known = found[device]?.values[characteristic.type] ?? []
                found[device]?.values[characteristic.type] = known + values.filter { !known.contains($0) }
            case .descriptor where attribute.type == .characteristicUserDescription:
                found[device]?.descriptions[characteristic.type] = String(decoding: values[0], as: UTF8.self)
            default: break
            }
        }
        let ranked = found.sorted { $0.key < $1.key }.map(\.value).sorted { $0.weight > $1.weight }
        return ranked.filter(\.isServer) + ranked.filter { !$0.isServer }
    }
}

extension UUID {
    /// «Characteristic User Description» (Vol 3, Part G, 3.3.3.2).
    fileprivate static let characteristicUserDescription = UUID(0x2901)
}
