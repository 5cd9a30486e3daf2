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
      !place.old.contains(where: { Self.isIn(old, old[$0], outside: place.old) }),
      !place.new.contains(where: { Self.isIn(new, new[$0], outside: $0..<$0 + 1) })
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

  /// Whether an object is in a list outside of a range.
  ///
  /// No other object is retained, and there is neither a branch nor a comparison of 64 bits for each,
  /// which every processor would do one by one.
  private static func isIn(_ list: [Model], _ model: Model, outside range: Range<Int>) -> Bool {
    let address = UInt(bitPattern: ObjectIdentifier(model))
    return list.withUnsafeBytes { bytes in
      let words = bytes.bindMemory(to: UInt.self)
      // The highest bit of `~rest & (rest - 1)` is set only if the rest is 0.
      var found: UInt = 0
      for index in 0..<range.lowerBound {
        let rest = words[index] ^ address
        found |= ~rest & (rest &- 1)
      }
      for index in range.upperBound..<words.count {
        let rest = words[index] ^ address
        found |= ~rest & (rest &- 1)
      }
      return found.leadingZeroBitCount == 0
    }
  }
}
