import CMbedTLS

/// Key bytes at one address in memory, most significant byte first, which are overwritten with zeros when they are no
/// longer used.
///
/// All copies of a key share one object, so its bytes are not scattered over the memory of arrays and dictionaries that
/// grow.
@safe final class SecretBytes: @unchecked Sendable {
    let count: Int
    private let memory: UnsafeMutablePointer<UInt8>

    /// Bytes that `fill` writes; zeros where it writes none.
    init(count: Int, fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        self.count = count
        unsafe memory = .allocate(capacity: count)
        unsafe memory.initialize(repeating: 0, count: count)
        unsafe fill(memory)
    }

    /// Bytes that `next` returns, one after the other.
    convenience init(count: Int, next: () -> UInt8) {
        unsafe self.init(count: count) { memory in
            for index in 0..<count { unsafe memory[index] = next() }
        }
    }

    convenience init(_ bytes: [UInt8]) {
        var rest = bytes.makeIterator()
        self.init(count: bytes.count) { rest.next() ?? 0 }
    }

    /// 16 bytes.
    convenience init(_ value: UInt128) {
        unsafe self.init(count: 16) { memory in
            unsafe UnsafeMutableRawPointer(memory).storeBytes(of: value.bigEndian, as: UInt128.self)
        }
    }

    deinit {
        unsafe mbedtls_platform_zeroize(memory, count)
        unsafe memory.deallocate()
    }

    func withUnsafeBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(self) { unsafe body(memory) }
    }

    /// The number in the first 16 bytes.
    var value: UInt128 {
        precondition(count >= 16)
        return unsafe withUnsafeBytes { bytes in
            UInt128(bigEndian: unsafe UnsafeRawPointer(bytes).loadUnaligned(as: UInt128.self))
        }
    }

    /// A copy, which is not overwritten.
    var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array(UnsafeBufferPointer(start: $0, count: count)) } }
}

extension SecretBytes: Hashable {
    /// Looks at all bytes, so the time does not depend on where they differ.
    static func == (one: SecretBytes, other: SecretBytes) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        unsafe one.withUnsafeBytes { ones in
            unsafe other.withUnsafeBytes { others in
                for index in 0..<one.count { unsafe difference |= ones[index] ^ others[index] }
            }
        }
        return difference == 0
    }

    func hash(into hasher: inout Hasher) {
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: UnsafeRawBufferPointer(start: $0, count: count)) }
    }
}
