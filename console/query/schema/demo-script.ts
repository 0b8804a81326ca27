// SPDX-License-Identifier: Apache-2.0

/** What stands in the editor for who has a schema to paste over it. */
export const SAMPLE_SCHEMA = `CREATE TABLE task (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  done BOOLEAN NOT NULL DEFAULT false,
  due TIMESTAMP
);
CREATE INDEX task_by_due ON task (due);
`

/** The tables of `percolite demo`, with rows to look at. */
export const DEMO_SCRIPT = `CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, cash DECIMAL(18, 2) NOT NULL);
CREATE TABLE security (symbol TEXT PRIMARY KEY, name TEXT NOT NULL, price DECIMAL(18, 2) NOT NULL);
CREATE TABLE holding (customer INTEGER, symbol TEXT, quantity INTEGER NOT NULL, PRIMARY KEY (customer, symbol));
CREATE TABLE trade (id INTEGER PRIMARY KEY, at TIMESTAMP NOT NULL DEFAULT now(), customer INTEGER NOT NULL,
  symbol TEXT NOT NULL, quantity INTEGER NOT NULL, price DECIMAL(18, 2) NOT NULL);
CREATE INDEX trade_by_customer ON trade (customer);

INSERT INTO customer (id, name, cash) VALUES
  (1, 'Ada', 9876.00), (2, 'Bela', 9689.50), (3, 'Caro', 8681.20), (4, 'Dino', 10000.00), (5, 'Elif', 9834.40);
INSERT INTO security (symbol, name, price) VALUES
  ('BREW', 'Morning Coffee', 12.40), ('CORK', 'Cork & Barrel', 31.05), ('DUNE', 'Dune Solar', 87.90),
  ('FERN', 'Fern Gardens', 4.50), ('LOOM', 'Loom Textiles', 21.15), ('RAIL', 'Night Trains', 55.20);
INSERT INTO holding (customer, symbol, quantity) VALUES
  (1, 'BREW', 10), (2, 'CORK', 10), (3, 'DUNE', 10), (3, 'RAIL', 8), (5, 'RAIL', 3);
INSERT INTO trade (id, customer, symbol, quantity, price) VALUES
  (1, 1, 'BREW', 10, 12.40), (2, 2, 'CORK', 10, 31.05), (3, 3, 'DUNE', 10, 87.90), (4, 3, 'RAIL', 8, 54.98),
  (5, 5, 'RAIL', 3, 55.20);

SCAN * FROM customer;
`
