/// What a capture has told by its end: the devices and the tables that its frames refer to, and nothing else. With it the
/// frames are named when the capture is gone through again.
package struct CaptureKnowledge: Sendable {
    package let devices: DeviceTable
    private let tables: AttributeTableStore

    init(_ devices: DeviceTable, _ tables: AttributeTableStore) {
        self.devices = devices
        self.tables = tables
    }

    /// Hands a batch the names that its frames need.
    package func name(_ batch: inout TrackedBatch) { batch.takeNames(devices, tables, []) }
}

extension Tracker {
    /// What the capture has told, when it is finished.
    package var conclusion: CaptureKnowledge { CaptureKnowledge(devices.concluded(), knowledge.concluded()) }
}
