import JSONFileStore

// The store of which the page of the contract writes.
typealias MyStore = JSONFileStore
typealias MyConfiguration = JSONFileStoreConfiguration
