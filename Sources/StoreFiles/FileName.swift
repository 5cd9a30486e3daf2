import StoreProtocol

/// The rules for the names of store files.
package enum FileName {
  /// The maximum length of a store file's name; its suffixes must fit into 255 bytes.
  package static let longest = 200

  /// The suffixes that SQLite appends to a database's name for files of its own.
  package static let companions = ["-wal", "-shm", "-journal"]
  /// The ends of the names of other files of a store, which would be overwritten.
  private static let taken = companions + [lock(of: ""), values(of: ""), journal(of: "")]

  /// Returns why a name cannot be a store file's name, or `nil` if it can.
  package static func objection(to name: String) -> String? {
    if name.isEmpty { return "the file's name is empty" }
    if name == "." || name == ".." { return "the name is that of a folder" }
    if isTemporaryOfAny(name) { return "the file's name is that of a temporary file of a store" }
    if name.utf8.contains(UInt8(ascii: "/")) { return "the file's name contains a slash" }
    if name.utf8.contains(0) { return "the file's name contains a null character" }
    if name.utf8.count > longest { return "the file's name is longer than \(longest) bytes" }
    // On some systems, names that differ only by case are the same.
    if let end = taken.first(where: name.lowercased().hasSuffix) {
      return "the file's name ends with \(end), like another file of a store"
    }
    return nil
  }

  /// Returns why a path cannot be a store file's path, or `nil` if it can.
  ///
  /// A URL can contain an escaped null character, which its path contains after unescaping.
  package static func objection(toPath path: String) -> String? {
    if path.utf8.contains(0) { return "the path contains a null character" }
    if path.utf8.last == UInt8(ascii: "/") {
      return "the path ends with a slash, like that of a folder"
    }
    return objection(to: split(path).name)
  }

  package static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[path.utf8.index(after: slash)...])
    return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
  }

  /// Returns the name of the file whose lock represents the store's lock.
  package static func lock(of name: String) -> String { name + ".lock" }

  /// Returns the name of the file with the latest saves of a JSON store.
  package static func journal(of name: String) -> String { name + ".journal" }

  /// Returns the name of the folder with the values that are too large for the rows of a store.
  package static func values(of name: String) -> String { name + ".files" }

  /// The kinds of temporary files and folders beside a store.
  enum Temporary: String {
    /// A file that will replace another one.
    case file = "tmp"
    /// The folder of a copy that is migrated.
    case migration = "migrating"
  }

  /// The names that temporary files or folders of a store have, unless others have all of them.
  ///
  /// They are always the same. So the remains of an ended process are found without a list of the
  /// folder, in which there may be the stores of many thousand users.
  static func temporaries(_ kind: Temporary = .file, for name: String) -> [String] {
    ["0000000000000000", "0000000000000001"].map { prefix(kind, name) + $0 }
  }

  /// Returns a new name for a temporary file or folder of a store.
  static func temporary(_ kind: Temporary = .file, for name: String) -> String {
    prefix(kind, name) + UInt64.random(in: .min ... .max).hexadecimal
  }

  /// Returns whether a name is one that a temporary file or folder of that store can have.
  static func isTemporary(
    _ candidate: String,
    _ kind: Temporary = .file,
    for name: String
  ) -> Bool {
    // By bytes: a combining mark after the prefix would combine with its last character.
    let prefix = prefix(kind, name).utf8
    guard candidate.utf8.starts(with: prefix) else { return false }
    let digits = candidate.utf8.dropFirst(prefix.count)
    return digits.count == 16 && digits.areHexadecimal
  }

  /// Returns whether a name is one that a temporary file or folder of some store can have.
  private static func isTemporaryOfAny(_ candidate: String) -> Bool {
    let bytes = candidate.utf8
    guard bytes.first == UInt8(ascii: "."), bytes.suffix(16).areHexadecimal else { return false }
    let kinds = [Temporary.file, .migration]
    return kinds.contains {
      bytes.dropLast(16).reversed().starts(with: ".\($0.rawValue)-".utf8.reversed())
    }
  }

  private static func prefix(_ kind: Temporary, _ name: String) -> String {
    ".\(name).\(kind.rawValue)-"
  }
}

extension Sequence<UInt8> {
  /// Whether all bytes are lowercase hexadecimal digits.
  var areHexadecimal: Bool {
    allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
  }
}
