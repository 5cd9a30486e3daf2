import CSVFiles
import CommandLineSupport
import Foundation
import OpenSwiftData

/// Reads files into a store, batch by batch.
///
/// Each batch has a context of its own, which is gone when the next one begins: memory holds one
/// batch, however long the file is, and a store only ever has whole batches.
struct FileImporter {
  /// How many rows there were.
  struct Count {
    var read = 0
    var added = 0
    var stored = 0
  }

  let container: ModelContainer
  let folder: URL
  let batchSize: Int
  let isVerbose: Bool
  let console: Console

  /// Reads one file.
  ///
  /// When it throws, the store has the batches before the one in which the error is.
  func run(_ file: ImportedFile) throws -> Count {
    let reader = try CSVReader(path: folder.appending(path: "\(file.name).csv").path)
    try reader.require(file.fields)
    let isFirstImport = try file.count(ModelContext(container)) == 0
    var progress = ProgressBar(
      file.name,
      total: file.limit ?? reader.fileSize,
      console: console
    )
    defer { progress.finish() }
    var count = Count()
    while case let rows = try nextBatch(of: reader, file, after: count.read), !rows.isEmpty {
      count.added += try save(rows, of: file, isFirstImport: isFirstImport)
      count.read += rows.count
      progress.advance(to: file.limit == nil ? reader.bytesRead : count.read)
      if isVerbose { console.printError("\(file.name): \(count.read) read, \(count.added) added") }
    }
    count.stored = try file.count(ModelContext(container))
    return count
  }

  private func nextBatch(
    of reader: CSVReader,
    _ file: ImportedFile,
    after read: Int
  ) throws -> [CSVRow] {
    let size = min(batchSize, (file.limit ?? Int.max) - read)
    var rows: [CSVRow] = []
    while rows.count < size, let row = try reader.next() { rows.append(row) }
    return rows
  }

  private func save(_ rows: [CSVRow], of file: ImportedFile, isFirstImport: Bool) throws -> Int {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let added = try file.add(rows, context, isFirstImport)
    if context.hasChanges { try context.save() }
    return added
  }
}
