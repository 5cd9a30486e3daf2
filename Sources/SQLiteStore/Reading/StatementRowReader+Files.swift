import StoreFiles
import StoreProtocol
import StructuredText

extension ReferenceReader {
  /// Returns the value of the file to which a column refers, or `nil` if it has no reference.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if the file is not the one that was saved.
  func value(
    _ statement: Statement,
    at column: Int,
    as type: AttributeType,
    _ entity: StoreEntity,
    _ property: StoreProperty
  ) throws -> StoreValue? {
    guard let reference = statement.fileReference(at: column, as: type), let files else {
      return nil
    }
    do throws(ValueFileError) {
      switch type {
      case .data: return .data(try files.data(of: reference))
      case .string: return .string(try files.text(of: reference))
      default:
        let text = try files.text(of: reference)
        return try? JSONText.decoded(text)
      }
    } catch {
      throw error.translated(entity: entity.name, property: property.name)
    }
  }
}
