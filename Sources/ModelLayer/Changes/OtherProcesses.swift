import Dispatch
import Foundation
import StoreProtocol
import Synchronization

/// Detects saves by other processes to a container's stores, while there are observers.
///
/// Each store that supports it is polled for a number at intervals, and at once when the system
/// reports a change of its files, or the store a possible save.
final class OtherProcesses: Sendable {
  /// The default of the longest interval at which stores are polled.
  static let standardInterval = Duration.milliseconds(400)

  private struct State {
    var isWatching = false
    var interval = standardInterval
    var watched: [WatchedStore] = []
    var timer: Timer?
    var isCheckScheduled = false
  }

  // Unchecked: a source may be used on any thread, but is not declared Sendable.
  private struct Timer: @unchecked Sendable {
    let source: any DispatchSourceTimer
  }

  private let backends: [any StoreBackend]
  private let ownSaves: [ObjectIdentifier: OwnSaves]
  private let report: @Sendable (any StoreBackend, ClosedRange<Int64>?) -> Void
  private let queue = DispatchQueue(label: "OtherProcesses", qos: .utility)
  private let state = Mutex(State())
  private let watchesAny = Atomic(false)

  /// - Parameters:
  ///   - backends: The stores.
  ///   - report: Called on any thread with a store and with saves to it, some of which are others'.
  ///     The saves are `nil` if another file replaced the store's, and when its own is back.
  init(
    _ backends: [any StoreBackend],
    report: @escaping @Sendable (any StoreBackend, ClosedRange<Int64>?) -> Void
  ) {
    self.backends = backends
    self.report = report
    let keys = Set(backends.map { ObjectIdentifier($0) })
    ownSaves = Dictionary(uniqueKeysWithValues: keys.map { ($0, OwnSaves()) })
  }

  deinit {
    state.withLock { $0.timer?.source.cancel() }
  }

  /// The longest interval at which stores are polled.
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
  var isWatching: Bool { watchesAny.load(ordering: .acquiring) }

  /// Starts or stops watching.
  ///
  /// A store that cannot be watched now is not watched.
  func watch(_ isWatching: Bool) {
    state.withLock { state in
      guard isWatching != state.isWatching else { return }
      state.isWatching = isWatching
      state.timer?.source.cancel()
      state.timer = nil
      state.watched = isWatching ? backends.compactMap(watched) : []
      watchesAny.store(!state.watched.isEmpty, ordering: .releasing)
      guard !state.watched.isEmpty else { return }
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.setEventHandler { [weak self] in self?.look() }
      state.timer = Timer(source: source)
      schedule(state)
      source.activate()
    }
  }

  private func watched(_ backend: any StoreBackend) -> WatchedStore? {
    guard let own = ownSaves[ObjectIdentifier(backend)], let watch = try? backend.watch() else {
      return nil
    }
    let events = watch.file.flatMap { file in
      FileEvents(of: file, on: queue) { [weak self] in self?.scheduleCheck() }
    }
    watch.onPossibleSave { [weak self] in
      guard let self else { return }
      queue.async { self.look() }
    }
    return WatchedStore(backend, watch, events, own)
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

  /// Runs a save of this container, so that it does not count as one of another process.
  func during(
    _ backend: any StoreBackend,
    _ save: () throws -> StoreChangesResult
  ) rethrows -> StoreChangesResult {
    guard isWatching, let own = ownSaves[ObjectIdentifier(backend)] else { return try save() }
    defer { checkIfOpen() }
    return try own.during(save, number: \.version)
  }

  /// Checks now, and once more after 20 ms, when the write that changed a file has most likely
  /// ended.
  private func scheduleCheck() {
    look()
    let isPlanned = state.withLock { state in
      defer { state.isCheckScheduled = true }
      return state.isCheckScheduled
    }
    guard !isPlanned else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      self?.state.withLock { $0.isCheckScheduled = false }
      self?.look()
    }
  }

  private func checkIfOpen() {
    guard watchedStores.contains(where: \.isOpen) else { return }
    queue.async { [weak self] in self?.look() }
  }

  private var watchedStores: [WatchedStore] { state.withLock { $0.watched } }

  /// Checks all stores, and reports those to which others saved.
  func look() {
    for store in watchedStores {
      switch store.externalChange() {
      case .saves(let saves): report(store.backend, saves)
      case .exchange: report(store.backend, nil)
      case nil: break
      }
    }
  }
}

/// A store that is watched.
private final class WatchedStore: Sendable {
  let backend: any StoreBackend
  private let watch: any StoreWatch
  private let events: FileEvents?
  private let ownSaves: OwnSaves
  /// Saves that may or may not be others'.
  private let open = Mutex<ClosedRange<Int64>?>(nil)
  /// Whether another file had replaced the store's at the last check.
  private let isReplaced = Mutex(false)

  init(
    _ backend: any StoreBackend,
    _ watch: any StoreWatch,
    _ events: FileEvents?,
    _ ownSaves: OwnSaves
  ) {
    self.backend = backend
    self.watch = watch
    self.events = events
    self.ownSaves = ownSaves
  }

  /// Whether there are saves whose origin was unknown when they were found.
  var isOpen: Bool { open.withLock { $0 != nil } }

  /// A change that was found in a store.
  enum ExternalChange {
    /// Saves since the last call, some of which are others'.
    case saves(ClosedRange<Int64>)
    /// Another file replaced the store's, or its own is back.
    case exchange
  }

  /// Returns the change since the last call, or `nil` if there is none.
  func externalChange() -> ExternalChange? {
    isReplaced.withLock { isReplaced in
      let new: ClosedRange<Int64>?
      do {
        new = try watch.newSaves()
      } catch {
        // If the check fails otherwise, the next one will tell.
        let wasReplaced = isReplaced
        isReplaced = isReplaced || (error as? DataStoreError)?.code == .storeReplaced
        return isReplaced == wasReplaced ? nil : .exchange
      }
      if isReplaced {
        isReplaced = false
        return .exchange
      }
      let found = open.withLock { open in
        if let new { open = (open?.lowerBound ?? new.lowerBound)...new.upperBound }
        return open
      }
      guard let found, let areOthers = ownSaves.areOthers(among: found) else { return nil }
      open.withLock { $0 = nil }
      return areOthers ? .saves(found) : nil
    }
  }
}
