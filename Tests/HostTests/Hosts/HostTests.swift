import Bluetooth
import Bytes
import Host
import PDUTestKit
import Testing

@Test func hostAsksTheControllerInOrder() {
    var pair = makePair()
    pair.controllers[0].supported = ScriptedController.extended
    pair.start()
    #expect(
        pair.controllers[0].opcodes == [
            0x0C03, 0x1001, 0x1002, 0x0C01, 0x2003, 0x2001, 0x1009, 0x2002, 0x0C6D, 0x203A, 0x2024, 0x2005,
        ])
    #expect(pair.controllers[1].opcodes == [0x0C03, 0x1001, 0x1002, 0x0C01, 0x2003, 0x2001, 0x1009, 0x2002, 0x2005])
    let information = pair.hosts[0].controller
    #expect(pair.events[0] == [.ready(information)])
    #expect(information.version == 12)
    #expect(information.manufacturer == 0x05F0)
    #expect(information.publicAddress == Address(value: 0x00AA_0000_0001))
    #expect(information.leFeatures.bits == 0x1FF)
    #expect(information.packetLength == 27 && information.packetCount == 4)
    #expect(information.supportsExtendedAdvertising)
    #expect(information.maximumAdvertisingData == 1650)
    // The masks: Disconnection Complete, Encryption Change, Hardware Error, Key Refresh, LE Meta; LE events 1 to 3, 5,
    // 7, 10, 12, and the extended advertising events 13 and 18.
    #expect(pair.controllers[0].packets[0x0C01] == hex("01 010c 08 9080000000800020"))
    #expect(pair.controllers[0].packets[0x2001] == hex("01 0120 08 571a020000000000"))
    #expect(pair.controllers[1].packets[0x2001] == hex("01 0120 08 570a000000000000"))
}

@Test func buffersMayBeShared() {
    var pair = makePair()
    pair.controllers[0].leBuffers = (0, 0)
    pair.start()
    #expect(pair.hosts[0].controller.hasSharedBuffers)
    #expect(pair.hosts[0].controller.packetLength == 100)
    #expect(pair.hosts[0].controller.packetCount == 2)
}

@Test func controllerThatKnowsLittleWillDo() {
    var pair = makePair()
    for opcode in [0x1001, 0x1002, 0x2003, 0x1009] as [UInt16] { pair.controllers[0].refused[opcode] = 0x01 }
    pair.controllers[1].silent = [0x1001, 0x1002]
    pair.start()
    #expect(pair.events[0] == [.ready(pair.hosts[0].controller)])
    #expect(pair.events[1] == [])
    pair.wait(5)
    #expect(pair.events[1] == [.ready(pair.hosts[1].controller)])
}

@Test func controllerThatIsSilentOrRefusesIsGivenUp() {
    var pair = makePair()
    pair.controllers[0].silent = [0x0C03]
    pair.controllers[1].refused = [0x2002: 0x01]
    pair.start()
    pair.wait(3)
    #expect(pair.events[0] == [.failed(.controllerSilent)])
    #expect(pair.events[1] == [.failed(.commandRefused(.leReadBufferSize, .unknownCommand))])
    pair.request(0, .advertise(Host.AdvertisingSettings(data: [])))
    #expect(pair.events[0].last == .refused(.notReady))
    // Another start may find the controller working again.
    pair.controllers[0].silent = []
    pair.request(0, .start)
    #expect(pair.events[0].last == .ready(pair.hosts[0].controller))
}

@Test func controllerThatFallsSilentLaterIsGivenUp() {
    var pair = makePair()
    pair.connect()
    pair.controllers[0].silent = [0x2008, 0x2006, 0x2009, 0x0405, 0x1405]
    for _ in 0..<5 { pair.request(0, .command(hex("0514 02 4000"))) }
    pair.wait(9)
    #expect(pair.events[0].contains(.commandAnswered(HCI.Opcode(rawValue: 0x1405), [])))
    #expect(pair.events[0].contains(.disconnected(pair.handles[0], .connectionTimeout)))
    #expect(pair.events[0].last == .failed(.controllerSilent))
}

@Test func hardwareErrorEndsAll() {
    var pair = makePair()
    pair.connect()
    _ = pair.hosts[0].handle(.packet(hex("04 10 01 07")), at: pair.now)
    #expect(pair.hosts[0].connections == [])
}

