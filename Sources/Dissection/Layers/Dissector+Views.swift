import Bytes
import Captures
import Conversation

/// What other captures of a merged file show of a frame's PDU.
extension Dissector {
    func noteViews(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame) {
        for view in batch.views(of: metadata) { frame.diagnoses.append(Diagnostic(.note, "frame", view.words)) }
    }

    func recordViews(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame) {
        let recorder = frame.recorder
        for view in batch.views(of: metadata) {
            let group = recorder.begin(FrameFields.view, offset: 0, length: 0, isGenerated: true)
            if let other = view.frame {
                let field =
                    switch view.sight {
                    case .heard: FrameFields.heardIn
                    case .sent: FrameFields.sentIn
                    case .received: FrameFields.receivedIn
                    }
                recorder.addGenerated(field, value: UInt64(other))
                recorder.addGenerated(FrameFields.viewDelay, value: UInt64(bitPattern: view.delay.nanoseconds))
                if view.sight == .heard {
                    recorder.addGenerated(FrameFields.viewTransmissions, value: UInt64(max(1, view.transmissions)))
                    recorder.addGenerated(FrameFields.viewAcknowledged, value: view.isAcknowledged ? 1 : 0)
                }
            } else {
                recorder.addGenerated(FrameFields.viewOnly, text: view.sight.rawValue)
            }
            if let completion = view.completion {
                recorder.addGenerated(
                    FrameFields.viewCompletion, value: UInt64(bitPattern: completion.nanoseconds))
            }
            if view.isSecondView { recorder.addGenerated(FrameFields.viewIsSecond, value: 1) }
            recorder.close(group)
        }
    }
}
