import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Stores in the formats of locators, directories and maps.
@Suite struct StoreFeedTests {
  private static func stores(_ text: String, warnings: Int? = 0) throws -> [Store] {
    let folder = try TemporaryDirectory()
    var reader = try FeedReader(path: folder.write(Array(text.utf8), to: "stores.csv"))
    var stores: [Store] = []
    var count = 0
    while let row = try reader.next() {
      switch row {
      case .entity(.store(let store), _): stores.append(store)
      case .entity(let entity, _): Issue.record("no store: \(entity)")
      case .refused(let row), .warning(let row):
        if warnings == 0 { Issue.record("\(row.reason)") }
        count += 1
      }
    }
    #expect(warnings.map { $0 == count } ?? true)
    return stores
  }

  @Test func `a table of a locator`() throws {
    let stores = try Self.stores(
      """
      Store number,Store name,Street,ZIP,City,State,Country,Lat,Lng,Phone,Web site,Hours,Parking
      17,Nord Lincoln,1 Oak Road,68508,Lincoln,NE,USA,40.81,-96.70,+1 402 0,https://nord.example/lincoln,"Mon-Fri 9am-6:30pm, Sat 10-16",yes
      18,Nord Kiel,Holm 2,24103,Kiel,,Deutschland,"54,32","10,13",,https://nord.example/kiel,24/7,
      """)
    #expect(stores.map(\.id) == ["17", "18"] && stores[0].title == "Nord Lincoln")
    #expect(stores[0].address == "1 Oak Road, Lincoln, NE 68508, USA")
    #expect(stores[1].address == "Holm 2, 24103 Kiel, Deutschland")
    #expect(stores[0].url == "https://nord.example/lincoln" && stores[1].geo?.latitude == 54.32)
    #expect(stores[0].openingHours?.lines == ["Mo-Fr 09:00-18:30", "Sa 10:00-16:00"])
    #expect(stores.compactMap(\.openingHours?.timeZone) == ["America/Chicago", "Europe/Berlin"])
    #expect(stores[1].openingHours?.lines == ["Mo-Su"])
    #expect(stores[0].extra["phone"] == .string("+1 402 0"))
    #expect(stores[0].extra["Parking"] == .string("yes"))
  }

