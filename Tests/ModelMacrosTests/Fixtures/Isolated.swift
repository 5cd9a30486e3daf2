// swift-format-ignore-file
@MainActor @Model class Trip {
  var name: String = ""
  var items: [Item] = []
  let id: Int
  init(id: Int) { self.id = id }
}
