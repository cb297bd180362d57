import Conversation
import Foundation
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// Files installed into Wireshark's folders, and files that must not be changed there.
@Suite struct WiresharkInstallationTests {
    private let home: TemporaryFolder
    private var folders: WiresharkFolders {
        WiresharkFolders(extcap: home.path("extcap"), plugins: home.path("plugins"))
    }

    init() throws { home = try TemporaryFolder() }

    private func installation(program: String = "/opt/gattbench") -> WiresharkInstallation {
        WiresharkInstallation(folders, data: UserFolder(path: home.path("data")), program: program)
    }

    private func target(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: home.path(path))
    }

    private var plugins: [DevicePlugin] {
        get throws { try PluginLibrary.load(["aquavate"], environment: [:]).plugins.plugins }
    }

    @Test func linksAreMadeAndTakenAway() throws {
        let done = try installation().install(try plugins)
        #expect(done.map(\.action).allSatisfy { $0 == .linked })
        #expect(target("extcap/gattbench") == "/opt/gattbench")
        let dissector = try #require(target("plugins/gattbench-aquavate.lua"))
        #expect(try String(contentsOfFile: dissector, encoding: .utf8).contains("aquavate"))
        #expect(try installation().install(try plugins).allSatisfy { $0.action == .kept })
        #expect(try installation().uninstall().allSatisfy { $0.action == .removed })
        #expect(target("extcap/gattbench") == nil)
        #expect(!FileManager.default.fileExists(atPath: dissector))
        #expect(try installation().uninstall().isEmpty)
    }

    @Test func anotherBuildTakesThePlace() throws {
        _ = try installation(program: "/old/gattbench").install([])
        #expect(try installation().install([]).map(\.action) == [.replaced])
        #expect(target("extcap/gattbench") == "/opt/gattbench")
    }

    @Test func whatIsNotOursStays() throws {
        let script = try home.file("plugins/gattbench-aquavate.lua", "-- mine".utf8)
        try FileManager.default.createDirectory(atPath: home.path("extcap"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: home.path("extcap/gattbench"), withDestinationPath: "/usr/bin/other")
        let refused = try installation().install(try plugins).filter { $0.action == .refused }
        #expect(refused.map(\.path) == [home.path("extcap/gattbench"), script])
        #expect(try installation().uninstall().filter { $0.action == .refused }.count == 2)
        #expect(try String(contentsOfFile: script, encoding: .utf8) == "-- mine")
        #expect(target("extcap/gattbench") == "/usr/bin/other")
    }

    @Test(arguments: [
        // As printed by tshark 4.0 and 4.4.
        (
            "Personal configuration:\t/h/.config/wireshark\nPersonal Lua Plugins:\t/h/.local/lib/wireshark/plugins\n",
            "/h/.config/wireshark/extcap"
        ),
        (
            "Personal configuration:\t/h/.config/wireshark\nPersonal Extcap path:\t/h/.local/lib/wireshark/extcap\n",
            "/h/.local/lib/wireshark/extcap"
        ),
        ("", "/h/.config/wireshark/extcap"),
    ])
    func wiresharkTellsItsFolders(listing: String, extcap: String) {
        let folders = WiresharkFolders(listing: listing, home: "/h")
        #expect(folders == WiresharkFolders(extcap: extcap, plugins: "/h/.local/lib/wireshark/plugins"))
    }
}
