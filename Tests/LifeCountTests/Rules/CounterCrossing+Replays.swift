import Bluetooth
import Bytes
import PDUTestKit
import TestKit

/// Counters that restart outside the capture, alternating gateways, and events from before the connection.
extension CounterCrossing {
    static let connections = [
        CounterCrossing("LC-006: another gateway has got the first event since the boot") { counter in
            counter.event(42)
            counter.leave(for: 60)
            counter.begin(boots: 4)
            counter.event(5, time: counter.now)
        },
        CounterCrossing("LC-006: whether the counter has begun anew is not told") { counter in
            counter.event(42)
            counter.leave(for: 60)
            counter.resume()
            counter.event(5)
        },
        CounterCrossing("LC-007: a counter that began anew comes to the same number") { counter in
            counter.event(42, header: 0x01)
            counter.leave(for: 60)
            counter.resume()
            counter.event(42, header: 0x01)
        },
        CounterCrossing("LC-007: an event that was sent to a link that was lost is sent again") { counter in
            let time = counter.now
            counter.event(42, time: time)
            counter.lose()
            counter.wait(2)
            counter.begin()
            counter.event(42, header: 0x31, time: time)
        },
        CounterCrossing("LC-008: a counter that began anew comes to the same number with another passage") { counter in
            counter.event(42)
            counter.leave(for: 60)
            counter.resume()
            counter.event(42, delta: -1)
        },
        CounterCrossing("LC-008: a counter that began anew replays a number of before") { counter in
            counter.event(42)
            counter.event(43)
            counter.leave(for: 60)
            counter.begin(boots: 4)
            counter.event(42, delta: -1, header: 0x31)
            counter.event(43, header: 0x31)
        },
        CounterCrossing("LC-008: a counter begins anew with the same event, without a clock") { counter in
            counter.event(0, header: 0x61)
            counter.event(1, header: 0x21)
            counter.leave(for: 60)
            counter.begin(boots: 4)
            counter.event(0, header: 0x61)
            counter.event(1, delta: -1, header: 0x21)
        },
        CounterCrossing("LC-008: a counter begins anew with the same event, which is not told") { counter in
            counter.event(0, header: 0x61)
            counter.event(1, header: 0x21)
            counter.leave(for: 60)
            counter.resume()
            counter.event(0, header: 0x61)
            counter.event(1, delta: -1, header: 0x21)
        },
        CounterCrossing("LC-010: another gateway has set the clock back") { counter in
            counter.event(42, time: counter.now + 200)
            counter.leave(for: 60)
            counter.resume()
            counter.event(43)
        },
        CounterCrossing("LC-012: another gateway has moved the counter") { counter in
            counter.event(42)
            counter.leave(for: 60)
            counter.resume()
            counter.event(43, location: 9)
        },
        CounterCrossing("LC-012: an event of before the counter was moved is sent again") { counter in
            let time = counter.now
            counter.event(42, time: time)
            counter.request([3, 9, 0])
            counter.lose()
            counter.wait(2)
            counter.connect()
            counter.link.discover(CounterSession.layout)
            counter.readInfo(location: 9)
            counter.subscribe()
            counter.request([1] + little(counter.now) + [0, 0])
            counter.event(42, header: 0x31, time: time)
            counter.event(43, location: 9)
        },
        CounterCrossing("LC-014: the recorder had no clock") { counter in
            let time = counter.now
            counter.hci.recording.time = .init(seconds: 1, nanoseconds: 0)
            counter.event(42, time: time)
        },
        CounterCrossing("LC-016: a counter that began anew replays low numbers") { counter in
            let time = counter.now
            counter.event(42, time: time)
            counter.request([5] + little(42 as UInt32))
            counter.leave(for: 60)
            counter.resume()
            counter.event(3, header: 0x31)
        },
        CounterCrossing("LC-018: a counter that began anew is up for longer than it was seen to be") { counter in
            counter.status(42, uptime: 100)
            counter.event(43)
            counter.leave(for: 1000)
            counter.resume()
            counter.status(5, uptime: 900)
        },
        CounterCrossing("LC-024: a gateway that is restarted connects at once") { counter in
            counter.hci.reset()
            counter.wait(0.3)
            counter.begin()
        },
        CounterCrossing("LC-024: a gateway that has left connects again at once") { counter in
            counter.leave(for: 0.3)
            counter.begin()
        },
    ]

