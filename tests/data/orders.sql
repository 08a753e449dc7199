-- Customers, orders and lines in memory: inserts, indexes, joins, aggregates, updates, a virtual table, a checksum.
PRAGMA cache_size = 4000;
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER, day INTEGER, note TEXT);
CREATE TABLE line (purchase INTEGER, item INTEGER, amount INTEGER, price INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO customer SELECT i, printf('customer %05d', i * 7919 % 2000), 'city ' || (i * 31 % 97) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO purchase SELECT i, 1 + i * 104729 % 2000, i * 13 % 365, hex(zeroblob(i % 120)) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
INSERT INTO line SELECT 1 + i * 15485863 % 20000, i * 17 % 500, 1 + i % 9, 100 + i * 7 % 5000 FROM n;
CREATE INDEX by_customer ON purchase (customer, day);
CREATE INDEX by_purchase ON line (purchase);
SELECT 'lines', count(*), sum(amount * price) FROM line;
SELECT city, count(DISTINCT purchase.id), sum(amount * price)
  FROM customer JOIN purchase ON purchase.customer = customer.id JOIN line ON line.purchase = purchase.id
 GROUP BY city ORDER BY 3 DESC, city LIMIT 12;
SELECT name, total, rank() OVER (ORDER BY total DESC, name)
  FROM (SELECT name, sum(amount * price) AS total FROM customer JOIN purchase ON customer = customer.id
        JOIN line ON purchase = purchase.id GROUP BY customer.id) ORDER BY 3 LIMIT 10;
BEGIN;
UPDATE purchase SET note = note || note || day WHERE id % 3 = 0;
DELETE FROM line WHERE purchase IN (SELECT id FROM purchase WHERE day BETWEEN 100 AND 120);
ROLLBACK;
UPDATE purchase SET note = substr(note, 1, day) WHERE id % 2 = 0;
DELETE FROM line WHERE purchase IN (SELECT id FROM purchase WHERE day > 300);
SELECT 'after', count(*), sum(amount * price) FROM line;
SELECT 'notes', sum(length(note)), count(DISTINCT note) FROM purchase;
SELECT 'text', length(group_concat(name, ',')) FROM customer;
SELECT 'json', sum(json_array_length(json)) FROM (SELECT json_group_array(day) AS json FROM purchase GROUP BY customer);
VACUUM;
PRAGMA integrity_check;
