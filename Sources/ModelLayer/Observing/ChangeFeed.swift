import StoreProtocol
import Synchronization

/// Brings what a container's saves changed to those who listen, by hierarchy.
///
/// Nothing is made or looked at for a hierarchy to which nobody listens.
final class ChangeFeed: Sendable {
  private struct State {
    var byRoot: [String: [ObjectIdentifier: WeakBox]] = [:]

    mutating func remove(_ key: ObjectIdentifier, _ root: String) {
      byRoot[root]?[key] = nil
      if byRoot[root]?.isEmpty == true { byRoot[root] = nil }
    }
  }

  private struct WeakBox {
    weak var box: NewsBox?
  }

  /// Notices what other processes save.
  let others: OtherProcesses
  private let state = Mutex(State())
  private let listeners = Atomic<Int>(0)
  private let watching = Mutex(())
  private let visits = Atomic<Int>(0)

  /// Makes a feed without listeners.
  init(_ others: OtherProcesses) {
    self.others = others
  }

  /// Whether anybody listens.
  var isWatched: Bool { listeners.load(ordering: .acquiring) > 0 }

  /// How many listeners were looked at so far, by all saves together.
  var visitCount: Int { visits.load(ordering: .relaxed) }

  /// Has a box told of changes in some hierarchies from now on, instead of those before.
  func listen(_ box: NewsBox, to roots: Set<String>, insteadOf before: Set<String>) {
    let key = ObjectIdentifier(box)
    state.withLock { state in
      for root in before.subtracting(roots) { state.remove(key, root) }
      for root in roots.subtracting(before) {
        state.byRoot[root, default: [:]][key] = WeakBox(box: box)
      }
    }
    if before.isEmpty != roots.isEmpty { count(by: roots.isEmpty ? -1 : 1) }
  }

  private func count(by change: Int) {
    // One after the other, so that what is watched is what the last count says.
    watching.withLock { _ in
      let count = listeners.add(change, ordering: .acquiringAndReleasing).newValue
      others.watch(count > 0)
    }
  }

  /// Forgets a box that is about to end.
  func forget(_ box: ObjectIdentifier, _ roots: Set<String>) {
    guard !roots.isEmpty else { return }
    state.withLock { state in
      for root in roots { state.remove(box, root) }
    }
    count(by: -1)
  }

  /// Tells those who listen.
  ///
  /// - Parameters:
  ///   - changes: What changed.
  ///   - own: The box of the context that saved, which knows of most saves already.
  func tell(_ changes: SavedChanges, from own: NewsBox? = nil) {
    for box in listeners(to: changes) where box !== own || box.wants(changes) { box.put(changes) }
  }

  private func listeners(to changes: SavedChanges) -> [NewsBox] {
    let found = state.withLock { state -> [ObjectIdentifier: WeakBox] in
      let lists =
        changes.isEverything
        ? Array(state.byRoot.values) : changes.byRoot.keys.compactMap { state.byRoot[$0] }
      guard lists.count != 1 else { return lists[0] }
      return lists.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }
    visits.add(found.count, ordering: .relaxed)
    return found.values.compactMap(\.box)
  }
}
