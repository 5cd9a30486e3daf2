import StoreProtocol
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("Packed identifiers")
struct PackedIdentifiersTests {
  private let scopes = ["Trip", "BusinessTrip"].map {
    PersistentIdentifier.Scope(storeIdentifier: "s", entityName: $0)
  }

  private func identifier(_ key: PersistentIdentifier.Key, _ scope: Int = 0) -> PersistentIdentifier
  {
    PersistentIdentifier(scope: scopes[scope], key: key)
  }

  private func check(_ identifiers: [PersistentIdentifier], batch: Int) {
    var packed = PackedIdentifiers()
    for identifier in identifiers { packed.append(identifier) }
    packed.finish()
    var taken: [PersistentIdentifier] = []
    while case let next = packed.next(batch), !next.isEmpty {
      #expect(next.count <= batch)
      taken += next
    }
    #expect(taken == identifiers)
  }

  @Test func `are returned in their order`() {
    let extremes: [Int64] = [.max, .min, 0, -1, .max, .max - 1, 1, 2, 3, 2, 1]
    check([], batch: 3)
    for batch in [1, 3, 100] {
      check(extremes.map { identifier(.integer($0)) }, batch: batch)
      check((1...10).map { identifier(.integer($0)) }, batch: batch)
      check((1...10).map { identifier(.integer($0), Int($0) % 2) }, batch: batch)
      let mixed: [PersistentIdentifier] = [
        identifier(.integer(1)), identifier(.integer(2)), identifier(.temporary(3)),
        identifier(.text("a")), identifier(.integer(3)), identifier(.integer(4), 1),
      ]
      check(mixed, batch: batch)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `of random keys are returned unchanged`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var key: Int64 = 0
    let identifiers = (0..<2_000).map { _ in
      key =
        switch Int.random(in: 0..<10, using: &random) {
        case 0: Int64.random(in: .min ... .max, using: &random)
        case 1: key &+ Int64.random(in: -300...300, using: &random)
        default: key &+ 1
        }
      return identifier(.integer(key), Int.random(in: 0..<100, using: &random) == 0 ? 1 : 0)
    }
    check(identifiers, batch: 77)
  }
}
