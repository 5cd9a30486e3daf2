import ModelRuntime
import StoreProtocol

/// The contents of objects that a save will merge new objects into, from before the save.
///
/// Undoing the insertion of a merged object restores the object that it became an update of.
struct MergedContents {
  private struct Merge {
    let new: any PersistentModel
    /// The object that it updates, or `nil` if the new object itself will represent the row.
    let updated: (any PersistentModel)?
    /// The object that represented the row before, and its contents.
    let former: any PersistentModel
    let contents: [Int: PropertyContent]
  }

  private var merges: [Merge] = []

  /// Collects the contents, with one query per constraint of the new objects.
  ///
  /// - Throws: Errors of the stores.
  init(in context: ContextState) throws {
    let maps = Self.maps(of: context.pending.inserted, in: context)
    if maps.isEmpty { return }
    for map in maps { map.newcomers = [] }
    defer { for map in maps { map.newcomers = nil } }
    let found = try PendingMerges(in: context)
    let newcomers = maps.compactMap(\.newcomers)
    for new in context.pending.inserted {
      let predecessors = found.predecessors(of: new)
      if predecessors.isEmpty { continue }
      let isNew = predecessors.allSatisfy(context.isNew)
      // The last of the objects of one row comes with all others before it.
      let stored = predecessors.first { !context.isNew($0) }
      let chain = predecessors.filter(context.isNew) + [new]
      let base = stored ?? chain[0]
      let isRegistered = isNew || !newcomers.contains { $0.contains(ObjectIdentifier(base)) }
      var last = base
      for model in chain where model !== base {
        let updated = isRegistered ? base : model === chain[0] ? nil : chain[0]
        let contents = Self.contents(of: last, withMembers: last === base && !isNew)
        merges.append(Merge(new: model, updated: updated, former: last, contents: contents))
        last = model
      }
      // A new object represents its row only if the context has no object of the row.
      if let stored, !isRegistered { context.leave(stored) }
    }
  }

  /// Adds the contents to the records of the insertions.
  func note(in recorder: UndoRecorder) {
    for merge in merges {
      recorder.note(
        merge: merge.new,
        into: merge.updated ?? merge.new,
        merge.contents,
        of: merge.former
      )
    }
  }

  /// Returns the contents of an object; without those of its to-many relationships, of which a row
  /// gets the elements in addition to its own.
  private static func contents(
    of model: any PersistentModel,
    withMembers: Bool
  ) -> [Int: PropertyContent] {
    var contents: [Int: PropertyContent] = [:]
    for index in 0..<type(of: model)._$count where withMembers || !model.isToMany(index) {
      contents[index] = model.loadedContent(at: index)
    }
    return contents
  }

  /// Returns the identity maps of hierarchies with new objects that have unique values.
  private static func maps(
    of new: [any PersistentModel],
    in context: ContextState
  ) -> [IdentityMap] {
    let schema = context.core.schema.storeSchema
    let unique = Set(new.compactMap(\.registration)).filter {
      !schema.constraints(of: $0.entity).isEmpty
    }
    return Set(unique.map(\.entity.root)).compactMap(context.objects.identityMap)
  }
}
