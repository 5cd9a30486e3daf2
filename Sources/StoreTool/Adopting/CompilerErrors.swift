/// The errors in a compiler's output.
struct CompilerErrors {
  /// A line and a column, counted from 1.
  struct Position: Hashable {
    let line: Int
    let column: Int
  }

  /// An error in a file.
  struct Entry: Equatable {
    let position: Position
    let message: String
  }

  /// The errors of each file, by the file's path relative to the package.
  private(set) var byFile: [String: [Entry]] = [:]
  /// The errors that name none of the files.
  private(set) var others: [String] = []

  /// Finds the errors in some files.
  ///
  /// - Parameters:
  ///   - output: The output of the compiler.
  ///   - files: The paths of the files, relative to the package.
  init(in output: String, files: Set<String>) {
    var pending: String?
    for text in output.split(whereSeparator: \.isNewline) {
      if text.hasPrefix("error: ") {
        if let pending { others.append(pending) }
        pending = nil
        others.append(String(text.dropFirst("error: ".count)))
        continue
      }
      guard let match = text.firstMatch(of: #/:(\d+):(\d+): (error|note): (.*)$/#),
        let line = Int(match.output.1), let column = Int(match.output.2)
      else { continue }
      if match.output.3 == "error" {
        if let pending { others.append(pending) }
        pending = String(match.output.4)
      }
      // An error in the expansion of a macro names the file in a note.
      guard let message = pending,
        let file = Self.file(at: text[..<match.range.lowerBound], of: files)
      else { continue }
      let position = Position(line: line, column: column)
      byFile[file, default: []].append(Entry(position: position, message: message))
      pending = nil
    }
    if let pending { others.append(pending) }
  }

  /// Returns the file at an absolute path; the package's folder may have several.
  static func file(at path: Substring, of files: Set<String>) -> String? {
    for index in path.indices where path[index] == "/" {
      let end = String(path[path.index(after: index)...])
      if files.contains(end) { return end }
    }
    return nil
  }
}
