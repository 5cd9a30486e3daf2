extension StoreQuery { public init<T>(_ d: FetchDescriptor<T>, schema: Schema) throws { self.init(entity: "") } }
