import Bluetooth
import Bytes
import PDUTestKit
import Radio
import Testing

/// Advertising and scanning with extended commands.
@Suite struct ExtendedAdvertisingTests {
    private func parameters(
        _ bed: inout TestBed, _ index: Int = 1, set: UInt64 = 0, properties: UInt64 = 0, primary: UInt64 = 1,
        secondary: UInt64 = 2, notifies: UInt64 = 0, filterPolicy: UInt64 = 0
    ) {
        bed.send(
            index, 0x2036,
            [
                "advertising_handle": .number(set), "advertising_properties": .number(properties),
                "le_advts_interval_min": 0x20, "le_advts_interval_max": 0x20, "le_advts_ch_map": 7,
                "le_own_address_type": 0, "le_peer_address_type": 0, "bd_addr": 0,
                "le_advts_filter_policy": .number(filterPolicy),
                "power_level": 127, "primary_advertising_phy": .number(primary), "secondary_advertising_max_skip": 0,
                "secondary_advertising_phy": .number(secondary), "advertising_sid": 5,
                "scan_request_notification_enable": .number(notifies),
            ])
    }

    private func data(
        _ bed: inout TestBed, _ bytes: [UInt8], operation: UInt64 = 3, set: UInt64 = 0, isResponse: Bool = false
    ) {
        bed.send(
            1, isResponse ? 0x2038 : 0x2037,
            [
                "advertising_handle": .number(set), "adv_data_operation": .number(operation),
                "adv_fragment_preference": 0,
                isResponse ? "scan_response_data" : "advertising_data": .bytes(bytes),
            ])
    }

    private func enable(_ bed: inout TestBed, duration: UInt64 = 0, events: UInt64 = 0, set: UInt64 = 0) {
        bed.send(
            1, 0x2039,
            [
                "le_advts_enable": 1,
                "adv_num_sets": .list([
                    [
                        "bthci_cmd.advertising_handle": .number(set), "bthci_cmd.adv_duration": .number(duration),
                        "bthci_cmd.max_extended_advertising_events": .number(events),
                    ]
                ]),
            ])
    }

    private func scan(
        _ bed: inout TestBed, active: Bool = false, filter: UInt64 = 1, duration: UInt64 = 0, period: UInt64 = 0
    ) {
        bed.send(
            0, 0x2041,
            [
                "le_own_address_type": 0, "le_scan_filter_policy": 0, "le_scan_phys": 1,
                "le_scan_phy_param": .list([
                    [
                        "bthci_cmd.le_scan_type": active ? 1 : 0, "bthci_cmd.le_scan_interval": 0x10,
                        "bthci_cmd.le_scan_window": 0x10,
                    ]
                ]),
            ])
        bed.send(
            0, 0x2042,
            [
                "le_scan_enable": 1, "le_filter_duplicates": .number(filter), "scan_duration": .number(duration),
                "scan_period": .number(period),
            ])
    }

    /// Controller 0 initiates a connection to controller 1.
    private func connect(_ bed: inout TestBed) {
        bed.send(
            0, 0x2043,
            [
                "le_initiator_filter_policy": 0, "le_own_address_type": 0, "le_peer_address_type": 0,
                "bd_addr": .number(TestBed.address(1).value), "le_init_phys": 1,
                "le_init_phy_param": .list([
                    [
                        "bthci_cmd.le_scan_interval": 0x10, "bthci_cmd.le_scan_window": 0x10,
                        "bthci_cmd.le_con_interval_min": 6, "bthci_cmd.le_con_interval_max": 6,
                        "bthci_cmd.le_con_latency": 0, "bthci_cmd.le_supv_timeout": 100,
                        "bthci_cmd.le_min_ce_length": 0, "bthci_cmd.le_max_ce_length": 0,
                    ]
                ]),
            ])
    }

    private func reports(_ bed: inout TestBed) -> [HCI.LEExtendedAdvertisingReport.Report] {
        TestBed.events(HCI.LEExtendedAdvertisingReport.self, in: bed.take(0)).flatMap(\.reports)
    }

