import Dispatch
import Synchronization

/// Runs the bodies of background tasks, in order, on as few threads as make progress.
///
/// A body is a part of the task that waits for it, so it has the task-local values of that task.
///
/// With a thread for each body, the threads would take turns at the processors and locks, and each turn
/// would cost two switches of threads. So two threads run body after body, or 16 where bodies wait for
/// a server. While one of them waits for the save of another body, to be committed with others
/// (`GroupCommit`), another thread runs in its place. When the save is made, both run; one that is too
/// many ends after its body. After a group of several saves, the first save of the next one waits until
/// bodies that need nothing but a thread have come to their saves, at most two milliseconds: alone, it
/// would keep all of them waiting for a sync of its own. If no body begins for a while although some are
/// waiting, another thread joins, so that slow bodies delay the others only once. A thread ends when no
/// body is waiting.
///
/// On Linux, `DispatchQueue` has at most 255 threads in a process; bodies beyond them wait.
package final class BackgroundTaskQueue: TaskExecutor {
  /// The bodies, and the threads that run them.
  private struct State {
    /// The waiting bodies: those to run next in reverse order, and those that came later.
    var next: [UnownedJob] = []
    var later: [UnownedJob] = []
    /// The threads that run, and those that wait for saves.
    var threads = 0
    var waitingThreads = 0
    /// The number of threads that run body after body.
    var mostThreads: Int
    /// The number of bodies that have begun.
    var begun = 0
    var isWatched = false
    /// The turns of the saves that let other bodies go first.
    var courteous: [DispatchSemaphore] = []

    /// Whether bodies are about to run or to end, which need nothing but a thread.
    var isBusy: Bool { hasWaiting || threads > mostThreads }

    /// Takes the turns of the saves that let other bodies go first, if none are left.
    mutating func takeCourteous() -> [DispatchSemaphore] {
      guard !courteous.isEmpty, !isBusy else { return [] }
      defer { courteous = [] }
      return courteous
    }

    var hasWaiting: Bool { !next.isEmpty || !later.isEmpty }

    mutating func takeNext() -> UnownedJob? {
      if next.isEmpty {
        next = later.reversed()
        later.removeAll(keepingCapacity: true)
      }
      return next.popLast()
    }
  }

  /// The queue of the timer, which has a thread even if all threads of Swift's tasks are blocked.
  private static let timer = DispatchQueue(label: "BackgroundTaskQueue.timer")

  /// The number of threads that wait for saves from which no others run in their place.
  private static let mostWaitingThreads = 126

  private let state: Mutex<State>
  /// The number of threads that run while bodies are short.
  private let usualThreads: Int
  private let patience: DispatchTimeInterval?
  /// The time that the first save of a group lets other bodies go first, at most.
  private let courtesy: DispatchTimeInterval

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - threads: The number of threads that run while bodies are short.
  ///   - patience: The time after which another thread joins if no body has begun, or `nil` for a
  ///     thread for each body.
  ///   - courtesy: The maximum time that a save lets other bodies go first.
  package init(
    threads: Int = 2,
    patience: DispatchTimeInterval?,
    courtesy: DispatchTimeInterval = .milliseconds(2)
  ) {
    usualThreads = threads
    self.patience = patience
    self.courtesy = courtesy
    state = Mutex(State(mostThreads: threads))
  }

  /// Runs a body when a thread is free.
  package func run<Value>(_ body: () throws -> Value) async rethrows -> Value {
    try await withTaskExecutorPreference(self) {
      let waiting = SaveWaiting(afterOthers: letOthersRun, replace)
      return try SaveWaiting.$current.withValue(waiting) { try body() }
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (startsThread, watchedFrom) = state.withLock { state -> (Bool, Int?) in
      state.later.append(job)
      if state.threads < state.mostThreads || patience == nil {
        state.threads += 1
        return (true, nil)
      }
      if state.isWatched { return (false, nil) }
      state.isWatched = true
      return (false, state.begun)
    }
    if startsThread { startThread() }
    if let watchedFrom { watch(from: watchedFrom) }
  }

  /// Changes the state when a body begins, waits or ends, after which saves may go on that let others
  /// go first.
  private func advance<Value>(_ change: (inout State) -> Value) -> Value {
    let (value, courteous) = state.withLock { state in (change(&state), state.takeCourteous()) }
    for turn in courteous { turn.signal() }
    return value
  }

  private func startThread() {
    // A queue of its own has a thread of its own, as those of model actors have. A shared
    // concurrent queue has as few threads as Swift's tasks.
    DispatchQueue(label: "ModelContainer.performBackgroundTask").async {
      var isNew = true
      while let job = self.takeNext(isNew: isNew) {
        isNew = false
        job.runSynchronously(on: self.asUnownedTaskExecutor())
      }
    }
  }

  /// Runs a function that waits for another save, while another thread runs in place of this one.
  private func replace(during wait: () -> Void) {
    let startsThread = advance { state -> Bool? in
      guard state.waitingThreads < Self.mostWaitingThreads else { return nil }
      state.threads -= 1
      state.waitingThreads += 1
      guard state.hasWaiting, state.threads < state.mostThreads else { return false }
      state.threads += 1
      return true
    }
    if startsThread == true { startThread() }
    wait()
    guard startsThread != nil else { return }
    state.withLock { state in
      state.threads += 1
      state.waitingThreads -= 1
    }
  }

  /// Waits until the bodies have run that need nothing but a thread, to their ends or their saves.
  private func letOthersRun() {
    let turn = state.withLock { state -> DispatchSemaphore? in
      guard patience != nil, state.isBusy else { return nil }
      let turn = DispatchSemaphore(value: 0)
      state.courteous.append(turn)
      return turn
    }
    guard let turn else { return }
    replace { _ = turn.wait(timeout: .now() + courtesy) }
    state.withLock { state in state.courteous.removeAll { $0 === turn } }
  }

  /// Returns the next body for a thread, or `nil` if the thread is to end.
  ///
  /// A new thread is there for a body that waits, and ends only if another thread has taken it.
  private func takeNext(isNew: Bool) -> UnownedJob? {
    advance { state in
      if !isNew, patience != nil, state.threads > state.mostThreads {
        state.threads -= 1
        return nil
      }
      guard let job = state.takeNext() else {
        state.threads -= 1
        state.mostThreads = usualThreads
        return nil
      }
      state.begun += 1
      return job
    }
  }

  /// Lets another thread join if no body begins within the patience, as long as bodies are waiting.
  private func watch(from begun: Int) {
    guard let patience else { return }
    Self.timer.asyncAfter(deadline: .now() + patience) {
      let (startsThread, watchedFrom) = self.state.withLock { state -> (Bool, Int?) in
        guard state.hasWaiting else {
          state.isWatched = false
          return (false, nil)
        }
        let startsThread = state.begun == begun
        if startsThread {
          state.threads += 1
          state.mostThreads = max(state.mostThreads, state.threads)
        }
        return (startsThread, state.begun)
      }
      if startsThread { self.startThread() }
      if let watchedFrom { self.watch(from: watchedFrom) }
    }
  }
}
