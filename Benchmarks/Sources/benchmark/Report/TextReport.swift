/// Results for a terminal.
enum TextReport {
  /// One workload.
  static func lines(_ result: WorkloadResult) -> String {
    let title = "\(result.name): \(result.title); per \(result.unit), \(result.rounds) rounds"
    var lines = ["", title]
    lines.append(
      line(["", "CPU", "min … max", "wall", "ratio", "min … max", "wall", "to peer", "memory"])
    )
    lines += result.contenders.map { contender in
      line([
        contender.name,
        Units.time(contender.cpu.median),
        "\(Units.time(contender.cpu.minimum)) … \(Units.time(contender.cpu.maximum))",
        Units.time(contender.wall.median),
        Units.ratio(contender.cpuRatio.median),
        "\(Units.ratio(contender.cpuRatio.minimum)) … \(Units.ratio(contender.cpuRatio.maximum))",
        Units.ratio(contender.wallRatio.median),
        contender.cpuRatioToBestPeer.map(Units.ratio) ?? "",
        contender.peakBytes.map(Units.bytes) ?? "",
      ])
    }
    return lines.joined(separator: "\n")
  }

  /// All targets and whether they were reached.
  static func summary(_ report: Report) -> String {
    var lines = ["", "targets"]
    for result in report.workloads {
      for target in result.targets {
        lines.append(
          "  " + Units.padded(result.name, 20)
            + Units.padded("\(target.clock.rawValue) ≤ \(Units.ratio(target.ratio))", 14)
            + Units.padded(Units.ratio(target.reached), 9, toLeft: true)
            + Units.padded(target.isMet ? "" : "  missed", 8)
            + (target.limit.map { "  limit \(Units.ratio($0))" } ?? "")
        )
      }
    }
    let (count, missed) = report.targets
    lines.append("\(missed) of \(count) missed, growth and memory counted in")
    return lines.joined(separator: "\n")
  }

  private static func line(_ cells: [String]) -> String {
    let widths = [30, 9, 21, 9, 7, 17, 7, 8, 10]
    return zip(cells, widths).enumerated().map { index, cell in
      Units.padded(cell.0, cell.1, toLeft: index > 0)
    }.joined(separator: " ")
  }
}
