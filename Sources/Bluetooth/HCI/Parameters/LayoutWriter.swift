import Bytes

extension HCI {
    /// Writes parameters in the layout of a table row; the counterpart of `LayoutReader`.
    struct LayoutWriter {
        let side: Side

        init(_ side: Side) {
            self.side = side
        }

        func bytes(of layout: [Parameter], _ values: [String: Value]) throws(EncodeError) -> [UInt8] {
            var writer = ByteWriter()
            try write(layout, values, to: &writer)
            return writer.bytes
        }

        private func write(
            _ layout: [Parameter], _ values: [String: Value], to writer: inout ByteWriter
        ) throws(EncodeError) {
            var left = values
            try write(layout, &left, to: &writer)
            if let name = left.keys.min() { throw .unexpected(name) }
        }

        /// Writes the parameters and removes their values from `values`.
        private func write(
            _ layout: [Parameter], _ values: inout [String: Value], to writer: inout ByteWriter
        ) throws(EncodeError) {
            for parameter in layout { try write(parameter, &values, to: &writer) }
        }

        private func write(
            _ parameter: Parameter, _ values: inout [String: Value], to writer: inout ByteWriter
        ) throws(EncodeError) {
            switch parameter {
            case .integer(let name, let size), .bits(let name, let size, _):
                writer.write(try number(name, size: size, &values), bytes: size)
            case .bytes(let name, let count):
                let bytes = try bytes(name, &values)
                if bytes.count != count { throw .doesNotFit(name[side].name) }
                writer.write(bytes)
            case .rest(let name):
                writer.write(try bytes(name, &values))
            case .text(let name, let count), .advertisingData(let name, let count):
                try write(bytes(name, &values), in: count, name, to: &writer)
            case .sized(let length, let size, let name, _, let capacity):
                let bytes = try bytes(name, &values)
                if size < 8, bytes.count >= 1 << (8 * size) { throw .doesNotFit(length[side].name) }
                writer.write(UInt64(bytes.count), bytes: size)
                try write(bytes, in: capacity ?? bytes.count, name, to: &writer)
            case .group(let name, let layout):
                let list = try list(name, &values)
                if list.count != 1 { throw .doesNotFit(name[side].name) }
                try write(list, layout, to: &writer)
            case .list(let count, _, let layout):
                let list = try list(count, &values)
                if list.count > 255 { throw .doesNotFit(count[side].name) }
                writer.write(UInt8(truncatingIfNeeded: list.count))
                try write(list, layout, to: &writer)
            case .perBit(let name, _, let element, let layout):
                let mask = try number(name, size: 1, &values)
                let list = try list(element, &values)
                if list.count != mask.nonzeroBitCount { throw .doesNotFit(element[side].name) }
                writer.write(mask, bytes: 1)
                try write(list, layout, to: &writer)
            case .choice(let name, let cases):
                let code = try number(name, size: 1, &values)
                writer.write(code, bytes: 1)
                if let layout = cases[code] { try write(layout, &values, to: &writer) }
            case .repeated(let element, let layout):
                try write(list(element, &values), layout, to: &writer)
            case .parameters:
                throw .typed
            }
        }
    }
}

extension HCI.LayoutWriter {
    private func take(
        _ name: HCI.Parameter.Name, _ values: inout [String: HCI.Value]
    ) throws(HCI.EncodeError) -> HCI.Value {
        guard let value = values.removeValue(forKey: name[side].name) else { throw .missing(name[side].name) }
        return value
    }

    private func number(
        _ name: HCI.Parameter.Name, size: Int, _ values: inout [String: HCI.Value]
    ) throws(HCI.EncodeError) -> UInt64 {
        guard case .number(let value) = try take(name, &values), size >= 8 || value >> (8 * UInt64(size)) == 0 else {
            throw .doesNotFit(name[side].name)
        }
        return value
    }

    private func bytes(
        _ name: HCI.Parameter.Name, _ values: inout [String: HCI.Value]
    ) throws(HCI.EncodeError) -> [UInt8] {
        guard case .bytes(let bytes) = try take(name, &values) else { throw .doesNotFit(name[side].name) }
        return bytes
    }

    private func list(
        _ name: HCI.Parameter.Name, _ values: inout [String: HCI.Value]
    ) throws(HCI.EncodeError) -> [[String: HCI.Value]] {
        guard case .list(let list) = try take(name, &values) else { throw .doesNotFit(name[side].name) }
        return list
    }

    private func write(
        _ bytes: [UInt8], in room: Int, _ name: HCI.Parameter.Name, to writer: inout ByteWriter
    ) throws(HCI.EncodeError) {
        if bytes.count > room { throw .doesNotFit(name[side].name) }
        writer.write(bytes)
        writer.write([UInt8](repeating: 0, count: room - bytes.count))
    }

    private func write(
        _ list: [[String: HCI.Value]], _ layout: [HCI.Parameter], to writer: inout ByteWriter
    ) throws(HCI.EncodeError) {
        for element in list { try write(layout, element, to: &writer) }
    }
}
