// swift-format-ignore-file
@Model final class Trip {
  #Unique<Trip>([\.name, \.start], [\.code])
  #Index<Trip>([\.name])
  #Index([\Trip.start])

  @Attribute(.unique, originalName: "title") var name: String = ""
  @Attribute(.preserveValueOnDeletion) var start: Date = Date(timeIntervalSince1970: 0)
  @ModelLayer.Attribute var code: Int = 0
  @Relationship(deleteRule: .cascade, inverse: \Item.trip) var items: [Item] = []
  @Relationship(
    deleteRule: .nullify, // a comment between arguments
    minimumModelCount: 0
  )
  var home: Home?
  var owner: Person
  @Transient var isOpen = false
  @Transient var cache: [String: [Int]]?

  init(owner: Person) { self.owner = owner }
}
