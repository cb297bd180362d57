import Captures
import Dissection
import GATT
import Workbench

extension FuzzTarget {
    /// A file of attribute tables, as `--gatt` reads it.
    static let tables = FuzzTarget("gatt-tables") { captures in
        captures.compactMap { learned(from: $0) }
    } fault: { bytes in
        do {
            let file = try GATTFiles.decode(bytes)
            _ = try file.tables()
            let again = try GATTFiles.decode(GATTFiles.encode(file))
            return again == file ? nil : "tables read differently once they are written"
        } catch {
            return error is GATT.TableFile.Fault ? nil : "\(error)"
        }
    }

    /// The tables that a capture teaches, as a file.
    private static func learned(from capture: [UInt8]) -> [UInt8]? {
        guard let reader = try? CaptureReader(source: ByteSource(bytes: capture, name: "capture")) else { return nil }
        var tracker = Tracker()
        while let packets = try? reader.next() { _ = tracker.track(packets) }
        var leftOut = 0
        let file = GATT.TableFile(tracker, leftOut: &leftOut)
        return file.devices.isEmpty ? nil : try? GATTFiles.encode(file)
    }
}
