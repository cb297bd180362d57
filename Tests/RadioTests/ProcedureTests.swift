import Bluetooth
import PDUTestKit
import Radio
import Testing

/// Control procedures between the two ends of a connection.
@Suite struct ProcedureTests {
    @Test(arguments: [0, 1])
    func versionsAndFeaturesAreTold(index: Int) throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        let handle = UInt64((index == 0 ? central : peripheral).rawValue)
        bed.send(index, 0x041D, ["connection_handle": .number(handle)])
        bed.send(index, 0x2016, ["connection_handle": .number(handle)])
        bed.pass(300)
        #expect(
            bed.takeText(index) == [
                "04 0f 04 00 01 1d 04", "04 0f 04 00 01 16 20", "04 0c 08 00 40 00 0d ff ff 00 00",
                "04 3e 0c 04 00 40 00 6f 59 00 00 00 00 00 00",
            ])
    }

    @Test func anOldPeerHasFewerFeatures() throws {
        var bed = TestBed([
            ControllerConfiguration(address: TestBed.address(0)), .old(address: TestBed.address(1)),
        ])
        bed.wantAllEvents(0)
        bed.wantAllEvents(1)
        let (central, _) = try bed.connected()
        bed.send(0, 0x2016, ["connection_handle": .number(UInt64(central.rawValue))])
        bed.pass(300)
        #expect(bed.takeText(0).last == "04 3e 0c 04 00 40 00 01 00 00 00 00 00 00 00")
        bed.send(
            0, 0x2032,
            ["connection_handle": 0x40, "all_phys": 0, "tx_phys": 2, "rx_phys": 2, "phy_options": 0])
        bed.pass(300)
        #expect(
            TestBed.events(HCI.LEPHYUpdateComplete.self, in: bed.take(0)).map(\.status) == [.unsupportedRemoteFeature])
    }

    @Test func theCentralChangesTheTiming() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        let timing = HCI.ConnectionTiming(intervalMin: 80, intervalMax: 80, maxLatency: 3, supervisionTimeout: 400)
        bed.send(0, HCI.LEConnectionUpdate(handle: central, timing: timing))
        bed.pass(100)
        #expect(TestBed.events(HCI.LEConnectionUpdateComplete.self, in: bed.take(0)).isEmpty)
        bed.pass(200)
        for index in 0...1 {
            let event = try #require(TestBed.events(HCI.LEConnectionUpdateComplete.self, in: bed.take(index)).first)
            #expect(event.status == .success)
            #expect(event.interval == 80)
            #expect(event.latency == 3)
            #expect(event.supervisionTimeout == 400)
        }
        bed.radio.setPath(0, 1, .outOfRange)
        bed.pass(3500)
        #expect(bed.take(0).isEmpty)
        bed.pass(1000)
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(0)).count == 1)
    }

    @Test(arguments: [true, false])
    func thePeripheralAsks(isAccepted: Bool) throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        let timing = HCI.ConnectionTiming(intervalMin: 8, intervalMax: 16, maxLatency: 1, supervisionTimeout: 200)
        bed.send(1, HCI.LEConnectionUpdate(handle: peripheral, timing: timing))
        bed.pass(100)
        let request = try #require(TestBed.events(HCI.LERemoteConnectionParameterRequest.self, in: bed.take(0)).first)
        #expect(request.intervalMin == 8)
        #expect(request.intervalMax == 16)
        if isAccepted {
            bed.send(
                0, 0x2020,
                [
                    "connection_handle": .number(UInt64(central.rawValue)), "le_con_interval_min": 12,
                    "le_con_interval_max": 12, "le_con_latency": 1, "le_supv_timeout": 200, "le_min_ce_length": 0,
                    "le_max_ce_length": 0,
                ])
        } else {
            bed.send(0, 0x2021, ["connection_handle": .number(UInt64(central.rawValue)), "reason": 0x3B])
        }
        bed.pass(400)
        let update = try #require(TestBed.events(HCI.LEConnectionUpdateComplete.self, in: bed.take(1)).first)
        #expect(update.status == (isAccepted ? .success : .unacceptableConnectionParameters))
        #expect(update.interval == (isAccepted ? 12 : 24))
        #expect(TestBed.events(HCI.LEConnectionUpdateComplete.self, in: bed.take(0)).count == (isAccepted ? 1 : 0))
    }

    @Test func aHostThatDoesNotWantToBeAskedRefuses() throws {
        var bed = TestBed(2)
        let (_, peripheral) = try bed.connected()
        bed.send(0, HCI.LESetEventMask(mask: 0x1F))
        bed.send(1, HCI.LEConnectionUpdate(handle: peripheral, timing: TestBed.timing))
        bed.pass(200)
        #expect(
            TestBed.events(HCI.LEConnectionUpdateComplete.self, in: bed.take(1)).map(\.status)
                == [.unsupportedRemoteFeature])
    }

    @Test(arguments: [0, 1])
    func physAreAgreedOn(index: Int) throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        let handle = UInt64((index == 0 ? central : peripheral).rawValue)
        let other = UInt64((index == 0 ? peripheral : central).rawValue)
        bed.send(
            index, 0x2032,
            ["connection_handle": .number(handle), "all_phys": 0, "tx_phys": 2, "rx_phys": 1, "phy_options": 0])
        bed.pass(500)
        let update = try #require(TestBed.events(HCI.LEPHYUpdateComplete.self, in: bed.take(index)).first)
        #expect(update.txPHY == .le2M)
        #expect(update.rxPHY == .le1M)
        bed.send(1 - index, 0x2030, ["connection_handle": .number(other)])
        #expect(bed.returned(1 - index)?.suffix(2) == [1, 2])
        // The same request again: nothing changes, and only the requester gets an event.
        bed.send(
            index, 0x2032,
            ["connection_handle": .number(handle), "all_phys": 0, "tx_phys": 2, "rx_phys": 1, "phy_options": 0])
        bed.pass(500)
        #expect(TestBed.events(HCI.LEPHYUpdateComplete.self, in: bed.take(index)).map(\.txPHY) == [.le2M])
        #expect(TestBed.events(HCI.LEPHYUpdateComplete.self, in: bed.take(1 - index)).isEmpty)
    }

    @Test func theChannelMapReachesThePeripheral() throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        bed.send(0, "01 14 20 05 FF FF 00 00 00")
        #expect(bed.status(0) == .success)
        bed.pass(500)
        bed.send(1, 0x2015, ["connection_handle": .number(UInt64(peripheral.rawValue))])
        #expect(bed.returned(1)?.suffix(5) == [0xFF, 0xFF, 0, 0, 0])
        bed.send(0, 0x2015, ["connection_handle": .number(UInt64(central.rawValue))])
        #expect(bed.returned(0)?.suffix(5) == [0xFF, 0xFF, 0, 0, 0])
        bed.send(0, "01 14 20 05 01 00 00 00 00")
        #expect(bed.status(0) == .invalidCommandParameters)
    }

    @Test func theStrengthIsWhatTheWayLeaves() throws {
        var bed = TestBed(2, path: Path(attenuation: 70))
        let (central, _) = try bed.connected()
        bed.sendData(0, central, [1])
        bed.pass(100)
        _ = bed.take(0)
        bed.send(0, 0x1405, ["connection_handle": .number(UInt64(central.rawValue))])
        let strength = bed.returned(0).map { Int8(bitPattern: $0[3]) } ?? 0
        #expect((-74 ... -66).contains(strength))
    }

    @Test func twoOfAKindAreRefused() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        let handle = HCI.Value.number(UInt64(central.rawValue))
        bed.send(0, 0x2016, ["connection_handle": handle])
        bed.send(0, 0x2016, ["connection_handle": handle])
        #expect(bed.status(0) == .commandDisallowed)
    }

    /// The controller starts a data length update itself if the suggested length exceeds 27 bytes.
    @Test(arguments: [0, 1])
    func aDataLengthIsQueuedBehindTheControllersOwn(index: Int) throws {
        var bed = TestBed(2)
        bed.send(index, 0x2024, ["le_suggested_max_tx_octets": 100, "le_suggested_max_tx_time": 2120])
        bed.advertise()
        bed.connect()
        var handle: ConnectionHandle?
        while handle == nil {
            bed.pass(1)
            handle = TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(index)).first?.handle
        }
        for octets: UInt16 in [150, 251] {
            bed.send(index, HCI.LESetDataLength(handle: try #require(handle), txOctets: octets, txTime: 17040))
            #expect(bed.status(index) == .success)
        }
        bed.pass(500)
        // The request queued last takes effect.
        let changes = TestBed.events(HCI.LEDataLengthChange.self, in: bed.take(index))
        #expect(changes.map(\.maxTxOctets) == [100, 251])
    }

    @Test func theLastChannelMapHolds() throws {
        var bed = TestBed(2)
        let (_, peripheral) = try bed.connected()
        bed.send(0, "01 14 20 05 FF FF 00 00 00")
        bed.send(0, "01 14 20 05 FF 0F 00 00 00")
        bed.send(0, "01 14 20 05 0F 00 00 00 00")
        bed.pass(1000)
        bed.send(1, 0x2015, ["connection_handle": .number(UInt64(peripheral.rawValue))])
        #expect(bed.returned(1)?.suffix(5) == [0x0F, 0, 0, 0, 0])
    }
}
