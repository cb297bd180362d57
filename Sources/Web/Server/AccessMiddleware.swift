import BluetoothCrypto
import Bytes
import HTTPTypes
import Hummingbird

/// Accepts requests that have the token and name this host, and adds security headers to every response.
///
/// The token is part of the first URL. The response sets a cookie that scripts cannot read and other sites do not send.
/// Its value is derived from the token, so that a server with the same token accepts it, but the cookie does not reveal
/// the token.
struct AccessMiddleware: RouterMiddleware {
    typealias Context = BasicRequestContext

    let token: String
    /// Whether a host name refers to this server: `127.0.0.1:8080`.
    let isOwn: @Sendable (String) -> Bool
    private let sessionValue: String

    init(token: String, isOwn: @escaping @Sendable (String) -> Bool) {
        self.token = token
        self.isOwn = isOwn
        let digest = SHA256.digest(of: Array("gattbench web session \(token)".utf8))
        sessionValue = digest.map { String(hex: $0, digits: 2) }.joined()
    }

    static let cookie = "gattbench"
    private static let header = HTTPField.Name("X-Gattbench-Token")!

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await answer(request, context, next)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
            if response.headers[.contentType] == nil || response.body.contentLength == 0 {
                response = .json(
                    .members(["error": .string("\(error.status.code) \(error.status.reasonPhrase)")]), error.status)
            }
        } catch let error where !(error is CancellationError) {
            // For example, a file that no longer exists.
            response = .json(.members(["error": .string("\(error)")]), .internalServerError)
        }
        for field in Self.fields { response.headers[field.name] = field.value }
        return response
    }

    private func answer(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // Refuses pages of other sites, and their scripts, that reach this server through their own host name (DNS
        // rebinding).
        guard let host = request.head.authority, isOwn(host) else {
            throw WebFault(.misdirectedRequest, "the host is not this server")
        }
        if let origin = request.headers[.origin] {
            guard origin == "http://\(host)" else { throw WebFault(.forbidden, "the origin is another site") }
        }
        if request.uri.path == "/", let given = request.uri.queryParameters["token"] {
            guard Self.isEqual(String(given), token) else { throw WebFault(.unauthorized, Self.advice) }
            return Response(
                status: .seeOther,
                headers: [
                    .location: "/",
                    .setCookie: "\(cookieName(host))=\(sessionValue); HttpOnly; SameSite=Strict; Path=/",
                ])
        }
        let isLetIn =
            if let given = request.headers[Self.header] {
                Self.isEqual(given, token)
            } else {
                request.cookies[cookieName(host)].map { Self.isEqual($0.value, sessionValue) } ?? false
            }
        guard isLetIn else { throw WebFault(.unauthorized, Self.advice) }
        return try await next(request, context)
    }

    private static let advice = "open the address that gattbench web has printed: it has the token"

    /// Servers on other ports of the host share its cookies, so the name contains the port.
    private func cookieName(_ host: String) -> String {
        host.split(separator: ":").last.flatMap { Int($0) }.map { "\(Self.cookie)-\($0)" } ?? Self.cookie
    }

    /// Compares in constant time.
    private static func isEqual(_ given: String, _ expected: String) -> Bool {
        let (given, expected) = (Array(given.utf8), Array(expected.utf8))
        guard given.count == expected.count else { return false }
        return zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static let fields: [HTTPField] = [
        HTTPField(
            name: .contentSecurityPolicy,
            value: "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'"),
        HTTPField(name: .cacheControl, value: "no-store"),
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: HTTPField.Name("Referrer-Policy")!, value: "no-referrer"),
        HTTPField(name: HTTPField.Name("Cross-Origin-Opener-Policy")!, value: "same-origin"),
        HTTPField(name: HTTPField.Name("Cross-Origin-Resource-Policy")!, value: "same-origin"),
    ]
}
