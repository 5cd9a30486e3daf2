import Foundation
import OpenSwiftData
import Testing

@Suite struct `Random predicates have one meaning for objects, rows and stores` {
  private static let count = UInt64(max(60, DifferentialFixtures.questions / 10))

  @Test(arguments: DifferentialFixtures.seeds)
  func `with any filter`(seed: UInt64) throws {
    let world = try DifferentialWorld(seed: seed)
    var telling: UInt64 = 0
    for number in 0..<Self.count {
      let own = seed &* 1_000_003 &+ number
      let descriptor = FetchDescriptor(predicate: DifferentialPredicate.make(seed: own))
      let numbers = try world.evaluated(descriptor)
      let predicate = try #require(descriptor.predicate)
      #expect(try world.found(predicate) == numbers, "objects, world \(seed), predicate \(own)")
      for (store, found) in try world.results(descriptor) {
        #expect(found == numbers, "\(store), world \(seed), predicate \(own)")
      }
      if !numbers.isEmpty, numbers.count < world.relics.count { telling += 1 }
    }
    #expect(telling * 3 > Self.count, "most predicates match all objects or none")
  }

  @Test(arguments: DifferentialFixtures.seeds)
  func `with any sort order and window`(seed: UInt64) throws {
    let world = try DifferentialWorld(seed: ~seed)
    for number in 0..<Self.count {
      let own = seed &* 1_000_033 &+ number
      let descriptor = DifferentialPredicate.descriptor(seed: own)
      let numbers = try world.evaluated(descriptor)
      for (store, found) in try world.results(descriptor) {
        #expect(found == numbers, "\(store), world \(seed), predicate \(own)")
      }
    }
  }
}
