import CSQLite
import Foundation
import OpenSwiftData

/// Looks into a store after something happened to it.
struct Verification {
  /// The number of an item that no script has.
  private static let foreign = 999_999_999

  private let url: String
  private let script: Script
  private let allowed: [Int]

  /// The states in which the store may be are written as `3`, `3,4` or `0-7`.
  init(_ url: String, _ script: Script, allowed: String) throws {
    self.url = url
    self.script = script
    let ends = allowed.split(separator: "-").compactMap { Int($0) }
    if allowed.contains("-"), ends.count == 2, ends[0] <= ends[1] {
      self.allowed = Array(ends[0]...ends[1])
    } else {
      self.allowed = allowed.split(separator: ",").compactMap { Int($0) }
    }
    guard !self.allowed.isEmpty else { throw WorkerError.usage("'\(allowed)' are no states") }
  }

  /// What is found, in one line that begins with `OK` when it is what must be.
  func verdict() -> String {
    let isWide = script.isWide(after: allowed.max() ?? 0)
    let found: Contents
    do {
      let session = try openSession(url, isWide: isWide)
      found = try session.contents()
      if let difference = try session.differenceToHistory() { return "TORN history: \(difference)" }
      do {
        try use(session)
      } catch {
        return "UNUSABLE \(error.word) \(error.sentence)"
      }
    } catch let error as WorkerError {
      return "TORN \(error)"
    } catch {
      return "REFUSED \(error.word) \(error.sentence)"
    }
    // Files first: to look into a database makes files beside it.
    if let complaint = leftovers(found) ?? integrity() { return complaint }
    return state(found)
  }

  private func state(_ found: Contents) -> String {
    var expected = Contents(script, after: 0)
    var states: [Int] = []
    let last = (allowed.max() ?? 0) + 1
    for number in 0...last {
      if number > 0 { expected.perform(number, of: script) }
      guard expected == found else { continue }
      if allowed.contains(number) { return "OK \(number)" }
      states.append(number)
    }
    if let state = states.last { return "LOST it is state \(state), not \(allowed)" }
    let nearest = Contents(script, after: allowed[0])
    return "TORN as against state \(allowed[0]): \(found.difference(to: nearest) ?? "")"
  }

  /// Saves something and takes it back.
  private func use(_ session: any Session) throws {
    for step in [Step.put(Self.foreign), .drop(Self.foreign)] {
      try session.change(step, 0)
      try session.finish(step)
    }
  }
}

extension Verification {
  private var path: String { (try? StoreURL(url).path) ?? "" }

  /// What SQLite itself finds wrong with a database, nil for nothing.
  private func integrity() -> String? {
    guard url.hasPrefix("sqlite") else { return nil }
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      return "CORRUPT the database cannot be opened"
    }
    for (sql, fine) in [("PRAGMA integrity_check", "ok"), ("PRAGMA foreign_key_check", nil)] {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
        return "CORRUPT \(String(cString: sqlite3_errmsg(handle)))"
      }
      guard sqlite3_step(statement) == SQLITE_ROW else { continue }
      let text = sqlite3_column_text(statement, 0).map { String(cString: $0) }
      if text != fine { return "CORRUPT \(sql): \(text ?? "")" }
    }
    return nil
  }

  /// Files that should not be there once a store is closed, nil for none.
  private func leftovers(_ contents: Contents) -> String? {
    let url = URL(filePath: path)
    let name = url.lastPathComponent
    let known: Set = [name, name + ".lock", name + ".files"]
    let files = FileManager.default
    let folder = url.deletingLastPathComponent().path
    let all = (try? files.contentsOfDirectory(atPath: folder)) ?? []
    let strange = all.filter { $0.contains(name) && !known.contains($0) }
    if !strange.isEmpty { return "LEFT \(strange.sorted().joined(separator: " "))" }
    let values = ((try? files.contentsOfDirectory(atPath: path + ".files")) ?? [])
      .filter { $0 != "unsynced" }
    let wanted = contents.items.values.compactMap(\.blob).filter { $0.size > Blob.threshold }
    if values.count != wanted.count {
      return "LEFT \(values.count) value files where \(wanted.count) are in use"
    }
    return nil
  }
}
