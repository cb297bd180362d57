import BluetoothTypes
import PluginKit
import Testing

@Suite struct ProfileReaderTests {
    @Test func everythingIsRead() {
        for fault in ProfileSamples.faults(ProfileSamples.bottle) { print(fault) }
    }
    @Test func ten() {
        let text = """
            profile:
              id: Wrong-Id
              title: Ten faults
              version: 1
              format: 1
              vendr: Nobody
            match:
              - {name: '^(', weight: 400}
              - {service: 0x18F, weight: 1_0}
            types:
              a:
                fields:
                  - {name: x, type: u12}
                  - {name: y, type: u8, range: [10, 1]}
                  - {name: y, type: b}
                  - {name: z, type: bytes, when: "x >= && 3"}
                  - {name: u, type: u16, unit: 3, scal: {d: -1}, bits: [{name: b, bit: 17}]}
              b:
                fields: [{name: again, type: b}]
            vectors:
              - {id: V-1, type: a, hex: "0g"}
            """
        for fault in ProfileSamples.faults(text) { print("test.yaml:" + fault) }
    }
}
