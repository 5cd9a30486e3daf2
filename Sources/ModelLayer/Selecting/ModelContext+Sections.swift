import Foundation
import StoreProtocol

extension ModelContext {
  /// Fetches objects in sections of those that have the same value at a key path.
  ///
  /// ```swift
  /// for section in try context.fetch(descriptor, sectionBy: \.destination) {
  ///   print(section.title)
  ///   for trip in section { print("  \(trip.name)") }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: Which objects, in which order within their section. The key path is put first in
  ///     the order, unless it stands there already (backwards, say). The window counts objects.
  ///   - keyPath: What the objects of a section share.
  /// - Returns: The sections, in the order of their titles.
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for a key path whose values no store orders,
  ///   and what ``fetch(_:)`` throws.
  public func fetch<T, SectionTitle>(
    _ descriptor: FetchDescriptor<T>,
    sectionBy keyPath: KeyPath<T, SectionTitle>
  ) throws -> SectionedResults<T, SectionTitle>
  where T: PersistentModel, SectionTitle: Hashable {
    SectionedResults(try state.fetch(descriptor, sectionBy: keyPath)) { $0[keyPath: keyPath] }
  }
}
