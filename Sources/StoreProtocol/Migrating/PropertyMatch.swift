/// Which older property a newer one is.
struct PropertyMatch {
  let old: StoreEntity
  let new: StoreEntity
  /// The position of the older property for each newer one.
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

  /// The older property that a newer one is, nil where it is new.
  func source(of index: Int) -> StoreProperty? { sources[index].map { old.properties[$0] } }

  /// The newer name of an older property, nil where it is gone.
  func name(ofOld name: String) -> String? {
    guard let index = old.indexByName[name] else { return nil }
    return sources.firstIndex(of: index).map { new.properties[$0].name }
  }
}
