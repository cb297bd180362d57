/// The result of a first pass over a capture: only the devices and attribute tables that its frames refer to. A second
/// pass names the frames from it.
package struct CaptureKnowledge: Sendable {
    package let devices: DeviceTable
    private let tables: AttributeTableStore

    init(_ devices: DeviceTable, _ tables: AttributeTableStore) {
        self.devices = devices
        self.tables = tables
    }

    /// Adds the devices and tables that a batch's frames refer to.
    package func name(_ batch: inout TrackedBatch) { batch.takeNames(devices, tables, []) }
}

extension Tracker {
    /// The knowledge at the end of the capture.
    package var conclusion: CaptureKnowledge { CaptureKnowledge(devices.concluded(), knowledge.concluded()) }
}
