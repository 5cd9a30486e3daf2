import Foundation

/// The rules that processes test now, as empty files, so that a rule in which a process ends is known
/// to the next run.
struct UnfinishedRules {
  private static let reported = Shared<Set<String>>([])
  private let folder: URL

  /// Returns the rules of a type of store.
  init(
    of store: String,
    in parent: URL = FileManager.default.temporaryDirectory.appending(path: "StoreConformance")
  ) {
    folder = parent.appending(path: store.replacing("/", with: " "))
  }

  /// Marks a rule as begun, and returns a function that ends it.
  ///
  /// A system that lets no file be written costs the mark, not the rule.
  func begin(_ rule: String) -> () -> Void {
    let name = "\(ProcessInfo.processInfo.processIdentifier) \(rule) \(UUID().uuidString)"
    let file = folder.appending(path: name)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    return { try? FileManager.default.removeItem(at: file) }
  }

  /// Returns the rules in which processes ended, and forgets them.
  func takeEnded() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      let words = name.split(separator: " ")
      guard words.count == 3, let process = Int32(words[0]), !Self.exists(process) else {
        return nil
      }
      try? FileManager.default.removeItem(at: folder.appending(path: name))
      return String(words[1])
    }
  }

  /// Writes the rules in which processes ended to standard error, once in each process.
  func reportEnded(of store: String) {
    guard Self.reported.withLock({ $0.insert(folder.path).inserted }) else { return }
    let rules = takeEnded()
    if rules.isEmpty { return }
    let text =
      "an earlier run of the store contract on \(store) ended in \(rules.joined(separator: ", ")): "
      + "test these rules alone, or run the suite with `storectl conformance` or ConformanceProgram, "
      + "which go on after such a rule\n"
    FileHandle.standardError.write(Data(text.utf8))
  }

  private static func exists(_ process: Int32) -> Bool {
    kill(process, 0) == 0 || errno == EPERM
  }
}
