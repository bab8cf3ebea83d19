import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Two JSON parsers and writers, and mapping to and from objects. */
public class Json {
  public static class Person {
    public String name;
    public int age;
    public List<String> tags;
    public Map<String, Double> scores = new TreeMap<>();
  }

  public static String run() throws Exception {
    var mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    JsonNode tree = mapper.readTree(text());
    Person[] people = mapper.readValue(text(), Person[].class);
    var gson = new GsonBuilder().setPrettyPrinting().create();
    JsonElement element = JsonParser.parseString(text());
    Person[] again = gson.fromJson(text(), Person[].class);
    String broken;
    try { mapper.readTree("[1, 2, {\"a\" 3}]"); broken = "taken"; } catch (Exception e) { broken = e.getMessage(); }
    return tree + "\n" + mapper.writeValueAsString(people) + "\n" + gson.toJson(element) + "\n" + gson.toJson(again) + "\n" + broken;
  }

  static String text() {
    var text = new StringBuilder("[");
    for (int i = 0; i < 200; i++) {
      if (i > 0) text.append(", ");
      text.append("{\"name\": \"N\\u00e4me \\\"").append(i).append("\\\"\", \"age\": ").append(i * 37 % 90)
          .append(", \"tags\": [\"a").append(i).append("\", \"b\\n\", null], \"scores\": {\"x\": ").append(i / 7.0)
          .append(", \"y\": -1.5e").append(i % 30).append("}}");
    }
    return text.append("]").toString();
  }
}
