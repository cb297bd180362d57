package import Captures

/// A capture of any format, streamed to standard input or over a link.
package final class StreamCapture: LiveCapture {
    package let name: String
    package private(set) var encapsulation: Encapsulation?
    package let canWait = true
    package let lost = 0

    /// The link; nil for standard input.
    private var link: (any Transport)?
    /// Opens the link anew after its peer has closed; nil if the capture then ends.
    private let reopen: (() throws(TransportError) -> any Transport)?
    private var loop = TransportLoop()
    /// Whether the peer has closed.
    private var hasEnded = false
    /// Whether the link itself has closed and must be opened anew; a server's does not.
    private var isClosed = false
    /// Number of the last packet.
    private var number = 0

    /// Pauses of 200 ms between two attempts to open a link anew.
    private static let pauses = 5

    /// Captures from standard input.
    package init() {
        name = "standard input"
        link = nil
        reopen = nil
    }

    /// Captures from a link of bytes.
    package init(_ link: any Transport, reopen: (() throws(TransportError) -> any Transport)? = nil) {
        name = link.name
        self.link = link
        self.reopen = reopen
        loop.add(link)
    }

    package func run(_ sink: CaptureSink) throws {
        defer { loop.close() }
        while try captureStream(sink), try restart(sink) {}
    }

    /// Captures until the stream ends; returns whether the sink continues.
    private func captureStream(_ sink: CaptureSink) throws -> Bool {
        var failure: (any Error)?
        var isStopped = false
        let deliver: (PacketBatch) -> Bool = { batch in
            do {
                isStopped = try !sink.take(batch)
            } catch {
                failure = error
                isStopped = true
            }
            return !isStopped
        }
        let earlier = number
        do throws(CaptureError) {
            // While nothing arrives, an empty batch asks whether to continue; stopping ends the stream where it is.
            let reader = try CaptureReader(source: source(sink.report) { deliver(PacketBatch()) })
            while var batch = try reader.next() {
                encapsulation = batch.packets.first?.encapsulation
                for index in batch.packets.indices { batch.packets[index].number += earlier }
                number = batch.packets.last?.number ?? number
                guard deliver(batch) else { break }
            }
            if !isStopped { for warning in reader.warnings { sink.report("warning: \(warning)") } }
        } catch {
            // A stop, or the peer's end, may come before the first packet or within a packet.
            if !isStopped {
                guard reopen != nil, number > 0 || error.kind == .empty else { throw error }
                if error.kind != .empty { sink.report("warning: \(error)") }
            }
        }
        if let failure { throw failure }
        return !isStopped
    }

    private func source(
        _ report: @escaping (String) -> Void, _ goesOn: @escaping () -> Bool
    ) throws(CaptureError) -> ByteSource {
        if link == nil { return try ByteSource(followingStandardInput: goesOn) }
        return try ByteSource(name: name) { self.nextBytes(report, goesOn) }
    }

    /// The next bytes from the link; nil when its peer has closed or the capture was stopped.
    private func nextBytes(_ report: (String) -> Void, _ goesOn: () -> Bool) -> [UInt8]? {
        while !hasEnded {
            var bytes: [UInt8] = []
            for (_, event) in loop.wait(until: nil) {
                switch event {
                case .packet(let part, _): bytes += part
                case .connected: report("\(name): connected")
                case .note(let text): report("\(name): \(text)")
                case .disconnected(let text):
                    report("\(name): \(text)")
                    hasEnded = true
                case .closed(let text):
                    report("\(name): \(text)")
                    hasEnded = true
                    isClosed = true
                }
            }
            if !bytes.isEmpty { return bytes }
            if !hasEnded, !goesOn() { return nil }
        }
        return nil
    }

    /// Waits until the peer can be reached again; returns whether there is another stream.
    private func restart(_ sink: CaptureSink) throws -> Bool {
        guard let reopen else { return false }
        hasEnded = false
        guard isClosed else { return true }
        sink.report("\(name): waiting until it is back")
        while true {
            for _ in 0..<Self.pauses {
                guard try sink.take(PacketBatch()) else { return false }
                SystemThread.pause(milliseconds: 200)
            }
            guard let link = try? reopen() else { continue }
            self.link = link
            loop = TransportLoop()
            loop.add(link)
            isClosed = false
            return true
        }
    }
}
