import Bytes
import Captures
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization
import Transports
package import Workbench

/// Shows captures in a browser: serves the pages and their API (docs/web-api.yaml), to this machine only.
package enum WebServer: WebService {
    package static func serve(
        _ options: WebOptions, ready: @escaping @Sendable (String) -> Void, report: @escaping @Sendable (String) -> Void
    ) async throws {
        let session = WebSession(options)
        try session.waivers.read()
        defer {
            session.finish()
            session.closeAll()
        }
        for path in options.files { try session.open(path) }
        if let live = options.live { try LiveSession.start(live.capture, in: session, report: report) }
        if let twin = options.twin { session.start(try TwinSession(twin, in: session, report: report)) }
        let token = options.token ?? makeToken()
        let port = Mutex(0)
        let router = router(session, token: token) { host in
            let port = port.withLock { $0 }
            return ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host)
        }
        var logger = Logger(label: "gattbench-web")
        logger.logLevel = .critical
        // The time limit does not end responses in progress, such as event streams.
        let patience = TimeAmount(options.requestTimeLimit)
        let application = Application(
            router: router,
            server: .http1(configuration: .init(idleTimeout: patience)),
            configuration: .init(
                address: .hostname("127.0.0.1", port: options.port), serverName: nil,
                availableConnectionsDelegate: ConnectionLimit(options.connectionLimit)),
            onServerRunning: { channel in
                let own = channel.localAddress?.port ?? options.port
                port.withLock { $0 = own }
                ready("http://127.0.0.1:\(own)/?token=\(token)")
            }, logger: logger)
        let work = Task { try await application.run() }
        try await withTaskCancellationHandler {
            do {
                try await work.value
            } catch let error as IOError {
                let text = unsafe String(cString: strerror(error.errnoCode))
                throw TransportError("127.0.0.1:\(options.port)", text, advice: "choose another --port")
            }
        } onCancel: {
            session.finish()
            Task {
                // Event streams end by themselves before their connections close.
                try? await Task.sleep(for: .milliseconds(300))
                work.cancel()
            }
        }
    }

    package static func report(
        _ options: ReportOptions, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> PageOfCapture {
        let report = try await CaptureReport(options, progress: progress)
        return PageOfCapture(html: ReportPage(report).html, warnings: report.warnings)
    }

    static func router(
        _ session: WebSession, token: String, isOwn: @escaping @Sendable (String) -> Bool
    ) -> Router<BasicRequestContext> {
        let router = Router()
        router.addMiddleware { AccessMiddleware(token: token, isOwn: isOwn) }
        let pages = PageFiles(folder: session.options.pages)
        let interface = router.group("api")
        PacketRoutes(session: session).add(to: interface)
        AnalysisRoutes(session: session).add(to: interface)
        TimelineRoutes(session: session).add(to: interface)
        TwinRoutes(session: session).add(to: interface)
        EventRoutes(session: session).add(to: interface)
        router.get("**") { request, _ in
            guard let page = pages.response(for: request.uri.path) else {
                throw Self.noPage
            }
            return page
        }
        router.get("/") { _, _ in
            guard let page = pages.response(for: "/") else { throw Self.noPage }
            return page
        }
        return router
    }

    private static let noPage = WebFault(.notFound, "there is no such page")

    /// An unguessable token.
    private static func makeToken() -> String {
        var text = TextWriter(capacity: 48)
        for _ in 0..<3 { text.writeHex(UInt64.random(in: 0 ... .max), digits: 16) }
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
