import CCurl
import Dispatch
import Glibc
import Synchronization
import Workbench

/// An HTTP request on a separate connection, based on libcurl.
///
/// Redirects are not followed, and requests to this machine bypass the proxy.
package struct HTTPRequest: Sendable {
    package var url: String
    package var method = "GET"
    /// Names and values.
    package var headers: [(String, String)] = []
    package var body: [UInt8] = []
    /// Timeout of the whole exchange.
    package var timeLimit = Duration.seconds(30)
    /// Maximum size in bytes of the response, including its headers.
    package var responseLimit = 1 << 20

    package init(_ url: String) { self.url = url }

    package struct Response: Sendable {
        package var status = 0
        /// Values by lowercase names; of repeated headers the last one.
        package var headers: [String: String] = [:]
        package var body: [UInt8] = []
    }

    /// The request failed without a response.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        /// Whether retrying cannot help.
        package var isPermanent = false
    }

    /// Performs the request on a separate thread. Cancelling the task ends the exchange within a second.
    package func response() async throws(Failure) -> Response {
        let exchange = Exchange(self)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "http").async { continuation.resume(returning: exchange.perform()) }
            }
        } onCancel: {
            exchange.cancel()
        }
        return try result.get()
    }
}

/// A request in progress. libcurl calls it on the thread that performs it.
private final class Exchange: Sendable {
    private let request: HTTPRequest
    /// The response so far, and the number of bytes that may still be added.
    private let received: Mutex<(response: HTTPRequest.Response, room: Int)>
    private let isCancelled = Atomic(false)

    init(_ request: HTTPRequest) {
        self.request = request
        received = Mutex((HTTPRequest.Response(), request.responseLimit))
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func perform() -> Result<HTTPRequest.Response, HTTPRequest.Failure> {
        if let fault = Self.libraryFault {
            return .failure(
                .init(description: "\(fault); install libcurl4 (Debian) or libcurl", isPermanent: true))
        }
        let headers = unsafe request.headers.map { unsafe strdup("\($0.0): \($0.1)") }
        defer { for index in unsafe headers.indices { unsafe free(headers[index]) } }
        var result = gattbench_http_result()
        unsafe request.url.withCString { url in
            unsafe request.method.withCString { method in
                unsafe headers.map { unsafe UnsafePointer($0) }.withUnsafeBufferPointer { headers in
                    unsafe request.body.withUnsafeBytes { body in
                        var call = unsafe gattbench_http_request(
                            url: url, method: method, headers: headers.baseAddress, header_count: headers.count,
                            body: body.baseAddress, body_size: body.count,
                            milliseconds: Int(request.timeLimit / .milliseconds(1)),
                            ignores_proxy: ThisMachine.isHost(of: request.url),
                            object: Unmanaged.passUnretained(self).toOpaque(),
                            receive_header: { unsafe Exchange.at($0)?.receiveHeader($1, $2) ?? false },
                            receive_body: { unsafe Exchange.at($0)?.receiveBody($1, $2) ?? false },
                            is_cancelled: { unsafe Exchange.at($0)?.isCancelled.load(ordering: .relaxed) ?? true })
                        unsafe gattbench_http_perform(&call, &result)
                    }
                }
            }
        }
        if result.is_timeout {
            return .failure(.init(description: "no answer within \(request.timeLimit.components.seconds) s"))
        }
        let failure = unsafe withUnsafeBytes(of: result.failure) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !failure.isEmpty { return .failure(.init(description: failure)) }
        return received.withLock {
            $0.response.status = result.status
            return .success($0.response)
        }
    }

    /// False where the response is longer than its limit.
    private func receiveHeader(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> Bool {
        let line = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        return received.withLock { received in
            guard count <= received.room else { return false }
            received.room -= count
            guard let colon = line.firstIndex(of: ":") else { return true }
            let value = line[colon...].dropFirst().trimmingPrefix(" ").prefix { !$0.isNewline }
            received.response.headers[line[..<colon].lowercased()] = String(value)
            return true
        }
    }

    /// False where the response is longer than its limit.
    private func receiveBody(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> Bool {
        received.withLock { received in
            guard count <= received.room else { return false }
            received.room -= count
            unsafe received.response.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
            return true
        }
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> Exchange? {
        unsafe pointer.map { unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Why libcurl could not be loaded; nil if it is loaded.
    private static let libraryFault: String? = unsafe gattbench_load_curl().map { unsafe String(cString: $0) }
}
