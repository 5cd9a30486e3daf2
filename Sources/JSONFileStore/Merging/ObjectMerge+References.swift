import StoreProtocol

/// Restores the constraints between rows of two documents.
extension ObjectMerge {
  /// Resolves references to removed rows, and inconsistent ends of relationships.
  ///
  /// - Returns: Whether anything changed.
  mutating func resolveReferences() -> Bool {
    var isChanged = false
    for key in merged.keys.sorted() {
      guard let row = merged[key] else { continue }
      for index in row.cells.indices {
        switch (map.types[row.table][index], row.cells[index]) {
        case (.reference, .integer(let target)):
          if resolve(target, of: key, index, in: row.table) { isChanged = true }
        case (.references, .keys(let list)):
          if resolve(list, of: key, index, in: row.table) { isChanged = true }
        default: continue
        }
        if merged[key] == nil { break }
      }
    }
    return isChanged
  }

  private func property(_ table: Int, _ index: Int) -> StoreProperty {
    map.schema.entities[table].properties[index]
  }

  /// Returns whether a value equals ours.
  private func isOurs(_ key: Int64, _ index: Int) -> Bool {
    guard let mine = ours[key], let row = merged[key] else { return false }
    return mine.cells[index].isSame(as: row.cells[index])
  }

  private mutating func resolve(
    _ target: Int64,
    of key: Int64,
    _ index: Int,
    in table: Int
  ) -> Bool {
    if merged[target] != nil { return resolveOtherEnd(target, of: key, index, in: table) }
    let before = base[key]?.cells[index]
    if isOurs(key, index) {
      // The rules of the models allow a dangling reference that our document had before.
      guard let mine = ours[target], before?.list != [target] else { return false }
      merged[target] = mine
      note(target, "theirs removed the object and \(name(of: key)) of ours refers to it")
      return true
    }
    guard theirs[target] != nil, before?.list != [target] else { return false }
    if base[target] != nil {
      note(target, "ours removed the object and \(name(of: key)) of theirs refers to it")
    }
    discard(key, index, in: table, because: "the required related object was removed")
    return true
  }

  /// Discards one of their values: our value is kept, or the property becomes nil, or the object is
  /// dropped if the property is required.
  private mutating func discard(
    _ key: Int64,
    _ index: Int,
    in table: Int,
    because reason: String
  ) {
    if let mine = ours[key] {
      merged[key]?.cells[index] = mine.cells[index]
    } else if property(table, index).isOptional {
      merged[key]?.cells[index] = .null
    } else {
      note(key, "the object is omitted: \(reason)")
      merged[key] = nil
    }
  }

  /// Resolves a one-to-one relationship whose other end is inconsistent.
  private mutating func resolveOtherEnd(
    _ target: Int64,
    of key: Int64,
    _ index: Int,
    in table: Int
  ) -> Bool {
    let property = property(table, index)
    guard property.isKeptByBothEnds, let other = inverse(of: property, in: target),
      merged[target]?.cells[other].list != [key]
    else { return false }
    if isOurs(key, index) {
      // Inconsistent ends in our document stay unchanged.
      guard let mine = ours[target], mine.cells[other].list == [key] else { return false }
      merged[target]?.cells[other] = mine.cells[other]
    } else {
      discard(key, index, in: table, because: "\(name(of: target)) belongs to another object")
    }
    return true
  }

  /// Removes the keys of removed rows from a list, and makes both lists of a many-to-many
  /// relationship consistent.
  private mutating func resolve(
    _ list: [Int64],
    of key: Int64,
    _ index: Int,
    in table: Int
  ) -> Bool {
    let property = property(table, index)
    var kept: [Int64] = []
    var isChanged = false
    for member in list {
      guard let row = merged[member] else {
        // A reference that also dangles in our document stays unchanged.
        if ours[member] == nil, theirs[member] == nil { kept.append(member) }
        continue
      }
      if property.isKeptByBothEnds, let other = inverse(of: property, in: member),
        !row.cells[other].list.contains(key)
      {
        guard ours[key]?.cells[index].list.contains(member) == true else { continue }
        merged[member]?.cells[other] = .keys(row.cells[other].list + [key])
        isChanged = true
      }
      kept.append(member)
    }
    guard kept.count < list.count else { return isChanged }
    merged[key]?.cells[index] = .keys(kept)
    return true
  }

  /// Returns the index of a relationship's inverse in the entity of a row.
  private func inverse(of property: StoreProperty, in target: Int64) -> Int? {
    guard let row = merged[target], let name = property.relationship?.inverse else { return nil }
    return map.schema.entities[row.table].indexByName[name]
  }

  /// Resolves the first conflict of two rows with equal values that must be unique.
  ///
  /// - Returns: Whether there was a conflict.
  mutating func resolveUniqueValues() -> Bool {
    var holders = map.constraints.map { _ in [UniqueKey: Int64]() }
    for key in merged.keys.sorted() {
      guard let row = merged[key] else { continue }
      for constraint in map.tableConstraints[row.table] {
        guard let value = UniqueKey(of: constraint.properties, { row.cells[$0] }) else { continue }
        guard let holder = holders[constraint.number].updateValue(key, forKey: value) else {
          continue
        }
        if resolve(key, holder, constraint) { return true }
      }
    }
    return false
  }

  /// Prefers our values if two rows have equal values.
  private mutating func resolve(
    _ key: Int64,
    _ holder: Int64,
    _ constraint: TableConstraint
  ) -> Bool {
    let isOurs = { (key: Int64, merge: ObjectMerge) in
      constraint.properties.allSatisfy { merge.isOurs(key, $0) }
    }
    // Our document is consistent, so one of the two rows is theirs.
    guard let loser = [key, holder].first(where: { !isOurs($0, self) }), let row = merged[loser]
    else { return false }
    let other = loser == key ? holder : key
    guard let first = constraint.properties.first else { return false }
    note(
      loser,
      "\(name(of: other)) has the same unique value; "
        + (ours[loser] == nil ? "the object of theirs is omitted" : "ours keeps its value"),
      constraint.properties,
      of: row.table,
      ours[loser]?.cells[first],
      base[loser]?.cells[first],
      theirs[loser]?.cells[first]
    )
    if let mine = ours[loser] {
      for index in constraint.properties { merged[loser]?.cells[index] = mine.cells[index] }
    } else {
      merged[loser] = nil
    }
    return true
  }
}
