import Bluetooth
import Bytes
import Captures
import Conversation
import DeviceTesting
import Dissection
import PluginKit
import Profile
import ProfileTools
import TestKit
import Workbench

extension FuzzTarget {
    /// A file of attribute tables, for `--gatt`.
    static let tables = FuzzTarget("gatt-tables") { captures in
        captures.compactMap { learned(from: $0) }
    } fault: { bytes in
        do {
            let file = try GATTFiles.decode(bytes)
            _ = try file.tables()
            let again = try GATTFiles.decode(GATTFiles.encode(file))
            return again == file ? nil : "tables read differently once they are written"
        } catch {
            return error is GATT.TableFile.Fault ? nil : "\(error)"
        }
    }

    /// The attribute tables of a capture, as a file.
    private static func learned(from capture: [UInt8]) -> [UInt8]? {
        guard let reader = try? CaptureReader(source: ByteSource(bytes: capture, name: "capture")) else { return nil }
        var tracker = Tracker()
        while let packets = try? reader.next() { _ = tracker.track(packets) }
        var leftOut = 0
        let file = GATT.TableFile(tracker, leftOut: &leftOut)
        return file.devices.isEmpty ? nil : GATTFiles.encode(file)
    }
}

extension FuzzTarget {
    /// A device profile, and values of its types.
    static let profile = FuzzTarget("profile") { _ in
        [Array(SampleProfile.bottle.utf8)]
    } fault: { bytes in
        do throws(ProfileFaults) {
            let profile = try ProfileReader.read(String(decoding: bytes, as: UTF8.self), file: "profile.yaml")
            _ = ProfileLint.report(on: profile, strict: true)
            let compiled = try CompiledProfile(profile)
            return compiled.types.values.lazy.compactMap { fault(of: $0, on: bytes) }.first
        } catch {
            return error.faults.isEmpty ? "a profile is refused without a reason" : nil
        }
    }

    /// A fault in decoding values of a type; slices of the profile's text serve as values.
    private static func fault(of layout: Layout, on bytes: [UInt8]) -> String? {
        for length in [0, 1, 2, 5, 14, 60, 300, 512] where length <= bytes.count {
            let piece = Array(bytes[(bytes.count - length)...])
            guard let value = try? layout.decode(piece), let again = try? layout.encode(value) else { continue }
            if (try? layout.decode(again)) != value {
                return "\(layout.name): \(value) reads differently once it is written"
            }
        }
        return nil
    }
}

extension FuzzTarget {
    /// A profile expression, and its value for its own text.
    static let expression = FuzzTarget("expression") { _ in
        [
            "length == 6 + 2 * u8(2)", "level in {1, 2, 5..8} && !has(legacy)",
            "written(command, 1) << 4 | 0x0F != -1.5e3",
            "abs(min(a.b, 7)) >= sum(records.amount) % 3 || 'pour' == type",
        ].map { Array($0.utf8) }
    } fault: { bytes in
        do throws(ExpressionFault) {
            let place = SourcePlace(line: 1, column: 1)
            let expression = try Expression(parsing: String(decoding: bytes, as: UTF8.self), at: place)
            let values = [0, 1].map { _ in
                expression.evaluate(over: bytes.span.rawBytes, in: NoFields(NoContext()))
            }
            return values[0] == values[1] ? nil : "an expression comes to two values"
        } catch {
            return error.column > 0 && !error.text.isEmpty ? nil : "an expression is refused without a reason"
        }
    }
}

extension FuzzTarget {
    /// A script of active test cases.
    static let testScript = FuzzTarget("test-script") { _ in
        BuiltInPlugins.all.flatMap { $0.tests }.map { Array($0.text.utf8.prefix(6000)) }
    } fault: { bytes in
        guard let plugin = try? PluginLibrary.builtIn().entries.map(\.plugin).first(where: { $0.id == "aquavate" })
        else { return "there is no plugin aquavate" }
        do throws(TestScriptFaults) {
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try TestScriptReader.read(text, file: "cases.yaml", plugin)
            return nil
        } catch {
            return error.faults.faults.isEmpty ? "a file of cases is refused without a reason" : nil
        }
    }
}
