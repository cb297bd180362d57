import Captures

/// The Bluetooth adapters that the kernel has.
package enum Adapters {
    private static let folder = "/sys/class/bluetooth"

    /// Their numbers: hci0 is 0. Connections, which stand in the same folder as hci0:64, are none.
    package static var numbers: [UInt16] {
        Folder.entries(of: folder).compactMap { $0.hasPrefix("hci") ? UInt16($0.dropFirst(3)) : nil }.sorted()
    }

    static func isPresent(_ number: UInt16) -> Bool { numbers.contains(number) }
}
