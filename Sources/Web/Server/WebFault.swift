import Bytes
import HTTPTypes
import Hummingbird
import NIOCore

/// An error response: `{"error": …}`.
struct WebFault: Error, HTTPResponseError {
    let status: HTTPResponse.Status
    let members: JSONValue

    init(_ status: HTTPResponse.Status, _ text: String) {
        self.init(status, .members(["error": .string(text)]))
    }

    init(_ status: HTTPResponse.Status, _ members: JSONValue) {
        self.status = status
        self.members = members
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = Response.json(members.line, status)
        // The client must not send the remaining body.
        if status == .contentTooLarge { response.headers[.connection] = "close" }
        return response
    }

    /// An uploaded file exceeds the size limit, as sent or after decompression.
    static func tooLong(_ limit: Int) -> WebFault {
        let size = limit >= 1 << 30 ? "\(limit >> 30) GB" : "\(limit) bytes"
        return WebFault(.contentTooLarge, "longer than \(size): open it by its path")
    }
}

extension Response {
    static func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A JSON object with one more member, already encoded.
    static func json(_ members: [(name: String, value: JSONValue)], _ name: String, _ json: String?) -> Response {
        let line = JSONValue.object(of: members).line
        return .json(json.map { "\(line.dropLast()),\"\(name)\":\($0)}" } ?? line)
    }

    static func json(_ value: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
        .json(value.line, status)
    }
}
