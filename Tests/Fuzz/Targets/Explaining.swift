import Captures
import Causes
import Conversation
import Workbench

extension FuzzTarget {
    /// HCI packets in the format of `Traffic`, whose failures are explained.
    static let why = FuzzTarget("why") { captures in
        Traffic.seeds(captures, .h4)
    } fault: { bytes in
        Explaining.fault(Traffic.batches(bytes, .h4))
    }

    /// The same for link layer packets.
    static let airWhy = FuzzTarget("air-why") { captures in
        Traffic.seeds(captures, .linkLayerWithHeader)
    } fault: { bytes in
        Explaining.fault(Traffic.batches(bytes, .linkLayerWithHeader))
    }
}

private enum Explaining {
    /// A fault among the incidents: one without a frame of the capture or without a text.
    static func fault(_ batches: [PacketBatch]) -> String? {
        let frames = batches.reduce(0) { max($0, $1.packets.last?.number ?? 0) }
        let follower = ConversationTracker(FuzzPlugins.all)
        let explanation = Explanation(FuzzPlugins.all)
        for packets in batches {
            var batch = TrackedBatch()
            batch.fill(packets)
            follower.follow(&batch)
            explanation.add(batch)
        }
        explanation.finish()
        for incident in explanation.takeIncidents() {
            let name = incident.cause ?? incident.what.rawValue
            if incident.text.isEmpty { return "\(name) does not say what it found" }
            guard let first = incident.frames.first, let last = incident.frames.last else {
                return "\(name) has no frame"
            }
            if first < 1 || last > frames { return "\(name) names frames \(first) and \(last) of \(frames)" }
        }
        return nil
    }
}
