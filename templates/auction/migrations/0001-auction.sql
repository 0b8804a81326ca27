CREATE TABLE lot (
  id TEXT PRIMARY KEY, title TEXT NOT NULL CHECK (length(title) <= 200), seller TEXT NOT NULL,
  least DECIMAL(12, 2) NOT NULL CHECK (least > 0), ends TIMESTAMP NOT NULL);
CREATE INDEX lotsByEnd ON lot (ends DESC);
-- The best bid of a lot is its first row.
CREATE TABLE bid (
  lot TEXT, amount DECIMAL(12, 2) CHECK (amount > 0), bidder TEXT, PRIMARY KEY (lot, amount DESC, bidder));
CREATE TABLE sale (lot TEXT PRIMARY KEY, buyer TEXT, price DECIMAL(12, 2));

-- observers.ts is given a lot when its time has come, once, also after a crash.
CREATE OBSERVER close ON lot (ends) DUE ends;

-- Users come with a token of this role: they put up lots and bid in their own name. Nobody but the observer sells.
CREATE ROLE member FOR JWT;
GRANT READ ON lot TO member;
GRANT WRITE ON lot TO member WHERE seller = token.sub;
GRANT READ ON bid TO member;
GRANT WRITE ON bid TO member WHERE bidder = token.sub;
GRANT READ ON sale TO member;
