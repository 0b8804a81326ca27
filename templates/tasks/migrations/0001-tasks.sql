CREATE TABLE task (
  owner TEXT, id INTEGER, title TEXT NOT NULL CHECK (length(title) <= 200), done BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (owner, id));

-- Users come with a token of this role, and see and write their own rows only.
CREATE ROLE member FOR JWT;
GRANT READ, WRITE ON task TO member WHERE owner = token.sub;
