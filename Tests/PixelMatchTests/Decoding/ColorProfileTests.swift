@testable import PixelMatch
import TestSupport
import Testing

@Suite struct ColorProfileTests {
  private static let spaces: [ColorProfileFile] = [.displayP3, .adobeRGB, .proPhoto]

  /// A picture of 64 × 48 pixels whose colors are inside every space.
  private static let standard = SyntheticPicture.pattern(width: 64, height: 48, seed: 2)
  private static let gray = (0..<64 * 48).flatMap { index -> [UInt8] in
    let value = UInt8(index * 255 / (64 * 48 - 1))
    return [value, value, value, 255]
  }

  private static func png(_ rgba: [UInt8], _ chunks: [[UInt8]] = []) -> [UInt8] {
    let rgb = rgba.indices.filter { $0 % 4 != 3 }.map { rgba[$0] }
    return PNGFile.inserting(
      chunks, into: PNGFile.rgb(width: 64, height: 48, pixels: rgb, isInterlaced: false))
  }

  private static func jpeg(_ rgba: [UInt8]) throws -> [UInt8] {
    try PixelBuffer(width: 64, height: 48, format: .rgba8, bytes: rgba).jpeg(quality: 98)
  }

  private static func decoded(_ file: [UInt8]) throws -> DecodedPicture {
    try ImageDecoder().picture(file, longerSide: 64)
  }

  private static func worst(_ a: [UInt8], _ b: [UInt8]) -> Int {
    zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  private static func mean(_ a: [UInt8], _ b: [UInt8]) -> Double {
    Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
  }

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  // MARK: Conversion

  /// The dark channel of a saturated color depends on the last bit of the bright ones, so a file in
  /// eight bits of a larger space is compared with what its own pixels mean, and with the original
  /// on average.
  @Test(arguments: spaces)
  func `a PNG with a profile has the colors of its sRGB twin`(space: ColorProfileFile) throws {
    let pixels = space.pixels(of: Self.standard)
    #expect(Self.worst(pixels, Self.standard) > 20)
    let file = Self.png(pixels, [PNGFile.profileChunk(space.bytes)])
    let picture = try Self.decoded(file)
    #expect(picture.profile?.name == space.name)
    #expect(picture.profile?.isApplied == true)
    #expect(Self.worst(rgba(picture.pixels), space.standardPixels(of: pixels)) <= 2)
    #expect(Self.mean(rgba(picture.pixels), Self.standard) < 0.7)
    #expect(rgba(try Self.decoded(file).pixels) == rgba(picture.pixels))
  }

  /// A profile with one curve is converted without Little CMS, the same one with two forms of it by Little CMS. Would break if the colors were taken
  /// for those of another white, or if a curve of one channel were used for all.
  @Test(arguments: spaces)
  func `one curve or three give the same colors`(space: ColorProfileFile) throws {
    let three = space.bytes(blueSteps: 2048)
    #expect(try ICCProfile(space.bytes).conversion != nil)
    #expect(try ICCProfile(three).conversion == nil)
    let pixels = space.pixels(of: Self.standard)
    let one = try Self.decoded(Self.png(pixels, [PNGFile.profileChunk(space.bytes)]))
    let other = try Self.decoded(Self.png(pixels, [PNGFile.profileChunk(three)]))
    #expect(other.profile == PictureProfile(named: space.name) && one.profile == other.profile)
    #expect(Self.worst(rgba(one.pixels), rgba(other.pixels)) <= 3)
    #expect(Self.mean(rgba(one.pixels), rgba(other.pixels)) < 0.3)
  }

  /// Its colors would be shifted, so Little CMS decides.
  @Test func `a profile whose colors do not add up to its white is left to Little CMS`() throws {
    var bytes = ColorProfileFile.displayP3.bytes
    let name = Array("rXYZ".utf8)
    let entry = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    let place = bytes[entry + 4..<entry + 8].reduce(0) { $0 << 8 | Int($1) }
    // X of red, a half more.
    bytes[place + 8 + 2] += 0x40
    #expect(try ICCProfile(bytes).conversion == nil)
    let picture = try Self.decoded(Self.png(Self.standard, [PNGFile.profileChunk(bytes)]))
    #expect(picture.profile?.isApplied == true)
  }

  /// The other decoder converts with another version of Little CMS, and with an ICC profile if the file has cICP or
  /// cHRM.
  @Test(arguments: PictureVector.profiled)
  func `pixels are those of another decoder with color management`(vector: PictureVector) throws {
    let picture = try ImageDecoder().picture(
      PictureVector.bytes(of: vector.name), longerSide: 100)
    #expect(picture.profile?.isApplied == true)
    #expect((picture.pixels.width, picture.pixels.height) == (vector.width, vector.height))
    #expect(Self.worst(rgba(picture.pixels), vector.pixels) <= 3)
    #expect(Self.mean(rgba(picture.pixels), vector.pixels) < 0.5)
  }

  @Test(arguments: spaces)
  func `a JPEG's profile may come in parts in any order`(space: ColorProfileFile) throws {
    let jpeg = try Self.jpeg(space.pixels(of: Self.standard))
    let whole = try Self.decoded(ProfiledJPEG.file(jpeg, profile: space.bytes))
    let parts = try Self.decoded(
      ProfiledJPEG.file(jpeg, profile: space.bytes, partSize: 100) { $0.reversed() })
    #expect(whole.profile == PictureProfile(named: space.name))
    #expect(parts.profile == whole.profile)
    #expect(rgba(parts.pixels) == rgba(whole.pixels))
    #expect(rgba(whole.pixels) != rgba(try Self.decoded(jpeg).pixels))
  }

  @Test func `the profile of sRGB changes nothing`() throws {
    let profile = ColorProfileFile.sRGB.bytes
    for file in [
      Self.png(Self.standard, [PNGFile.profileChunk(profile)]),
      Self.png(Self.standard, [PNGFile.chunk("sRGB", [0])]),
      Self.png(Self.standard, [PNGFile.chunk("gAMA", Self.number(45_455))]),
      Self.png(Self.standard, [PNGFile.chunk("cICP", [1, 13, 0, 1])]),
    ] {
      let picture = try Self.decoded(file)
      #expect(picture.profile == nil)
      #expect(rgba(picture.pixels) == Self.standard)
    }
  }

  @Test func `the pixels that are hashed for other tools stay as they are stored`() throws {
    let pixels = ColorProfileFile.proPhoto.pixels(of: Self.standard)
    let file = Self.png(pixels, [PNGFile.profileChunk(ColorProfileFile.proPhoto.bytes)])
    #expect(
      try ImageDecoder().pdqCoefficients(of: file).hash
        == ImageDecoder().pdqCoefficients(of: Self.png(pixels)).hash)
  }

