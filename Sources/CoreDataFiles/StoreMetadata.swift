/// Programs store values of their own there, including access tokens.
///
/// They are neither read nor shown.
package struct StoreMetadata: Hashable, Sendable {
  /// The identifiers of the model's version, such as `1.0.0`.
  package let versionIdentifiers: [String]
  package let entityHashes: [String: [UInt8]]
  /// The version of the framework that wrote the store, such as 1338.
  package let frameworkVersion: Int?
  /// The number of values that the program itself keeps there.
  package let programKeyCount: Int

  /// Creates the metadata of a store that has none.
  package init() {
    (versionIdentifiers, entityHashes, frameworkVersion, programKeyCount) = ([], [:], nil, 0)
  }

  /// Reads a store's metadata.
  ///
  /// - Throws: ``FormatError`` if the bytes are no property list of a store.
  package init(_ bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) throws(FormatError) {
    let list = try PropertyList(bytes, limits: limits)
    guard case .dictionary? = list["NSStoreModelVersionHashes"] else {
      throw FormatError(.propertyList, "it has no 'NSStoreModelVersionHashes'")
    }
    var hashes: [String: [UInt8]] = [:]
    for case (let name, .data(let hash)) in list.entries(of: list["NSStoreModelVersionHashes"]) {
      hashes[name] = hash
    }
    entityHashes = hashes
    programKeyCount = list.keys.count { !$0.hasPrefix("NS") && !$0.hasPrefix("_NS") }
    var identifiers: [String] = []
    if case .array(let elements)? = list["NSStoreModelVersionIdentifiers"] {
      for case .string(let name) in elements.map({ list.objects[Int($0)] }) where !name.isEmpty {
        identifiers.append(name)
      }
    }
    versionIdentifiers = identifiers
    if case .integer(let version)? = list["NSPersistenceFrameworkVersion"] {
      frameworkVersion = Int(version)
    } else {
      frameworkVersion = nil
    }
  }
}
