import Foundation
import StoreProtocol

/// The files of values that one save writes, and those that it leaves without a row.
///
/// A save calls ``settle()`` before it commits and ``commit(isDurable:)`` after, or
/// ``rollBack(after:)`` where it failed. Where the outcome is unknown all files stay where they are,
/// since rows may name them: the next opening for writing sorts them out.
package final class ValueFileBatch {
  /// The length in bytes above which a value lies in a file.
  package let threshold: Int
  private let files: ValueFiles
  private var written: Set<String> = []
  private var others: [String] = []

  /// What the rows of the save do not name any more; the store takes out what other rows name.
  package private(set) var released: Set<FileReference> = []

  /// Begins with no files.
  package init(_ files: ValueFiles, threshold: Int) {
    self.files = files
    self.threshold = threshold
  }

  /// Writes bytes to a file of their own.
  ///
  /// - Throws: `DataStoreError.notSaved` for the property whose value it is.
  package func write(
    _ bytes: UnsafeRawBufferPointer,
    entity: String,
    property: String
  ) throws -> FileReference {
    do throws(FileError) {
      let reference = try files.write(bytes)
      written.insert(reference.name)
      return reference
    } catch {
      throw Self.refused(error, entity: entity, property: property)
    }
  }

  /// Notes that a row does not name a file any more.
  package func release(_ reference: FileReference) {
    released.insert(reference)
  }

  /// Notes that no row names any of the files that there are.
  package func releaseAll() throws {
    do throws(FileError) {
      others = try files.names()
    } catch {
      throw Self.refused(error)
    }
  }

  /// Takes back that nobody names a file.
  package func keep(_ reference: FileReference) {
    released.remove(reference)
  }

  /// Begins anew with what the save writes: what was written so far belongs to no row.
  package func restart() {
    files.remove(written)
    written = []
    released = []
  }

  /// Brings the names of new files to the medium.
  ///
  /// - Throws: `DataStoreError.notSaved`.
  package func settle() throws {
    do throws(FileError) {
      if !written.isEmpty { try files.settle() }
    } catch {
      throw Self.refused(error)
    }
  }

  /// Removes what no row names any more, now that the save cannot be undone.
  ///
  /// - Parameter isDurable: Whether that is so after a loss of power as well; otherwise the files
  ///   wait for ``ValueFiles/noteDurable()``.
  package func commit(isDurable: Bool) {
    let names = released.map(\.name) + others
    if names.isEmpty { return }
    if isDurable { files.remove(names) } else { files.removeWhenDurable(names) }
  }

  /// Removes what was written, unless the save may have happened.
  package func rollBack(after error: any Error) {
    if (error as? DataStoreError)?.code != .outcomeUnknown { files.remove(written) }
  }

  private static func refused(
    _ error: FileError,
    entity: String? = nil,
    property: String? = nil
  ) -> DataStoreError {
    DataStoreError(
      .notSaved,
      "the system refused the file of a value; nothing was saved and the changes can be saved again",
      entity: entity,
      property: property,
      file: error.path,
      cause: error
    )
  }
}
