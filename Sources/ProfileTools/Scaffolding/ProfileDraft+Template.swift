import Profile

extension ProfileDraft {
    /// A starting profile for use without a capture or a header: small, complete and fully commented.
    package static func template(id: String) -> String {
        """
        # How values of the device are read, checked and made up. See docs/profile-format.md for all that may stand here.
        #
        # gattbench plugins lint --strict profile.yaml
        # gattbench decode --plugin profile.yaml session.btsnoop

        profile:
          id: \(id)                        # begins the names of all fields: \(id).measurement.temperature
          title: \(YAMLText.quoted(Form<String>.title(from: id)))
          version: 0.1.0                   # of this file
          format: \(Profile.format)
          # vendor: Who makes it
          # firmware: "1.0 and later"
          # mtu: 247                       # the largest ATT_MTU that the device agrees to

        # What tells the device from others. Weights are added; from \(Profile.Evidence.threshold) on it is one.
        match:
          - {service: 00000001-0000-4000-8000-00805F9B0000, weight: 100}
          - {name: '^Thermo-[0-9A-F]{4}$', weight: 60}

        types:
          # A structure: fields one after the other, little-endian unless `endian: big`.
          # Types: u8 … u64, i8 … i64, f16, f32, f64, sfloat, float, string, bytes, address, uuid16, uuid128, bool.
          measurement:
            doc: What the sensor saw last.
            fields:
              - {name: time, type: u32, timestamp: {epoch: 1970-01-01, resolution: 1 s}}
              - {name: temperature, type: i16, unit: °C, scale: {d: -2}, range: [-40, 85]}
              - {name: battery, type: u8, unit: '%', range: [0, 100], special: {0xFF: unknown}}
              - name: flags
                type: u8
                bits:
                  - {name: time_valid, bit: 0, doc: the clock was set}
                  - {name: mode, bits: [4, 5], values: {0: idle, 1: fast, 2: slow}}
              # There only if the clock was set; `length` is that of all the value.
              - {name: age, type: u16, unit: s, when: flags.time_valid}

          # A number that tells what follows.
          command:
            switch: {name: opcode, type: u8, rendering: hex}
            cases:
              - {value: 0x01, name: set_interval, fields: [{name: interval, type: u16, unit: s, range: [1, 3600]}]}
              - {value: 0x02, name: blink}
            otherwise: {name: unknown, fields: [{name: parameters, type: bytes}]}

        gatt:
          - service: 00000001-0000-4000-8000-00805F9B0000
            name: thermometer
            characteristics:
              - uuid: 00000002-0000-4000-8000-00805F9B0000
                name: measurement
                properties: [read, notify]
                value: measurement
              - uuid: 00000003-0000-4000-8000-00805F9B0000
                name: command
                properties: [write]
                value: command

        # Bytes and what they mean: the profile is held to them by plugins lint.
        vectors:
          - id: measurement_with_clock
            type: measurement
            hex: "40 40 7F 69 34 08 64 11 3C 00"
            value: {time: 2026-02-01T12:00:00Z, temperature: 21, battery: 100, flags: {time_valid: true, mode: fast}, age: 60}
          - id: measurement_without_clock
            type: measurement
            hex: "00 00 00 00 CE FF FF 00"
            value: {time: 1970-01-01T00:00:00Z, temperature: -0.5, battery: unknown, flags: {time_valid: false, mode: idle}}
          - {id: set_interval, type: command, hex: "01 3C 00", value: {opcode: set_interval, interval: 60}}
          - {id: cut_short, type: measurement, hex: "40 40 7F", error: needs 4 bytes}

        """
    }
}
