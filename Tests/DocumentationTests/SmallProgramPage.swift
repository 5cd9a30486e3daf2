// snippet.small-program
import ModelLayer
import SQLiteStore

@Model
final class Note {
  var text: String

  init(_ text: String) { self.text = text }
}

/// Opens the store of a URL, such as `sqlite:notes.db?durability=relaxed`.
func openNotes(_ url: String) throws -> ModelContainer {
  StoreScheme.register(
    StoreScheme(name: "sqlite", summary: "a SQLite database", options: ["durability"]) {
      url,
      schema in
      SQLiteStoreConfiguration(
        schema: schema,
        url: try url.fileURL(),
        durability: try url.option("durability", default: .full)
      )
    }
  )
  let schema = Schema([Note.self])
  let configuration = try StoreScheme.configuration(for: url, schema: schema)
  return try ModelContainer(for: schema, configurations: [configuration])
}
// snippet.end