    @Test func muchDataComesInSeveralReports() throws {
        var bed = TestBed(2)
        let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        parameters(&bed)
        data(&bed, Array(bytes[..<251]), operation: 1)
        data(&bed, Array(bytes[251..<502]), operation: 0)
        enable(&bed)
        #expect(bed.status(1) == .commandDisallowed)
        data(&bed, Array(bytes[502...]), operation: 2)
        enable(&bed)
        #expect(bed.status(1) == .success)
        scan(&bed)
        bed.pass(500)
        let reports = reports(&bed)
        #expect(reports.map(\.data.count) == [229, 229, 142])
        #expect(reports.map(\.eventType) == [0x20, 0x20, 0])
        #expect(reports.flatMap(\.data) == bytes)
        let first = try #require(reports.first)
        #expect(first.sid == 5)
        #expect(first.primaryPHY == .le1M)
        #expect(first.secondaryPHY == .le2M)
        #expect(first.address == TestBed.address(1))
    }

    @Test func legacyPDUsAreToldAsSuch() {
        var bed = TestBed(2)
        parameters(&bed, properties: 0x13)
        data(&bed, [2, 1, 6])
        data(&bed, [2, 10, 0], isResponse: true)
        enable(&bed)
        scan(&bed, active: true)
        bed.pass(500)
        let reports = reports(&bed)
        #expect(reports.map(\.eventType) == [0x13, 0x1B])
        #expect(reports.map(\.data) == [[2, 1, 6], [2, 10, 0]])
        #expect(reports.allSatisfy { $0.sid == 0xFF && $0.secondaryPHY.rawValue == 0 })
    }

    @Test func scannableAdvertisingHasItsDataInTheResponse() {
        var bed = TestBed(2)
        parameters(&bed, properties: 0x02, notifies: 1)
        data(&bed, [9, 9, 9], isResponse: true)
        enable(&bed)
        scan(&bed, active: true)
        bed.pass(500)
        let reports = reports(&bed)
        #expect(reports.map(\.eventType) == [0x0A])
        #expect(reports.map(\.data) == [[9, 9, 9]])
        // LE Scan Request Received: the advertising set and the scanner's public address.
        #expect(bed.takeText(1).contains("04 3e 09 13 00 00 01 00 00 00 42 02"))
    }

    @Test func anonymousAdvertisingHasNoAddress() {
        var bed = TestBed(2)
        parameters(&bed, properties: 0x20)
        data(&bed, [1])
        enable(&bed)
        scan(&bed)
        bed.pass(500)
        #expect(reports(&bed).map(\.addressType) == [.anonymous])
    }

    @Test func aLegacyScannerHearsNothingOfIt() {
        var bed = TestBed(2)
        parameters(&bed)
        enable(&bed)
        bed.send(0, HCI.LESetScanParameters(type: 0, interval: 0x10, window: 0x10, ownType: .publicDevice))
        bed.send(0, HCI.LESetScanEnable(enable: true, filterDuplicates: false))
        _ = bed.take(0)
        bed.pass(1000)
        #expect(bed.take(0).isEmpty)
    }

    @Test func aSetEndsAfterItsDurationOrItsEvents() {
        var bed = TestBed(2)
        parameters(&bed)
        enable(&bed, duration: 20)
        _ = bed.take(1)
        bed.pass(199)
        #expect(bed.take(1).isEmpty)
        bed.pass(2)
        // LE Advertising Set Terminated: Advertising Timeout.
        #expect(bed.takeText(1) == ["04 3e 06 12 3c 00 00 00 00"])
        enable(&bed, events: 7)
        _ = bed.take(1)
        bed.pass(1000)
        // Limit Reached after seven events, even without a scanner.
        #expect(bed.takeText(1) == ["04 3e 06 12 43 00 00 00 07"])
    }

