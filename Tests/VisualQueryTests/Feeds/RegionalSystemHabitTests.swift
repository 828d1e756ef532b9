import Testing

@testable import ShopFeeds
import VisualQuery

/// The habits of whole shops in the exports of further shop systems and marketplaces, many of them of one country.
@Suite struct RegionalSystemHabitTests {
  private static let shops = [
    FeedShop(
      "commercetools",
      #"""
      {"results":[{"id":"P1","key":"shirt","productType":{"id":"x"},"masterData":{"published":true,"current":{"name":{"de-DE":"Hemd","fr-FR":"Chemise"},"masterVariant":{"id":1,"sku":"R","prices":[{"value":{"currencyCode":"EUR","centAmount":990,"fractionDigits":2},"customerGroup":{"id":"g"}},{"value":{"currencyCode":"EUR","centAmount":1990,"fractionDigits":2}}],"images":[{"url":"r.jpg","dimensions":{"w":1}}],"attributes":[{"name":"color","value":{"key":"red","label":"Rot"}}]},"variants":[{"id":2,"sku":"B","prices":[{"value":{"currencyCode":"EUR","centAmount":5,"fractionDigits":2}}],"images":[{"url":"b.jpg"}],"attributes":[{"name":"color","value":{"key":"blue","label":"Blau"}}]}]}}}]}
      """#,
      [
        "B | Hemd | 0.05 | - | Blau | - | 1",
        "R | Hemd | 19.90 | - | Rot | - | 1",
      ]),
    FeedShop(
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
    FeedShop(
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
    FeedShop(
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
    FeedShop(
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
    FeedShop(
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
    FeedShop(
      "Gambio",
      #"""
      XTSOL|p_id|p_model|p_stock|p_priceNoTax|p_status|p_manufacturer|p_image|p_image.1|p_name.de|p_name.en
      XTSOL|1|B-1|10|12.50|1|Nord|a.jpg|b.jpg|Becher|Mug
      XTSOL|2|B-2|0|8.40|0|Nord|||Aus|Off
      """#,
      [
        "1 | Becher | 12.50 | inStock | - | Nord | 2"
      ]),
    FeedShop(
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
    FeedShop(
      "PrestaShop",
      #"""
      Product ID;Active (0/1);Name *;Price tax excluded;Unit price;Manufacturer;Quantity;Image URLs (x,y,z...)
      1;1;Mug;12.50;99;Nord;3;https://i.example/1.jpg,https://i.example/2.jpg
      2;0;Off;9;;Nord;1;
      """#,
      [
        "1 | Mug | 12.50 | inStock | - | Nord | 2"
      ]),
    FeedShop(
      "idealo in French",
      #"""
      Référence article dans la boutique;EAN / GTIN / Code-barres;Marque / Fabricant;Nom du produit;Prix (TTC);Catégorie de produits;URL_image_1;URL_image_2;Couleur
      A1;4006381333931;Nord;Tasse;1.299,00;Maison > Tasses;https://i.example/1.jpg;https://i.example/2.jpg;Rouge
      """#,
      [
        "A1 | Tasse | 1299.00 | - | Rouge | Nord | 2"
      ]),
    FeedShop(
      "idealo in Spanish",
      #"""
      SKU (número de artículo);EAN;MPN;Marca;Nombre del producto;Precio (IVA incl.);Enlace a la imagen_1;Color
      A1;4006381333931;N-1;Nord;Taza;1.299,00;https://i.example/1.jpg;Rojo
      """#,
      [
        "A1 | Taza | 1299.00 | - | Rojo | Nord | 1"
      ]),
    FeedShop(
      "idealo in Italian",
      #"""
      Numero articolo nello shop;Codice originale del produttore (HAN/MPN);Produttore / Marca;Nome del prodotto;Prezzo (lordo);URL immagine_1;Colore
      A1;N-1;Nord;Tazza;1.299,00;https://i.example/1.jpg;Rosso
      """#,
      [
        "A1 | Tazza | 1299.00 | - | Rosso | Nord | 1"
      ]),
    FeedShop(
      "OpenCart",
      #"""
      product_id,name(en-gb),name(de-de),sku,quantity,model,manufacturer,image_name,price,status
      42,Mug,Becher,,3,M-1,Nord,a.jpg,14.90,true
      43,Off,Aus,,0,M-2,Nord,b.jpg,4.90,false
      """#,
      [
        "42 | Mug | 14.90 | inStock | - | Nord | 1"
      ]),
    FeedShop(
      "Ozon",
      #"""
      Артикул*;Название товара;Цена, руб.*;Штрихкод (Серийный номер / EAN);Ссылка на главное фото*;Ссылки на дополнительные фото;Бренд*;Цвет товара
      R;Кружка;1290;4006381333931;https://i.example/1.jpg;https://i.example/2.jpg https://i.example/3.jpg;Nord;красный
      """#,
      [
        "R | Кружка | 1290 | - | красный | Nord | 3"
      ]),
    FeedShop(
      "Rakuten Ichiba",
      #"""
      商品番号,商品名,販売価格,在庫数,商品画像パス1,商品画像パス2,ブランド,カラー
      R,マグカップ,1490,5,https://i.example/1.jpg,https://i.example/2.jpg,Nord,赤
      """#,
      [
        "R | マグカップ | 1490 | inStock | 赤 | Nord | 2"
      ]),
    FeedShop(
      "Trendyol",
      #"""
      Barkod;Marka;Ürün Adı;Piyasa Satış Fiyatı (KDV Dahil);Trendyol'da Satılacak Fiyat (KDV Dahil);Ürün Stok Adedi;Stok Kodu;Görsel 1;Ürün Rengi
      4006381333931;Nord;Kupa;199,90;149,90;0;R;https://i.example/1.jpg;Kırmızı
      """#,
      [
        "R | Kupa | 149.90 | outOfStock | Kırmızı | Nord | 1"
      ]),
  ]

  /// Would break if a part of a shop were lost, or if a draft were shown.
  @Test(arguments: shops) func `a shop with its habits`(shop: FeedShop) throws {
    try shop.check()
  }
}
