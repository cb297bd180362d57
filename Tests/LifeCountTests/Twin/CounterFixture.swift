import Bytes
import PDUTestKit
import PluginKit
import Profile
import TestKit

@testable import LifeCount

/// A counter in virtual time, with the gateway actions of tests.
struct CounterFixture {
    private(set) var twin: CounterTwin
    private(set) var now = Timestamp(seconds: 1_772_366_398, nanoseconds: 500_000_000)
    /// The counter's actions that the test has not taken yet.
    private var actions: [TwinAction] = []
    private var tickets: UInt64 = 0

    static let client = TwinClient(1)
    /// Location 7 after two boots: the next is the third, as in the description's examples.
    static let storage = Array(
        #"{"device_id":504341955,"location_id":7,"boot_count":2,"battery_percent":87}"#.utf8)

    /// A counter, powered on. Without storage, it has its factory state.
    init(seed: UInt64 = 1, storage: [UInt8]? = CounterFixture.storage) throws {
        twin = try CounterTwin(TwinSettings(seed: seed, storage: storage))
        send(.powerOn)
    }

    mutating func send(_ input: TwinInput) { actions += twin.handle(input, at: now) }

    mutating func wait(_ seconds: Double) {
        let end = now.advanced(nanoseconds: Int64(seconds * 1e9))
        while let due = twin.deadline, due <= end {
            now = max(now, due)
            send(.time)
        }
        now = end
    }

    /// The counter's actions since the last call.
    mutating func take() -> [TwinAction] {
        defer { actions = [] }
        return actions
    }

    // MARK: - Gateway

    mutating func connect() { send(.connected(Self.client)) }
    mutating func disconnect() { send(.disconnected(Self.client)) }

    mutating func subscribe(_ characteristics: String...) {
        for name in characteristics {
            send(.subscribed(name, name == "control_point" ? .indications : .notifications, Self.client))
        }
    }

    /// Connects and subscribes to everything.
    mutating func begin() {
        connect()
        subscribe("counter_status", "control_point", "count_event")
    }

    mutating func happen(_ name: String, _ amount: Double? = nil) { send(.stimulus(Stimulus(name, amount))) }

    mutating func click(_ count: Int = 1) { for _ in 0..<count { happen("click_in") } }

    /// The response to a Control Point write, and the indication that follows.
    mutating func request(_ bytes: String) -> (answer: TwinAnswer?, indication: [UInt8]?) {
        tickets += 1
        let rest = actions.count
        send(.write("control_point", hex(bytes), Self.client, TwinTicket(tickets)))
        let done = actions[rest...]
        return (
            done.compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } }.first,
            done.compactMap { if case .indicate("control_point", let bytes, _) = $0 { bytes } else { nil } }.first
        )
    }

    /// Reads Counter Status.
    mutating func status() -> [UInt8]? {
        tickets += 1
        send(.read("counter_status", Self.client, TwinTicket(tickets)))
        guard case .answer(_, .value(let bytes)) = actions.popLast() else { return nil }
        return bytes
    }
}

extension [TwinAction] {
    /// The notified values of a characteristic.
    func notified(_ name: String) -> [[UInt8]] {
        compactMap { if case .notify(name, let bytes, _) = $0 { bytes } else { nil } }
    }

    /// The last value set for a characteristic.
    func value(_ name: String) -> [UInt8]? {
        compactMap { if case .set(name, let bytes) = $0 { bytes } else { nil } }.last
    }

    var advertising: TwinAdvertising? {
        compactMap { if case .advertise(let advertising) = $0 { advertising } else { nil } }.last
    }

    func notes(_ name: String) -> [TwinNote] {
        compactMap { if case .event(let note) = $0, note.name == name { note } else { nil } }
    }

    /// The notified events: number, and the flags for replayed and first since boot.
    var events: [EventSeen] {
        notified("count_event").map {
            EventSeen(number: ValueBytes($0).u32(2) ?? 0, isReplayed: $0[0] & 0x20 != 0, isFirst: $0[0] & 0x40 != 0)
        }
    }
}

/// The fields of a Count Event that tests check.
struct EventSeen: Hashable {
    var number: UInt32
    var isReplayed = false
    var isFirst = false
}

extension TwinNote {
    func number(_ name: String) -> Int? {
        if case .number(let number)? = facts.first(where: { $0.name == name })?.value { number } else { nil }
    }

    func flag(_ name: String) -> Bool? {
        if case .flag(let flag)? = facts.first(where: { $0.name == name })?.value { flag } else { nil }
    }
}
