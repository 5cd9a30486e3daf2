import Foundation

/// One run of the benchmark, or of the parts that its options name.
struct BenchmarkRun {
  private let options: Options
  private let scene: Scene

  /// Prepares a run whose stores lie in a folder.
  init(_ options: Options, folder: URL) {
    self.options = options
    // A fifth of the rows: enough for the ratios to be about right.
    scene = Scene(folder: folder, divisor: options.isQuick ? 5 : 1)
  }

  /// Measures, and shows each result as it comes where people read it.
  func report() throws -> Report {
    // Memory first: later the process's heap has much that is free and would be taken again.
    Report(
      machine: Machine(options),
      memory: try options.runs(chapter: Options.memory) ? memory() : [],
      workloads: try workloads(),
      growth: try options.runs(chapter: Options.growth) ? growth() : []
    )
  }

  private func workloads() throws -> [WorkloadResult] {
    guard let names = options.workloads else { return [] }
    let rounds = options.rounds ?? (options.isQuick ? 5 : 9)
    let chosen = try WorkloadList.chosen(names)
    let skipped = chosen.filter { !$0.canRun }.map(\.name)
    if !skipped.isEmpty {
      let names = skipped.joined(separator: ", ")
      let message = "benchmark: POSTGRES_URL names no such server; skipped: \(names)\n"
      FileHandle.standardError.write(Data(message.utf8))
    }
    return try chosen.filter(\.canRun).map { entry in
      let result = try entry.make(scene).measured(as: entry.name, rounds: rounds)
      show(TextReport.lines(result))
      return result
    }
  }

  private func growth() throws -> [GrowthResult] {
    let sizes = [1_000, 10_000, 100_000, 1_000_000]
    let scene = GrowthScene(scene)
    let rounds = options.rounds ?? (options.isQuick ? 3 : 5)
    let results = try GrowthTask.all.flatMap {
      try $0.measured(scene, sizes: options.isQuick ? sizes.dropLast() : sizes, rounds: rounds)
    }
    show(TextReport.lines(results))
    return results
  }

  private func memory() throws -> [MemoryResult] {
    let results = try MemoryTasks(scene: scene).measured()
    show(TextReport.lines(results))
    return results
  }

  private func show(_ text: String) {
    guard options.format == .text else { return }
    print(text)
    // Whoever follows a long run through a pipe sees each result when it is there.
    fflush(nil)
  }
}
