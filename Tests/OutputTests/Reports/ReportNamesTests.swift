import Conformance
import Output
import Testing

struct ReportNamesTests {
    private func names(_ devices: [(title: String, address: String?)]) -> [String] {
        var sample = SampleReport()
        sample.report.devices = []
        for device in devices { sample.add(device: device.title, address: device.address) }
        return ReportNames(sample.report).devices
    }

    @Test func devicesAreToldApart() {
        #expect(names([("Puck", "c0:01"), ("Cup", "c0:02")]) == ["Puck", "Cup"])
        #expect(names([("Puck", "c0:01"), ("Puck", "c0:02")]) == ["Puck (c0:01)", "Puck (c0:02)"])
        #expect(names([("?", nil), ("?", nil), ("c0:01", "c0:01")]) == ["?", "? #2", "c0:01"])
    }

    /// Connections are numbered for each device, so that another device's connections do not change the IDs.
    @Test func idsDoNotDependOnOtherDevices() {
        func ids(_ connections: [Int]) -> [String] {
            var sample = SampleReport()
            sample.report.results = []
            for connection in connections { sample.add(rule: "K-PASS", .pass, connection: connection) }
            let names = ReportNames(sample.report)
            return sample.report.results.map { names.id(of: $0, in: sample.report) }
        }
        #expect(ids([1, 2]) == ["K-PASS/Puck/1", "K-PASS/Puck/2"])
        #expect(ids([4, 9]) == ids([1, 2]))
    }

    @Test func idsAreUnique() {
        let report = SampleReport().report
        let names = ReportNames(report)
        let ids = report.results.map { names.id(of: $0, in: report) }
        #expect(Set(ids).count == ids.count)
        #expect(ids.last == "C-WHOLE")
    }
}
