import Bytes
import Captures
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

@testable import Web

/// Malicious requests, and invalid files.
struct HostileInputTests {
    private let server: ServerUnderTest

    init() async throws {
        server = try await ServerUnderTest(["aquavate-sync"])
    }

    @Test(arguments: [
        ("/api/files/1/packets?from=-1", 400), ("/api/files/1/packets?from=99999999999999999999", 400),
        ("/api/files/1/packets?count=0", 400), ("/api/files/1/packets?count=1001", 400),
        ("/api/files/1/packets?count=x", 400), ("/api/files/1/packets?fields=no.such.field", 400),
        ("/api/files/1/packets?filter=77", 404), ("/api/files/7/packets", 404), ("/api/files/%00/packets", 404),
        ("/api/files/1/packets/0", 400), ("/api/files/1/packets/x", 400), ("/api/files/1/packets/86", 404),
        ("/api/files/1/packets/9223372036854775807", 404), ("/api/files/1/filters/9", 404),
        ("/api/files/1/procedures?from=0", 400), ("/api/files/1/procedures?from=9223372036854775807", 200),
        ("/api/files/1/ladder?from=5&to=1", 400), ("/api/files/1/ladder?from=nan", 400),
        ("/api/files/1/ladder?from=1e300", 400), ("/api/files/1/ladder?limit=0", 400),
        ("/api/files/1/plots", 400), ("/api/files/1/plots?series=nothing", 400),
        ("/api/files/1/plots?series=frame.len@x", 400), ("/api/files/1/plots?series=throughput&points=0", 400),
        ("/api/files/1/plots?series=a,b,c,d,e,f,g,h,i", 400), ("/api/files/1/verdicts?oracle=maybe", 400),
        ("/api/fields?limit=0", 400), ("/api/tables/difference?a=1&b=1:0", 400),
        ("/api/tables/difference?a=9:0&b=1:0", 404), ("/api/twin", 404), ("/api/twin/display", 404),
        ("/api/nothing", 404),
    ])
    func questionsThatMakeNoSenseAreRefused(_ path: String, _ status: Int) async throws {
        let answer = try await server.ask(path)
        #expect(answer.status == status)
        if status != 200 { #expect(answer.json["error"]?.string?.isEmpty == false) }
    }

    @Test(arguments: [
        "", "{", "[]", "{\"expression\": 1}", "{}", "{\"expression\": \"a\", \"expression\": \"b\"}", "\u{0}",
    ])
    func bodiesThatAreNoRequestAreRefused(_ body: String) async throws {
        #expect(try await server.ask("/api/files/1/filters", sending: body).status == 400)
        #expect(try await server.ask("/api/waivers", sending: body).status >= 400)
    }

    @Test func aFilterThatIsNoneShowsWhere() async throws {
        let answer = try await server.ask("/api/files/1/filters", sending: "{\"expression\": \"btatt && btatt.opcod\"}")
        #expect(answer.status == 422)
        #expect(answer.json["start"]?.number == 9)
        #expect(answer.json["end"]?.number == 20)
        #expect(answer.json["error"]?.string?.contains("btatt.opcode") == true)
    }

    @Test func filesThatAreNoCapturesAreRefused() async throws {
        for content in [[], Array("hello".utf8), [0x1F, 0x8B, 8, 0], Array("PK\u{3}\u{4}".utf8)] as [[UInt8]] {
            let answer = try await server.ask("/api/files?name=x.bin", "POST", body: content)
            #expect(answer.status == 422)
            #expect(answer.json["error"]?.string?.hasPrefix("x.bin: ") == true)
        }
        #expect(try await server.ask("/api/files", "POST", body: [1]).status == 400)
        #expect(try await server.ask("/api/files").json["files"]?.elements.count == 1)
    }

    @Test func aFileThatIsGoneIsSaid() async throws {
        let folder = try TemporaryFolder()
        let bytes = try Array(Data(contentsOf: URL(filePath: Repository.capture("aquavate-sync"))))
        let path = try folder.file("gone.btsnoop", bytes)
        let server = try await ServerUnderTest([path])
        _ = try await server.complete("/api/files/1")
        try FileManager.default.removeItem(atPath: path)
        let answer = try await server.ask("/api/files/1/packets/70")
        #expect(answer.status == 500)
        #expect(answer.json["error"]?.string?.contains("No such file") == true)
        #expect(answer.headers["cache-control"] == "no-store")
        await server.stop()
    }

    /// Copies of captures are in no directory, and other users cannot read them.
    @Test func temporaryFilesHaveNoName() throws {
        let session = WebSession(WebOptions())
        let bytes = try Array(Data(contentsOf: URL(filePath: Repository.capture("aquavate-sync"))))
        let sent = try WebSession.temporaryFile()
        try sent.write(bytes)
        try session.open(Repository.capture("format-gzip"))
        _ = try session.open(sent: sent, name: "sent.btsnoop")
        let live = try session.makeLiveSource()
        let paths = session.files.map(\.index.path) + [live.path]
        #expect(paths.count == 3)
        for path in paths {
            var status = stat()
            let failure = stat(path, &status)
            #expect(failure == 0)
            #expect(status.st_nlink == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(try CaptureReader(path: paths[1]).size == bytes.count)
        session.closeAll()
    }

    @Test func aTruncatedFileIsShownAsFarAsItGoes() async throws {
        let bytes = try Array(Data(contentsOf: URL(filePath: Repository.capture("aquavate-sync"))))
        for length in [40, 100, 1000, bytes.count - 1] {
            let sent = try await server.ask("/api/files?name=part.btsnoop", "POST", body: Array(bytes.prefix(length)))
            #expect(sent.status == 201)
            let id = try #require(sent.json["id"]?.string)
            let file = try await server.complete("/api/files/\(id)")
            let rows = try await server.ask("/api/files/\(id)/packets?count=1000").json["rows"]?.elements ?? []
            #expect(rows.count == Int(file["packets"]?.number ?? -1))
            #expect(try await server.ask("/api/files/\(id)", "DELETE").status == 204)
            #expect(try await server.ask("/api/files/\(id)").status == 404)
        }
    }
}
