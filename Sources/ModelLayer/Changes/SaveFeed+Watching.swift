import Dispatch
import Foundation
import StoreProtocol
import Synchronization

// Stores that support it are watched for saves of other processes while there are observers. Each is
// polled for a number at intervals, and at once when the system reports a change of its files, or
// the store a possible save.
extension SaveFeed {
  /// The default of the longest interval at which stores are polled.
  static let standardInterval = Duration.milliseconds(400)

  /// The state of the timer that polls the stores.
  struct Watching {
    fileprivate var isOn = false
    fileprivate var interval = SaveFeed.standardInterval
    fileprivate(set) var timer: Timer?
    fileprivate var isCheckScheduled = false
  }

  // Unchecked: a source may be used on any thread, but is not declared Sendable.
  struct Timer: @unchecked Sendable {
    fileprivate let source: any DispatchSourceTimer

    func cancel() { source.cancel() }

    fileprivate func schedule(_ interval: Duration) {
      let nanoseconds = Int(min(max(interval / .nanoseconds(1), 1e6), 1e12))
      let interval = DispatchTimeInterval.nanoseconds(nanoseconds)
      let first = DispatchTime.now() + interval
      source.schedule(deadline: first, repeating: interval, leeway: .milliseconds(50))
    }
  }

  /// The longest interval at which stores are polled.
  var interval: Duration {
    get { watching.withLock { $0.interval } }
    set {
      watching.withLock { watching in
        watching.interval = newValue
        watching.timer?.schedule(newValue)
      }
    }
  }

  /// Whether any store is watched, or will be when that is possible.
  var watchesStores: Bool { stores.contains(where: \.isWatched) }

  /// Watches the stores while there are observers, or stops it.
  func watchStores(isClosing: Bool = false) {
    watching.withLock { watching in
      // Of several calls, the last one determines the state.
      let isOn = isObserved && !isClosing
      guard isOn != watching.isOn else { return }
      watching.isOn = isOn
      watching.timer?.cancel()
      watching.timer = nil
      // Saves until now are not reported to observers.
      if isOn { notice() }
      for saves in stores { saves.watch(isOn ? (try? watch(saves)) ?? .awaited : .off) }
      guard watchesStores else { return }
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.setEventHandler { [weak self] in self?.look() }
      let timer = Timer(source: source)
      watching.timer = timer
      timer.schedule(watching.interval)
      source.activate()
    }
  }

  /// Begins to watch a store, unless it has no watch.
  private func watch(_ saves: StoreSaves) throws -> StoreSaves.Watching {
    guard let watch = try saves.store.watch() else { return .off }
    let events = watch.file.flatMap { file in
      FileEvents(of: file, on: queue) { [weak self] in self?.scheduleCheck() }
    }
    watch.onPossibleSave { [weak self] in self?.scheduleLook() }
    return .on(watch, events)
  }

  /// Checks now, and once more after 20 ms, when the write that changed a file has most likely
  /// ended.
  ///
  /// One save changes a file many times. Further changes within the 20 ms wait for the second check.
  private func scheduleCheck() {
    let isPlanned = watching.withLock { watching in
      defer { watching.isCheckScheduled = true }
      return watching.isCheckScheduled
    }
    guard !isPlanned else { return }
    look()
    queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      self?.watching.withLock { $0.isCheckScheduled = false }
      self?.look()
    }
  }

  func scheduleLook() { queue.async { [weak self] in self?.look() } }

  /// Checks all stores, and reports those to which others saved.
  func look() {
    for saves in stores {
      // Saves until a store can be watched are unknown.
      if saves.awaitsWatch, let watching = try? watch(saves), saves.watch(watching, isRetry: true) {
        report(nil, to: saves.store)
      }
      // Contexts notice the saves now, and not only after the history was read.
      switch saves.nextChange({ append(Entry()) }) {
      case .saves(let numbers): report(numbers, to: saves.store)
      case .exchange: report(nil, to: saves.store)
      case nil: break
      }
    }
  }

  /// Adds saves of others to a store.
  ///
  /// The store's history has their changes; without one, anything may have changed.
  private func report(_ numbers: ClosedRange<Int64>?, to store: any RecordStore) {
    var changed = numbers.flatMap { SavedChanges($0, of: store) } ?? SavedChanges()
    if changed.isEmpty {
      for entity in store.schema.storeSchema.entities where entity.superentity == nil {
        changed.noteOthers(of: entity.name)
      }
    }
    append(deleted: changed.byRoot.values.flatMap(\.deleted), changes: changed)
    onRemoteChange(store.identifier)
  }
}
