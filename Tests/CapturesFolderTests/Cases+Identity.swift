import Bluetooth
import Captures
import PDUTestKit
import TestKit

@testable import Workbench

/// Identity: peers, connections and their attribute tables.
extension CaptureCase {
    static let identity: [CaptureCase] = [
        CaptureCase(
            name: "two-peers-equal-handles",
            title: "Two peers with different tables on equal handles",
            shows: """
                A puck and a counter are connected at the same time. Handle 0x0008 is the battery level of the one and
                the heart rate measurement of the other: a table belongs to a peer, never to an adapter.
                """,
            source: "Core 5.4, Vol 3, Part G, 2.5.1", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            session.report(Cast.puck, [.completeLocalName("Puck")])
            session.report(Cast.counter, [.completeLocalName("Counter")], rssi: -71)
            let puck = session.connect(to: Cast.puck)
            let counter = session.connect(to: Cast.counter)
            puck.discover(Cast.battery)
            counter.discover(Cast.heartRate)
            puck.notify(0x0008, [98])
            counter.notify(0x0008, [0x00, 72])
            puck.subscribe(0x0009)
            counter.subscribe(0x0009)
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "mid-connection",
            title: "A capture that starts in mid-connection",
            shows: """
                Neither the connection's beginning nor a discovery was recorded: handles stay numbers. A response whose
                request is missing says so. The connection is followed all the same.
                """,
            source: "Core 5.4, Vol 4, Part E, 5.4.2", file: "capture.btsnoop", make: midConnection),
        CaptureCase(
            name: "mid-connection-imported",
            title: "A capture that starts in mid-connection, with a table",
            shows: """
                The capture of `mid-connection`, with an attribute table from a file. The peer's address was not
                recorded, so the table without an address is used; every name says that it was imported.
                """,
            source: "docs/gatt.md", file: "capture.btsnoop", options: ["--gatt", "gatt.json"],
            companions: ["gatt.json": tables([(nil, Cast.battery)])], make: midConnection),
        CaptureCase(
            name: "imported-tables",
            title: "Tables from a file for two peers",
            shows: """
                Two peers are connected and nobody discovers anything. The file has a table for the address of each of
                them: handle 0x0008 is a battery level here and a heart rate there.
                """,
            source: "docs/gatt.md", file: "capture.btsnoop", options: ["--gatt", "gatt.json"],
            companions: ["gatt.json": tables([(Cast.puck, Cast.battery), (Cast.counter, Cast.heartRate)])]
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            let counter = session.connect(to: Cast.counter)
            puck.notify(0x0008, [98])
            counter.notify(0x0008, [0x00, 72])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "discovery-after-traffic",
            title: "A discovery that names earlier traffic",
            shows: """
                Notifications come before the client discovers the server. What discovery tells holds for the whole
                connection, so in a second pass the earlier frames are named too.
                """,
            source: "Core 5.4, Vol 3, Part G, 4.4 to 4.7", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            puck.notify(Cast.battery[0x2A19], [99])
            puck.read(Cast.battery[0x2A00], Array("Puck".utf8))
            puck.discover(Cast.battery)
            puck.notify(Cast.battery[0x2A19], [98])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "service-changed",
            title: "A table that changes after Service Changed",
            shows: """
                The server indicates Service Changed for 0x0005 to 0xFFFF. What was known of that range holds no longer:
                handle 0x0007 is a battery level before and a temperature measurement after. What lies below the range
                is still known.
                """,
            source: "Core 5.4, Vol 3, Part G, 7.1 and 2.5.2", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            puck.discover(Cast.changeable)
            puck.subscribe(Cast.changeable[0x2A05, 0x2902], indications: true)
            puck.notify(0x0007, [98])
            puck.indicateServiceChanged(Cast.changeable[0x2A05], 0x0005, 0xFFFF)
            puck.notify(0x0007, [0, 0xA0, 0x0F, 0, 0xFE])
            puck.discover(Cast.changed)
            puck.indicate(0x0007, [0, 0xA0, 0x0F, 0, 0xFE])
            puck.notify(Cast.changed[0x2A19], [97])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "table-changed-without-notice",
            title: "A table that changed between two connections",
            shows: """
                The first connection discovers the server; the second one begins with what is remembered of it. Then
                discovery contradicts: the server was updated in between. All that was remembered is dropped, for the
                frames before the discovery as well.
                """,
            source: "Core 5.4, Vol 3, Part G, 2.5.2", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            var puck = session.connect(to: Cast.puck)
            puck.discover(Cast.battery)
            puck.notify(Cast.battery[0x2A19], [98])
            puck.disconnect()
            puck = session.connect(to: Cast.puck)
            puck.notify(0x0008, [0x00, 72])
            puck.discover(Cast.heartRate)
            puck.notify(0x0008, [0x00, 73])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "remembered-table",
            title: "A table that is remembered over a reconnection",
            shows: """
                The client discovers the server once and uses its cache afterwards. In the second connection the names
                are those of the first one, and their confidence says so: remembered.
                """,
            source: "Core 5.4, Vol 3, Part G, 2.5.2", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            var puck = session.connect(to: Cast.puck)
            puck.discover(Cast.battery)
            puck.disconnect()
            session.recording.wait(milliseconds: 2000)
            puck = session.connect(to: Cast.puck)
            puck.subscribe(Cast.battery[0x2A19, 0x2902])
            puck.notify(Cast.battery[0x2A19], [97])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "reused-connection-handle",
            title: "A connection handle that is used again",
            shows: """
                The puck's connection ends and the counter's gets the same handle, 0x0040. A fragment of the puck's that
                was never completed, and its unanswered request, end with its connection.
                """,
            source: "Core 5.4, Vol 4, Part E, 5.3.1", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck, handle: 0x0040)
            puck.discover(Cast.battery)
            puck.request(ATT.ReadRequest(handle: 0x0008))
            session.record(puck.packet([0x05, 0x00, 0x04], boundary: .firstFlushable), .received)
            puck.disconnect(reason: .connectionTimeout)
            let counter = session.connect(to: Cast.counter, handle: 0x0040)
            counter.discover(Cast.heartRate)
            counter.notify(0x0008, [0x00, 72])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "identity-address",
            title: "A device that tells its identity",
            shows: """
                The peer connects under a resolvable private address and tells its identity address in pairing. Later
                the controller resolves another private address to that identity: the table learned in the first
                connection belongs to the same device.
                """,
            source: "Core 5.4, Vol 3, Part H, 3.6.5 and Vol 4, Part E, 7.7.65.10", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            var puck = session.connect(to: Cast.device(0x5A_1122_334455, .random))
            puck.encrypt()
            puck.security(SMP.IdentityInformation(identityResolvingKey: 0x0123_4567_89AB_CDEF), .received)
            puck.security(
                SMP.IdentityAddressInformation(addressType: 1, address: Cast.puck.address), .received)
            puck.discover(Cast.battery)
            puck.disconnect()
            session.event(
                HCI.LEEnhancedConnectionComplete(
                    handle: 0x0041, role: .central, peerType: .randomIdentity, peer: Cast.puck.address,
                    peerResolvable: Address(value: 0x6B_5544_332211), interval: 24, latency: 0,
                    supervisionTimeout: 42))
            puck = session.resume(0x0041)
            puck.notify(Cast.battery[0x2A19], [97])
            return try session.recording.btsnoop()
        },
    ]

    /// A file of attribute tables.
    static func tables(_ devices: [(address: DeviceAddress?, layout: ServerLayout)]) -> String {
        let file = GATT.TableFile(
            devices: devices.map { GATT.TableFile.Device(address: $0.address, table: $0.layout.table) })
        return String(decoding: GATTFiles.encode(file), as: UTF8.self)
    }

    @Sendable
    static func midConnection() throws -> [UInt8] {
        let session = HCISession()
        let puck = session.resume()
        puck.respond(ATT.ReadResponse(value: [98]))
        puck.notify(Cast.battery[0x2A19], [97])
        puck.write(Cast.battery[0x2A19, 0x2902], [0, 0])
        puck.disconnect()
        return try session.recording.btsnoop()
    }
}
