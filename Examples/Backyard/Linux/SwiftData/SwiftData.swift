@_exported import OpenSwiftData
