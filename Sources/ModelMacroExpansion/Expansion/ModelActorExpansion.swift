/// Writes the members that `@ModelActor` adds to an actor.
enum ModelActorExpansion {
  static func source(of declaration: TypeDeclaration) -> Source {
    let access = Access(declaration.modifiers).fixed
    var source = Source(
      "nonisolated \(access)let modelExecutor: any ModelLayer.ModelExecutor",
      "nonisolated \(access)let modelContainer: ModelLayer.ModelContainer"
    )
    source.add("\(access)init(modelContainer: ModelLayer.ModelContainer)") { source in
      source.add("let modelContext = ModelLayer.ModelContext(modelContainer)")
      source.add(
        "self.modelExecutor = ModelLayer.DefaultSerialModelExecutor(modelContext: modelContext)"
      )
      source.add("self.modelContainer = modelContainer")
    }
    return source
  }
}
