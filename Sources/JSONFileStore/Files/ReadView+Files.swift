import StoreFiles
import StoreProtocol

extension ReadView {
  /// The data of a row, read from its file where it lies in one.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` when the file is not what was saved.
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

  /// The same where nothing can be thrown: the first error is kept for ``check()``.
  func externalValueOrFailure(_ table: Int, _ slot: Int, _ property: Int) -> StoreValue {
    do {
      return try externalValue(table, slot, property)
    } catch {
      note(error)
      return .null
    }
  }
}
