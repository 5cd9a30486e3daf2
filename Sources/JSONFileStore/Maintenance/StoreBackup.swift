import Foundation
import StoreFiles
import StoreProtocol

/// Writes a copy of a store, as of one moment, to an unused location.
struct StoreBackup {
  let moment: StoreMoment
  let draft: DocumentDraft
  let valueFiles: ValueFiles
  let path: String

  /// Writes the copy.
  ///
  /// - Throws: `invalidConfiguration` for an invalid location, `io` if the location is in use or
  ///   the system fails, `storeDamaged` if rows or values cannot be read; then nothing is left
  ///   there.
  func write(to url: URL, access: any FileAccess) throws {
    let target = url.path(percentEncoded: false)
    let (folderPath, name) = FileName.split(target)
    if let objection = url.isFileURL
      ? FileName.objection(toPath: target) : "a copy needs a file URL"
    {
      throw DataStoreError(.invalidConfiguration, objection, file: target)
    }
    let references = try moment.state.references(file: path)
    do {
      let folder = try Folder(path: folderPath, access: access)
      let destination = try NewStoreLocation(name, in: folder, companions: [".journal"])
      do {
        try destination.copy(references, from: valueFiles)
        try writeDocument(to: folder.open(destination.temporaryName, for: .updating))
        try destination.publish()
      } catch {
        destination.withdraw()
        throw error
      }
    } catch {
      throw Self.refused(error)
    }
  }

  private func writeDocument(to file: File) throws(FileError) {
    // A journal that is mistakenly placed beside the copy then names another document of the same
    // generation, and is rejected.
    _ = try draft.write(generation: moment.generation, to: file)
    try file.sync()
  }

  private static func refused(_ error: any Error) -> any Error {
    switch error {
    case let error as ValueFileError: error.translated(entity: nil, property: nil)
    case let error as FileError where error.isAlreadyExisting:
      DataStoreError(
        .io,
        "the file already exists, and a copy never replaces files: choose another name",
        file: error.path,
        cause: error
      )
    case let error as FileError: StoreErrors.translated(error)
    default: error
    }
  }
}
