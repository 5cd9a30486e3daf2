import ModelRuntime
import StoreProtocol

extension CodingUserInfoKey {
  /// The key that determines whether snapshots are coded with the identifiers of their objects.
  ///
  /// Set it to `true` in the `userInfo` of encoder and decoder if the data stays among programs
  /// that trust each other. Without it no identifier is written, and identifiers from outside are
  /// ignored.
  public static let modelIdentifiers = named("OpenSwiftData.modelIdentifiers")

  /// The key that determines whether snapshots are decoded without the attributes that a new object
  /// needs.
  ///
  /// Set it to `true` in the `userInfo` of a decoder for changes of existing objects, such as the
  /// body of an HTTP PATCH request. Absent properties are unchanged; null sets an optional to
  /// `nil`.
  public static let partialSnapshots = named("OpenSwiftData.partialSnapshots")

  /// The key that determines whether snapshots are decoded only if all members are known.
  ///
  /// Set it to `true` in the `userInfo` of a decoder to refuse objects, also nested ones, that have
  /// any member that is not a property of their model. Without it such members are ignored.
  public static let strictSnapshots = named("OpenSwiftData.strictSnapshots")

  private static func named(_ name: String) -> CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: name) else {
      preconditionFailure("A userInfo key of a coder could not be created from its name.")
    }
    return key
  }
}

extension ModelSnapshot: Codable {
  /// Encodes an object with one member for each property that the snapshot contains.
  ///
  /// Attributes are encoded in the Codable form of their types, so that the encoder's strategies
  /// for dates and data apply; `nil` is encoded as null. Objects of relationships are nested; those
  /// that were not included are left out. A snapshot of a model that inherits from `Model` names it
  /// in a member `$entity`.
  ///
  /// With ``Swift/CodingUserInfoKey/modelIdentifiers`` each object has its identifier in a member
  /// `$id`, and those that were not included are objects with that alone. The version, if there is
  /// one, is then in a member `$version`.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` for a value that was set and cannot be
  ///   encoded, and errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    let container = encoder.container(keyedBy: SnapshotKey.self)
    let isIdentified = encoder.userInfo[.modelIdentifiers] as? Bool == true
    var encoding = SnapshotEncoding(container: container, record: record, isIdentified)
    try encoding.encode(declared: ModelLayout.of(Model.self))
  }

  /// Decodes the form that `encode(to:)` writes.
  ///
  /// The snapshot lacks properties whose member is missing. Only attributes without an initial
  /// value that are not optional must be present, unless an identifier comes with them or
  /// ``Swift/CodingUserInfoKey/partialSnapshots`` is set. Members of other names are ignored,
  /// unless ``Swift/CodingUserInfoKey/strictSnapshots`` is set.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` with entity and property for a value that does not
  ///   fit, is missing, or nests deeper than 64 levels, and for a refused member.
  public init(from decoder: any Decoder) throws {
    let decoding = try SnapshotDecoding(decoder, of: Model.self)
    self.init(try decoding.record())
  }
}

/// A name in the encoded form of a snapshot.
struct SnapshotKey: CodingKey {
  // Names of properties cannot begin with a dollar sign.
  static let entity = SnapshotKey(stringValue: "$entity")
  static let identifier = SnapshotKey(stringValue: "$id")
  static let version = SnapshotKey(stringValue: "$version")

  let stringValue: String
  let intValue: Int? = nil

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}
