import Foundation
import ModelRuntime
import StoreProtocol

extension ModelContext {
  /// Fetches objects in sections of those with equal values at a key path.
  ///
  /// ```swift
  /// for section in try context.fetch(descriptor, sectionBy: \.destination) {
  ///   print(section.title)
  ///   for trip in section { print("  \(trip.name)") }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: The fetch, and the order within a section. The key path becomes the first sort
  ///     term unless it is that already, for example in descending order. The window counts
  ///     objects.
  ///   - keyPath: The key path to the title of a section.
  /// - Returns: The sections, in the order of their titles.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for a key path whose values no store can
  ///   sort, and errors of ``fetch(_:)-(FetchDescriptor<T>)``.
  public func fetch<T, SectionTitle>(
    _ descriptor: FetchDescriptor<T>,
    sectionBy keyPath: KeyPath<T, SectionTitle>
  ) throws -> SectionedResults<T, SectionTitle>
  where T: PersistentModel, SectionTitle: Hashable {
    let title = try QuerySort(keyPath: keyPath, of: T.self).value
    let plan = try FetchPlan(descriptor, sortedFirstBy: title, in: state)
    return SectionedResults(try plan.fetched()) { $0[keyPath: keyPath] }
  }
}
