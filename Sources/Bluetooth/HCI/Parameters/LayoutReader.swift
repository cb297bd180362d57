import Bytes

extension HCI {
    /// Reads parameters in the layout of a table row.
    struct LayoutReader {
        let side: Side
        let hooks: Hooks
        /// The values read so far, by name; nil if only the field tree is needed.
        var values: [String: Value]?
        /// The first fault inside advertising data; the parameters after the data are read anyway.
        var fault: DecodeError?

        init(_ side: Side, hooks: Hooks, collecting: Bool = false) {
            self.side = side
            self.hooks = hooks
            values = collecting ? [:] : nil
        }

        mutating func read(_ layout: [Parameter], from reader: inout ByteReader) throws(DecodeError) {
            for parameter in layout { try read(parameter, from: &reader) }
        }

        private mutating func read(_ parameter: Parameter, from reader: inout ByteReader) throws(DecodeError) {
            switch parameter {
            case .integer(let name, let size):
                let value = try reader.read(name[side], bytes: size)
                keep(name, .number(value))
            case .bits(let name, let size, let parts):
                let value = try readBits(name, size, parts, from: &reader)
                keep(name, .number(value))
            case .bytes(let name, let count):
                try readBytes(name, count, from: &reader)
            case .rest(let name):
                try readBytes(name, reader.remaining, from: &reader)
            case .text(let name, let count):
                try readText(name, count, from: &reader)
            case .sized(let length, let size, let name, let content, let capacity):
                try readSized(length, size, name, content, capacity, from: &reader)
            case .advertisingData(let name, let count):
                var data = try reader.slice(count: count, lengthSetBy: name[side])
                readAdvertisingData(name, from: &data)
            case .group(let name, let layout):
                try readGroup(name, layout, from: &reader)
            case .list(let count, let element, let layout):
                let number = try reader.read(count[side], bytes: 1)
                try readList(count, element, layout, number: Int(number), from: &reader)
            case .perBit(let name, let parts, let element, let layout):
                let mask = try readBits(name, 1, parts, from: &reader)
                keep(name, .number(mask))
                try readList(element, element, layout, number: mask.nonzeroBitCount, from: &reader)
            case .choice(let name, let cases):
                let code = try reader.read(name[side], bytes: 1)
                keep(name, .number(code))
                if let layout = cases[code] { try read(layout, from: &reader) }
            case .repeated(let element, let layout):
                try readRepeated(element, layout, from: &reader)
            case .parameters(let type):
                try type.read(&reader, hooks: hooks)
            }
        }
    }
}

extension HCI.LayoutReader {
    private mutating func keep(_ name: HCI.Parameter.Name, _ value: @autoclosure () -> HCI.Value) {
        if values != nil { values?[name[side].name] = value() }
    }

    private func readBits(
        _ name: HCI.Parameter.Name, _ size: Int, _ parts: HCI.Parameter.Parts, from reader: inout ByteReader
    ) throws(DecodeError) -> UInt64 {
        let value = try reader.read(name[side], bytes: size)
        if let recorder = reader.recorder {
            let offset = reader.offset - size
            recorder.nested {
                for field in parts[side] {
                    recorder.add(
                        field, value: (value & field.mask) >> field.mask.trailingZeroBitCount, offset: offset,
                        length: size)
                }
            }
        }
        return value
    }

    private mutating func readBytes(
        _ name: HCI.Parameter.Name, _ count: Int, from reader: inout ByteReader
    ) throws(DecodeError) {
        if values == nil {
            try reader.skip(name[side], count: count)
        } else {
            let bytes = try reader.readBytes(name[side], count: count)
            keep(name, .bytes(bytes))
        }
    }

    /// Records the text without its zero padding; other bytes after it are recorded separately.
    private mutating func readText(
        _ name: HCI.Parameter.Name, _ count: Int, from reader: inout ByteReader
    ) throws(DecodeError) {
        var room = try reader.slice(count: count, lengthSetBy: name[side])
        let bytes = room.restBytes
        let length = bytes.firstIndex(of: 0) ?? bytes.count
        keep(name, .bytes(Array(bytes[..<length])))
        try room.skip(name[side], count: length)
        if bytes[length...].contains(where: { $0 != 0 }) { room.skipRest(HCI.Parameter.padding.name[side]) }
    }

