import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.jsoup.Jsoup;
import org.yaml.snakeyaml.Yaml;

/** HTML, XML and its transformations by two engines, YAML. */
public class Markup {
  private static final String SHEET =
      """
      <xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>
      <xsl:template match="/list"><xsl:for-each select="item[@n mod 3 = 0]"><xsl:sort select="@n" data-type="number" order="descending"/>
      <xsl:value-of select="concat(@n, ':', translate(., 'abc', 'xyz'), ' ')"/></xsl:for-each>
      <xsl:call-template name="down"><xsl:with-param name="n" select="20"/></xsl:call-template></xsl:template>
      <xsl:template name="down"><xsl:param name="n"/><xsl:if test="$n > 0"><xsl:value-of select="$n * $n"/>,<xsl:call-template name="down"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template></xsl:if></xsl:template>
      </xsl:stylesheet>
      """;

  public static String run() throws Exception {
    var said = new StringBuilder();
    var xml = new StringBuilder("<?xml version='1.0'?><!DOCTYPE list [<!ENTITY e 'entity'>]><list>");
    for (int i = 0; i < 300; i++) xml.append("<item n='").append(i).append("'>cab &e; &#").append(65 + i % 26).append("; <![CDATA[<b>]]></item>");
    xml.append("</list>");
    var parser = new org.apache.xerces.jaxp.DocumentBuilderFactoryImpl().newDocumentBuilder();
    var document = parser.parse(new org.xml.sax.InputSource(new StringReader(xml.toString())));
    said.append(document.getDocumentElement().getTextContent()).append('\n');
    for (var factory : new javax.xml.transform.TransformerFactory[] {new org.apache.xalan.processor.TransformerFactoryImpl(), new net.sf.saxon.TransformerFactoryImpl()}) {
      var out = new StringWriter();
      factory.newTransformer(new StreamSource(new StringReader(SHEET))).transform(new StreamSource(new StringReader(xml.toString())), new StreamResult(out));
      said.append(out).append('\n');
    }
    var html = new StringBuilder("<table><p>Lost<div class=a>");
    for (int i = 0; i < 100; i++) html.append("<li id=i").append(i).append("><b>bold<i>both</b>it&amp;alic</i>&nbsp;<a href='/x?").append(i).append("'>link");
    var page = Jsoup.parse(html.toString(), "http://example.org/");
    said.append(page.outerHtml()).append(page.select("li:nth-child(7n) > b, a[href$=9]").eachText()).append('\n');
    var yaml = new StringBuilder();
    for (int i = 0; i < 80; i++) yaml.append("key").append(i).append(": {a: [1, 2.5, null, yes], b: \"q\\n\", c: !!str 12}\nfold").append(i).append(": >\n  some\n  text\n\n  more\n");
    Object loaded = new Yaml().load(yaml.toString());
    said.append(loaded).append('\n').append(new Yaml().dump(loaded));
    return said.toString();
  }
}
