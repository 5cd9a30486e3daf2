import Foundation
import StoreProtocol
import Synchronization

/// A plan of faults in a store; it can be changed while the store is used.
public final class FaultPlan: Sendable {
  /// The moment of a step.
  public enum Moment: Hashable, Sendable {
    /// Before the request takes effect: a save stores nothing.
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

  /// Creates a plan without faults.
  public init() {}

  /// Makes requests of a kind throw.
  ///
  /// - Parameters:
  ///   - kind: The kind of request.
  ///   - nth: The number of the first request that throws, counted from now.
  ///   - times: The number of requests that throw from then on.
  ///   - moment: Whether they take effect first.
  ///   - error: The error. By default it is that of a real store: for a save
  ///     ``DataStoreError/notSaved``, or ``DataStoreError/outcomeUnknown`` after it took effect,
  ///     and ``DataStoreError/io`` for others. After a save took effect no other error is correct.
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

  /// Delays requests of a kind, and blocks their thread.
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

  /// Runs a closure during requests of a kind, such as another save, a signal, or a cancellation.
  ///
  /// - Parameters:
  ///   - kind: The kind of request.
  ///   - nth: The number of the first request, counted from now.
  ///   - times: The number of requests that run it from then on.
  ///   - moment: Whether they take effect first.
  ///   - action: The closure; the request rethrows its errors.
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

  /// The number of steps that are not complete, by which a test checks that all of them happened.
  public var remaining: Int { state.withLock { $0.steps.count } }

  /// Removes all steps.
  public func clear() { state.withLock { $0.steps = [] } }

  /// Runs the steps that are due at a request, until one throws.
  func meet(_ kind: StoreRequest.Kind, _ moment: Moment) throws {
    let due = state.withLock { state in
      var due: [@Sendable () throws -> Void] = []
      for index in state.steps.indices where state.steps[index].kind == kind {
        // A request that fails before it takes effect counts as well.
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
