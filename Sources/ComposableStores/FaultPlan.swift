import Foundation
import StoreProtocol
import Synchronization

/// What is to go wrong in a store, and when; it can be changed while the store is used.
public final class FaultPlan: Sendable {
  /// When a step happens.
  public enum Moment: Hashable, Sendable {
    /// Before the request takes effect: of a save nothing is stored.
    case before
    /// After it took effect: a save is stored.
    case after
  }

  private struct Step: Sendable {
    let kind: StoreRequest.Kind
    let moment: Moment
    var wait: Int
    var times: Int
    let action: @Sendable () throws -> Void
  }

  private struct State {
    var steps: [Step] = []
    var outcomes: [UUID: SaveOutcome] = [:]
  }

  private let state = Mutex(State())

  /// Creates a plan by which nothing goes wrong.
  public init() {}

  /// Has requests of a kind throw.
  ///
  /// - Parameters:
  ///   - kind: The kind of request.
  ///   - nth: Which of them is the first to throw, counted from now.
  ///   - times: How many throw from then on.
  ///   - moment: Whether they take effect first.
  ///   - error: What they throw. By default what a store throws: for a save
  ///     ``DataStoreError/notSaved``, or ``DataStoreError/outcomeUnknown`` after it took effect, and
  ///     ``DataStoreError/io`` for others. After a save took effect no other error is true.
  public func fail(
    _ kind: StoreRequest.Kind,
    nth: Int = 1,
    times: Int = 1,
    _ moment: Moment = .before,
    with error: (any Error)? = nil
  ) {
    let thrown = error ?? Self.standardError(of: kind, moment)
    at(kind, nth: nth, times: times, moment) { throw thrown }
  }

  /// Has requests of a kind wait, with their thread.
  public func delay(
    _ kind: StoreRequest.Kind,
    nth: Int = 1,
    times: Int = 1,
    _ moment: Moment = .before,
    by duration: Duration
  ) {
    at(kind, nth: nth, times: times, moment) {
      Thread.sleep(forTimeInterval: duration / .seconds(1))
    }
  }

  /// Runs a closure in the middle of requests of a kind: another's save, a signal, a cancellation.
  ///
  /// - Parameters:
  ///   - kind: The kind of request.
  ///   - nth: Which of them is the first, counted from now.
  ///   - times: How many run it from then on.
  ///   - moment: Whether they take effect first.
  ///   - action: What happens; what it throws the request throws.
  public func at(
    _ kind: StoreRequest.Kind,
    nth: Int = 1,
    times: Int = 1,
    _ moment: Moment = .before,
    run action: @escaping @Sendable () throws -> Void
  ) {
    guard times > 0 else { return }
    let step = Step(kind: kind, moment: moment, wait: max(1, nth), times: times, action: action)
    state.withLock { $0.steps.append(step) }
  }

  /// How many steps have not come to their end; a test that expects all of them to happen looks.
  public var remaining: Int { state.withLock { $0.steps.count } }

  /// Forgets all steps, so that nothing goes wrong from now on.
  public func clear() { state.withLock { $0.steps = [] } }

  /// Comes to a request: runs the steps that are due, until one throws.
  func meet(_ kind: StoreRequest.Kind, _ moment: Moment) throws {
    let due = state.withLock { state in
      var due: [@Sendable () throws -> Void] = []
      for index in state.steps.indices where state.steps[index].kind == kind {
        // A request that fails before it takes effect is one of those that are counted.
        if moment == .before { state.steps[index].wait -= 1 }
        guard state.steps[index].moment == moment, state.steps[index].wait <= 0 else { continue }
        state.steps[index].times -= 1
        due.append(state.steps[index].action)
      }
      state.steps.removeAll { $0.times == 0 }
      return due
    }
    for action in due { try action() }
  }

  func note(_ outcome: SaveOutcome, of request: StoreRequest) {
    guard case .save(let changes) = request else { return }
    state.withLock { $0.outcomes[changes.saveIdentifier] = outcome }
  }

  func outcome(ofSave identifier: UUID) -> SaveOutcome? {
    state.withLock { $0.outcomes[identifier] }
  }

  private static func standardError(
    of kind: StoreRequest.Kind,
    _ moment: Moment
  ) -> DataStoreError {
    guard kind == .save else { return .io }
    return moment == .before ? .notSaved : .outcomeUnknown
  }
}
