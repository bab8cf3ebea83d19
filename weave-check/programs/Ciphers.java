import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.digests.*;
import org.bouncycastle.crypto.engines.*;
import org.bouncycastle.crypto.generators.SCrypt;
import org.bouncycastle.crypto.modes.GCMBlockCipher;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.crypto.params.ParametersWithIV;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.bouncycastle.jce.ECNamedCurveTable;

/** Digests, ciphers, curves: one wrong bit changes everything. */
public class Ciphers {
  public static String run() throws Exception {
    var said = new StringBuilder();
    byte[] text = "Preemption without a changed JVM. ".repeat(500).getBytes(StandardCharsets.UTF_8);
    for (Digest digest : new Digest[] {new SHA256Digest(), new SHA512Digest(), new SHA3Digest(256), new Blake2bDigest(), new WhirlpoolDigest(), new RIPEMD160Digest(), new MD5Digest(), new SM3Digest(), new TigerDigest()}) {
      digest.update(text, 0, text.length);
      byte[] out = new byte[digest.getDigestSize()];
      digest.doFinal(out, 0);
      say(said, digest.getAlgorithmName(), out);
    }
    byte[] key = java.util.Arrays.copyOf(text, 16);
    var gcm = GCMBlockCipher.newInstance(AESEngine.newInstance());
    gcm.init(true, new AEADParameters(new KeyParameter(key), 128, new byte[12]));
    byte[] out = new byte[gcm.getOutputSize(text.length)];
    int length = gcm.processBytes(text, 0, text.length, out, 0);
    gcm.doFinal(out, length);
    say(said, "gcm", out);
    var chacha = new ChaChaEngine();
    chacha.init(true, new ParametersWithIV(new KeyParameter(key), new byte[8]));
    chacha.processBytes(text, 0, 4096, out, 0);
    say(said, "chacha", out);
    say(said, "scrypt", SCrypt.generate(key, key, 64, 8, 1, 32));
    var curve = ECNamedCurveTable.getParameterSpec("secp256k1");
    say(said, "curve", curve.getG().multiply(new BigInteger(1, key)).normalize().getEncoded(false));
    var signer = new Ed25519Signer();
    signer.init(true, new Ed25519PrivateKeyParameters(java.util.Arrays.copyOf(text, 32), 0));
    signer.update(text, 0, text.length);
    say(said, "ed25519", signer.generateSignature());
    return said.toString();
  }

  static void say(StringBuilder said, String name, byte[] bytes) {
    said.append(name).append(' ').append(HexFormat.of().formatHex(bytes, 0, Math.min(64, bytes.length))).append('\n');
  }
}
