import Bluetooth
import Bytes
import Radio
import Testing

/// ACL data: fragments, flow control, loss.
@Suite struct DataTests {
    private func completed(_ packets: [[UInt8]]) -> Int {
        TestBed.events(HCI.NumberOfCompletedPackets.self, in: packets).flatMap(\.entries).reduce(0) {
            $0 + Int($1.count)
        }
    }

    @Test(arguments: [Radio.Pace.air, .immediate])
    func packetsAreCutToWhatTheAirTakes(pace: Radio.Pace) throws {
        var bed = TestBed(2, pace: pace)
        let (central, _) = try bed.connected()
        let bytes = (0..<100).map { UInt8($0) }
        bed.sendData(0, central, bytes)
        bed.pass(300)
        let data = TestBed.data(in: bed.take(1))
        #expect(data.map(\.bytes.count) == [27, 27, 27, 19])
        #expect(data.map(\.boundary) == [2, 1, 1, 1])
        #expect(data.flatMap(\.bytes) == bytes)
        #expect(completed(bed.take(0)) == 1)
    }

    @Test func fragmentsOfTheHostStayFragments() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        bed.sendData(0, central, [1, 2, 3])
        bed.sendData(0, central, [4, 5], continuing: true)
        bed.pass(300)
        let data = TestBed.data(in: bed.take(1))
        #expect(data.map(\.bytes) == [[1, 2, 3], [4, 5]])
        #expect(data.map(\.boundary) == [2, 1])
    }

    @Test func longerPacketsAfterTheyWereAgreedOn() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        bed.send(0, HCI.LESetDataLength(handle: central, txOctets: 251, txTime: 2120))
        #expect(bed.status(0) == .success)
        bed.pass(300)
        let changes = TestBed.events(HCI.LEDataLengthChange.self, in: bed.take(0))
        #expect(changes.map(\.maxTxOctets) == [251])
        #expect(changes.map(\.maxRxOctets) == [27])
        #expect(TestBed.events(HCI.LEDataLengthChange.self, in: bed.take(1)).map(\.maxRxOctets) == [251])
        bed.sendData(0, central, [UInt8](repeating: 7, count: 251))
        bed.pass(300)
        #expect(TestBed.data(in: bed.take(1)).map(\.bytes.count) == [251])
    }

    @Test func whoSendsMoreThanThereIsRoomForLosesIt() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        for number in 0..<13 { bed.sendData(0, central, [UInt8(number)]) }
        // Data Buffer Overflow of an ACL link.
        #expect(bed.takeText(0) == ["04 1a 01 01"])
        bed.pass(300)
        #expect(TestBed.data(in: bed.take(1)).flatMap(\.bytes) == (0..<12).map { UInt8($0) })
        #expect(completed(bed.take(0)) == 12)
        bed.sendData(0, central, [99])
        bed.pass(300)
        #expect(TestBed.data(in: bed.take(1)).flatMap(\.bytes) == [99])
    }

    @Test func bothDirectionsKeepTheirOrderWhateverGetsLost() throws {
        var bed = TestBed(2, path: Path())
        let (central, peripheral) = try bed.connected(
            timing: HCI.ConnectionTiming(intervalMin: 6, intervalMax: 6, supervisionTimeout: 3200))
        bed.radio.setPath(0, 1, Path(loss: 0.4))
        var received: [[UInt8]] = [[], []]
        var credits = [12, 12]
        var sent = [0, 0]
        for _ in 0..<2000 {
            for (index, handle) in [(0, central), (1, peripheral)] {
                while credits[index] > 0, sent[index] < 200 {
                    bed.sendData(index, handle, [UInt8(sent[index])])
                    credits[index] -= 1
                    sent[index] += 1
                }
                let packets = bed.take(index)
                credits[index] += completed(packets)
                received[index] += TestBed.data(in: packets).flatMap(\.bytes)
            }
            bed.pass(10)
        }
        #expect(received[0] == (0..<200).map { UInt8($0) })
        #expect(received[1] == (0..<200).map { UInt8($0) })
        #expect(credits == [12, 12])
    }

    @Test func theAirHasNoMoreRoomThanThereIs() throws {
        var bed = TestBed(2)
        let (_, peripheral) = try bed.connected(
            timing: HCI.ConnectionTiming(intervalMin: 6, intervalMax: 6, supervisionTimeout: 100))
        var count = 0
        var credits = 12
        for _ in 0..<1000 {
            while credits > 0 {
                bed.sendData(1, peripheral, [UInt8](repeating: 0, count: 27))
                credits -= 1
            }
            bed.pass(1)
            credits += completed(bed.take(1))
            count += TestBed.data(in: bed.take(0)).count
        }
        // On LE 1M, an empty PDU, 27 bytes and two inter-frame spaces take 676 µs: at most 1479 a second.
        #expect((1200...1479).contains(count))
    }

    @Test func aPeripheralThatSkipsEventsIsReachedLater() throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected(
            timing: HCI.ConnectionTiming(intervalMin: 80, intervalMax: 80, maxLatency: 9, supervisionTimeout: 1000))
        var longest: Int64 = 0
        for _ in 0..<10 {
            let begin = bed.radio.now
            bed.sendData(0, central, [1])
            while TestBed.data(in: bed.take(1)).isEmpty { bed.pass(10) }
            longest = max(longest, bed.radio.now.nanoseconds(since: begin))
            bed.pass(330)
        }
        #expect(longest > 500_000_000 && longest <= 1_010_000_000)
        let begin = bed.radio.now
        bed.sendData(1, peripheral, [1])
        while TestBed.data(in: bed.take(0)).isEmpty { bed.pass(10) }
        #expect(bed.radio.now.nanoseconds(since: begin) <= 120_000_000)
    }

    @Test func dataOfNoConnectionAreLost() throws {
        var bed = TestBed(2)
        bed.sendData(0, 0x0040, [1, 2, 3])
        bed.send(0, "02 40 00 05 00 01")
        bed.send(0, "02 40")
        #expect(bed.take(0).isEmpty)
    }
}
