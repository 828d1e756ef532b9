@testable import ShopIndex
@testable import ShopModel
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The formats that are mappings in `formats.txt`, and exports in other languages.
@Suite struct KnownFormatTests {
  /// A shop in some format, and what its entities are: id, title, price, availability, color, brand and the number of images.
  struct Shop: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let entities: [String]
  }

  private static func seen(_ product: Product) -> String {
    [
      product.id, product.title, product.price?.amount ?? "-",
      product.availability?.rawValue ?? "-",
      product.attributes["color"] ?? "-", product.brand ?? "-", "\(product.images.count)",
    ].joined(separator: " | ")
  }

  private static let wooRows = """
    10,variable,MUG,,Mug,1,0,visible,,<p>Steel</p>,,,taxable,1,,,,Kitchen > Mugs,mug,https://i.example/mug.jpg,,Xyz,"Red, Blue",1,1
    11,variation,MUG-R,4006381333931,Mug - Red,1,0,visible,,,2026-01-01,2026-02-01,taxable,1,3,9.90,14.90,,,https://i.example/mug-red.jpg,MUG,Xyz,Red,,1
    12,variation,MUG-B,4006381333948,Mug - Blue,1,0,visible,,,,,taxable,0,0,,14.90,,,https://i.example/mug-blue.jpg,id:10,Xyz,Blue,,1
    13,simple,TRAY,,Tray,0,0,visible,,,,,taxable,1,2,,9.00,Kitchen,,https://i.example/tray.jpg,,,,,
    14,simple,,,Bowl,1,0,visible,,,,,taxable,1,2,7.50,9.00,Kitchen,,"https://i.example/bowl.jpg, https://i.example/bowl2.jpg",,,,,
    """
  private static let wooEntities = [
    "14 | Bowl | 7.50 | inStock | - | - | 2", "MUG | Mug | 14.90 | inStock | - | - | 1",
    "MUG-B | Mug | 14.90 | outOfStock | Blue | - | 1",
    "MUG-R | Mug | 14.90 | inStock | Red | - | 1",
  ]

  private static let wooHeaders = [
    "de":
      "ID,Typ,Artikelnummer,\"GTIN, UPC, EAN oder ISBN\",Name,Veröffentlicht,Ist hervorgehoben?,Sichtbarkeit im Katalog,Kurzbeschreibung,Beschreibung,Datum A,Datum B,Steuerstatus,Vorrätig?,Lager,Angebotspreis,Regulärer Preis,Kategorien,Schlagwörter,Bilder,Übergeordnetes Produkt,Attribut 1 Name,Attribut 1 Wert(e),Attribut 1 Sichtbar,Attribut 1 Global",
    "it":
      "ID,Tipo,COD,GTIN,Nome,Pubblicato,In primo piano?,Visibilità nel catalogo,Breve descrizione,Descrizione,Data A,Data B,Stato delle imposte,In stock?,Magazzino,Prezzo in offerta,Prezzo di listino,Categorie,Tag,Immagini,Genitore,Nome dell'attributo 1,Valore dell'attributo 1,Attributo visibile 1,Attributo globale 1",
    "pl":
      "ID,Rodzaj,SKU,GTIN,Nazwa,Opublikowano,Czy wyróżniony?,Widoczność w katalogu,Krótki opis,Opis,Data A,Data B,Status podatku,W magazynie?,Magazyn,Cena promocyjna,Cena podstawowa,Kategorie,Tagi,Obrazki,Nadrzędny,Nazwa atrybutu 1,Wartość atrybutu 1,Widoczny atrybut 1,Globalny atrybut 1",
    "nl":
      "ID,Type,SKU,GTIN,Naam,Gepubliceerd,Is uitgelicht?,Zichtbaarheid in catalogus,Korte beschrijving,Beschrijving,Datum A,Datum B,Btw status,Op voorraad?,Voorraad,Aanbiedingsprijs,Reguliere prijs,Categorieën,Tags,Afbeeldingen,Hoofd,Attribuut 1 naam,Attribuut 1 waarde(n),Attribuut 1 zichtbaar,Attribuut 1 globaal",
    "pt":
      "ID,Tipo,REF,GTIN,Nome,Publicado,Em destaque?,Visibilidade no catálogo,Descrição curta,Descrição,Data A,Data B,Status,Em estoque?,Estoque,Preço promocional,Preço normal,Categorias,Etiquetas,Imagens,Ascendente,Nome do atributo 1,Valores do atributo 1,Atributo visível 1,Atributo global 1",
    "ru":
      "ID,Тип,Артикул,GTIN,Имя,Опубликован,Рекомендуемый?,Видимость в каталоге,Краткое описание,Описание,Дата А,Дата Б,Статус налога,Наличие,Запасы,Акционная цена,Базовая цена,Категории,Метки,Изображения,Родительский,Название атрибута 1,Значения атрибутов 1,Видимость атрибута 1,Глобальный атрибут 1",
    "ja":
      "ID,タイプ,SKU,GTIN,名前,公開済み,おすすめですか ?,カタログでの表示,簡単な説明,説明,開始日,終了日,税ステータス,在庫あり ?,在庫,セール価格,標準価格,カテゴリー,タグ,画像,親,属性 1 の名前,属性 1 の値,属性 1 表示,属性 1 グローバル",
    // No word of it is known: the values and the order of the exporter have to do.
    "unknown":
      "ID,Xa,Xb,GTIN,Name,Xc,Xd,Xe,Xf,Xg,Xh,Xi,Xj,In stock?,Xk,Sale price,Xl,Xm,Xn,Xo,Xp,Xq 1,Xr 1,Xs 1,Xt 1",
  ]

  /// Would break if the exporter's headers were known in English only: prices, drafts and variants were lost without a word.
  @Test(arguments: wooHeaders.keys.sorted()) func `a WooCommerce export in a language`(
    language: String
  ) throws {
    let export = try ReadExport("\(Self.wooHeaders[language] ?? "")\n\(Self.wooRows)")
    #expect(
      export.format == .wooCommerce && export.products.map(Self.seen).sorted() == Self.wooEntities)
    #expect(try export.product("MUG-R").extra["Date sale price ends"] == .string("2026-02-01"))
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  /// Would break if a file that a program quoted twice were one column.
  @Test func `rows that are quoted twice are unwrapped`() throws {
    let text = "\(Self.wooHeaders["de"] ?? "")\n\(Self.wooRows)"
    let lines = text.split(separator: "\n").map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let export = try ReadExport("\u{FEFF}" + lines.joined(separator: "\n"))
    #expect(export.products.map(Self.seen).sorted() == Self.wooEntities)
  }

  private static let shops = [
    Shop(
      testDescription: "Ceneo",
      text: """
        <offers version="1"><group name="other"><o id="1" url="https://s.example/1" price="129.00" avail="1" stock="4"><cat>Dom/Kuchnia</cat>
        <name>Kubek</name><imgs><main url="https://i.example/1.jpg"/><i url="https://i.example/2.jpg"/></imgs><attrs><a name="Producent">Nord</a>
        <a name="Kolor">Czerwony</a><a name="EAN">5901234123457</a></attrs></o><o id="2" price="9" avail="99"><name>Miska</name></o></group></offers>
        """,
      entities: [
        "1 | Kubek | 129.00 | inStock | Czerwony | Nord | 2",
        "2 | Miska | 9 | backOrder | - | - | 0",
      ]),
    Shop(
      testDescription: "Skroutz",
      text: """
        <mywebstore><products><product><uniqueID>7</uniqueID><name>Φόρεμα</name><image>https://i.example/7.jpg</image><price_with_vat>39.90</price_with_vat>
        <mpn>LN</mpn><instock>Y</instock><availability>Διαθέσιμο από 1 έως 3 ημέρες</availability><color>Μπλε</color></product>
        <product><uniqueID>8</uniqueID><name>Ζώνη</name><price_with_vat>9</price_with_vat><mpn>LN</mpn><availability>Κατόπιν παραγγελίας</availability></product></products></mywebstore>
        """,
      entities: [
        "7 | Φόρεμα | 39.90 | inStock | Μπλε | - | 1", "8 | Ζώνη | 9 | backOrder | - | - | 0",
      ]),
    Shop(
      testDescription: "Heureka, without an id of its own",
      text: """
        <SHOP><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME><SKU>X</SKU><PRICE_VAT>249,50</PRICE_VAT><EAN>4006381333931</EAN></SHOPITEM>
        <SHOPITEM><ITEM_ID>2</ITEM_ID><PRODUCTNAME>Miska</PRODUCTNAME><SKU>X</SKU><PRICE_VAT>99</PRICE_VAT></SHOPITEM>
        <SHOPITEM><PRODUCTNAME>Talíř</PRODUCTNAME><URL>https://s.example/t</URL><PRICE_VAT>9</PRICE_VAT></SHOPITEM></SHOP>
        """,
      entities: [
        "1 | Hrnek | 249.50 | - | - | - | 0", "2 | Miska | 99 | - | - | - | 0",
        "https://s.example/t | Talíř | 9 | - | - | - | 0",
      ]),
    Shop(
      testDescription: "Yandex, offers without a name, and with that of another language",
      text: """
        <yml_catalog><shop><offers><offer id="1" type="vendor.model" available="false"><price>10</price><typePrefix>Кружка</typePrefix><vendor>Север</vendor>
        <model>Поход 300</model><param name="Цвет">синий</param></offer><offer id="2" available="true"><price>9</price><name_ru></name_ru><name_ua>Таця</name_ua></offer></offers></shop></yml_catalog>
        """,
      entities: [
        "1 | Кружка Север Поход 300 | 10 | outOfStock | синий | Север | 0",
        "2 | Таця | 9 | inStock | - | - | 0",
      ]),
    Shop(
      testDescription: "kaspi.kz",
      text: """
        <kaspi_catalog xmlns="kaspiShopping"><offers><offer sku="1"><model>Чайник</model><brand>Nord</brand><availabilities><availability available="yes" storeId="PP1"/>
        <availability available="no" storeId="PP2"/></availabilities><price>6000</price></offer><offer sku="2"><model>Таз</model><availabilities><availability available="no"/></availabilities>
        <cityprices><cityprice cityId="7">70</cityprice></cityprices></offer></offers></kaspi_catalog>
        """,
      entities: [
        "1 | Чайник | 6000 | inStock | - | Nord | 0", "2 | Таз | 70 | outOfStock | - | - | 0",
      ]),
    Shop(
      testDescription: "BMEcat 2005, with a data sheet",
      text: """
        <BMECAT version="2005"><T_NEW_CATALOG><PRODUCT><SUPPLIER_PID>100</SUPPLIER_PID><PRODUCT_DETAILS><DESCRIPTION_SHORT>Kabelbinder</DESCRIPTION_SHORT>
        <INTERNATIONAL_PID type="gtin">4006381333931</INTERNATIONAL_PID><MANUFACTURER_NAME>Nord</MANUFACTURER_NAME></PRODUCT_DETAILS><PRODUCT_PRICE_DETAILS><PRODUCT_PRICE price_type="net_list">
        <PRICE_AMOUNT>4.90</PRICE_AMOUNT><PRICE_CURRENCY>EUR</PRICE_CURRENCY></PRODUCT_PRICE></PRODUCT_PRICE_DETAILS><MIME_INFO><MIME><MIME_TYPE>image/jpeg</MIME_TYPE><MIME_SOURCE>1.jpg</MIME_SOURCE></MIME>
        <MIME><MIME_TYPE>application/pdf</MIME_TYPE><MIME_SOURCE>1.pdf</MIME_SOURCE></MIME></MIME_INFO></PRODUCT></T_NEW_CATALOG></BMECAT>
        """,
      entities: ["100 | Kabelbinder | 4.90 | - | - | Nord | 1"]),
    Shop(
      testDescription: "Salesforce Commerce, with one that is offline",
      text: """
        <catalog xmlns="http://www.demandware.com/xml/impex/catalog/2006-10-31" catalog-id="c"><category category-id="root"><display-name>Root</display-name></category>
        <product product-id="P1"><ean>4006381333931</ean><display-name xml:lang="x-default">Jacket</display-name><display-name xml:lang="de">Jacke</display-name><online-flag>true</online-flag><brand>Nord</brand>
        <images><image-group view-type="large"><image path="large/1.jpg"/><image path="large/2.jpg"/></image-group></images><custom-attributes><custom-attribute attribute-id="color">Red</custom-attribute></custom-attributes></product>
        <product product-id="P2"><display-name>Hidden</display-name><online-flag>false</online-flag></product></catalog>
        """,
      entities: ["P1 | Jacket | - | - | Red | Nord | 2"]),
    Shop(
      testDescription: "Ecwid",
      text: """
        type,product_internal_id,product_sku,product_name,product_price,product_quantity,product_brand,product_media_main_image_url,product_media_gallery_image_url_1,product_is_available,product_option_name,product_option_value,product_variation_sku,product_variation_option_Color,product_variation_price,product_variation_image_url
        product,5001,MUG,Mug,14.90,3,Nord,https://i.example/m.jpg,https://i.example/m2.jpg,TRUE,,,,,,
        product_option,5001,,,,,,,,,Color,Red,,,,
        product_variation,5001,,,,,,,,,,,MUG-R,Red,14.90,https://i.example/r.jpg
        product_variation,5001,,,,,,,,,,,MUG-B,Blue,15.90,https://i.example/b.jpg
        product,5002,TRAY,Tray,9.00,0,Nord,https://i.example/t.jpg,,FALSE,,,,,,
        """,
      entities: [
        "MUG | Mug | 14.90 | inStock | - | Nord | 2",
        "MUG-B | Mug | 15.90 | inStock | Blue | Nord | 1",
        "MUG-R | Mug | 14.90 | inStock | Red | Nord | 1",
      ]),
    Shop(
      testDescription: "Shopware 6",
      text: """
        id;parent_id;product_number;active;stock;name;price_net;price_gross;cover_media_url;manufacturer_name
        a1;;SW1;1;12;Becher;12.52;14.90;https://i.example/1.jpg;Nord
        a2;a1;SW1.1;1;5;;;;https://i.example/2.jpg;
        a3;a1;SW1.2;0;7;;;;https://i.example/3.jpg;
        a4;;SW2;0;0;Tablett;8.40;10.00;https://i.example/4.jpg;Nord
        """,
      entities: ["a1 | Becher | 14.90 | inStock | - | Nord | 2"]),
    Shop(
      testDescription: "Shopware 5",
      text: """
        ordernumber;mainnumber;name;supplier;price_EK;active;instock;imageUrl;configuratorOptions
        S1;S1;Becher;Nord;14,90;1;12;https://i.example/1.jpg|https://i.example/2.jpg;Farbe:rot
        S1.1;S1;Becher;Nord;15,90;1;0;https://i.example/3.jpg;Farbe:blau
        """,
      entities: [
        "S1 | Becher | 14.90 | inStock | rot | Nord | 2",
        "S1.1 | Becher | 15.90 | outOfStock | blau | Nord | 1",
      ]),
    Shop(
      testDescription: "Vendure",
      text: """
        name,slug,description,assets,facets,optionGroups,optionValues,sku,price,stockOnHand,variantAssets
        Laptop,laptop,Fast,,Electronics,color,Silver,L-S,12.90,100,s.jpg
        ,,,,,,Black,L-B,13.90,0,b.jpg
        Mouse,mouse,,m.jpg,Electronics,,,M1,18.99,10,
        """,
      entities: [
        "L-B | Laptop | 13.90 | outOfStock | Black | - | 1",
        "L-S | Laptop | 12.90 | inStock | Silver | - | 1",
        "mouse | Mouse | 18.99 | inStock | - | - | 1",
      ]),
    Shop(
      testDescription: "Amazon's templates of 2025",
      text: """
        settings=contentLanguageTag=en_US\tx\tx\tx\tx\tx
        SKU\tItem Name\tMain Image URL\tQuantity\tYour Price\tColor
        contribution_sku#1.value\titem_name[marketplace_id=A][language_tag=en_US]#1.value\tmain_product_image_locator[marketplace_id=A]#1.media_location\tfulfillment_availability#1.quantity\tpurchasable_offer[marketplace_id=A]#1.our_price#1.schedule#1.value_with_tax\tcolor[marketplace_id=A]#1.value
        M-R\tMug red\thttps://i.example/r.jpg\t3\t14.90\tRed
        """,
      entities: ["M-R | Mug red | 14.90 | inStock | Red | - | 1"]),
    Shop(
      testDescription: "Squarespace's API",
      text: #"""
        {"products":[{"id":"5f1","type":"PHYSICAL","name":"Mug","isVisible":true,"variants":[
         {"id":"v1","sku":"M-R","pricing":{"basePrice":{"currency":"EUR","value":"14.90"},"onSale":true,"salePrice":{"currency":"EUR","value":"9.90"}},"stock":{"quantity":3,"unlimited":false},"attributes":{"Color":"Red"},"image":{"url":"https://i.example/r.jpg"}},
         {"id":"v2","sku":"M-B","pricing":{"basePrice":{"currency":"EUR","value":"15.90"},"onSale":false,"salePrice":{"currency":"EUR","value":"1.00"}},"stock":{"unlimited":true},"attributes":{"Color":"Blue"},"image":{"url":"https://i.example/b.jpg"}}],"images":[]},
         {"id":"5f2","name":"Hidden","isVisible":false,"variants":[{"id":"v3","sku":"H"}]}]}
        """#,
      entities: [
        "M-B | Mug | 15.90 | inStock | Blue | - | 1", "M-R | Mug | 9.90 | inStock | Red | - | 1",
      ]),
    Shop(
      testDescription: "BigCommerce's API",
      text: #"""
        {"data":[{"id":77,"name":"Shirt","type":"physical","sku":"SH","price":25,"is_visible":true,"variants":[
         {"id":1,"sku":"SH-R","price":26,"inventory_level":3,"image_url":"https://i.example/r.jpg","option_values":[{"option_display_name":"Color","label":"Red"}]},
         {"id":2,"sku":"SH-B","price":null,"inventory_level":0,"image_url":"https://i.example/b.jpg","option_values":[{"option_display_name":"Color","label":"Blue"}]}],
         "images":[{"id":9,"url_standard":"https://i.example/s.jpg"}]}]}
        """#,
      entities: [
        "77 | Shirt | 25 | - | - | - | 1", "SH-B | Shirt | 25 | outOfStock | Blue | - | 1",
        "SH-R | Shirt | 26 | inStock | Red | - | 1",
      ]),
    Shop(
      testDescription: "Shopify's GraphQL",
      text: #"""
        {"data":{"products":{"edges":[{"node":{"id":"gid://shopify/Product/1","handle":"mug","title":"Mug","vendor":"Nord","images":{"edges":[
         {"node":{"url":"https://i.example/a.jpg","altText":"red mug"}},{"node":{"url":"https://i.example/b.jpg","altText":"blue mug"}}]},"variants":{"edges":[
         {"node":{"id":"v1","sku":"M-R","price":"9.00","availableForSale":true,"selectedOptions":[{"name":"Color","value":"Red"}]}},
         {"node":{"id":"v2","sku":"M-B","price":"10.00","availableForSale":false,"selectedOptions":[{"name":"Color","value":"Blue"}]}}]}}}]}}}
        """#,
      entities: [
        "mug/blue | Mug | 10.00 | outOfStock | Blue | Nord | 1",
        "mug/red | Mug | 9.00 | inStock | Red | Nord | 1",
      ]),
    Shop(
      testDescription: "MercadoLibre",
      text: #"""
        [{"id":"MLA1","title":"Taza","price":100,"currency_id":"ARS","pictures":[{"id":"p1","url":"https://i.example/1.jpg"},{"id":"p2","url":"https://i.example/2.jpg"}],"variations":[
         {"id":11,"price":100,"attribute_combinations":[{"name":"Color","value_name":"Rojo"}],"picture_ids":["p1"],"available_quantity":1},
         {"id":12,"price":110,"attribute_combinations":[{"name":"Color","value_name":"Azul"}],"picture_ids":["p2"],"available_quantity":0}]}]
        """#,
      entities: [
        "11 | Taza | 100 | inStock | Rojo | - | 1", "12 | Taza | 110 | outOfStock | Azul | - | 1",
      ]),
    Shop(
      testDescription: "idealo",
      text: """
        Artikelnummer im Shop;EAN / GTIN / Barcodenummer / UPC;Hersteller/Markenname;Produktname;Preis (inkl. MwSt.);Lieferzeit;ProduktURL;BildURL_1;BildURL_2;Farbe
        A1;4006381333931;Nord;Becher;1.299,00;1-3 Tage;https://s.example/1;https://i.example/1.jpg;https://i.example/2.jpg;rot
        """,
      entities: ["A1 | Becher | 1299.00 | - | rot | Nord | 2"]),
    Shop(
      testDescription: "Etsy, without SKUs",
      text: """
        TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1,IMAGE2,SKU
        "Clay vase, grey",x,46,EUR,1,"vase,clay",Stoneware,https://i.example/1.jpg,https://i.example/2.jpg,
        """,
      entities: ["clay-vase-grey | Clay vase, grey | 46 | inStock | - | - | 2"]),
    Shop(
      testDescription: "a list of schema.org",
      text: #"""
        {"@context":"https://schema.org","@type":"ItemList","itemListElement":[{"@type":"ListItem","item":{"@type":"Product","name":"Mug","sku":"M","offers":{"@type":"AggregateOffer","lowPrice":"12.90","priceCurrency":"EUR"}}}]}
        """#,
      entities: ["M | Mug | 12.90 | - | - | - | 0"]),
    Shop(
      testDescription: "prices whose column ends with a currency",
      text: """
        <price><items><item><id>1</id><name>Чашка</name><priceRUAH>1299</priceRUAH><stock>В наявності</stock></item><item><id>2</id><name>Таця</name></item></items></price>
        """,
      entities: ["1 | Чашка | 1299 | inStock | - | - | 0", "2 | Таця | - | - | - | - | 0"]),
  ]

  @Test(arguments: shops) func `a shop in a known format`(shop: Shop) throws {
    let export = try ReadExport(shop.text)
    #expect(export.products.map(Self.seen).sorted() == shop.entities)
    #expect(export.warnings.isEmpty, "\(export.warnings)")
  }

  /// Would break if the folder or the address of a catalogue's images were lost.
  @Test(arguments: [
    ("https://i.example/pics/", "https://i.example/pics/1.jpg"),
    ("<![CDATA[https://i.example/p?a=1&b=2]]>", "https://i.example/p?a=1&b=2/1.jpg"),
    ("//cdn.example/pics", "https://cdn.example/pics/1.jpg"),
    ("pics\\large\\", "pics/large/1.jpg"), ("/", "1.jpg"), ("", "1.jpg"),
    ("\\\\server\\pics", "1.jpg"), ("C:\\pics", "1.jpg"), ("file:///pics", "1.jpg"),
  ]) func `names of images of BMEcat are beneath its root`(root: String, image: String) throws {
    let export = try ReadExport(
      """
      <?xml version="1.0"?><BMECAT version="1.2"><HEADER><CATALOG><LANGUAGE>deu</LANGUAGE><MIME_ROOT>\(root)</MIME_ROOT></CATALOG></HEADER><T_NEW_CATALOG>
      <ARTICLE><SUPPLIER_AID>7</SUPPLIER_AID><ARTICLE_DETAILS><DESCRIPTION_SHORT>Zange</DESCRIPTION_SHORT></ARTICLE_DETAILS><MIME_INFO><MIME><MIME_SOURCE>1.jpg</MIME_SOURCE></MIME>
      <MIME><MIME_SOURCE>https://other.example/2.jpg</MIME_SOURCE></MIME></MIME_INFO></ARTICLE></T_NEW_CATALOG></BMECAT>
      """)
    #expect(try export.product("7").images == [image, "https://other.example/2.jpg"])
  }

  /// Would break if the days until a product is sent were not read, or taken for a number of pieces.
  @Test(arguments: [
    ("0", Availability.inStock), ("3", .backOrder), ("31", .backOrder), ("2026-12-24", .preOrder),
    ("24. 12. 2026", .preOrder), ("skladem", .inStock), ("-1", nil), ("", nil),
  ]) func `a time of delivery is an availability`(text: String, availability: Availability?) throws
  {
    let export = try ReadExport(
      "<SHOP><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME><DELIVERY_DATE>\(text)</DELIVERY_DATE></SHOPITEM></SHOP>"
    )
    let product = try export.product("1")
    #expect(product.availability == availability && export.warnings.isEmpty)
    if availability == .backOrder {
      #expect(product.extra["DELIVERY_DATE"] == .string(text))
    }
  }

  /// Would break if the options of a listing were lost, or if one whose values are colors were not the color.
  @Test func `the variations of an Etsy listing are its attributes and variants`() throws {
    let export = try ReadExport(
      """
      TITLE,PRICE,CURRENCY_CODE,QUANTITY,TAGS,IMAGE1,VARIATION 1 TYPE,VARIATION 1 NAME,VARIATION 1 VALUES,VARIATION 2 TYPE,VARIATION 2 NAME,VARIATION 2 VALUES,SKU
      Clay bowl,9,EUR,4,bowl,b.jpg,Custom,Glaze,"Blue,Green",,,,"B-1,B-2"
      Clay cup,9,EUR,4,cup,c.jpg,Custom,Farbe,"Rot,Blau",Size,Size,"S,M","C-1,C-2,C-3,C-4"
      Clay jug,9,EUR,4,jug,j.jpg,,,,,,,J-1
      """)
    #expect(export.products.map(\.id) == ["clay-bowl", "clay-cup", "J-1"])
    let bowl = try export.product("clay-bowl")
    #expect(bowl.attributes["color"] == "Blue, Green" && bowl.labels.contains("green"))
    #expect(
      bowl.extra["variants"]
        == .array([
          .object(["sku": .string("B-1"), "color": .string("Blue")]),
          .object(["sku": .string("B-2"), "color": .string("Green")]),
        ]))
    let cup = try export.product("clay-cup")
    #expect(cup.attributes["color"] == "Rot, Blau" && cup.attributes["size"] == "S, M")
    #expect(cup.extra["skus"] != nil && export.warnings.isEmpty)
  }

  /// Would break if a reduced price counted beyond its days, or if zeros for a day that is missing were one.
  @Test(arguments: [
    ("sale_start_date", "2026-01-01", "20"), ("special_from_date", "2026-01-01", "20"),
    ("Discount from (yyyy-mm-dd)", "2026-01-01", "20"), ("sale_start_date", "0000-00-00", "15"),
  ]) func `a reduced price with days is not the price`(column: String, day: String, amount: String)
    throws
  {
    let export = try ReadExport("id,name,price,sale_price,\(column)\n1,Mug,20,15,\(day)\n")
    #expect(try export.product("1").price?.amount == amount)
  }

  /// Would break if the SKUs of all variations were the id, which changes with their order.
  @Test func `a list of SKUs is no id`() throws {
    let export = try ReadExport(
      "TITLE,PRICE,CURRENCY_CODE,QUANTITY,TAGS,SKU\nClay bowl,9,EUR,4,bowl,\"B-1,B-2\"\nClay cup,9,EUR,4,cup,C-1\n"
    )
    #expect(export.products.map(\.id) == ["clay-bowl", "C-1"])
    #expect(
      try export.product("clay-bowl").extra["skus"] == .array([.string("B-1"), .string("B-2")]))
  }

  /// Would break if a product that is sent beside its variants were not in their group.
  @Test func `a parent beside its variants is in their group`() throws {
    let export = try ReadExport(
      "id,title,link,image_link,item_group_id\nP,Tee,https://s.example/p,a.jpg,\nP-R,Tee red,https://s.example/r,r.jpg,P\nQ,Cup,https://s.example/q,q.jpg,\n"
    )
    #expect(export.products.map(\.group) == ["P", "P", nil])
  }

  /// Would break if the report named fields that the feed does not have, or that are not used.
  @Test func `the mapping names what is used only`() throws {
    let folder = try TemporaryDirectory()
    let text =
      "<catalog><product product-id=\"P\"><ean>4006381333931</ean><display-name>Mug</display-name></product><product product-id=\"Q\"><display-name>Cup</display-name></product></catalog>"
    let mapping = try FeedReader(path: folder.write(text, to: "f.xml")).mapping
    let used = mapping.fields.filter { $0.target != nil }
    #expect(used.map(\.name).sorted() == ["@product-id", "display-name"])
    #expect(mapping.name == "Salesforce Commerce catalogue")
  }

  /// Would break if articles of a site were products.
  @Test(arguments: [
    "<rss version=\"2.0\"><channel><item><title>Closed on Monday</title><link>https://s.example/1</link><guid>1</guid><pubDate>Mon</pubDate><description>x</description></item></channel></rss>",
    "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><id>tag:1</id><title>News</title><updated>2026</updated><link href=\"https://s.example/1\"/></entry></feed>",
  ]) func `news are refused`(text: String) {
    let error = #expect(throws: FeedError.self) { try ReadExport(text) }
    #expect(error?.message.contains("news") == true)
  }

  /// Would break if what stands before a declaration were a rejected row, so that nothing was ever removed.
  @Test(arguments: ["\n\n", "<!-- made by a program -->\n", " \n<!-- a --><!-- b -->"])
  func `blanks and comments before a declaration are no row`(start: String) throws {
    let export = try ReadExport(
      start
        + "<?xml version=\"1.0\" encoding=\"UTF-8\"?><products><product><id>1</id><name>Mug</name></product></products>\n\n"
    )
    #expect(export.products.map(\.id) == ["1"] && export.warnings.isEmpty)
  }

  @Test(arguments: [
    "Price list 2026;;\n\nKód;Název;Cena\n1;Hrnek;9 EUR\n2;Tác;8 EUR\n",
    (0..<12).map { "# comment \($0)\n" }.joined() + "sku;name;price\n1;Hrnek;9 EUR\n2;Tác;8 EUR\n",
    "sku;name;price\n1;Hrnek;9 EUR\nsku;name;price\n2;Tác;8 EUR\n",
  ]) func `lines before a header, and headers between rows, are no rows`(text: String) throws {
    let export = try ReadExport(text)
    #expect(export.products.map(\.title) == ["Hrnek", "Tác"] && export.warnings.isEmpty)
  }

  /// Would break if a number of the maker, which two products have, rejected the second one.
  @Test func `a product whose number another one has gets its link or its title`() throws {
    let export = try ReadExport(
      "mpn,name,link,price\nLN,Mug,https://s.example/1,9\nLN,Cup,https://s.example/2,9\n,Tray,,9\n")
    #expect(export.products.map(\.id) == ["LN", "https://s.example/2", "tray"])
    #expect(export.warnings.isEmpty)
  }
}
