import StoreFiles

/// The names of value files in a document.
enum FileNames {
  /// Returns the names in rows, and those anywhere in the text of rows that were not read.
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

  /// Returns whether a row names a value file.
  ///
  /// Rows that were not read yet are read if their text contains such a name.
  static func areNamed(by state: StoreState) -> Bool {
    state.tables.contains { stored in
      guard stored.hasFileColumns else { return false }
      if case .text(let range) = stored.content {
        let mayNameFiles = state.source.withUnsafeBytes {
          !mentioned(in: UnsafeRawBufferPointer(rebasing: $0[range])).isEmpty
        }
        guard mayNameFiles else { return false }
      }
      // Malformed rows are reported when they are used.
      let table = try? stored.loaded(
        from: state.source,
        nextKey: state.sourceNextKey,
        file: ""
      )
      return table?.columns.contains { !$0.files.isEmpty } ?? false
    }
  }

  /// Returns the strings of a text that can be names, which include all names in its rows.
  ///
  /// Strings are compared after unescaping, because any of their characters may be escaped.
  ///
  /// - Complexity: O(*n*) in the bytes.
  static func mentioned(in bytes: UnsafeRawBufferPointer) -> Set<String> {
    var scanner = JSONScanner(bytes)
    var names: Set<String> = []
    while let quote = bytes[scanner.position...].firstIndex(of: UInt8(ascii: "\"")) {
      scanner.move(to: quote)
      guard let text = try? scanner.readText() else {
        // No JSON string starts here, but one may start after it.
        scanner.move(to: quote + 1)
        continue
      }
      // Each character of a name takes one byte, or six bytes as an escape.
      guard (32...32 * 6).contains(text.end - text.start),
        let name = try? scanner.string(of: text), FileReference.isName(name)
      else { continue }
      names.insert(name)
    }
    return names
  }
}

extension StoreState {
  /// Returns the files that rows name; rows that are still text are read for it.
  ///
  /// - Throws: `storeDamaged` if they cannot be read.
  func references(file: String) throws -> Set<FileReference> {
    var references: Set<FileReference> = []
    for stored in tables where stored.hasFileColumns {
      let table = try stored.loaded(from: source, nextKey: sourceNextKey, file: file)
      for column in table.columns { references.formUnion(column.files.values) }
    }
    return references
  }
}

extension StoredTable {
  /// Whether values of the entity may be in files.
  fileprivate var hasFileColumns: Bool {
    entity.properties.contains { CellType($0, in: entity) == .external }
  }
}
