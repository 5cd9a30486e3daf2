// swift-format-ignore-file
@Model class Box<Content: Codable & Hashable> {
  #if DEBUG
  var content: Content?
  #endif
  var all: [Content] = []
  init() {}
}
