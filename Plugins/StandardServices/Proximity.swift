import Bytes

extension StandardServices {
    /// «Alert Level» (GSS; Link Loss and Immediate Alert Services).
    struct AlertLevel: NumberValue {
        static let field = Field(
            standard: "alert_level.level", "Alert Level", .decimal,
            names: ValueNames([0: "no alert", 1: "mild alert", 2: "high alert"]))
        /// 0 to 2.
        var value: UInt8
    }

    /// «Tx Power Level»: what the device sends with in this connection (GSS; Tx Power Service).
    struct TxPowerLevel: NumberValue {
        static let field = Field(standard: "tx_power_level.level", "Tx Power", .signed, unit: "dBm")
        /// In dBm, -100 to 20.
        var value: Int8
    }
}
