import Foundation
import OpenSwiftData
import StoreProtocol
import Synchronization

/// The command `group`: steps on threads of their own, whose saves the store commits together.
///
/// The first save, which is the main thread's, waits within the store until all others wait for it. So
/// it makes all of them, in their order, with the same system calls in every run. A step that changes
/// an item of an earlier one is refused; none may read while it is saved, as deletions do. The last step
/// of the script follows alone. Lines:
///
///     GROUP            the saves begin
///     ACK n            the save of a step is durable
///     NAK n code       it failed
///     OUT n outcome    an unknown outcome, when all have ended: saved, notSaved, or the code of an error
///     LAST n           the last step begins
///     END              all is done
struct GroupedSteps: Sendable {
  static let usage = "storeworker group URL SCRIPT FIRST"

  private typealias Item = Narrow.Item

  private let container: ModelContainer
  private let script: Script
  private let first: Int
  private let last: Int
  /// The identifiers of the saves by their steps.
  private let identifiers: [Int: UUID]

  init(_ url: String, _ script: Script, first: Int) throws {
    guard let last = script.count, first > 0, first < last else {
      throw WorkerError.usage("a group needs a step, and another one that follows it")
    }
    container = try ModelContainer(for: Item.self, Item.Box.self, store: url)
    self.script = script
    self.first = first
    self.last = last
    identifiers = Dictionary(uniqueKeysWithValues: (first...last).map { ($0, UUID()) })
  }

  func callAsFunction() throws {
    let turns = Turns()
    let done = DispatchGroup()
    let leader = try session(first)
    for number in first + 1..<last {
      done.enter()
      Thread.detachNewThread {
        follow(number, turns)
        done.leave()
      }
      turns.waitForOne()
    }
    Output.line("GROUP")
    // The store asks for the time of a save while it makes it.
    save(first, leader) { turns.begin() }
    // If it failed before.
    turns.begin()
    done.wait()
    for number in first..<last { tellOutcome(number) }
    Output.line("LAST \(last)")
    do {
      save(last, try session(last))
    } catch {
      Output.line("NAK \(last) \(error.word)")
      Output.complain(error)
    }
    Output.line("END")
  }

  /// Performs a step on a thread of its own, whose save begins when it is told to.
  private func follow(_ number: Int, _ turns: Turns) {
    do {
      let session = try session(number)
      turns.waitForOwn()
      // Called when the save waits for the first one.
      let waiting = SaveWaiting { wait in
        turns.end()
        wait()
      }
      SaveWaiting.$current.withValue(waiting) { save(number, session) }
    } catch {
      Output.complain(error)
    }
    turns.end()
  }

  /// Makes the changes of a step, without saving them.
  private func session(_ number: Int) throws -> StoreSession<Item> {
    let session = StoreSession<Item>(container, author: "\(number)")
    if let step = script[number] { try session.change(step, number) }
    return session
  }

  private func save(
    _ number: Int,
    _ session: StoreSession<Item>,
    _ onTime: @escaping @Sendable () -> Void = {}
  ) {
    guard let step = script[number], let identifier = identifiers[number] else { return }
    let environment = StoreEnvironment(
      now: {
        onTime()
        return Date()
      },
      makeSaveIdentifier: { identifier }
    )
    do {
      try StoreEnvironment.$current.withValue(environment) { try session.finish(step) }
      Output.line("ACK \(number)")
    } catch {
      Output.line("NAK \(number) \(error.word)")
      Output.complain(error)
    }
  }

  private func tellOutcome(_ number: Int) {
    guard let identifier = identifiers[number] else { return }
    for case let store as any RecordStore in container.stores {
      do {
        switch try store.outcome(ofSave: identifier) {
        case .saved: Output.line("OUT \(number) saved")
        case .notSaved: Output.line("OUT \(number) notSaved")
        }
      } catch {
        Output.line("OUT \(number) \(error.word)")
      }
    }
  }
}

/// The turns of threads, one after the other in the order of their numbers.
private final class Turns: Sendable {
  private let waiting = Mutex<[DispatchSemaphore]>([])
  private let ended = DispatchSemaphore(value: 0)

  /// Waits for the turn of the calling thread; that of another one ends.
  func waitForOwn() {
    let turn = DispatchSemaphore(value: 0)
    waiting.withLock { $0.append(turn) }
    end()
    turn.wait()
  }

  /// Ends the turn of the calling thread.
  func end() { ended.signal() }

  /// Waits until a thread has ended its turn.
  func waitForOne() { ended.wait() }

  /// Gives each waiting thread its turn, once.
  func begin() {
    let turns = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for turn in turns {
      turn.signal()
      waitForOne()
    }
  }
}
