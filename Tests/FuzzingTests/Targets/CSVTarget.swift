import CSVFiles
import Foundation

/// Files of comma-separated values.
enum CSVTarget {
  static let seeds = [
    "a,b\r\n1,\"x\"\"y\nz\"\r\n\r\n2,\n", "\u{FEFF}name\nZoë\n\n\"\"\n", "a;b\n1;2",
  ].map { Array($0.utf8) }

  /// A chunk of few bytes and one of many give the same rows or the same error.
  static func read(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: FuzzFiles.table)
    let small = result(chunkSize: 3)
    let large = result(chunkSize: 1 << 16)
    try FuzzFailure.unless(small == large, "chunks matter: \(small) and \(large)")
  }

  private static func result(chunkSize: Int) -> [String] {
    var lines: [String] = []
    do {
      let reader = try CSVReader(
        path: FuzzFiles.table.path,
        chunkSize: chunkSize,
        longestRecord: 4096
      )
      lines.append(reader.header.joined(separator: "|"))
      while let row = try reader.next() {
        let texts = try? row.texts()
        lines.append("\(row.line): \(texts?.joined(separator: "|") ?? "not UTF-8")")
      }
    } catch {
      lines.append("\(error)")
    }
    return lines
  }
}
