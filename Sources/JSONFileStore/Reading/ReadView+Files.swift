import StoreFiles
import StoreProtocol

extension ReadView {
  /// Returns the data of a row, which may be read from its file.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if the file is not the saved one.
  func externalValue(_ table: Int, _ slot: Int, _ property: Int) throws -> StoreValue {
    guard let source = tables[table] else { return .null }
    let column = source.columns[property]
    guard let reference = column.files[slot] else { return column.value(slot) }
    do throws(ValueFileError) {
      return .data(try valueFiles.data(of: reference))
    } catch {
      throw error.translated(
        entity: source.entity.name,
        property: source.entity.properties[property].name
      )
    }
  }

  /// Returns the data of a row without throwing, and records the first error for ``check()``.
  func externalValueOrFailure(_ table: Int, _ slot: Int, _ property: Int) -> StoreValue {
    do {
      return try externalValue(table, slot, property)
    } catch {
      note(error)
      return .null
    }
  }
}
