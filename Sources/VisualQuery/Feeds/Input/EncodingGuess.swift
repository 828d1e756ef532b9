/// Recognizes the encoding of a text that is not UTF-8 by the frequencies of its letters.
///
/// Text of East Asia has its characters in pairs of bytes, most of which are frequent characters. Other text is decoded under
/// each encoding, and the language counts whose letters explain the characters beyond ASCII best.
enum EncodingGuess {
  /// An encoding that text may have.
  enum Encoding: Sendable, Hashable {
    case singleByte(SingleByteEncoding)
    case system(SystemEncoding)
  }

  /// The most bytes that are looked at.
  private static let limit = 1 << 16

  /// Returns the encoding of a text that has bytes beyond ASCII and is not UTF-8.
  static func of(_ bytes: ArraySlice<UInt8>) -> Encoding {
    let sample = Array(bytes.prefix(limit))
    if let name = eastAsian(sample), let encoding = SystemEncoding(named: name) {
      return .system(encoding)
    }
    return .singleByte(singleByte(sample))
  }

  // MARK: East Asia

  /// Returns the encoding of text in Chinese, Japanese or Korean, or `nil` if it is something else.
  private static func eastAsian(_ bytes: [UInt8]) -> String? {
    var best: (name: String, score: Double)?
    for (name, leads, isFrequent) in eastAsianEncodings {
      guard let encoding = SystemEncoding(named: name) else { continue }
      let (text, damaged, _) = encoding.decoded(bytes)
      if damaged > 0 { continue }
      let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
      var (count, frequent, together) = (0, 0, 0)
      for (index, scalar) in scalars.enumerated() where scalar.value >= 0x80 {
        count += 1
        if isFrequent(scalar) { frequent += 1 }
        let isBeside = index > 0 && scalars[index - 1].value >= 0x80
        if isBeside || index + 1 < scalars.count && scalars[index + 1].value >= 0x80 {
          together += 1
        }
      }
      // In a text of single-byte letters, pairs of bytes decode to rare characters that stand
      // alone. East Asian text has characters side by side.
      guard count > 0, together * 10 >= count * 7 else { continue }
      // Frequent characters are in the list, or at least in the first part of the standard.
      let score = 0.65 * Double(frequent) / Double(count) + 0.35 * share(of: leads, in: bytes)
      if score > (best?.score ?? 0.62) { best = (name, score) }
    }
    return best?.name
  }

  /// The encodings with the first bytes of their common characters.
  private static let eastAsianEncodings:
    [(name: String, leads: ClosedRange<UInt8>, isFrequent: @Sendable (Unicode.Scalar) -> Bool)] = [
      ("shift_jis", 0x81...0x97, { isKana($0) || frequentJapanese.contains($0) || isWide($0) }),
      ("euc-jp", 0xA1...0xCF, { isKana($0) || frequentJapanese.contains($0) || isWide($0) }),
      ("euc-kr", 0xB0...0xC8, { frequentKorean.contains($0) || isWide($0) }),
      ("gbk", 0xB0...0xD7, { frequentChinese.contains($0) || isWide($0) }),
      ("big5", 0xA4...0xC6, { frequentTraditional.contains($0) || isWide($0) }),
    ]

  /// Returns the share of pairs of bytes beyond ASCII whose first byte is in a range.
  private static func share(of leads: ClosedRange<UInt8>, in bytes: [UInt8]) -> Double {
    var (count, common, index) = (0, 0, 0)
    while index < bytes.count {
      guard bytes[index] >= 0x80 else {
        index += 1
        continue
      }
      count += 1
      if leads.contains(bytes[index]) { common += 1 }
      index += 2
    }
    return count == 0 ? 0 : Double(common) / Double(count)
  }

  private static func isKana(_ scalar: Unicode.Scalar) -> Bool {
    (0x3041...0x30FE).contains(scalar.value)
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    (0x3000...0x3011).contains(scalar.value) || (0xFF01...0xFF5E).contains(scalar.value)
  }

  private static func set(_ text: String) -> Set<Unicode.Scalar> { Set(text.unicodeScalars) }

