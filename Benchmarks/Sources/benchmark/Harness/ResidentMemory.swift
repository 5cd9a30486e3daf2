import Foundation
import RawSQLite

/// The process's memory as the system counts it; only Linux lets a process begin its peak anew.
enum ResidentMemory {
  /// Gives unused memory back, begins the peak anew, and returns the memory in use.
  static func startingPeak() -> Int? {
    #if os(Linux)
      raw_release_memory()
      guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return nil }
      defer { try? file.close() }
      do {
        try file.write(contentsOf: Data("5".utf8))
      } catch {
        return nil
      }
    #endif
    return bytes(of: "VmRSS")
  }

  /// The most memory that was in use since the peak began.
  static func peak() -> Int? { bytes(of: "VmHWM") }

  /// The bytes of the heap that somebody holds, where the system tells.
  static func held() -> Int? {
    let bytes = raw_allocated_bytes()
    return bytes > 0 ? Int(bytes) : nil
  }

  private static func bytes(of name: String) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
      return nil
    }
    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
      .flatMap { Int($0) }.map { $0 * 1024 }
  }
}
