/// What this machine has for Bluetooth, at one moment.
package struct MachineFacts: Hashable, Sendable {
    /// A Bluetooth adapter.
    package struct Adapter: Hashable, Sendable {
        /// hci0 is 0.
        package var number: UInt16
        /// Its public address; nil where it tells none.
        package var address: String?
        /// Whether it is powered on.
        package var isUp = false

        package init(number: UInt16, address: String? = nil, isUp: Bool = false) {
            self.number = number
            self.address = address
            self.isUp = isUp
        }

        package var name: String { "hci\(number)" }
    }

    /// A switch that keeps radios from sending.
    package struct RadioSwitch: Hashable, Sendable {
        package var name: String
        /// Whether software has blocked it.
        package var isSoftBlocked: Bool
        /// Whether a button has blocked it.
        package var isHardBlocked: Bool

        package init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
            self.name = name
            self.isSoftBlocked = isSoftBlocked
            self.isHardBlocked = isHardBlocked
        }
    }

    /// Release of the kernel, e.g. "6.1.0-18-amd64".
    package var kernel = ""
    /// Whether the kernel has Bluetooth sockets.
    package var hasBluetooth = false
    /// Whether a module that has them stands where the kernel finds it.
    package var hasBluetoothModule = false
    package var adapters: [Adapter] = []
    /// Switches of Bluetooth radios.
    package var switches: [RadioSwitch] = []
    /// Whether BlueZ's daemon runs.
    package var hasDaemon = false
    /// Whether there is systemd to stop it with.
    package var hasSystemd = false
    /// Whether this is root.
    package var isRoot = false
    /// Whether raw sockets may be opened (CAP_NET_RAW): sniffing.
    package var mayListen = false
    /// Whether adapters may be taken (CAP_NET_ADMIN): emulating.
    package var mayTakeAdapters = false
    /// Path of this program.
    package var program = "gattbench"
    /// Bluetooth interfaces that libpcap can capture on.
    package var pcapInterfaces: [String] = []
    /// Version of tshark; nil where there is none.
    package var tshark: String?
    /// Version of BlueZ; nil where there is none.
    package var bluez: String?

    package init() {}
}
