import Dispatch
import Foundation
import StoreProtocol
import Synchronization

/// Notices what other processes save to a container's stores, as long as anybody observes.
///
/// Each store that can is asked for a number now and then, and at once when the system tells of a
/// change of its files.
final class OtherProcesses: Sendable {
  /// How often stores are asked at the least.
  static let standardInterval = Duration.milliseconds(400)

  private struct Watched {
    let backend: any StoreBackend
    let watch: any StoreWatch
    let events: FileEvents?
    /// Saves of which it is not known yet whether they were others'.
    var open: ClosedRange<Int64>?
  }

  private struct State {
    var isWatching = false
    var interval = standardInterval
    var watched: [Watched] = []
    var timer: Timer?
    var isLookPlanned = false
  }

  private struct Timer: @unchecked Sendable {
    // Unchecked: a source may be used on any thread, and is not marked so.
    let source: any DispatchSourceTimer
  }

  private let backends: [any StoreBackend]
  private let ownSaves: [ObjectIdentifier: OwnSaves]
  private let tell: @Sendable (any StoreBackend, ClosedRange<Int64>) -> Void
  private let queue = DispatchQueue(label: "OtherProcesses", qos: .utility)
  private let state = Mutex(State())

  /// - Parameters:
  ///   - backends: The stores.
  ///   - tell: Called on any thread with a store and with saves to it, some of which are others'.
  init(
    _ backends: [any StoreBackend],
    tell: @escaping @Sendable (any StoreBackend, ClosedRange<Int64>) -> Void
  ) {
    self.backends = backends
    self.tell = tell
    let keys = Set(backends.map { ObjectIdentifier($0) })
    ownSaves = Dictionary(uniqueKeysWithValues: keys.map { ($0, OwnSaves()) })
  }

  deinit {
    state.withLock { $0.timer?.source.cancel() }
  }

  /// How often stores are asked at the least.
  var interval: Duration {
    get { state.withLock { $0.interval } }
    set {
      state.withLock { state in
        state.interval = newValue
        schedule(state)
      }
    }
  }

  /// Whether any store is watched.
  var isWatching: Bool { state.withLock { !$0.watched.isEmpty } }

  /// Watches from now on, or no more.
  ///
  /// A store that cannot be watched now is not.
  func watch(_ isWatching: Bool) {
    state.withLock { state in
      guard isWatching != state.isWatching else { return }
      state.isWatching = isWatching
      state.timer?.source.cancel()
      state.timer = nil
      state.watched = isWatching ? backends.compactMap(watched) : []
      guard !state.watched.isEmpty else { return }
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.setEventHandler { [weak self] in self?.look() }
      state.timer = Timer(source: source)
      schedule(state)
      source.activate()
    }
  }

  private func watched(_ backend: any StoreBackend) -> Watched? {
    guard let watch = try? backend.watch() else { return nil }
    let events = watch.file.flatMap { file in
      FileEvents(of: file, on: queue) { [weak self] in self?.lookSoon() }
    }
    return Watched(backend: backend, watch: watch, events: events)
  }

  private func schedule(_ state: State) {
    let nanoseconds = state.interval / .nanoseconds(1)
    let interval = DispatchTimeInterval.nanoseconds(Int(min(max(nanoseconds, 1e6), 1e12)))
    state.timer?.source.schedule(
      deadline: .now() + interval,
      repeating: interval,
      leeway: .milliseconds(50)
    )
  }

  /// Has a save of this container made, so that it is not taken for another's.
  func during(
    _ backend: any StoreBackend,
    _ save: () throws -> StoreChangesResult
  ) rethrows -> StoreChangesResult {
    guard isWatching, let own = ownSaves[ObjectIdentifier(backend)] else { return try save() }
    defer { lookIfOpen() }
    return try own.during(save, number: \.version)
  }

  /// Looks now, and once more when what changed a file has surely come to its end.
  private func lookSoon() {
    look()
    let isPlanned = state.withLock { state in
      defer { state.isLookPlanned = true }
      return state.isLookPlanned
    }
    guard !isPlanned else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      self?.state.withLock { $0.isLookPlanned = false }
      self?.look()
    }
  }

  private func lookIfOpen() {
    guard state.withLock({ $0.watched.contains { $0.open != nil } }) else { return }
    queue.async { [weak self] in self?.look() }
  }

  /// Asks all stores, and tells of those to which others saved.
  func look() {
    let found = state.withLock { state in
      state.watched.indices.compactMap { ask(&state.watched[$0]) }
    }
    for (backend, saves) in found { tell(backend, saves) }
  }

  private func ask(
    _ watched: inout Watched
  ) -> (backend: any StoreBackend, saves: ClosedRange<Int64>)? {
    // Where asking fails, as while the file is replaced, the next time will tell.
    let new = try? watched.watch.newSaves()
    if let new {
      watched.open = (watched.open?.lowerBound ?? new.lowerBound)...new.upperBound
    }
    guard let saves = watched.open, let own = ownSaves[ObjectIdentifier(watched.backend)],
      let areOthers = own.areOthers(among: saves)
    else { return nil }
    watched.open = nil
    return areOthers ? (watched.backend, saves) : nil
  }
}