  private static let frequentJapanese = set(
    "商品名番号価格色説明画像在庫数量日本製白黒赤青緑黄茶紫金銀大中小新品送料無料税込素材綿革木鉄皿茶碗布服靴袋鞄財布時計傘帽子家具机椅子本棚寝台食器台所用紙水花春夏秋冬男女子供人気限定特集発売予約注文数個枚本箱組式型用品工具電気自転車玩具化粧香雑貨器製手作品質感"
  )
  private static let frequentKorean = set(
    "이가나다라마바사아자차카타파하의은는을를에와과도로고기지시리어여오요우유으인일입상품명가격색수량재고설명이미코드번호브랜드제조사분류옵션사이즈검정흰빨강파랑초록노랑회분홍남색면가죽나무철머그컵접시셔츠바지신발가방모자의류양말치마원피스코트재킷블랙화트레드루그린옐로핑크퍼플브라운그레골드실버네카키베지주방거실침대책상용무료배송할인신판매중문구완전한국산고급대소형세트개매장정식선물빈티지캠핑텀물병램프쿠션러담요커튼캔들향초비누수건오프클래식심플데일리남여성공아동유아티후드집니트조끼롱숏반팔긴"
  )
  private static let frequentChinese = set(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏简杯碗盘衣裤裙鞋帽袋箱灯桌椅床柜沙瓶壶锅刀叉布棉皮木铁铜银蓝绿紫粉灰棕橙号码价格库存图片描述品牌类型颜尺寸货标题链接"
  )
  private static let frequentTraditional = set(
    "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她里後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員九笑性通目華報立馬命張活難神數件安表原車白應路期叫常提感金何更反合放做系計或司利受光王果親界及今京務制解各任至清物台象記邊共風戰干接它許八特覺望直服毛林題建南度統色字請交愛讓認算論百吃義科怎元社術結六功指思非流每青管夫連遠資隊跟帶花快條院變聯言權往展該領傳近留紅治決周保達辦運武半候七必城父強步完革深區即求品士轉量空甚眾技輕程告江語英基派滿式李息寫呢識極令黃德收臉錢黨倒未持取設始版雙歷越史商千片容研像找友孩站廣改議形委早房音火際則首單據導影失拿網香似斯專石若兵弟誰校讀志飛觀爭究包組造落視濟喜離雖壞簡杯碗盤衣褲裙鞋帽袋箱燈桌椅床櫃沙瓶壺鍋刀叉布棉皮木鐵銅銀藍綠紫粉灰棕橙黑號碼價格庫存圖片描述牌類型顏尺寸貨標題連結露營馬克"
  )

  // MARK: Alphabets

  private struct Language {
    let encodings: [SingleByteEncoding]
    /// The logarithms of the frequencies of letters.
    let letters: [Unicode.Scalar: Double]
  }

  private static let languages: [Language] = FeedData.letters.map { section in
    let words = section.lines.joined(separator: " ").split(separator: " ").map(String.init)
    var letters: [Unicode.Scalar: Double] = [:]
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      if let letter = words[index].unicodeScalars.first, let share = Double(words[index + 1]) {
        letters[letter] = logarithm(share / 100)
      }
    }
    return Language(
      encodings: section.head.split(separator: " ").dropFirst().compactMap {
        SingleByteEncoding.named(String($0))
      }, letters: letters)
  }

  /// The binary logarithm, to a precision that is enough for comparing sums.
  private static func logarithm(_ value: Double) -> Double {
    guard value > 0 else { return -20 }
    return Double(value.exponent) + (value.significand - 1)
  }

  /// The cost of a letter that a language does not have, of another character, and of one that no text has.
  private static let (strangeLetter, symbol, control) = (-11.0, -7.0, -30.0)

  private static func singleByte(_ bytes: [UInt8]) -> SingleByteEncoding {
    // Western European is the default, because other text is nearly always in one of the
    // alphabets tested below.
    var best = (encoding: SingleByteEncoding.windows1252, score: -Double.infinity)
    for language in languages {
      for encoding in language.encodings {
        let score = score(bytes, encoding, language) + (encoding == .windows1252 ? 0.5 : 0)
        if score > best.score { best = (encoding, score) }
      }
    }
    return best.encoding
  }

  private static func score(
    _ bytes: [UInt8], _ encoding: SingleByteEncoding, _ language: Language
  ) -> Double {
    var score = 0.0
    var isLowercase = false
    for (index, byte) in bytes.enumerated() {
      if byte < 0x80 {
        isLowercase = (0x61...0x7A).contains(byte)
        continue
      }
      guard let scalar = encoding.scalar(byte), scalar.value >= 0xA0 else {
        score += control
        continue
      }
      let isInWord =
        index > 0 && index + 1 < bytes.count && isLetter(bytes[index - 1])
        && isLetter(bytes[index + 1])
      guard scalar.properties.isAlphabetic || language.letters[scalar] != nil else {
        // Quotes, dashes and currency signs occur beside words, not within them.
        score +=
          isInWord ? 2 * symbol : scalar.properties.generalCategory == .otherLetter ? symbol : -5
        isLowercase = false
        continue
      }
      let lowercase = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
      let isUppercase = scalar.properties.isUppercase
      score +=
        language.letters[scalar] ?? language.letters[lowercase].map { isUppercase ? $0 - 2 : $0 }
        ?? strangeLetter
      if isUppercase, isLowercase { score -= 6 }
      isLowercase = scalar.properties.isLowercase
    }
    return score
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0xC0 || (0x61...0x7A).contains(byte | 0x20)
  }
}
