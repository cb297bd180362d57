import Captures
import Glibc

extension FuzzTarget {
    /// A byte that selects the target format, then a capture.
    static let conversion = FuzzTarget("convert") { captures in
        let files = Traffic.seeds(captures, .h4).suffix(captures.count / 2).compactMap { input in
            TrafficFile.bytes(of: Traffic.batches(input, .h4))
        }
        return (captures + files).enumerated().map { [UInt8($0.offset % Conversion.targets.count)] + $0.element }
    } fault: { bytes in
        guard let choice = bytes.first else { return nil }
        let capture = Array(bytes[1...])
        if Reading(capture).isPartial { return nil }
        let (format, linkType) = Conversion.targets[Int(choice) % Conversion.targets.count]
        return Conversion.fault(capture, format, linkType)
    }
}

/// A capture written in another format and read again.
private enum Conversion {
    /// Every format with every link type that it can be written with.
    static let targets: [(CaptureFormat, LinkType)] = CaptureFormat.writable.flatMap { format in
        CaptureTarget.linkTypes(of: format).map { (format, $0) }
    }

    static func fault(_ capture: [UInt8], _ format: CaptureFormat, _ linkType: LinkType) -> String? {
        guard let file = unsafe tmpfile() else { return nil }
        defer { unsafe fclose(file) }
        let path = "/proc/self/fd/\(unsafe fileno(file))"
        let report: Converter.Report
        do throws(CaptureError) {
            let reader = try CaptureReader(source: ByteSource(bytes: capture, name: "input"))
            report = try Converter.convert(reader, to: path, format: format, linkType: linkType)
        } catch {
            return nil
        }
        guard report.packetsWritten <= report.packetsRead else { return "more packets written than read" }
        let leftOut = report.losses.filter(\.kind.isLeftOut).reduce(0) { $0 + $1.count }
        guard report.packetsWritten + leftOut >= report.packetsRead else {
            return "\(report.packetsRead) packets read, \(report.packetsWritten) written, \(leftOut) named as left out"
        }
        let written = Reading { () throws(CaptureError) in try CaptureReader(path: path) }
        if let fault = written.fault { return "the converted capture: \(fault)" }
        if report.warnings.isEmpty, let warning = written.warnings.first { return "the converted capture: \(warning)" }
        guard written.packets.count == report.packetsWritten else {
            let error = written.error.map { ": \($0)" } ?? ""
            return "\(report.packetsWritten) packets written, \(written.packets.count) read again\(error)"
        }
        return nil
    }
}
