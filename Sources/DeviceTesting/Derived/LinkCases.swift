import Bluetooth
import Bytes
import Profile

/// Connection cases: many connections in sequence, a lost link, a second client.
enum LinkCases {
    static func all(of device: TestedDevice) -> [TestCase] {
        [
            TestCase.connected(
                "link.reconnections", "The device takes 100 connections one after the other, each with a read.",
                source: "Vol 3, Part C, 9.3.4", tags: ["link"]
            ) { tester in
                guard let definition = tester.device.characteristics.first(where: { $0.properties.contains(.read) })
                else { throw TestStop.notApplicable("the profile has nothing to read") }
                let handle = try tester.handle(of: definition.name)
                for number in 1...100 {
                    try tester.connect()
                    tester.coverage.add(.read, of: definition.name)
                    if case .failure(let code) = try tester.read(handle) {
                        tester.fail(expected: "\(definition.name) in connection \(number)", observed: code.words)
                    }
                    try tester.disconnect()
                }
            },
            TestCase.connected(
                "link.lost", "The device advertises again after a client was lost without a word.",
                source: "Vol 6, Part B, 4.5.2", tags: ["link"]
            ) { tester in
                try tester.loseLink()
                try tester.connect()
                try tester.expectAlive(after: "the lost link")
            },
            TestCase(
                "link.second_client", "While a client is connected, a second one gets a whole connection or none.",
                tags: ["link"]
            ) { tester in
                guard tester.bed.hostCount > 1 else { throw TestStop.notApplicable("there is one controller only") }
                try tester.connect()
                let second = LowerTester(tester.device, bed: tester.bed, host: 1)
                guard try second.isAdvertising(within: .seconds(5)) else {
                    return try tester.expectAlive(after: "a second client's search")
                }
                try second.connect()
                try second.expectAlive(after: "a second client's connection")
                try tester.expectAlive(after: "a second client's connection")
                try second.disconnect()
            },
        ]
    }
}
