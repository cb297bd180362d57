import Bytes

/// Client of an emulated device with a control socket: sends lines and waits for replies.
package struct ControlClient {
    private var loop = TransportLoop()
    private let name: String

    /// Connects to the socket at a path.
    package init(path: String) throws(TransportError) {
        name = "unix:\(path)"
        do throws(SystemFailure) {
            let stream = PacketStream(try Sockets.connect(path: path), .lines(LineFramer()))
            loop.add(StreamTransport(name, stream))
        } catch {
            throw TransportError(name, error.text, advice: error.advice)
        }
    }

    /// Sends a line and returns the first following line for which `isReply` is true.
    package func ask(
        _ line: String, within seconds: Double, isReply: ([UInt8]) -> Bool
    ) throws(TransportError) -> [UInt8] {
        let end = loop.now + .seconds(seconds)
        _ = loop.transports[0].send(Array(line.utf8) + [UInt8(ascii: "\n")], at: loop.now)
        while loop.now < end {
            for (_, event) in loop.wait(until: end) {
                switch event {
                case .packet(let reply, _): if isReply(reply) { return reply }
                case .closed(let text), .disconnected(let text):
                    throw TransportError(name, text, advice: "the device has ended")
                case .connected, .note: break
                }
            }
        }
        throw TransportError(name, "no reply within \(seconds) s", advice: "ask again")
    }

    package func close() { loop.close() }
}
