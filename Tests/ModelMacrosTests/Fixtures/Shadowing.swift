@Model final class ID {
  #Index<ID>([\.name])
  @RemoteKey("n") var name = "n"
  var kind: Kind?
  @Relationship(inverse: \Owner.ids) var owner: Owner?
  var isDeleted = false
}
