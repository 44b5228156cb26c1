-- SPDX-License-Identifier: BSD-3-Clause
-- Inserts, an index, joins and updates on a database in memory.
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, town INTEGER, age INTEGER);
CREATE TABLE town(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
	INSERT INTO town SELECT i, 'town ' || i FROM n;
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
	INSERT INTO person
	SELECT i, 'person ' || (i * 7919 % 100003), i * 31 % 500 + 1, i * 17 % 90 FROM n;
COMMIT;
CREATE INDEX person_town ON person(town, age);
SELECT count(*), sum(p.age) FROM person p JOIN town t ON t.id = p.town WHERE t.name LIKE '%7';
SELECT t.name, avg(p.age) FROM town t JOIN person p ON p.town = t.id
	GROUP BY t.id ORDER BY 2 DESC, 1 LIMIT 5;
UPDATE person SET name = upper(name) WHERE age > 45;
SELECT count(DISTINCT name) FROM person;
SELECT a.id, b.id FROM person a JOIN person b ON a.town = b.town AND a.age = b.age + 1
	WHERE a.town = 77 ORDER BY a.id, b.id LIMIT 5;
