import StoreProtocol
import Synchronization

/// The responses of a recording store and the calls that it received, shared with the test.
public final class RecordingScript: Sendable {
  private struct State {
    var calls: [RecordingStore.Call] = []
    var responses: [[DefaultSnapshot]] = []
    var errors: [any Error] = []
    var lastKey: Int64 = 0
  }

  /// What the store says that it can do.
  public let capabilities: StoreCapabilities
  private let state = Mutex(State())

  /// Creates an empty script: every fetch gives nothing, every save succeeds.
  public init(capabilities: StoreCapabilities = StoreCapabilities()) {
    self.capabilities = capabilities
  }

  /// The calls so far.
  public var calls: [RecordingStore.Call] { state.withLock { $0.calls } }

  /// Forgets the calls so far.
  public func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Adds a response; each response but the last serves one call, the last serves all others.
  public func respond(with records: [DefaultSnapshot]) {
    state.withLock { $0.responses.append(records) }
  }

  /// Has the next call throw.
  public func fail(with error: any Error) { state.withLock { $0.errors.append(error) } }

  func nextKey() -> Int64 {
    state.withLock { state in
      state.lastKey += 1
      return state.lastKey
    }
  }

  func respond<Result>(
    to call: RecordingStore.Call,
    _ body: ([DefaultSnapshot]) -> Result
  ) throws -> Result {
    let records: [DefaultSnapshot] = try state.withLock { state in
      state.calls.append(call)
      if !state.errors.isEmpty { throw state.errors.removeFirst() }
      switch call {
      case .apply, .erase: return []
      default:
        return state.responses.count > 1
          ? state.responses.removeFirst() : state.responses.first ?? []
      }
    }
    return body(records)
  }
}

/// The description of a recording store; copies share one script.
public struct RecordingStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The kind of store that this configures.
  public typealias Store = RecordingStore

  /// A name for messages.
  public let name: String
  /// The models of the store.
  public var schema: Schema?
  /// The responses of the store and the calls that it received.
  public let script: RecordingScript

  /// Creates a configuration with a script of its own or a given one.
  public init(
    _ name: String = "recording",
    schema: Schema? = nil,
    script: RecordingScript = RecordingScript()
  ) {
    self.name = name
    self.schema = schema
    self.script = script
  }

  /// Compares the scripts.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.script === rhs.script }

  /// Hashes the script.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(script)) }
}