/// Advertising, scanning and connecting with both sets of commands; the bytes follow the specification's tables.
@Test(arguments: [false, true])
func hostsConnectByLegacyAndExtendedCommands(isExtended: Bool) {
    var pair = makePair(addressing: .public)
    if isExtended { for index in 0...1 { pair.controllers[index].supported = ScriptedController.extended } }
    pair.start()
    let settings = Host.AdvertisingSettings(data: hex("02 01 06 03 03 0f18"), scanResponse: hex("03 09 4142"))
    pair.request(1, .advertise(settings))
    #expect(pair.events[1].last == .advertisingStarted(pair.address(of: 1)))
    let commands = pair.controllers[1].packets
    if isExtended {
        #expect(
            commands[0x2036]
                == hex("01 3620 19 00 1300 a00000 a00000 07 00 00 000000000000 00 7f 01 00 01 00 00"))
        #expect(commands[0x2037] == hex("01 3720 0b 00 03 01 07 0201060303 0f18"))
        #expect(commands[0x2038] == hex("01 3820 08 00 03 01 04 03094142"))
        #expect(commands[0x2039] == hex("01 3920 06 01 01 00 0000 00"))
    } else {
        #expect(commands[0x2006] == hex("01 0620 0f a000 a000 00 00 00 000000000000 07 00"))
        #expect(commands[0x2008]?.prefix(12) == hex("01 0820 20 07 0201060303 0f18")[...])
        #expect(commands[0x2009]?.prefix(9) == hex("01 0920 20 04 03094142")[...])
        #expect(commands[0x200A] == hex("01 0a20 01 01"))
    }
    var scan = Host.ScanSettings()
    scan.services = [0x180F]
    pair.request(0, .scan(scan))
    #expect(pair.events[0].contains(.scanningStarted))
    guard case .advertisement(let heard) = pair.events[0].last else {
        Issue.record("nothing was heard")
        return
    }
    #expect(heard.address == pair.address(of: 1))
    #expect(heard.services == [0x180F])
    #expect(heard.isConnectable && heard.isScannable && !heard.isScanResponse)
    pair.request(0, .stopScanning)
    #expect(pair.events[0].last == .scanningStopped)
    if isExtended {
        #expect(pair.controllers[0].packets[0x2041] == hex("01 4120 08 00 00 01 01 6000 6000"))
    } else {
        #expect(pair.controllers[0].packets[0x200B] == hex("01 0b20 07 01 6000 6000 00 00"))
    }
    pair.reconnect()
    #expect(pair.hosts[0].connections == [pair.handles[0]])
    #expect(pair.hosts[1].connections == [pair.handles[1]])
    #expect(pair.events[1].contains(.advertisingStopped))
    if isExtended {
        #expect(
            pair.controllers[0].packets[0x2043]
                == hex("01 4320 1a 00 00 00 020000 00aa00 01 6000 6000 1800 2800 0000 f401 0000 0000"))
        #expect(pair.controllers[0].packets[0x2022] == hex("01 2220 06 4000 fb00 4808"))
    } else {
        #expect(
            pair.controllers[0].packets[0x200D]
                == hex("01 0d20 19 6000 6000 00 00 020000 00aa00 00 1800 2800 0000 f401 0000 0000"))
    }
    // The MTU is exchanged at once, and both sides report it.
    #expect(pair.hosts[0].client(of: pair.handles[0])?.mtu == 517)
    #expect(pair.events[1].contains(.server(.mtuChanged(517, pair.handles[1]))))
    // Advertising continues after the central has disconnected.
    pair.request(0, .disconnect(pair.handles[0], .remoteUserTerminatedConnection))
    #expect(pair.events[0].last == .disconnected(pair.handles[0], .connectionTerminatedByLocalHost))
    #expect(pair.events[1].last == .advertisingStarted(pair.address(of: 1)))
    pair.request(1, .stopAdvertising)
    #expect(pair.events[1].last == .advertisingStopped)
}

@Test func longAdvertisingDataIsSentInParts() {
    var pair = makePair()
    pair.controllers[1].supported = ScriptedController.extended
    pair.start()
    var settings = Host.AdvertisingSettings(data: [UInt8](repeating: 7, count: 600))
    pair.request(1, .advertise(settings))
    #expect(pair.events[1].last == .refused(.dataTooLong(maximum: 31)))
    settings.isLegacy = false
    let before = pair.controllers[1].opcodes.count
    pair.request(1, .advertise(settings))
    #expect(pair.controllers[1].opcodes[before...] == [0x2036, 0x2035, 0x2037, 0x2037, 0x2037, 0x2039])
    #expect(pair.controllers[1].packets[0x2037]?.prefix(8) == hex("01 3720 66 00 02 01 62")[...])
}

