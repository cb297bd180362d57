import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Each misbehaviour of a puck in section 14: actual behaviour and intended behaviour.
struct QuirkTests {
    @Test(arguments: QuirkStory.all)
    func quirk(_ story: QuirkStory) throws {
        let isUsual = story.quirk.definition.isUsual
        let shown = QuirkSelection(.exact, except: isUsual ? [] : [story.quirk.rawValue])
        let left = QuirkSelection(.exact, except: isUsual ? [story.quirk.rawValue] : [])
        let (shownStory, leftStory) = try (story.emit(shown), story.emit(left))
        #expect(shownStory == story.shown)
        #expect(leftStory == story.meant)
    }

    @Test func everyQuirkHasAStory() {
        #expect(Set(QuirkStory.all.map(\.quirk)) == Set(PuckQuirk.allCases))
        #expect(Set(PuckQuirk.allCases.map(\.definition.title)).count == PuckQuirk.allCases.count)
    }
}