    static let replays = [
        CounterCrossing("LC-032: a status is read amid the events of before the connection") { counter in
            let time = counter.now
            counter.event(43, header: 0x31, time: time)
            counter.readStatus(60, buffered: 18)
            for number in 44...60 as ClosedRange<UInt32> { counter.event(number, header: 0x31, time: time) }
            counter.readStatus(60, buffered: 18)
            counter.event(61)
            counter.readStatus(61, buffered: 19)
        },
        CounterCrossing("LC-023: a replay takes longer than a client waits") { counter in
            counter.event(42)
            counter.lose()
            counter.wait(2)
            counter.connect()
            counter.link.discover(CounterSession.layout)
            counter.readInfo()
            counter.readStatus(60, buffered: 19)
            counter.subscribe()
            let time = counter.now
            counter.request([1] + little(time) + [0, 0])
            counter.request([2] + little(43 as UInt32))
            for number in 43...60 as ClosedRange<UInt32> {
                counter.wait(1)
                counter.event(number, header: 0x31, time: time)
                if number == 45 { counter.readStatus(60, buffered: 19, uptime: 3604) }
            }
        },
        CounterCrossing("LC-033: events of before are asked for, of which nothing was told") { counter in
            let time = counter.now
            counter.request([2] + little(43 as UInt32))
            for number in 43...45 as ClosedRange<UInt32> { counter.event(number, header: 0x31, time: time) }
            counter.request([2] + little(44 as UInt32))
            for number in 44...45 as ClosedRange<UInt32> { counter.event(number, header: 0x31, time: time) }
        },
        CounterCrossing("LC-030: somebody passes when events of before are asked for") { counter in
            counter.event(45)
            let time = counter.now
            counter.wait(12)
            counter.link.write(counter.handle(5), [2] + little(43 as UInt32))
            counter.event(46)
            counter.link.indicate(counter.handle(5), [0x80, 2, 0])
            for number in [43, 44] as [UInt32] { counter.event(number, header: 0x31, time: time - 5) }
            counter.event(45, header: 0x31, time: time)
            counter.event(47)
        },
    ]

    static let faults = [
        CounterCrossing("a lower number in one connection", besides: ["LC-006"], differs: ["LC-030"]) { counter in
            counter.event(42)
            counter.event(5)
        },
        CounterCrossing("a lower number after a reconnection, of the same boot", besides: ["LC-006"]) { counter in
            counter.event(42)
            counter.leave(for: 60)
            counter.begin()
            counter.event(5)
        },
        CounterCrossing("a number comes twice after a reconnection, of the same boot", besides: ["LC-007"]) { counter in
            let time = counter.now
            counter.event(42, time: time)
            counter.leave(for: 60)
            counter.begin()
            counter.event(42, time: time)
        },
        CounterCrossing("a number comes with another passage, of the same boot", besides: ["LC-008"]) { counter in
            let time = counter.now
            counter.event(42, time: time)
            counter.leave(for: 60)
            counter.begin()
            counter.event(42, delta: -1, header: 0x31, time: time)
        },
        CounterCrossing("a gateway connects 0.3 s after a loss", besides: ["LC-024"]) { counter in
            counter.lose()
            counter.wait(0.3)
            counter.begin()
        },
    ]
}

extension CounterSession {
    /// The gateway disconnects, and stays away for the given seconds.
    fileprivate func leave(for seconds: Double) {
        end()
        wait(seconds)
    }

    /// Connects and subscribes without reading Counter Info.
    fileprivate func resume() {
        connect()
        link.discover(Self.layout)
        subscribe()
    }

    fileprivate func subscribe() {
        for number in [4, 5, 2] as [UInt16] {
            link.subscribe(Self.layout[Self.type(number), 0x2902], indications: number == 5)
        }
    }

    fileprivate func readInfo(location: UInt8 = 7) {
        link.read(handle(3), hex("01010201 C3A50F1E") + [location] + hex("00 03000000 0002"))
    }

    fileprivate func readStatus(_ last: UInt32, buffered: UInt16, uptime: UInt32 = 3600) {
        link.read(handle(4), little(uptime) + little(last) + [87, 1] + little(buffered))
    }
}
