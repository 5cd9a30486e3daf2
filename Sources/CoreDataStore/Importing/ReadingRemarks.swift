import Synchronization

/// A way in which values were read that users who migrate a store need to know.
package struct ReadingRemark: Hashable, Sendable {
  /// A way in which a value was read.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case decodedArchive, decodedJSON, unknownBytes, ownClass, externalFile, unmarkedBytes
    case roundedDecimal, absentStructure
  }

  package let entity: String
  package let property: String
  package let kind: Kind
}

/// The ways in which one value was read.
struct ValueRemarks: OptionSet {
  let rawValue: UInt16

  static let none: ValueRemarks = []

  /// Adds a way.
  mutating func note(_ kind: ReadingRemark.Kind) {
    guard let position = ReadingRemark.Kind.allCases.firstIndex(of: kind) else { return }
    insert(ValueRemarks(rawValue: 1 << UInt16(position)))
  }

  /// The ways.
  var kinds: [ReadingRemark.Kind] {
    ReadingRemark.Kind.allCases.enumerated().filter { rawValue & (1 << UInt16($0.offset)) != 0 }
      .map(\.element)
  }
}

/// Counts the values that were read in ways worth reporting.
final class ReadingRemarks: Sendable {
  private let counts = Mutex<[ReadingRemark: Int]>([:])

  /// Counts a value.
  func add(_ remarks: ValueRemarks, entity: String, property: String) {
    counts.withLock { counts in
      for kind in remarks.kinds {
        counts[ReadingRemark(entity: entity, property: property, kind: kind), default: 0] += 1
      }
    }
  }

  /// The number of values of each kind.
  var all: [ReadingRemark: Int] { counts.withLock { $0 } }
}
