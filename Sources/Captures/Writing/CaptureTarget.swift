import Bytes

/// The output of a conversion: file format and encapsulation.
public struct CaptureTarget: Sendable, Hashable {
    public let format: CaptureFormat
    /// The link type; for btsnoop, 187 stands for H4 and 254 for the Linux monitor.
    public let linkType: LinkType
    /// Whether pcap times are in nanoseconds.
    public var hasNanoseconds = false

    /// The encapsulation of packets in the file.
    var encapsulation: Encapsulation {
        switch format {
        case .packetLogger: .packetLogger
        case .btsnoop: linkType == .linuxMonitor ? .monitor : .h4
        case .pcap, .pcapng, .smartRF, .h4Dump, .threeWireDump: linkType.encapsulation ?? .h4
        }
    }

    /// The link types that a format supports for writing, its default first; none of a format that is only read.
    public static func linkTypes(of format: CaptureFormat) -> [LinkType] {
        switch format {
        case .btsnoop: [.h4, .linuxMonitor]
        case .packetLogger: [.h4]
        case .pcap, .pcapng: [.h4WithDirection, .h4, .linuxMonitor, .linkLayer, .linkLayerWithHeader]
        case .smartRF, .h4Dump, .threeWireDump: []
        }
    }

    /// Nil if `format` cannot be written with `linkType`. btsnoop's own numbers 1002 and 2001 are accepted too.
    public init?(_ format: CaptureFormat, linkType: LinkType) {
        var linkType = linkType
        if format == .btsnoop {
            switch linkType.rawValue {
            case Btsnoop.DataLink.h4.rawValue, LinkType.h4WithDirection.rawValue: linkType = .h4
            case Btsnoop.DataLink.linuxMonitor.rawValue: linkType = .linuxMonitor
            default: break
            }
        }
        guard Self.linkTypes(of: format).contains(linkType) else { return nil }
        self.format = format
        self.linkType = linkType
    }

    /// The target in `format` that preserves the most information of packets of `source`.
    public init(_ format: CaptureFormat, holding source: Encapsulation?) {
        self.format = format
        linkType =
            switch (format, source) {
            case (.packetLogger, _): .h4
            case (.btsnoop, .monitor), (.btsnoop, .monitorWithHeader): .linuxMonitor
            case (.btsnoop, _): .h4
            case (_, .monitor), (_, .monitorWithHeader): .linuxMonitor
            case (_, .linkLayer), (_, .ppi): .linkLayer
            case (_, .linkLayerWithHeader), (_, .nordic): .linkLayerWithHeader
            default: .h4WithDirection
            }
    }
}

/// An interface of a pcapng file that is written, with its name, its description and its link type.
package struct StatedInterface: Sendable, Hashable {
    package var name: String
    package var description: String
    let target: CaptureTarget

    /// - Parameter source: the encapsulation of its packets; the link type preserves the most information of them.
    package init(name: String, description: String, holding source: Encapsulation?) {
        self.name = name
        self.description = description
        target = CaptureTarget(.pcapng, holding: source)
    }

    package var linkType: LinkType { target.linkType }

    /// Whether it can hold a packet of `batch`.
    package func holds(_ packet: CapturedPacket, of batch: PacketBatch) -> Bool {
        var losses = LossCounter()
        var repackager = Repackager(to: target)
        return repackager.repack(packet, batch.bytes.span.rawBytes, &losses) != nil
    }
}
