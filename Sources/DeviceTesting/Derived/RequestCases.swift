import Bluetooth
import Bytes
import Profile

/// Cases for any ATT server: MTUs, unknown opcodes, truncated PDUs, invalid handles.
enum RequestCases {
    static func all(of device: TestedDevice) -> [TestCase] {
        DerivedCases.mtus.map { mtu(UInt16($0)) } + [
            TestCase.connected(
                "request.unknown",
                "A request with an unknown opcode is refused as not supported; a command is ignored.",
                source: "Vol 3, Part F, 3.3", tags: ["request"]
            ) { tester in
                for opcode: UInt8 in [0x1F, 0x25, 0x3C, 0x3E] {
                    try tester.expectError(
                        [.requestNotSupported], to: [opcode, 1, 0], "opcode 0x\(String(hex: opcode, digits: 2))")
                }
                for opcode: UInt8 in [0x41, 0x7C] { try tester.sendCommand([opcode, 1, 0]) }
                try tester.expectAlive(after: "unknown commands")
            },
            TestCase.connected(
                "request.cut_short", "A request that is cut short is refused.",
                source: "Vol 3, Part F, 3.4.1.1", tags: ["request"]
            ) { tester in
                try cutShort(tester)
            },
            TestCase.connected(
                "request.handles", "Handle 0, handles after the last attribute and ranges that are none are refused.",
                source: "Vol 3, Part F, 3.4.3.1 and 3.4.4.1", tags: ["request"]
            ) { tester in
                try handles(tester)
            },
            TestCase.connected(
                "request.groups", "Read By Group Type with a type that is no group is refused.",
                source: "Vol 3, Part F, 3.4.4.9", tags: ["request"]
            ) { tester in
                try tester.expectError(
                    [.unsupportedGroupType],
                    to: ATT.encode(ATT.ReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: UUID(0x2803))),
                    "Read By Group Type of 0x2803")
            },
        ]
    }

    private static func mtu(_ mtu: UInt16) -> TestCase {
        TestCase(
            "mtu.\(mtu)", "After an exchange of MTUs with \(mtu), no PDU is longer than the smaller one.",
            source: "Vol 3, Part F, 3.4.2", tags: ["mtu"]
        ) { tester in
            try tester.openLink(offering: mtu)
            try tester.connect()
            let answer = try tester.ask(ATT.ExchangeMTURequest(clientRxMTU: mtu))
            if answer.error?.errorCode == .requestNotSupported { return }
            guard let response = answer.pdu as? ATT.ExchangeMTUResponse else {
                return tester.fail(expected: "Exchange MTU Response", observed: answer.words, bytes: answer.bytes)
            }
            tester.expect(
                response.serverRxMTU >= 23, "Server Rx MTU of 23 or more", observed: "\(response.serverRxMTU)",
                bytes: answer.bytes)
            let agreed = max(23, Int(min(mtu, response.serverRxMTU)))
            for definition in tester.device.characteristics where definition.properties.contains(.read) {
                guard let handle = try? tester.handle(of: definition.name) else { continue }
                let read = try tester.ask(ATT.ReadRequest(handle: handle))
                tester.expect(
                    read.bytes.count <= agreed, "a PDU of \(agreed) bytes at most",
                    observed: "\(read.bytes.count)", bytes: read.bytes)
            }
        }
    }

    private static func cutShort(_ tester: LowerTester) throws {
        let requests: [[UInt8]] = [
            ATT.encode(ATT.FindInformationRequest(start: 1, end: 0xFFFF)),
            ATT.encode(ATT.FindByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [])),
            ATT.encode(ATT.ReadByTypeRequest(start: 1, end: 0xFFFF, type: UUID(0x2803))),
            ATT.encode(ATT.ReadRequest(handle: 1)), ATT.encode(ATT.ReadBlobRequest(handle: 1, offset: 0)),
            ATT.encode(ATT.ReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: UUID(0x2800))),
            ATT.encode(ATT.WriteRequest(handle: 1, value: [])),
            ATT.encode(ATT.PrepareWriteRequest(handle: 1, offset: 0, value: [])),
            ATT.encode(ATT.ExecuteWriteRequest(flags: 0)),
        ]
        for request in requests {
            for count in 1..<request.count {
                try tester.expectError(
                    [.invalidPDU, .requestNotSupported], to: Array(request.prefix(count)),
                    "\(ATT.Opcode(rawValue: request[0]).words) of \(count) bytes")
            }
        }
        try tester.expectAlive(after: "requests that were cut short")
    }

    private static func handles(_ tester: LowerTester) throws {
        let last = tester.table?.services.map(\.end).filter { $0 < 0xFFFF }.max() ?? 0xFFFE
        for handle: Handle in [0, last < 0xFFFE ? 0xFFFE : 0] {
            try tester.expectError(
                [.invalidHandle], to: ATT.encode(ATT.ReadRequest(handle: handle)), about: handle,
                "a read of handle \(handle)")
            try tester.expectError(
                [.invalidHandle], to: ATT.encode(ATT.WriteRequest(handle: handle, value: [0])), about: handle,
                "a write of handle \(handle)")
        }
        for (start, end): (Handle, Handle) in [(0, 5), (6, 5), (0, 0)] {
            try tester.expectError(
                [.invalidHandle], to: ATT.encode(ATT.FindInformationRequest(start: start, end: end)), about: start,
                "Find Information from \(start) to \(end)")
            try tester.expectError(
                [.invalidHandle], to: ATT.encode(ATT.ReadByTypeRequest(start: start, end: end, type: UUID(0x2803))),
                about: start, "Read By Type from \(start) to \(end)")
        }
        try tester.expectError(
            [.attributeNotFound], to: ATT.encode(ATT.FindInformationRequest(start: 0xFFFF, end: 0xFFFF)),
            about: 0xFFFF, "Find Information of handle 0xffff")
    }
}
