/// The profile file of a fictional device.
package enum SampleProfile {
    /// Uses every feature of the format.
    package static let bottle = """
        profile:
          id: bottle
          title: A bottle
          version: 1.0.0
          format: 1
          vendor: Nobody
          firmware: "0.1.0"
          licence: Apache-2.0
          sources: ["the product document"]
          mtu: 247
          dialects:
            shipped: {title: Shipped firmware}
            prd: {doc: as it was planned}
          accepted:
            - {finding: payload-exceeds-mtu, at: drink_chunk, reason: real firmware truncates}

        match:
          - {service: 6F75616B-7661-7465-2D00-000000000000, weight: 100, dialect: shipped}
          - {name: '^Bottle-[0-9A-F]{4}$', weight: 60}
          - {manufacturer: {company: 0x004C, data: "02 15"}, weight: 30}
          - {device_information: {model_number: '^Puck v1'}, weight: 40}

        types:
          timestamp:
            type: u32
            timestamp: {epoch: 1970-01-01, resolution: 1 s}
          current_state:
            title: Current State
            fields:
              - {name: timestamp, type: timestamp, doc: time of the last evaluation}
              - {name: weight, type: i16, unit: g}
              - {name: level, type: u16, unit: ml, range: [0, 830], alias: Bottle Level}
              - {name: daily_total, type: u16, unit: ml}
              - {name: battery, type: u8, unit: '%', range: [0, 100]}
              - name: flags
                type: u8
                bits:
                  - {name: time_valid, bit: 0}
                  - {name: calibrated, bit: 1}
                  - {name: mode, bits: [4, 6], values: {0: off, 1: {name: on, title: On, alias: Enabled}}}
              - {name: unsynced, type: u16, special: {0xFFFF: unknown}}
          drink_chunk:
            fields:
              - {name: chunk_index, type: u16}
              - {name: total_chunks, type: u16}
              - {name: record_count, type: u8, range: [0, 20]}
              - {name: reserved, type: u8, constant: 0}
              - {name: records, type: drink_record, count: record_count}
          drink_record:
            fields:
              - {name: record_id, type: u32}
              - {name: timestamp, type: timestamp}
              - {name: amount, type: i16}
              - {name: level, type: i16}
              - {name: type, type: u8, values: {0: gulp, 1: pour}}
              - {name: flags, type: u8, rendering: hex}
          drink_history:
            fields: [{name: records, type: drink_record, count: rest}]
          extras:
            fields:
              - {name: temperature, type: i16, unit: °C, scale: {m: 1, d: -2, b: 0, offset: 0}}
              - {name: serial, type: string, length: 13}
              - {name: size, type: u8}
              - {name: model, type: string, ends_at_nul: true, length: size - 1}
              - {name: firmware, type: u16, rendering: dotted}
              - {name: extra, type: bool, when: size > 1 && length >= 14}
              - {name: big, type: u16, endian: big}
              - {name: target, type: address}
              - {name: which, type: uuid16}
              - {name: delta, type: i8, values: {-1: out, 1: in}}
              - {name: crc, type: u16, checksum: {algorithm: crc16_ccitt, from: big}}
              - {name: ratio, type: f32}
              - {name: payload, type: bytes}
          command:
            switch: {name: opcode, type: u8}
            cases:
              - {value: 0x01, length: 4, name: tare_now, fields: [{name: unused, type: bytes, length: 3}]}
              - {value: 0x10, length: 5, name: set_time, fields: [{name: time, type: timestamp}]}
            otherwise: {name: unknown, fields: [{name: parameters, type: bytes}]}
          calibration_state:
            fields: [{name: state, type: u8, values: {0: idle, 1: triggered, 2: started}}]

        gatt:
          - service: 6F75616B-7661-7465-2D00-000000000000
            name: bottle
            dialect: shipped
            characteristics:
              - uuid: 6F75616B-7661-7465-2D00-000000000001
                name: current_state
                properties: [read, notify]
                value: current_state
                length: 14
                handles: [0x002A]
              - uuid: 6F75616B-7661-7465-2D00-000000000004
                name: drink_data
                properties: [read, notify]
                value: {notify: drink_chunk, read: drink_chunk}
              - uuid: 6F75616B-7661-7465-2D00-000000000005
                name: command
                properties: [write]
                value: command
              - uuid: 6F75616B-7661-7465-2D00-000000000007
                name: extras
                properties: [read, notify]
                value:
                  - {when: 'written(command, 0) == 0x30', type: extras}
                  - {when: 'length == 6 + 10 * u8(4) && !has(current_state)', type: drink_chunk}
                  - {type: calibration_state}
                descriptors:
                  - {uuid: 0x2901, value: drink_history}

        advertising:
          - {service_data: 0xFE95, value: calibration_state}
          - {manufacturer_data: 0x004C, value: calibration_state}

        messages:
          - name: drink_sync
            characteristic: drink_data
            operation: notify
            chunks: {index: chunk_index, total: total_chunks, content: records}
            type: drink_history
            timeout: 5 s

        sequences:
          - name: calibration
            type: calibration_state
            state: state
            initial: [triggered]
            transitions: {idle: [triggered], triggered: [started, idle], started: [idle]}

        rules:
          - {id: B-1, text: fourteen bytes, role: peripheral, severity: error, length: {on: notify current_state, is: 14}}
          - {id: B-2, text: charge, role: peripheral, severity: warning, check: {on: any current_state, holds: battery <= 100}}
          - {id: B-3, text: ids rise, role: peripheral, severity: error, increases: {on: notify drink_data, field: records.record_id, by: 1}}
          - {id: B-4, text: states, role: peripheral, severity: error, sequence: calibration}
          - id: B-5
            text: an answer
            role: peripheral
            severity: error
            reply: {after: write command, where: opcode == 0x01, expect: notify current_state, within: 2 s}
          - {id: B-6, text: heartbeat, role: peripheral, severity: warning, period: {on: notify current_state, every: 30 s, tolerance: 3 s}}
          - {id: B-7, text: subscribe, role: client, severity: error, order: {on: write command, needs: write drink_data.cccd}}
          - {id: B-8, text: quiet, role: peripheral, severity: error, never: {on: notify drink_data, after: write command, after_where: opcode == 0x10}}
          - {id: B-9, text: code, role: traffic, severity: error, code: true, quirk: Q-01, source: the document, hint: look}
          - {id: B-10, text: twin, role: client, severity: error, twin: true, dialect: prd}

        emulate:
          name: Bottle-A3F2
          interval: 1000 ms
          values:
            - {characteristic: current_state, bytes: "00 00 00 00 00 00 00 00 00 00 00 00 00 00"}
            - {characteristic: drink_data, value: {chunk_index: 0, total_chunks: 0, record_count: 0, records: []}}
          reactions:
            - on: write command
              where: opcode == 0x10
              do:
                - {delay: 500 ms}
                - {notify: current_state}
                - {set: current_state, generator: {field: weight, cycle: [1, 2, -3]}}
                - {error: 0xFD}
            - every: 30 s
              do: [{notify: current_state, generator: {field: daily_total, ramp: {from: 0, to: 1000, step: 10}}}]

        vectors:
          - id: V-NORMAL
            type: current_state
            hex: "40 40 7F 69 9C 01 9C 01 E8 03 57 13 FF FF"
            value:
              timestamp: 2026-02-01T12:00:00Z
              weight: 412
              level: 412
              daily_total: 1000
              battery: 87
              flags: {time_valid: true, calibrated: true, mode: on}
              unsynced: unknown
          - {id: V-COMMAND, type: command, hex: "10 40 40 7F 69", value: {opcode: set_time, time: 1769947200}}
          - {id: V-OTHER, type: command, hex: "77", decodes_to: {opcode: 0x77, parameters: ""}}
          - {id: V-CUT, type: current_state, hex: "40 40", error: needs 4 bytes}
        """
}
