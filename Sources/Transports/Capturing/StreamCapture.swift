package import Captures

/// A capture that is being written to standard input, of any format.
package final class StreamCapture: LiveCapture {
    package let name = "standard input"
    package private(set) var encapsulation: Encapsulation?
    package let canWait = true
    package let lost = 0

    package init() {}

    package func run(_ sink: CaptureSink) throws {
        var failure: (any Error)?
        var isStopped = false
        // Asked only while nothing comes in: the stream then ends where it is.
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
            // It was stopped before there was a packet, or in the middle of one.
        }
        if let failure { throw failure }
    }
}
