/// Results as tables for a document.
enum MarkdownReport {
  /// Everything, with a link to a plot where there is one.
  static func text(_ report: Report, plot: String? = nil) -> String {
    let (count, missed) = report.targets
    let head = "Measured on \(report.machine.description)."
    var parts = ["\(head) \(count - missed) of \(count) targets met."]
    if !report.workloads.isEmpty { parts.append(table(report.workloads)) }
    if !report.growth.isEmpty {
      parts.append("### Growth")
      if let plot {
        parts.append("![Cost against size, both in powers of ten, for SQLite and JSON](\(plot))")
      }
      parts.append(growth(report.growth))
    }
    if !report.memory.isEmpty { parts += ["### Memory", memory(report.memory)] }
    return parts.joined(separator: "\n\n")
  }

  /// One row for each contender.
  private static func table(_ results: [WorkloadResult]) -> String {
    var rows: [[String]] = []
    for result in results {
      for contender in result.contenders {
        rows.append([
          contender.role == .control
            ? "`\(result.name)`: \(result.title), per \(result.unit)" : "",
          contender.name,
          Units.time(contender.cpu.median),
          Units.time(contender.wall.median),
          contender.role == .control ? "" : range(contender.cpuRatio),
          contender.role == .control ? "" : Units.ratio(contender.wallRatio.median),
          contender.cpuRatioToBestPeer.map(Units.ratio) ?? "",
          contender.peakBytes.map(Units.bytes) ?? "",
          targets(of: contender, in: result),
        ])
      }
    }
    return table(
      [
        "workload", "contender", "CPU", "wall", "ratio", "ratio of wall", "to best peer", "memory",
        "target",
      ],
      rows
    )
  }

  private static func targets(of contender: ContenderResult, in result: WorkloadResult) -> String {
    result.targets.filter { $0.contender == contender.name }.map {
      "\($0.clock.rawValue) ≤ \(Units.ratio($0.ratio)): \($0.isMet ? "met" : "**missed**")"
        + ($0.limit.map { ", limit \(Units.ratio($0))" } ?? "")
    }.joined(separator: "; ")
  }

  private static func growth(_ results: [GrowthResult]) -> String {
    let sizes = results[0].points.map { "\(Units.count($0.rows)) rows" }
    let rows = results.map { result in
      let promise: String
      switch result.isMet {
      case true?: promise = "flat, ≤ \(Units.ratio(GrowthTask.flatLimit)): met"
      case false?: promise = "flat, ≤ \(Units.ratio(GrowthTask.flatLimit)): **missed**"
      case nil: promise = result.expectation == .linear ? "linear; the growth is that of a row" : ""
      }
      return ["`\(result.name)`: \(result.title)", result.contender]
        + result.points.map { Units.time($0.cpu.median) } + [range(result.growth), promise]
    }
    return table(["task", "contender"] + sizes + ["growth", "target"], rows)
  }

  private static func memory(_ results: [MemoryResult]) -> String {
    let rows = results.map { result in
      [
        result.title,
        Units.bytes(result.bytes),
        result.bytesEach.map(Units.bytesEach) ?? "",
        result.ratio.map(Units.ratio) ?? "",
        result.targets.map { "\($0.title): \($0.isMet ? "met" : "**missed**")" }
          .joined(separator: ", "),
      ]
    }
    return table(["what", "memory", "each", "ratio", "target"], rows)
  }

  private static func range(_ figure: Figure) -> String {
    "\(Units.ratio(figure.median)) (\(Units.ratio(figure.minimum))–\(Units.ratio(figure.maximum)))"
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
