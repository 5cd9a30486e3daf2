/// The mapping from the properties of a newer entity to those of an older one.
package struct PropertyMatch {
  let old: StoreEntity
  let new: StoreEntity
  /// The index of the older property for each newer one.
  let sources: [Int?]

  /// Matches the properties of both entities by name and by original name.
  package init(old: StoreEntity, new: StoreEntity) {
    self.old = old
    self.new = new
    let unnamed = new.properties.filter { old.indexByName[$0.name] == nil }
    // A new property may have the name that another one had: it does not take the values of that.
    let renamed = Set(unnamed.map(\.originalName))
    sources = new.properties.map { property in
      if !renamed.contains(property.name), let index = old.indexByName[property.name] {
        return index
      }
      return property.originalName == property.name ? nil : old.indexByName[property.originalName]
    }
  }

  /// Returns the older property of a newer one, or `nil` if the property is new.
  package func source(of index: Int) -> StoreProperty? { sources[index].map { old.properties[$0] } }

  /// Returns the newer name of an older property, or `nil` if the property was removed.
  func name(ofOld name: String) -> String? {
    guard let index = old.indexByName[name] else { return nil }
    return sources.firstIndex(of: index).map { new.properties[$0].name }
  }
}
