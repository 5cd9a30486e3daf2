import Foundation

/// The program `roads`: how the time of each ordinary operation grows with the number of objects.
@main
enum RoadsProgram {
  private static let usage = """
    usage: roads [--all] [--bounds FILE [--write]] [--page FILE] [WORD...]

    Measures the rows whose names have all words (json, unique, insert), in CPU time of this process,
    and fails if the time of an object for 8 N objects is more than twice that for N.

      --all     all rows, with more objects, and not only those of every change
      --bounds  bounds of rows that grow more today
      --write   lowers these bounds to what was measured
      --page    writes the rows that miss a target between the marks of a page
    """

  static func main() {
    do {
      try run(CommandLine.arguments.dropFirst())
    } catch {
      FileHandle.standardError.write(Data("roads: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    if words.contains("--help") { return print(usage) }
    let isWhole = take("--all", from: &words)
    let writes = take("--write", from: &words)
    var bounds = try RoadBounds(takeValue(of: "--bounds", from: &words))
    let page = takeValue(of: "--page", from: &words)
    let roads = Road.all.filter { road in
      let parts = Set(road.name.split(separator: " ").map(String.init))
      return (road.isQuick || isWhole) && words.allSatisfy(parts.contains)
    }
    guard !roads.isEmpty else { return print(usage) }
    let count = isWhole ? 1_000 : 400
    let results = try measured(roads, from: count, bounds, exactly: page != nil)
    if let page { try RoadPage(results, from: count).write(to: page) }
    if writes { return try bounds.write(results) }
    let bad = results.filter { $0.growth > bounds[$0.road.name] }
    print("\(results.count) rows, \(bad.count) grow too much")
    for result in bad {
      let (growth, bound) = (RoadResult.text(result.growth), bounds[result.road.name])
      print("  \(result.road.name): \(growth), at most \(bound)")
    }
    if !bad.isEmpty { exit(1) }
  }

  private static func take(_ option: String, from words: inout ArraySlice<String>) -> Bool {
    defer { words.removeAll { $0 == option } }
    return words.contains(option)
  }

  private static func takeValue(
    of option: String,
    from words: inout ArraySlice<String>
  ) -> String? {
    guard let position = words.firstIndex(of: option), position + 1 < words.endIndex else {
      return nil
    }
    defer { words.removeSubrange(position...(position + 1)) }
    return words[position + 1]
  }

  private static func measured(
    _ roads: [Road],
    from count: Int,
    _ bounds: RoadBounds,
    exactly isExact: Bool
  ) throws -> [RoadResult] {
    // The first work of a process loads code and fills caches.
    _ = try roads[0].seconds(count)
    print(RoadResult.head)
    var plain: [String: Double] = [:]
    return try roads.map { road in
      let result = try RoadResult(
        road,
        from: count,
        bound: isExact ? RoadTarget.growth : bounds[road.name],
        plain: road.plainName.flatMap { plain[$0] }
      )
      if road.plainName == nil { plain[road.name] = result.seconds }
      print(result.line)
      return result
    }
  }
}
