import BatteryTrace
import Testing

@Suite struct CatalogTests {
    @Test func everyShippedFigureHasASource() throws {
        let catalog = try BatteryCatalog.shipped()
        #expect(!catalog.entries.isEmpty)
        for (model, entry) in catalog.entries {
            #expect(entry.source?.isEmpty == false, "\(model)")
            #expect(entry.name?.isEmpty == false, "\(model)")
        }
    }

    /// A model is found by its name, so a name stands there once; a phone has 1,400 to 6,000 mAh.
    @Test func theShippedFiguresAreThoseOfPhones() throws {
        let entries = try BatteryCatalog.shipped().entries
        #expect(Set(entries.values.compactMap(\.name)).count == entries.count)
        for (model, entry) in entries {
            #expect(model.wholeMatch(of: /iPhone[1-9][0-9]?,[1-9]/) != nil, "\(model)")
            #expect((1400...6000).contains(entry.capacity), "\(model)")
            #expect(entry.voltage.map { (3.5...4.0).contains($0) } ?? true, "\(model)")
        }
    }

    @Test(arguments: [
        ("iPhone11,2", "iPhone XS", 2658), ("iPhone14,5", "iPhone 13", 3227), ("iPhone17,3", "iPhone 16", 3561),
        ("iPhone18,1", "iPhone 17 Pro", 4252), ("iPhone18,4", "iPhone Air", 3149),
    ])
    func eachGenerationIsKnown(_ model: String, _ name: String, _ capacity: Double) throws {
        let catalog = try BatteryCatalog.shipped()
        #expect(catalog.entry(for: model)?.capacity == capacity)
        #expect(catalog.entry(for: name) == catalog.entry(for: model))
    }

    @Test(arguments: ["iPhone16,1", "iphone16,1", "iPhone 15 Pro", "IPHONE 15 PRO"])
    func aModelIsFoundByIdentifierAndByName(_ model: String) throws {
        #expect(try BatteryCatalog.shipped().entry(for: model)?.capacity == 3274)
    }

    @Test func whatIsNotThereIsNotFoundAndNearNamesAreTold() throws {
        let catalog = try BatteryCatalog.shipped()
        #expect(catalog.entry(for: "iPhone 15 Por") == nil)
        #expect(catalog.models(like: "iPhone 15 Por").contains("iPhone 15 Pro"))
    }

    @Test func theUsersFileWins() throws {
        var catalog = try BatteryCatalog.shipped()
        let mine = #"{"iPhone16,1": {"capacity_mAh": 3100}, "Puck": {"capacity_mAh": 1200.5, "source": "its label"}}"#
        catalog.override(with: try BatteryCatalog(json: Array(mine.utf8)))
        #expect(catalog.entry(for: "iPhone16,1")?.capacity == 3100)
        #expect(catalog.entry(for: "puck")?.capacity == 1200.5)
        #expect(catalog.entry(for: "iPhone 15")?.capacity == 3349)
    }

    @Test(arguments: [
        (#"{"A": {"capacity_mAh": 0}}"#, "A.capacity_mAh: expected mAh from 1 to 100000; found 0.0"),
        (#"{"A": {"capacity_mAh": 1e9}}"#, "A.capacity_mAh: expected mAh from 1 to 100000; found 1000000000.0"),
        (#"{"A": {"capacity_mAh": "big"}}"#, "A.capacity_mAh: expected a number"),
        (#"{"A": {"name": "a"}}"#, "A: has no \"capacity_mAh\""),
        (#"{"A": 3274}"#, "A: expected an object"),
        (#"{"A": {"capacity_mAh": null}}"#, "A.capacity_mAh: expected a number of mAh"),
        (#"{"A": {"capacity_mAh": 1, "Capacity": 2}}"#, "A.Capacity: expected only the members"),
        (#"{"A": {"capacity_mAh": 1}, "A": {"capacity_mAh": 2}}"#, "line 1, column 28: expected each member once"),
        (#"[]"#, "expected an object"),
        ("{\n  \"A\": {\"capacity_mAh\": 3274,\n}", "line 3, column 1: expected a member's name in quotes"),
        ("", "line 1, column 1: expected a value"),
    ])
    func aWrongCatalogueIsRefusedWithTheFaultsPlace(_ json: String, _ expected: String) {
        do throws(BatteryCatalog.Fault) {
            _ = try BatteryCatalog(json: Array(json.utf8))
            Issue.record("no fault was found")
        } catch {
            #expect(error.description.contains(expected), "\(error)")
        }
    }
}
