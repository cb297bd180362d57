import Bytes
import CBluetooth
import Captures
import Glibc

extension MachineFacts {
    /// Gathers the facts about this machine.
    package static func gather() -> MachineFacts {
        var facts = MachineFacts()
        facts.kernel = line("/proc/sys/kernel/osrelease") ?? ""
        facts.hasBluetooth = (try? Sockets.bluetooth()) != nil
        facts.hasBluetoothModule = hasModule(kernel: facts.kernel)
        facts.adapters = Adapters.numbers.map(adapter)
        facts.switches = switches()
        facts.hasDaemon = isRunning("bluetoothd")
        facts.hasSystemd = Folder.isFolder("/run/systemd/system")
        facts.isRoot = geteuid() == 0
        facts.mayListen = Privileges.capabilities & Privileges.openRawSockets != 0
        facts.mayTakeAdapters = Privileges.capabilities & Privileges.takeAdapters != 0
        facts.program = Privileges.program
        facts.pcapInterfaces = ((try? PcapHandle.interfaces()) ?? []).map(\.name).filter { $0.hasPrefix("bluetooth") }
        facts.tshark = version(firstLineOf: "tshark --version 2>/dev/null")
        facts.bluez = version(firstLineOf: "bluetoothctl --version 2>/dev/null")
        return facts
    }

    /// Whether the kernel has Bluetooth as a module or built in.
    private static func hasModule(kernel: String) -> Bool {
        let folder = "/lib/modules/\(kernel)"
        return Folder.isFolder("\(folder)/kernel/net/bluetooth")
            || (text("\(folder)/modules.builtin")?.includes("net/bluetooth/bluetooth.ko") ?? false)
    }

    private static func adapter(_ number: UInt16) -> Adapter {
        var adapter = Adapter(number: number)
        guard let socket = try? Sockets.bluetooth() else { return adapter }
        var information = hci_dev_info()
        information.dev_id = number
        guard unsafe ioctl(socket.number, getDeviceInformation, &information) == 0 else { return adapter }
        adapter.isUp = information.flags & 1 != 0
        let bytes = unsafe withUnsafeBytes(of: information.bdaddr) { unsafe [UInt8]($0) }
        if bytes.contains(where: { $0 != 0 }) {
            adapter.address = bytes.reversed().map { String(hex: $0, digits: 2) }.joined(separator: ":")
        }
        return adapter
    }

    /// HCIGETDEVINFO of `bluetooth/hci.h`.
    private static let getDeviceInformation: UInt = 0x8004_48D3

    private static func switches() -> [RadioSwitch] {
        let folder = "/sys/class/rfkill"
        return Folder.entries(of: folder).compactMap { entry in
            let place = "\(folder)/\(entry)"
            guard line("\(place)/type") == "bluetooth" else { return nil }
            return RadioSwitch(
                name: line("\(place)/name") ?? entry, isSoftBlocked: line("\(place)/soft") == "1",
                isHardBlocked: line("\(place)/hard") == "1")
        }
    }

    private static func isRunning(_ name: String) -> Bool {
        Folder.entries(of: "/proc").contains { $0.allSatisfy(\.isNumber) && line("/proc/\($0)/comm") == name }
    }

    /// The first number with a point in a program's first line of output.
    private static func version(firstLineOf command: StaticString) -> String? {
        let words = ProgramOutput.of(command)?.split(separator: "\n").first?.split(separator: " ") ?? []
        return words.first { $0.first?.isNumber == true && $0.contains(".") }.map(String.init)
    }

    private static func line(_ path: String) -> String? {
        text(path)?.split(separator: "\n").first.map(String.init)
    }

    private static func text(_ path: String) -> String? {
        var bytes: [UInt8] = []
        guard let file = try? FileDescriptor.reading(path) else { return nil }
        try? file.append(to: &bytes, atLeast: limit, atMost: limit)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Maximum number of bytes read from a file.
    private static let limit = 256 * 1024
}
