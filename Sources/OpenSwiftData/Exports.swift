@_exported import CoreDataStore
@_exported import JSONFileStore
@_exported import MemoryStore
@_exported import ModelLayer
@_exported import PostgreSQLStore
@_exported import SQLiteStore
