import java.util.Arrays;
import org.apache.commons.math3.analysis.solvers.BrentSolver;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.EigenDecomposition;
import org.apache.commons.math3.linear.LUDecomposition;
import org.apache.commons.math3.linear.SingularValueDecomposition;
import org.apache.commons.math3.primes.Primes;
import org.apache.commons.math3.random.MersenneTwister;
import org.apache.commons.math3.special.Gamma;
import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;
import org.apache.commons.math3.transform.DftNormalization;
import org.apache.commons.math3.transform.FastFourierTransformer;
import org.apache.commons.math3.transform.TransformType;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.RandomMatrices_DDRM;

/** Linear algebra, transforms, special functions: nested counted loops over doubles, to the last bit. */
public class Numbers {
  public static String run() {
    var said = new StringBuilder();
    var random = new MersenneTwister(42);
    int n = 40;
    double[][] data = new double[n][n];
    for (double[] row : data) for (int j = 0; j < n; j++) row[j] = random.nextGaussian();
    var matrix = new Array2DRowRealMatrix(data);
    said.append(new LUDecomposition(matrix).getDeterminant()).append('\n');
    said.append(Arrays.toString(new SingularValueDecomposition(matrix).getSingularValues())).append('\n');
    said.append(Arrays.toString(new EigenDecomposition(matrix.multiply(matrix.transpose())).getRealEigenvalues())).append('\n');
    double[] signal = new double[1024];
    for (int i = 0; i < signal.length; i++) signal[i] = random.nextDouble();
    said.append(Arrays.toString(new FastFourierTransformer(DftNormalization.STANDARD).transform(signal, TransformType.FORWARD))).append('\n');
    said.append(new BrentSolver(1e-12).solve(100, x -> Math.exp(x) - 5 * x, 1, 10)).append('\n');
    for (int i = 1; i < 50; i++) said.append(Gamma.logGamma(i * 0.37)).append(' ');
    said.append(Primes.primeFactors(1_299_709 * 2)).append(Primes.nextPrime(1_000_000)).append('\n');
    var statistics = new DescriptiveStatistics(signal);
    said.append(statistics.getKurtosis()).append(' ').append(statistics.getPercentile(37)).append('\n');
    DMatrixRMaj a = RandomMatrices_DDRM.rectangle(50, 50, new java.util.Random(1));
    DMatrixRMaj b = new DMatrixRMaj(50, 50);
    CommonOps_DDRM.mult(a, a, b);
    CommonOps_DDRM.invert(a);
    said.append(CommonOps_DDRM.det(b)).append(' ').append(Arrays.toString(a.data));
    return said.toString();
  }
}
