/// The objects of one table by their keys, by hand: a list, since the keys of the benchmark are the
/// numbers from 1 on.
struct KeptMap<Object: AnyObject> {
  private var objects: [Unmanaged<Object>?] = []

  /// The object of a key.
  subscript(key: Int) -> Object? {
    key < objects.count ? objects[key]?.takeUnretainedValue() : nil
  }

  /// Takes up an object, which stays its owner's to keep.
  mutating func add(_ object: Object, _ key: Int) {
    while objects.count <= key { objects.append(nil) }
    objects[key] = .passUnretained(object)
  }

  /// Forgets an object.
  mutating func remove(_ key: Int) {
    if key < objects.count { objects[key] = nil }
  }
}

/// What the objects of one context share.
///
/// Of each row there is one object, which is found by its key; who changed is known, and what stood
/// there before.
final class KeptContext {
  /// A value that a change has replaced.
  struct Original {
    let object: Int
    let property: Int
    let value: Int
  }

  var items = KeptMap<KeptItem>()
  var trips = KeptMap<KeptTrip>()
  var bucketItems = KeptMap<KeptBucketItem>()
  var accommodations = KeptMap<KeptAccommodation>()
  var persons = KeptMap<KeptPerson>()

  var changed: [KeptItem] = []
  var originals: [Original] = []
  var deleted: [KeptItem] = []
  // What is inserted, in the order in which it was taken up.
  var insertedTrips: [KeptTrip] = []
  var insertedItems: [KeptBucketItem] = []
  var insertedAccommodations: [KeptAccommodation] = []
}

/// What each object has besides its values.
struct KeptState {
  /// Nil as long as no context has taken up a new object.
  var context: KeptContext?
  var key: Int
  var version: Int
  /// A bit for each changed property.
  var changes: UInt64 = 0
}
