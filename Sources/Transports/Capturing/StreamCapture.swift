package import Captures

/// A capture of any format, streamed to standard input.
package final class StreamCapture: LiveCapture {
    package let name = "standard input"
    package private(set) var encapsulation: Encapsulation?
    package let canWait = true
    package let lost = 0

    package init() {}

    package func run(_ sink: CaptureSink) throws {
        var failure: (any Error)?
        var isStopped = false
        // Called only while there is no input; stopping ends the stream at the current position.
        let goesOn: () -> Bool = {
            do {
                isStopped = try !sink.take(PacketBatch())
            } catch {
                failure = error
                isStopped = true
            }
            return !isStopped
        }
        do {
            let reader = try CaptureReader(source: ByteSource(followingStandardInput: goesOn))
            while let batch = try reader.next() {
                encapsulation = batch.packets.first?.encapsulation
                guard try sink.take(batch) else { return }
            }
            if !isStopped { for warning in reader.warnings { sink.report("warning: \(warning)") } }
        } catch let error as CaptureError where isStopped && error.kind != .cannotWrite {
            // The capture was stopped before the first packet or within a packet.
        }
        if let failure { throw failure }
    }
}
