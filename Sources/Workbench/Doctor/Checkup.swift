package import Transports

/// Diagnoses set-up problems for sniffing and emulating, and names the commands that fix them.
///
/// Evaluates `MachineFacts` and does not inspect the machine itself.
package struct Checkup: Hashable, Sendable {
    /// The result of one check.
    package struct Finding: Hashable, Sendable {
        package enum Grade: Hashable, Sendable {
            case good
            /// Sniffing and emulating work, but an optional part is missing.
            case note
            /// Sniffing or emulating does not work.
            case problem
        }

        package var grade: Grade
        package var text: String
        /// The commands that fix it, in order; empty for none.
        package var commands: [String] = []
    }

    package private(set) var findings: [Finding] = []
    private let metadata: MachineFacts

    package init(_ metadata: MachineFacts) {
        self.metadata = metadata
        lookAtKernel()
        if metadata.hasBluetooth {
            lookAtAdapters()
            lookAtSwitches()
            lookAtHolders()
            lookAtInterfaces()
        }
        lookAtRights()
        lookAtPrograms()
    }

    /// Whether sniffing and emulating work.
    package var isHealthy: Bool { !findings.contains { $0.grade == .problem } }

    private mutating func add(_ grade: Finding.Grade, _ text: String, _ commands: String...) {
        findings.append(Finding(grade: grade, text: text, commands: commands))
    }

    private mutating func lookAtKernel() {
        if metadata.hasBluetooth {
            add(.good, "kernel \(metadata.kernel) supports Bluetooth")
        } else if metadata.hasBluetoothModule {
            add(.problem, "kernel \(metadata.kernel) has not loaded its Bluetooth module", "sudo modprobe bluetooth")
        } else {
            add(
                .problem,
                "kernel \(metadata.kernel) has no Bluetooth support; boot a distribution kernel",
                "sudo apt install linux-image-amd64 && sudo reboot")
        }
    }

    private mutating func lookAtAdapters() {
        if metadata.adapters.isEmpty {
            return add(
                .problem,
                "no Bluetooth adapter; plug one in or load its driver. Without hardware: gattbench radio, or the kernel's virtual adapter",
                "sudo modprobe btusb", "sudo modprobe hci_vhci")
        }
        for adapter in metadata.adapters {
            let address = adapter.address.map { ", \($0)" } ?? ""
            add(.good, "adapter \(adapter.name)\(address), powered \(adapter.isUp ? "on" : "off")")
        }
    }

    private mutating func lookAtSwitches() {
        for radio in metadata.switches {
            if radio.isHardBlocked {
                add(.problem, "rfkill: \(radio.name) is blocked by a hardware switch; turn it on there")
            } else if radio.isSoftBlocked {
                add(.problem, "rfkill: \(radio.name) is blocked", "sudo rfkill unblock bluetooth")
            }
        }
    }

    /// Checks which program uses the adapters: an adapter must be powered off before `emulate` can open it.
    private mutating func lookAtHolders() {
        let free = metadata.adapters.filter { !$0.isUp }
        if let adapter = free.first {
            let daemon = metadata.hasDaemon ? "; bluetoothd runs beside it" : ""
            return add(.good, "\(adapter.name) is free: --transport hci-socket:\(adapter.number)\(daemon)")
        }
        guard let adapter = metadata.adapters.first else { return }
        if metadata.hasDaemon {
            let stop = metadata.hasSystemd ? "sudo systemctl stop bluetooth" : "sudo killall bluetoothd"
            add(.problem, "bluetoothd holds \(adapter.name)", stop, "sudo hciconfig \(adapter.name) down")
        } else {
            add(
                .problem, "\(adapter.name) is powered on, so emulate cannot open it",
                "sudo hciconfig \(adapter.name) down")
        }
    }

    private mutating func lookAtInterfaces() {
        if metadata.pcapInterfaces.isEmpty {
            add(.note, "libpcap sees no Bluetooth interface; “gattbench sniff monitor” works without it")
        } else {
            add(.good, "libpcap captures on \(metadata.pcapInterfaces.joined(separator: ", "))")
        }
    }

    private mutating func lookAtRights() {
        if metadata.mayListen, metadata.mayTakeAdapters {
            return add(.good, "permission to sniff and to open adapters\(metadata.isRoot ? ": root" : "")")
        }
        let missing = [metadata.mayListen ? nil : "CAP_NET_RAW", metadata.mayTakeAdapters ? nil : "CAP_NET_ADMIN"]
        add(
            .problem,
            "missing capabilities: \(missing.compactMap { $0 }.joined(separator: ", ")); grant them to the program, or run it with sudo",
            "sudo setcap cap_net_raw,cap_net_admin+eip \(metadata.program)")
    }

    private mutating func lookAtPrograms() {
        if let version = metadata.tshark {
            add(.good, "tshark \(version); “gattbench wireshark install” adds capture interfaces to it")
        } else {
            add(.note, "tshark is not installed; it is optional", "sudo apt install tshark")
        }
        if let version = metadata.bluez {
            add(.good, "BlueZ \(version)")
        } else {
            add(
                .note, "BlueZ is not installed; its hciconfig powers adapters off",
                "sudo apt install bluez")
        }
    }
}

extension Checkup: CustomStringConvertible {
    /// One line per finding, its commands below it, and the verdict.
    package var description: String {
        var lines: [String] = []
        for finding in findings {
            let mark = finding.grade == .good ? "ok    " : finding.grade == .note ? "note  " : "error "
            lines.append("\(mark)\(finding.text)")
            lines += finding.commands.map { "          \($0)" }
        }
        lines.append(isHealthy ? "ready to sniff and emulate" : "not ready to sniff or emulate")
        return lines.joined(separator: "\n") + "\n"
    }
}
