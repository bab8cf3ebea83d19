import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.*;
import com.google.protobuf.Descriptors;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.TextFormat;
import com.ibm.icu.text.*;
import com.ibm.icu.util.ULocale;
import java.util.Locale;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.poi.hssf.usermodel.HSSFWorkbook;
import org.apache.poi.ss.usermodel.*;

/** Spreadsheets, Unicode, messages, SQL: large state machines and tables. */
public class Documents {
  public static String run() throws Exception {
    return sheet() + unicode() + messages() + sql();
  }

  static String sheet() throws Exception {
    var said = new StringBuilder();
    try (var book = new HSSFWorkbook()) {
      Sheet sheet = book.createSheet("one");
      for (int r = 0; r < 60; r++) {
        Row row = sheet.createRow(r);
        row.createCell(0).setCellValue(r * 7919 % 101);
        row.createCell(1).setCellFormula("A" + (r + 1) + "^2+" + (r == 0 ? "1" : "B" + r));
        row.createCell(2).setCellFormula("IF(MOD(A" + (r + 1) + ",2)=0,\"even\",CONCATENATE(\"odd\",ROW()))");
      }
      sheet.createRow(60).createCell(0).setCellFormula("SUM(A1:A60)+AVERAGE(B1:B60)+VLOOKUP(37,A1:B60,2,FALSE)");
      FormulaEvaluator evaluator = book.getCreationHelper().createFormulaEvaluator();
      for (Row row : sheet) for (Cell cell : row) said.append(evaluator.evaluate(cell).formatAsString()).append(' ');
    }
    return said.append('\n').toString();
  }

  static String unicode() {
    var said = new StringBuilder();
    String text = "Ünïcödé 中文测试 ไทยภาษา — Straße ﬁne. Second sentence? «Третье» предложение!".repeat(5);
    said.append(Normalizer2.getNFKDInstance().normalize(text)).append('\n');
    for (BreakIterator breaks : new BreakIterator[] {BreakIterator.getWordInstance(ULocale.ENGLISH), BreakIterator.getSentenceInstance(ULocale.ENGLISH), BreakIterator.getLineInstance(ULocale.ENGLISH)}) {
      breaks.setText(text);
      for (int at = breaks.first(); at != BreakIterator.DONE; at = breaks.next()) said.append(at).append(' ');
      said.append('\n');
    }
    Collator collator = Collator.getInstance(ULocale.GERMAN);
    String[] words = "Zebra Äpfel apfel Öl ol über Uber straße strasse".split(" ");
    java.util.Arrays.sort(words, collator);
    said.append(String.join(" ", words)).append('\n');
    said.append(Transliterator.getInstance("Any-Latin; Latin-ASCII").transliterate(text)).append('\n');
    said.append(new RuleBasedNumberFormat(ULocale.ENGLISH, RuleBasedNumberFormat.SPELLOUT).format(987_654_321)).append('\n');
    return said.toString();
  }

  static String messages() throws Exception {
    var field = FieldDescriptorProto.newBuilder().setType(FieldDescriptorProto.Type.TYPE_SINT64).setLabel(FieldDescriptorProto.Label.LABEL_REPEATED).setName("numbers").setNumber(1).build();
    var name = FieldDescriptorProto.newBuilder().setType(FieldDescriptorProto.Type.TYPE_STRING).setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL).setName("name").setNumber(2).build();
    var file = Descriptors.FileDescriptor.buildFrom(FileDescriptorProto.newBuilder().setName("a.proto").addMessageType(DescriptorProto.newBuilder().setName("A").addField(field).addField(name)).build(), new Descriptors.FileDescriptor[0]);
    var type = file.findMessageTypeByName("A");
    var message = DynamicMessage.newBuilder(type).setField(type.findFieldByName("name"), "näme");
    for (int i = 0; i < 300; i++) message.addRepeatedField(type.findFieldByName("numbers"), (long) i * i * i * (i % 2 == 0 ? 1 : -1));
    ByteString bytes = message.build().toByteString();
    return java.util.HexFormat.of().formatHex(bytes.toByteArray()) + TextFormat.printer().printToString(DynamicMessage.parseFrom(type, bytes)).length() + "\n";
  }

  static String sql() throws Exception {
    return SqlParser.create("select a.x, count(*) over (partition by b order by c rows 3 preceding) from (values (1, 2)) as a(x, y) left join t on a.x = t.x where exists (select 1 from u where u.z in (1, 2, 3)) group by cube (a.x, b) having sum(c) > 10 order by 1 desc").parseQuery().toString() + "\n";
  }
}
