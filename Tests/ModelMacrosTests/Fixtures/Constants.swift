// swift-format-ignore-file
@Model class Trip {
  let id: UUID
  let a: Int, b: String
  let tags: [String]
  static let shared = 3
  @Transient let cache = Cache()
  var name = ""

  init() { (id, a, b, tags) = (UUID(), 1, "b", []) }
}
