/// Snapshot of this machine's Bluetooth support.
package struct MachineFacts: Hashable, Sendable {
    /// A Bluetooth adapter.
    package struct Adapter: Hashable, Sendable {
        /// hci0 is 0.
        package var number: UInt16
        /// Public address; nil if the adapter reports none.
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

    /// An rfkill switch, which disables a radio.
    package struct RadioSwitch: Hashable, Sendable {
        package var name: String
        /// Whether the radio is blocked by software.
        package var isSoftBlocked: Bool
        /// Whether the radio is blocked by a hardware switch.
        package var isHardBlocked: Bool

        package init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
            self.name = name
            self.isSoftBlocked = isSoftBlocked
            self.isHardBlocked = isHardBlocked
        }
    }

    /// Kernel release, such as "6.1.0-18-amd64".
    package var kernel = ""
    /// Whether the kernel supports Bluetooth sockets.
    package var hasBluetooth = false
    /// Whether a kernel module for Bluetooth is installed.
    package var hasBluetoothModule = false
    package var adapters: [Adapter] = []
    /// Switches of Bluetooth radios.
    package var switches: [RadioSwitch] = []
    /// Whether the BlueZ daemon is running.
    package var hasDaemon = false
    /// Whether systemd is available to stop the daemon.
    package var hasSystemd = false
    /// Whether the process runs as root.
    package var isRoot = false
    /// Whether raw sockets may be opened (CAP_NET_RAW), for sniffing.
    package var mayListen = false
    /// Whether adapters may be claimed (CAP_NET_ADMIN), for emulation.
    package var mayTakeAdapters = false
    /// Path of this program.
    package var program = "gattbench"
    /// Bluetooth interfaces that libpcap can capture on.
    package var pcapInterfaces: [String] = []
    /// Version of tshark; nil if it is not installed.
    package var tshark: String?
    /// Version of BlueZ; nil if it is not installed.
    package var bluez: String?

    package init() {}
}
