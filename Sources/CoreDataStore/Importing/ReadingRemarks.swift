import Synchronization

/// A way in which values were read that users who migrate a store need to know.
package struct ReadingRemark: Hashable, Sendable {
  /// A way in which a value was read.
  package enum Kind: String, Hashable, Sendable {
    case decodedArchive, decodedJSON, unknownBytes, ownClass, externalFile, unmarkedBytes
    case roundedDecimal, absentStructure
  }

  package let entity: String
  package let property: String
  package let kind: Kind
}

/// Counts the values that were read in ways worth reporting.
final class ReadingRemarks: Sendable {
  private let counts = Mutex<[ReadingRemark: Int]>([:])

  /// Counts a value.
  func add(_ remarks: Set<ReadingRemark.Kind>, entity: String, property: String) {
    counts.withLock { counts in
      for kind in remarks {
        counts[ReadingRemark(entity: entity, property: property, kind: kind), default: 0] += 1
      }
    }
  }

  /// The number of values of each kind.
  var all: [ReadingRemark: Int] { counts.withLock { $0 } }
}
