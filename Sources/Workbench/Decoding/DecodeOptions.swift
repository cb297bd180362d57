package import Bluetooth
package import Conversation
import Dissection
package import Output

/// What the user asks of `decode`.
package struct DecodeOptions: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        case text, fields, ndjson, csv
    }

    package var format = Format.text
    /// Display filter.
    package var filter: String?
    /// Columns of `fields` and `csv`.
    package var fields: [String] = []
    package var layout = FieldsPrinter.Layout()
    /// Frames to read.
    package var frameLimit = Int.max
    package var showsTree = false
    package var showsBytes = false
    package var timeFormat = TextPrinter.TimeFormat.relative
    package var paint = Paint.none
    /// Attribute tables given by the user.
    package var tables = GATT.KnownTables()
    package var plugins = PluginSet.none
    /// Whether attributes whose discovery was not captured are named by the handles that a profile knows.
    package var guesses = true

    package init() {}

    /// Whether plugins have a part in what is asked for: people and programs that want all, columns or a filter with what
    /// plugins read or name. Reading their profiles takes some milliseconds, which others need not wait for.
    package var needsPlugins: Bool {
        guard format == .fields || format == .csv else { return true }
        let catalog = FieldCatalog.all(plugins: .none)
        var names = fields
        if let filter {
            guard let parsed = try? DisplayFilter(filter, catalog: catalog) else { return true }
            names += parsed.fieldNames
        }
        return names.contains { catalog[$0].isEmpty } || DissectionScope(fieldNames: names).contains(.application)
    }

    /// The fields that have to be found by their names. All types of the plugins have to be read for theirs, so they are
    /// in it only if the user names fields.
    fileprivate var catalog: FieldCatalog {
        filter == nil && fields.isEmpty ? FieldCatalog([]) : .all(plugins: plugins)
    }
}

extension DecodeJob {
    /// The job that the options describe; throws `UnknownField` or `FilterError`.
    package init(_ options: DecodeOptions) throws {
        let catalog = options.catalog
        let printer: any FramePrinter =
            switch options.format {
            case .text:
                TextPrinter(
                    tree: options.showsTree, bytes: options.showsBytes, paint: options.paint,
                    timeFormat: options.timeFormat)
            case .ndjson: NDJSONPrinter(showsDeviceTrees: options.showsTree)
            case .fields, .csv: try FieldsPrinter(options.fields, catalog: catalog, layout: options.layout)
            }
        self.init(printer: printer)
        filter = try options.filter.map { text throws(FilterError) in try DisplayFilter(text, catalog: catalog) }
        plugins = options.plugins
        guesses = options.guesses
        importedTables = options.tables
        frameLimit = options.frameLimit
        looksAhead = needsLookAhead
    }
}
