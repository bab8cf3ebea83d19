package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;

/** Reads from a class file how long the code of its methods is, which ASM does not say. */
final class CodeLengths {
  /** HotSpot's HugeMethodLimit: a longer method runs in the interpreter for ever. */
  private static final int COMPILED = 8000;

  private CodeLengths() {}

  /** The methods that were short enough to be compiled and are not any more. */
  static List<MethodKey> outgrown(ClassReader before, byte[] woven) {
    if (woven.length <= COMPILED) return List.of();
    List<MethodKey> found = new ArrayList<>();
    Map<MethodKey, Integer> old = of(before);
    for (var now : of(new ClassReader(woven)).entrySet())
      if (now.getValue() > COMPILED && old.getOrDefault(now.getKey(), 0) <= COMPILED)
        found.add(now.getKey());
    return found;
  }

  private static Map<MethodKey, Integer> of(ClassReader reader) {
    char[] text = new char[reader.getMaxStringLength()];
    Map<MethodKey, Integer> lengths = new HashMap<>();
    int at = reader.header + 6;
    at += 2 + 2 * reader.readUnsignedShort(at); // interfaces
    int fields = reader.readUnsignedShort(at);
    at += 2;
    for (int i = 0; i < fields; i++) at = afterAttributes(reader, at + 6);
    int methods = reader.readUnsignedShort(at);
    at += 2;
    for (int i = 0; i < methods; i++) {
      var key = new MethodKey(reader.readUTF8(at + 2, text), reader.readUTF8(at + 4, text));
      int attribute = at + 8;
      for (int count = reader.readUnsignedShort(at + 6); count > 0; count--) {
        if (reader.readUTF8(attribute, text).equals("Code"))
          lengths.put(key, reader.readInt(attribute + 10));
        attribute += 6 + reader.readInt(attribute + 2);
      }
      at = attribute;
    }
    return lengths;
  }

  private static int afterAttributes(ClassReader reader, int at) {
    int next = at + 2;
    for (int count = reader.readUnsignedShort(at); count > 0; count--)
      next += 6 + reader.readInt(next + 2);
    return next;
  }
}