  // MARK: PNG's own chunks

  @Test func `cICP comes before iCCP, that before sRGB, that before gAMA`() throws {
    let chunks = [
      PNGFile.chunk("cICP", [12, 13, 0, 1]),
      PNGFile.profileChunk(ColorProfileFile.adobeRGB.bytes),
      PNGFile.chunk("sRGB", [0]),
      PNGFile.chunk("gAMA", Self.number(55_556)),
    ]
    let names = try (0..<4).map { first in
      try Self.decoded(Self.png(Self.standard, chunks[first...].reversed())).profile?.name
    }
    #expect(names == ["cICP 12/13/0/1", "Adobe RGB (1998)", nil, "gAMA 1.8"])
  }

  @Test func `an unusable declaration leaves it to the next one`() throws {
    let file = Self.png(
      Self.standard,
      [
        PNGFile.chunk("cICP", [9, 17, 0, 1]),
        PNGFile.profileChunk(ColorProfileFile.displayP3.bytes),
      ])
    #expect(try Self.decoded(file).profile == PictureProfile(named: "Display P3"))
    let alone = try Self.decoded(Self.png(Self.standard, [PNGFile.chunk("cICP", [9, 17, 0, 1])]))
    #expect(alone.profile?.reasonIgnored == "transfer function 17 is not supported")
    #expect(rgba(alone.pixels) == Self.standard)
  }

