extension TextReport {
  /// How the costs of some tasks grow.
  static func lines(_ results: [GrowthResult]) -> String {
    guard let first = results.first else { return "" }
    let sizes = first.points.map { Units.count($0.rows) }
    let head = row("growth: CPU by rows", "", sizes + ["growth", "min … max"])
    let rows = results.map { result in
      let range = "\(Units.ratio(result.growth.minimum)) … \(Units.ratio(result.growth.maximum))"
      return row(
        result.name,
        result.contender,
        result.points.map { Units.time($0.cpu.median) } + [
          Units.ratio(result.growth.median), range,
        ]
      ) + note(result)
    }
    return (["", head] + rows).joined(separator: "\n")
  }

  private static func row(_ name: String, _ contender: String, _ cells: [String]) -> String {
    let widths = cells.indices.map { $0 == cells.count - 1 ? 19 : 10 }
    return Units.padded(name, 20) + Units.padded(contender, 16)
      + zip(cells, widths).map { Units.padded($0, $1, toLeft: true) }.joined()
  }

  private static func note(_ result: GrowthResult) -> String {
    if result.isMet == false { return "  missed" }
    return result.expectation == .linear ? "  a row" : ""
  }

  /// What objects take of memory.
  static func lines(_ results: [MemoryResult]) -> String {
    let rows = results.map { result in
      Units.padded(result.title, 46) + Units.padded(Units.bytes(result.bytes), 12, toLeft: true)
        + Units.padded(result.bytesEach.map { Units.bytesEach($0) } ?? "", 14, toLeft: true)
        + Units.padded(result.ratio.map(Units.ratio) ?? "", 9, toLeft: true)
        + result.targets.map { "  \($0.title)\($0.isMet ? "" : ": missed")" }.joined()
    }
    return (["", "memory"] + rows).joined(separator: "\n")
  }
}
