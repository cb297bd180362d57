import Bytes
public import Profile

extension SampleReading {
    /// Reads a table of `time,level[,state]`, with or without that header: RFC 3339 times or Unix seconds, levels from
    /// 0 to 1, states by name or empty.
    ///
    /// A level out of range rejects only its row; any other error rejects the whole table.
    public init(csv bytes: [UInt8]) throws(CSV.Fault) {
        var reader = CSV.Reader(bytes)
        var last: BatterySample?
        while let row = try reader.next() {
            if row.fields.first?.lowercased() == "time", last == nil, samples.isEmpty, rejections.isEmpty {
                try Self.checkHeader(row)
                continue
            }
            let sample = try Self.sample(row)
            if let last, sample.time < last.time {
                throw CSV.Fault(line: row.line, "the time \(row.fields[0]) lies before the row above; sort by time")
            }
            last = sample
            if (0...1).contains(sample.level) {
                samples.append(sample)
            } else {
                let hint = sample.level == -1 ? ", which a phone's simulator reports" : ""
                reject("line \(row.line): level \(row.fields[1]) is not from 0 to 1\(hint)")
            }
        }
    }

    private static func checkHeader(_ row: CSV.Row) throws(CSV.Fault) {
        let names = row.fields.map { $0.lowercased() }
        guard names == ["time", "level"] || names == ["time", "level", "state"] else {
            throw CSV.Fault(line: row.line, "the columns are time,level or time,level,state")
        }
    }

    private static func sample(_ row: CSV.Row) throws(CSV.Fault) -> BatterySample {
        func fault(_ text: String) -> CSV.Fault { CSV.Fault(line: row.line, text) }
        guard row.fields.count == 2 || row.fields.count == 3 else {
            throw fault("time,level[,state] was expected; found \(row.fields.count) columns")
        }
        guard let time = Timestamp(rfc3339: row.fields[0]) ?? Timestamp(unixSeconds: row.fields[0]) else {
            throw fault("\(quoted(row.fields[0])) is no time; write 2026-03-01T12:00:00Z or Unix seconds")
        }
        guard let level = Double(plain: row.fields[1]) else {
            throw fault("\(quoted(row.fields[1])) is no level; write a decimal number from 0 to 1")
        }
        guard row.fields.count == 3, !row.fields[2].isEmpty else { return BatterySample(time: time, level: level) }
        guard let state = BatteryState(rawValue: row.fields[2]) else {
            let names = BatteryState.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault("\(quoted(row.fields[2])) is no state; the states are \(names)")
        }
        return BatterySample(time: time, level: level, state: state)
    }
}