    private mutating func readSized(
        _ length: HCI.Parameter.Name, _ size: Int, _ name: HCI.Parameter.Name, _ content: HCI.Parameter.Content,
        _ capacity: Int?, from reader: inout ByteReader
    ) throws(DecodeError) {
        let count = Int(truncatingIfNeeded: try reader.read(length[side], bytes: size))
        if let capacity, count > capacity {
            throw reader.invalid(length[side], length: size, expected: "\(count) is more than \(capacity) bytes")
        }
        var room = try reader.slice(count: capacity ?? count, lengthSetBy: length[side])
        var data = try room.slice(count: count, lengthSetBy: length[side])
        switch content {
        case .bytes: try readBytes(name, count, from: &data)
        case .advertisingData: readAdvertisingData(name, from: &data)
        }
        room.skipRest(HCI.Parameter.padding.name[side])
    }

    private mutating func readAdvertisingData(_ name: HCI.Parameter.Name, from data: inout ByteReader) {
        keep(name, .bytes(data.restBytes))
        let fault = data.readAdvertisingData(name[side], hooks)
        if self.fault == nil { self.fault = fault }
    }

    private mutating func readGroup(
        _ name: HCI.Parameter.Name, _ layout: [HCI.Parameter], from reader: inout ByteReader
    ) throws(DecodeError) {
        let outer = values
        if values != nil { values = [:] }
        try readElement(name, layout, from: &reader)
        guard let inner = values else { return }
        values = outer
        keep(name, .list([inner]))
    }

    private mutating func readList(
        _ name: HCI.Parameter.Name, _ element: HCI.Parameter.Name?, _ layout: [HCI.Parameter], number: Int,
        from reader: inout ByteReader
    ) throws(DecodeError) {
        guard let outer = values else {
            for _ in 0..<number { try readElement(element, layout, from: &reader) }
            return
        }
        var elements: [[String: HCI.Value]] = []
        for _ in 0..<number {
            values = [:]
            try readElement(element, layout, from: &reader)
            elements.append(values ?? [:])
        }
        values = outer
        keep(name, .list(elements))
    }

    /// Each iteration must consume bytes; otherwise a layout without bytes would never end.
    private mutating func readRepeated(
        _ element: HCI.Parameter.Name, _ layout: [HCI.Parameter], from reader: inout ByteReader
    ) throws(DecodeError) {
        let outer = values
        var elements: [[String: HCI.Value]] = []
        var left = reader.remaining + 1
        while !reader.isAtEnd, reader.remaining < left {
            left = reader.remaining
            if outer != nil { values = [:] }
            try readElement(element, layout, from: &reader)
            if let inner = values { elements.append(inner) }
        }
        values = outer
        keep(element, .list(elements))
    }

    private mutating func readElement(
        _ element: HCI.Parameter.Name?, _ layout: [HCI.Parameter], from reader: inout ByteReader
    ) throws(DecodeError) {
        guard let element else { return try read(layout, from: &reader) }
        let group = reader.begin(element[side])
        try read(layout, from: &reader)
        reader.end(group)
    }
}

extension ByteReader {
    /// Reads the remaining bytes as advertising data: with the hook, or as bytes without one. A fault in them is
    /// returned, not thrown, because the parameters after the data do not depend on it.
    @_lifetime(self: copy self)
    mutating func readAdvertisingData(_ field: @autoclosure () -> Field, _ hooks: HCI.Hooks) -> DecodeError? {
        if isAtEnd, !hooks.readsEmptyData { return nil }
        guard let decode = hooks.advertisingData else {
            skipRest(field())
            return nil
        }
        do throws(DecodeError) {
            try withinValue(field(), decode)
            return nil
        } catch {
            return error
        }
    }
}
