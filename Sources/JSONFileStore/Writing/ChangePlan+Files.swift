import StoreFiles
import StoreProtocol

/// Data that is too large for the document.
extension ChangePlan {
  /// Writes large values to files, and replaces them by references.
  mutating func moveValues(to files: ValueFileBatch, _ tables: [StoredTable]) throws {
    for row in updated.indices {
      let entity = tables[updated[row].table].entity
      for (position, property) in updated[row].properties.enumerated() {
        _ = try files.move(&updated[row].cells[position], property, of: entity)
      }
    }
    for table in inserted.indices {
      for property in map.types[table].indices where map.types[table][property] == .external {
        for slot in 0..<(inserted[table]?.slotCount ?? 0) {
          guard var cell = inserted[table]?.columns[property].cell(slot) else { continue }
          if try files.move(&cell, property, of: tables[table].entity) {
            inserted[table]?.set(cell, at: property, slot: slot)
          }
        }
      }
    }
  }

  /// Records the files that changed and deleted rows no longer name, unless other rows do.
  func releaseFiles(to files: ValueFileBatch, _ state: StoreState) {
    var freed: Set<CellLocation> = []
    for (table, key) in deleted {
      guard let columns = state.tables[table].table?.columns else { continue }
      for property in columns.indices {
        release(CellLocation(table: table, property: property, key: key), state, files, &freed)
      }
    }
    for row in updated {
      for property in row.properties {
        release(
          CellLocation(table: row.table, property: property, key: row.key),
          state,
          files,
          &freed
        )
      }
    }
    if !files.released.isEmpty { keepShared(files, state, except: freed) }
  }

  /// The location of a row's value.
  private struct CellLocation: Hashable {
    let table: Int
    let property: Int
    let key: Int64
  }

  private func release(
    _ location: CellLocation,
    _ state: StoreState,
    _ files: ValueFileBatch,
    _ freed: inout Set<CellLocation>
  ) {
    guard let table = state.tables[location.table].table, let slot = table.slot(of: location.key),
      let reference = table.columns[location.property].files[slot]
    else { return }
    files.release(reference)
    freed.insert(location)
  }

  /// Removes released files that another row also names: a person may have copied a row.
  private func keepShared(
    _ files: ValueFileBatch,
    _ state: StoreState,
    except freed: Set<CellLocation>
  ) {
    for (number, stored) in state.tables.enumerated() {
      switch stored.content {
      case .absent: continue
      case .text(let range):
        let names = state.source.withUnsafeBytes {
          FileNames.mentioned(in: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
        for reference in files.released where names.contains(reference.name) {
          files.keep(reference)
        }
      case .rows(let table):
        for (property, column) in table.columns.enumerated() {
          for (slot, reference) in column.files where files.released.contains(reference) {
            let location = CellLocation(table: number, property: property, key: table.keys[slot])
            if !freed.contains(location) { files.keep(reference) }
          }
        }
      }
    }
  }
}

extension ValueFileBatch {
  /// Replaces data that is too large by a reference, if the property allows it.
  ///
  /// - Returns: Whether the data was replaced.
  fileprivate func move(_ cell: inout Cell, _ index: Int, of entity: StoreEntity) throws -> Bool {
    guard case .value(.data(let data)) = cell, data.count > threshold else { return false }
    let property = entity.properties[index]
    guard property.isExternal, CellType(property, in: entity) == .external else { return false }
    cell = .file(
      try data.withUnsafeBytes {
        try write($0, entity: entity.name, property: property.name)
      }
    )
    return true
  }
}
