import Captures

/// The Bluetooth adapters known to the kernel.
package enum Adapters {
    private static let folder = "/sys/class/bluetooth"

    /// Numbers of the adapters: hci0 is 0. Excludes connections, which are listed in the same directory as hci0:64.
    package static var numbers: [UInt16] {
        Folder.entries(of: folder).compactMap { $0.hasPrefix("hci") ? UInt16($0.dropFirst(3)) : nil }.sorted()
    }

    static func isPresent(_ number: UInt16) -> Bool { numbers.contains(number) }
}
