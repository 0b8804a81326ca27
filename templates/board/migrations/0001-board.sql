CREATE TABLE card (
  id TEXT PRIMARY KEY, lane TEXT NOT NULL CHECK (lane IN ('todo', 'doing', 'done')),
  title TEXT NOT NULL CHECK (length(title) <= 200), moved TIMESTAMP NOT NULL, mover TEXT NOT NULL);
CREATE INDEX cardsByMoved ON card (moved DESC);

-- Users come with a token of this role, and share one board.
CREATE ROLE member FOR JWT;
GRANT READ, WRITE ON card TO member;
