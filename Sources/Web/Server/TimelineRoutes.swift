import Bytes
import Conversation
import Hummingbird

/// Packets by time: the ladder and the procedures.
struct TimelineRoutes {
    let session: WebSession

    func add(to router: RouterGroup<BasicRequestContext>) {
        router.get("files/:file/ladder") { request, context in
            let file = try session.file(context)
            let span = try request.span(of: file)
            let connection = try request.integer("connection", in: 1...1_000_000, or: 0)
            let limit = try request.integer("limit", in: 1...5000, or: 1000)
            let ladder = Ladder(
                file, span, connection: connection == 0 ? nil : connection, limit: limit)
            return Response.json(try ladder.json())
        }
        router.get("files/:file/procedures") { request, context in
            let file = try session.file(context)
            let from = try request.integer("from", in: 1...Int.max, or: 1)
            let count = try request.integer("count", in: 1...1000, or: 100)
            return Response.json(try ProcedureList(file.index).json(from: from, count: count))
        }
    }
}
