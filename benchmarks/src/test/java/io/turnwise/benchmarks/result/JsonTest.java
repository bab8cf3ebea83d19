package io.turnwise.benchmarks.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  @ParameterizedTest
  @CsvSource({
    "5613000.49, 5613000", "1000, 1000", "999.99996, 1000", "0.12345, 0.1235", "2.5, 2.5",
    "100, 100", "-0.00001, 0", "NaN, null", "Infinity, null", "12345678901234, 12345678901234"
  })
  void numbersHaveAsManyDigitsAsTheyNeed(double number, String written) {
    assertThat(Json.write(Map.of("v", number))).isEqualTo("{\"v\":" + written + "}");
  }

  @Test
  void whatWasWrittenIsReadBack() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("word", "a \"quoted\"\tline\nbreak \\ and é");
    fields.put("whole", 42.0);
    fields.put("none", null);
    fields.put("yes", true);

    assertThat(Json.parse(Json.write(fields))).containsExactlyEntriesOf(fields);
  }

  @Test
  void spacesAndUnicodeEscapesAreRead() {
    assertThat(Json.parse(" { \"a\" : -1.5e3 , \"b\" : \"\\u00e9\" } "))
        .containsEntry("a", -1500.0)
        .containsEntry("b", "é");
    assertThat(Json.parse("{}")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{\"a\"}", "{\"a\":}", "{\"a\":x}", "{\"a\":1}}", "{\"a\":\"b}"})
  void anythingElseIsRefused(String line) {
    assertThatThrownBy(() -> Json.parse(line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected");
  }
}
