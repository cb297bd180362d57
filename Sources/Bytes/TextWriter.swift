/// Builds UTF-8 text without intermediate strings, for output of millions of lines.
///
/// It owns its memory and grows it by doubling. Every write checks the capacity once and then stores directly, which is
/// several times faster than appending to an array byte by byte.
@safe
public struct TextWriter: ~Copyable {
    @usableFromInline var memory: UnsafeMutableRawBufferPointer
    @usableFromInline var end = 0

    /// Number of bytes written.
    @inlinable public var count: Int { end }

    public init(capacity: Int = 4096) {
        unsafe memory = .allocate(byteCount: max(64, capacity), alignment: 1)
    }

    deinit {
        unsafe memory.deallocate()
    }

    /// The text so far.
    public var bytes: [UInt8] { unsafe [UInt8](memory[..<count]) }

    /// The text so far, without a copy.
    public var span: RawSpan {
        @_lifetime(borrow self)
        get {
            unsafe _overrideLifetime(
                RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[..<count])), borrowing: self)
        }
    }

    /// Writes the bytes of another writer in `range`.
    public mutating func write(_ other: borrowing TextWriter, _ range: Range<Int>) {
        unsafe write(UnsafeRawBufferPointer(rebasing: other.memory[range]))
    }

    /// Writes the bytes of this writer in `range` again.
    public mutating func repeatText(_ range: Range<Int>) {
        reserve(range.count)
        let source = unsafe UnsafeRawBufferPointer(rebasing: memory[range])
        if let start = source.baseAddress {
            unsafe memory.baseAddress?.advanced(by: end).copyMemory(from: start, byteCount: range.count)
        }
        end &+= range.count
    }

    /// Writes the bytes from `start` on to another writer.
    public func copy(from start: Int, to other: inout TextWriter) {
        unsafe other.write(UnsafeRawBufferPointer(rebasing: memory[start..<count]))
    }

    /// The byte at an offset below `count`.
    public subscript(offset: Int) -> UInt8 { unsafe memory[offset] }

    /// The bytes from `start` on.
    public func bytes(from start: Int) -> [UInt8] { unsafe [UInt8](memory[start..<count]) }

    /// A copy of the text in memory that is never freed.
    func copyForever() -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, end), alignment: 1)
        unsafe copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<end]))
        return unsafe UnsafeRawBufferPointer(rebasing: copy[..<end])
    }

    /// Discards the text after the first `count` bytes.
    public mutating func truncate(to count: Int) {
        end = min(max(0, count), end)
    }

    @inlinable
    @inline(__always)
    mutating func reserve(_ room: Int) {
        if unsafe end &+ room > memory.count { grow(by: room) }
    }

    @inline(never)
    @usableFromInline
    mutating func grow(by room: Int) {
        let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(2 * memory.count, count + room), alignment: 1)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
        unsafe memory.deallocate()
        unsafe memory = larger
    }

    /// Stores a byte; the caller has reserved its capacity.
    @inlinable
    @inline(__always)
    mutating func store(_ byte: UInt8) {
        unsafe memory.baseAddress?.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
        end &+= 1
    }
}

// MARK: - Text

extension TextWriter {
    @inlinable
    @inline(__always)
    public mutating func write(_ byte: UInt8) {
        reserve(1)
        store(byte)
    }

    public mutating func write(_ text: [UInt8]) {
        unsafe text.withUnsafeBytes { unsafe write($0) }
    }

    public mutating func write(_ text: ArraySlice<UInt8>) {
        unsafe text.withUnsafeBytes { unsafe write($0) }
    }

    @inlinable
    @inline(__always)
    public mutating func write(_ text: StaticString) {
        unsafe write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    public mutating func write(_ text: String) {
        // Most strings are contiguous and need no copy.
        let written: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe write(UnsafeRawBufferPointer($0))
        }
        if written == nil { write(Array(text.utf8)) }
    }

    @inlinable
    @inline(__always)
    mutating func write(_ text: UnsafeRawBufferPointer) {
        guard let source = text.baseAddress else { return }
        reserve(text.count)
        unsafe memory.baseAddress?.advanced(by: end).copyMemory(from: source, byteCount: text.count)
        end &+= text.count
    }

    /// Writes the same byte several times.
    public mutating func write(_ byte: UInt8, times: Int) {
        for _ in 0..<max(0, times) { write(byte) }
    }

    /// Shifts the text from `start` on to the right, padding with `byte`.
    public mutating func insert(_ byte: UInt8, times: Int, at start: Int) {
        let moved = bytes(from: start)
        truncate(to: start)
        write(byte, times: times)
        write(moved)
    }
}

// MARK: - Numbers