    @Test func scanningEndsAndBeginsAgain() {
        var bed = TestBed(2)
        parameters(&bed)
        enable(&bed)
        scan(&bed, filter: 0, duration: 10)
        bed.pass(1000)
        let once = bed.takeText(0)
        #expect(once.last == "04 3e 01 11")
        #expect((3...8).contains(once.count { $0.contains("3e 1d 0d") || $0.hasPrefix("04 3e") } - 1))
        // 0.1 s of every 1.28 s; each advertiser once in each period.
        scan(&bed, filter: 2, duration: 10, period: 1)
        bed.pass(12_900)
        #expect(reports(&bed).count == 11)
    }

    @Test func setsAreLimited() {
        var bed = TestBed(2)
        for set in 0..<8 { parameters(&bed, set: UInt64(set)) }
        #expect(bed.status(1) == .success)
        parameters(&bed, set: 8)
        #expect(bed.status(1) == .memoryCapacityExceeded)
        bed.send(1, 0x203C, ["advertising_handle": 9])
        #expect(bed.status(1) == .unknownAdvertisingIdentifier)
        bed.send(1, 0x203C, ["advertising_handle": 3])
        parameters(&bed, set: 8)
        #expect(bed.status(1) == .success)
        enable(&bed, set: 3)
        #expect(bed.status(1) == .unknownAdvertisingIdentifier)
        bed.send(1, 0x203D)
        #expect(bed.status(1) == .success)
    }

    @Test(arguments: [0x03, 0x21, 0x08, 0x14, 0x80, 0x1B] as [UInt64])
    func propertiesThatDoNotFitTogetherAreRefused(properties: UInt64) {
        var bed = TestBed(2)
        parameters(&bed, properties: properties)
        #expect(bed.status(1) == .invalidCommandParameters)
    }

    @Test func fragmentsNeedAFirstOne() {
        var bed = TestBed(2)
        parameters(&bed)
        data(&bed, [1], operation: 0)
        #expect(bed.status(1) == .invalidCommandParameters)
        data(&bed, [1], operation: 2)
        #expect(bed.status(1) == .invalidCommandParameters)
        data(&bed, [UInt8](repeating: 1, count: 251), operation: 1)
        for _ in 0..<5 { data(&bed, [UInt8](repeating: 1, count: 251), operation: 0) }
        #expect(bed.status(1) == .success)
        data(&bed, [UInt8](repeating: 1, count: 251), operation: 2)
        #expect(bed.status(1) == .memoryCapacityExceeded)
    }

    @Test(arguments: [Radio.Pace.air, .immediate])
    func whoIsNotAnsweredAsksAtTheNextEvent(pace: Radio.Pace) {
        var bed = TestBed(2, pace: pace)
        parameters(&bed, properties: 0x01, filterPolicy: 2)
        enable(&bed)
        connect(&bed)
        _ = bed.take(0)
        let end = bed.radio.now.advanced(nanoseconds: 1_000_000_000)
        var steps = 0
        while steps < 1000, bed.radio.step(notAfter: end) != nil { steps += 1 }
        // An event every 20 ms, plus up to 10 ms of delay.
        #expect((30...60).contains(steps))
        #expect(bed.take(0).isEmpty)
    }

    @Test func aSetThatIsConnectedToEnds() throws {
        var bed = TestBed(2)
        parameters(&bed, properties: 0x01)
        enable(&bed)
        connect(&bed)
        bed.pass(200)
        let central = try #require(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(0)).first)
        #expect(central.interval == 6)
        let packets = bed.take(1)
        let peripheral = try #require(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: packets).first)
        #expect(peripheral.role == .peripheral)
        let handle = String(peripheral.handle.rawValue, radix: 16)
        #expect(packets.map { TestBed.text($0) }.contains("04 3e 06 12 00 00 \(handle) 00 00"))
        bed.send(0, 0x2030, ["connection_handle": .number(UInt64(central.handle.rawValue))])
        #expect(bed.returned(0)?.suffix(2) == [2, 2])
    }

    // MARK: - On the air

    private func payload(_ packet: AirPacket) throws -> LL.ExtendedAdvertising {
        try LL.ExtendedAdvertising(decoding: Array(packet.pdu[2...]))
    }

