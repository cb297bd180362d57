package import Transports

/// What a machine's state means for whoever wants to sniff or emulate, and what to type where something is wrong.
///
/// It judges facts and looks at nothing itself.
package struct Checkup: Hashable, Sendable {
    /// One thing that was looked at.
    package struct Finding: Hashable, Sendable {
        package enum Grade: Hashable, Sendable {
            case good
            /// Nothing is in the way, but something could be had.
            case note
            /// Sniffing or emulating does not work.
            case problem
        }

        package var grade: Grade
        package var text: String
        /// What to type, in this order; empty where there is nothing to type.
        package var commands: [String] = []
    }

    package private(set) var findings: [Finding] = []
    private let facts: MachineFacts

    package init(_ facts: MachineFacts) {
        self.facts = facts
        lookAtKernel()
        if facts.hasBluetooth {
            lookAtAdapters()
            lookAtSwitches()
            lookAtHolders()
            lookAtInterfaces()
        }
        lookAtRights()
        lookAtPrograms()
    }

    /// Whether sniffing and emulating can work.
    package var isHealthy: Bool { !findings.contains { $0.grade == .problem } }

    private mutating func add(_ grade: Finding.Grade, _ text: String, _ commands: String...) {
        findings.append(Finding(grade: grade, text: text, commands: commands))
    }

    private mutating func lookAtKernel() {
        if facts.hasBluetooth {
            add(.good, "kernel \(facts.kernel) has Bluetooth")
        } else if facts.hasBluetoothModule {
            add(.problem, "kernel \(facts.kernel) has not loaded its Bluetooth", "sudo modprobe bluetooth")
        } else {
            add(
                .problem,
                "kernel \(facts.kernel) has no Bluetooth, nor a module for it; boot one that has: a distribution's own does",
                "sudo apt install linux-image-amd64 && sudo reboot")
        }
    }

    private mutating func lookAtAdapters() {
        if facts.adapters.isEmpty {
            return add(
                .problem,
                "there is no adapter; plug one in, or load the driver of the one that is there. Without hardware: gattbench radio, or the kernel's own virtual one",
                "sudo modprobe btusb", "sudo modprobe hci_vhci")
        }
        for adapter in facts.adapters {
            let address = adapter.address.map { ", \($0)" } ?? ""
            add(.good, "adapter \(adapter.name)\(address), powered \(adapter.isUp ? "on" : "off")")
        }
    }

    private mutating func lookAtSwitches() {
        for radio in facts.switches {
            if radio.isHardBlocked {
                add(.problem, "rfkill: \(radio.name) is switched off by a button; switch it on there")
            } else if radio.isSoftBlocked {
                add(.problem, "rfkill: \(radio.name) is blocked", "sudo rfkill unblock bluetooth")
            }
        }
    }

    /// Who has the adapters: the one that is taken for emulating must be powered off.
    private mutating func lookAtHolders() {
        let free = facts.adapters.filter { !$0.isUp }
        if let adapter = free.first {
            let daemon = facts.hasDaemon ? "; bluetoothd runs beside it" : ""
            return add(.good, "\(adapter.name) is free: --transport hci-socket:\(adapter.number)\(daemon)")
        }
        guard let adapter = facts.adapters.first else { return }
        if facts.hasDaemon {
            let stop = facts.hasSystemd ? "sudo systemctl stop bluetooth" : "sudo killall bluetoothd"
            add(.problem, "bluetoothd holds \(adapter.name)", stop, "sudo hciconfig \(adapter.name) down")
        } else {
            add(
                .problem, "\(adapter.name) is powered on, so it cannot be taken for emulating",
                "sudo hciconfig \(adapter.name) down")
        }
    }

    private mutating func lookAtInterfaces() {
        if facts.pcapInterfaces.isEmpty {
            add(.note, "libpcap sees no Bluetooth interface; “gattbench sniff monitor” works without")
        } else {
            add(.good, "libpcap captures on \(facts.pcapInterfaces.joined(separator: ", "))")
        }
    }

    private mutating func lookAtRights() {
        if facts.mayListen, facts.mayTakeAdapters {
            return add(.good, "the rights to sniff and to take adapters are there\(facts.isRoot ? ": root" : "")")
        }
        let missing = [facts.mayListen ? nil : "CAP_NET_RAW", facts.mayTakeAdapters ? nil : "CAP_NET_ADMIN"]
        add(
            .problem,
            "rights are missing: \(missing.compactMap { $0 }.joined(separator: ", ")); give them to the program, or run it by sudo",
            "sudo setcap cap_net_raw,cap_net_admin+eip \(facts.program)")
    }

    private mutating func lookAtPrograms() {
        if let version = facts.tshark {
            add(.good, "tshark \(version); “gattbench wireshark install” lets it capture from here")
        } else {
            add(.note, "tshark is not installed; nothing here needs it", "sudo apt install tshark")
        }
        if let version = facts.bluez {
            add(.good, "BlueZ \(version)")
        } else {
            add(
                .note, "BlueZ is not installed; hciconfig, which powers adapters off, comes with it",
                "sudo apt install bluez")
        }
    }
}

extension Checkup: CustomStringConvertible {
    /// A line for each finding, what to type below it, and a verdict.
    package var description: String {
        var lines: [String] = []
        for finding in findings {
            let mark = finding.grade == .good ? "ok    " : finding.grade == .note ? "note  " : "wrong "
            lines.append("\(mark)\(finding.text)")
            lines += finding.commands.map { "          \($0)" }
        }
        lines.append(isHealthy ? "sniff and emulate can work" : "sniff or emulate cannot work yet")
        return lines.joined(separator: "\n") + "\n"
    }
}