extension TextWriter {
    /// Writes a number in decimal.
    @inlinable
    @inline(__always)
    public mutating func writeDecimal(_ value: UInt64) {
        if value < 10 {
            write(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
        } else if value < 100 {
            writePair(value)
        } else {
            writeDecimal(value, digits: 1)
        }
    }

    /// Writes a number in decimal, zero-padded to `digits`.
    public mutating func writeDecimal(_ value: UInt64, digits: Int) {
        writeDecimal(value, length: max(digits, Self.decimalDigits(of: value)))
    }

    /// Writes a number below 100 with two digits.
    @inlinable
    @inline(__always)
    mutating func writePair(_ value: UInt64) {
        reserve(2)
        let digits = unsafe UnsafeRawPointer(Self.digitPairs.utf8Start)
            .loadUnaligned(fromByteOffset: 2 &* Int(truncatingIfNeeded: value % 100), as: UInt16.self)
        unsafe memory.storeBytes(of: digits, toByteOffset: end, as: UInt16.self)
        end &+= 2
    }

    /// Writes a number of at most `length` digits with leading zeros.
    private mutating func writeDecimal(_ value: UInt64, length: Int) {
        reserve(length)
        // From the last digit to the first, two per division.
        var place = count &+ length
        var rest = value
        while rest >= 10 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            place &-= 2
            let digits = unsafe UnsafeRawPointer(Self.digitPairs.utf8Start)
                .loadUnaligned(fromByteOffset: 2 &* Int(truncatingIfNeeded: pair), as: UInt16.self)
            unsafe memory.storeBytes(of: digits, toByteOffset: place, as: UInt16.self)
            rest = quotient
        }
        while place > count {
            place &-= 1
            unsafe memory[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
            rest = 0
        }
        end &+= length
    }

    /// The numbers 00 to 99, two digits each.
    @inlinable static var digitPairs: StaticString {
        """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """
    }

    private static func decimalDigits(of value: UInt64) -> Int {
        var digits = 1
        var rest = value
        while rest >= 10_000 {
            rest /= 10_000
            digits &+= 4
        }
        return digits &+ (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
    }

    public mutating func writeDecimal(_ value: Int64) {
        if value < 0 { write(UInt8(ascii: "-")) }
        writeDecimal(value.magnitude)
    }

    /// Writes a number in lower-case hexadecimal, zero-padded to `digits`.
    public mutating func writeHex(_ value: UInt64, digits: Int) {
        let needed = max(digits, (64 - value.leadingZeroBitCount + 3) / 4)
        reserve(needed)
        var shift = 4 * (needed - 1)
        while shift >= 0 {
            store(Self.digit(shift < 64 ? UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 0xF : 0))
            shift -= 4
        }
    }

    /// Writes bytes as pairs of lower-case hex digits.
    public mutating func writeHex(_ value: ArraySlice<UInt8>) {
        reserve(2 * value.count)
        unsafe value.withUnsafeBytes { bytes in
            var index = 0
            while index &+ 4 <= bytes.count {
                let four = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self).littleEndian
                unsafe memory.storeBytes(of: Self.digits(of: four).littleEndian, toByteOffset: end, as: UInt64.self)
                index &+= 4
                end &+= 8
            }
            while index < bytes.count {
                let digits = unsafe Self.digits(of: UInt32(bytes[index]))
                unsafe memory.storeBytes(
                    of: UInt16(truncatingIfNeeded: digits).littleEndian, toByteOffset: end, as: UInt16.self)
                index &+= 1
                end &+= 2
            }
        }
    }

    /// The hex digits of four bytes, the lowest first.
    private static func digits(of bytes: UInt32) -> UInt64 {
        // Spread each byte over two, then put each of its digits in a byte, the high digit first.
        var spread = UInt64(bytes)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        let nibbles = (spread >> 4 | spread << 8) & (ones &* 0xF)
        // Digits from 10 on are letters, which come 39 places after ':'.
        let letters = (nibbles &+ ones &* 6) >> 4 & ones
        return nibbles &+ ones &* 0x30 &+ letters &* 39
    }

    /// Writes a 48-bit device address as `aa:bb:cc:dd:ee:ff`.
    public mutating func writeAddress(_ value: UInt64) {
        for shift in stride(from: 40 as UInt64, through: 0, by: -8) {
            writeHex(value >> shift & 0xFF, digits: 2)
            if shift > 0 { write(UInt8(ascii: ":")) }
        }
    }

    /// Writes nanoseconds as seconds with up to nine decimals; further digits are truncated.
    public mutating func writeSeconds(nanoseconds: Int64, decimals: Int = 9) {
        if nanoseconds < 0 { write(UInt8(ascii: "-")) }
        let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        writeDecimal(seconds)
        write(UInt8(ascii: "."))
        writeDecimal(rest, length: 9)
        truncate(to: count - (9 - decimals))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &- 10 &+ value
    }
}

// MARK: - JSON

extension TextWriter {
    /// Writes a JSON string with its quotes.
    public mutating func writeJSON(_ text: String) {
        write(UInt8(ascii: "\""))
        let start = count
        write(text)
        escapeJSON(from: start)
        write(UInt8(ascii: "\""))
    }

