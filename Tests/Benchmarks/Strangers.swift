import Bluetooth
import Captures
import Conversation
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Workbench

/// Measures the cost of plugins for traffic that none of them matches: devices of an unknown make are decoded without
/// plugins and with all available ones.
struct Strangers {
    /// Decoding times in seconds.
    struct Result: CustomStringConvertible {
        var plugins: Int
        var without: Double
        var with: Double

        /// The time with plugins divided by the time without.
        var ratio: Double { with / without }

        var description: String {
            "traffic that no profile matches: \(milliseconds(without)) without plugins, "
                + "\(milliseconds(with)) with \(plugins) that are loaded, \(Int((100 * ratio).rounded())) %"
        }

        private func milliseconds(_ seconds: Double) -> String { "\(Int((1000 * seconds).rounded())) ms" }
    }

    /// The largest permitted ratio.
    static let limit = 1.1
    private static let runs = 7
    private static let notifications = 100_000

    private let capture: [UInt8]
    private let plugins: PluginSet

    init() throws {
        capture = try Self.traffic()
        let profiles = try (1...10).map { number in
            let text = SampleProfile.bottle.replacing("id: bottle\n", with: "id: bottle\(number)\n")
            return DevicePlugin(try CompiledProfile(ProfileReader.read(text, file: "bottle\(number).yaml")))
        }
        plugins = PluginSet(try PluginLibrary.builtIn().entries.map(\.plugin) + profiles)
    }

    /// The shortest of several runs, alternating without plugins and with them.
    func measured() async throws -> Result {
        var result = Result(plugins: plugins.plugins.count, without: .infinity, with: .infinity)
        for _ in 0..<Self.runs {
            result.without = min(result.without, try await seconds(.none))
            result.with = min(result.with, try await seconds(plugins))
        }
        return result
    }

    private func seconds(_ plugins: PluginSet) async throws -> Double {
        var options = DecodeOptions()
        options.format = .ndjson
        options.plugins = plugins
        let job = try DecodeJob(options)
        let reader = try CaptureReader(source: ByteSource(bytes: capture, name: "traffic"))
        let start = ContinuousClock.now
        _ = try await job.run(reader) { _, _ in true }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    // MARK: - The traffic

    private static func uuid(_ number: UInt128) -> UUID {
        UUID(value: 0x53545241_4E47_4552_8000_000000000000 | number)
    }

    private static let layout = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(
            uuid(0), .characteristic(uuid(1), [.notify], descriptors: 0x2902),
            .characteristic(uuid(2), [.read, .write]),
            .characteristic(uuid(3), [.notify], descriptors: 0x2902)))

    private static func traffic() throws -> [UInt8] {
        let session = HCISession()
        let device = DeviceAddress(Address(value: 0xC0_FFEE_0000AA), .random)
        session.report(device, [.completeLocalName("Stranger"), .manufacturerData(company: 0x0059, [1, 2, 3])])
        let link = session.connect(to: device)
        link.discover(layout)
        for number in 0..<notifications {
            let value = (0..<20).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
            link.notify(layout[uuid(number.isMultiple(of: 3) ? 3 : 1)], value)
            if number.isMultiple(of: 10) { link.read(layout[uuid(2)], value) }
            if number.isMultiple(of: 100) { session.report(device, [.completeLocalName("Stranger")]) }
        }
        return try session.recording.btsnoop()
    }
}
