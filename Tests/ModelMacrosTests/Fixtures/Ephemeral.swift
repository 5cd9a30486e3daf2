// swift-format-ignore-file
// The superclass is a model.
@Model class Draft: Note {
  @Attribute(.ephemeral) var isOpen = false
  var text = ""
  #if DEBUG
  @Attribute(Schema.Attribute.Option.ephemeral, originalName: "shade") var color: Color
  #endif
  @Attribute(originalName: "ephemeral") var title: String?

  init(color: Color) {
    self.color = color
    super.init(name: "")
  }
}