    /// Escapes the text from `start` on for a JSON string.
    public mutating func escapeJSON(from start: Int) {
        guard needsEscapes(from: start) else { return }
        let plain = bytes(from: start)
        truncate(to: start)
        for scalar in String(decoding: plain, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"", "\\":
                write(UInt8(ascii: "\\"))
                write(UInt8(ascii: scalar))
            case _ where scalar.isControl:
                write("\\u" as StaticString)
                writeHex(UInt64(scalar.value), digits: 4)
            default: for byte in UTF8.encode(scalar) ?? .init() { write(byte) }
            }
        }
    }

    /// Whether the text from `start` on needs escapes in a JSON string: characters that JSON forbids, and controls
    /// beyond ASCII. Tests eight bytes at a time.
    private func needsEscapes(from start: Int) -> Bool {
        var index = start
        while index &+ 8 <= count {
            let word = unsafe memory.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = Self.hasZero(word ^ (Self.ones &* UInt64(UInt8(ascii: "\""))))
            let slashes = Self.hasZero(word ^ (Self.ones &* UInt64(UInt8(ascii: "\\"))))
            let controls = (word &- Self.ones &* 0x20) & ~word & Self.tops
            if quotes | slashes | controls != 0 { return true }
            if word & Self.tops != 0 || Self.hasZero(word ^ (Self.ones &* 0x7F)) != 0 {
                return needsEscapesBeyondASCII(from: index)
            }
            index &+= 8
        }
        return needsEscapesBeyondASCII(from: index)
    }

    /// The same test byte by byte. The controls beyond ASCII have UTF-8 lead bytes that few other characters share.
    private func needsEscapesBeyondASCII(from start: Int) -> Bool {
        for index in start..<max(start, count) {
            switch unsafe memory[index] {
            case ..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: return true
            // U+0080 to U+009F; ° and µ have the same lead byte.
            case 0xC2: if index &+ 1 < count, unsafe memory[index &+ 1] < 0xA0 { return true }
            // U+061C; U+2000 to U+207F.
            case 0xD8: if index &+ 1 < count, unsafe memory[index &+ 1] == 0x9C { return true }
            case 0xE2: if index &+ 1 < count, unsafe memory[index &+ 1] <= 0x81 { return true }
            default: break
            }
        }
        return false
    }

    /// 0x01 in every byte.
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    /// The top bit of every byte.
    private static var tops: UInt64 { 0x8080_8080_8080_8080 }

    /// Nonzero if a byte of `word` is zero.
    private static func hasZero(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & tops }
}

extension TextWriter {
    /// Writes the `size` low bytes of a number as dotted decimals, most significant first: 0x0102 as `1.2`.
    public mutating func writeDotted(_ value: UInt64, bytes size: Int) {
        for index in (0..<max(1, min(size, 8))).reversed() {
            writeDecimal(value >> (8 * UInt64(index)) & 0xFF)
            if index > 0 { write(UInt8(ascii: ".")) }
        }
    }

    /// Writes a point in time, in steps of `step` nanoseconds since an epoch, as ISO 8601 in UTC; as the raw number if
    /// it is out of range.
    public mutating func writeTimestamp(_ raw: UInt64, epoch: Int64, step: Int64) {
        let raw = Int64(bitPattern: raw)
        guard let time = ISO8601.nanoseconds(raw, epoch: epoch, step: step) else { return writeDecimal(raw) }
        writeISO8601(Timestamp(nanoseconds: time), decimals: ISO8601.decimals(step: step))
    }

    /// Writes a number decoded from an IEEE 754 format of 2, 4 or 8 bytes with the digits that this format needs: 0.1
    /// as `0.1`, not with the many digits of the next wider format.
    public mutating func writeShortest(_ number: Double, bytes size: Int) {
        switch size {
        case 2: write(String(Float(number).shortestOfHalf))
        case 4: write(String(Float(number)))
        default: write(String(number))
        }
    }
}

extension Float {
    /// The number with the fewest digits that rounds to the same binary16.
    public var shortestOfHalf: Float { Float(String(Float16(self))) ?? self }
}

extension String {
    /// A number in lower-case hexadecimal, zero-padded to `digits`: `001f`.
    public init(hex value: some FixedWidthInteger & UnsignedInteger, digits: Int) {
        var text = TextWriter(capacity: digits)
        text.writeHex(UInt64(value), digits: digits)
        self.init(decoding: text.bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of this ASCII character as a hex digit; nil for other characters.
    public var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
