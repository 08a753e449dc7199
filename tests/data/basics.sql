-- Types, joins, aggregates, windows, indexes, PL/pgSQL, prepared statements, triggers, parallel queries, VACUUM.
\set ON_ERROR_STOP on
\pset format unaligned
\pset null '(null)'
SET client_min_messages = warning;
SET work_mem = '1MB';
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE TYPE mood AS ENUM ('sad', 'plain', 'glad');
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
CREATE TABLE person (id serial PRIMARY KEY, name text NOT NULL, born date, feels mood, tags text[], extra jsonb, worth numeric(12, 3));
CREATE TABLE deed (id bigserial PRIMARY KEY, person integer REFERENCES person ON DELETE CASCADE, at timestamp, cost positive, note text);
INSERT INTO person (name, born, feels, tags, extra, worth)
  SELECT 'name ' || i, date '1950-01-01' + i * 7, (ARRAY['sad', 'plain', 'glad'])[1 + i % 3]::mood,
         ARRAY(SELECT 'tag' || (i * j) % 17 FROM generate_series(1, i % 6) j),
         jsonb_build_object('n', i, 'list', jsonb_build_array(i, i / 2.0, md5(i::text)), 'deep', jsonb_build_object('a', i % 10)),
         i * 1.125 FROM generate_series(1, 3000) i;
INSERT INTO deed (person, at, cost, note)
  SELECT 1 + i * 7919 % 3000, timestamp '2000-01-01' + i * interval '37 minutes', 1 + i % 1000, repeat(md5(i::text), i % 5)
    FROM generate_series(1, 60000) i;
CREATE INDEX deed_person ON deed (person, at DESC);
CREATE INDEX deed_note ON deed USING hash (note);
CREATE INDEX person_extra ON person USING gin (extra);
CREATE INDEX person_tags ON person USING gin (tags);
CREATE UNIQUE INDEX person_name ON person (lower(name)) WHERE id % 2 = 0;
CREATE INDEX person_born ON person USING brin (born);
ANALYZE;
SELECT feels, count(*), sum(worth), avg(worth)::numeric(12, 4), min(born), max(name) FROM person GROUP BY feels ORDER BY feels;
SELECT p.feels, extract(year FROM d.at) AS year, count(*), sum(cost), md5(string_agg(note, ',' ORDER BY d.id))
  FROM person p JOIN deed d ON d.person = p.id GROUP BY 1, 2 ORDER BY 1, 2;
