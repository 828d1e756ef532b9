/// The names of colors in several languages, for words that a person says beside an image: "this, but in green".
///
/// Shops name colors in their own language, and in shades: a sage bottle is a green one to somebody who asks for it.
package enum ColorWords {
  /// The words of each color. The first one is its name here. A word with an asterisk also has the endings of German adjectives.
  private static let colors = [
    "red rot* rouge rojo roja rosso rossa rood rode röd vermelho vermelha czerwony czerwona красный красная 红 红色",
    "green grün* vert verte verde groen groene grøn grönn grön zielony zielona зелёный зеленый зелёная 绿 绿色",
    "blue blau* bleu bleue azul blu blauwe blauw blå niebieski niebieska синий синяя 蓝 蓝色",
    "yellow gelb* jaune amarillo amarilla giallo gialla geel gele gul amarelo amarela żółty żółta жёлтый желтый 黄 黄色",
    "orange orangefarben naranja arancione oranje laranja pomarańczowy оранжевый 橙 橙色",
    "brown braun* brun brune marron marrón marrone bruin bruine castanho brązowy коричневый 棕色",
    "black schwarz* noir noire negro negra nero nera zwart zwarte svart preto preta czarny czarna чёрный черный 黑 黑色",
    "white weiß* blanc blanche blanco blanca bianco bianca wit witte vit hvid hvit branco branca biały biała белый белая 白 白色",
    "gray grau* gris grigio grigia grijs grijze grå cinza cinzento szary szara серый серая 灰 灰色",
    "pink rosa rose rosé roze różowy розовый 粉色",
    "purple violet violett* lila violeta morado morada viola paars paarse roxo roxa fioletowy фиолетовый 紫 紫色",
    "beige bege beżowy бежевый 米色",
    "gold golden* doré dorée dorado dorada oro oroado goud dourado złoty",
    "silver silbern* silber argent argenté plata plateado argento zilver prata srebrny",
    "turquoise türkis turquesa turchese turkoois",
  ]

  /// The shades, each with the colors that it is one of.
  private static let shades = [
    "navy blue", "marine blue", "marineblau blue", "indigo blue", "cobalt blue", "azure blue",
    "denim blue", "petrol blue green",
    "teal blue green", "turquoise blue green", "aqua blue green", "cyan blue", "mint green",
    "sage green", "olive green",
    "khaki green brown", "lime green", "emerald green", "moss green", "forest green",
    "burgundy red", "bordeaux red",
    "crimson red", "maroon red brown", "scarlet red", "wine red", "rust red orange brown",
    "terracotta red orange brown",
    "coral red orange pink", "salmon pink orange", "peach orange pink", "apricot orange",
    "copper orange brown",
    "mustard yellow", "lemon yellow", "ochre yellow brown", "amber yellow orange",
    "cream white beige yellow",
    "creme white beige yellow", "ivory white beige", "ecru white beige", "natural white beige",
    "sand beige", "camel beige brown",
    "tan beige brown", "taupe gray brown", "chocolate brown", "cognac brown", "charcoal gray black",
    "anthracite gray black",
    "anthrazit gray black", "graphite gray black", "slate gray", "fuchsia pink purple",
    "magenta pink purple",
    "lavender purple", "lilac purple", "plum purple", "mauve purple",
  ]

  /// The beginnings of compounds such as `dunkelgrün`.
  private static let beginnings = ["dunkel", "hell", "donker", "licht", "mittel"]
  private static let endings = ["e", "er", "es", "en", "em"]

  /// The name of the color of each normalized word.
  private static let names: [String: String] = {
    var names: [String: String] = [:]
    for line in colors {
      let words = line.split(separator: " ").map(String.init)
      for word in words {
        let stem = word.hasSuffix("*") ? String(word.dropLast()) : word
        for form in [stem] + (stem == word ? [] : endings.map { stem + $0 }) {
          names[LabelText.normalized(form)] = words[0]
        }
      }
    }
    for shade in families.keys where names[shade] == nil { names[shade] = shade }
    return names
  }()

  /// The colors of each shade.
  private static let families: [String: [String]] = Dictionary(
    uniqueKeysWithValues: shades.map { line in
      let words = line.split(separator: " ").map(String.init)
      return (LabelText.normalized(words[0]), Array(words.dropFirst()))
    })

  /// Returns the name of the color that a normalized word is, or `nil` if it is none: `green` for `grune`.
  package static func name(of word: String) -> String? {
    names[word] ?? (compound(word) == nil ? nil : word)
  }

  /// Returns the colors that a shade is one of; none for a color that is no shade.
  package static func families(of name: String) -> [String] {
    families[name] ?? compound(name).map { [$0] } ?? []
  }

  /// Returns the color of a compound, such as `green` for `dunkelgrun`.
  private static func compound(_ word: String) -> String? {
    beginnings.lazy.filter(word.hasPrefix).compactMap { names[String(word.dropFirst($0.count))] }
      .first
  }
}
