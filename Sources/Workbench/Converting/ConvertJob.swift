import Bytes
package import Captures
package import Keys

/// Converts a capture to another format, decrypted if there are keys.
package struct ConvertJob {
    package var format: CaptureFormat
    /// By default the one that preserves the most information of the source.
    package var linkType: LinkType?
    /// The keys to decrypt with, beside those found in the capture; nil to copy packets as they are.
    package var keys: KeyRing?
    /// Whether the keys that SMP distributes are written, instead of zeros.
    package var keepsDistributedKeys = false

    package init(_ format: CaptureFormat) {
        self.format = format
    }

    /// The result of a conversion.
    package struct Report {
        package var conversion: Converter.Report
        /// Packets that were written as plain text, and keys in them that were masked.
        package var decrypted = 0
        package var maskedKeys = 0
    }

    /// Writes all packets of `reader` to `path`. `progress` gets the number of packets so far, and returns whether to
    /// continue.
    package func run(
        _ reader: CaptureReader, to path: String, progress: (Int) -> Bool = { _ in true }
    ) throws(CaptureError) -> Report {
        guard let keys else {
            return Report(
                conversion: try Converter.convert(
                    reader, to: path, format: format, linkType: linkType, progress: progress))
        }
        let decrypter = PacketDecrypter(keys: keys, keepsDistributedKeys: keepsDistributedKeys)
        let conversion = try Converter.convert(
            reader, to: path, format: format, linkType: linkType,
            decryption: {
                decrypter.restart()
                return { decrypter.decrypt(&$0) }
            }, progress: progress)
        return Report(
            conversion: conversion, decrypted: decrypter.decrypted, maskedKeys: decrypter.maskedKeys)
    }
}
