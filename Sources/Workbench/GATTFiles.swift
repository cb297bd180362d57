package import Bluetooth
import Bytes
import Captures
package import Conversation

/// Files of attribute tables, read by `--gatt` and written by `stats --gatt-out`.
package enum GATTFiles {
    /// Maximum file size in bytes: a thousand devices with a hundred attributes each need a tenth of it.
    private static let sizeLimit = 64 << 20

    package static func read(_ path: String) throws(GATTFileError) -> GATT.KnownTables {
        do {
            var bytes: [UInt8] = []
            try FileDescriptor.reading(path).append(to: &bytes, atLeast: sizeLimit + 1, atMost: sizeLimit + 1)
            guard bytes.count <= sizeLimit else {
                throw GATTFileError(file: path, "longer than \(sizeLimit >> 20) MB: not an attribute table")
            }
            return try decode(bytes).tables()
        } catch let error as GATTFileError {
            throw error
        } catch let error as SystemError {
            throw GATTFileError(file: path, error.advice.isEmpty ? error.text : "\(error.text); \(error.advice)")
        } catch let fault as GATT.TableFile.Fault {
            throw GATTFileError(file: path, at: fault.path, fault.text)
        } catch {
            throw GATTFileError(file: path, "\(error)")
        }
    }

    package static func write(_ tables: GATT.TableFile, to path: String) throws(GATTFileError) {
        do {
            try FileDescriptor.writing(path).write(encode(tables))
        } catch {
            throw GATTFileError(file: path, error.advice.isEmpty ? error.text : "\(error.text); \(error.advice)")
        }
    }

    /// Writes the tables discovered in a capture to a file; returns the number of devices left out because of the entry
    /// limit.
    package static func write(_ tracker: borrowing Tracker, to path: String) throws(GATTFileError) -> Int {
        var leftOut = 0
        try write(GATT.TableFile(tracker, leftOut: &leftOut), to: path)
        return leftOut
    }

    /// Parses a document.
    package static func decode(_ bytes: [UInt8]) throws(GATT.TableFile.Fault) -> GATT.TableFile {
        let json: JSONValue
        do throws(JSONValue.Fault) {
            json = try JSONValue(reading: bytes)
        } catch {
            throw GATT.TableFile.Fault(path: "", "not JSON: \(error)")
        }
        return try GATT.TableFile(json)
    }

    /// The document as indented JSON.
    package static func encode(_ tables: GATT.TableFile) -> [UInt8] { Array(tables.json.text.utf8) }
}

/// An attribute table file cannot be read or written.
package struct GATTFileError: Error, Hashable, Sendable {
    package var file: String
    /// Path in the document: `devices[0].services[2].uuid`; empty where the fault has no single place.
    package var path: String
    /// The value found and the value expected.
    package var text: String

    init(file: String, at path: String = "", _ text: String) {
        self.file = file
        self.path = path
        self.text = text
    }
}

extension GATTFileError: CustomStringConvertible {
    package var description: String {
        "\(file.quotedIfEmpty): \(path.isEmpty ? "" : "\(path.legible()): ")\(text.legible())"
    }
}

// MARK: - Tables of a capture

extension GATT.TableFile {
    /// Maximum number of entries in all tables of a file. Thousands of devices may share one table in memory; in a file
    /// each device has a copy.
    package static let entryLimit = 100_000

    /// The newest table of every device in a capture, ordered by address. At most one device without an address is
    /// included. Devices that exceed `limit` entries are left out and counted in `leftOut`.
    package init(_ tracker: borrowing Tracker, limit: Int = entryLimit, leftOut: inout Int) {
        var devices: [Device] = []
        var room = limit
        for device in tracker.devices.devices where device.newestTableVersion.isKnown && device.identity < 0 {
            let table = tracker.knowledge[device.newestTableVersion].table
            guard !table.isEmpty, device.address != nil || device.adapter == nil else { continue }
            guard table.count <= room else {
                leftOut += 1
                continue
            }
            room -= table.count
            devices.append(Device(address: device.address, name: device.name, table: table))
        }
        let named = devices.filter { $0.address != nil }.sorted { $0.sortKey < $1.sortKey }
        self.init(devices: named + devices.filter { $0.address == nil }.prefix(1))
    }
}

extension GATT.TableFile.Device {
    /// Sorts devices by address; a device without an address comes last.
    fileprivate var sortKey: (UInt64, UInt8) {
        address.map { ($0.address.value, $0.kind.rawValue) } ?? (.max, .max)
    }
}
