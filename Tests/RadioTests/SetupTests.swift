import Bluetooth
import Radio
import Testing

/// Commands of a host during its initialization.
@Suite struct SetupTests {
    @Test(arguments: [
        ("01 03 0C 00", "04 0E 04 01 03 0C 00"),
        ("01 01 10 00", "04 0E 0C 01 01 10 00 0D 00 00 0D FF FF 00 00"),
        ("01 03 10 00", "04 0E 0C 01 03 10 00 00 00 00 00 60 00 00 00"),
        ("01 09 10 00", "04 0E 0A 01 09 10 00 01 00 00 00 42 02"),
        ("01 02 20 00", "04 0E 07 01 02 20 00 FB 00 0C"),
        ("01 60 20 00", "04 0E 0A 01 60 20 00 FB 00 0C 00 00 00"),
        // Encryption, parameter request, extended reject, feature exchange, data length, privacy; 2M, Coded, extended
        // advertising, channel selection algorithm #2.
        ("01 03 20 00", "04 0E 0C 01 03 20 00 6F 59 00 00 00 00 00 00"),
        ("01 1C 20 00", "04 0E 0C 01 1C 20 00 FF FF FF FF FF 03 00 00"),
        ("01 0F 20 00", "04 0E 05 01 0F 20 00 10"),
        ("01 2A 20 00", "04 0E 05 01 2A 20 00 10"),
        ("01 2F 20 00", "04 0E 0C 01 2F 20 00 FB 00 90 42 FB 00 90 42"),
        ("01 3A 20 00", "04 0E 06 01 3A 20 00 72 06"),
        ("01 3B 20 00", "04 0E 05 01 3B 20 00 08"),
        // Unsupported: a vendor command, one of BR/EDR, one of isochronous channels.
        ("01 01 FC 00", "04 0F 04 01 01 01 FC"),
        ("01 14 0C 00", "04 0F 04 01 01 14 0C"),
        ("01 64 20 00", "04 0F 04 01 01 64 20"),
        // Too few parameters, too many, a wrong length.
        ("01 05 20 02 11 22", "04 0E 04 01 05 20 12"),
        // Address resolution must be on or off.
        ("01 2D 20 01 02", "04 0E 04 01 2D 20 12"),
        ("01 03 0C 01 00", "04 0E 04 01 03 0C 00"),
        ("01 01 20 03 00", "04 0E 04 01 01 20 12"),
        // A missing connection: the handle is returned, with zeros for the other parameters.
        ("01 05 14 02 40 00", "04 0E 07 01 05 14 02 40 00 00"),
        ("01 06 04 03 40 00 13", "04 0F 04 02 01 06 04"),
        ("01 30 20 02 40 00", "04 0E 08 01 30 20 02 40 00 00 00"),
    ])
    func isAnswered(command: String, answer: String) {
        var bed = TestBed(1)
        bed.send(0, command)
        #expect(bed.takeText(0) == [answer.lowercased()])
    }

    @Test func theMaskOfCommandsTellsWhatIsTaken() {
        var bed = TestBed(1)
        bed.send(0, "01 02 10 00")
        let returned = bed.returned(0) ?? []
        #expect(returned.count == 65)
        let supported = HCI.SupportedCommands(bytes: Array(returned.dropFirst()))
        for row in HCI.CommandRow.table.rows where HCI.SupportedCommands.bit(of: row.opcode) != nil {
            bed.send(0, raw: [1, UInt8(row.opcode.rawValue & 0xFF), UInt8(row.opcode.rawValue >> 8), 0])
            let isKnown = bed.status(0) != .unknownCommand
            #expect(supported.contains(row.opcode) == isKnown, "\(row.name)")
        }
    }

    @Test func anOldControllerKnowsLess() {
        var bed = TestBed([.old(address: TestBed.address(0))])
        bed.send(0, "01 36 20 00")
        #expect(bed.status(0) == .unknownCommand)
        bed.send(0, "01 22 20 06 00 00 FB 00 48 08")
        #expect(bed.status(0) == .unknownCommand)
        bed.send(0, "01 02 20 00")
        #expect(bed.returned(0) == [0, 27, 0, 4])
        bed.send(0, "01 02 10 00")
        let returned = bed.returned(0) ?? []
        #expect(returned.count == 65)
        let supported = HCI.SupportedCommands(bytes: Array(returned.dropFirst()))
        #expect(!supported.contains(HCI.Opcode(rawValue: 0x2036)))
        #expect(supported.contains(HCI.Opcode(rawValue: 0x2006)))
    }

    @Test func eventsThatAreMaskedDoNotCome() {
        var bed = TestBed(2)
        bed.send(0, HCI.LESetEventMask(mask: 0))
        bed.advertise()
        bed.connect()
        bed.pass(100)
        #expect(!bed.take(0).contains { $0[1] == 0x3E })
        #expect(bed.take(1).contains { $0[1] == 0x3E })
    }

    /// Bit 4 of the mask is Disconnection Complete (Vol 4, Part E, 7.3.1).
    @Test func aMaskedDisconnectionDoesNotCome() throws {
        var bed = TestBed(2)
        let (_, peripheral) = try bed.connected()
        bed.send(0, HCI.SetEventMask(mask: .max ^ 1 << 4))
        bed.send(1, HCI.Disconnect(handle: peripheral, reason: .remoteUserTerminatedConnection))
        bed.pass(200)
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(0)).isEmpty)
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(1)).count == 1)
    }

    @Test func resetEndsEverything() {
        var bed = TestBed(2)
        bed.advertise()
        bed.send(0, HCI.LESetScanParameters(type: 0, interval: 0x10, window: 0x10, ownType: .publicDevice))
        bed.send(0, HCI.LESetScanEnable(enable: true, filterDuplicates: false))
        bed.pass(100)
        #expect(bed.take(0).contains { $0[1] == 0x3E })
        bed.send(1, HCI.Reset())
        bed.pass(1)
        _ = bed.take(0)
        bed.pass(1000)
        #expect(bed.take(0).isEmpty)
        bed.send(0, HCI.Reset())
        bed.advertise()
        bed.pass(1000)
        #expect(bed.take(0).map { Array($0[1...]) } == [[0x0E, 4, 1, 0x03, 0x0C, 0]])
    }

    @Test func commandsOfBothFamiliesAreNotMixed() {
        var bed = TestBed(1)
        bed.advertise(0)
        #expect(bed.status(0) == .success)
        bed.send(0, "01 3D 20 00")
        #expect(bed.status(0) == .commandDisallowed)
        bed.send(0, HCI.Reset())
        bed.send(0, "01 3D 20 00")
        #expect(bed.status(0) == .success)
        bed.send(0, HCI.LESetAdvertisingEnable(enable: false))
        #expect(bed.status(0) == .commandDisallowed)
    }
}
