import Bytes

/// AES-CCM as the Link Layer uses it: a 13-byte nonce, one byte of associated data and a 4-byte MIC (Vol 6, Part E, 2;
/// RFC 3610).
package struct CCM: Sendable {
    /// Bytes of the message integrity check.
    package static let codeSize = 4
    package static let nonceSize = 13

    private let cipher: AES128

    package init(key: SecretKey) {
        cipher = AES128(key: key)
    }

    /// The nonce as a number, in the low 104 bits: the first byte is the most significant.
    package struct Nonce: Sendable, Hashable {
        fileprivate let value: UInt128

        /// The first 13 of these bytes.
        package init(_ bytes: [UInt8]) {
            value = UInt128(bigEndianBytes: bytes.prefix(CCM.nonceSize))
        }

        /// A packet counter of 39 bits with the direction bit above it, and an initialization vector, each with the
        /// least significant byte first (Vol 6, Part E, 2.1).
        @inline(__always)
        init(counter: UInt64, vector: UInt64) {
            value = UInt128((counter << 24).byteSwapped) << 64 | UInt128(vector.byteSwapped)
        }

        /// The block with these flags before the nonce and this number after it.
        @inline(__always)
        fileprivate func block(flags: UInt8, _ number: Int) -> UInt128 {
            UInt128(flags) << 120 | value << 16 | UInt128(UInt16(truncatingIfNeeded: number))
        }
    }

    /// The encrypted message followed by its MIC. The nonce has 13 bytes.
    package func seal(_ message: [UInt8], nonce: [UInt8], associated: UInt8) -> [UInt8] {
        seal(message, nonce: Nonce(nonce), associated: associated)
    }

    /// The encrypted message followed by its MIC.
    package func seal(_ message: [UInt8], nonce: Nonce, associated: UInt8) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(message.count + Self.codeSize)
        var chain = beginning(of: message.count, nonce, associated)
        for (index, start) in stride(from: 0, to: message.count, by: Self.blockSize).enumerated() {
            let count = min(Self.blockSize, message.count - start)
            let plain = message.span.block(at: start, count)
            chain = cipher.encrypt(chain ^ plain)
            result.append(keyStream(index + 1, nonce) ^ plain, count: count)
        }
        result.append(chain ^ keyStream(0, nonce), count: Self.codeSize)
        return result
    }

    /// The decrypted message; nil if the MIC is wrong or missing.
    package func open(_ sealed: [UInt8], nonce: [UInt8], associated: UInt8) -> [UInt8]? {
        var message: [UInt8] = []
        message.reserveCapacity(sealed.count)
        let isOpened = open(sealed.span, nonce: Nonce(nonce), associated: associated, appendingTo: &message)
        return isOpened ? message : nil
    }

    /// Decrypts a message that is followed by its MIC; appends it only if the MIC is right.
    package func open(
        _ sealed: Span<UInt8>, nonce: Nonce, associated: UInt8, appendingTo message: inout [UInt8]
    ) -> Bool {
        guard verifies(sealed, nonce: nonce, associated: associated) else { return false }
        let length = sealed.count - Self.codeSize
        for (index, start) in stride(from: 0, to: length, by: Self.blockSize).enumerated() {
            let count = min(Self.blockSize, length - start)
            message.append(sealed.block(at: start, count) ^ keyStream(index + 1, nonce), count: count)
        }
        return true
    }

    /// Whether the MIC after a message is right: key stream and CBC-MAC block by block, without storing the plain text.
    package func verifies(_ sealed: Span<UInt8>, nonce: Nonce, associated: UInt8) -> Bool {
        let length = sealed.count - Self.codeSize
        guard length >= 0 else { return false }
        var chain = beginning(of: length, nonce, associated)
        var start = 0
        var index = 1
        while start < length {
            let count = min(Self.blockSize, length &- start)
            let stream = keyStream(index, nonce)
            // The key stream is cut to the bytes of the message: a MAC is computed over zeros after them.
            let used = count == Self.blockSize ? stream : stream & ~(UInt128.max >> UInt128(8 &* count))
            chain = cipher.encrypt(chain ^ sealed.block(at: start, count) ^ used)
            start &+= Self.blockSize
            index &+= 1
        }
        let code = (chain ^ keyStream(0, nonce)) >> 96
        return code == sealed.block(at: length, Self.codeSize) >> 96
    }

    /// AES operations that checking the MIC of a sealed message takes.
    package static func cost(of sealed: Int) -> Int {
        3 + 2 * ((max(0, sealed - codeSize) + blockSize - 1) / blockSize)
    }

    private static let blockSize = 16

    /// The CBC-MAC over block B0 and the associated data.
    @inline(__always)
    private func beginning(of length: Int, _ nonce: Nonce, _ associated: UInt8) -> UInt128 {
        let first = cipher.encrypt(nonce.block(flags: 0x49, length))
        return cipher.encrypt(first ^ UInt128(1) << 112 ^ UInt128(associated) << 104)
    }

    @inline(__always)
    private func keyStream(_ index: Int, _ nonce: Nonce) -> UInt128 {
        cipher.encrypt(nonce.block(flags: 0x01, index))
    }
}

extension Span<UInt8> {
    /// At most 16 bytes as a block, padded with zeros.
    @inline(__always)
    fileprivate func block(at start: Int, _ count: Int) -> UInt128 {
        if count == 16 { return bytesView.bigEndian(at: start) }
        var block: UInt128 = 0
        for index in start..<(start + count) { block = block << 8 | UInt128(self[index]) }
        return block << UInt128(8 * (16 - count))
    }

    private var bytesView: RawSpan {
        @_lifetime(copy self)
        @inline(__always)
        get { unsafe bytes }
    }
}

extension [UInt8] {
    /// Appends the first bytes of a block.
    @inline(__always)
    fileprivate mutating func append(_ block: UInt128, count: Int) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: block >> UInt128(8 * (15 - index)))) }
    }
}
