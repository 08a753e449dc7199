-- An in-memory database: rows inserted, indexed, joined, aggregated and partly deleted. No random():
-- the numbers come from a multiplicative sequence, so that every run does the same work.
PRAGMA temp_store = MEMORY;
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, city INTEGER, note TEXT);
CREATE TABLE event (id INTEGER PRIMARY KEY, person INTEGER, kind INTEGER, amount REAL, text TEXT);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
INSERT INTO person SELECT i, 'person' || (i * 7919 % 60000), i * 104729 % 500,
       substr('the quick brown fox jumps over the lazy dog', 1 + i % 20, 20) FROM n;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 260000)
INSERT INTO event SELECT i, 1 + i * 15485863 % 60000, i * 32452843 % 17, i * 0.25,
       'event ' || (i * 49979687 % 100000) FROM n;

CREATE INDEX event_person ON event (person, kind);
CREATE INDEX person_city ON person (city);
CREATE INDEX event_text ON event (text);

SELECT count(*), round(sum(total)) FROM (
  SELECT p.city, e.kind, sum(e.amount) AS total FROM person p JOIN event e ON e.person = p.id
  GROUP BY p.city, e.kind);
SELECT count(*), sum(length(list)) FROM (
  SELECT p.id, group_concat(e.text, ';') AS list FROM person p JOIN event e ON e.person = p.id
  GROUP BY p.id ORDER BY length(list) DESC, p.id);
DELETE FROM event WHERE kind = 3 OR kind = 5;
UPDATE person SET note = upper(note) || name WHERE city % 3 = 0;
SELECT count(*), sum(length(note)) FROM person;
SELECT count(DISTINCT text) FROM event;
