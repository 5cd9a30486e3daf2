/// What was measured of the memory that one thing takes.
struct MemoryResult: Codable {
  /// Something that must hold of the bytes.
  struct Target: Codable {
    /// The limit in words: "at most 2.00× plain".
    let title: String
    let isMet: Bool
  }

  let name: String
  let title: String
  let bytes: Int
  /// How many objects they are for, nil where it is a whole.
  let objects: Int?
  /// By what it is compared with.
  let ratio: Double?
  let targets: [Target]

  var bytesEach: Double? { objects.map { Double(bytes) / Double($0) } }
}
