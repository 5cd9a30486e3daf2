/// The rules for the names of store files.
package enum FileName {
  /// The longest name of a store file; what is put behind it must fit in 255 bytes.
  package static let longest = 200

  /// Why a name cannot be a store file's name, or nil when it can.
  package static func objection(to name: String) -> String? {
    if name.isEmpty { return "the file's name is empty" }
    if name.hasPrefix(".") { return "the file's name begins with a dot" }
    if name.utf8.contains(UInt8(ascii: "/")) { return "the file's name contains a slash" }
    if name.utf8.contains(0) { return "the file's name contains a null character" }
    if name.utf8.count > longest { return "the file's name is longer than \(longest) bytes" }
    return nil
  }

  /// Why a path cannot be a store file's path, or nil when it can.
  ///
  /// A URL can have a null character, which its path has once percent escapes are undone.
  package static func objection(toPath path: String) -> String? {
    if path.utf8.contains(0) { return "the path contains a null character" }
    return objection(to: split(path).name)
  }

  /// Splits a path into its folder and the name within it.
  package static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[path.utf8.index(after: slash)...])
    return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
  }

  /// The name of the file whose lock stands for the store.
  package static func lock(of name: String) -> String { name + ".lock" }

  /// The name of the folder with the values that are too large for the rows of a store.
  package static func values(of name: String) -> String { name + ".files" }

  /// What is temporary beside a store.
  enum Temporary: String {
    /// A file that is to take the place of another one.
    case file = "tmp"
    /// The folder of a copy that is migrated.
    case migration = "migrating"
  }

  /// A new name for something temporary of a store.
  static func temporary(_ kind: Temporary = .file, for name: String) -> String {
    let number = UInt64.random(in: .min ... .max)
    let digits = String(number, radix: 16)
    return prefix(kind, name) + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Whether a name is one that ``temporary(_:for:)`` makes for that store.
  static func isTemporary(
    _ candidate: String,
    _ kind: Temporary = .file,
    for name: String
  ) -> Bool {
    // By bytes: a combining mark behind the prefix would be a part of its last character.
    let prefix = prefix(kind, name).utf8
    guard candidate.utf8.starts(with: prefix) else { return false }
    let digits = candidate.utf8.dropFirst(prefix.count)
    return digits.count == 16
      && digits.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  private static func prefix(_ kind: Temporary, _ name: String) -> String {
    ".\(name).\(kind.rawValue)-"
  }
}
