import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.ByteBuffersDirectory;

/** A full-text index: written, merged, searched in many ways. */
public class Search {
  private static final String[] WORDS =
      "actor message queue worker thread poll loop strip budget fiber lock yield stream parser compiler running runs".split(" ");

  public static String run() throws Exception {
    List<String> said = new ArrayList<>();
    try (var directory = new ByteBuffersDirectory(); var analyzer = new EnglishAnalyzer()) {
      try (var writer = new IndexWriter(directory, new IndexWriterConfig(analyzer).setRAMBufferSizeMB(1))) {
        long seed = 11;
        for (int i = 0; i < 1500; i++) {
          var text = new StringBuilder();
          for (int w = 0; w < 30; w++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            text.append(WORDS[(int) ((seed >>> 33) % WORDS.length)]).append(' ');
          }
          var document = new Document();
          document.add(new TextField("body", text.toString(), Field.Store.NO));
          document.add(new IntPoint("number", i));
          document.add(new StoredField("id", i));
          writer.addDocument(document);
          if (i % 400 == 399) writer.commit();
        }
        writer.forceMerge(1);
      }
      try (var reader = DirectoryReader.open(directory)) {
        var searcher = new IndexSearcher(reader);
        for (String query : List.of("actor", "run~1", "mess*", "\"actor message\"~3", "+poll -loop", "par?er AND fiber", "(lock OR yield) AND stream^3", "[a TO d]")) {
          var top = searcher.search(new QueryParser("body", analyzer).parse(query), 20);
          var line = new StringBuilder(query + ": " + top.totalHits);
          for (var hit : top.scoreDocs) line.append(' ').append(searcher.storedFields().document(hit.doc).get("id")).append('=').append(hit.score);
          said.add(line.toString());
        }
        said.add("range " + searcher.count(IntPoint.newRangeQuery("number", 100, 612)));
      }
    }
    return String.join("\n", said);
  }
}
