import Foundation

/// The program `benchmark`: measures the engine beside what its tasks cost at least.
@main
enum BenchmarkProgram {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.needsHelp { return print(Options.usage) }
      let base = options.folder.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
      let folder = base.appending(path: "benchmark-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try write(try BenchmarkRun(options, folder: folder).report(), options)
    } catch {
      FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func write(_ report: Report, _ options: Options) throws {
    switch options.format {
    case .text: print(TextReport.summary(report))
    case .markdown: print(MarkdownReport.text(report, plot: options.plot))
    case .json: print(try JSONReport.text(report))
    }
    if let plot = options.plot, let picture = GrowthPlot(report.growth) {
      try picture.svg.write(toFile: plot, atomically: true, encoding: .utf8)
    }
    if let page = options.page {
      // A link from the page to a picture beside it.
      let name = options.plot.map { URL(filePath: $0).lastPathComponent }
      try ReportPage.write(MarkdownReport.text(report, plot: name), to: page)
    }
  }
}
