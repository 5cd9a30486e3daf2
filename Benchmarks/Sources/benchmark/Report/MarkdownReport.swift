/// Results as a table for a document.
enum MarkdownReport {
  /// One row for each contender.
  static func table(_ results: [WorkloadResult]) -> String {
    var lines = [
      "| workload | contender | CPU | wall | ratio | ratio of wall | to best peer | memory | target |",
      "|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results {
      for contender in result.contenders {
        let cells = [
          contender.role == .control ? "\(result.title), per \(result.unit)" : "",
          contender.name,
          Units.time(contender.cpu.median),
          Units.time(contender.wall.median),
          "\(Units.ratio(contender.cpuRatio.median)) "
            + "(\(Units.ratio(contender.cpuRatio.minimum))–"
            + "\(Units.ratio(contender.cpuRatio.maximum)))",
          Units.ratio(contender.wallRatio.median),
          contender.cpuRatioToBestPeer.map(Units.ratio) ?? "",
          contender.peakBytes.map(Units.bytes) ?? "",
          targets(of: contender, in: result),
        ]
        lines.append("| " + cells.joined(separator: " | ") + " |")
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func targets(of contender: ContenderResult, in result: WorkloadResult) -> String {
    result.targets.filter { $0.contender == contender.name }.map {
      "\($0.clock.rawValue) ≤ \(Units.ratio($0.ratio)): \($0.isMet ? "met" : "**missed**")"
    }.joined(separator: ", ")
  }
}
