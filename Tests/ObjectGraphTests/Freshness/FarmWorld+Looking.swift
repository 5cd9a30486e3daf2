import OpenSwiftData

extension FarmWorld {
  /// Asks for farmers in another way than by a fetch of all of them.
  func look(_ step: FarmStep) throws {
    var descriptor = FetchDescriptor<Farmer>()
    if step.first % 2 == 1 { descriptor.predicate = #Predicate { !$0.animals.isEmpty } }
    switch step.second {
    case 0: _ = try context.fetchCount(descriptor)
    case 1: _ = try context.fetchIdentifiers(descriptor)
    case 2: _ = try context.fetch(descriptor, select: \.age)
    case 3: _ = try context.fetchSnapshots(descriptor)
    case 4:
      descriptor.propertiesToFetch = [\.name]
      for farmer in try context.fetch(descriptor) { hold(farmer) }
    case 5:
      descriptor.fetchLimit = 2
      descriptor.sortBy = [SortDescriptor(\.age)]
      descriptor.relationshipKeyPathsForPrefetching = [\.animals, \.medals, \.stall]
      for farmer in try context.fetch(descriptor) { hold(farmer) }
    case 6: try context.enumerate(descriptor, batchSize: 2) { hold($0) }
    default:
      descriptor.includePendingChanges = false
      for farmer in try context.fetch(descriptor, batchSize: 2) { hold(farmer) }
    }
  }
}
