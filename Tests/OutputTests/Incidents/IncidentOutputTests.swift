import Bytes
import Causes
import Foundation
import Output
import Testing

/// What “gattbench why” prints.
struct IncidentOutputTests {
    private static let list: IncidentList = {
        var list = IncidentList(file: "phone.btsnoop", frames: 1200)
        list.incidents = [
            Incident(
                connection: 2, device: "Puck", what: .disconnected, cause: "supervision_timeout", confidence: .certain,
                frames: [812, 830], text: "nothing was received from the peripheral for 2 s",
                advice: "Look at the distance.",
                considered: [
                    Incident.Considered(cause: "mic_failure", against: "the reason is another one"),
                    Incident.Considered(cause: "remote_power_off", against: "the puck was heard again"),
                    Incident.Considered(cause: "instant_passed", against: "the reason is another one"),
                ]),
            Incident(
                connection: nil, device: nil, what: .notConnected, cause: nil, confidence: nil,
                frames: Array(1...10), text: "the capture does not show why", advice: "", considered: []),
        ]
        return list
    }()

    @Test func textForPeople() {
        #expect(
            IncidentText().text(Self.list) == """
                phone.btsnoop  1200 frames

                connection 2 with Puck: disconnected, supervision_timeout (certain)
                     nothing was received from the peripheral for 2 s
                     frames 812 and 830
                     advice: Look at the distance.
                     not mic_failure, instant_passed: the reason is another one
                     not remote_power_off: the puck was heard again

                not connected, no cause found
                     the capture does not show why
                     frames 1, 2, 3, 4, 5, 6, 7, 8 and 2 more

                2 incidents: 1 certain, 1 without a cause

                """)
    }

    @Test func nothingWentWrong() {
        let text = IncidentText().text(IncidentList(file: "a.pcap", frames: 1))
        #expect(text == "a.pcap  1 frame\n\nnothing went wrong\n")
    }

    @Test func whatWasNotReadIsSaid() {
        var list = IncidentList(file: "a.pcap", frames: 1)
        list.incompleteness = "the file is damaged"
        #expect(IncidentText().text(list).hasSuffix("nothing went wrong; not read to its end: the file is damaged\n"))
    }

    /// Names of devices come from the air.
    @Test func controlCharactersOfNamesAreEscaped() {
        var list = Self.list
        list.incidents[0].device = "\u{1B}[2J"
        #expect(!IncidentText().text(list).contains("\u{1B}"))
    }

    @Test func jsonForPrograms() throws {
        let text = IncidentJSON.text([Self.list], isArray: false)
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["file"] as? String == "phone.btsnoop")
        let incidents = try #require(object["incidents"] as? [[String: Any]])
        #expect(incidents.count == 2)
        #expect(incidents[0]["connection"] as? Int == 2)
        #expect(incidents[0]["what"] as? String == "disconnected")
        #expect(incidents[0]["cause"] as? String == "supervision_timeout")
        #expect(incidents[0]["confidence"] as? String == "certain")
        #expect(incidents[0]["frames"] as? [Int] == [812, 830])
        #expect((incidents[0]["considered"] as? [[String: String]])?.first?["against"] == "the reason is another one")
        #expect(incidents[1]["cause"] == nil)
        #expect(incidents[1]["connection"] == nil)
        let several = try JSONSerialization.jsonObject(
            with: Data(IncidentJSON.text([Self.list, Self.list], isArray: true).utf8))
        #expect((several as? [Any])?.count == 2)
    }

    @Test func outcomes() {
        var list = IncidentList(file: "a", frames: 0)
        #expect(list.outcome == .nothing)
        list.incidents = [Self.list.incidents[1]]
        #expect(list.outcome == .unexplained)
        list.incidents = Self.list.incidents
        #expect(list.outcome == .explained)
    }
}
