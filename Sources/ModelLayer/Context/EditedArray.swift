import Foundation
import StoreProtocol

/// The elements of an array property that is edited in place, in an array of their own.
///
/// Swift copies an array before a change if something else refers to it, so an edit in place needs the
/// array alone. What the elements were before is needed nevertheless: for the other ends of a
/// relationship, and for code that reads the property within the edit. This second array has them. It
/// is compared with the property before each use, and differs from it by the last edit.
final class EditedArray<Element> {
  private var elements: [Element] = []

  /// Returns the elements of an array in this one.
  func copy(of array: [Element]) -> [Element] {
    let place = ArrayDifference(from: elements, to: array)
    if !place.old.isEmpty || !place.new.isEmpty {
      // The last reference to an object must not end within the access: its deinitializer may edit.
      let outdated = Array(elements[place.old])
      elements.replaceSubrange(place.old, with: array[place.new])
      withExtendedLifetime(outdated) {}
    }
    return elements
  }

  /// Follows an edit.
  func replace(_ indices: Range<Int>, with added: [Element]) {
    guard indices.upperBound <= elements.count else { return }
    elements.replaceSubrange(indices, with: added)
  }
}

/// The indices between the equal beginnings and the equal ends of two arrays.
///
/// Elements are equal here if their memory is, so that none is retained, and any type can be compared.
/// Equal values that differ in memory only make the place larger.
struct ArrayDifference {
  let old: Range<Int>
  let new: Range<Int>

  /// Compares two arrays.
  init<Element>(from old: [Element], to new: [Element]) {
    let size = MemoryLayout<Element>.stride
    (self.old, self.new) = old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        Self.difference(UnsafeRawBufferPointer(old), UnsafeRawBufferPointer(new), size)
      }
    }
  }

  private static func difference(
    _ old: UnsafeRawBufferPointer,
    _ new: UnsafeRawBufferPointer,
    _ size: Int
  ) -> (old: Range<Int>, new: Range<Int>) {
    let (oldCount, newCount) = (old.count / size, new.count / size)
    guard let olds = old.baseAddress, let news = new.baseAddress else {
      return (0..<oldCount, 0..<newCount)
    }
    let shorter = min(oldCount, newCount)
    let start = equal(shorter) { memcmp(olds + $0 * size, news + $0 * size, $1 * size) == 0 }
    let end = equal(shorter - start) {
      let (oldStart, newStart) = (oldCount - $0 - $1, newCount - $0 - $1)
      return memcmp(olds + oldStart * size, news + newStart * size, $1 * size) == 0
    }
    return (start..<(oldCount - end), start..<(newCount - end))
  }

  /// Returns how many of a number of elements agree, from the first one on.
  ///
  /// - Parameters:
  ///   - count: The number of elements.
  ///   - agree: A closure that compares elements: the first one's position, and how many.
  /// - Returns: The number of equal elements.
  private static func equal(_ count: Int, _ agree: (Int, Int) -> Bool) -> Int {
    var equal = 0
    var step = count
    // The whole first, since most edits leave all of one array equal; then ever smaller parts.
    while equal < count, step > 0 {
      if agree(equal, min(step, count - equal)) {
        equal += min(step, count - equal)
      } else {
        step /= 8
      }
    }
    return equal
  }
}

extension PersistentModel {
  /// Returns the elements of an array property, which an edit in place is going to change, in an array
  /// of their own.
  func lentElements<Element>(_ elements: [Element], at index: Int) -> [Element] {
    // Copying a few elements costs less than a second array.
    guard elements.count >= 16 else { return elements }
    if let edited = existingExtra?.edited[index] as? EditedArray<Element> {
      return edited.copy(of: elements)
    }
    let edited = EditedArray<Element>()
    modelExtra.edited[index] = edited
    return edited.copy(of: elements)
  }
}
