import Bytes
import PDUTestKit
import TestKit
import Testing
import Workbench

@testable import Web

/// Authentication, and the permissions of pages.
struct AccessTests {
    private let server: ServerUnderTest

    init() async throws {
        server = try await ServerUnderTest(["aquavate-sync"])
    }

    @Test(arguments: ["/", "/api/files", "/api/files/1/packets", "/api/events", "/main.js", "/?token=0000"])
    func nobodyIsLetInWithoutTheToken(_ path: String) async throws {
        let answer = try await server.ask(path, headers: [:])
        #expect(answer.status == 401)
        #expect(answer.json["error"]?.string?.contains("address") == true)
        let wrong = String(repeating: "0", count: server.token.count)
        #expect(try await server.ask("/api/files", headers: ["X-Gattbench-Token": wrong]).status == 401)
        #expect(try await server.ask("/api/files", headers: ["Cookie": "gattbench=\(wrong)"]).status == 401)
    }

    @Test func theFirstAddressSetsACookieThatLetsIn() async throws {
        let answer = try await server.ask("/?token=\(server.token)", headers: [:])
        #expect(answer.status == 303)
        #expect(answer.headers["location"] == "/")
        let cookie = try #require(answer.headers["set-cookie"])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(try await server.ask("/api/files", headers: ["Cookie": pair]).status == 200)
        // The cookie does not contain the token, and neither can replace the other.
        let parts = pair.split(separator: "=").map(String.init)
        #expect(parts.count == 2 && !cookie.contains(server.token))
        let token = "\(parts[0])=\(server.token)"
        #expect(try await server.ask("/api/files", headers: ["Cookie": token]).status == 401)
        #expect(try await server.ask("/api/files", headers: ["X-Gattbench-Token": parts[1]]).status == 401)
    }

    @Test(arguments: ["evil.example", "evil.example:80", "127.0.0.1:1", "127.0.0.1.evil.example:80"])
    func aForeignHostIsRefused(_ host: String) async throws {
        let answer = try await server.ask("/api/files", headers: ["Host": host, "X-Gattbench-Token": server.token])
        #expect(answer.status == 421)
    }

    @Test(arguments: ["http://evil.example", "https://127.0.0.1", "null", "http://127.0.0.1:1"])
    func aForeignOriginIsRefused(_ origin: String) async throws {
        let headers: KeyValuePairs = ["Origin": origin, "X-Gattbench-Token": server.token]
        #expect(try await server.ask("/api/files", headers: headers).status == 403)
        let own: KeyValuePairs = ["Origin": server.base, "X-Gattbench-Token": server.token]
        #expect(try await server.ask("/api/files", headers: own).status == 200)
    }

    @Test(arguments: ["/api/files", "/api/nothing", "/", "/nothing"])
    func everyAnswerSaysWhatPagesMayDo(_ path: String) async throws {
        for headers in [nil, [:]] as [KeyValuePairs<String, String>?] {
            let answer = try await server.ask(path, headers: headers)
            let policy = try #require(answer.headers["content-security-policy"])
            #expect(policy.contains("default-src 'self'") && !policy.contains("unsafe"))
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
        }
    }

    @Test(arguments: [
        "/..%2f..%2fPackage.swift", "/../Package.swift", "/.git/config", "/%2e%2e/Package.swift", "/core/../../x",
    ])
    func nothingOutsideThePagesIsServed(_ path: String) async throws {
        let folder = Repository.path("Sources/Web/Pages")
        let fromFolder = try await ServerUnderTest([]) { $0.pages = folder }
        #expect(try await fromFolder.ask(path).status == 404)
        #expect(try await server.ask(path).status == 404)
        await fromFolder.stop()
    }

    @Test func theProgramHasThePagesOfTheFolder() throws {
        let folder = Repository.path("Sources/Web/Pages")
        let pages = PageFiles.pages
        for (path, bytes) in pages { #expect(try Repository.bytes("Sources/Web/Pages/\(path)") == bytes, "\(path)") }
        #expect(Array(pages.keys).sorted() == Repository.files(in: folder), "scripts/web-pages lists the pages anew")
    }
}
