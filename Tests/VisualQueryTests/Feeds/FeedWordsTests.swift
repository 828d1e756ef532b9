@testable import ShopModel
@testable import ShopSearch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The words of feeds in the languages that they are found in.
@Suite struct FeedWordsTests {
  /// A header for an id, a title, a price and an image, by its language.
  static let headers = [
    "de": "Artikelnummer;Bezeichnung;Preis;Bild", "fr": "Référence;Désignation;Prix TTC;Photo",
    "es": "Código;Nombre;Precio;Imagen", "it": "Codice;Nome;Prezzo;Immagine",
    "pt": "Código;Nome;Preço;Imagem",
    "nl": "Artikelnummer;Naam;Prijs;Afbeelding", "pl": "Kod;Nazwa;Cena;Zdjęcie",
    "cs": "Kód;Název;Cena;Obrázek",
    "sk": "Kód;Názov;Cena;Obrázok", "hu": "Cikkszám;Megnevezés;Ár;Kép",
    "ro": "Cod;Denumire;Preț;Imagine",
    "bg": "Код;Име;Цена;Снимка", "hr": "Šifra;Naziv;Cijena;Slika", "sr": "Шифра;Назив;Цена;Слика",
    "sl": "Šifra;Naziv;Cena;Slika", "ru": "Артикул;Название;Цена;Фото",
    "uk": "Артикул;Назва;Ціна;Фото",
    "lt": "Kodas;Pavadinimas;Kaina;Nuotrauka", "lv": "Kods;Nosaukums;Cena;Attēls",
    "et": "Kood;Nimetus;Hind;Pilt",
    "fi": "Tuotekoodi;Tuotenimi;Hinta;Kuva", "sv": "Artikelnummer;Namn;Pris;Bild",
    "no": "Varenummer;Navn;Pris;Bilde",
    "da": "Varenummer;Navn;Pris;Billede", "is": "Vörunúmer;Heiti;Verð;Mynd",
    "el": "Κωδικός;Όνομα;Τιμή;Εικόνα",
    "tr": "Ürün Kodu;Ürün Adı;Fiyat;Resim", "he": "מק\"ט;שם;מחיר;תמונה",
    "ar": "رمز المنتج;الاسم;السعر;الصورة",
    "fa": "شناسه;نام;قیمت;تصویر", "ja": "商品番号;商品名;価格;画像", "zh": "商品编号;名称;价格;图片",
    "zh-TW": "商品編號;名稱;價格;圖片", "ko": "상품번호;상품명;가격;이미지", "th": "รหัสสินค้า;ชื่อสินค้า;ราคา;รูปภาพ",
    "vi": "Mã sản phẩm;Tên sản phẩm;Giá;Hình ảnh", "id": "Kode;Nama;Harga;Gambar",
    "hi": "कोड;नाम;मूल्य;चित्र",
    "ca": "Codi;Nom;Preu;Imatge", "kk": "Артикулы;Атауы;Бағасы;Сурет",
    "ka": "კოდი;დასახელება;ფასი;სურათი",
  ]

  @Test(arguments: headers.keys.sorted()) func `columns are known in a language`(language: String)
    throws
  {
    let export = try ReadExport(
      "\(Self.headers[language] ?? "")\n1;Mug;9.90;https://i.example/1.jpg\n")
    let mug = try export.product("1")
    #expect(mug.title == "Mug" && mug.price?.amount == "9.90" && mug.images.count == 1)
  }

  /// Would break if a color were no look of its own, because the shop calls the option otherwise.
  @Test(arguments: [
    "Farba", "Колір", "Renk", "Szín", "Culoare", "Väri", "Farge", "Χρώμα", "色", "カラー", "색상",
    "Cores", "Colori", "Shade",
    "Colorway", "Kleur", "Färg", "Farve", "Kolor", "Barva", "Цвят", "Boja", "Боја", "Цвет",
    "Spalva", "Krāsa", "Värv", "Litur",
    "צבע", "اللون", "رنگ", "颜色", "顏色", "สี", "Màu sắc", "Warna", "रंग", "Couleur", "ფერი", "Rəng",
  ]) func `the option of a color is known in a language`(name: String) throws {
    let export = try ReadExport(
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\ntee,Tee,\(name),Foo,F,9\ntee,,,Bar,B,9\n"
    )
    #expect(export.products.compactMap { $0.attributes["color"] } == ["Foo", "Bar"])
  }

