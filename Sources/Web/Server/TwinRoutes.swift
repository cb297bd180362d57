import Bytes
import Hummingbird

/// The twin of `--twin`.
struct TwinRoutes {
    let session: WebSession

    func add(to router: RouterGroup<BasicRequestContext>) {
        router.get("twin") { _, _ in Response.json(try await twin().stimuli()) }
        router.get("twin/display") { _, _ in Response.json(try await twin().display()) }
        router.post("twin") { request, _ in
            try await twin().drive(try await request.object())
            return Response.json(.members([:]))
        }
    }

    private func twin() throws -> TwinSession {
        guard let twin = session.twin else {
            throw WebFault(.notFound, "there is no twin: start gattbench web with --twin PLUGIN")
        }
        return twin
    }
}
