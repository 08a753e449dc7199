\set account random(1, 200000)
\set many 200 + :account % 300
SELECT b.bid, count(*), sum(a.abalance), avg(a.aid)::int FROM pgbench_accounts a JOIN pgbench_branches b USING (bid)
 WHERE a.aid BETWEEN :account AND :account + :many GROUP BY b.bid ORDER BY b.bid;
SELECT length(string_agg(repeat(md5(i::text), 4), ',' ORDER BY i % 17, i)) FROM generate_series(1, :many) i;
SELECT jsonb_agg(jsonb_build_object('account', aid, 'parts', array[aid, bid, abalance]))->0->>'account'
  FROM pgbench_accounts WHERE aid BETWEEN :account AND :account + 100;
