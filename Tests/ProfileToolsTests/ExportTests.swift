import Profile
import ProfileTools
import Testing

/// The template of `plugins new`, and its exports.
@Suite struct ExportTests {
    private static func profile() throws -> Profile {
        try ProfileReader.read(ProfileDraft.template(id: "thermo"), file: "profile.yaml")
    }

    @Test func theTemplateIsClean() throws {
        let report = ProfileLint.report(on: try Self.profile(), strict: true)
        #expect(report.findings == [])
        #expect(report.accepted.isEmpty)
    }

    @Test(arguments: [("thermo", true), ("a_1", true), ("Thermo", false), ("1a", false), ("a-b", false), ("", false)])
    func idsOfPlugins(text: String, isName: Bool) {
        #expect(ProfileName.isValid(text) == isName)
    }

    @Test(arguments: [
        ("recordCount", "record_count"), ("HTTPServer", "http_server"), ("Battery Level", "battery_level"),
        ("3D", "n3d"), ("mode3D", "mode3d"), ("temp2Max", "temp2_max"), ("utf8String", "utf8_string"),
        ("MAX_LEN", "max_len"), ("--", "value"), ("Größe", "gr_e"),
    ])
    func namesOfThings(text: String, name: String) {
        #expect(ProfileName.make(from: text) == name)
        #expect(ProfileName.isValid(name))
    }

    /// A profile whose texts try to control a terminal, forge lines and run scripts.
    private static func hostileProfile() throws -> Profile {
        let text = #""x\e[31m\u009b\u202e\a</script><img src=x>]] \"\r\n# forged\r\nmore\n===""#
        return try ProfileReader.read(
            """
            profile: {id: evil, title: \(text), version: 1.0.0, format: 1, vendor: \(text), doc: \(text)}
            types:
              sample:
                title: \(text)
                fields: [{name: light, title: \(text), type: u16, unit: \(text), special: {0xFFFF: \(text)}}]
            """, file: "profile.yaml")
    }

    @Test func textsOfAProfileControlNothing() throws {
        let profile = try Self.hostileProfile()
        let page = ProtocolPage.text(of: profile)
        let script = WiresharkLua.script(for: profile)
        let schema = RecordSchema.text(of: profile, annotations: [])
        for text in [page, script, schema] {
            let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
            #expect(controls.isEmpty)
            #expect(!text.unicodeScalars.contains("\u{202E}"))
        }
        #expect(page.contains("&lt;/script>") && !page.contains("<img"))
        #expect(page.contains("<a id=\"type-sample\"></a>"))
        #expect(profile.header.title == #"x\u{1B}[31m\u{9B}\u{202E}\u{7}</script><img src=x>]] " # forged more ==="#)
        #expect(page.contains("\n\\# forged\nmore\n\\===\n"))
        #expect(!page.contains("\n# forged"))
    }

    @Test func thePageHasOffsetsUnitsAndExamples() throws {
        let page = ProtocolPage.text(of: try Self.profile())
        #expect(page.hasPrefix("# Thermo\n"))
        #expect(page.contains("| 4 | `temperature` | i16 | °C | -40 to 85 | value = raw · 10^-2 |\n"))
        #expect(page.contains("| 8 | `age` | u16 | s |  | there only if `flags.time_valid` |\n"))
        #expect(page.contains("| 4–5 | `mode` | 0 idle, 1 fast, 2 slow |\n"))
        #expect(page.contains("| 0x01 | `set_interval` | `interval` |\n"))
        #expect(
            page.contains("| cut_short | [measurement](#type-measurement) | `40 40 7F` | refused: needs 4 bytes |\n"))
    }

    @Test func thePageListsTimesWithTheirSources() throws {
        let profile = try ProfileReader.read(
            """
            profile: {id: box, title: Box, version: "1", format: 1}
            times:
              crossing: {time: 2 s, doc: longest time on the way}
              push: {time: 0.45 s, doc: from a request to its answer, source: section 10.6}
            """, file: "box.yaml")
        let page = ProtocolPage.text(of: profile)
        #expect(page.contains("## Times\n\n| Name | Time | Meaning | Source |\n"))
        #expect(page.contains("| `crossing` | 2 s | longest time on the way |  |\n"))
        #expect(page.contains("| `push` | 450 ms | from a request to its answer | section 10.6 |\n"))
    }

    @Test func theSchemaHasATypeForEveryField() throws {
        let schema = RecordSchema.text(of: try Self.profile())
        #expect(schema.contains("\"#/$defs/measurement\""))
        #expect(schema.contains("\"description\": \"unit: °C; expected: -40 to 85\""))
        #expect(schema.contains("\"additionalProperties\": false"))
    }

    @Test func theScriptNamesTheFields() throws {
        let script = WiresharkLua.script(for: try Self.profile())
        #expect(script.contains("ProtoField.double(\"thermo.measurement.temperature\", \"Temperature\")"))
        #expect(script.contains("when = function(s) return get(s, \"flags.time_valid\") end"))
        #expect(!script.contains(" \n"))
    }

    /// Texts of a profile cannot end the string literals that contain them.
    @Test func textsAreQuoted() throws {
        var profile = try Self.profile()
        profile.header.title = "A \"title\"\nwith \\ and ä"
        let script = WiresharkLua.script(for: profile)
        #expect(script.contains(#"Proto("thermo", "A \"title\"\010with \\ and ä")"#))
        #expect(script.hasPrefix("-- A \"title\" with \\ and ä, profile 0.1.0"))
        #expect(ProtocolPage.text(of: profile).contains("ä"))
        profile.header.title = "\u{1B}[31m\u{9B}"
        #expect(WiresharkLua.script(for: profile).contains(#"Proto("thermo", "\027[31m\194\155")"#))
    }
}
