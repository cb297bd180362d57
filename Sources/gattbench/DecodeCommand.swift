import ArgumentParser
import Captures
import Dissection
import Workbench
#if canImport(Glibc)
import Glibc
#endif

struct DecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "decode", abstract: "Decode captures.")

    @Argument var files: [String]
    @Option(name: .customShort("T")) var format = "text"
    @Option(name: .customShort("e")) var fields: [String] = []

    mutating func run() async throws {
        for file in files {
            let reader = try CaptureReader(path: file)
            let printer: any FramePrinter
            switch format {
            case "fields": printer = try FieldsPrinter(fields, catalog: .all(plugins: []), layout: .init())
            case "ndjson": printer = NDJSONPrinter()
            default: printer = TextPrinter(headlines: Headlines(catalog: .all(plugins: [])), tree: format == "tree")
            }
            var job = DecodeJob(printer: printer)
            job.looksAhead = true
            _ = try await job.run(reader) { bytes in
                unsafe bytes.withUnsafeBytes { _ = unsafe write(1, $0.baseAddress, $0.count) }
            }
        }
    }
}
