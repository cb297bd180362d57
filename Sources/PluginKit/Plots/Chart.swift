/// A chart, written as a self-contained SVG picture.
///
/// Colours are those of the palette by Okabe and Ito, which people with any colour vision tell apart; they follow the
/// reader's light or dark scheme. A point without a value is a gap: lines end before it and begin anew behind it.
public struct Chart: Sendable {
    /// Where a point lies. Of a time axis, `x` is seconds since 1970; of categories, their index.
    public struct Point: Sendable, Hashable {
        public var x: Double
        /// Nil where nothing is known.
        public var y: Double?

        public init(_ x: Double, _ y: Double?) {
            self.x = x
            self.y = y
        }
    }

    public struct Series: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            case line
            /// A line with a mark at each point.
            case marks
            /// A dashed line: computed, not measured.
            case trend
            /// Keeps its value until the next point.
            case steps
            case bars
            case points
        }

        public var name: String
        public var kind: Kind
        /// In the order of `x`.
        public var points: [Point]

        public init(_ name: String, _ kind: Kind, _ points: [Point]) {
            self.name = name
            self.kind = kind
            self.points = points
        }
    }

    /// A horizontal line with a name: a capacity, a goal.
    public struct Threshold: Sendable, Hashable {
        public var name: String
        public var y: Double

        public init(_ name: String, _ y: Double) {
            self.name = name
            self.y = y
        }
    }

    public enum Axis: Sendable, Hashable {
        case numbers(String)
        /// Seconds since 1970, labelled by the clock of a zone.
        case time(TimeZoneTable)
        /// Equally wide places with a label each.
        case categories([String])
    }

    /// What the chart shows, for readers who do not see it too.
    public var title: String
    public var x: Axis
    /// Title of the vertical axis with its unit: `people`, `energy in Wh`.
    public var y: String
    public var series: [Series]
    public var thresholds: [Threshold]
    /// Values that the vertical axis reaches at least; it is longer where the series are.
    public var range: ClosedRange<Double>?

    public init(
        _ title: String, x: Axis, y: String, _ series: [Series], thresholds: [Threshold] = [],
        range: ClosedRange<Double>? = nil
    ) {
        self.title = title
        self.x = x
        self.y = y
        self.series = series
        self.thresholds = thresholds
        self.range = range
    }

    /// Whether there is a value to show.
    public var hasValues: Bool { series.contains { $0.points.contains { $0.y != nil && $0.x.isFinite } } }
}
