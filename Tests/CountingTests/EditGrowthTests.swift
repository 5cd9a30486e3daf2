import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Model private final class Owner {
  @Relationship(inverse: \Piece.owner) var pieces: [Piece] = []
  var names: [String] = []
  var numbers: [Int]? = []

  init() {}
}

@Model private final class Piece {
  var number: Int
  var owner: Owner?

  init(_ number: Int) { self.number = number }
}

/// An edit of a collection in place does not copy it.
@Suite("The time of an edit in place", .serialized)
struct EditGrowthTests {
  /// The state of an owner before its pieces are edited.
  enum State: CaseIterable {
    case transient, inserted, stored
    /// The owner is stored, and its pieces are inserted by the edits.
    case storedAlone
  }

  /// Expects that the edits of the pieces of an owner take linear time.
  private func expectLinear(
    _ state: State,
    filled isFilled: Bool = false,
    _ edit: @escaping (Owner, Piece) -> Void
  ) throws {
    try Growth.expectLinear(from: 250) { count in
      let container = try ModelContainer(for: Owner.self, store: "memory:")
      let context = ModelContext(container)
      context.autosaveEnabled = false
      let owner = Owner()
      let pieces = (0..<count).map { Piece($0) }
      if isFilled { owner.pieces = pieces }
      if state != .transient {
        context.insert(owner)
        if state != .storedAlone { for piece in pieces { context.insert(piece) } }
      }
      if state == .stored || state == .storedAlone { try context.save() }
      return {
        // Without the context, new objects would release each other.
        withExtendedLifetime(context) {
          for piece in pieces { edit(owner, piece) }
        }
      }
    }
  }

  @Test(arguments: State.allCases)
  func `that appends does not grow`(state: State) throws {
    try expectLinear(state) { owner, piece in owner.pieces.append(piece) }
  }

  @Test(arguments: State.allCases)
  func `that appends after a count does not grow`(state: State) throws {
    try expectLinear(state) { owner, piece in
      if owner.pieces.count >= 0 { owner.pieces.append(piece) }
    }
  }

  @Test(arguments: State.allCases)
  func `that removes the last does not grow`(state: State) throws {
    try expectLinear(state, filled: true) { owner, _ in owner.pieces.removeLast() }
  }

  @Test(arguments: State.allCases)
  func `at the beginning does not grow`(state: State) throws {
    try expectLinear(state) { owner, piece in owner.pieces.insert(piece, at: 0) }
    try expectLinear(state, filled: true) { owner, _ in owner.pieces.removeFirst() }
  }

  @Test func `of an array of values does not grow`() throws {
    try Growth.expectLinear(from: 250) { count in
      let context = ModelContext(try ModelContainer(for: Owner.self, store: "memory:"))
      let owner = Owner()
      context.insert(owner)
      return {
        for number in 0..<count {
          owner.names.append("\(number)")
          owner.numbers?.append(number)
        }
        #expect(owner.names.count == count && owner.numbers?.count == count)
        withExtendedLifetime(context) {}
      }
    }
  }
}
