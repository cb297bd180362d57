/// A chart, written as a self-contained SVG image.
///
/// Colours come from the palette by Okabe and Ito, which is distinguishable with any colour vision, and follow the
/// reader's light or dark scheme. A point without a value is a gap: lines end before it and start again after it.
public struct Chart: Sendable {
    /// A point. On a time axis, `x` is seconds since 1970; on a category axis, the category's index.
    public struct Point: Sendable, Hashable {
        public var x: Double
        /// Nil for a gap.
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
        /// Seconds since 1970, labelled in a zone's local time.
        case time(TimeZoneTable)
        /// Equally spaced places, one label each.
        case categories([String])
    }

    /// What the chart shows; also the text for screen readers.
    public var title: String
    public var x: Axis
    /// Title of the vertical axis with its unit: `people`, `energy in Wh`.
    public var y: String
    public var series: [Series]
    public var thresholds: [Threshold]
    /// Minimum range of the vertical axis, which is extended to fit the series.
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

    /// Whether the chart has any value.
    public var hasValues: Bool { series.contains { $0.points.contains { $0.y != nil && $0.x.isFinite } } }
}
