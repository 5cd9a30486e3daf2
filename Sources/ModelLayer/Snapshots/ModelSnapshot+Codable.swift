import StoreProtocol

extension CodingUserInfoKey {
  /// Whether snapshots are coded with the identifiers of their objects: true, or left out.
  ///
  /// Set it in the `userInfo` of encoder and decoder where the data stays among programs that trust
  /// each other. Without it no identifier is written, and none that comes from outside is believed.
  public static let modelIdentifiers = named("OpenSwiftData.modelIdentifiers")

  /// Whether snapshots are decoded without the attributes that a new object needs: true, or left out.
  ///
  /// Set it in the `userInfo` of a decoder for changes of objects that exist, as the body of an HTTP
  /// PATCH request. What is absent stays as it is; null sets an optional to `nil`.
  public static let partialSnapshots = named("OpenSwiftData.partialSnapshots")

  private static func named(_ name: String) -> CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: name) else {
      preconditionFailure("A key of a coder's userInfo could not be made of its name.")
    }
    return key
  }
}

extension ModelSnapshot: Codable {
  /// Writes an object with one member for each property that the snapshot says something of.
  ///
  /// Attributes are written in the Codable form of their types, so that what the encoder is told
  /// of dates and data holds; nil is written as null. Objects of relationships are nested; those
  /// that were not included are left out. A snapshot of a model that inherits from `Model` names
  /// it in a member `$entity`. With ``Swift/CodingUserInfoKey/modelIdentifiers`` each object has
  /// its identifier in a member `$id`, and those that were not included are objects with that
  /// alone. The version, where there is one, is in a member `$version` then.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` for a value that was set and cannot be
  ///   encoded, and what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    let container = encoder.container(keyedBy: SnapshotKey.self)
    let isIdentified = encoder.userInfo[.modelIdentifiers] as? Bool == true
    var encoding = SnapshotEncoding(container: container, record: record, isIdentified)
    try encoding.encode(declared: ModelLayout.of(Model.self))
  }

  /// Reads what `encode(to:)` writes, and what others write in the same shape.
  ///
  /// A property whose member is missing is one that the snapshot says nothing of; only attributes
  /// that must be given, having no initial value and being no optionals, must be there, unless an
  /// identifier comes with them or ``Swift/CodingUserInfoKey/partialSnapshots`` is set. Members of
  /// other names are passed over.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` with entity and property for a value that does not
  ///   fit, is missing, or nests deeper than 64 levels.
  public init(from decoder: any Decoder) throws {
    let decoding = try SnapshotDecoding(decoder, of: Model.self)
    self.init(try decoding.record())
  }
}

/// A name in the encoded form of a snapshot.
struct SnapshotKey: CodingKey {
  // No property has a name that begins with a dollar sign.
  static let entity = SnapshotKey(stringValue: "$entity")
  static let identifier = SnapshotKey(stringValue: "$id")
  static let version = SnapshotKey(stringValue: "$version")

  let stringValue: String
  let intValue: Int? = nil

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}