@Test func advertisingThatIsRefusedIsTold() {
    var pair = makePair()
    pair.controllers[1].refused = [0x2006: 0x12]
    pair.start()
    pair.request(1, .advertise(Host.AdvertisingSettings(data: [])))
    #expect(
        pair.events[1].filter { if case .advertisingFailed = $0 { true } else { false } }
            == [.advertisingFailed(.invalidCommandParameters)])
}

@Test func connectingIsGivenUpInTime() {
    var pair = makePair()
    pair.start()
    var settings = Host.ConnectSettings(pair.address(of: 1))
    settings.timeout = .seconds(5)
    pair.request(0, .connect(settings))
    pair.request(0, .connect(settings))
    #expect(pair.events[0].last == .refused(.connecting))
    pair.wait(6)
    #expect(pair.events[0].last == .connectionFailed(.operationCancelledByHost))
    #expect(pair.controllers[0].opcodes.last == 0x200E)
    pair.request(1, .advertise(Host.AdvertisingSettings(data: [])))
    pair.reconnect()
    #expect(pair.hosts[0].connections.count == 1)
}

@Test func timingsArePassedOn() {
    var pair = makePair()
    pair.connect()
    let timing = HCI.ConnectionTiming(intervalMin: 80, intervalMax: 80, maxLatency: 2, supervisionTimeout: 400)
    let changed = Host.Connection.Timing(interval: 80, latency: 2, supervisionTimeout: 400)
    // The peripheral sends an L2CAP request to its central, the central a command to its controller.
    pair.request(1, .changeTiming(pair.handles[1], timing))
    #expect(pair.controllers[0].packets[0x2013] == hex("01 1320 0e 4000 5000 5000 0200 9001 0000 0000"))
    #expect(pair.events[0].last == .timingChanged(pair.handles[0], changed))
    #expect(pair.events[1].last == .timingChanged(pair.handles[1], changed))
    var wrong = timing
    wrong.supervisionTimeout = 10
    pair.request(0, .changeTiming(pair.handles[0], wrong))
    #expect(pair.events[0].last == .timingRefused(pair.handles[0]))
    pair.request(0, .changePHY(pair.handles[0], tx: 2, rx: 2))
    #expect(pair.events[0].last == .refused(.unsupported))
    pair.request(0, .changePHY(0x99, tx: 2, rx: 2))
    #expect(pair.events[0].last == .refused(.unknownConnection(0x99)))
}

@Test func dataLengthAndPHYAreAskedFor() {
    var pair = makePair()
    for index in 0...1 { pair.controllers[index].supported = ScriptedController.extended }
    pair.connect()
    pair.request(0, .changePHY(pair.handles[0], tx: 2, rx: 0))
    #expect(pair.controllers[0].packets[0x2032] == hex("01 3220 07 4000 02 02 00 0000"))
    pair.request(0, .changeDataLength(pair.handles[0], octets: 100))
    #expect(pair.controllers[0].packets[0x2022] == hex("01 2220 06 4000 6400 9003"))
    pair.deliver(0, HCI.LEPHYUpdateComplete(handle: pair.handles[0], txPHY: .le2M, rxPHY: .le1M))
    pair.deliver(
        0,
        HCI.LEDataLengthChange(
            handle: pair.handles[0], maxTxOctets: 251, maxTxTime: 2120, maxRxOctets: 27, maxRxTime: 328))
    pair.settle()
    #expect(
        pair.events[0].suffix(2) == [
            .phyChanged(pair.handles[0], sends: .le2M, receives: .le1M),
            .dataLengthChanged(pair.handles[0], sends: 251, receives: 27),
        ])
}

