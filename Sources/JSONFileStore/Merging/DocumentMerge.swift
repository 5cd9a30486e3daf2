import Foundation
import StoreFiles
import StoreHelpers
import StoreProtocol

/// Merges two documents with a common ancestor, object by object and property by property.
///
/// Objects that only one of them added, changed or removed are as in that one. Different changes in
/// both are a conflict, in which the merged document has our version.
package struct DocumentMerge: Sendable {
  /// Different changes of the same data in both documents.
  package struct Conflict: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The object, such as `Trip/4`.
    package let object: String
    /// The property, or the properties that must be unique together; empty for the object as a
    /// whole.
    package let properties: [String]
    /// The description of the conflict, as a sentence.
    package let reason: String
    /// The value in the common document as JSON, or `nil` if there is none.
    package let base: String?
    /// The value in our document, or `nil` if there is none.
    package let ours: String?
    /// The value in their document, or `nil` if there is none.
    package let theirs: String?

    /// The object with the property, the reason and the values, in one line.
    package var description: String {
      let subject = ([object] + (properties.isEmpty ? [] : [properties.joined(separator: ", ")]))
        .joined(separator: ".")
      let values = [("base", base), ("ours", ours), ("theirs", theirs)]
        .compactMap { name, value in value.map { "\(name) \($0)" } }
      return "\(subject): \(reason)" + (values.isEmpty ? "" : ": \(values.joined(separator: ", "))")
    }
  }

  /// The conflicts, ordered by the keys of objects.
  package let conflicts: [Conflict]
  /// The number of their objects that got another key, because our document uses the key for
  /// another object.
  package let renumbered: Int
  private let draft: DocumentDraft
  private let location: DocumentLocation

  /// Reads and merges three documents without writing.
  ///
  /// - Parameters:
  ///   - base: The path of the common document; an empty file means a document without objects.
  ///   - ours: The path of the document that gets the result.
  ///   - theirs: The path of the other document.
  ///   - name: The path at which programs open the document, if version control uses another one
  ///     during the merge.
  /// - Throws: `invalidConfiguration` for documents of different stores, `schemaMismatch` if both
  ///   changed the schema, `storeBusy` if saves in a journal are not in the document yet, and the
  ///   errors of reading.
  package init(base: String, ours: String, theirs: String, name: String? = nil) throws {
    if let name { try DocumentSide.checkJournal(of: name) }
    var (mine, their) = (try DocumentSide(path: ours), try DocumentSide(path: theirs))
    var common = try Self.isEmpty(base) ? nil : DocumentSide(path: base)
    guard mine.store == their.store, common == nil || common?.store == mine.store else {
      throw DataStoreError(
        .invalidConfiguration,
        "the documents are of different stores and cannot be merged; import one into the other "
          + "with storectl export and import",
        file: ours
      )
    }
    let schema = try Self.schema(common?.schema, mine.schema, their.schema, file: ours)
    try common?.convert(to: schema, removesEntities: true)
    try mine.convert(to: schema, removesEntities: false)
    try their.convert(to: schema, removesEntities: false)
    var merge = ObjectMerge(
      map: TableMap(schema),
      base: common?.rows ?? [:],
      ours: mine.rows,
      theirs: their.rows,
      nextKey: max(mine.state.nextKey, their.state.nextKey)
    )
    merge.run()
    (conflicts, renumbered) = (merge.conflicts, merge.renumbered)
    var state = merge.state(of: mine.store)
    // Two histories use the same numbers for different saves.
    let last = max(mine.state.history.lastSave, their.state.history.lastSave)
    if last > 0 {
      let sides = [mine, their].map { $0.state.history.saveIdentifier(at: last, in: $0.store) }
      let text = sides.map { $0?.uuidString ?? "" }.joined(separator: "/")
      state.history.cutAll(at: last, save: UUID(derivedFrom: text))
    }
    draft = DocumentDraft(
      state: state,
      store: mine.store,
      schema: try schema.text(),
      layout: mine.layout
    )
    // Our generation: a journal that is placed beside the result is then rejected.
    location = DocumentLocation(
      folder: mine.folder,
      name: mine.name,
      policy: .disk,
      generation: mine.generation
    )
  }

  /// Replaces our document by the merged document.
  ///
  /// - Throws: The errors of the system; the document is then intact, either unchanged or merged.
  package func write() throws {
    let next = try translating { () throws(FileError) in try location.write(draft) }
    do throws(ReplacementError) {
      try location.folder.commit(next.file)
    } catch {
      throw StoreErrors.translated(error.cause)
    }
  }

  private static func isEmpty(_ path: String) throws -> Bool {
    let (folder, name) = FileName.split(path)
    return try translating { () throws(FileError) in
      try Folder(path: folder).open(name, for: .reading).status().size == 0
    }
  }

  /// Returns the schema of the document that changed it, or that of both.
  private static func schema(
    _ base: StoreSchema?,
    _ ours: StoreSchema,
    _ theirs: StoreSchema,
    file: String
  ) throws -> StoreSchema {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    throw DataStoreError(
      .schemaMismatch,
      "both sides changed the schema; first open one of them with the other's program; "
        + SchemaDifference(from: ours, to: theirs).sentence,
      file: file
    )
  }
}
