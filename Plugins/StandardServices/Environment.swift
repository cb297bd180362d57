import Bytes

extension StandardServices {
    /// «Temperature» (GSS; Environmental Sensing Service 3.1).
    struct Temperature: NumberValue {
        static let field = Field(
            standard: "temperature.temperature", "Temperature", .signed, unit: "°C", scale: 0.01,
            names: ValueNames(signed: [-0x8000: "unknown"]))
        /// In 0.01 °C, -27315 to 32767; -32768 where it is not known.
        var value: Int16
    }

    /// «Humidity» (GSS; Environmental Sensing Service 3.1).
    struct Humidity: NumberValue {
        static let field = Field(
            standard: "humidity.humidity", "Humidity", .decimal, unit: "%", scale: 0.01,
            names: ValueNames([0xFFFF: "unknown"]))
        /// Relative, in 0.01 %, 0 to 10000; 0xFFFF where it is not known.
        var value: UInt16
    }

    /// «Pressure» (GSS; Environmental Sensing Service 3.1).
    struct Pressure: NumberValue {
        static let field = Field(standard: "pressure.pressure", "Pressure", .decimal, unit: "Pa", scale: 0.1)
        /// In 0.1 Pa.
        var value: UInt32
    }
}
