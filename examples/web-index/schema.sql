-- SPDX-License-Identifier: Apache-2.0

-- What crawlers have fetched. They write here and nowhere else; all other tables follow by observers.
CREATE TABLE IF NOT EXISTS page (url TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE OBSERVER IF NOT EXISTS track_dependencies ON page (body);

-- What a page includes: where that changes, the page is rendered again.
CREATE TABLE IF NOT EXISTS dependency (resource TEXT, page TEXT, PRIMARY KEY (resource, page));
CREATE INDEX IF NOT EXISTS dependency_by_page ON dependency (page);
-- Has no rows. Its keys are told to a weak observer, which costs no conflict: many resources of a page may
-- change at a time (Percolator 2.4: "a special type of column that cannot be written, only notified").
CREATE TABLE IF NOT EXISTS to_render (url TEXT PRIMARY KEY);
CREATE WEAK OBSERVER IF NOT EXISTS render_page ON to_render (url);

-- A page as it is shown, with what it includes.
CREATE TABLE IF NOT EXISTS rendering (url TEXT PRIMARY KEY, html TEXT NOT NULL);
CREATE OBSERVER IF NOT EXISTS parse_page ON rendering (html);

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

-- What links make of an url: its PageRank in thousandths, after 1, 2 and 3 steps along links and the last
-- of these, and the words that they say of it: [[word, count], …].
CREATE TABLE IF NOT EXISTS rank (
  url TEXT PRIMARY KEY, steps JSON NOT NULL, rank INTEGER NOT NULL, anchor_words JSON NOT NULL
);
-- Has no rows, as above: many sources change what leads to one target.
CREATE TABLE IF NOT EXISTS to_rank (url TEXT PRIMARY KEY);
CREATE WEAK OBSERVER IF NOT EXISTS rank_page ON to_rank (url);

-- The index table of each clustering key (pass 1, 2 and 3). An entry never changes.
CREATE TABLE IF NOT EXISTS cluster_key (
  pass INTEGER, key TEXT, cluster INTEGER NOT NULL, PRIMARY KEY (pass, key)
);
-- Every decision on a page, by the timestamp at which it was made; cluster is NULL where the page was gone.
CREATE TABLE IF NOT EXISTS assignment (
  url TEXT, at INTEGER, canonical_key TEXT, content_key TEXT, sketch_key TEXT,
  cluster INTEGER, PRIMARY KEY (url, at DESC)
);
-- The cluster of each page, by the newest of these decisions.
CREATE TABLE IF NOT EXISTS member (url TEXT PRIMARY KEY, cluster INTEGER NOT NULL, at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS member_by_cluster ON member (cluster) STORING (at);
-- Has no rows, as above: many copies of one page come in at a time.
CREATE TABLE IF NOT EXISTS to_elect (cluster INTEGER PRIMARY KEY);
CREATE WEAK OBSERVER IF NOT EXISTS elect ON to_elect (cluster);

-- Which page stands for a cluster, the words and the rank that links to all copies give it, and how many
-- these are.
CREATE TABLE IF NOT EXISTS cluster (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, at INTEGER NOT NULL, anchor_words JSON NOT NULL,
  rank INTEGER NOT NULL, pages INTEGER NOT NULL
);
CREATE OBSERVER IF NOT EXISTS index_words ON cluster (url, at, anchor_words);

-- The inverted index, of the pages that stand for their clusters: how often each word comes in the page and
-- in the links to it or to a copy.
CREATE TABLE IF NOT EXISTS posting (
  word TEXT, cluster INTEGER, url TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (word, cluster)
);
CREATE INDEX IF NOT EXISTS posting_by_cluster ON posting (cluster) STORING (url, count);
