package struct DisplayFilter: Sendable {
    package var scope: DissectionScope { [] }
    package func matches(_ frame: DissectedFrame, of batch: borrowing TrackedBatch) -> Bool { true }
}
