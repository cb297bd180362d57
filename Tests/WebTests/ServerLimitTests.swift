import Bytes
import Foundation
import Glibc
import PDUTestKit
import TestKit
import Testing
import Workbench

@testable import Web

/// Uploads, connections and headers at the server's limits and beyond.
struct ServerLimitTests {
    /// A length beyond the limit is refused before the body is read.
    @Test(arguments: ["2147483649", "9223372036854775807", "18446744073709551615"])
    func aLongFileIsRefusedAtOnce(_ length: String) async throws {
        let server = try await ServerUnderTest()
        let connection = try RawConnection(to: server.base)
        connection.send(
            "POST /api/files?name=x HTTP/1.1\r\nHost: \(server.base.dropFirst(7))\r\n"
                + "X-Gattbench-Token: \(server.token)\r\nContent-Length: \(length)\r\n\r\n")
        let answer = await connection.read(until: "}")
        #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
        #expect(answer.contains("longer than 2 GB: open it by its path"))
        await server.stop()
    }

    @Test func theLimitCountsUnpackedBytes() async throws {
        let bytes = try Array(Data(contentsOf: URL(filePath: Repository.capture("aquavate-sync"))))
        let long = bytes + Array(bytes.dropFirst(16))
        let server = try await ServerUnderTest { $0.uploadLimit = bytes.count }
        #expect(try await server.ask("/api/files?name=x.btsnoop", "POST", body: bytes).status == 201)
        #expect(try await server.ask("/api/files?name=x.btsnoop", "POST", body: long).status == 413)
        #expect(try await server.ask("/api/files?name=x.gz", "POST", body: packed(bytes)).status == 201)
        let answer = try await server.ask("/api/files?name=x.gz", "POST", body: packed(long))
        #expect(answer.status == 413)
        #expect(answer.json["error"]?.string == "longer than \(bytes.count) bytes: open it by its path")
        #expect(try await server.ask("/api/files").json["files"]?.elements.count == 2)
        await server.stop()
    }

    /// The server closes connections with incomplete headers or a stalled body, but not event streams.
    @Test func aConnectionThatSendsNoWholeRequestIsClosed() async throws {
        let server = try await ServerUnderTest { $0.requestTimeLimit = .milliseconds(300) }
        let host = "Host: \(server.base.dropFirst(7))\r\nX-Gattbench-Token: \(server.token)\r\n"
        let events = try RawConnection(to: server.base)
        events.send("GET /api/events HTTP/1.1\r\n\(host)\r\n")
        #expect(await events.read(until: "retry: 1000").hasPrefix("HTTP/1.1 200 "))
        let body = "POST /api/files?name=x HTTP/1.1\r\n\(host)Content-Length: 9\r\n\r\nabc"
        for request in ["", "GET / HTTP/1.1\r\nHost: ", body] {
            let connection = try RawConnection(to: server.base)
            connection.send(request)
            #expect(await connection.isClosedByPeer(), "\(request)")
        }
        let bytes = try Array(Data(contentsOf: URL(filePath: Repository.capture("aquavate-sync"))))
        #expect(try await server.ask("/api/files?name=late.btsnoop", "POST", body: bytes).status == 201)
        #expect(await events.read(until: "late.btsnoop").contains("event: file"))
        await server.stop()
    }

    /// A connection beyond the limit is served once another one closes.
    @Test func connectionsWaitBeyondTheLimit() async throws {
        let server = try await ServerUnderTest { $0.connectionLimit = 8 }
        let request = "GET /api/files HTTP/1.1\r\nHost: \(server.base.dropFirst(7))\r\n"
        var held: [RawConnection] = []
        for _ in 0..<40 {
            let connection = try RawConnection(to: server.base)
            connection.send(request + "X-Gattbench-Token: \(server.token)\r\n\r\n")
            held.append(connection)
        }
        var most = 0
        while !held.isEmpty {
            // Served connections stay open until they are counted.
            #expect(await held[0].read(until: "}").hasPrefix("HTTP/1.1 200 "))
            most = max(most, held.count { $0.hasInput })
            held.removeFirst()
        }
        #expect(most <= 8)
        await server.stop()
    }

    private func packed(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.file("x", bytes)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", path]
        try process.run()
        process.waitUntilExit()
        return try folder.bytes("x.gz")
    }
}
