import Foundation

/// The program `benchmark`: measures the engine beside what its tasks cost at least.
@main
enum BenchmarkProgram {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.needsHelp { return print(Options.usage) }
      try run(options)
    } catch {
      FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ options: Options) throws {
    let base = options.folder.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
    let folder = base.appending(path: "benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // A fifth of the rows: enough for the ratios to be about right.
    let scene = Scene(folder: folder, divisor: options.isQuick ? 5 : 1)
    var results: [WorkloadResult] = []
    for entry in try WorkloadList.chosen(options.names) {
      let workload = try entry.make(scene)
      let rounds = options.rounds ?? (options.isQuick ? 5 : 9)
      let result = try workload.measured(as: entry.name, rounds: rounds)
      results.append(result)
      if options.format == .text { print(TextReport.lines(result)) }
    }
    switch options.format {
    case .text: print(TextReport.summary(results))
    case .markdown: print(MarkdownReport.table(results))
    case .json: print(try JSONReport.text(results))
    }
  }
}
