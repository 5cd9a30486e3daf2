import Foundation
import RawSQLite

/// On what was measured, with what, and when.
struct Machine: Codable {
  let processor: String
  let cores: Int
  let memoryBytes: Int
  let system: String
  let compiler: String?
  let sqlite: String
  let grdb: String?
  /// The version of the PostgreSQL server, or `nil` if there is none for the benchmark.
  let postgreSQL: String?
  /// The day in UTC: 2026-11-22.
  let date: String
  let isQuick: Bool

  /// The machine that this runs on.
  init(_ options: Options) {
    processor = Self.processor ?? "an unnamed processor"
    cores = ProcessInfo.processInfo.activeProcessorCount
    memoryBytes = Int(ProcessInfo.processInfo.physicalMemory)
    system = ProcessInfo.processInfo.operatingSystemVersionString
    compiler = options.compiler
    sqlite = String(cString: sqlite3_libversion())
    grdb = Self.grdb
    postgreSQL = PostgreSQLScene.serverVersion
    date = String(Date.now.formatted(.iso8601).prefix(10))
    isQuick = options.isQuick
  }

  /// All of it in a sentence.
  var description: String {
    let memory = String(format: "%.0f GB", Double(memoryBytes) / 1e9)
    let versions = [
      compiler, "SQLite \(sqlite)", grdb.map { "GRDB \($0)" },
      postgreSQL.map { "PostgreSQL \($0)" },
    ].compactMap { $0 }
    return "\(date); \(processor), \(cores) cores, \(memory); \(system); "
      + versions.joined(separator: ", ") + (isQuick ? "; a quick run" : "")
  }

  private static var processor: String? {
    let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The version that the package manager has taken, as it has noted it.
  private static var grdb: String? {
    struct Resolved: Decodable {
      struct Pin: Decodable {
        struct State: Decodable { var version: String? }
        var identity: String
        var state: State
      }
      var pins: [Pin]
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Package.resolved").standardized
    guard let data = try? Data(contentsOf: file),
      let resolved = try? JSONDecoder().decode(Resolved.self, from: data)
    else { return nil }
    return resolved.pins.first { $0.identity == "grdb.swift" }?.state.version
  }
}
