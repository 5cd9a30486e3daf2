/// Results as tables for a document.
enum MarkdownReport {
  /// Everything, with a link to a plot where there is one.
  static func text(_ report: Report, plot: String? = nil) -> String {
    let (count, missed) = report.targets
    let head = "Measured on \(report.machine.description)."
    let legend = "Times and ratios are of CPU / elapsed."
    var parts = ["\(head) \(count - missed) of \(count) targets met. \(legend)"]
    if !report.workloads.isEmpty { parts.append(table(report.workloads)) }
    if !report.growth.isEmpty {
      parts += ["### Growth", "CPU times are by hand / OpenSwiftData."]
      if let plot {
        parts.append("![Cost against size, both in powers of ten, for SQLite and JSON](\(plot))")
      }
      parts.append(growth(report.growth))
    }
    if !report.memory.isEmpty { parts += ["### Memory", memory(report.memory)] }
    return parts.joined(separator: "\n\n")
  }

  /// One row for each workload.
  private static func table(_ results: [WorkloadResult]) -> String {
    let rows = results.map { result -> [String] in
      let control = result.contenders.first { $0.role == .control }
      let engine = result.contenders.first { $0.name == Workload.Contender.engineName }
      let limit = result.contenders.first { $0.role == .limit }
      let named = [control, engine, limit].compactMap { $0?.name }
      let others = result.contenders.filter { !named.contains($0.name) }
      var row = ["`\(result.name)`: \(result.title), per \(result.unit)"]
      row.append(control.map(cost) ?? "")
      row.append(engine.map(cost) ?? "")
      row.append(engine.map { "\(range($0.cpuRatio)) / \(Units.ratio($0.wallRatio.median))" } ?? "")
      row.append(limit.map(ratios) ?? "")
      row.append(others.map { "\($0.name): \(ratios($0))" }.joined(separator: "; "))
      row.append(result.targets.map(text).joined(separator: "; "))
      return row
    }
    return table(
      [
        "workload", "by hand", "OpenSwiftData", "ratio", "by hand, same guarantees", "others",
        "target",
      ],
      rows
    )
  }

  /// The CPU time, the elapsed time, and the peak of memory.
  private static func cost(_ contender: ContenderResult) -> String {
    let times = "\(Units.time(contender.cpu.median)) / \(Units.time(contender.wall.median))"
    return times + (contender.peakBytes.map { ", \(Units.bytes($0))" } ?? "")
  }

  /// The ratios of CPU time and of elapsed time.
  private static func ratios(_ contender: ContenderResult) -> String {
    "\(Units.ratio(contender.cpuRatio.median)) / \(Units.ratio(contender.wallRatio.median))"
  }

  private static func text(_ target: WorkloadResult.Target) -> String {
    let owner = target.contender == Workload.Contender.engineName ? "" : "\(target.contender): "
    let state = target.isMet ? "met" : "**missed**"
    return "\(owner)\(target.clock.rawValue) ≤ \(Units.ratio(target.ratio)): \(state)"
  }

  /// One row for each task, with the time by hand and that of the engine.
  private static func growth(_ results: [GrowthResult]) -> String {
    let sizes = results[0].points.map { "\(Units.count($0.rows)) rows" }
    let rows = results.filter { $0.role == .engine }.map { engine in
      let control = results.first { $0.name == engine.name && $0.role == .control }
      let promise =
        switch engine.isMet {
        case true?: "flat, ≤ \(Units.ratio(GrowthTask.flatLimit)): met"
        case false?: "flat, ≤ \(Units.ratio(GrowthTask.flatLimit)): **missed**"
        case nil: engine.expectation == .linear ? "linear; the growth is that of a row" : ""
        }
      let both = [control, engine].compactMap(\.self)
      let times = engine.points.indices.map { index in
        both.map { Units.time($0.points[index].cpu.median) }.joined(separator: " / ")
      }
      let growth = both.map { Units.ratio($0.growth.median) }.joined(separator: " / ")
      return ["`\(engine.name)`: \(engine.title)"] + times + [growth, promise]
    }
    return table(["task"] + sizes + ["growth", "target"], rows)
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
