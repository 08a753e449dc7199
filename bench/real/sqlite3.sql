-- An in-memory database: rows inserted, indexed, joined, aggregated, partly deleted; words put together and taken apart.
-- $rows is how many; a temporary table holds it, so `PRAGMA temp_store` has to come before. No random(): the numbers come
-- from multiplicative sequences, so that every run does the same work.
CREATE TABLE station (id INTEGER PRIMARY KEY, name TEXT UNIQUE, region INTEGER);
CREATE TABLE reading (id INTEGER PRIMARY KEY, station INTEGER, hour INTEGER, value REAL, remark TEXT);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows / 20)
INSERT INTO station SELECT i, 'station ' || (i * 7919 % 1000003), i * 104729 % 97 FROM n;

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows)
INSERT INTO reading SELECT i, 1 + i * 15485863 % ($rows / 20), i * 32452843 % 24, (i * 49979687 % 10007) / 7.0,
       CASE WHEN i % 3 = 0 THEN printf('%08x and %d', i * 2654435761, i) END FROM n;

CREATE INDEX reading_station ON reading (station, hour);
CREATE INDEX reading_remark ON reading (remark) WHERE remark IS NOT NULL;

SELECT count(*), round(sum(mean), 2) FROM (
  SELECT s.region, r.hour, avg(r.value) AS mean FROM station s JOIN reading r ON r.station = s.id
  GROUP BY s.region, r.hour);
SELECT count(*), sum(length(list)) FROM (
  SELECT station, group_concat(remark, '; ') AS list FROM reading GROUP BY station ORDER BY list);
SELECT sum(length(document)) FROM (
  SELECT json_group_array(json_object('hour', hour, 'value', value, 'remark', remark)) AS document
  FROM reading GROUP BY station);
DELETE FROM reading WHERE hour IN (3, 5, 7);
UPDATE reading SET remark = upper(remark) || ' of ' || station WHERE hour % 4 = 0 AND remark IS NOT NULL;
SELECT count(*), sum(length(remark)), count(DISTINCT remark) FROM reading;
