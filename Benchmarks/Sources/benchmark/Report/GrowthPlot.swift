import Foundation

/// A picture of cost against size, both in powers of ten, as SVG without scripts.
///
/// It names its colours twice, for light and for dark surroundings.
struct GrowthPlot {
  private static let width = 860.0
  private static let height = 420.0
  private static let top = 56.0
  private static let bottom = 44.0
  private static let left = 70.0
  /// The room for the names of the lines of a panel.
  private static let names = 172.0
  private static let least = 15.0

  /// A store's lines, side by side with those of the others.
  private struct Panel {
    let title: String
    let results: [GrowthResult]
    let left: Double
    let width: Double
  }

  private let panels: [Panel]
  private let sizes: ClosedRange<Double>
  private let costs: ClosedRange<Double>

  /// Creates the picture of what the engine costs, nil without results.
  init?(_ results: [GrowthResult]) {
    let shown = results.filter { $0.role == .engine && $0.points.count > 1 }
    let schemes = [("sqlite-", "SQLite store"), ("json-", "JSON store")]
    let known = schemes.filter { scheme in shown.contains { $0.name.hasPrefix(scheme.0) } }
    let rows = shown.flatMap { $0.points.map { Double($0.rows) } }
    let times = shown.flatMap { $0.points.map(\.cpu.median) }
    guard !known.isEmpty, let fewest = rows.min(), let most = rows.max(), let fastest = times.min(),
      let slowest = times.max()
    else { return nil }
    let width = (Self.width - Self.left) / Double(known.count)
    panels = known.enumerated().map { index, scheme in
      Panel(
        title: scheme.1,
        results: shown.filter { $0.name.hasPrefix(scheme.0) },
        left: Self.left + Double(index) * width,
        width: width - Self.names
      )
    }
    sizes = log10(fewest)...log10(most)
    costs = floor(log10(fastest))...ceil(log10(slowest))
  }

  /// The picture.
  var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" \
    width="\(Int(Self.width))" height="\(Int(Self.height))" \
    viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
    role="img" aria-labelledby="title text">
      <title id="title">Cost against size</title>
      <desc id="text">The CPU time of one operation of each kind, for stores of \
    \(Units.count(Int(pow(10, sizes.lowerBound).rounded()))) to \
    \(Units.count(Int(pow(10, sizes.upperBound).rounded()))) rows. Solid lines are to be flat; dashed ones may grow with the rows.</desc>
      <style>
        text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #59636e }
        .head { font-size: 15px; fill: #1f2328 }
        .grid { stroke: #d1d9e0; stroke-width: 1 }
        .line { stroke: #0969da; stroke-width: 2; fill: none }
        .dot, .flat { fill: #0969da }
        .linear.line { stroke: #9a6700; stroke-dasharray: 6 4 }
        .linear.dot, .grows { fill: #9a6700 }
        .end { text-anchor: end }
        .middle { text-anchor: middle }
        @media (prefers-color-scheme: dark) {
          text { fill: #9198a1 }
          .head { fill: #f0f6fc }
          .grid { stroke: #3d444d }
          .line { stroke: #4493f8 }
          .dot, .flat { fill: #4493f8 }
          .linear.line { stroke: #d29922 }
          .linear.dot, .grows { fill: #d29922 }
        }
      </style>
      <text x="8" y="20">CPU time of one operation</text>
    \(panels.map(picture).joined(separator: "\n"))
    </svg>

    """
  }

  private func picture(_ panel: Panel) -> String {
    let head = text(panel.left, 44, panel.title, "head")
    let lines = panel.results.map { line($0, panel) }
    return ([head] + grid(panel) + lines + labels(panel)).map { "  \($0)" }.joined(separator: "\n")
  }

  private func grid(_ panel: Panel) -> [String] {
    let right = panel.left + panel.width
    let powers = stride(from: costs.lowerBound, through: costs.upperBound, by: 1)
    let rows = powers.flatMap { power in
      [
        rule(panel.left, y(power), right, y(power)),
        text(panel.left - 8, y(power) + 4, Self.time(power), "end"),
      ]
    }
    let columns = stride(from: ceil(sizes.lowerBound), through: sizes.upperBound, by: 1).flatMap {
      [
        rule(x($0, panel), Self.top, x($0, panel), Self.height - Self.bottom),
        text(x($0, panel), Self.height - Self.bottom + 18, Units.count(Int(pow(10, $0))), "middle"),
      ]
    }
    let below = text(panel.left + panel.width / 2, Self.height - 8, "rows in the store", "middle")
    return rows + columns + [below]
  }

  private func line(_ result: GrowthResult, _ panel: Panel) -> String {
    let style = result.expectation == .linear ? "linear " : ""
    let points = result.points.map { point in
      (x(log10(Double(point.rows)), panel), y(log10(point.cpu.median)))
    }
    let path = points.map { "\(Self.number($0.0)),\(Self.number($0.1))" }.joined(separator: " ")
    let dots = points.map {
      "<circle class=\"\(style)dot\" cx=\"\(Self.number($0.0))\" cy=\"\(Self.number($0.1))\" r=\"3\"/>"
    }
    return "<polyline class=\"\(style)line\" points=\"\(path)\"/>" + dots.joined()
  }

  /// The names of the lines beside their ends, moved apart where they would cover each other.
  private func labels(_ panel: Panel) -> [String] {
    let ends = panel.results.map { ($0, y(log10($0.points.last?.cpu.median ?? 1))) }
      .sorted { $0.1 < $1.1 }
    var heights = ends.map(\.1)
    for index in heights.indices.dropFirst() {
      heights[index] = max(heights[index], heights[index - 1] + Self.least)
    }
    let lowest = Self.height - Self.bottom
    for index in heights.indices.reversed() {
      let limit = index == heights.count - 1 ? lowest : heights[index + 1] - Self.least
      heights[index] = min(heights[index], limit)
    }
    return zip(ends, heights).map { end, height in
      let style = end.0.expectation == .linear ? "grows" : "flat"
      return text(panel.left + panel.width + 10, height + 4, end.0.title, style)
    }
  }

  private func x(_ size: Double, _ panel: Panel) -> Double {
    panel.left + (size - sizes.lowerBound) / (sizes.upperBound - sizes.lowerBound) * panel.width
  }

  private func y(_ cost: Double) -> Double {
    let height = Self.height - Self.top - Self.bottom
    return Self.top + (costs.upperBound - cost) / (costs.upperBound - costs.lowerBound) * height
  }

  private func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    let numbers = [x1, y1, x2, y2].map(Self.number)
    return "<line class=\"grid\" x1=\"\(numbers[0])\" y1=\"\(numbers[1])\" x2=\"\(numbers[2])\" "
      + "y2=\"\(numbers[3])\"/>"
  }

  private func text(_ x: Double, _ y: Double, _ text: String, _ style: String) -> String {
    "<text class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\">\(text)</text>"
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  /// A power of ten of nanoseconds: 10 µs.
  private static func time(_ power: Double) -> String {
    let units = ["ns", "µs", "ms", "s", "s"]
    let power = max(0, Int(power))
    let factor = power >= 12 ? power - 9 : power % 3
    return "\(Int(pow(10, Double(factor)))) \(units[min(power / 3, 3)])"
  }
}
