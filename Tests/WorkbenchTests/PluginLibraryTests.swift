import Bytes
import Conversation
import Foundation
import PDUTestKit
import PluginKit
import Profile
import ProfileTools
import TestKit
import Testing
import Workbench

extension TemporaryFolder {
    /// Adds a profile identified by one service; returns the path of its folder.
    @discardableResult
    fileprivate func addPlugin(_ id: String, service: String = "0xFFF0", extra: String = "") throws -> String {
        let text = """
            profile: {id: \(id), title: Made up, version: 1.0.0, format: 1}
            match: [{service: \(service), weight: 100}]
            types:
              level: {type: u8, unit: '%'}
            gatt:
              - service: \(service)
                name: made_up
                characteristics:
                  - {uuid: 0xFFF1, name: level, properties: [read], value: level}
            \(extra)
            """
        try file("\(id)/profile.yaml", text.utf8)
        return path(id)
    }
}

struct PluginLibraryTests {
    @Test func builtInPluginsAreThere() throws {
        let ids = try PluginLibrary.builtIn().entries.map(\.plugin.id)
        #expect(ids == ["aquavate", "lifecount", "standard", "batterytrace"])
    }

    /// Built-in profiles are laid out for reading in parts, and the parts have the same content as the whole.
    @Test func whatDecodingReadsIsWhatTheProfileSays() throws {
        let whole = try PluginLibrary.builtIn(.whole).entries.map(\.plugin.profile)
        let parts = try PluginLibrary.builtIn(.decoding).entries.map(\.plugin.profile)
        #expect(whole.map(\.profile.header.id) == parts.map(\.profile.header.id))
        for (whole, part) in zip(whole, parts) {
            let name = whole.profile.header.id
            #expect(part.profile.match.map(\.sign) == whole.profile.match.map(\.sign))
            #expect(part.profile.services.map(\.name) == whole.profile.services.map(\.name))
            #expect(part.profile.messages.map(\.name) == whole.profile.messages.map(\.name))
            #expect(part.profile.advertising.count == whole.profile.advertising.count)
            #expect(Set(part.attributes.keys) == Set(whole.attributes.keys), "\(name)")
            #expect(part.fields.map(\.name) == whole.fields.map(\.name), "\(name)")
            #expect(Set(part.types.keys) == Set(whole.types.keys), "\(name)")
            for (type, layout) in whole.types {
                #expect(part.types[type]?.title == layout.title, "\(name) \(type)")
                #expect(part.types[type]?.lengths == layout.lengths, "\(name) \(type)")
            }
            let faults = whole.profile.vectors.compactMap { vector in
                part.types[vector.type].map { vector.fault($0) } ?? "there is no type \(vector.type)"
            }
            #expect(faults == [], "\(name)")
        }
    }

    @Test func pluginsAreFoundInTheFoldersThatTheEnvironmentNames() throws {
        let folder = try TemporaryFolder()
        try folder.addPlugin("one")
        try folder.addPlugin("two")
        let library = try PluginLibrary.load([], environment: ["GATTBENCH_PLUGINS": folder.path])
        #expect(library["one"] != nil)
        #expect(library["two"]?.path?.hasSuffix("two/profile.yaml") == true)
        #expect(library.warnings.isEmpty)
    }

    @Test func aWrongProfileInAFolderKeepsNoOtherFromBeingUsed() throws {
        let folder = try TemporaryFolder()
        try folder.addPlugin("good")
        try folder.addPlugin("bad", extra: "colour: red")
        let library = try PluginLibrary.load([], environment: ["GATTBENCH_PLUGINS": folder.path])
        #expect(library["good"] != nil)
        #expect(library["bad"] == nil)
        #expect(library.warnings.count == 1)
        #expect(library.warnings[0].contains("unknown key \"colour\""))
    }

    @Test func aProfileOfTheSameIdTakesThePlaceOfTheBuiltInOne() throws {
        let folder = try TemporaryFolder()
        let path = try folder.addPlugin("aquavate")
        let library = try PluginLibrary.load([path], environment: [:])
        #expect(library.entries.count { $0.plugin.id == "aquavate" } == 1)
        #expect(library["aquavate"]?.path == path + "/profile.yaml")
        #expect(library.warnings == ["plugin aquavate: \(path)/profile.yaml replaces the built-in one"])
    }

    @Test func theOnlyPluginThatIsNamedIsAssumed() throws {
        let library = try PluginLibrary.load(["lifecount"], environment: [:])
        #expect(library.plugins.assumed == library.entries.firstIndex { $0.plugin.id == "lifecount" })
        #expect(try PluginLibrary.load([], environment: [:]).plugins.assumed == -1)
        #expect(try PluginLibrary.load(["lifecount", "aquavate"], environment: [:]).plugins.assumed == -1)
        #expect(try PluginLibrary.load(["standard"], environment: [:]).plugins.assumed == -1)
    }

    @Test func aNameThatNobodyKnowsIsRefusedWithTheKnownOnes() {
        let error = #expect(throws: UnknownPlugin.self) { try PluginLibrary.load(["aquavat"], environment: [:]) }
        #expect(error?.description.contains("known plugins are aquavate, lifecount, standard, batterytrace") == true)
    }
}
