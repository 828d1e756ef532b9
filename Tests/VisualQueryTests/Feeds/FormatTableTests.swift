import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// All formats of the table in `docs/feeds.md`: the smallest input that is one of each, and the habits of whole shops, such as
/// variants, drafts, reduced prices and several languages.
@Suite struct FormatTableTests {
  /// A feed, and what its entities are: id, title, price, availability, color, brand and the number of images.
  struct Shop: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let entities: [String]

    init(_ description: String, _ text: String, _ entities: [String]) {
      (testDescription, self.text, self.entities) = (description, text, entities)
    }
  }

  private static func seen(_ product: Product) -> String {
    [
      product.id, product.title, product.price?.amount ?? "-",
      product.availability?.rawValue ?? "-", product.attributes["color"] ?? "-",
      product.brand ?? "-", "\(product.images.count)",
    ].joined(separator: " | ")
  }

  private static let smallest = [
    Shop(
      "Native JSON Lines",
      #"""
      {"type":"product","id":"1","title":"Mug"}
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Native CSV",
      #"""
      type,id,title
      product,1,Mug
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "A list of JSON",
      #"""
      [{"id":1,"name":"Mug"}]
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "JSON-LD",
      #"""
      {"@context":"https://schema.org","@type":"Product",
      "sku":"1","name":"Mug"}
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "An HTML page",
      #"""
      <!doctype html><html><script type="application/ld+json">{"@type":"Product","sku":"1","name":"Mug"}</script></html>
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Google Merchant, table",
      #"""
      id\#ttitle\#tlink
      1\#tMug\#thttps://s.example/1
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Google Merchant, RSS",
      #"""
      <rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>1</g:id><title>Mug</title></item></channel></rss>
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Google Merchant, Atom",
      #"""
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><entry><g:id>1</g:id><title>Mug</title></entry></feed>
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Ceneo",
      #"""
      <offers><o id="1"><name>Kubek</name></o></offers>
      """#,
      [
        "1 | Kubek | - | - | - | - | 0"
      ]),
    Shop(
      "Skroutz",
      #"""
      <mywebstore><products><product><id>1</id><name>Κούπα</name></product></products></mywebstore>
      """#,
      [
        "1 | Κούπα | - | - | - | - | 0"
      ]),
    Shop(
      "Heureka",
      #"""
      <SHOP><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME></SHOPITEM></SHOP>
      """#,
      [
        "1 | Hrnek | - | - | - | - | 0"
      ]),
    Shop(
      "Yandex Market",
      #"""
      <yml_catalog><shop><offers><offer id="1"><name>Кружка</name></offer></offers></shop></yml_catalog>
      """#,
      [
        "1 | Кружка | - | - | - | - | 0"
      ]),
    Shop(
      "kaspi.kz",
      #"""
      <kaspi_catalog><offers><offer sku="1"><model>Чайник</model></offer></offers></kaspi_catalog>
      """#,
      [
        "1 | Чайник | - | - | - | - | 0"
      ]),
    Shop(
      "BMEcat 1.2",
      #"""
      <BMECAT><T_NEW_CATALOG><ARTICLE><SUPPLIER_AID>1</SUPPLIER_AID><ARTICLE_DETAILS><DESCRIPTION_SHORT>Zange</DESCRIPTION_SHORT></ARTICLE_DETAILS></ARTICLE></T_NEW_CATALOG></BMECAT>
      """#,
      [
        "1 | Zange | - | - | - | - | 0"
      ]),
    Shop(
      "BMEcat 2005",
      #"""
      <BMECAT><T_NEW_CATALOG><PRODUCT><SUPPLIER_PID>1</SUPPLIER_PID><PRODUCT_DETAILS><DESCRIPTION_SHORT>Zange</DESCRIPTION_SHORT></PRODUCT_DETAILS></PRODUCT></T_NEW_CATALOG></BMECAT>
      """#,
      [
        "1 | Zange | - | - | - | - | 0"
      ]),
    Shop(
      "Salesforce Commerce",
      #"""
      <catalog><product product-id="1"><display-name>Mug</display-name></product></catalog>
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "CommerceML",
      #"""
      <КоммерческаяИнформация><Каталог><Товары><Товар><Ид>1</Ид><Наименование>Кружка</Наименование></Товар></Товары></Каталог></КоммерческаяИнформация>
      """#,
      [
        "1 | Кружка | - | - | - | - | 0"
      ]),
    Shop(
      "CommerceML, offers",
      #"""
      <КоммерческаяИнформация><ПакетПредложений><Предложения><Предложение><Ид>1</Ид><Наименование>Кружка</Наименование><Цены><Цена><ЦенаЗаЕдиницу>9.90</ЦенаЗаЕдиницу><Валюта>RUB</Валюта></Цена></Цены><Количество>0</Количество></Предложение></Предложения></ПакетПредложений></КоммерческаяИнформация>
      """#,
      [
        "1 | Кружка | 9.90 | outOfStock | - | - | 0"
      ]),
    Shop(
      "Other XML",
      #"""
      <shop><artikl><kod>1</kod><nazev>Hrnek</nazev></artikl><artikl><kod>2</kod><nazev>Miska</nazev></artikl></shop>
      """#,
      [
        "1 | Hrnek | - | - | - | - | 0",
        "2 | Miska | - | - | - | - | 0",
      ]),
    Shop(
      "Shopify",
      #"""
      Handle,Title,Variant Price
      mug,Mug,9
      """#,
      [
        "mug | Mug | 9 | - | - | - | 0"
      ]),
    Shop(
      "Shopify since 2024",
      #"""
      Title,URL handle,Price
      Mug,mug,9
      """#,
      [
        "mug | Mug | 9 | - | - | - | 0"
      ]),
    Shop(
      "WooCommerce",
      #"""
      ID,Type,SKU,Name
      1,simple,M,Mug
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Magento",
      #"""
      sku,attribute_set_code,product_type,name
      M,Default,simple,Mug
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "BigCommerce, old layout",
      #"""
      Item Type,Product ID,Product Name,Product Code/SKU
      Product,1,Mug,M
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "BigCommerce, version 3",
      #"""
      Item,ID,Name,SKU,Options
      Product,1,Mug,M,
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Squarespace",
      #"""
      Product ID [Non Editable],Variant ID [Non Editable],Title,SKU,Option Name 1,Option Value 1,Hosted Image URLs
      1,2,Mug,M,,,
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Wix",
      #"""
      handleId,fieldType,name
      m,Product,Mug
      """#,
      [
        "m | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Wix, new layout",
      #"""
      handle,fieldType,name
      m,PRODUCT,Mug
      """#,
      [
        "m | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "eBay",
      #"""
      *Action,CustomLabel,*Title,Relationship
      Add,M,Mug,
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Amazon",
      #"""
      TemplateType=x\#tVersion=1\#t
      SKU\#tName\#tParent
      item_sku\#titem_name\#tparent_sku
      M\#tMug\#t
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Amazon, 2025",
      #"""
      settings=x\#t
      SKU\#tName
      contribution_sku#1.value\#titem_name[language_tag=en_US]#1.value
      M\#tMug
      """#,
      [
        "M | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Ecwid",
      #"""
      type,product_internal_id,product_name
      product,1,Mug
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Shopware 6",
      #"""
      id;parent_id;product_number;name
      1;;SW1;Becher
      """#,
      [
        "1 | Becher | - | - | - | - | 0"
      ]),
    Shop(
      "Shopware 5",
      #"""
      ordernumber;mainnumber;name
      S1;S1;Becher
      """#,
      [
        "S1 | Becher | - | - | - | - | 0"
      ]),
    Shop(
      "Vendure",
      #"""
      name,slug,optionGroups,optionValues
      Mug,mug,,
      """#,
      [
        "mug | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Etsy",
      #"""
      TITLE,PRICE,QUANTITY,TAGS,SKU
      Mug,9,1,,M
      """#,
      [
        "M | Mug | 9 | inStock | - | - | 0"
      ]),
    Shop(
      "Open Food Facts",
      #"""
      code\#tproduct_name\#tbrands
      4006381333931\#tMüsli\#tNord
      """#,
      [
        "4006381333931 | Müsli | - | - | - | Nord | 0"
      ]),
    Shop(
      "Saleor",
      #"""
      id,name,variant id,variant sku
      P1,Mug,V1,M
      """#,
      [
        "P1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Medusa",
      #"""
      Product Id,Product Handle,Product Title,Variant Id,Variant SKU
      P1,mug,Mug,V1,M
      """#,
      [
        "P1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Shoptet",
      #"""
      code;pairCode;name;productVisibility
      1;;Hrnek;visible
      """#,
      [
        "1 | Hrnek | - | - | - | - | 0"
      ]),
    Shop(
      "InSales",
      #"""
      ID товара;Название товара;ID варианта;Артикул
      1;Кружка;11;M
      """#,
      [
        "1 | Кружка | - | - | - | - | 0"
      ]),
    Shop(
      "Tilda",
      #"""
      Tilda UID;Parent UID;Title
      1;;Кружка
      """#,
      [
        "1 | Кружка | - | - | - | - | 0"
      ]),
    Shop(
      "Lightspeed",
      #"""
      Internal_ID,Internal_Variant_ID,NL_Title_Short
      1,11,Mok
      """#,
      [
        "1 | Mok | - | - | - | - | 0"
      ]),
    Shop(
      "JTL",
      #"""
      Artikelnummer;Artikelname;Identifizierungsspalte Vaterartikel
      1;Becher;
      """#,
      [
        "1 | Becher | - | - | - | - | 0"
      ]),
    Shop(
      "Gambio",
      #"""
      XTSOL|p_id|p_model|p_name.de
      XTSOL|1|M|Becher
      """#,
      [
        "1 | Becher | - | - | - | - | 0"
      ]),
    Shop(
      "Prom.ua",
      #"""
      Код_товару;Назва_позиції;Ціна
      M;Кружка;9
      """#,
      [
        "M | Кружка | 9 | - | - | - | 0"
      ]),
    Shop(
      "Prom.ua in Russian",
      #"""
      Код_товара;Название_позиции;Цена
      M;Кружка;9
      """#,
      [
        "M | Кружка | 9 | - | - | - | 0"
      ]),
    Shop(
      "PrestaShop",
      #"""
      Product ID;Active (0/1);Name *;Price tax excluded
      1;1;Mug;9
      """#,
      [
        "1 | Mug | 9 | - | - | - | 0"
      ]),
    Shop(
      "idealo",
      #"""
      Artikelnummer im Shop;Produktname;Preis (inkl. MwSt.)
      1;Becher;9
      """#,
      [
        "1 | Becher | 9 | - | - | - | 0"
      ]),
    Shop(
      "TikTok",
      #"""
      sku_id,title,price
      1,Mug,9 EUR
      """#,
      [
        "1 | Mug | 9 | - | - | - | 0"
      ]),
    Shop(
      "OpenCart",
      #"""
      product_id,name(en-gb),model
      1,Mug,M-1
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Akeneo",
      #"""
      sku;categories;name-en_US
      1;mugs;Mug
      """#,
      [
        "1 | Mug | - | - | - | - | 0"
      ]),
    Shop(
      "Google Product Search",
      #"""
      gs://b/a/1.jpg,,set,1,general,Mug,,
      """#,
      [
        "1 | Mug | - | - | - | - | 1"
      ]),
  ]

  /// Would break if a format were only known with columns that a small shop does not export.
  @Test(arguments: smallest) func `the smallest feed of a format`(shop: Shop) throws {
    try Self.check(shop)
  }

  private static let habits = [
    Shop(
      "Native JSON Lines",
      #"""
      {"type":"product","id":"1","title":"Mug","subtitle":"Enamel","labels":["mug"],"images":["a.jpg","b.jpg"],"url":"https://s.example/1","group":"g","brand":"Nord","price":{"amount":"14.90","currency":"EUR"},"availability":"outOfStock","attributes":{"color":"Red"},"translations":{"de":{"title":"Becher"}}}
      {"type":"product","id":"2","title":"Mug","group":"g","price":"9.90 EUR"}
      """#,
      [
        "1 | Mug | 14.90 | outOfStock | Red | Nord | 2",
        "2 | Mug | 9.90 | - | - | - | 0",
      ]),
    Shop(
      "Native CSV",
      #"""
      type,id,title,images,price.amount,price.currency,availability,brand,group,attributes.color
      product,1,Mug,a.jpg|b.jpg,14.90,EUR,inStock,Nord,g,Red
      product,2,Mug,c.jpg,9.90,EUR,preOrder,Nord,g,Blue
      """#,
      [
        "1 | Mug | 14.90 | inStock | Red | Nord | 2",
        "2 | Mug | 9.90 | preOrder | Blue | Nord | 1",
      ]),
    Shop(
      "A document of JSON",
      #"""
      {"products":[{"id":1,"name":{"de":"Becher","fr":"Tasse"},"status":"active","price":14.9,"sale_price":9.9,"manufacturer":"Nord","pictures":["a.jpg","b.jpg"],"variants":[{"sku":"R","color":"Rot","image":"r.jpg","stock":0},{"sku":"B","color":"Blau","image":"b.jpg","stock":2}]},{"id":2,"name":"Off","status":"draft"}]}
      """#,
      [
        "1 | Becher | 9.9 | - | - | Nord | 1",
        "B | Becher | 9.9 | inStock | Blau | Nord | 1",
        "R | Becher | 9.9 | outOfStock | Rot | Nord | 1",
      ]),
    Shop(
      "JSON-LD",
      #"""
      {"@context":"https://schema.org","@type":"ProductGroup","name":"Shirt","productGroupID":"SH","brand":{"name":"Nord"},"hasVariant":[{"@type":"Product","sku":"R","color":"Red","image":{"@type":"ImageObject","contentUrl":"r.jpg"},"offers":{"priceSpecification":{"price":19.9,"priceCurrency":"EUR"},"availability":"http://schema.org/InStock"}},
      {"@type":"Product","sku":"B","color":"Blue","image":["b.jpg"],"offers":[{"@type":"AggregateOffer","lowPrice":"21.90","priceCurrency":"EUR","availability":"SoldOut"}]}]}
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | Nord | 1",
        "R | Shirt | 19.9 | inStock | Red | Nord | 1",
      ]),
    Shop(
      "An HTML page",
      #"""
      <!doctype html><html><head><script type="application/ld+json">{"@graph":[{"@type":"Organization","name":"S"},{"@type":"Product","sku":"1","name":"Mug &amp; cup","color":"Red","brand":"Nord","image":["a.jpg","b.jpg"],"offers":{"price":"9.90","priceCurrency":"EUR","availability":"https://schema.org/PreOrder"}}]}</script></head></html>
      """#,
      [
        "1 | Mug & cup | 9.90 | preOrder | Red | Nord | 2"
      ]),
    Shop(
      "Google Merchant, table",
      #"""
      id,title,description,link,image_link,additional_image_link,availability,price,sale_price,brand,item_group_id,color
      1,Mug,Nice,https://s.example/1,a.jpg,"b.jpg,c.jpg",in_stock,14.90 EUR,9.90 EUR,Nord,g,Red
      2,Mug,Nice,https://s.example/2,d.jpg,,backorder,14.90 EUR,,Nord,g,Blue
      """#,
      [
        "1 | Mug | 9.90 | inStock | Red | Nord | 3",
        "2 | Mug | 14.90 | backOrder | Blue | Nord | 1",
      ]),
    Shop(
      "Google Merchant, RSS",
      #"""
      <rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>1</g:id><title><![CDATA[Mug & cup]]></title><g:image_link>a.jpg</g:image_link><g:additional_image_link>b.jpg</g:additional_image_link><g:price>14.90 EUR</g:price><g:sale_price>9.90 EUR</g:sale_price><g:availability>preorder</g:availability><g:brand>Nord</g:brand><g:color>Red/White</g:color><g:shipping><g:price>3 EUR</g:price></g:shipping></item></channel></rss>
      """#,
      [
        "1 | Mug & cup | 9.90 | preOrder | Red/White | Nord | 2"
      ]),
    Shop(
      "Google Merchant, Atom, another prefix",
      #"""
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:gm="http://base.google.com/ns/1.0"><entry><gm:id>1</gm:id><gm:title>Mug</gm:title><link href="https://s.example/1"/><gm:image_link>a.jpg</gm:image_link><gm:price>9.90 EUR</gm:price><gm:availability>out_of_stock</gm:availability><gm:brand>Nord</gm:brand></entry></feed>
      """#,
      [
        "1 | Mug | 9.90 | outOfStock | - | Nord | 1"
      ]),
    Shop(
      "Meta, with a note, drafts and rows of languages",
      #"""
      # See https://m.example
      id,title,link,image_link,price,availability,status,override,image[0].url,image[1].url,brand
      1,Mug,https://s.example/1,a.jpg,9.90 EUR,in stock,active,,b.jpg,c.jpg,Nord
      1,Becher,https://s.example/1,,,,,de_DE,,,
      2,Off,https://s.example/2,d.jpg,9.90 EUR,in stock,archived,,,,Nord
      """#,
      [
        "1 | Mug | 9.90 | inStock | - | Nord | 3"
      ]),
    Shop(
      "Ceneo",
      #"""
      <offers><o id="1" url="https://s.example/1" price="1299.00" avail="3" stock="5"><cat>Dom/Kubki</cat><name>Kubek</name><imgs><main url="a.jpg"/><i url="b.jpg"/></imgs><attrs><a name="Producent">Nord</a><a name="Kolor">Czerwony</a></attrs></o><o id="2" price="9" avail="110"><name>Miska</name></o></offers>
      """#,
      [
        "1 | Kubek | 1299.00 | inStock | Czerwony | Nord | 2",
        "2 | Miska | 9 | preOrder | - | - | 0",
      ]),
    Shop(
      "Skroutz, with variations",
      #"""
      <mywebstore><products><product><id>7</id><name>Φόρεμα</name><image>a.jpg</image><additionalimage>b.jpg</additionalimage><price_with_vat>39.90</price_with_vat><vat>24</vat><manufacturer>Nord</manufacturer><mpn>LN</mpn><availability>In stock</availability><color>Μπλε</color><variations><variation><variationid>7-S</variationid><size>S</size></variation><variation><variationid>7-M</variationid><size>M</size></variation></variations></product></products></mywebstore>
      """#,
      [
        "7 | Φόρεμα | 39.90 | inStock | Μπλε | Nord | 2"
      ]),
    Shop(
      "Heureka",
      #"""
      <SHOP><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME><PRODUCT>Hrnek akce</PRODUCT><IMGURL>a.jpg</IMGURL><IMGURL_ALTERNATIVE>b.jpg</IMGURL_ALTERNATIVE><PRICE_VAT>1 249,50</PRICE_VAT><MANUFACTURER>Nord</MANUFACTURER><PARAM><PARAM_NAME>Barva</PARAM_NAME><VAL>červená</VAL></PARAM><PARAM><PARAM_NAME>Barva</PARAM_NAME><VAL>bílá</VAL></PARAM><DELIVERY_DATE>0</DELIVERY_DATE><DELIVERY><DELIVERY_PRICE>99</DELIVERY_PRICE></DELIVERY><ITEMGROUP_ID>g</ITEMGROUP_ID></SHOPITEM></SHOP>
      """#,
      [
        "1 | Hrnek | 1249.50 | inStock | červená, bílá | Nord | 2"
      ]),
    Shop(
      "Zboží, with hidden products",
      #"""
      <SHOP xmlns="http://www.zbozi.cz/ns/offer/1.0"><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME><PRICE_VAT>249</PRICE_VAT><LIST_PRICE>299</LIST_PRICE><DELIVERY_DATE>3</DELIVERY_DATE><BRAND>Nord</BRAND><VISIBILITY>1</VISIBILITY></SHOPITEM><SHOPITEM><ITEM_ID>2</ITEM_ID><PRODUCTNAME>Skrytý</PRODUCTNAME><VISIBILITY>0</VISIBILITY></SHOPITEM></SHOP>
      """#,
      [
        "1 | Hrnek | 249 | backOrder | - | Nord | 0"
      ]),
    Shop(
      "Yandex Market",
      #"""
      <yml_catalog><shop><currencies><currency id="RUR"/></currencies><categories><category id="1">Дом</category></categories><offers><offer id="1" available="true" group_id="g"><price>1290</price><oldprice>1500</oldprice><currencyId>RUR</currencyId><categoryId>1</categoryId><picture>a.jpg</picture><picture>b.jpg</picture><vendor>Nord</vendor><name>Кружка</name><name_ua>Кухоль</name_ua><param name="Цвет">красный</param></offer><offer id="2" available="false"><price>9</price><name>Книга</name></offer></offers></shop></yml_catalog>
      """#,
      [
        "1 | Кружка | 1290 | inStock | красный | Nord | 2",
        "2 | Книга | 9 | outOfStock | - | - | 0",
      ]),
    Shop(
      "BMEcat 1.2",
      #"""
      <BMECAT><HEADER><CATALOG><MIME_ROOT>pics</MIME_ROOT></CATALOG></HEADER><T_NEW_CATALOG><ARTICLE><SUPPLIER_AID>1</SUPPLIER_AID><ARTICLE_DETAILS><DESCRIPTION_SHORT>Zange</DESCRIPTION_SHORT><MANUFACTURER_NAME>Nord</MANUFACTURER_NAME></ARTICLE_DETAILS><ARTICLE_FEATURES><FEATURE><FNAME>Farbe</FNAME><FVALUE>schwarz</FVALUE></FEATURE></ARTICLE_FEATURES><ARTICLE_PRICE_DETAILS><ARTICLE_PRICE><PRICE_AMOUNT>3.90</PRICE_AMOUNT><PRICE_CURRENCY>EUR</PRICE_CURRENCY></ARTICLE_PRICE></ARTICLE_PRICE_DETAILS><MIME_INFO><MIME><MIME_SOURCE>1.jpg</MIME_SOURCE></MIME></MIME_INFO></ARTICLE></T_NEW_CATALOG></BMECAT>
      """#,
      [
        "1 | Zange | 3.90 | - | schwarz | Nord | 1"
      ]),
    Shop(
      "Salesforce Commerce, masters with variants",
      #"""
      <catalog xmlns="http://www.demandware.com/xml/impex/catalog/2006-10-31"><product product-id="V1"><ean>4006381333931</ean><online-flag>true</online-flag><custom-attributes><custom-attribute attribute-id="color">C1</custom-attribute><custom-attribute attribute-id="size">S</custom-attribute></custom-attributes></product><product product-id="M"><display-name xml:lang="x-default">Jacket</display-name><display-name xml:lang="de">Jacke</display-name><brand>Nord</brand><online-flag>true</online-flag><images><image-group view-type="small"><image path="s.jpg"/></image-group><image-group view-type="large"><image path="m.jpg"/></image-group><image-group view-type="large"><variation attribute-id="color" value="C1"/><image path="r.jpg"/><image path="r2.jpg"/></image-group><image-group view-type="large"><variation attribute-id="color" value="C2"/><image path="b.jpg"/></image-group><image-group view-type="swatch"><variation attribute-id="color" value="C2"/><image path="sw.jpg"/></image-group></images><variations><attributes><variation-attribute attribute-id="color"><variation-attribute-values><variation-attribute-value value="C1"><display-value>Red</display-value></variation-attribute-value><variation-attribute-value value="C2"><display-value>Blue</display-value></variation-attribute-value></variation-attribute-values></variation-attribute><variation-attribute attribute-id="size"/></attributes><variants><variant product-id="V1"/><variant product-id="V2"/><variant product-id="V3"/><variant product-id="V4"/></variants></variations></product><product product-id="V2"><online-flag>true</online-flag><custom-attributes><custom-attribute attribute-id="color">C1</custom-attribute><custom-attribute attribute-id="size">M</custom-attribute></custom-attributes></product><product product-id="V3"><online-flag>true</online-flag><custom-attributes><custom-attribute attribute-id="color">C2</custom-attribute></custom-attributes></product><product product-id="V4"><online-flag>false</online-flag></product><product product-id="H"><display-name>Hat</display-name><images><image-group view-type="large"><image path="h.jpg"/></image-group></images></product></catalog>
      """#,
      [
        "H | Hat | - | - | - | - | 1",
        "M | Jacket | - | - | - | Nord | 1",
        "V1 | Jacket | - | - | Red | Nord | 2",
        "V3 | Jacket | - | - | Blue | Nord | 1",
      ]),
    Shop(
      "CommerceML",
      #"""
      <КоммерческаяИнформация><Каталог><Товары><Товар><Ид>1</Ид><Штрихкод>4006381333931</Штрихкод><Артикул>N</Артикул><Наименование>Кружка</Наименование><Картинка>a.jpg</Картинка><Картинка>b.jpg</Картинка><Изготовитель><Ид>9</Ид><Наименование>Nord</Наименование></Изготовитель></Товар></Товары></Каталог></КоммерческаяИнформация>
      """#,
      [
        "1 | Кружка | - | - | - | Nord | 2"
      ]),
    Shop(
      "Other XML, in two languages",
      #"""
      <products><product id="1"><name lang="en">Mug</name><name lang="de">Becher</name><price currency="USD">9.90</price><color>Red</color><color>Blue</color><images><image>a.jpg</image><image>b.jpg</image></images><available>no</available></product></products>
      """#,
      [
        "1 | Mug | 9.90 | outOfStock | Red, Blue | - | 2"
      ]),
    Shop(
      "A catalogue that is not of Salesforce",
      #"""
      <catalog><product><product_url>https://s.example/1</product_url><designation>Tasse</designation><price>14.90</price><image_url>a.jpg</image_url><in_stock>N</in_stock></product></catalog>
      """#,
      [
        "https://s.example/1 | Tasse | 14.90 | outOfStock | - | - | 1"
      ]),
    Shop(
      "Árukereső",
      #"""
      <products><product><identifier>A1</identifier><manufacturer>Nord</manufacturer><name>Bögre</name><price>14 990</price><image_url>a.jpg</image_url><image_url_2>b.jpg</image_url_2><productnumber>N</productnumber></product></products>
      """#,
      [
        "A1 | Bögre | 14990 | - | - | Nord | 2"
      ]),
    Shop(
      "Shopify",
      #"""
      Handle,Title,Vendor,Published,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Compare At Price,Image Src,Variant Image,Status
      tee,Tee,Nord,true,Farbe,Rot,R,shopify,3,19.90,29.90,r.jpg,r.jpg,active
      tee,,,,,Blau,B,shopify,0,18.90,,b.jpg,b.jpg,
      off,Off,Nord,true,,,O,,,9,,,,draft
      """#,
      [
        "tee/blau | Tee | 18.90 | outOfStock | Blau | Nord | 1",
        "tee/rot | Tee | 19.90 | inStock | Rot | Nord | 1",
      ]),
    Shop(
      "Shopify GraphQL",
      #"""
      {"data":{"products":{"edges":[{"node":{"id":"gid://shopify/Product/1","title":"Tee","handle":"tee","vendor":"Nord","status":"ACTIVE","images":{"edges":[{"node":{"url":"r.jpg"}},{"node":{"url":"b.jpg"}}]},"variants":{"edges":[{"node":{"sku":"R","price":"19.90","inventoryQuantity":3,"selectedOptions":[{"name":"Color","value":"Red"}],"image":{"url":"r.jpg"}}},{"node":{"sku":"B","price":{"amount":"21.90","currencyCode":"EUR"},"availableForSale":false,"selectedOptions":[{"name":"Color","value":"Blue"}],"image":{"url":"b.jpg"}}}]}}}]}}}
      """#,
      [
        "tee/blue | Tee | 21.90 | outOfStock | Blue | Nord | 1",
        "tee/red | Tee | 19.90 | inStock | Red | Nord | 1",
      ]),
    Shop(
      "Magento",
      #"""
      sku,store_view_code,attribute_set_code,product_type,name,product_online,price,special_price,base_image,additional_images,is_in_stock,configurable_variations,additional_attributes
      R,,Default,simple,Mug red,1,14.90,9.90,r.jpg,r2.jpg,1,,"color=Red"
      B,,Default,simple,Mug blue,1,15.90,,b.jpg,,0,,color=Blue
      M,,Default,configurable,Mug,1,,,m.jpg,,1,"sku=R,color=Red|sku=B,color=Blue",
      M,de,Default,configurable,Becher,,,,,,,,
      O,,Default,simple,Off,2,9,,,,1,,
      """#,
      [
        "B | Mug | 15.90 | outOfStock | Blue | - | 1",
        "M | Mug | 14.90 | inStock | - | - | 1",
        "R | Mug | 9.90 | inStock | Red | - | 2",
      ]),
    Shop(
      "Magento REST",
      #"""
      {"items":[{"id":1,"sku":"R","name":"Mug","attribute_set_id":4,"price":14.9,"status":1,"type_id":"simple","extension_attributes":{"stock_item":{"qty":3,"is_in_stock":true}},"media_gallery_entries":[{"media_type":"image","file":"/m/r.jpg"}],"custom_attributes":[{"attribute_code":"image","value":"/m/r.jpg"},{"attribute_code":"color","value":"Red"},{"attribute_code":"special_price","value":"9.90"},{"attribute_code":"manufacturer","value":"Nord"}]},{"id":2,"sku":"O","name":"Off","attribute_set_id":4,"price":9,"status":2,"type_id":"simple"}]}
      """#,
      [
        "R | Mug | 9.90 | inStock | Red | Nord | 1"
      ]),
    Shop(
      "BigCommerce REST, nothing tracked",
      #"""
      {"data":[{"id":77,"name":"Shirt","sku":"S","price":25,"sale_price":20,"brand_name":"Nord","availability":"available","inventory_tracking":"none","is_visible":true,"images":[{"url_zoom":"z.jpg","url_standard":"s.jpg","url_thumbnail":"t.jpg"}],"variants":[{"sku":"R","price":null,"inventory_level":0,"image_url":"r.jpg","option_values":[{"label":"Red","option_display_name":"Color"}]},{"sku":"B","price":27,"inventory_level":0,"image_url":"b.jpg","option_values":[{"label":"Blue","option_display_name":"Color"}]}]},{"id":78,"name":"Off","sku":"O","is_visible":false}]}
      """#,
      [
        "77 | Shirt | 20 | inStock | - | Nord | 1",
        "B | Shirt | 27 | inStock | Blue | Nord | 1",
        "R | Shirt | 20 | inStock | Red | Nord | 1",
      ]),
    Shop(
      "Squarespace",
      #"""
      Product ID [Non Editable],Variant ID [Non Editable],Title,SKU,Option Name 1,Option Value 1,Price,Sale Price,On Sale,Stock,Visible,Hosted Image URLs
      5f1,v1,Mug,R,Color,Red,14.90,9.90,Yes,3,Yes,https://i.example/1.jpg https://i.example/2.jpg
      ,v2,,B,Color,Blue,15.90,12.00,No,Unlimited,,
      5f2,v3,Hidden,H,,,5.00,0.00,No,0,No,
      """#,
      [
        "5f1 | Mug | 14.90 | - | - | - | 2",
        "B | Mug | 15.90 | inStock | Blue | - | 0",
        "R | Mug | 9.90 | inStock | Red | - | 0",
      ]),
    Shop(
      "eBay",
      #"""
      *Action(SiteID=US|Currency=USD|Version=1193),CustomLabel,*Title,C:Brand,C:Color,*StartPrice,*Quantity,PicURL,Relationship,RelationshipDetails
      Add,MUG,Mug,Nord,,,,a.jpg|b.jpg,,Color=Red;Blue
      ,R,,,,14.90,3,Red=r.jpg,Variation,Color=Red
      ,B,,,,15.90,0,Blue=b.jpg,Variation,Color=Blue
      """#,
      [
        "B | Mug | 15.90 | outOfStock | Blue | Nord | 1",
        "MUG | Mug | 14.90 | - | - | Nord | 2",
        "R | Mug | 14.90 | inStock | Red | Nord | 1",
      ]),
    Shop(
      "Amazon",
      #"""
      TemplateType=x\#tVersion=1\#t\#t\#t\#t\#t\#t\#t\#t
      SKU\#tCode\#tType\#tName\#tBrand\#tPrice\#tQty\#tImage\#tParent\#tColor
      item_sku\#texternal_product_id\#texternal_product_id_type\#titem_name\#tbrand_name\#tstandard_price\#tquantity\#tmain_image_url\#tparent_sku\#tcolor_name
      S\#t\#t\#tShirt\#tNord\#t\#t\#tp.jpg\#t\#t
      R\#t4006381333931\#tEAN\#tShirt red\#tNord\#t19.90\#t3\#tr.jpg\#tS\#tRed
      B\#t4006381333948\#tEAN\#tShirt blue\#tNord\#t21.90\#t0\#tb.jpg\#tS\#tBlue
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | Nord | 1",
        "R | Shirt | 19.90 | inStock | Red | Nord | 1",
        "S | Shirt | 19.90 | - | - | Nord | 1",
      ]),
    Shop(
      "Ecwid REST",
      #"""
      {"items":[{"id":5001,"sku":"M","name":"Mug","price":14.9,"quantity":5,"enabled":true,"imageUrl":"m.jpg","options":[{"type":"RADIO","name":"Color","choices":[{"text":"Red"},{"text":"Blue"}]}],"combinations":[{"options":[{"name":"Color","value":"Red"}],"sku":"R","price":14.9,"quantity":3,"imageUrl":"r.jpg"},{"options":[{"name":"Color","value":"Blue"}],"sku":"B","price":15.9,"quantity":0,"imageUrl":"b.jpg"}],"attributes":[{"name":"Brand","value":"Nord"}]},{"id":5002,"sku":"O","name":"Off","enabled":false}]}
      """#,
      [
        "5001 | Mug | 14.9 | inStock | - | Nord | 1",
        "B | Mug | 15.9 | outOfStock | Blue | Nord | 1",
        "R | Mug | 14.9 | inStock | Red | Nord | 1",
      ]),
    Shop(
      "Shopware 6",
      #"""
      id;parent_id;product_number;active;stock;name;translations.DEFAULT.name;price_net;price_gross;cover_media_url;media;manufacturer_name
      a1;;SW1;1;12;;Becher;12.52;14.90;https://i.example/1.jpg;https://i.example/2.jpg|https://i.example/3.jpg;Nord
      a2;a1;SW1.1;1;5;;;;;https://i.example/4.jpg;;
      a3;;SW2;0;5;;Aus;;9;;;
      """#,
      [
        "a1 | Becher | 14.90 | inStock | - | Nord | 4"
      ]),
    Shop(
      "Vendure GraphQL",
      #"""
      {"data":{"products":{"items":[{"id":"1","name":"Shirt","slug":"shirt","enabled":true,"assets":[{"preview":"f.jpg"}],"variants":[{"sku":"R","name":"Shirt Red","price":1990,"priceWithTax":2368,"currencyCode":"EUR","stockLevel":"IN_STOCK","options":[{"name":"Red","group":{"name":"Color"}}],"featuredAsset":{"preview":"r.jpg","source":"r-source.jpg"}},{"sku":"B","price":2190,"priceWithTax":2606,"currencyCode":"EUR","stockLevel":"OUT_OF_STOCK","options":[{"name":"Blue","group":{"name":"Color"}}],"featuredAsset":{"preview":"b.jpg"}}]}]}}}
      """#,
      [
        "1 | Shirt | 23.68 | - | - | - | 1",
        "B | Shirt | 26.06 | outOfStock | Blue | - | 1",
        "R | Shirt | 23.68 | inStock | Red | - | 1",
      ]),
    Shop(
      "Etsy REST",
      #"""
      {"results":[{"listing_id":123,"title":"Hand &quot;made&quot; mug","state":"active","quantity":3,"price":{"amount":1490,"divisor":100,"currency_code":"EUR"},"images":[{"url_75x75":"https://i.example/75.jpg","url_170x135":"https://i.example/170.jpg","url_fullxfull":"https://i.example/full.jpg"}]},{"listing_id":124,"title":"Draft","state":"draft"}]}
      """#,
      [
        "123 | Hand \"made\" mug | 14.90 | inStock | - | - | 1"
      ]),
    Shop(
      "Saleor",
      #"""
      id,name,category slug,variant id,variant sku,product media,variant media,Default (channel currency code),Default (price amount),Default (published),color (variant attribute)
      P1,Shirt,shirts,v1,R,https://i.example/1.jpg,https://i.example/r.jpg,EUR,19.90,True,Red
      P1,Shirt,shirts,v2,B,https://i.example/1.jpg,https://i.example/b.jpg,EUR,21.90,True,Blue
      P2,Off,shirts,v3,O,,,EUR,9,False,
      """#,
      [
        "B | Shirt | 21.90 | - | Blue | - | 1",
        "P1 | Shirt | 19.90 | - | - | - | 1",
        "R | Shirt | 19.90 | - | Red | - | 1",
      ]),
    Shop(
      "Saleor GraphQL",
      #"""
      {"data":{"products":{"edges":[{"node":{"id":"P1","name":"Shirt","isAvailable":true,"description":"{\"blocks\":[{\"data\":{\"text\":\"Soft\"}}]}","media":[{"url":"1.jpg"}],"pricing":{"priceRange":{"start":{"gross":{"amount":19.9,"currency":"EUR"}}}},"variants":[{"id":"v1","sku":"R","quantityAvailable":3,"pricing":{"price":{"gross":{"amount":19.9,"currency":"EUR"}}},"media":[{"url":"r.jpg"}],"attributes":[{"attribute":{"name":"Color"},"values":[{"name":"Red"}]}]},{"id":"v2","sku":"B","quantityAvailable":0,"pricing":{"price":{"gross":{"amount":21.9,"currency":"EUR"}}},"media":[{"url":"b.jpg"}],"attributes":[{"attribute":{"name":"Color"},"values":[{"name":"Blue"}]}]}]}}]}}}
      """#,
      [
        "B | Shirt | 21.9 | outOfStock | Blue | - | 1",
        "P1 | Shirt | 19.9 | inStock | - | - | 1",
        "R | Shirt | 19.9 | inStock | Red | - | 1",
      ]),
    Shop(
      "Medusa",
      #"""
      Product Id;Product Handle;Product Title;Product Status;Variant Id;Variant SKU;Variant Inventory Quantity;Price EUR;Option 1 Name;Option 1 Value;Image 1 Url
      P1;shirt;Shirt;published;v1;R;3;19.90;Color;Red;r.jpg
      P1;shirt;Shirt;published;v2;B;0;21.90;Color;Blue;b.jpg
      P2;off;Off;draft;v3;O;1;9;;;
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | - | 1",
        "R | Shirt | 19.90 | inStock | Red | - | 1",
      ]),
    Shop(
      "Medusa 1 REST",
      #"""
      {"products":[{"id":"P1","title":"Shirt","handle":"shirt","status":"published","images":[{"url":"1.jpg"}],"options":[{"id":"o1","title":"Color"}],"variants":[{"id":"v1","sku":"R","inventory_quantity":3,"prices":[{"currency_code":"eur","amount":1990,"region_id":null}],"options":[{"option_id":"o1","value":"Red"}]},{"id":"v2","sku":"B","inventory_quantity":0,"prices":[{"currency_code":"eur","amount":2190,"region_id":null}],"options":[{"option_id":"o1","value":"Blue"}]}]},{"id":"P2","title":"Off","status":"draft"}]}
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | - | 0",
        "P1 | Shirt | 19.90 | - | - | - | 1",
        "R | Shirt | 19.90 | inStock | Red | - | 0",
      ]),
    Shop(
      "commercetools",
      #"""
      {"results":[{"id":"P1","key":"shirt","productType":{"id":"x"},"masterData":{"published":true,"current":{"name":{"de-DE":"Hemd","fr-FR":"Chemise"},"masterVariant":{"id":1,"sku":"R","prices":[{"value":{"currencyCode":"EUR","centAmount":990,"fractionDigits":2},"customerGroup":{"id":"g"}},{"value":{"currencyCode":"EUR","centAmount":1990,"fractionDigits":2}}],"images":[{"url":"r.jpg","dimensions":{"w":1}}],"attributes":[{"name":"color","value":{"key":"red","label":"Rot"}}]},"variants":[{"id":2,"sku":"B","prices":[{"value":{"currencyCode":"EUR","centAmount":5,"fractionDigits":2}}],"images":[{"url":"b.jpg"}],"attributes":[{"name":"color","value":{"key":"blue","label":"Blau"}}]}]}}}]}
      """#,
      [
        "B | Hemd | 0.05 | - | Blau | - | 1",
        "R | Hemd | 19.90 | - | Rot | - | 1",
      ]),
    Shop(
      "Shoptet",
      #"""
      code;pairCode;name;price;standardPrice;currency;manufacturer;defaultImage;image2;stock;productVisibility;variant:Barva
      R;77;Hrnek;249,00;299,00;CZK;Nord;https://i.example/1.jpg;https://i.example/2.jpg;5;visible;červená
      B;77;Hrnek;249,00;;CZK;Nord;https://i.example/3.jpg;;0;visible;modrá
      O;;Skrytý;9,00;;CZK;Nord;;;1;hidden;
      """#,
      [
        "B | Hrnek | 249.00 | outOfStock | modrá | Nord | 1",
        "R | Hrnek | 249.00 | inStock | červená | Nord | 2",
      ]),
    Shop(
      "InSales",
      #"""
      ID товара;Название товара;Видимость на витрине;Изображения;Свойство: Цвет;ID варианта;Артикул;Штрих-код;Цена продажи;Остаток;Изображения варианта;Параметр: Бренд
      1;Кружка;выставлен;https://i.example/1.jpg;красный;11;R;4006381333931;1290;5;https://i.example/r.jpg;Nord
      1;Кружка;выставлен;https://i.example/1.jpg;синий;12;B;;1290;0;https://i.example/b.jpg;Nord
      2;Скрыт;скрыт;;;13;S;;5;1;;
      """#,
      [
        "1 | Кружка | 1290 | inStock | - | Nord | 1",
        "B | Кружка | 1290 | outOfStock | синий | Nord | 1",
        "R | Кружка | 1290 | inStock | красный | Nord | 1",
      ]),
    Shop(
      "Tilda",
      #"""
      Tilda UID;Brand;SKU;Title;Photo;Price;Quantity;Editions;Parent UID
      1;Nord;M;Кружка;https://i.example/1.jpg;;;;
      2;;R;Кружка;https://i.example/r.jpg;1290;5;Цвет:красный;1
      3;;B;Кружка;https://i.example/b.jpg;1290;0;Цвет:синий;1
      """#,
      [
        "B | Кружка | 1290 | outOfStock | синий | Nord | 1",
        "M | Кружка | 1290 | - | - | Nord | 1",
        "R | Кружка | 1290 | inStock | красный | Nord | 1",
      ]),
    Shop(
      "Lightspeed",
      #"""
      Internal_ID,Internal_Variant_ID,Visible,NL_Title_Short,NL_Title_Long,EN_Title_Long,Brand,Images,Variant_Image,Price,Price_Old,Stock_Level,SKU,NL_Variant
      1,11,Y,Mok,Mok emaille,Mug,Nord,https://i.example/1.jpg,https://i.example/r.jpg,14.90,19.90,4,R,"Kleur: Rood, Maat: M"
      1,12,Y,Mok,Mok emaille,Mug,Nord,https://i.example/1.jpg,https://i.example/b.jpg,14.90,,0,B,"Kleur: Blauw, Maat: M"
      2,13,N,Uit,,,Nord,,,9,,1,O,
      """#,
      [
        "1 | Mok emaille | 14.90 | inStock | - | Nord | 1",
        "B | Mok emaille | 14.90 | outOfStock | Blauw | Nord | 1",
        "R | Mok emaille | 14.90 | inStock | Rood | Nord | 1",
      ]),
    Shop(
      "JTL",
      #"""
      Artikelnummer;Artikelname;GTIN;Hersteller;Brutto-VK;UVP;Lagerbestand Gesamt;Bild 1 Pfad/URL;Aktiv;Variationsname 1;Variationswertname 1;Identifizierungsspalte Vaterartikel
      V;Becher;;Nord;14,90;19,90;10;https://i.example/v.jpg;Y;;;
      R;Becher rot;4006381333931;Nord;14,90;19,90;4;https://i.example/r.jpg;Y;Farbe;rot;V
      B;Becher blau;4006381333948;Nord;15,90;19,90;0;https://i.example/b.jpg;Y;Farbe;blau;V
      O;Aus;;Nord;9;;1;;N;;;
      """#,
      [
        "B | Becher | 15.90 | outOfStock | blau | Nord | 1",
        "R | Becher | 14.90 | inStock | rot | Nord | 1",
        "V | Becher | 14.90 | inStock | - | Nord | 1",
      ]),
    Shop(
      "Gambio",
      #"""
      XTSOL|p_id|p_model|p_stock|p_priceNoTax|p_status|p_manufacturer|p_image|p_image.1|p_name.de|p_name.en
      XTSOL|1|B-1|10|12.50|1|Nord|a.jpg|b.jpg|Becher|Mug
      XTSOL|2|B-2|0|8.40|0|Nord|||Aus|Off
      """#,
      [
        "1 | Becher | 12.50 | inStock | - | Nord | 2"
      ]),
    Shop(
      "Prom.ua",
      #"""
      Код_товару;Назва_позиції;Назва_позиції_укр;Ціна;Валюта;Посилання_зображення;Наявність;Унікальний_ідентифікатор;Виробник;ID_групи_різновидів;Назва_Характеристики;Одиниця_виміру_Характеристики;Значення_Характеристики;Назва_Характеристики;Одиниця_виміру_Характеристики;Значення_Характеристики
      N1;Кружка красная;Кухоль червоний;149,90;UAH;https://i.example/1.jpg, https://i.example/2.jpg;+;9001;Nord;77;Матеріал;;сталь;Колір;;червоний
      N2;Кружка синяя;Кухоль синій;149,90;UAH;https://i.example/3.jpg;-;9002;Nord;77;Матеріал;;сталь;Колір;;синій
      """#,
      [
        "9001 | Кружка красная | 149.90 | inStock | червоний | Nord | 2",
        "9002 | Кружка синяя | 149.90 | outOfStock | синій | Nord | 1",
      ]),
    Shop(
      "PrestaShop",
      #"""
      Product ID;Active (0/1);Name *;Price tax excluded;Unit price;Manufacturer;Quantity;Image URLs (x,y,z...)
      1;1;Mug;12.50;99;Nord;3;https://i.example/1.jpg,https://i.example/2.jpg
      2;0;Off;9;;Nord;1;
      """#,
      [
        "1 | Mug | 12.50 | inStock | - | Nord | 2"
      ]),
    Shop(
      "idealo in French",
      #"""
      Référence article dans la boutique;EAN / GTIN / Code-barres;Marque / Fabricant;Nom du produit;Prix (TTC);Catégorie de produits;URL_image_1;URL_image_2;Couleur
      A1;4006381333931;Nord;Tasse;1.299,00;Maison > Tasses;https://i.example/1.jpg;https://i.example/2.jpg;Rouge
      """#,
      [
        "A1 | Tasse | 1299.00 | - | Rouge | Nord | 2"
      ]),
    Shop(
      "idealo in Spanish",
      #"""
      SKU (número de artículo);EAN;MPN;Marca;Nombre del producto;Precio (IVA incl.);Enlace a la imagen_1;Color
      A1;4006381333931;N-1;Nord;Taza;1.299,00;https://i.example/1.jpg;Rojo
      """#,
      [
        "A1 | Taza | 1299.00 | - | Rojo | Nord | 1"
      ]),
    Shop(
      "idealo in Italian",
      #"""
      Numero articolo nello shop;Codice originale del produttore (HAN/MPN);Produttore / Marca;Nome del prodotto;Prezzo (lordo);URL immagine_1;Colore
      A1;N-1;Nord;Tazza;1.299,00;https://i.example/1.jpg;Rosso
      """#,
      [
        "A1 | Tazza | 1299.00 | - | Rosso | Nord | 1"
      ]),
    Shop(
      "OpenCart",
      #"""
      product_id,name(en-gb),name(de-de),sku,quantity,model,manufacturer,image_name,price,status
      42,Mug,Becher,,3,M-1,Nord,a.jpg,14.90,true
      43,Off,Aus,,0,M-2,Nord,b.jpg,4.90,false
      """#,
      [
        "42 | Mug | 14.90 | inStock | - | Nord | 1"
      ]),
    Shop(
      "Ozon",
      #"""
      Артикул*;Название товара;Цена, руб.*;Штрихкод (Серийный номер / EAN);Ссылка на главное фото*;Ссылки на дополнительные фото;Бренд*;Цвет товара
      R;Кружка;1290;4006381333931;https://i.example/1.jpg;https://i.example/2.jpg https://i.example/3.jpg;Nord;красный
      """#,
      [
        "R | Кружка | 1290 | - | красный | Nord | 3"
      ]),
    Shop(
      "Rakuten Ichiba",
      #"""
      商品番号,商品名,販売価格,在庫数,商品画像パス1,商品画像パス2,ブランド,カラー
      R,マグカップ,1490,5,https://i.example/1.jpg,https://i.example/2.jpg,Nord,赤
      """#,
      [
        "R | マグカップ | 1490 | inStock | 赤 | Nord | 2"
      ]),
    Shop(
      "Trendyol",
      #"""
      Barkod;Marka;Ürün Adı;Piyasa Satış Fiyatı (KDV Dahil);Trendyol'da Satılacak Fiyat (KDV Dahil);Ürün Stok Adedi;Stok Kodu;Görsel 1;Ürün Rengi
      4006381333931;Nord;Kupa;199,90;149,90;0;R;https://i.example/1.jpg;Kırmızı
      """#,
      [
        "R | Kupa | 149.90 | outOfStock | Kırmızı | Nord | 1"
      ]),
    Shop(
      "Columns that only their values tell",
      #"""
      sku,name,Main Foto Xyz,Variation 1
      1,Mug,https://i.example/1?x=2,Red
      2,Cup,https://i.example/2?x=2,Dark blue
      """#,
      [
        "1 | Mug | - | - | Red | - | 1",
        "2 | Cup | - | - | Dark blue | - | 1",
      ]),
    Shop(
      "XML with variants as elements",
      #"""
      <products><product><id>1</id><name>Shirt</name><brand>Nord</brand><variants><variant><sku>R</sku><color>Red</color><size>S</size><price>19.90</price><stock>3</stock><image>https://i.example/r.jpg</image></variant><variant><sku>B</sku><color>Blue</color><size>M</size><price>21.90</price><stock>0</stock><image>https://i.example/b.jpg</image></variant></variants></product></products>
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | Nord | 1",
        "R | Shirt | 19.90 | inStock | Red | Nord | 1",
      ]),
    Shop(
      "XML with variants as attributes",
      #"""
      <catalog><item id="1"><title>Shirt</title><variants><variant sku="R" color="Red" price="19.90" stock="3" image="https://i.example/r.jpg"/><variant sku="B" color="Blue" price="21.90" stock="0" image="https://i.example/b.jpg"/></variants></item><item id="2"><title>Hat</title><price>9</price><variant>One</variant></item></catalog>
      """#,
      [
        "2 | Hat | 9 | - | - | - | 0",
        "B | Shirt | 21.90 | outOfStock | Blue | - | 1",
        "R | Shirt | 19.90 | inStock | Red | - | 1",
      ]),
    Shop(
      "Shoptet, XML",
      #"""
      <SHOP><SHOPITEM id="12"><NAME>Hrnek</NAME><MANUFACTURER>Nord</MANUFACTURER><CATEGORIES><CATEGORY id="1">Hrnky</CATEGORY></CATEGORIES><IMAGES><IMAGE description="x">https://i.example/1.jpg</IMAGE></IMAGES><VISIBILITY>visible</VISIBILITY><CURRENCY>CZK</CURRENCY><VARIANTS><VARIANT id="31"><CODE>R</CODE><EAN>4006381333931</EAN><PRICE_VAT>249</PRICE_VAT><STOCK><AMOUNT>5</AMOUNT></STOCK><AVAILABILITY_IN_STOCK>Skladem</AVAILABILITY_IN_STOCK><PARAMETERS><PARAMETER><NAME>Barva</NAME><VALUE>červená</VALUE></PARAMETER></PARAMETERS><IMAGE_REF>https://i.example/r.jpg</IMAGE_REF></VARIANT><VARIANT id="32"><CODE>B</CODE><PRICE_VAT>259</PRICE_VAT><STOCK><AMOUNT>0</AMOUNT></STOCK><PARAMETERS><PARAMETER><NAME>Barva</NAME><VALUE>modrá</VALUE></PARAMETER></PARAMETERS><IMAGE_REF>https://i.example/b.jpg</IMAGE_REF></VARIANT></VARIANTS></SHOPITEM><SHOPITEM id="13"><NAME>Skrytý</NAME><CODE>S</CODE><PRICE_VAT>9</PRICE_VAT><VISIBILITY>hidden</VISIBILITY></SHOPITEM></SHOP>
      """#,
      [
        "12 | Hrnek | 249 | - | - | Nord | 1",
        "B | Hrnek | 259 | outOfStock | modrá | Nord | 1",
        "R | Hrnek | 249 | inStock | červená | Nord | 1",
      ]),
    Shop(
      "Parameters with names and values in elements",
      #"""
      <products><product><id>1</id><title>Mug</title><price>9.90</price><attributes><attribute><name>Farbe</name><value>rot</value></attribute><attribute><name>Größe</name><value>M</value></attribute></attributes><pictures><picture><url>https://i.example/1.jpg</url></picture><picture><url>https://i.example/2.jpg</url></picture></pictures><stock><quantity>0</quantity></stock></product><product><id>2</id><title>Cup</title><price>9.90</price></product></products>
      """#,
      [
        "1 | Mug | 9.90 | outOfStock | rot | - | 2",
        "2 | Cup | 9.90 | - | - | - | 0",
      ]),
    Shop(
      "WooCommerce with a Turkish capital",
      #"""
      Kimlik,Tür,Stok kodu (SKU),İsim,Yayımlanmış,Stokta?,Normal fiyat,Görseller
      1,simple,M,Kupa,1,1,14.90,https://i.example/1.jpg
      2,simple,O,Kapalı,0,1,9,
      """#,
      [
        "M | Kupa | 14.90 | inStock | - | - | 1"
      ]),
    Shop(
      "Allegro",
      #"""
      ID oferty;Tytuł oferty;Cena;Liczba sztuk;Zdjęcia;Marka;Sygnatura/SKU;EAN;Status oferty
      111;Kubek;29,99;5;https://i.example/1.jpg;Nord;K1;5901234123457;Aktywna
      112;Miska;19,99;0;;Nord;K2;;Zakończona
      """#,
      [
        "111 | Kubek | 29.99 | inStock | - | Nord | 1"
      ]),
    Shop(
      "Kaufland",
      #"""
      ean;title;manufacturer;picture;picture;id_offer;count
      4006381333931;Becher;Nord;https://i.example/1.jpg;https://i.example/2.jpg;K1;0
      """#,
      [
        "K1 | Becher | - | outOfStock | - | Nord | 2"
      ]),
    Shop(
      "OTTO",
      #"""
      {"productVariations":[{"productReference":"G1","sku":"O1","ean":"4006381333931","productDescription":{"category":"Becher","brand":"Nord","attributes":[{"name":"Farbe","values":["rot"]}],"description":"Gut"},"mediaAssets":[{"type":"IMAGE","location":"https://i.example/1.jpg"}],"pricing":{"standardPrice":{"amount":14.9,"currency":"EUR"},"sale":{"salePrice":{"amount":9.9,"currency":"EUR"}}},"productName":"Becher"}]}
      """#,
      [
        "O1 | Becher | 14.9 | - | - | - | 1"
      ]),
    Shop(
      "JSON:API",
      #"""
      {"data":[{"type":"products","id":"1","attributes":{"name":"Mug","price":"14.90","sku":"M","available":true},"relationships":{}},{"type":"products","id":"2","attributes":{"name":"Bowl","price":"9.90","sku":"B"}}]}
      """#,
      [
        "1 | Mug | 14.90 | inStock | - | - | 0",
        "2 | Bowl | 9.90 | - | - | - | 0",
      ]),
    Shop(
      "Contentful",
      #"""
      {"items":[{"sys":{"id":"c1"},"fields":{"title":"Mug","price":14.9,"image":{"sys":{"id":"a1"}}}}]}
      """#,
      [
        "c1 | Mug | 14.9 | - | - | - | 0"
      ]),
    Shop(
      "Strapi",
      #"""
      {"data":[{"id":1,"attributes":{"name":"Mug","price":14.9,"images":{"data":[{"attributes":{"url":"https://i.example/1.jpg"}}]}}}]}
      """#,
      [
        "1 | Mug | 14.9 | - | - | - | 1"
      ]),
    Shop(
      "Elasticsearch",
      #"""
      {"hits":{"total":1,"hits":[{"_index":"p","_id":"1","_source":{"id":"1","name":"Mug","price":14.9,"image":"https://i.example/1.jpg","brand":"Nord","in_stock":false}}]}}
      """#,
      [
        "1 | Mug | 14.9 | outOfStock | - | Nord | 1"
      ]),
    Shop(
      "A page of Squarespace",
      #"""
      {"items":[{"id":"5f","title":"Mug","urlId":"mug","fullUrl":"/shop/mug","assetUrl":"https://i.example/1.jpg","items":[{"assetUrl":"https://i.example/2.jpg"}],"variants":[{"id":"v","sku":"M","price":1490,"qtyInStock":3,"unlimited":false}]}]}
      """#,
      [
        "5f | Mug | 14.90 | inStock | - | - | 1"
      ]),
    Shop(
      "The store interface of WooCommerce",
      #"""
      [{"id":1,"name":"Mug","slug":"mug","permalink":"https://s.example/mug","sku":"M","on_sale":true,"prices":{"price":"990","regular_price":"1490","sale_price":"990","currency_code":"EUR","currency_minor_unit":2},"images":[{"id":1,"src":"https://i.example/1.jpg","thumbnail":"https://i.example/t.jpg"}],"is_in_stock":true,"attributes":[{"name":"Color","terms":[{"name":"Red"}]}]}]
      """#,
      [
        "1 | Mug | 9.90 | inStock | Red | - | 1"
      ]),
    Shop(
      "Images as a database of tables writes them",
      #"""
      sku,name,Photo,price
      1,Mug,mug.jpg (https://dl.example/abc/mug.jpg),$9.90
      2,Cup,"a.jpg (https://dl.example/a.jpg),b.jpg (https://dl.example/b.jpg)",$8.90
      """#,
      [
        "1 | Mug | 9.90 | - | - | - | 1",
        "2 | Cup | 8.90 | - | - | - | 2",
      ]),
    Shop(
      "Elements in neutral ones",
      #"""
      <r><items><item><general><id>1</id><names><name lang="de">Tasse</name><name lang="en">Mug</name></names></general><media><images><image type="main"><url>https://i.example/1.jpg</url></image><image type="add"><url>https://i.example/2.jpg</url></image></images></media><pricing><price><amount>9.90</amount><currency>EUR</currency></price></pricing></item><item><general><id>2</id><names><name lang="de">Schale</name></names></general></item></items></r>
      """#,
      [
        "1 | Tasse | 9.90 | - | - | - | 2",
        "2 | Schale | - | - | - | - | 0",
      ]),
    Shop(
      "Formulas of a spreadsheet",
      #"""
      sku,name,image,price
      1,Mug,"=IMAGE(""https://i.example/1.jpg"")",9.90
      """#,
      [
        "1 | Mug | 9.90 | - | - | - | 1"
      ]),
    Shop(
      "Objects of images",
      #"""
      [{"id":1,"name":"Mug","images":{"main":"https://i.example/1.jpg","gallery":["https://i.example/2.jpg"]},"image":null},{"id":2,"name":"Cup","image":{"sizes":{"large":{"url":"https://i.example/l.jpg"}}}}]
      """#,
      [
        "1 | Mug | - | - | - | - | 2",
        "2 | Cup | - | - | - | - | 1",
      ]),
    Shop(
      "Values and images as attributes",
      #"""
      <shop><product><id>1</id><name>Mug</name><photo file="https://i.example/1.jpg" title="x"/><price value="9.90" currency="EUR"/><stock amount="5"/><param name="Color" value="red"/></product><product><id>2</id><name>Cup</name><pic big="https://i.example/b.jpg" small="https://i.example/s.jpg"/><price amount="8.90"/></product></shop>
      """#,
      [
        "1 | Mug | 9.90 | inStock | red | - | 1",
        "2 | Cup | 8.90 | - | - | - | 1",
      ]),
    Shop(
      "HTML as an image",
      #"""
      sku,name,image,price
      1,Mug,"<img src=""https://i.example/1.jpg"" alt=""x"">",9.90
      """#,
      [
        "1 | Mug | 9.90 | - | - | - | 1"
      ]),
    Shop(
      "Lists of JSON in cells",
      #"""
      sku,name,images,price,tags
      1,Mug,"[""https://i.example/1.jpg"",""https://i.example/2.jpg""]",9.90,"[""mug"",""cup""]"
      2,Cup,"[{""url"":""https://i.example/3.jpg""}]",8.90,"{""a"":1}"
      """#,
      [
        "1 | Mug | 9.90 | - | - | - | 2",
        "2 | Cup | 8.90 | - | - | - | 1",
      ]),
    Shop(
      "Products by their ids",
      #"""
      {"1":{"sku":"1","name":"Mug","price":9.9},"2":{"sku":"2","name":"Cup","price":8.9}}
      """#,
      [
        "1 | Mug | 9.9 | - | - | - | 0",
        "2 | Cup | 8.9 | - | - | - | 0",
      ]),
    Shop(
      "A list in objects",
      #"""
      {"shop":{"catalog":{"products":[{"sku":"1","names":{"default":"Mug"},"title":"Mug","media":{"images":[{"original":{"url":"https://i.example/1.jpg"}}]},"price":{"net":{"amount":8},"gross":{"amount":9.9,"currency":"EUR"}}}]}}}
      """#,
      [
        "1 | Mug | 9.9 | - | - | - | 1"
      ]),
  ]

  /// Would break if a part of a shop were lost, or if a draft were shown.
  @Test(arguments: habits) func `a shop with its habits`(shop: Shop) throws {
    try Self.check(shop)
  }

  private static func check(_ shop: Shop) throws {
    let export = try ReadExport(shop.text)
    #expect(export.products.map(seen).sorted() == shop.entities)
    #expect(export.warnings.isEmpty, "\(export.warnings)")
  }

  private static func salesforce(_ products: [String], categories: Int = 0) -> String {
    let rows = (0..<categories).map {
      "<category category-id=\"c\($0)\"><display-name>Category \($0)</display-name></category>\n"
    }
    return
      "<catalog xmlns=\"http://www.demandware.com/xml/impex/catalog/2006-10-31\">\(rows.joined())\(products.joined())</catalog>"
  }

  private static let master =
    "<product product-id=\"M\"><display-name>Hat</display-name><images><image-group view-type=\"large\"><variation attribute-id=\"color\" value=\"1\"/><image path=\"1.jpg\"/></image-group>"
    + "<image-group view-type=\"hi-res\"><variation attribute-id=\"color\" value=\"1\"/><image path=\"1-big.jpg\"/></image-group><image-group view-type=\"swatch\"><variation attribute-id=\"color\" value=\"2\"/><image path=\"2-swatch.jpg\"/></image-group>"
    + "<image-group variation-value=\"2\" view-type=\"medium\"><image path=\"2.jpg\"/></image-group></images><variations><attributes><variation-attribute attribute-id=\"color\"/><variation-attribute attribute-id=\"size\"/></attributes>"
    + "<variants><variant product-id=\"A\"/><variant product-id=\"B\"/><variant product-id=\"C\"/></variants><variation-groups><variation-group product-id=\"G\"/></variation-groups></variations></product>"

  private static func variant(_ id: String, _ color: String, _ size: String) -> String {
    "<product product-id=\"\(id)\"><custom-attributes><custom-attribute attribute-id=\"color\">\(color)</custom-attribute><custom-attribute attribute-id=\"size\">\(size)</custom-attribute></custom-attributes></product>"
  }

  /// Would break if the order of products mattered, if the images of one color were those of another, if a small size of an
  /// image or a swatch counted, or if the categories before the products hid the format.
  @Test(arguments: [0, 1, 2]) func `variants of Salesforce Commerce are anywhere`(turn: Int) throws
  {
    let all = [
      Self.master, Self.variant("B", "2", "S"), Self.variant("A", "1", "S"),
      "<product product-id=\"G\"/>", Self.variant("C", "2", "M"),
    ]
    let products = Array(all[turn...] + all[..<turn])
    let export = try ReadExport(Self.salesforce(products, categories: turn * 1000))
    #expect(export.products.map(\.id).sorted() == ["A", "B"])
    #expect(try export.product("A").images == ["1-big.jpg"])
    let second = try export.product("B")
    #expect(second.images == ["2.jpg"] && second.group == "M" && second.title == "Hat")
    #expect(second.attributes["size"] == "S, M" && export.warnings.isEmpty)
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  /// Would break if a variant whose master is in another file were lost without a word.
  @Test func `a variant without its master is reported`() throws {
    let export = try ReadExport(
      Self.salesforce([
        Self.variant("A", "1", "S"),
        "<product product-id=\"H\"><display-name>Hat</display-name></product>",
      ]))
    #expect(export.products.map(\.id) == ["H"] && export.warnings.map(\.id) == ["A"])
  }

  /// Would break if numbers of cents were euros, or euros cents.
  @Test(arguments: [
    (#""price":{"amount":1490,"divisor":100,"currency_code":"EUR"}"#, "14.90"),
    (#""price":{"amount":5,"divisor":100,"currency_code":"EUR"}"#, "0.05"),
    (#""price":{"centAmount":1490,"currencyCode":"JPY","fractionDigits":0}"#, "1490"),
    (
      #""prices":{"price":"1490","regular_price":"1990","currency_code":"EUR","currency_minor_unit":2}"#,
      "14.90"
    ),
    (#""prices":{"price":{"value":14.9,"currencyCode":"EUR"}}"#, "14.9"),
    (#""price_range":{"minimum_price":{"final_price":{"value":14.9,"currency":"EUR"}}}"#, "14.9"),
    (#""priceRange":{"minVariantPrice":{"amount":"14.90","currencyCode":"EUR"}}"#, "14.90"),
    (#""price":{"amount":"14.90","currency":"EUR"}"#, "14.90"), (#""price":14.9"#, "14.9"),
  ]) func `a price in an object`(field: String, amount: String) throws {
    let export = try ReadExport(#"{"products":[{"id":"1","name":"Mug",\#(field)}]}"#)
    #expect(try export.product("1").price?.amount == amount)
  }

  /// Would break if a price whose unit nobody knows were shown, or left out without a word.
  @Test func `a price that may be cents is left out and reported`() throws {
    let export = try ReadExport(
      #"{"products":[{"id":"1","title":"Tee","variants":[{"id":"v","sku":"A","prices":[{"currency_code":"eur","amount":1990}]}]}]}"#
    )
    #expect(export.products.allSatisfy { $0.price == nil })
    #expect(export.warnings.contains { $0.reason.contains("cents") })
  }

  /// Would break if rows that translate others were products, or rejected as repeated.
  @Test func `rows that translate others are left out`() throws {
    let export = try ReadExport(
      "id,title,link,override\n1,Mug,https://s.example/1,\n1,Becher,https://s.example/1,de_DE\n")
    #expect(export.products.map(\.title) == ["Mug"] && export.warnings.isEmpty)
    #expect(export.leftOut.values.reduce(0, +) == 1)
  }

  /// Would break if a code under the name of another language found nothing.
  @Test(arguments: [
    "Barkod", "Штрих-код", "external_product_id", "EAN / GTIN / Code-barres", "JANコード",
  ])
  func `a code has many names`(name: String) throws {
    let export = try ReadExport("sku,name,\(name)\n1,Mug,4006381333931\n")
    #expect(try export.product("1").extra["gtin"] == .string("4006381333931"))
  }

  /// Would break if a code that a spreadsheet wrote as a decimal number found nothing.
  @Test func `a code has no decimals`() throws {
    let export = try ReadExport("sku,name,EAN13\n1,Mug,4006381333931.0\n2,Cup,12.0\n")
    #expect(try export.product("1").extra["EAN13"] == .string("4006381333931"))
    #expect(try export.product("2").extra["EAN13"] == .string("12.0"))
  }

  /// Would break if an empty cell in the column of ids meant a made-up id although another column has one.
  @Test func `an empty id is that of the next column for ids`() throws {
    let export = try ReadExport("product_id,sku,name\n7,,Mug\n8,C-1,Cup\n,,Tray\n")
    #expect(export.products.map(\.id) == ["7", "C-1", "tray"])
  }

  /// Would break if addresses of small images, of videos or of other things were images, or if a text were a color.
  @Test func `other columns stay what they are`() throws {
    let export = try ReadExport(
      "sku,name,image,Thumb image xyz,Video image,Brand image,Story\n1,Mug,a.jpg,https://i.example/t.jpg,https://i.example/v.jpg,https://i.example/l.jpg,Red wine\n"
        + "2,Cup,b.jpg,https://i.example/t.jpg,https://i.example/v.jpg,https://i.example/l.jpg,Made of clay\n"
    )
    #expect(export.products.map(\.images) == [["a.jpg"], ["b.jpg"]])
    #expect(export.products.allSatisfy { $0.attributes["color"] == nil })
  }
}
