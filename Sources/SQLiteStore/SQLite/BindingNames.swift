import SQLiteBinding

// The types of the layer below that most files of the store use.
typealias SQLiteError = SQLiteBinding.SQLiteError
typealias SQLStorage = SQLiteBinding.SQLStorage
typealias Statement = SQLiteBinding.Statement
package typealias StatementLog = SQLiteBinding.StatementLog
