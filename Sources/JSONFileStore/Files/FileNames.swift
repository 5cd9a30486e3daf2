import StoreFiles

/// The names of files that a document or journal mentions.
enum FileNames {
  private static let key = Array("\"$file\"".utf8)

  /// The names that rows have, and those that stand anywhere in the text of rows that were not read.
  static func named(by state: StoreState) -> Set<String> {
    var names: Set<String> = []
    for stored in state.tables {
      switch stored.content {
      case .absent: continue
      case .text(let range):
        state.source.withUnsafeBytes {
          names.formUnion(mentioned(in: UnsafeRawBufferPointer(rebasing: $0[range])))
        }
      case .rows(let table):
        for column in table.columns { names.formUnion(column.files.values.map(\.name)) }
      }
    }
    return names
  }

  /// The names behind `"$file"` anywhere in a text: at least those that its rows have.
  ///
  /// - Complexity: O(*n*) in the bytes.
  static func mentioned(in bytes: UnsafeRawBufferPointer) -> Set<String> {
    var names: Set<String> = []
    var index = 0
    while index + key.count <= bytes.count {
      guard bytes[index] == key[0], bytes[index + 1] == key[1],
        bytes[index..<index + key.count].elementsEqual(key)
      else {
        index += 1
        continue
      }
      index += key.count
      if let name = name(in: bytes, from: index) { names.insert(name) }
    }
    return names
  }

  /// The name that stands behind blanks, a colon and a quote.
  private static func name(in bytes: UnsafeRawBufferPointer, from start: Int) -> String? {
    var start = start
    while start < bytes.count, [0x20, 0x09, 0x0A, 0x0D, 0x3A].contains(bytes[start]) { start += 1 }
    guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
    let text = String(decoding: bytes[start + 1..<min(start + 33, bytes.count)], as: UTF8.self)
    return FileReference.isName(text) ? text : nil
  }
}
