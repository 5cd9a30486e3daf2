/// The errors in a compiler's output.
struct CompilerErrors {
  /// The first error of each file, by the file's path relative to the package.
  private(set) var byFile: [String: String] = [:]
  /// The errors that name none of the files.
  private(set) var others: [String] = []

  /// Finds the errors in some files.
  ///
  /// - Parameters:
  ///   - output: The output of the compiler.
  ///   - files: The paths of the files, relative to the package.
  init(in output: String, files: Set<String>) {
    var pending: String?
    for line in output.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("error: ") {
        if let pending { others.append(pending) }
        pending = nil
        others.append(String(line.dropFirst("error: ".count)))
        continue
      }
      guard let match = line.firstMatch(of: #/:\d+:\d+: (error|note): (.*)$/#) else { continue }
      if match.output.1 == "error" {
        if let pending { others.append(pending) }
        pending = String(match.output.2)
      }
      // An error in the expansion of a macro names the file in a note.
      guard let message = pending,
        let file = Self.file(at: line[..<match.range.lowerBound], of: files)
      else { continue }
      if byFile[file] == nil { byFile[file] = message }
      pending = nil
    }
    if let pending { others.append(pending) }
  }

  /// Returns the file at an absolute path; the package's folder may have several.
  private static func file(at path: Substring, of files: Set<String>) -> String? {
    for index in path.indices where path[index] == "/" {
      let end = String(path[path.index(after: index)...])
      if files.contains(end) { return end }
    }
    return nil
  }
}
