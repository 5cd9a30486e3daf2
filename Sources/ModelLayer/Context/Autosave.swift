import Foundation
import StoreProtocol

/// Saves a context automatically some time after its first change.
///
/// The save runs at the next turn of the context's isolation, if that can be re-entered
/// (``ContextIsolation``): after the piece of work that made the change, never within it. Otherwise it
/// runs with a later call of the context, once changes have waited for a moment, and at the
/// context's end. One save covers all changes until it runs.
final class Autosave {
  /// Called with the error of a failed autosave, in the isolation of the context.
  var onFailure: ((any Error) -> Void)?
  /// The time that changes wait if only the context's own calls can save them.
  var patience: Duration = .seconds(1)
  /// Whether the last autosave failed, so that each change counts until a save succeeds.
  private(set) var hasFailed = false
  private var isPlanned = false
  private var isWatched = false
  private var waitingSince: ContinuousClock.Instant?
  /// The number of transactions that run, until the end of which autosaves are suppressed.
  var transactions = 0

  /// Plans one save for all changes until it runs.
  func changeHappened(in context: ContextState) {
    // Changes within a save are saved with it; an observer's change would otherwise plan saves
    // forever.
    guard !isPlanned, context.existingSaver?.isSaving != true else { return }
    // After the context's end, only this handle keeps the unsaved changes.
    let handle = context.hasEnded && context.isolation.isHere ? context.currentHandle() : nil
    isPlanned = context.isolation.plan(context, keeping: handle) { context in
      context.autosave.isPlanned = false
      context.autosave.save(context)
    }
    if isPlanned {
      watchEnd(of: context)
    } else if waitingSince == nil {
      waitingSince = .now
    }
  }

  private func watchEnd(of context: ContextState) {
    guard context.isolation.isMain, !isWatched else { return }
    isWatched = true
    ProgramEnd.watch(context)
  }

  /// Saves changes that have waited long enough, before a call of the context does its work.
  func catchUp(_ context: ContextState) {
    guard let waitingSince, isFree(context), waitingSince.duration(to: .now) >= patience else {
      return
    }
    save(context)
  }

  /// Saves what is pending, unless a save or a transaction is under way.
  func save(_ context: ContextState) {
    guard context.autosaveEnabled, isFree(context) else { return }
    waitingSince = nil
    guard context.hasChanges else { return }
    do {
      try context.saver.save()
    } catch {
      failed(error, in: context)
    }
  }

  /// Saves what is pending as the context ends.
  ///
  /// - Returns: Whether the context may end. It may not if its objects belong to the main actor,
  ///   which then ends it later. It also may not if the program has taken a reference to it again.
  func mayEnd(_ context: ContextState) -> Bool {
    guard context.autosaveEnabled, context.hasChanges else { return true }
    if context.isolation.isMain, !context.isolation.isHere {
      ContextIsolation.runOnMain(context) { $0.handleEnded() }
      return false
    }
    save(context)
    return context.handle == nil
  }

  private func isFree(_ context: ContextState) -> Bool {
    transactions == 0 && context.existingSaver?.isSaving != true
  }

  /// Clears the failure after a save that leaves nothing to be saved.
  func saveEnded(_ context: ContextState) {
    guard !context.hasChanges else { return }
    waitingSince = nil
    guard hasFailed else { return }
    hasFailed = false
    context.markRecorded()
  }

  /// Reports a failure, and schedules another try at the next change of any kind.
  private func failed(_ error: any Error, in context: ContextState) {
    hasFailed = true
    for model in context.pending.all where model._$state.registration != nil {
      model._$state.flags.insert(.recorded)
    }
    NotificationCenter.default.post(
      name: ModelContext.autosaveFailed,
      object: context.handle,
      userInfo: ["error": error]
    )
    if let onFailure { return onFailure(error) }
    let line = "ModelContext: an autosave failed, and the changes are not saved: \(error)\n"
    FileHandle.standardError.write(Data(line.utf8))
  }
}
