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
  /// - Throws: `DataStoreError.notSaved` for the property whose value it is, or
  ///   `DataStoreError.invalidValue` if the value is larger than the configuration allows.
  package func write(
    _ bytes: UnsafeRawBufferPointer,
    entity: String,
    property: String
  ) throws -> FileReference {
    guard bytes.count <= files.maximumSize else {
      throw DataStoreError(
        .invalidValue,
        "the value has \(bytes.count) bytes and maximumExternalValueSize allows"
          + " \(files.maximumSize); store less, or open the store with a larger one",
        entity: entity,
        property: property
      )
    }
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

  /// Releases all files, for a save that removes all rows.
  ///
  /// - Parameter references: Returns what the rows name. It is called only if there are files whose
  ///   names do not prove that the store wrote them.
  /// - Throws: `DataStoreError.notSaved`, or what `references` throws.
  package func releaseAll(_ references: () throws -> Set<FileReference>) throws {
    let isComplete: Bool
    do throws(FileError) {
      others = try files.ownNames()
      isComplete = try files.names().count == others.count
    } catch {
      throw Self.refused(error)
    }
    if !isComplete { released.formUnion(try references()) }
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
    if released.isEmpty, others.isEmpty { return }
    guard isDurable else { return files.removeWhenDurable(others, released) }
    files.remove(others)
    files.removeReleased(released)
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
      error.isReplaced ? .storeReplaced : .notSaved,
      error.isReplaced
        ? "the folder of value files was moved or replaced while the store was open; nothing was"
          + " saved: put it back and save again, or open the store again"
        : "the system refused the file of a value; nothing was saved and the changes can be saved"
          + " again",
      entity: entity,
      property: property,
      file: error.path,
      cause: error
    )
  }
}
