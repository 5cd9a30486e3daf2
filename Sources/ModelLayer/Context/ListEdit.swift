import StoreProtocol

/// Few objects that were added to a to-many relationship or removed from it at one place.
///
/// A program that appends in a loop changes the list each time. Examining all objects each time would
/// take a microsecond for each of them, which is ten seconds for 4,000 appended objects.
struct ListEdit<Model: PersistentModel> {
  /// The objects that were removed.
  let removed: [Model]
  /// The objects that were added.
  let added: [Model]
  /// The indices of the removed objects in the list before the edit.
  let indices: Range<Int>

  /// Compares two versions of a list; `nil` if more than eight objects differ, or one occurs twice.
  init?(from old: [Model], to new: [Model]) {
    guard abs(old.count - new.count) <= Self.limit else { return nil }
    let place = ArrayDifference(from: old, to: new)
    guard max(place.old.count, place.new.count) <= Self.limit,
      place.old.allSatisfy({ Self.count(of: old[$0], in: old, outside: place.old) == 0 }),
      place.new.allSatisfy({ Self.count(of: new[$0], in: new, outside: $0..<$0 + 1) == 0 })
    else { return nil }
    indices = place.old
    removed = Array(old[place.old])
    added = Array(new[place.new])
  }

  /// Returns whether no object that stays in the list after the edit is in a context or was deleted.
  func keepsOnlyNewObjects(in list: [Model]) -> Bool {
    let kept = [list[..<indices.lowerBound], list[(indices.lowerBound + added.count)...]]
    return kept.allSatisfy { $0.allSatisfy { $0._$state.registration == nil && !$0.isGone } }
  }

  private static var limit: Int { 8 }

  /// Counts an object without retaining the others, and without a branch, for many at a time.
  private static func count(of model: Model, in list: [Model], outside range: Range<Int>) -> Int {
    let address = UInt(bitPattern: ObjectIdentifier(model))
    return list.withUnsafeBytes { bytes in
      let words = bytes.bindMemory(to: UInt.self)
      var count = 0
      for index in 0..<range.lowerBound { count &+= words[index] == address ? 1 : 0 }
      for index in range.upperBound..<words.count { count &+= words[index] == address ? 1 : 0 }
      return count
    }
  }
}
