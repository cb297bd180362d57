import PDUTestKit
import PluginKit
import Profile
import Store
import TestKit
import Testing
import Workbench

/// The gateway of `gattbench demo`.
struct DemoGatewayTests {
    @Test func everyEventOfTheBusyHourIsKept() throws {
        let folder = try TemporaryFolder()
        let schema = BuiltInPlugins.all.compactMap { $0.tables }
        let store = try SQLiteStore.open(path: folder.path("store.sqlite"), schema: schema)
        var text = ""
        let isInterrupted = { false }
        let failures = try DemoGateway(store: store).run(isInterrupted: isInterrupted) { text += $0 }
        #expect(failures == [])
        #expect(text.contains("gateway: event stored (sequence_number 0, delta 1, time 2026-03-02T11:00:01.628Z)"))
        #expect(try store.rows(of: "lifecount_entries").count == 321)
        #expect(try store.rows(of: "sessions").map { $0["outcome"] } == [.text("complete")])
    }
}