SELECT p.id, d.n FROM person p LEFT JOIN LATERAL (SELECT count(*) n FROM deed WHERE person = p.id AND cost > 990) d ON true ORDER BY 2 DESC, 1 LIMIT 8;
SELECT count(*) FROM person a FULL JOIN person b ON a.id = b.id + 5 WHERE a.id IS NULL OR b.id IS NULL;
SELECT id, rank() OVER w, sum(worth) OVER w, lag(name, 2) OVER w FROM person WHERE id <= 12 WINDOW w AS (PARTITION BY feels ORDER BY id DESC) ORDER BY id;
SELECT grouping(feels, tag), feels, tag, count(*) FROM person, unnest(tags) tag WHERE id < 60 GROUP BY CUBE (feels, tag) ORDER BY 1, 2, 3 LIMIT 30;
SELECT count(*), sum((extra #>> '{list,0}')::int) FROM person WHERE extra @> '{"deep": {"a": 3}}';
SELECT count(*) FROM person WHERE tags && ARRAY['tag3', 'tag11'];
SELECT jsonb_path_query_array(jsonb_agg(extra ORDER BY id), '$[*] ? (@.n > 2995).list[2]') FROM person;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY cost), count(DISTINCT note), array_agg(DISTINCT cost % 5) FROM deed;
SELECT xmlelement(name root, xmlagg(xmlelement(name p, name) ORDER BY id))::text FROM person WHERE id < 4;
SELECT regexp_replace('one two three', '(\w+) (\w+)', '\2 \1'), to_char(1234567.891, 'FM9,999,999.00'), '10.1.2.3/24'::inet & '255.255.0.0',
       int4range(1, 10) * int4range(5, 20), 2 ^ 0.5::numeric, factorial(60), interval '1 mon 3 days' * 2.5, 'a fat cat'::tsvector @@ 'cat'::tsquery,
       ts_rank(to_tsvector('english', 'the cats ran quickly'), to_tsquery('run')) > 0, box '((0,0),(2,3))' && box '((1,1),(5,5))', sha256('x');
WITH RECURSIVE tree(id, path) AS (SELECT 1, ARRAY[1] UNION ALL SELECT t.id * 2 + k, path || (t.id * 2 + k) FROM tree t, generate_series(0, 1) k WHERE t.id < 2000)
  SELECT count(*), max(array_length(path, 1)), sum(id) FROM tree;
CREATE MATERIALIZED VIEW totals AS SELECT person, sum(cost) AS total FROM deed GROUP BY person;
CREATE UNIQUE INDEX ON totals (person);

CREATE FUNCTION collatz(n bigint) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE steps integer := 0;
BEGIN
  WHILE n <> 1 LOOP
    n := CASE WHEN n % 2 = 0 THEN n / 2 ELSE 3 * n + 1 END;
    steps := steps + 1;
  END LOOP;
  RETURN steps;
END $$;
SELECT max(collatz(i)), sum(collatz(i)) FROM generate_series(1, 1500) i;
CREATE FUNCTION tried(n integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE row record; kept text := ''; counts jsonb := '{}';
BEGIN
  FOR row IN EXECUTE 'SELECT id, name, tags FROM person WHERE id <= $1 ORDER BY id' USING n LOOP
    BEGIN
      IF row.id % 3 = 0 THEN RAISE EXCEPTION 'three divides %', row.id; END IF;
      INSERT INTO deed (person, cost) VALUES (row.id, row.id % 4);
      kept := kept || row.name || ';';
    EXCEPTION
      WHEN check_violation THEN counts := jsonb_set(counts, '{violated}', to_jsonb(coalesce((counts ->> 'violated')::int, 0) + 1));
      WHEN raise_exception THEN counts := jsonb_set(counts, '{raised}', to_jsonb(coalesce((counts ->> 'raised')::int, 0) + 1));
    END;
  END LOOP;
  RETURN md5(kept) || counts;
END $$;
SELECT tried(400);
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := upper(coalesce(NEW.note, '')) || TG_OP; RETURN NEW; END $$;
CREATE TRIGGER noted BEFORE INSERT OR UPDATE ON deed FOR EACH ROW EXECUTE FUNCTION noted();
UPDATE deed SET cost = cost + 1 WHERE id % 5 = 0;
SELECT count(*), md5(string_agg(note, '' ORDER BY id)) FROM deed WHERE note LIKE '%UPDATE';
BEGIN;
DELETE FROM person WHERE id % 4 = 0;
SAVEPOINT here;
DELETE FROM deed WHERE id % 2 = 0;
ROLLBACK TO here;
SELECT (SELECT count(*) FROM person), (SELECT count(*) FROM deed);
ROLLBACK;
PREPARE one (integer, text) AS SELECT count(*), sum(cost) FROM deed WHERE person = $1 AND note LIKE $2;
EXECUTE one (1, '%a%');
EXECUTE one (2, '%b%');
EXECUTE one (3, '%');
EXECUTE one (4, '%c%');
EXECUTE one (5, '%');
EXECUTE one (6, '%');
EXECUTE one (7, '%d%');
BEGIN;
DECLARE walk SCROLL CURSOR FOR SELECT id, cost FROM deed ORDER BY note, id;
FETCH 3 FROM walk;
MOVE FORWARD 20000 IN walk;
FETCH 2 FROM walk;
FETCH LAST FROM walk;
FETCH BACKWARD 2 FROM walk;
COMMIT;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT count(*), sum(length(note)) FROM deed WHERE cost % 7 <> 3;
SELECT count(*), sum(length(note)) FROM deed WHERE cost % 7 <> 3;
SELECT p.feels, count(*), sum(d.cost) FROM person p JOIN deed d ON d.person = p.id WHERE d.note > '5' GROUP BY 1 ORDER BY 1;
SELECT md5(string_agg(id::text, ',')) FROM (SELECT id FROM deed ORDER BY note DESC, id) s;
CREATE TABLE wide AS SELECT d.id, d.note, p.extra, p.tags FROM deed d JOIN person p ON p.id = d.person;
CREATE INDEX wide_note ON wide (note, id);
RESET ALL;
SET client_min_messages = warning;
REFRESH MATERIALIZED VIEW CONCURRENTLY totals;
SELECT count(*), sum(total) FROM totals;
DELETE FROM wide WHERE id % 3 = 0;
VACUUM (ANALYZE) wide;
VACUUM FULL deed;
REINDEX TABLE wide;
CLUSTER deed USING deed_person;
COPY (SELECT id, name, born, feels, tags, extra, worth FROM person WHERE id % 500 = 1 ORDER BY id) TO STDOUT (FORMAT csv, HEADER);
CREATE TEMP TABLE copied (id integer, text text, at timestamptz);
COPY copied FROM STDIN;
1	one\ttab	2001-02-03 04:05:06+00
2	\N	2024-02-29 00:00:00+02
3	drei \\ back	infinity
\.
SELECT * FROM copied ORDER BY id;
SELECT count(*), md5(string_agg(w::text, '' ORDER BY id)) FROM wide w;
\echo done
