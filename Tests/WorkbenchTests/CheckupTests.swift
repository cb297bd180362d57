import Testing
import Transports
import Workbench

/// The diagnoses of `doctor` for simulated machines.
@Suite struct CheckupTests {
    /// A machine on which everything works: one adapter, powered off, and root.
    private static var good: MachineFacts {
        var metadata = MachineFacts()
        metadata.kernel = "6.1.0-18-amd64"
        metadata.hasBluetooth = true
        metadata.hasBluetoothModule = true
        metadata.adapters = [.init(number: 0, address: "00:aa:01:00:00:00")]
        metadata.isRoot = true
        metadata.mayListen = true
        metadata.mayTakeAdapters = true
        metadata.hasSystemd = true
        metadata.program = "/usr/bin/gattbench"
        metadata.pcapInterfaces = ["bluetooth0", "bluetooth-monitor"]
        metadata.tshark = "4.0.17"
        metadata.bluez = "5.66"
        return metadata
    }

    private func problems(_ change: (inout MachineFacts) -> Void) -> [Checkup.Finding] {
        var metadata = Self.good
        change(&metadata)
        let checkup = Checkup(metadata)
        let problems = checkup.findings.filter { $0.grade == .problem }
        #expect(checkup.isHealthy == problems.isEmpty)
        return problems
    }

    @Test func nothingIsWrong() {
        #expect(problems { _ in }.isEmpty)
        #expect("\(Checkup(Self.good))".hasSuffix("\nready to sniff and emulate\n"))
    }

    @Test func aKernelWithoutBluetooth() {
        let found = problems {
            $0.hasBluetooth = false
            $0.hasBluetoothModule = false
            $0.adapters = []
        }
        #expect(
            found.map(\.text) == [
                "kernel 6.1.0-18-amd64 has no Bluetooth support; boot a distribution kernel"
            ])
    }

    @Test func aModuleThatIsNotLoaded() {
        let found = problems {
            $0.hasBluetooth = false
            $0.adapters = []
        }
        #expect(found.map(\.commands) == [["sudo modprobe bluetooth"]])
    }

    @Test func noAdapter() {
        #expect(problems { $0.adapters = [] }.map(\.commands) == [["sudo modprobe btusb", "sudo modprobe hci_vhci"]])
    }

    @Test func theDaemonHoldsTheOnlyAdapter() {
        let found = problems {
            $0.adapters[0].isUp = true
            $0.hasDaemon = true
        }
        #expect(found.map(\.text) == ["bluetoothd holds hci0"])
        #expect(found.map(\.commands) == [["sudo systemctl stop bluetooth", "sudo hciconfig hci0 down"]])
    }

    @Test func theDaemonWithoutSystemd() {
        let found = problems {
            $0.adapters[0].isUp = true
            $0.hasDaemon = true
            $0.hasSystemd = false
        }
        #expect(found.first?.commands.first == "sudo killall bluetoothd")
    }

    @Test func theDaemonHoldsOneOfTwo() {
        let found = problems {
            $0.adapters[0].isUp = true
            $0.adapters.append(.init(number: 1))
            $0.hasDaemon = true
        }
        #expect(found.isEmpty)
    }

    @Test func anAdapterThatIsOn() {
        #expect(problems { $0.adapters[0].isUp = true }.map(\.commands) == [["sudo hciconfig hci0 down"]])
    }

    @Test func aBlockedRadio() {
        let found = problems {
            $0.switches = [
                .init(name: "hci0", isSoftBlocked: true, isHardBlocked: false),
                .init(name: "tpacpi_bluetooth_sw", isSoftBlocked: true, isHardBlocked: true),
                .init(name: "hci1", isSoftBlocked: false, isHardBlocked: false),
            ]
        }
        #expect(found.map(\.commands) == [["sudo rfkill unblock bluetooth"], []])
    }

    @Test(arguments: [
        (false, false, "CAP_NET_RAW, CAP_NET_ADMIN"), (true, false, "CAP_NET_ADMIN"), (false, true, "CAP_NET_RAW"),
    ])
    func missingRights(mayListen: Bool, mayTakeAdapters: Bool, missing: String) {
        let found = problems {
            $0.isRoot = false
            $0.mayListen = mayListen
            $0.mayTakeAdapters = mayTakeAdapters
        }
        #expect(
            found.map(\.text) == [
                "missing capabilities: \(missing); grant them to the program, or run it with sudo"
            ])
        #expect(found.map(\.commands) == [["sudo setcap cap_net_raw,cap_net_admin+eip /usr/bin/gattbench"]])
    }

    @Test func missingProgramsAreNoProblem() {
        let found = problems {
            $0.tshark = nil
            $0.bluez = nil
            $0.pcapInterfaces = []
        }
        #expect(found.isEmpty)
    }
}
