import Foundation
import OpenSwiftData

/// The first version of a small travel program.
enum TripsV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Tag.self, Dog.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model
  final class Trip {
    var title: String
    var cost: Int32 = 0
    var length: String = ""
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    @Relationship(inverse: \Tag.trips) var tags: [Tag] = []
    var gone: String?

    init(title: String) { self.title = title }
  }

  @Model
  final class Stop {
    var name: String
    var trip: Trip?

    init(name: String, trip: Trip?) {
      self.name = name
      self.trip = trip
    }
  }

  @Model
  final class Tag {
    var name: String
    var trips: [Trip] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Dog {
    var name: String
    var age: Int

    init(name: String, age: Int) {
      self.name = name
      self.age = age
    }
  }
}

/// The second version: names, wider numbers, a default value, and an entity above.
enum TripsV2: VersionedSchema {
  static var models: [any PersistentModel.Type] {
    [Trip.self, Stop.self, Tag.self, Animal.self, Dog.self]
  }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model
  final class Trip {
    @Attribute(originalName: "title") var name: String
    var cost: Int = 0
    var length: String = ""
    var rating: Int = 3
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    @Relationship(inverse: \Tag.trips) var tags: [Tag] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Stop {
    var name: String
    var trip: Trip?

    init(name: String) { self.name = name }
  }

  @Model
  final class Tag {
    var name: String
    var trips: [Trip] = []

    init(name: String) { self.name = name }
  }

  @Model
  class Animal {
    var name: String

    init(name: String) { self.name = name }
  }

  @Model
  class Dog: Animal {
    var age: Int

    init(name: String, age: Int) {
      self.age = age
      super.init(name: name)
    }
  }
}

/// The third version: unique names, and days as a number.
enum TripsV3: VersionedSchema {
  static var models: [any PersistentModel.Type] {
    [Trip.self, Stop.self, Tag.self, Animal.self, Dog.self]
  }
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var cost: Int = 0
    var length: Int
    var rating: Int = 3
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    @Relationship(inverse: \Tag.trips) var tags: [Tag] = []

    init(name: String, length: Int) {
      self.name = name
      self.length = length
    }
  }

  @Model
  final class Stop {
    var name: String
    var trip: Trip?

    init(name: String) { self.name = name }
  }

  @Model
  final class Tag {
    var name: String
    var trips: [Trip] = []

    init(name: String) { self.name = name }
  }

  @Model
  class Animal {
    var name: String
    var age: Int

    init(name: String, age: Int) {
      self.name = name
      self.age = age
    }
  }

  @Model
  class Dog: Animal {
    override init(name: String, age: Int) { super.init(name: name, age: age) }
  }
}
