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
  /// as well. Properties that exchange their names make each other's name free.
  package init(old: StoreEntity, new: StoreEntity) {
    self.old = old
    self.new = new
    let names = new.properties.map { old.indexByName[$0.name] }
    var renames: [Int: Int] = [:]
    var candidates = new.properties.indices.filter { index in
      let property = new.properties[index]
      return property.originalName != property.name
        && old.indexByName[property.originalName] != nil
    }
    /// Whether a property has its name from the older one of this name, with another original name.
    func isDeclared(_ index: Int) -> Bool {
      names[index].map { old.properties[$0].originalName != new.properties[index].originalName }
        ?? true
    }
    /// Whether a property is renamed if those of the predicate are.
    func isRenamed(_ index: Int, if isOther: (Int) -> Bool) -> Bool {
      guard let named = names[index], !renames.values.contains(named) else { return true }
      let holder = new.indexByName[new.properties[index].originalName]
      return isDeclared(index) && holder.map(isOther) ?? true
    }
    func rename(_ index: Int) {
      renames[index] = old.indexByName[new.properties[index].originalName]
      candidates.removeAll { $0 == index }
    }
    func renameAll() {
      while let index = candidates.first(where: { isRenamed($0) { renames[$0] != nil } }) {
        rename(index)
      }
    }
    renameAll()
    // The remaining candidates exchange their names, or require that of a property that keeps it.
    var ring = candidates.filter(isDeclared)
    while let index = ring.first(where: { index in
      !isRenamed(index) { renames[$0] != nil || ring.contains($0) }
    }) {
      ring.removeAll { $0 == index }
    }
    ring.forEach(rename)
    renameAll()
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
