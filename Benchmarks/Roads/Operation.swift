import Foundation
import OpenSwiftData

/// A piece of work with a number of objects.
enum Operation: String, CaseIterable {
  case insert, fetch, refetch, update, saves, rollback, delete, recovery
  case insertInParts = "insert-in-parts"
  case bulkDelete = "bulk-delete"
  case bulkUpdate = "bulk-update"
  case findOrCreate = "find-or-create"
  case byIdentifier = "by-identifier"
  case byNewIdentifier = "by-new-identifier"

  /// Whether the store has the objects before.
  private var needsObjects: Bool {
    switch self {
    case .insert, .insertInParts, .findOrCreate, .byNewIdentifier: false
    default: true
    }
  }

  /// Measures the work, in seconds a unit.
  func seconds<M: RoadModel>(
    _ type: M.Type,
    _ store: RoadStore,
    _ circumstance: Circumstance,
    _ count: Int
  ) throws -> Double {
    let place = try RoadPlace(
      store,
      M.types + circumstance.types,
      keepsValues: circumstance == .values
    )
    if needsObjects { try place.fill(type, count) }
    let context = place.context()
    let kept = try circumstance.begin(type, context)
    let work = try prepare(type, place, context, count)
    return try withExtendedLifetime(kept) {
      let start = Self.processorSeconds()
      let units = try work()
      return (Self.processorSeconds() - start) / Double(units)
    }
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Returns the work, which returns the number of its units.
  private func prepare<M: RoadModel>(
    _ type: M.Type,
    _ place: RoadPlace,
    _ context: ModelContext,
    _ count: Int
  ) throws -> () throws -> Int {
    let all = FetchDescriptor<M>()
    switch self {
    case .insert, .insertInParts, .findOrCreate, .byNewIdentifier:
      return prepareNew(type, context, count)
    case .fetch: return { try context.fetch(all).count }
    case .recovery:
      let open = try place.killed()
      return { try ModelContext(open()).fetchCount(all) }
    case .byIdentifier:
      let identifiers = try context.fetchIdentifiers(all)
      return { identifiers.count { (context.model(for: $0) as? M)?.number != -1 } }
    case .bulkDelete:
      return {
        try context.delete(model: type)
        try context.save()
        return count
      }
    case .bulkUpdate:
      return {
        _ = try context.update(model: type, set: M.setsNumber(-2))
        try context.save()
        return count
      }
    case .refetch, .update, .saves, .rollback, .delete:
      return try prepareFetched(context, context.fetch(all))
    }
  }

  private func prepareFetched<M: RoadModel>(
    _ context: ModelContext,
    _ objects: [M]
  ) throws -> () throws -> Int {
    { [self] in
      switch self {
      case .saves:
        // A save must not depend on the number of objects.
        for object in objects.prefix(50) {
          object.number = -3
          try context.save()
        }
        return 50
      case .delete:
        objects.forEach(context.delete)
        try context.save()
      case .refetch: return try context.fetch(FetchDescriptor<M>()).count
      default:
        for object in objects { object.number = -3 }
        if self == .update { try context.save() } else { context.rollback() }
      }
      return objects.count
    }
  }

  private func prepareNew<M: RoadModel>(
    _ type: M.Type,
    _ context: ModelContext,
    _ count: Int
  ) -> () throws -> Int {
    let make = M.maker()
    return { [self] in
      switch self {
      case .insertInParts:
        for start in stride(from: 0, to: count, by: 20) {
          for object in make(start..<start + 20) { context.insert(object) }
          try context.save()
        }
      case .findOrCreate:
        // Each object is looked for twice.
        for number in 0..<count {
          let descriptor = FetchDescriptor(predicate: M.hasCode((number / 2).code))
          if let found = try context.fetch(descriptor).first {
            found.number = -number
          } else {
            for object in make(number / 2..<number / 2 + 1) { context.insert(object) }
          }
        }
        try context.save()
      default:
        let objects = make(0..<count)
        for object in objects { context.insert(object) }
        guard self == .insert else {
          return objects.count { context.model(for: $0.persistentModelID) === $0 }
        }
        try context.save()
      }
      return count
    }
  }
}
