import Bytes
import Cloud
import Foundation
import PDUTestKit
import PluginKit
import Profile
import Store
import Synchronization
import TestKit
import Testing
import Workbench

/// A store with entries of a people counter.
struct CounterStore {
    let folder: TemporaryFolder
    let path: String
    private let store: SQLiteStore
    /// The last second of the operational day of the first entries, in UTC.
    static let now = Timestamp(seconds: 1_772_452_799, nanoseconds: 0)

    init(entries: Int = 0, in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        path = self.folder.path("store.sqlite")
        store = try SQLiteStore.open(path: path, schema: BuiltInPlugins.all.compactMap { $0.tables })
        try add(0..<entries)
    }

    /// Repeats two entries in and one out.
    func add(_ numbers: Range<Int>, user: String? = nil, location: Int = 3) throws {
        let rows = numbers.map { number -> Record in
            let time = 1_772_449_200_000 + Int64(number) * 1000
            return [
                "location_id": .integer(Int64(location)), "user_id": user.map { .text($0) } ?? .absent,
                "device_id": .integer(7), "timestamp_ms": .integer(time),
                "is_device_time": .integer(1), "received_ms": .integer(time + 50),
                "delta": .integer(number % 3 == 2 ? -1 : 1), "source": .text("hardware"),
                "sequence_number": .integer(Int64(number)), "boot_count": .integer(1), "device_time_ms": .integer(time),
                "gateway_session": .integer(1),
            ]
        }
        try store.commit([.add(rows, to: "lifecount_entries")])
    }

    func options() throws -> PublishOptions {
        let tables = try #require(BuiltInPlugins.all.first { $0.name == "LifeCount" }?.tables)
        var options = PublishOptions(
            publication: try #require(tables.publication), schema: BuiltInPlugins.all.compactMap { $0.tables },
            store: path, makeInput: { CommandInput(now: Self.now) })
        options.endsWhenDone = true
        options.batchSize = 20
        options.settings = ["capacity": 40]
        return options
    }

    func position(of destination: String) throws -> PublishingPosition {
        try store.position(of: destination, in: "lifecount_entries")
    }

    func setPosition(_ position: PublishingPosition, of destination: String) throws {
        try store.setPosition(position, of: destination, in: "lifecount_entries")
    }

    func delete() throws { _ = try store.delete(device: nil) }
}

/// Publishes all rows and returns the failures that were reported.
func publish(
    _ options: PublishOptions, whenFailed notify: @escaping @Sendable (String) -> Void = { _ in }
) async throws -> [String] {
    let reasons = Mutex<[String]>([])
    try await Publisher.publish(options) { event in
        guard case .failed(_, let reason, _) = event else { return }
        reasons.withLock { $0.append(reason) }
        notify(reason)
    }
    return reasons.withLock { $0 }
}

/// The fault that ends publishing; nil if everything was published.
func fault(of options: PublishOptions) async -> PublishFault? {
    do {
        _ = try await publish(options)
        return nil
    } catch {
        return error as? PublishFault
    }
}
