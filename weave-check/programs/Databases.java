import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Properties;

/** Two databases in memory: parsers, planners, trees, sorting. */
public class Databases {
  public static String run() throws Exception {
    var said = new StringBuilder();
    try (Connection h2 = new org.h2.Driver().connect("jdbc:h2:mem:", new Properties())) { use(h2, said); }
    var login = new Properties();
    login.setProperty("user", "SA");
    login.setProperty("password", "");
    try (Connection hsql = new org.hsqldb.jdbc.JDBCDriver().connect("jdbc:hsqldb:mem:check" + System.nanoTime(), login)) { use(hsql, said); }
    return said.toString();
  }

  static void use(Connection connection, StringBuilder said) throws Exception {
    try (Statement sql = connection.createStatement()) {
      sql.execute("create table item (id int primary key, kind varchar(20), price double)");
      sql.execute("create index by_kind on item (kind)");
      try (var insert = connection.prepareStatement("insert into item values (?, ?, ?)")) {
        for (int i = 0; i < 3000; i++) {
          insert.setInt(1, i);
          insert.setString(2, "kind" + i * 7919 % 31);
          insert.setDouble(3, i * 7919 % 1009 / 7.0);
          insert.executeUpdate();
        }
      }
      sql.execute("update item set price = price * 2 where id between 100 and 200");
      sql.execute("delete from item where kind = 'kind7'");
      for (String query : new String[] {
          "select kind, count(*), sum(price), max(id) from item group by kind having count(*) > 5 order by kind",
          "select a.id, b.id from item a join item b on a.id = b.id + 31 and a.kind = b.kind where a.price > 140 order by a.id, b.id",
          "select id, price from item where kind like '%1_' and price < (select avg(price) from item) order by price desc, id fetch first 40 rows only"})
        try (ResultSet rows = sql.executeQuery(query)) {
          while (rows.next()) {
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) said.append(rows.getString(i)).append('|');
            said.append('\n');
          }
        }
    }
  }
}
