import Foundation
import GRDB
import OpenSwiftData

extension Workload {
  /// Grandparents, and in a loop their children and theirs, prefetched or as the loop touches them.
  ///
  /// What is prefetched is the first generation; the second comes by faults in both.
  static func readFamilies(_ scene: Scene, prefetched: Bool) throws -> Workload {
    let count = scene.rows(1_000)
    let container = try ModelContainer(
      for: Grandparent.self,
      store: "sqlite:\(try storedFamilies(scene, count))"
    )
    let path = try scene.making("hand.families.db") { try RawDatabase($0).createFamilies(count) }
    let raw = try RawDatabase(path)
    let peer = try PeerDatabase.queue(path)
    let control = Contender.control("SQLite by hand, 3 queries") { watch in
      let (families, sum) = try watch.time {
        let families = try raw.families()
        var sum = 0
        for family in families {
          for child in family.children {
            for one in child.children { sum &+= one.name.utf8.count }
          }
        }
        return (families, sum)
      }
      return try digest(families, sum)
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      let (families, sum) = try watch.time {
        var all = FetchDescriptor<Grandparent>()
        if prefetched { all.relationshipKeyPathsForPrefetching = [\.children] }
        let families = try context.fetch(all)
        var sum = 0
        for family in families {
          for child in family.children {
            for one in child.children { sum &+= one.name.utf8.count }
          }
        }
        return (families, sum)
      }
      return try digest(families, sum)
    }
    let kept = try KeptStore(try storedFamilies(scene, count))
    let limit = Contender.limit { watch in
      let kept = try KeptFamilies(kept)
      let (families, sum) = try watch.time {
        let families = try kept.all(prefetched: prefetched)
        var sum = 0
        for family in families {
          for child in try family.children {
            for one in try child.children { sum &+= one.name.utf8.count }
          }
        }
        return (families, sum)
      }
      return try withExtendedLifetime(kept) { try digest(families, sum) }
    }
    let associations = Contender.peer("GRDB, associations") { watch in
      let (families, sum) = try watch.time {
        let families = try peer.read { try PeerGrandparent.all($0) }
        var sum = 0
        for family in families {
          for child in family.children {
            for one in child.children { sum &+= one.name.utf8.count }
          }
        }
        return (families, sum)
      }
      return try digest(families, sum)
    }
    return Workload(
      title: "read 1,000 parents with 5,000 children and 10,000 grandchildren, "
        + (prefetched ? "children prefetched" : "faulted by a loop"),
      unit: "object",
      count: count * (1 + Family.children * (1 + Family.grandchildren)),
      targets: [Target(ratio: prefetched ? 1.3 : 1.6)],
      expected: Family.digest(count),
      contenders: [control, engine, limit, associations]
    )
  }

  private static func storedFamilies(_ scene: Scene, _ count: Int) throws -> String {
    try scene.making("engine.families.sqlite") { path in
      let context = ModelContext(try ModelContainer(for: Grandparent.self, store: "sqlite:\(path)"))
      for number in 0..<count { context.insert(Grandparent(number)) }
      try context.save()
    }
  }

  private static func digest(_ families: [Person], _ sum: Int) throws -> UInt64 {
    try digest(sum) { digest in
      for family in families {
        digest.add(family.name)
        for child in family.children {
          digest.add(child.name)
          for one in child.children { digest.add(one.name) }
        }
      }
    }
  }

  private static func digest(_ families: [KeptPerson], _ sum: Int) throws -> UInt64 {
    try digest(sum) { digest in
      for family in families {
        digest.add(family.name)
        for child in try family.children {
          digest.add(child.name)
          for one in try child.children { digest.add(one.name) }
        }
      }
    }
  }

  private static func digest(_ families: [Grandparent], _ sum: Int) throws -> UInt64 {
    try digest(sum) { digest in
      for family in families {
        digest.add(family.name)
        for child in family.children {
          digest.add(child.name)
          for one in child.children { digest.add(one.name) }
        }
      }
    }
  }

  private static func digest(_ families: [PeerFamily], _ sum: Int) throws -> UInt64 {
    try digest(sum) { digest in
      for family in families {
        digest.add(family.grandparent.name)
        for branch in family.children {
          digest.add(branch.parent.name)
          for one in branch.children { digest.add(one.name) }
        }
      }
    }
  }

  private static func digest(_ sum: Int, _ add: (inout Digest) throws -> Void) throws -> UInt64 {
    guard sum > 0 else { throw BenchmarkError("the loop over the families touched nothing") }
    var digest = Digest()
    try add(&digest)
    return digest.value
  }
}
