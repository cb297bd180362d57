import Bytes
import Emulation
import PluginKit
import Testing

/// The generic client, for devices without a client in their plugin.
@Suite struct ExploringClientTests {
    private let now = Timestamp(nanoseconds: 0)

    /// A client that is asked to leave first reads everything, and reports the values that it could not read without
    /// encryption.
    @Test func itEndsAndNamesWhatNeedsEncryption() {
        var client = ExploringClient(Kettle.profile, dialect: nil)
        #expect(client.handle(.task(Stimulus("explore")), at: now) == [.connect])
        #expect(client.handle(.task(Stimulus("leave")), at: now) == [])
        let requests = client.handle(.connected(capacity: 20), at: now)
        var actions: [ClientAction] = []
        for request in requests {
            switch request {
            case .read("secret"):
                actions += client.handle(.read("secret", .failure(.refused(0x0F))), at: now)
            case .read("owner"): actions += client.handle(.read("owner", .failure(.refused(0x81))), at: now)
            case .read(let name): actions += client.handle(.read(name, .success([])), at: now)
            case .subscribe(let name, _): actions += client.handle(.written(name, nil), at: now)
            default: break
            }
        }
        let note = TwinNote(
            "needs_encryption", ["characteristic": .text("secret"), "error": .text("Insufficient Encryption")])
        #expect(actions == [.event(note), .event(TwinNote("explored")), .disconnect])
    }

    /// In a scenario it stays connected to receive the device's values; once asked to leave, it leaves as soon as it
    /// has read everything.
    @Test func itStaysUntilItIsToLeave() {
        var client = ExploringClient(Kettle.profile, dialect: nil)
        _ = client.handle(.task(Stimulus("explore")), at: now)
        var last: [ClientAction] = []
        for request in client.handle(.connected(capacity: 20), at: now) {
            if case .read(let name) = request { last = client.handle(.read(name, .success([])), at: now) }
            if case .subscribe(let name, _) = request { last = client.handle(.written(name, nil), at: now) }
        }
        #expect(last == [.event(TwinNote("explored"))])
        #expect(client.handle(.task(Stimulus("leave")), at: now) == [.disconnect])
    }
}
