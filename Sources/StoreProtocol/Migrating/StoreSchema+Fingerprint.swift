extension StoreSchema {
  /// The fingerprint of the schema, identical for all schemas with the same stored form.
  ///
  /// It ignores the version, the order of declarations and the names of earlier properties. It
  /// includes `hashModifier`, but not the option `codable`.
  ///
  /// - Complexity: O(*n*) in the properties.
  public var fingerprint: String {
    var hash = FingerprintHash()
    for entity in entities { entity.add(to: &hash) }
    return hash.text
  }
}

extension StoreEntity {
  fileprivate func add(to hash: inout FingerprintHash) {
    hash.add(name)
    hash.add(superentity ?? "")
    for property in properties.sorted(by: { $0.name < $1.name }) { property.add(to: &hash) }
    let single = properties.filter(\.isUnique).map { [$0.name] }
    let constraints = Set(uniquenessConstraints + single)
    for list in constraints.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      hash.add("unique")
      for name in list { hash.add(name) }
    }
    for list in Set(indices).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      hash.add("index")
      for name in list { hash.add(name) }
    }
  }
}

extension StoreProperty {
  fileprivate func add(to hash: inout FingerprintHash) {
    hash.add(name)
    hash.add(isOptional ? "?" : "!")
    switch kind {
    case .attribute(let type): hash.add(type.rawValue)
    case .toOne(let relationship): relationship.add(to: &hash, "one")
    case .toMany(let relationship): relationship.add(to: &hash, "many")
    }
    for option in Set(formOptions).sorted() { hash.add(option) }
  }
}

extension StoreRelationship {
  fileprivate func add(to hash: inout FingerprintHash, _ word: String) {
    hash.add(word)
    hash.add(destination)
    hash.add(inverse ?? "")
    hash.add(deleteRule)
  }
}

/// A 64-bit Fowler-Noll-Vo hash of strings, which distinguishes versions of a schema and is not
/// cryptographic.
private struct FingerprintHash {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ word: String) {
    for byte in word.utf8 { add(byte) }
    // UTF-8 never contains this byte, so it separates the strings.
    add(0xFF)
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  var text: String { value.hexadecimal }
}
