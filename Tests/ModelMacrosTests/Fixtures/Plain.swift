// swift-format-ignore-file
@Model
class Trip {
  var name: String
  var destination: String = ""
  var note: String?
  var start: Date = .now
  var price = 12.5
  var nights = -3
  var isBooked = false
  var title = "untitled"
  var kind: Kind
  var tags: [String] = []
  var place = Place(x: 1, y: 2)
  var wrapped: (Foundation.URL)?
  var optional: Swift.Optional<Int>
  var forced: UUID!

  init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
