import StoreProtocol

/// Few objects that were added to a to-many relationship or removed from it at one place.
///
/// A program that appends in a loop sets the whole list each time. Examining all objects each time
/// would take a microsecond for each of them, which is ten seconds for 4,000 appended objects.
struct ListEdit<Model: PersistentModel> {
  /// The objects that were removed.
  let removed: ArraySlice<Model>
  /// The objects that were added.
  let added: ArraySlice<Model>
  /// The objects before and after the place, which stay.
  private let kept: [ArraySlice<Model>]

  /// Compares two versions of a list; `nil` if more than eight objects differ, or one occurs twice.
  init?(from old: [Model], to new: [Model]) {
    guard abs(old.count - new.count) <= Self.limit,
      let place = Self.withWords(of: old, new, Self.place)
    else { return nil }
    removed = old[place.start..<(old.count - place.end)]
    added = new[place.start..<(new.count - place.end)]
    kept = [new[..<place.start], new[(new.count - place.end)...]]
  }

  /// Whether no object that stays is in a context or was deleted.
  var keepsOnlyNewObjects: Bool {
    kept.allSatisfy { $0.allSatisfy { $0._$state.registration == nil && !$0.isGone } }
  }

  private static var limit: Int { 8 }

  /// The numbers of equal objects at the beginning and at the end.
  private static func place(_ old: Words, _ new: Words) -> (start: Int, end: Int)? {
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    let removed = old.count - start - end
    let added = new.count - start - end
    guard removed <= limit, added <= limit else { return nil }
    for index in start..<(start + removed)
    where old.contains(old[index], before: start, after: start + removed) { return nil }
    for index in start..<(start + added)
    where new.contains(new[index], before: index, after: index + 1) { return nil }
    return (start, end)
  }

  private static func withWords<Result>(
    of old: [Model],
    _ new: [Model],
    _ body: (Words, Words) -> Result
  ) -> Result {
    old.withUnsafeBytes { old in new.withUnsafeBytes { body(Words(old), Words($0)) } }
  }
}

/// The references of a list as numbers, which are compared without retaining the objects.
private struct Words {
  private let bytes: UnsafeRawBufferPointer
  private static var size: Int { MemoryLayout<UInt>.size }

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var count: Int { bytes.count / Self.size }

  subscript(index: Int) -> UInt {
    bytes.load(fromByteOffset: index * Self.size, as: UInt.self)
  }

  func contains(_ word: UInt, before start: Int, after end: Int) -> Bool {
    for index in 0..<start where self[index] == word { return true }
    for index in end..<count where self[index] == word { return true }
    return false
  }
}
