import OpenSwiftData

/// Where one stays on a trip.
@Model
class LivingAccommodation {
  var address: String
  var placeName: String
  var isConfirmed: Bool
  var trip: Trip?

  init(address: String, placeName: String, isConfirmed: Bool = false) {
    self.address = address
    self.placeName = placeName
    self.isConfirmed = isConfirmed
  }
}
