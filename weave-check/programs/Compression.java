import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32;
import net.jpountz.lz4.LZ4Factory;
import org.apache.commons.codec.digest.MurmurHash3;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.snappy.SnappyCompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/** Compressors: long loops over bytes, tables and bits. What went in must come out. */
public class Compression {
  public static String run() throws Exception {
    byte[] data = data();
    var said = new StringBuilder();
    byte[] bzip2 = pressed(data, BZip2CompressorOutputStream::new);
    say(said, "bzip2", bzip2, new BZip2CompressorInputStream(new ByteArrayInputStream(bzip2)), data);
    byte[] xz = pressed(data, out -> new XZOutputStream(out, new LZMA2Options(4)));
    say(said, "xz", xz, new XZInputStream(new ByteArrayInputStream(xz)), data);
    byte[] lz4 = pressed(data, FramedLZ4CompressorOutputStream::new);
    say(said, "lz4", lz4, new FramedLZ4CompressorInputStream(new ByteArrayInputStream(lz4)), data);
    byte[] snappy = pressed(data, out -> new SnappyCompressorOutputStream(out, data.length));
    said.append("snappy ").append(snappy.length).append(' ').append(crc(snappy)).append('\n');
    byte[] fast = LZ4Factory.safeInstance().fastCompressor().compress(data);
    byte[] high = LZ4Factory.safeInstance().highCompressor().compress(data);
    said.append("lz4 block ").append(crc(fast)).append(' ').append(crc(high)).append(' ');
    said.append(Arrays.equals(data, LZ4Factory.safeInstance().fastDecompressor().decompress(high, data.length)));
    said.append("\nmurmur ").append(Arrays.toString(MurmurHash3.hash128x64(data)));
    said.append("\nhead ").append(HexFormat.of().formatHex(bzip2, 0, 200));
    return said.toString();
  }

  interface Wrapper { OutputStream around(OutputStream out) throws Exception; }

  static byte[] pressed(byte[] data, Wrapper wrapper) throws Exception {
    var bytes = new ByteArrayOutputStream();
    try (OutputStream out = wrapper.around(bytes)) { out.write(data); }
    return bytes.toByteArray();
  }

  static void say(StringBuilder said, String name, byte[] pressed, InputStream back, byte[] data) throws Exception {
    boolean same = Arrays.equals(back.readAllBytes(), data);
    said.append(name).append(' ').append(pressed.length).append(' ').append(crc(pressed)).append(' ').append(same).append('\n');
  }

  static long crc(byte[] bytes) { var crc = new CRC32(); crc.update(bytes); return crc.getValue(); }

  static byte[] data() {
    var text = new StringBuilder();
    long seed = 7;
    for (int i = 0; i < 6000; i++) {
      seed = seed * 6364136223846793005L + 1442695040888963407L;
      text.append("word").append((seed >>> 40) % 500).append(i % 13 == 0 ? "\n" : " ");
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
