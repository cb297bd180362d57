import Bluetooth
import Bytes
import PDUTestKit
import Radio
import Testing

/// Connections: set-up, disconnection and data.
@Suite struct ConnectionTests {
    @Test func bothLearnOfTheConnection() throws {
        var bed = TestBed(2)
        bed.advertise()
        bed.connect()
        bed.pass(100)
        let central = try #require(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(0)).first)
        let peripheral = try #require(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(1)).first)
        #expect(central.status == .success)
        #expect(central.role == .central)
        #expect(central.peer == TestBed.address(1))
        #expect(central.interval == 24)
        #expect(central.supervisionTimeout == 100)
        #expect(peripheral.role == .peripheral)
        #expect(peripheral.peer == TestBed.address(0))
    }

    @Test func thePlainEventComesWhereTheOtherIsMasked() {
        var bed = TestBed(2)
        bed.send(0, HCI.LESetEventMask(mask: 0x1F))
        bed.advertise()
        bed.connect()
        bed.pass(100)
        let packets = bed.take(0)
        #expect(TestBed.events(HCI.LEConnectionComplete.self, in: packets).count == 1)
        #expect(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: packets).isEmpty)
    }

    @Test func connectingCanBeGivenUp() {
        var bed = TestBed(2)
        bed.connect()
        #expect(bed.status(0) == .success)
        bed.connect()
        #expect(bed.status(0) == .commandDisallowed)
        bed.pass(1000)
        bed.send(0, "01 0E 20 00")
        let packets = bed.take(0)
        #expect(packets.first.map { TestBed.text($0) } == "04 0e 04 01 0e 20 00")
        #expect(
            TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: packets).map(\.status)
                == [.unknownConnectionIdentifier])
        bed.advertise()
        bed.pass(100)
        #expect(bed.take(0).isEmpty)
    }

    @Test func whoIsConnectedIsNotConnectedAgain() throws {
        var bed = TestBed(2)
        _ = try bed.connected()
        bed.connect()
        #expect(bed.status(0) == .connectionAlreadyExists)
    }

    @Test func theAcceptListChooses() throws {
        var bed = TestBed(3)
        bed.advertise(1)
        bed.advertise(2)
        bed.send(0, 0x2011, ["le_address_type": 0, "bd_addr": .number(TestBed.address(2).value)])
        bed.send(
            0,
            HCI.LECreateConnection(
                scanInterval: 0x10, scanWindow: 0x10, filterPolicy: 1, peerType: .publicDevice,
                peer: Address(value: 0), ownType: .publicDevice, timing: TestBed.timing))
        bed.pass(200)
        #expect(
            TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(0)).map(\.peer) == [TestBed.address(2)])
    }

    @Test func whoMayNotConnectFindsOut() throws {
        var bed = TestBed(2)
        bed.advertise(filterPolicy: 2)
        bed.connect()
        bed.pass(1000)
        #expect(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(1)).isEmpty)
        let packets = bed.take(0)
        #expect(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: packets).count == 1)
        #expect(
            TestBed.events(HCI.DisconnectionComplete.self, in: packets).map(\.reason) == [
                .connectionFailedToBeEstablished
            ])
    }

    @Test(arguments: [true, false])
    func bothLearnWhyItEnds(byCentral: Bool) throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        let (from, to) = byCentral ? (0, 1) : (1, 0)
        bed.send(
            from, HCI.Disconnect(handle: byCentral ? central : peripheral, reason: .remoteUserTerminatedConnection))
        bed.pass(200)
        #expect(
            TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(from)).map(\.reason)
                == [.connectionTerminatedByLocalHost])
        #expect(
            TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(to)).map(\.reason)
                == [.remoteUserTerminatedConnection])
        bed.send(from, HCI.Disconnect(handle: central, reason: .remoteUserTerminatedConnection))
        #expect(bed.status(from) == .unknownConnectionIdentifier)
    }

    @Test func aReasonMustBeOneThatHostsGive() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        bed.send(0, HCI.Disconnect(handle: central, reason: .connectionTimeout))
        #expect(bed.status(0) == .invalidCommandParameters)
    }

    @Test(arguments: [Radio.Pace.air, .immediate], [Path.outOfRange, Path(loss: 1)])
    func whoIsNotHeardIsLostAfterTheTimeout(pace: Radio.Pace, path: Path) throws {
        var bed = TestBed(2, pace: pace)
        _ = try bed.connected()
        bed.pass(60_000)
        bed.radio.setPath(0, 1, path)
        bed.pass(960)
        #expect(bed.take(0).isEmpty && bed.take(1).isEmpty)
        bed.pass(80)
        for index in 0...1 {
            #expect(
                TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(index)).map(\.reason) == [
                    .connectionTimeout
                ])
        }
    }

    @Test func whoComesBackInTimeStays() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        bed.radio.setPath(0, 1, .outOfRange)
        bed.pass(900)
        bed.radio.setPath(0, 1, Path())
        bed.pass(60_000)
        #expect(bed.take(0).isEmpty)
        bed.sendData(0, central, [1, 2, 3])
        bed.pass(100)
        #expect(TestBed.data(in: bed.take(1)).map(\.bytes) == [[1, 2, 3]])
    }

    @Test func aControllerThatIsResetIsLost() throws {
        var bed = TestBed(2)
        _ = try bed.connected()
        bed.send(0, HCI.Reset())
        bed.pass(960)
        #expect(bed.take(1).isEmpty)
        bed.pass(80)
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(1)).map(\.reason) == [.connectionTimeout])
    }

    @Test func anIdleConnectionCostsNothing() throws {
        var bed = TestBed(2)
        _ = try bed.connected()
        #expect(bed.radio.step(notAfter: bed.radio.now.advanced(nanoseconds: 86_400_000_000_000)) == nil)
    }

    @Test func twentyAtOnce() throws {
        var bed = TestBed(21)
        for index in 1...20 {
            bed.advertise(index)
            bed.connect(0, to: index)
            bed.pass(100)
        }
        let connections = TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(0))
        #expect(connections.map(\.peer) == (1...20).map { TestBed.address($0) })
        #expect(Set(connections.map(\.handle)).count == 20)
        for connection in connections {
            bed.sendData(0, connection.handle, [UInt8(connection.handle.rawValue & 0xFF)])
            bed.pass(50)
        }
        for (index, connection) in connections.enumerated() {
            #expect(TestBed.data(in: bed.take(index + 1)).map(\.bytes) == [[UInt8(connection.handle.rawValue & 0xFF)]])
        }
    }
}
