import Bytes
import HTTPTypes
import Hummingbird

/// Lets in who has the token and asks for this host, and says in every answer what pages may do.
///
/// The token comes with the first address, is kept in a cookie that scripts cannot read and other sites do not send, and
/// is not in any address after that.
struct AccessMiddleware: RouterMiddleware {
    typealias Context = BasicRequestContext

    let token: String
    /// Whether a host is this server: `127.0.0.1:8080`.
    let isOwn: @Sendable (String) -> Bool

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
            // Such as a file that is not there any more.
            response = .json(.members(["error": .string("\(error)")]), .internalServerError)
        }
        for field in Self.fields { response.headers[field.name] = field.value }
        return response
    }

    private func answer(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A page of another site that reaches this server by a name of its own is refused, and so is its script.
        guard let host = request.head.authority, isOwn(host) else {
            throw WebFault(.misdirectedRequest, "the host is not this server")
        }
        if let origin = request.headers[.origin] {
            guard origin == "http://\(host)" else { throw WebFault(.forbidden, "the origin is another site") }
        }
        if request.uri.path == "/", let given = request.uri.queryParameters["token"] {
            guard isToken(String(given)) else { throw WebFault(.unauthorized, Self.advice) }
            return Response(
                status: .seeOther,
                headers: [
                    .location: "/",
                    .setCookie: "\(cookieName(host))=\(token); HttpOnly; SameSite=Strict; Path=/",
                ])
        }
        let given = request.headers[Self.header] ?? request.cookies[cookieName(host)]?.value
        guard let given, isToken(given) else { throw WebFault(.unauthorized, Self.advice) }
        return try await next(request, context)
    }

    private static let advice = "open the address that gattbench web has printed: it has the token"

    /// Servers on other ports share the cookies of a host, so each has a name of its own.
    private func cookieName(_ host: String) -> String {
        host.split(separator: ":").last.flatMap { Int($0) }.map { "\(Self.cookie)-\($0)" } ?? Self.cookie
    }

    /// Compares in a time that does not depend on where they differ.
    private func isToken(_ given: String) -> Bool {
        let (given, token) = (Array(given.utf8), Array(token.utf8))
        guard given.count == token.count else { return false }
        return zip(given, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
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