  @Test func `columns for the hours of each day, with breaks and images`() throws {
    let stores = try Self.stores(
      """
      Store code,Business name,Address line 1,Locality,Country / Region,Postal code,Latitude,Longitude,Monday hours,Tuesday hours,Sunday hours,Special hours,Logo photo,Cover photo,Other photos
      A,Nord,Kai 1,Bergen,NO,5003,60.39,5.32,"09:00-12:00, 13:00-18:00",9:00 AM-5:00 PM,x,2026-12-24: x,https://i.example/l.png,https://i.example/c.jpg,"https://i.example/1.jpg,https://i.example/2.jpg"
      """)
    let store = try #require(stores.first)
    #expect(
      store.openingHours?.lines == ["Tu 09:00-17:00", "Mo 09:00-12:00", "Mo 13:00-18:00"]
        || store.openingHours?.lines == ["Mo 09:00-12:00", "Tu 09:00-17:00", "Mo 13:00-18:00"])
    #expect(store.openingHours?.timeZone == "Europe/Oslo")
    #expect(
      store.images == [
        "https://i.example/c.jpg", "https://i.example/1.jpg", "https://i.example/2.jpg",
      ])
    // Holidays are kept as they are.
    #expect(store.extra["Special hours"] == .string("2026-12-24: x"))
  }

  @Test func `a list of objects with parts of addresses`() throws {
    let stores = try Self.stores(
      #"""
      {"response":{"entities":[{"meta":{"id":"N1"},"name":"Nord Graz","address":{"line1":"Gasse 3","city":"Graz","postalCode":"8010","countryCode":"AT"},
      "hours":{"monday":{"openIntervals":[{"start":"09:00","end":"12:30"},{"start":"14:00","end":"18:00"}]},"tuesday":{"openIntervals":[{"start":"09:00","end":"12:30"}]},"sunday":{"isClosed":true},"holidayHours":[{"date":"2026-12-25","isClosed":true}]},
      "yextDisplayCoordinate":{"latitude":47.07,"longitude":15.44},"mainPhone":"+43 1","websiteUrl":{"url":"https://nord.example/graz"},"photoGallery":[{"image":{"url":"https://i.example/g.jpg"}}]}]}}
      """#)
    let store = try #require(stores.first)
    #expect(store.id == "N1" && store.address == "Gasse 3, 8010 Graz, AT")
    #expect(store.openingHours?.lines == ["Mo,Tu 09:00-12:30", "Mo 14:00-18:00"])
    #expect(store.openingHours?.timeZone == "Europe/Vienna" && store.geo?.longitude == 15.44)
    #expect(store.url == "https://nord.example/graz" && store.images == ["https://i.example/g.jpg"])
    #expect(store.extra["hours"] != nil && store.extra["phone"] == .string("+43 1"))
  }

  @Test func `locations of the interface of Google Business Profile`() throws {
    let stores = try Self.stores(
      #"""
      {"locations":[{"name":"locations/42","storeCode":"S4","title":"Nord Lyon","storefrontAddress":{"regionCode":"FR","postalCode":"69001","locality":"Lyon","addressLines":["5 Rue Haute","Bat. 2"]},"latlng":{"latitude":45.76,"longitude":4.83},
      "phoneNumbers":{"primaryPhone":"+33 4"},"websiteUri":"https://nord.example/lyon","categories":{"primaryCategory":{"displayName":"Gift shop"}},
      "regularHours":{"periods":[{"openDay":"MONDAY","openTime":{"hours":9},"closeDay":"MONDAY","closeTime":{"hours":18,"minutes":30}},{"openDay":"SATURDAY","openTime":{"hours":10},"closeDay":"SATURDAY","closeTime":{"hours":16}}]},"specialHours":{"specialHourPeriods":[]}}]}
      """#)
    let store = try #require(stores.first)
    #expect(store.id == "S4" && store.title == "Nord Lyon" && store.labels == ["gift shop"])
    #expect(store.address == "5 Rue Haute, Bat. 2, 69001 Lyon, FR")
    #expect(store.openingHours?.lines == ["Mo 09:00-18:30", "Sa 10:00-16:00"])
    #expect(store.openingHours?.timeZone == "Europe/Paris" && store.geo?.latitude == 45.76)
    #expect(store.url == "https://nord.example/lyon")
  }

  @Test func `features of GeoJSON, in a document or one in each line`() throws {
    let features = [
      #"{"type":"Feature","properties":{"@id":"node/7","name":"Nord","shop":"gift","addr:street":"Weg","addr:housenumber":"4","addr:postcode":"1010","addr:city":"Wien","opening_hours":"Mo-Fr 08:00-12:00,13:00-17:00; Sa 09:00-12:00; PH off","contact:website":"https://nord.example/w","image":"https://i.example/w.jpg"},"geometry":{"type":"Point","coordinates":[16.37,48.21]}}"#,
      #"{"type":"Feature","id":"b","properties":{"names":{"primary":"Süd"},"categories":{"primary":"gift_shop"},"addresses":[{"freeform":"Via Alta 1","locality":"Roma","postcode":"00100","country":"IT"}],"websites":["https://nord.example/r"],"phones":["+39 0"]},"geometry":{"type":"Polygon","coordinates":[[[12.5,41.9],[12.6,41.9]]]}}"#,
    ]
    let documents = [
      #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",\n") + "]}",
      #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}",
      features.joined(separator: "\n"),
    ]
    for text in documents {
      let stores = try Self.stores(text)
      #expect(stores.map(\.id) == ["node/7", "b"] && stores.map(\.title) == ["Nord", "Süd"])
      #expect(
        stores[0].address == "Weg 4, 1010 Wien" && stores[1].address == "Via Alta 1, 00100 Roma, IT"
      )
      #expect(stores[0].geo?.latitude == 48.21 && stores[1].geo?.longitude == 12.5)
      #expect(
        stores[0].openingHours?.lines == [
          "Mo-Fr 08:00-12:00", "Sa 09:00-12:00", "Mo-Fr 13:00-17:00",
        ])
      #expect(stores[0].openingHours?.timeZone == "Europe/Vienna")
      #expect(
        stores[0].url == "https://nord.example/w" && stores[1].url == "https://nord.example/r")
      #expect(stores[0].labels == ["gift"] && stores[0].images == ["https://i.example/w.jpg"])
    }
  }

  @Test func `elements of OpenStreetMap and places of Google`() throws {
    let osm = try Self.stores(
      #"{"version":0.6,"elements":[{"type":"node","id":7,"lat":48.2,"lon":16.4,"tags":{"name":"Nord","shop":"gift","opening_hours":"24/7"}}]}"#
    )
    #expect(osm.map(\.id) == ["7"] && osm[0].geo?.longitude == 16.4)
    #expect(osm[0].openingHours?.lines == ["Mo-Su"])
    let places = try Self.stores(
      #"""
      {"results":[{"place_id":"P","name":"Nord","formatted_address":"Weg 4, Wien","geometry":{"location":{"lat":48.2,"lng":16.4}},"opening_hours":{"periods":[{"open":{"day":0,"time":"1000"},"close":{"day":0,"time":"1630"}}]}}]}
      """#)
    #expect(places.map(\.id) == ["P"] && places[0].address == "Weg 4, Wien")
    #expect(places[0].openingHours?.lines == ["Su 10:00-16:30"])
  }

  @Test func `elements of XML`() throws {
    let stores = try Self.stores(
      #"""
      <network><shop id="9"><name>Nord</name><address><street>Weg 4</street><zip>1010</zip><city>Wien</city></address><lat>48.2</lat><lng>16.4</lng><hours>Mo-Fr 9-18</hours></shop>
      <shop id="10"><name>Süd</name><lat>47.0</lat><lng>15.4</lng></shop></network>
      """#)
    #expect(stores.map(\.id) == ["9", "10"] && stores[0].address == "Weg 4, 1010 Wien")
    #expect(stores[0].openingHours?.timeZone == "Europe/Vienna")
  }

  @Test func `hours that cannot be read are kept, and that is said`() throws {
    let stores = try Self.stores(
      "id,name,city,zip,lat,lng,hours\n1,Nord,Kiel,24103,54.3,10.1,by appointment\n2,Süd,,,,,Mo-Fr 09:00-18:00\n",
      warnings: 2)
    #expect(stores.allSatisfy { $0.openingHours == nil })
    #expect(stores[0].extra["hours"] == .string("by appointment"))
  }

  @Test func `a node of schema.org without a time zone has that of its place`() throws {
    let stores = try Self.stores(
      #"{"@context":"https://schema.org","@type":"Store","@id":"https://n.example/k","name":"Nord","address":{"addressLocality":"Perth","addressRegion":"WA","addressCountry":"AU"},"openingHours":"Mo-Fr 09:00-18:00"}"#
    )
    #expect(stores.first?.openingHours?.timeZone == "Australia/Perth")
  }

  @Test(
    arguments: [
      ("Germany", nil, 50.7, 7.1, "Europe/Berlin"), ("US", "NE", nil, nil, "America/Chicago"),
      ("USA", "Arizona", 33.4, -112, "America/Phoenix"), (nil, nil, 35.7, 139.7, "Asia/Tokyo"),
      (nil, "TX", 31.9, -102, "America/Chicago"), ("Brasil", "AM", nil, nil, "America/Manaus"),
      ("US", nil, nil, nil, nil), (nil, nil, nil, nil, nil), (nil, nil, 91, 0, nil),
    ] as [(String?, String?, Double?, Double?, String?)])
  func `the time zone of a place`(
    country: String?, state: String?, north: Double?, east: Double?, zone: String?
  ) {
    #expect(PlaceZone.zone(country: country, state: state, north: north, east: east) == zone)
  }

  @Test func `what has a price is a product, wherever it is`() throws {
    let export = try ReadExport("id,name,price,city,lat,lng\n1,Table,9 EUR,Kiel,54.3,10.1\n")
    #expect(export.products.map(\.id) == ["1"])
  }

  @Test func `a column of states tells what is shown only if all of it does`() throws {
    let states = try ReadExport("id,name,state,color\n1,Mug,NE,Red\n2,Rug,HH,Blue\n")
    #expect(states.products.count == 2)
    let shown = try ReadExport("id,name,state\n1,Mug,active\n2,Rug,draft\n")
    #expect(shown.products.map(\.id) == ["1"] && shown.leftOut.values.reduce(0, +) == 1)
  }

  @Test(arguments: [
    ("Mo-Fr 9-18 Uhr", ["Mo-Fr 09:00-18:00"]),
    ("Montag bis Freitag: 9:00 – 18:30 Uhr, Samstag geschlossen", ["Mo-Fr 09:00-18:30"]),
    ("lun-ven 9h30-12h, 14h-19h", ["Mo-Fr 09:30-12:00", "Mo-Fr 14:00-19:00"]),
    (
      "Monday: 9:00 AM – 6:00 PM\nTuesday: Closed\nSunday: Open 24 hours", ["Su", "Mo 09:00-18:00"]
    ),
    ("Mo-Su 10:00-20:00; Su off", ["Mo-Sa 10:00-20:00"]),
    ("Fr,Sa 18:00-02:00", ["Fr,Sa 18:00-02:00"]),
  ]) func `hours as people write them`(text: String, lines: [String]) {
    var hours = StoreHours()
    hours.add(text)
    #expect(hours.lines == lines && hours.isWhole)
  }

  /// Would break if a name and anything that could be a place made a store: a sort position, a watch with GPS, a market, and the address of
  /// who sells a thing.
  @Test(arguments: [
    "id,name,brand,image,url,position\ns1,Red Mug,Acme,https://x.example/1.jpg,https://x.example/1,1\n",
    "sku,name,brand,image,link,GPS,Color\nW1,Watch,Acme,https://x.example/1.jpg,https://x.example/1,yes,Red\n",
    "id,name,image,link,geo,country\n1,Rug,https://x.example/1.jpg,https://x.example/1,EU,DE\n",
    "sku,name,description,image,link,lat,lng\nA,Pallet,Wood,https://x.example/1.jpg,https://x.example/1,52.5,13.4\n",
    "id,title,description,image,link,condition,city,zip,address\n1,Chair,Old,https://x.example/1.jpg,https://x.example/1,used,Berlin,10115,Weg 1\n",
    #"[{"id":"1","title":"Mug","url":"https://x.example/1","image":"https://x.example/1.jpg","position":1,"variants":[{"id":"1a","sku":"A","price":"5.00"}]}]"#,
    #"[{"id":"1","name":"Soup","image":"https://x.example/1.jpg","address":"Weg 1","hours":"lunch","prices":[{"price":5,"currency":"EUR"}]}]"#,
    #"[{"id":"1","name":"Mug","image":"https://x.example/1.jpg","seller":{"name":"A","address":{"street":"Weg 1","city":"Berlin","zip":"10115"},"phone":"1"}}]"#,
  ])
  func `things with a word of places are no stores`(feed: String) throws {
    let export = try ReadExport(Array(feed.utf8), name: feed.first == "[" ? "f.json" : "f.csv")
    #expect(export.products.count >= 1)
  }

  /// Would break if hours that no clock has ended the run, or were stored.
  @Test(arguments: [
    #"[{"day":"monday","open":{"hours":9223372036854775807},"close":{"hours":1}}]"#,
    #"[{"day":"monday","open":{"hours":-5},"close":{"hours":99}}]"#,
    #"[{"day":"monday","open":{"minutes":9223372036854775000,"hours":1},"close":{"hours":2}}]"#,
  ])
  func `hours beyond a day are none`(hours: String) throws {
    let stores = try Self.stores(
      #"[{"id":"j","name":"N","city":"Berlin","lat":52.5,"lng":13.4,"hours":"# + hours + "}]",
      warnings: nil)
    #expect(stores.map(\.id) == ["j"] && stores[0].openingHours == nil)
  }

  @Test func `a range of one day is that day, and a text that is too long is none`() throws {
    func lines(_ text: String) throws -> [String]? {
      try Self.stores(
        #"[{"id":"j","name":"N","city":"Berlin","country":"DE","lat":52.5,"lng":13.4,"hours":""#
          + text + #""}]"#, warnings: nil
      ).first?.openingHours?.lines
    }
    #expect(try lines("Mo-Mo 9:00-17:00") == ["Mo 09:00-17:00"])
    // Nobody is open from nine to five in the morning, so that the text is kept as it is.
    #expect(try lines("Mo-Fr 9-5") == nil)
    #expect(try lines("Mo-Fr 9-17") == ["Mo-Fr 09:00-17:00"])
    #expect(try lines("Fr 22:00-02:00") == ["Fr 22:00-02:00"])
    #expect(try lines(String(repeating: "Mo Tu 9:00-17:00 ", count: 2000)) == nil)
  }

  /// Would break if one word that is not known, or a column of drafts alone, showed what is not to be sold.
  @Test func `drafts are left out whatever else a column of states says`() throws {
    let mixed = try ReadExport(
      "id,title,price,state\n1,Mug,5 EUR,active\n2,Rug,6 EUR,draft\n3,Cup,7 EUR,in review\n")
    #expect(!mixed.products.contains { $0.id == "2" } && mixed.products.count == 2)
    let drafts = try ReadExport("id,title,price,state\n1,Mug,5 EUR,draft\n2,Rug,6 EUR,draft\n")
    #expect(drafts.products.isEmpty)
  }

  /// Would break if of two links, two codes or a name and a brand only one were in the catalogue.
  @Test func `what is not the field that counts is kept`() throws {
    let store = try #require(
      Self.stores(
        """
        store code,ref,name,brand,url,website,street,city,zip,timezone,logo,photo
        S1,R7,Nord,Acme,https://a.example,https://b.example,Weg 1,Berlin,10115,CET,https://i.example/l.png,https://i.example/p.jpg
        """, warnings: nil
      ).first)
    #expect(store.id == "S1" && store.title == "Nord" && store.url == "https://b.example")
    let kept = Set(
      store.extra.values.compactMap {
        if case .string(let text) = $0 { text } else { nil }
      })
    #expect(
      kept.isSuperset(of: ["R7", "Acme", "https://a.example", "CET", "https://i.example/l.png"]))
  }
}
