/// The mapping from the properties of a newer entity to those of an older one.
package struct PropertyMatch {
  let old: StoreEntity
  let new: StoreEntity
  /// The index of the older property for each newer one.
  let sources: [Int?]

  /// Matches the properties of both entities by name and by original name.
  ///
  /// An original name counts in the first version that declares it; later ones repeat it. It takes
  /// precedence over the name if the older name is free: no property has it, or one that was renamed
  /// as well. Exchanged names are not free, so the values stay with their names.
  package init(old: StoreEntity, new: StoreEntity) {
    self.old = old
    self.new = new
    let names = new.properties.map { old.indexByName[$0.name] }
    var renames: [Int: Int] = [:]
    func isRenamed(_ index: Int) -> Bool {
      let property = new.properties[index]
      guard property.originalName != property.name, renames[index] == nil else { return false }
      guard let named = names[index], !renames.values.contains(named) else { return true }
      let holder = new.indexByName[property.originalName]
      return old.properties[named].originalName != property.originalName
        && holder.map { renames[$0] != nil } ?? true
    }
    while let index = new.properties.indices.first(where: { index in
      old.indexByName[new.properties[index].originalName] != nil && isRenamed(index)
    }) {
      renames[index] = old.indexByName[new.properties[index].originalName]
    }
    let renamed = Set(renames.values)
    sources = names.enumerated().map { index, named in
      renames[index] ?? named.flatMap { renamed.contains($0) ? nil : $0 }
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
