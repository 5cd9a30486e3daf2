/// The mapping from the properties of a newer entity to those of an older one.
struct PropertyMatch {
  let old: StoreEntity
  let new: StoreEntity
  /// The index of the older property for each newer one.
  let sources: [Int?]

  init(old: StoreEntity, new: StoreEntity) {
    self.old = old
    self.new = new
    sources = new.properties.map { property in
      if let index = old.indexByName[property.name] { return index }
      guard property.originalName != property.name,
        new.indexByName[property.originalName] == nil
      else { return nil }
      return old.indexByName[property.originalName]
    }
  }

  /// Returns the older property of a newer one, or `nil` if the property is new.
  func source(of index: Int) -> StoreProperty? { sources[index].map { old.properties[$0] } }

  /// Returns the newer name of an older property, or `nil` if the property was removed.
  func name(ofOld name: String) -> String? {
    guard let index = old.indexByName[name] else { return nil }
    return sources.firstIndex(of: index).map { new.properties[$0].name }
  }
}
