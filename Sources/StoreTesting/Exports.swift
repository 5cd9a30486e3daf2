@_exported import ComposableStores
@_exported import OpenSwiftData