    @Test func auxiliaryPacketsAreWhereTheirPointersSay() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
        parameters(&bed)
        data(&bed, Array(bytes[..<200]), operation: 1)
        data(&bed, Array(bytes[200...]), operation: 2)
        enable(&bed)
        bed.pass(100)
        let event = bed.radio.finishAir().prefix(5).map { $0 }
        #expect(
            event.map(\.traffic) == [
                .advertising, .advertising, .advertising, .secondary(.auxiliary), .secondary(.chain),
            ])
        #expect(event.map(\.phy) == [.le1M, .le1M, .le1M, .le2M, .le2M])
        try #require(event.count == 5)
        for (index, target) in [(0, 3), (1, 3), (2, 3), (3, 4)] {
            let pointer = try #require(try payload(event[index]).auxPointer)
            let offset = event[target].time.nanoseconds(since: event[index].time) / 1000
            #expect((0..<30).contains(offset - Int64(pointer.offset)))
            #expect(pointer.channel == event[target].channel)
            #expect(pointer.phy == .le2M)
            #expect(try payload(event[index]).dataInfo?.setID == 5)
        }
        let (auxiliary, chain) = (try payload(event[3]), try payload(event[4]))
        #expect(auxiliary.advertiser == TestBed.address(1) && chain.advertiser == nil && chain.auxPointer == nil)
        #expect(auxiliary.data + chain.data == bytes)
        #expect(event.allSatisfy { LL.crc(of: $0.pdu, initial: 0x555555) == $0.crc })
    }

    @Test func scanningAndConnectingUseTheSecondaryChannel() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        parameters(&bed, properties: 0x02)
        data(&bed, [9, 9, 9], isResponse: true)
        enable(&bed)
        scan(&bed, active: true)
        bed.pass(300)
        let packets = bed.radio.finishAir()
        let place = try #require(packets.firstIndex { $0.pdu[0] & 0x0F == LL.AdvertisingType.scanReq.rawValue })
        #expect(packets[place - 1].traffic == .secondary(.auxiliary))
        #expect(packets[place].traffic == .secondary(.auxiliary))
        #expect(packets[place + 1].traffic == .secondary(.scanResponse))
        #expect(Set(packets[(place - 1)...(place + 1)].map(\.channel)).count == 1)
        #expect(try payload(packets[place - 1]).mode == .scannable)
        #expect(try payload(packets[place - 1]).data.isEmpty)
        #expect(try payload(packets[place + 1]).data == [9, 9, 9])
    }

    @Test func aConnectionAfterAnAuxiliaryPacketIsOnItsPHY() throws {
        var bed = TestBed(2)
        bed.radio.recordAir()
        parameters(&bed, properties: 0x01)
        enable(&bed)
        connect(&bed)
        bed.pass(200)
        let packets = bed.radio.finishAir()
        let place = try #require(
            packets.firstIndex {
                $0.accessAddress == .advertising && $0.pdu[0] & 0x0F == LL.AdvertisingType.connectInd.rawValue
            })
        let request = try LL.ConnectInd(decoding: Array(packets[place].pdu[2...]))
        #expect(packets[place + 1].pdu[0] & 0x0F == LL.AdvertisingType.auxConnectRsp.rawValue)
        let response = try payload(packets[place + 1])
        #expect(response.advertiser == TestBed.address(1) && response.target == TestBed.address(0))
        let first = try #require(packets.dropFirst(place + 2).first)
        #expect(first.accessAddress == request.accessAddress && first.phy == .le2M && first.traffic == .central)
        // On LE 2M, a packet has 11 bytes of 4 µs beside its payload: the window opens 2.5 ms after AUX_CONNECT_REQ.
        let end = packets[place].time.advanced(nanoseconds: Int64(packets[place].pdu.count - 2 + 11) * 4000)
        let window = 2500 + 1250 * Int64(request.windowOffset)
        #expect((window...(window + 1250)).contains(first.time.nanoseconds(since: end) / 1000))
        // Always Channel Selection Algorithm #2.
        let selection = LL.ChannelSelection.algorithm2(request.accessAddress)
        #expect(first.channel == selection.channel(ofEvent: 0, in: .all))
    }
}
