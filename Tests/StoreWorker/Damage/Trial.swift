import Foundation
import OpenSwiftData

/// Opens one mutant as a program would, and judges what came of it.
struct Trial {
  /// What came of a mutant.
  enum Verdict {
    /// Refused with this code when it was opened, and left as it was.
    case refused(String)
    /// Opened; some rows are refused with this code.
    case unread(String)
    /// Opened and read.
    case opened
    /// Opened and read; a save was refused with this code.
    case unsaved(String)
    /// What must never be.
    case wrong(String)

    var line: String {
      switch self {
      case .refused(let code): "refused \(code)"
      case .unread(let code): "unread \(code)"
      case .opened: "opened"
      case .unsaved(let code): "unsaved \(code)"
      case .wrong(let what): "WRONG \(what)"
      }
    }
  }

  let store: DamagedStore
  let mutant: Mutant

  func verdict() throws -> Verdict {
    try store.put(mutant.files)
    var files = mutant.files
    if let sql = mutant.sql {
      SQLTamper.run(sql, on: store.path(""))
      files = try store.files()
    }
    do {
      return try use(files)
    } catch {
      return .wrong("untyped error: \(error.sentence)")
    }
  }

  private func use(_ files: [String: [UInt8]]) throws -> Verdict {
    let container: ModelContainer
    do {
      container = try store.open()
    } catch {
      guard let code = Self.code(error) else { throw error }
      // The location is named so that a person knows which file to restore.
      return changed(files).map(Verdict.wrong) ?? .refused(code)
    }
    let state: Exhibit.State
    do {
      state = try store.state(of: container)
      // Objects refuse nothing that rows allow: they are touched for what may stop a program.
      _ = try ModelContext(container).touchDamaged()
    } catch {
      guard let code = Self.code(error) else { throw error }
      _ = try? save(in: container)
      return .unread(code)
    }
    if let allowed = mutant.allowed, !allowed.contains(state) {
      return .wrong("other rows than those of any save")
    }
    do {
      try save(in: container)
    } catch {
      guard let code = Self.code(error) else { throw error }
      return .unsaved(code)
    }
    let after = try? store.state(of: container)
    // Pages of a damaged database may contradict each other from then on.
    guard store.kind == "json", after != state else { return .opened }
    return .wrong("a save changed other rows")
  }

  /// Adds an object, and takes it away again.
  private func save(in container: ModelContainer) throws {
    let context = ModelContext(container)
    let specimen = Damage.Specimen(code: "after the damage")
    context.insert(specimen)
    try context.save()
    context.delete(specimen)
    try context.save()
  }

  /// The code of an error of ours, nil for any other.
  private static func code(_ error: any Error) -> String? {
    error is DataStoreError || error is SwiftDataError ? error.word : nil
  }

  /// What a refusal changed, nil for nothing.
  private func changed(_ files: [String: [UInt8]]) -> String? {
    for (suffix, bytes) in files where store.bytes(suffix) != bytes {
      return "the file '\(suffix)' was refused and changed"
    }
    return nil
  }
}