  @Test func `code points and primaries agree with the profiles of their spaces`() throws {
    let p3 = ColorProfileFile.displayP3.pixels(of: Self.standard)
    let byCodePoints = try Self.decoded(Self.png(p3, [PNGFile.chunk("cICP", [12, 13, 0, 1])]))
    let displayP3 = ColorProfileFile.displayP3
    #expect(Self.worst(rgba(byCodePoints.pixels), displayP3.standardPixels(of: p3)) <= 2)
    let adobe = ColorProfileFile.adobeRGB.pixels(of: Self.standard)
    let primaries = [31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000]
    let byPrimaries = try Self.decoded(
      Self.png(
        adobe,
        [
          PNGFile.chunk("gAMA", Self.number(45_455)),
          PNGFile.chunk("cHRM", primaries.flatMap(Self.number)),
        ]))
    #expect(byPrimaries.profile?.name == "gAMA 2.2 with cHRM")
    let adobeRGB = ColorProfileFile.adobeRGB
    #expect(Self.worst(rgba(byPrimaries.pixels), adobeRGB.standardPixels(of: adobe)) <= 3)
  }

  @Test func `chunks with a wrong checksum or after the pixels declare nothing`() throws {
    var wrong = PNGFile.chunk("gAMA", Self.number(100_000))
    wrong[wrong.count - 1] ^= 1
    #expect(try Self.decoded(Self.png(Self.standard, [wrong])).profile == nil)
    let file = Self.png(Self.standard)
    let end = file.count - 12
    let late = Array(file[..<end]) + PNGFile.chunk("gAMA", Self.number(100_000)) + file[end...]
    #expect(try Self.decoded(late).profile == nil)
  }

  // MARK: Gray and inks

  @Test func `a gray picture is converted by a profile of gray`() throws {
    let file = Self.jpegOfGray(try Self.jpeg(Self.gray), profile: ColorProfileFile.gray(gamma: 1))
    let picture = try Self.decoded(file)
    // The picture has three components, for which a profile of gray is none.
    #expect(
      picture.profile?.reasonIgnored == "it is for gray, and the image has 3 components")
    let grayscale = PictureVector.bytes(of: "grey.jpg")
    let plain = rgba(try ImageDecoder().decode(grayscale))
    let lit = try ImageDecoder().picture(
      ProfiledJPEG.file(grayscale, profile: ColorProfileFile.gray(gamma: 1)), longerSide: 100)
    #expect(lit.profile == PictureProfile(named: "Gray"))
    // Linear light of a half is a value of 188 in sRGB.
    for (value, light) in zip(plain, rgba(lit.pixels)) where value == 128 { #expect(light == 188) }
    #expect(rgba(lit.pixels) != plain)
    let asRGB = try ImageDecoder().picture(
      ProfiledJPEG.file(grayscale, profile: ColorProfileFile.proPhoto.bytes), longerSide: 100)
    #expect(asRGB.profile?.isApplied == true)
  }

  private static func jpegOfGray(_ jpeg: [UInt8], profile: [UInt8]) -> [UInt8] {
    ProfiledJPEG.file(jpeg, profile: profile)
  }

  /// The inks of the profile are those of print, those of the formula are ideal: the two look alike
  /// but are not equal. Inks taken for their inverse would look like a negative.
  @Test(arguments: ["cmyk-plain.jpg", "cmyk-adobe.jpg", "ycck-adobe.jpg"])
  func `inks are converted by their profile, inverted or not`(name: String) throws {
    let bytes = PictureVector.bytes(of: name)
    let picture = try ImageDecoder().picture(
      ProfiledJPEG.file(bytes, profile: ColorProfileFile.inks), longerSide: 100)
    let formula = rgba(try ImageDecoder().decode(bytes))
    #expect(picture.profile == PictureProfile(named: "Test inks"))
    #expect(Self.worst(rgba(picture.pixels), formula) > 10)
    #expect(Self.mean(rgba(picture.pixels), formula) < 30)
    let pixels = rgba(picture.pixels)
    #expect(stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 })
  }

  @Test func `inks with the profile of a screen are converted by the formula`() throws {
    let bytes = PictureVector.bytes(of: "cmyk-adobe.jpg")
    let broken = try ImageDecoder().picture(
      ProfiledJPEG.file(
        bytes, profile: ColorProfileFile.displayP3.bytes),
      longerSide: 100)
    #expect(broken.profile?.isApplied == false)
    #expect(rgba(broken.pixels) == rgba(try ImageDecoder().decode(bytes)))
  }

  // MARK: Hostile profiles

  struct BadProfile: CustomTestStringConvertible, Sendable {
    let reason: String
    let bytes: [UInt8]
    var testDescription: String { reason }
  }

