import Emulation
import PluginKit
import Testing

@testable import Workbench

/// The cases that `--case` and `--situation` select.
struct CaseSelectionTests {
    private static let ids = ["settings[value=1]", "settings[value=2]", "settings.late", "set"]

    @Test(arguments: [
        ("settings", [0, 1]), ("settings[value=2]", [1]), ("set", [3]), ("settings*", [0, 1, 2]), ("*=1]", [0]),
    ])
    func anIDSelectsTheCasesOfAllItsValues(pattern: String, selected: [Int]) throws {
        var selection = CaseSelection()
        selection.ids = [pattern]
        let found = try selection.selected(Self.ids, option: "--case", id: { $0 }, tags: { _ in [] })
        #expect(found == selected.map { Self.ids[$0] })
    }

    @Test(arguments: ["setting", "late", "[value=1]"])
    func anIDThatSelectsNothingIsRefused(pattern: String) {
        var selection = CaseSelection()
        selection.ids = [pattern]
        #expect(throws: TwinFault.self) {
            try selection.selected(Self.ids, option: "--case", id: { $0 }, tags: { _ in [] })
        }
    }
}
