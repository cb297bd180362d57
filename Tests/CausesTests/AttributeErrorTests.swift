import Causes
import TestKit
import Testing

/// Causes of refused requests, and refusals that are no failure.
struct AttributeErrorTests {
    typealias View = AttributeScene.View

    struct Refused: Sendable {
        let cause: String
        let request: String
        let response: String
        /// The response that carries out the same request.
        let success: String
        var what = Failure.Kind.procedureFailed
    }

    static let refused = [
        Refused(cause: "write_not_permitted", request: "12 0700 05", response: "01 12 0700 03", success: "13"),
        Refused(cause: "write_not_permitted", request: "0a 0900", response: "01 0a 0900 02", success: "0b 05"),
        Refused(
            cause: "write_not_permitted", request: "16 0700 0000 05", response: "01 16 0700 06",
            success: "17 0700 0000 05"),
        Refused(
            cause: "write_not_permitted", request: "12 0c00 0100", response: "01 12 0c00 03", success: "13",
            what: .subscriptionFailed),
        Refused(cause: "value_rejected", request: "12 0700 0506", response: "01 12 0700 0d", success: "13"),
        Refused(cause: "value_rejected", request: "12 0700 05", response: "01 12 0700 13", success: "13"),
        Refused(cause: "value_rejected", request: "12 0700 05", response: "01 12 0700 ff", success: "13"),
        Refused(cause: "application_error", request: "12 0900 05", response: "01 12 0900 80", success: "13"),
        Refused(cause: "application_error", request: "0a 0700", response: "01 0a 0700 9f", success: "0b 05"),
        Refused(cause: "application_error", request: "12 0700 05", response: "01 12 0700 fe", success: "13"),
        Refused(
            cause: "prepare_queue_full", request: "16 0700 0000 05", response: "01 16 0700 09",
            success: "17 0700 0000 05"),
        Refused(cause: "attribute_not_found", request: "0a 2000", response: "01 0a 2000 01", success: "0b 05"),
        Refused(
            cause: "attribute_not_found", request: "08 0100 ffff f7ff", response: "01 08 0100 0a",
            success: "09 03 2000 05"),
        Refused(
            cause: "attribute_not_found", request: "06 0100 ffff 0028 e0ff", response: "01 06 0100 0a",
            success: "07 2000 2100", what: .discoveryFailed),
    ]

    @Test(arguments: refused, View.allCases)
    func anErrorNamesItsCause(_ refused: Refused, _ view: View) throws {
        let scene = AttributeScene(view)
        scene.client(refused.request)
        let request = scene.frame
        scene.server(refused.response)
        let response = scene.frame
        scene.disconnect()
        let incidents = scene.incidents()
        try #require(incidents.count == 1)
        #expect(incidents[0].cause == refused.cause)
        #expect(incidents[0].confidence == .certain)
        #expect(incidents[0].what == refused.what)
        #expect(incidents[0].frames == [request, response])
        #expect(incidents[0].text.contains("frame \(response)"))
        #expect(!incidents[0].advice.isEmpty)
    }

    @Test(arguments: refused, View.allCases)
    func aGapLeavesACauseLikely(_ refused: Refused, _ view: View) {
        let scene = AttributeScene(view)
        scene.client(refused.request)
        scene.server(refused.response)
        scene.lose()
        scene.disconnect()
        #expect(scene.causes() == ["\(refused.cause) likely"])
    }

    @Test(arguments: refused, View.allCases)
    func aRequestThatSucceedsWhenRepeatedHasNotFailed(_ refused: Refused, _ view: View) {
        let scene = AttributeScene(view)
        scene.client(refused.request)
        scene.server(refused.response)
        scene.client(refused.request)
        scene.server(refused.success)
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    @Test(arguments: View.allCases)
    func repeatedRefusalsAreOneIncident(_ view: View) {
        let scene = AttributeScene(view)
        for _ in 0..<5 {
            scene.client("0a 0900")
            scene.server("01 0a 0900 02")
        }
        scene.disconnect()
        #expect(scene.causes() == ["write_not_permitted certain"])
        #expect(scene.incidents().first?.text.contains("5 times") == true)
    }

    /// A value that is refused stays so where the client writes another one.
    @Test func anotherValueIsAnotherRequest() {
        let scene = AttributeScene(.host)
        scene.client("12 0700 05")
        scene.server("01 12 0700 13")
        scene.client("12 0700 06")
        scene.server("13")
        scene.disconnect()
        #expect(scene.causes() == ["value_rejected certain"])
    }

    @Test func aWriteCommandReplacesARequestThatIsNotPermitted() {
        let scene = AttributeScene(.host)
        scene.client("12 0900 05")
        scene.server("01 12 0900 03")
        scene.client("52 0900 05")
        scene.disconnect()
        #expect(scene.causes() == [])
    }

    /// What a client asks for without a need of it, and errors that end a procedure.
    @Test(
        arguments: [
            // Discovery of the whole table ends with errors.
            [],
            // A search that has found something ends with an error.
            ["06 0100 ffff 0028 e0ff", "07 2000 2100", "06 2200 ffff 0028 e0ff", "01 06 2200 0a"],
            ["08 0100 ffff f1ff", "09 03 0700 05", "08 0800 ffff f1ff", "01 08 0800 0a"],
            // Optional: Device Information, Database Hash, Device Name, included services.
            ["06 0100 ffff 0028 0a18", "01 06 0100 0a"],
            ["08 0100 ffff 2a2b", "01 08 0100 0a"],
            ["08 0100 ffff 002a", "01 08 0100 0a"],
            ["08 0100 ffff 0228", "01 08 0100 0a"],
            // The MTU exchange is optional.
            ["02 f700", "01 02 0000 06"],
            // A long read that ends.
            ["0c 0700 1600", "01 0c 0700 07"],
            ["0c 0700 1600", "01 0c 0700 0b"],
            // The service is not there, and the client goes on without it.
            ["06 0100 ffff 0028 e0ff", "01 06 0100 0a", "0a 0700", "0b 05"],
        ], View.allCases)
    func whatEndsAsItShouldIsNoFailure(_ pdus: [String], _ view: View) {
        let scene = AttributeScene(view)
        for (index, pdu) in pdus.enumerated() {
            if index.isMultiple(of: 2) { scene.client(pdu) } else { scene.server(pdu) }
        }
        scene.disconnect()
        #expect(scene.causes() == [])
    }
}