  private static let badProfiles: [BadProfile] = {
    let sound = ColorProfileFile.displayP3.bytes
    func changed(_ place: Int, _ bytes: [UInt8]) -> [UInt8] {
      var profile = sound
      profile.replaceSubrange(place..<place + bytes.count, with: bytes)
      return profile
    }
    func rgb(_ tags: [(String, [UInt8])]) -> [UInt8] {
      ColorProfileFile.profile(space: "RGB ", connection: "Lab ", tags: tags)
    }
    return [
      BadProfile(reason: "it is not an ICC profile", bytes: Array("hello".utf8)),
      BadProfile(reason: "it is not an ICC profile", bytes: changed(36, [0])),
      BadProfile(
        reason: "it has 200 bytes; its header says \(sound.count)", bytes: Array(sound[..<200])),
      BadProfile(
        reason: "it has 4294967295 tags; the limit is 100",
        bytes: changed(128, [255, 255, 255, 255])),
      BadProfile(
        reason: "its class 'link' does not describe pixels",
        bytes: changed(12, Array("link".utf8))),
      BadProfile(
        reason: "its color space 'HSV ' is not gray, RGB or CMYK",
        bytes: changed(16, Array("HSV ".utf8))),
      BadProfile(
        reason: "its connection space 'RGB ' is not XYZ or Lab",
        bytes: changed(20, Array("RGB ".utf8))),
      BadProfile(reason: "it has no 'rXYZ'", bytes: rgb([])),
      // A table of 255³ colors in a few bytes.
      BadProfile(
        reason: "its table 'A2B0' is damaged",
        bytes: rgb([("A2B0", ColorProfileFile.tableTag(channels: 3, side: 255, []))])),
      BadProfile(
        reason: "its table 'A2B1' is damaged",
        bytes: rgb([("A2B1", ColorProfileFile.tableTag(channels: 15, side: 2, []))])),
      BadProfile(
        reason: "its curve 'rTRC' is damaged",
        bytes: rgb([("rTRC", Array("curv".utf8) + [0, 0, 0, 0, 0, 0, 255, 255])])),
      BadProfile(
        reason: "it is for cmyk, and the image has 3 components", bytes: ColorProfileFile.inks),
    ]
  }()

  @Test(arguments: badProfiles)
  func `a broken profile is ignored, with a reason`(bad: BadProfile) throws {
    let jpeg = try Self.jpeg(Self.standard)
    let inJPEG = try Self.decoded(ProfiledJPEG.file(jpeg, profile: bad.bytes))
    #expect(inJPEG.profile?.reasonIgnored == bad.reason)
    #expect(rgba(inJPEG.pixels) == rgba(try Self.decoded(jpeg).pixels))
    let inPNG = try Self.decoded(Self.png(Self.standard, [PNGFile.profileChunk(bad.bytes)]))
    #expect(inPNG.profile?.isApplied == false)
    #expect(rgba(inPNG.pixels) == Self.standard)
  }

