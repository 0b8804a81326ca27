-- SPDX-License-Identifier: Apache-2.0

-- What crawlers have fetched. They write here and nowhere else; all other tables follow by observers.
CREATE TABLE IF NOT EXISTS page (url TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE OBSERVER IF NOT EXISTS parse_page ON page (body);

-- A page taken apart: [[word, count], …], [[target url, text], …], and the three keys that copies share.
CREATE TABLE IF NOT EXISTS document (
  url TEXT PRIMARY KEY, title TEXT NOT NULL, words JSON NOT NULL, links JSON NOT NULL,
  canonical_key TEXT, content_key TEXT NOT NULL, sketch_key TEXT NOT NULL
);
CREATE OBSERVER IF NOT EXISTS invert_links ON document (links);
CREATE OBSERVER IF NOT EXISTS cluster_document
  ON document (canonical_key, content_key, sketch_key);

-- Links by what they lead to; outdegree is the number of links of the source.
CREATE TABLE IF NOT EXISTS anchor (
  target TEXT, source TEXT, text TEXT NOT NULL, outdegree INTEGER NOT NULL,
  PRIMARY KEY (target, source)
);
CREATE INDEX IF NOT EXISTS anchor_by_source ON anchor (source) STORING (text, outdegree);

-- How much leads to an url, in thousandths: after 1, 2 and 3 steps along links, and the last of these.
CREATE TABLE IF NOT EXISTS rank (url TEXT PRIMARY KEY, steps JSON NOT NULL, rank INTEGER NOT NULL);
-- Has no rows. Its keys are told to a weak observer, which costs no conflict: many sources change what
-- leads to one target (Percolator 2.4: "a special type of column that cannot be written, only notified").
CREATE TABLE IF NOT EXISTS to_rank (url TEXT PRIMARY KEY);
CREATE WEAK OBSERVER IF NOT EXISTS rank_page ON to_rank (url);

-- The index table of each clustering key (pass 1, 2 and 3). An entry never changes.
CREATE TABLE IF NOT EXISTS cluster_key (
  pass INTEGER, key TEXT, cluster INTEGER NOT NULL, PRIMARY KEY (pass, key)
);
-- Every decision on a page, by the timestamp at which it was made; cluster is NULL where the page was gone.
CREATE TABLE IF NOT EXISTS assignment (
  url TEXT, at INTEGER, canonical_key TEXT, content_key TEXT, sketch_key TEXT,
  cluster INTEGER, since INTEGER, PRIMARY KEY (url, at DESC)
);
-- The pages of each cluster, the earliest first.
CREATE TABLE IF NOT EXISTS member (
  cluster INTEGER, since INTEGER, url TEXT, at INTEGER NOT NULL, PRIMARY KEY (cluster, since, url)
);
-- Has no rows, as above: many copies of one page come in at a time.
CREATE TABLE IF NOT EXISTS to_elect (cluster INTEGER PRIMARY KEY);
CREATE WEAK OBSERVER IF NOT EXISTS elect ON to_elect (cluster);

-- Which page stands for a cluster.
CREATE TABLE IF NOT EXISTS cluster (id INTEGER PRIMARY KEY, url TEXT NOT NULL, at INTEGER NOT NULL);
CREATE OBSERVER IF NOT EXISTS index_words ON cluster (url, at);

-- The inverted index, of the pages that stand for their clusters.
CREATE TABLE IF NOT EXISTS posting (
  word TEXT, cluster INTEGER, url TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (word, cluster)
);
CREATE INDEX IF NOT EXISTS posting_by_cluster ON posting (cluster) STORING (url, count);
