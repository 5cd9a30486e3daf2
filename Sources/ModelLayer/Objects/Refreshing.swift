import ModelRuntime
import StoreProtocol

extension PersistentModel {
  /// Updates the object to the current values of its row, unless it has unsaved changes.
  ///
  /// To-many relationships that were loaded are kept; see `ContextFeed`.
  func refresh(from reader: RowReader, lacking missing: [Int]) throws {
    guard _$state.flags.isDisjoint(with: [.changed, .deleted]) else {
      return noteOutdated(by: reader, lacking: missing)
    }
    forgetDeferred(unless: reader, lacking: missing)
    let isObserved = _$state.flags.contains(.observed)
    for index in 0..<type(of: self)._$count {
      if missing.contains(index) || isCurrent(index, in: reader) { continue }
      if !isObserved || isUnloaded(index) {
        try read(index, from: reader)
      } else if !hasValue(at: index, of: reader) {
        try notifyingObservers(of: index) { try read(index, from: reader) }
      }
    }
    _$state.version = reader.version
    guard _$state.flags.contains(.partial) else { return }
    for index in unloadedIndices where !missing.contains(index) { noteLoaded(index) }
  }

  /// Notes an object with unsaved changes whose row has other values of its other properties.
  ///
  /// It shows what it has shown until it is saved, and is read again then.
  private func noteOutdated(by reader: RowReader, lacking missing: [Int]) {
    guard let registration, !_$state.flags.contains(.deleted),
      reader.version == 0 || reader.version != _$state.version
    else { return }
    let dirty = Set(dirtyIndices)
    let isOutdated = (0..<type(of: self)._$count).contains { index in
      if dirty.contains(index) || isUnloaded(index) { return false }
      if registration.isRelationship[index] {
        return !registration.isToMany[index]
          && reference(at: index) != (try? reader.reference(at: index))
      }
      return missing.contains(index) || !hasValue(at: index, of: reader)
    }
    if isOutdated { _$state.flags.insert(.outdated) }
  }

  /// Sets a property to its value in a row.
  func read(_ index: Int, from reader: RowReader) throws {
    if reader.hasNotes { reader.textReferences = [] }
    try _$read(index, from: reader)
    if reader.hasNotes { keepReferences(from: reader) }
  }

  /// Keeps the keys of to-one relationships, which a reader has noted, that are not integers.
  func keepReferences(from reader: RowReader) {
    for (index, reference) in reader.textReferences { modelExtra.references[index] = reference }
  }

  /// Unloads the values that a row lacks this time, unless the row has not changed since they were
  /// loaded.
  private func forgetDeferred(
    unless reader: RowReader,
    lacking missing: [Int]
  ) {
    let isSame = reader.version != 0 && reader.version == _$state.version
    guard !missing.isEmpty, !isSame else { return }
    for index in missing where !isUnloaded(index) {
      unload(index)
    }
  }

  /// Whether a relationship is loaded and agrees with the row.
  func isCurrent(_ index: Int, in reader: RowReader) -> Bool {
    guard let registration, registration.isRelationship[index],
      case .models(let models) = PropertyReader.content(of: index, in: self)
    else { return false }
    if registration.entity.properties[index].isToMany {
      // A list that is stored in the row may have changed with the row.
      return registration.entity.properties[index].isDerivedToMany
        || reader.version == _$state.version
    }
    return (try? reader.reference(at: index)) == models.first?.persistentModelID.key
  }

  /// Whether an attribute has the value of the row.
  private func hasValue(at index: Int, of reader: RowReader) -> Bool {
    guard registration?.isRelationship[index] == false,
      case .value(let old) = PropertyReader.content(of: index, in: self)
    else { return false }
    return old == (try? reader.value(at: index))
  }
}