  @Test func `parts that are missing or disagree are ignored, with a reason`() throws {
    let jpeg = try Self.jpeg(Self.standard)
    let profile = ColorProfileFile.displayP3.bytes
    func reason(_ order: @escaping ([[UInt8]]) -> [[UInt8]]) throws -> String? {
      let file = ProfiledJPEG.file(jpeg, profile: profile, partSize: 1000, order: order)
      return try Self.decoded(file).profile?.reasonIgnored
    }
    let count = (profile.count + 999) / 1000
    #expect(try reason { Array($0.dropLast()) } == "not every part of \(count) is there once")
    #expect(try reason { $0 + [$0[0]] } == "not every part of \(count) is there once")
    #expect(
      try reason { $0 + [ProfiledJPEG.segment(number: 1, of: 9, [])] }
        == "its parts disagree on their number")
    #expect(
      try reason { _ in [ProfiledJPEG.segment(number: 0, of: 0, [])] }
        == "not every part of 0 is there once")
  }

  /// Every byte of a profile's header, tags and first data set to extremes: no crash, no print, and
  /// the same pixels each time.
  @Test func `any byte of a profile may be wrong`() throws {
    let jpeg = try Self.jpeg(Self.standard)
    for profile in [ColorProfileFile.adobeRGB.bytes, ColorProfileFile.inks] {
      for place in stride(from: 0, to: min(profile.count, 420), by: 3) {
        var damaged = profile
        damaged[place] ^= 0xFF
        let file = ProfiledJPEG.file(jpeg, profile: damaged)
        #expect(rgba(try Self.decoded(file).pixels) == rgba(try Self.decoded(file).pixels))
      }
    }
  }

  @Test func `a profile beyond its limit is refused before it is in memory`() throws {
    let profile = ColorProfileFile.displayP3.bytes
    let limits = DecodeLimits(profileByteLimit: profile.count - 1)
    let files = [
      ProfiledJPEG.file(try Self.jpeg(Self.standard), profile: profile, partSize: 500),
      Self.png(Self.standard, [PNGFile.profileChunk(profile)]),
    ]
    for file in files {
      let error = #expect(throws: DecodeError.self) {
        try ImageDecoder(limits: limits).decode(file, longerSide: 64)
      }
      #expect(error?.code == .tooMuchWork)
      #expect(error?.message.contains("the limit is") == true)
      let exact = ImageDecoder(limits: DecodeLimits(profileByteLimit: profile.count))
      _ = try exact.decode(file, longerSide: 64)
    }
    // A header that promises 4 GB in a stream of a few bytes.
    var bomb = profile
    bomb.replaceSubrange(0..<4, with: [255, 255, 255, 255])
    #expect(throws: DecodeError.self) {
      try Self.decoded(Self.png(Self.standard, [PNGFile.profileChunk(bomb)]))
    }
  }

  /// Would break if a profile that is not used for its conversion escaped the limit.
  @Test func `a profile beyond its limit is refused, whatever its header says`() throws {
    let size = 20_000
    let limits = DecodeLimits(profileByteLimit: size - 1)
    let sound = ColorProfileFile.displayP3.bytes
    let long = sound + [UInt8](repeating: 0, count: size - sound.count)
    var unsigned = long
    unsigned.replaceSubrange(36..<40, with: [0, 0, 0, 0])
    let jpeg = try Self.jpeg(Self.standard)
    let files = [
      // The size in the header of the profile is smaller than the profile.
      Self.png(Self.standard, [PNGFile.profileChunk(long)]),
      Self.png(Self.standard, [PNGFile.profileChunk(unsigned)]),
      ProfiledJPEG.file(jpeg, profile: unsigned, partSize: 1000),
      ProfiledJPEG.file(jpeg, profile: unsigned, partSize: 1000) { $0 + [$0[0]] },
      ProfiledJPEG.file(jpeg, profile: unsigned, partSize: 1000) {
        $0 + [ProfiledJPEG.segment(number: 1, of: 9, [])]
      },
    ]
    for (number, file) in files.enumerated() {
      let error = #expect(throws: DecodeError.self, "\(number)") {
        try ImageDecoder(limits: limits).decode(file, longerSide: 64)
      }
      #expect(error?.code == .tooMuchWork && error?.message.contains("the limit is 19999") == true)
      _ = try ImageDecoder(limits: DecodeLimits(profileByteLimit: size + 1000)).decode(
        file, longerSide: 64)
    }
  }

  @Test func `a conversion can be cancelled`() throws {
    let file = ProfiledJPEG.file(
      try Self.jpeg(Self.standard), profile: ColorProfileFile.displayP3.bytes)
    var calls = 0
    _ = try ImageDecoder().decode(file, longerSide: 64) {
      calls += 1; return false
    }
    for last in 1...calls {
      var count = 0
      let error = #expect(throws: DecodeError.self) {
        try ImageDecoder().decode(file, longerSide: 64) {
          count += 1; return count == last
        }
      }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func `many threads convert at the same time`() async throws {
    let file = ProfiledJPEG.file(
      try Self.jpeg(ColorProfileFile.proPhoto.pixels(of: Self.standard)),
      profile: ColorProfileFile.proPhoto.bytes)
    let expected = rgba(try Self.decoded(file).pixels)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 {
        group.addTask { (try? rgba(Self.decoded(file).pixels)) == expected }
      }
      for await isEqual in group { #expect(isEqual) }
    }
  }
}

extension PictureProfile {
  fileprivate init(named name: String) { self.init(name: name, reasonIgnored: nil) }
}
