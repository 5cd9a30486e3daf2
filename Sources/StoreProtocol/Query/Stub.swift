public enum StoreValueEncoder { public static func encode<V: Encodable>(_ v: V) throws -> StoreValue { .null } }
public enum StoreValueDecoder { public static func decode<V: Decodable>(_ t: V.Type, from: StoreValue) throws -> V { throw DataStoreError.invalidValue } }
extension StoreQuery { public init<T>(_ d: FetchDescriptor<T>, schema: Schema) throws { self.init(entity: "") } }
