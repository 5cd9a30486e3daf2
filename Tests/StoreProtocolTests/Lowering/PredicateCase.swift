import Foundation
import StoreProtocol
import Testing

/// A predicate with the text that names it in the output.
struct PredicateCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let predicate: Predicate<Book>

  init(_ name: String, _ predicate: Predicate<Book>) {
    testDescription = name
    self.predicate = predicate
  }

  /// Expects rows and objects to have the same result over several libraries.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let library = try Library(seed: seed)
      let rows = try library.rows(matching: predicate)
      let objects = try library.objects(matching: predicate)
      #expect(rows == objects, "seed \(seed)", sourceLocation: sourceLocation)
    }
  }
}