  /// Would break if only names told a color: a shop may call it as it likes.
  @Test(arguments: ["rot,blau", "Červená,Modrá", "красный,синий", "赤,青", "Navy blue,Dark green"])
  func `values tell a color`(values: String) throws {
    let colors = values.split(separator: ",").map(String.init)
    let export = try ReadExport(
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\ntee,Tee,Xyz,\(colors[0]),F,9\ntee,,,\(colors[1]),B,9\n"
    )
    #expect(export.products.compactMap { $0.attributes["color"] } == colors)
  }

  /// Would break if scents were colors, which would count against other photos of them.
  @Test func `scents are no colors`() throws {
    let export = try ReadExport(
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\nc,Candle,Duft,Lavender,F,9\nc,,,Rose,B,9\n"
    )
    #expect(
      export.products.allSatisfy { $0.attributes["color"] == nil && $0.attributes["duft"] != nil })
  }

  @Test(arguments: [
    "auf Lager", "en stock", "hay existencias", "disponibile", "em estoque", "op voorraad",
    "dostępny", "w magazynie",
    "skladem", "skladom", "raktáron", "în stoc", "в наличност", "na zalihi", "в наличии",
    "В наявності", "i lager",
    "på lager", "varastossa", "Σε απόθεμα", "stokta var", "במלאי", "متوفر", "موجود", "在庫あり", "有货",
    "現貨", "재고있음",
    "มีสินค้า", "còn hàng", "tersedia", "yra sandėlyje", "laos", "ir noliktavā",
    "In stock: ships in 2 days",
    "https://schema.org/InStock", "Άμεση παραλαβή / Παράδοση 1 έως 3 ημέρες",
  ]) func `a word for what is in stock`(word: String) throws {
    #expect(try FeedText.availability(word) == "inStock")
  }

  @Test(arguments: [
    "nicht vorrätig", "épuisé", "sin existencias", "esaurito", "esgotado", "uitverkocht",
    "brak w magazynie", "vyprodáno",
    "vypredané", "elfogyott", "stoc epuizat", "изчерпан", "rasprodano", "нет в наличии",
    "Немає в наявності", "slut i lager",
    "udsolgt", "utsolgt", "loppu", "Εξαντλημένο", "stokta yok", "אזל מהמלאי", "غير متوفر",
    "ناموجود", "在庫なし", "缺货", "售完",
    "품절", "สินค้าหมด", "hết hàng", "habis", "išparduota", "läbi müüdud", "izpārdots", "Not available",
  ]) func `a word for what is not in stock`(word: String) throws {
    #expect(try FeedText.availability(word) == "outOfStock")
  }

  /// Would break if words of the lists were so short that they are those of something else.
  @Test(arguments: ["2-3 Tage", "5 days", "available from 2027-01-01", "maybe"])
  func `other texts are no availability`(text: String) {
    #expect(throws: FieldError.self) { try FeedText.availability(text) }
  }

  /// Would break if the size of a package were taken for a number of pieces.
  @Test func `a mass is no quantity`() throws {
    let export = try ReadExport(#"[{"code":"1","product_name":"Oats","quantity":"500 g"}]"#)
    let oats = try export.product("1")
    #expect(
      oats.availability == nil && oats.extra["quantity"] == .string("500 g")
        && export.warnings.isEmpty)
  }

  /// Would break if an id with a mark that cannot be seen were another one.
  @Test func `ids have no blanks and no marks around them`() throws {
    let export = try ReadExport(
      "sku,name,brand\n\u{200B}A1\u{A0},Mug,Nord   \n\u{202A}B2\u{202C},\u{202E}Cup,\n\u{FEFF}C3 ,Tray\u{200D},\n"
    )
    #expect(export.products.map(\.id) == ["A1", "B2", "C3"])
    #expect(try export.product("A1").brand == "Nord" && export.product("B2").title == "Cup")
  }
}
