import Bytes
import Captures
import Conversation
import Dissection
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Decoding loses nothing: a field covers every byte of every frame, and no field lies outside the frame.
@Suite(.disabled(if: Repository.isRewritten, "the cases are being rewritten"))
struct CoverageTests {
    @Test(arguments: CaptureCase.all)
    func everyByteOfACaseIsCovered(_ example: CaptureCase) throws {
        let faults = try Self.faults(of: example.path)
        #expect(faults.isEmpty, "\(faults.prefix(5).joined(separator: "\n"))")
    }

    @Test(.enabled(if: !SharedCaptures.all.isEmpty, "../shared/captures is not there"), arguments: SharedCaptures.all)
    func everyByteOfASharedCaptureIsCovered(_ path: String) throws {
        let faults = try Self.faults(of: path)
        #expect(faults.isEmpty, "\(path):\n\(faults.prefix(5).joined(separator: "\n"))")
    }

    @Test(arguments: CaptureCase.all)
    func everyByteOfATruncatedFrameIsCovered(_ example: CaptureCase) throws {
        let faults = try Self.faults(of: example.path) { $0.shortened(isCut: false) }
        #expect(faults.isEmpty, "\(faults.prefix(5).joined(separator: "\n"))")
    }

    @Test(arguments: CaptureCase.all)
    func everyByteOfACutFrameIsCovered(_ example: CaptureCase) throws {
        let faults = try Self.faults(of: example.path) { $0.shortened(isCut: true) }
        #expect(faults.isEmpty, "\(faults.prefix(5).joined(separator: "\n"))")
    }

    @Test(arguments: CaptureCase.all, [0x00, 0x01, 0x7F, 0xFF] as [UInt8])
    func everyByteOfADamagedFrameIsCovered(_ example: CaptureCase, _ byte: UInt8) throws {
        let faults = try Self.faults(of: example.path) { $0.damaged(by: byte) }
        #expect(faults.isEmpty, "\(faults.prefix(5).joined(separator: "\n"))")
    }

    /// The frames with bytes that no field covers, or with fields outside the frame. `change` may alter the packets
    /// first.
    static func faults(of path: String, _ change: (PacketBatch) -> PacketBatch = { $0 }) throws -> [String] {
        let reader = try CaptureReader(path: path)
        let dissector = Dissector()
        let frame = DissectedFrame()
        var tracker = Tracker()
        var faults: [String] = []
        while let packets = try reader.next() {
            var batch = tracker.track(change(packets))
            tracker.name(&batch)
            for metadata in batch.metadata {
                dissector.dissect(metadata, of: batch, into: frame)
                if let fault = fault(frame, metadata, batch) {
                    faults.append("frame \(metadata.packet.number): \(fault)")
                }
            }
        }
        return faults
    }

    private static func fault(_ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: TrackedBatch) -> String? {
        var isCovered = [Bool](repeating: false, count: metadata.packet.count)
        for recorded in frame.recorder.fields where !recorded.isGenerated {
            let range = Int(recorded.offset)..<(Int(recorded.offset) + Int(recorded.length))
            guard range.upperBound <= length(of: recorded.buffer, metadata) else {
                return "\(recorded.field.name) lies outside of its bytes: \(range)"
            }
            if recorded.buffer == .frame, recorded.field.format != .group {
                for offset in range { isCovered[offset] = true }
                // The zeros that pad a text are not part of it.
                guard recorded.field.format == .text else { continue }
                let rest = batch.packets.bytes[metadata.packet.range].dropFirst(range.upperBound)
                for offset in rest.prefix(while: { $0 == 0 }).indices {
                    isCovered[offset - metadata.packet.start] = true
                }
            }
        }
        return isCovered.firstIndex(of: false).map { "no field covers byte \($0) of \(metadata.packet.count)" }
    }

    private static func length(of buffer: RecordedField.Buffer, _ metadata: FrameMetadata) -> Int {
        switch buffer {
        case .frame: metadata.packet.count
        case .reassembled: metadata.pdu.count
        case .sdu: metadata.assembled.count
        case .decrypted: metadata.plain.count
        }
    }
}

extension PacketBatch {
    /// Every packet, truncated to every shorter length.
    fileprivate func shortened(isCut: Bool) -> PacketBatch {
        var batch = self
        batch.packets = packets.flatMap { packet in
            (0..<packet.count).map { count in
                var short = packet
                short.count = count
                if !isCut { short.originalLength = count }
                return short
            }
        }
        return batch
    }

    /// Every packet, with each byte replaced in turn.
    fileprivate func damaged(by byte: UInt8) -> PacketBatch {
        var batch = PacketBatch(comments: comments)
        for packet in packets {
            for offset in 0..<packet.count {
                var damaged = packet
                damaged.start = batch.bytes.count
                batch.packets.append(damaged)
                batch.bytes += bytes(of: packet)
                batch.bytes[damaged.start + offset] = byte
            }
        }
        return batch
    }
}

/// Every field of a frame is a column with the field's name: output, filters and `-e` use the same names.
@Suite(.disabled(if: Repository.isRewritten, "the cases are being rewritten"))
struct ColumnTests {
    private static let plugins = (try? PluginLibrary.builtIn().plugins) ?? .none
    private static let catalog = FieldCatalog.all(plugins: plugins)

    @Test(arguments: CaptureCase.all.map(\.path) + SharedCaptures.all)
    func everyRecordedFieldIsInTheCatalog(_ path: String) throws {
        let reader = try CaptureReader(path: path)
        let dissector = Dissector(scope: .all, plugins: Self.plugins)
        let frame = DissectedFrame()
        var tracker = Tracker(plugins: Self.plugins)
        var application = ApplicationTracker(Self.plugins)
        var missing: Set<String> = []
        while let packets = try reader.next() {
            var batch = tracker.track(packets)
            tracker.name(&batch)
            application.follow(&batch, tracker.devices)
            for metadata in batch.metadata {
                dissector.dissect(metadata, of: batch, into: frame)
                for recorded in frame.recorder.fields where !Self.catalog[recorded.field.name].contains(recorded.field)
                {
                    missing.insert(recorded.field.name)
                }
            }
        }
        #expect(missing.isEmpty, "\(path): \(missing.sorted())")
    }
}

/// Third-party captures outside the repository, if available.
enum SharedCaptures {
    static let all: [String] = {
        let folder = Repository.shared.appending(path: "captures")
        let environment = ProcessInfo.processInfo.environment["GATTBENCH_SHARED_CAPTURES"]
        let path = environment ?? folder.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { !$0.hasSuffix(".tsv") && !$0.hasSuffix(".md") }.sorted().map { "\(path)/\($0)" }
    }()
}
