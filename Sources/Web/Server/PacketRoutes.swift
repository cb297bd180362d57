import Bytes
import Captures
import Dissection
import FoundationEssentials
import Hummingbird
import NIOCore
import Output
import Workbench

struct PacketRoutes {
    let session: WebSession

    func add(to router: RouterGroup<BasicRequestContext>) {
        router.get("files") { _, _ in
            Response.json(
                .members([
                    "program": .string("\(Program.name) \(Program.version)"),
                    "files": .array(session.files.map(\.json)),
                ]))
        }
        router.post("files") { request, _ in try await upload(request) }
        router.get("files/:file") { _, context in Response.json(try session.file(context).json) }
        router.delete("files/:file") { _, context in
            guard session.close(try context.parameters.require("file")) else { throw WebSession.noFile }
            return Response(status: .noContent)
        }
        router.get("files/:file/packets") { request, context in try packets(request, session.file(context)) }
        router.get("files/:file/packets/:number") { _, context in
            let file = try session.file(context)
            let text = try context.parameters.require("number")
            guard let number = Int(text), number > 0 else { throw WebFault(.badRequest, "\(text): expected a number") }
            let detail = PacketDetail(file.index, session.catalog, file.marks)
            guard let json = try detail.json(ofNumber: number) else {
                throw WebFault(.notFound, "there is no packet \(number)")
            }
            return Response.json(json)
        }
        router.post("files/:file/filters") { request, context in
            try await startFilter(request, session.file(context))
        }
        router.get("files/:file/filters/:filter") { request, context in
            let filter = try session.file(context).filter(try context.parameters.require("filter"))
            guard let filter else { throw WebSession.noFilter }
            let number = try request.text("at").map { _ in try request.integer("at", in: 1...Int.max, or: 1) }
            return Response.json(filter.json(at: number))
        }
        router.delete("files/:file/filters/:filter") { _, context in
            guard try session.file(context).endFilter(try context.parameters.require("filter")) else {
                throw WebSession.noFilter
            }
            return Response(status: .noContent)
        }
        router.get("fields") { request, _ in try fields(request) }
    }

    // MARK: - Responses

    private func upload(_ request: Request) async throws -> Response {
        guard let name = request.text("name"), (1...255).contains(name.unicodeScalars.count) else {
            throw WebFault(.badRequest, "name: expected the name of the file")
        }
        let limit = session.options.uploadLimit
        if let length = request.headers[.contentLength].flatMap({ UInt64($0) }), length > limit {
            throw WebFault.tooLong(limit)
        }
        let file = try WebSession.temporaryFile()
        var count = 0
        for try await buffer in request.body {
            count += buffer.readableBytes
            guard count <= limit else { throw WebFault.tooLong(limit) }
            try file.write(Array(buffer.readableBytesView))
        }
        do {
            return Response.json(try session.open(sent: file, name: name).json, .created)
        } catch let error as CaptureError {
            throw WebFault(.unprocessableContent, "\(name): \(error.finding.text)")
        }
    }

    private func packets(_ request: Request, _ file: OpenFile) throws -> Response {
        let from = try request.integer("from", in: 0...Int.max, or: 0)
        let count = try request.integer("count", in: 1...1000, or: 100)
        let rows: RowWriter
        do {
            rows = try RowWriter(file.index.plugins, file.marks, fields: request.list("fields"), session.catalog)
        } catch {
            throw WebFault(.badRequest, error.description)
        }
        var output = TextWriter(capacity: 64 * 1024)
        output.write("{\"from\":" as StaticString)
        output.writeDecimal(Int64(from))
        if let id = request.text("filter") {
            guard let filter = file.filter(id) else { throw WebSession.noFilter }
            let progress = filter.progress
            output.writeMember("total", progress.matches)
            output.writeMember("state", progress.state.rawValue)
            output.write(",\"rows\":[" as StaticString)
            let (last, overflow) = from.addingReportingOverflow(count)
            let numbers = overflow ? [] : filter.matches(from..<last)
            try write(numbers, of: file.index, rows, to: &output)
        } else {
            let progress = file.index.progress
            output.writeMember("total", progress.packets)
            output.writeMember("state", progress.state.rawValue)
            output.write(",\"rows\":[" as StaticString)
            let start = min(from, progress.packets)
            try write(start..<min(start + count, progress.packets), of: file.index, rows, to: &output)
        }
        output.write("]}" as StaticString)
        return Response.json(String(decoding: output.bytes, as: UTF8.self))
    }

    private func write(
        _ range: Range<Int>, of index: CaptureIndex, _ rows: RowWriter, to output: inout TextWriter
    ) throws {
        var next = range.lowerBound
        while next < range.upperBound, let window = try index.window(at: next) {
            for place in next..<min(range.upperBound, window.range.upperBound) {
                if place > range.lowerBound { output.write(UInt8(ascii: ",")) }
                rows.write(place - window.range.lowerBound, of: window, to: &output)
            }
            next = window.range.upperBound
        }
    }

    private func write(
        _ numbers: [Int], of index: CaptureIndex, _ rows: RowWriter, to output: inout TextWriter
    ) throws {
        var window: PacketWindow?
        for (place, number) in numbers.enumerated() {
            if window.map({ $0.lastNumber < number }) ?? true { window = try index.window(atNumber: number) }
            guard let window else { return }
            if place > 0 { output.write(UInt8(ascii: ",")) }
            rows.write(window.offset(ofNumber: number), of: window, to: &output)
        }
    }

    private func startFilter(_ request: Request, _ file: OpenFile) async throws -> Response {
        let expression = try await request.object().text("expression", 0...10_000)
        do {
            let filter = try DisplayFilter(expression, catalog: session.catalog)
            return Response.json(try file.start(filter, session.catalog).json(), .created)
        } catch let error as FilterError {
            throw WebFault(
                .unprocessableContent,
                .members([
                    "error": .string(error.message), "start": .integer(error.range.lowerBound),
                    "end": .integer(error.range.upperBound),
                ]))
        }
    }

    private func fields(_ request: Request) throws -> Response {
        let prefix = request.text("prefix") ?? ""
        let limit = try request.integer("limit", in: 1...10_000, or: 50)
        let names = session.catalog.names.filter { $0.hasPrefix(prefix) }
        let rows = names.prefix(limit).compactMap { session.catalog.members(of: $0).map { JSONValue.object(of: $0) } }
        return Response.json(.members(["total": .integer(names.count), "fields": .array(rows)]))
    }
}

extension WebSession {
    static let noFile = WebFault(.notFound, "there is no such file")
    static let noFilter = WebFault(.notFound, "there is no such filter")

    func file(_ context: BasicRequestContext) throws -> OpenFile {
        guard let file = file(try context.parameters.require("file")) else { throw Self.noFile }
        return file
    }
}
