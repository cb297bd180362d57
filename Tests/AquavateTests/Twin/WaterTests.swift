import Bytes
import PluginKit
import Testing

@testable import Aquavate

/// The stimulus `water` sets a test's initial volume.
@Suite struct WaterTests {
    @Test func theBottleStandsThereWithSoMuchAndNothingHappened() throws {
        let puck = try PuckFixture()
        puck.wait(10)
        puck.happen("water", 400)
        puck.wait(30)
        #expect(puck.twin?.board.memory.drinks.drinks == [])
        puck.happen("sip", 50)
        puck.wait(15)
        let drink = try #require(puck.twin?.board.memory.drinks.drinks.last)
        #expect(drink.amount == 50 && (348...352).contains(drink.level))
    }
}