/// A client discovers, reads, writes and subscribes with 27-byte packets, and never has more of them pending than there
/// are buffers.
@Test func attributesAreUsedFromHostToHost() throws {
    var pair = makePair()
    pair.connect()
    let handle = pair.handles[0]
    pair.request(0, .client(handle, .discover, id: 1))
    guard case .client(_, .finished(id: 1, .success(.table(let table)))) = pair.events[0].last else {
        Issue.record("no table: \(String(describing: pair.events[0].last))")
        return
    }
    // No service includes the secondary one, so discovery does not find it.
    #expect(table.services.map(\.start) == [0x01, 0x06, 0x10, 0x20])
    #expect(table.characteristics.count == 15)
    #expect(table.descriptors.map(\.handle) == [0x09, 0x13, 0x24, 0x33, 0x36])
    let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    pair.request(0, .client(handle, .write(0x23, long), id: 2))
    pair.request(0, .client(handle, .read(0x23), id: 3))
    #expect(pair.events[0].last == .client(handle, .finished(id: 3, .success(.value(long)))))
    pair.request(0, .client(handle, .subscribe(0x12, .notifications), id: 4))
    pair.request(1, .notify(0x12, [0x37]))
    #expect(pair.events[0].last == .client(handle, .notified(0x12, [0x37])))
    #expect(pair.largestBacklog[0] <= 4 && pair.largestBacklog[1] <= 4)
    #expect(pair.longestPacket == [27, 27])
    // An attribute whose value the owner supplies.
    pair.request(0, .client(handle, .read(0x30), id: 5))
    guard case .server(.asked(let question)) = pair.events[1].last else {
        Issue.record("nobody was asked")
        return
    }
    pair.request(1, .answer(question.ticket, .value([1, 2, 3])))
    #expect(pair.events[0].last == .client(handle, .finished(id: 5, .success(.value([1, 2, 3])))))
}

@Test func nothingIsSentWithoutABuffer() {
    var pair = makePair()
    pair.connect()
    pair.request(0, .client(pair.handles[0], .discover, id: 1))
    pair.request(0, .client(pair.handles[0], .subscribe(0x12, .notifications), id: 2))
    pair.events = [[], []]
    pair.acknowledges = false
    for number in 0..<20 { pair.request(1, .notify(0x12, [UInt8(number)])) }
    #expect(pair.largestBacklog[1] <= 4)
    #expect(pair.events[0].count == 4)
    #expect(pair.hosts[1].queuedPackets(of: pair.handles[1]) == 16)
    pair.acknowledge(1)
    #expect(pair.events[0] == (0..<20).map { .client(pair.handles[0], .notified(0x12, [UInt8($0)])) })
    for number in 0..<9000 { pair.request(1, .notify(0x12, [UInt8(number & 0xFF)])) }
    #expect(pair.events[1].last == .congested(pair.handles[1]))
    pair.part(by: nil, .connectionTimeout)
    #expect(pair.hosts[1].queuedPackets(of: pair.handles[1]) == 0)
}

@Test func connectionThatBreaksEndsWhatWasUnderWay() {
    var pair = makePair()
    pair.connect()
    pair.request(0, .client(pair.handles[0], .read(0x30), id: 1))
    pair.part(by: nil, .connectionTimeout)
    #expect(
        pair.events[0].suffix(2) == [
            .client(pair.handles[0], .finished(id: 1, .failure(.disconnected))),
            .disconnected(pair.handles[0], .connectionTimeout),
        ])
    #expect(pair.hosts[0].deadline == nil)
}

/// Arbitrary controller packets leave the host operational.
@Test func hostSurvivesRandomPackets() {
    var random = SplitMix64(seed: 21)
    var pair = makePair()
    pair.connect()
    for round in 0..<30_000 {
        let index = round & 1
        var packet = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        packet.insert([1, 2, 2, 2, 3, 4, 4, 5].randomElement(using: &random)!, at: 0)
        if packet[0] == 4, packet.count > 3 {
            packet[2] = UInt8(packet.count - 3)
            if round % 3 == 0 { packet[1] = [0x05, 0x08, 0x0E, 0x0F, 0x13, 0x30, 0x3E].randomElement(using: &random)! }
            if packet[1] == 0x3E { packet[3] = UInt8.random(in: 0...0x14, using: &random) }
            if packet[1] == 0x10 { packet[1] = 0x11 }
        }
        if packet[0] == 2, packet.count > 9 {
            let handle = pair.handles[index].rawValue
            packet.replaceSubrange(
                1..<9,
                with: [
                    UInt8(handle & 0xFF), 0x20, UInt8(packet.count - 5), 0, UInt8(packet.count - 9), 0,
                    [4, 5, 6].randomElement(using: &random)!, 0,
                ])
        }
        _ = pair.hosts[index].handle(.packet(packet), at: pair.now)
        if round % 100 == 0 {
            pair.wait(40)
            pair.events = [[], []]
        }
    }
    pair.request(0, .start)
    #expect(pair.events[0].contains(.ready(pair.hosts[0].controller)))
}

@Test func sameSeedSameBytes() {
    func run() -> [[Host.Event]] {
        var pair = makePair()
        pair.connect()
        pair.request(0, .secure(pair.handles[0]))
        return pair.events
    }
    #expect(run() == run())
}
