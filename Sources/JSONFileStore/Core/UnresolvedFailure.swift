import Foundation
import StoreProtocol

/// The unresolved failure of a store's files.
struct UnresolvedFailure: Sendable {
  /// The maximum number of recorded indeterminate saves.
  static let mostRemembered = 1_024

  /// The save that may be in the journal and is not in memory, or `nil` if there is none.
  let save: UUID?
  /// The results of the saves that are in memory and may not be in the journal.
  var group: [UUID: StoreChangesResult] = [:]

  /// Whether the outcome of a save is unknown; otherwise the files have the same content in either
  /// case.
  var isIndeterminate: Bool { save != nil || !group.isEmpty }

  /// Returns whether the outcome of a save is unknown.
  func concerns(_ save: UUID) -> Bool { save == self.save || group[save] != nil }

  /// Returns the newest of the results of indeterminate saves, now that those of the group are stored.
  func recovered(after earlier: [UUID: StoreChangesResult]) -> [UUID: StoreChangesResult] {
    let all = earlier.merging(group) { $1 }
    guard all.count > Self.mostRemembered else { return all }
    let newest = all.sorted { $0.value.version < $1.value.version }.suffix(Self.mostRemembered)
    return Dictionary(firstOf: newest.map { ($0.key, $0.value) })
  }
}
