// SPDX-License-Identifier: Apache-2.0
// Generated from openapi.yaml by `npm run generate`. Do not edit: `npm run check` compares.

export interface paths {
    readonly "/v1/query": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Run statements as one transaction
         * @description All statements are parsed before anything runs. They are one transaction, with or without
         *     one `BEGIN … COMMIT` around all of them, and `results[i]` answers statement `i` (a `BEGIN`
         *     or `COMMIT` has an empty result). On a conflict the server runs the transaction again, at
         *     most 8 times or for 2 s; `attempts` says how often it did.
         *
         *     A request that is only `BEGIN` opens a transaction over several requests (201). With
         *     `transaction`, the statements run inside an open one. `CREATE` and `DROP` statements stand
         *     alone: each is a transaction of its own, and what committed before a failing one stays. `GRANT`s
         *     and `REVOKE`s that follow each other are one transaction.
         *
         *     A request that is one `SCAN` is answered by the page. When there is more, the answer has a
         *     `cursor`; the same body with that `cursor` continues at the same snapshot.
         *
         *     Text without JSON is taken as it is under `text/plain` and `application/sql`. curl's default
         *     type `application/x-www-form-urlencoded` is taken as text too; there, a body without a newline
         *     whose `--` comment holds more than a note is refused, because `curl -d @file` has dropped the
         *     newlines: use `--data-binary @file`.
         *
         *     With `Idempotency-Key`, the answer of a request that wrote something is kept for 24 h by the
         *     same transaction, and the same request sent again with that key gets that answer
         *     (`Idempotent-Replayed: true`) and does nothing.
         *
         *     `format=ndjson` (or `Accept: application/x-ndjson`) streams one SCAN of any length: a line
         *     `{"row": …}` for each row, and a last line `{"end": …}`, or `{"error": …}` with a problem.
         *     `format=csv` (or `Accept: text/csv`) does the same as RFC 4180; of any other request it is the
         *     rows of the last statement that answers any. `format=table` is for people at a terminal: the
         *     layout of psql, and every error as text, with a caret under its place where it has one.
         */
        readonly post: operations["query"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/completions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * What may be written at a place of a text
         * @description For editors and shells. Names are those of tables that the caller may know of. `unfinished` says whether the
         *     text ends within a statement, so that a client needs no lexer of its own. Nothing is run.
         */
        readonly post: operations["getCompletions"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the open transactions
         * @description Those of the own token, the oldest first. With the right INSPECT all of them; of those of others there is the
         *     stamp in place of the id.
         */
        readonly get: operations["listTransactions"];
        readonly put?: never;
        /**
         * Open a transaction over several requests
         * @description The same as a query that is only `BEGIN`. The server ends it when it was idle for 30 s
         *     or open for 5 min (both configurable); an idle one blocks no other, because its writes are buffered.
         */
        readonly post: operations["openTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/{transaction}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The id that `BEGIN` answered. */
                readonly transaction: components["parameters"]["Transaction"];
            };
            readonly cookie?: never;
        };
        /**
         * The outcome of a transaction
         * @description Read from the transaction's own record, so that it survives a crash of the client or of the
         *     server. `unknown` means that the record is older than what the store keeps.
         */
        readonly get: operations["getTransaction"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Roll a transaction back
         * @description Nothing of it is kept. A statement that is running inside is stopped, and its client gets
         *     `statement_cancelled`; a commit under way is finished first, and then this is `transaction_closed` with the
         *     outcome. Repeating it answers the same.
         */
        readonly delete: operations["rollBackTransaction"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/{transaction}/query": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The id that `BEGIN` answered. */
                readonly transaction: components["parameters"]["Transaction"];
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Run statements inside an open transaction
         * @description Each statement is atomic in itself: one that fails leaves the transaction open as it was
         *     before it, except that an error with `retryable: true` (a conflict, `snapshot_too_old`) and
         *     an expired time limit end it, and so does a CHECK that fails (`check_failed`). A final `COMMIT` or `ROLLBACK` ends it too. One request at a
         *     time.
         */
        readonly post: operations["queryInTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/{transaction}/commit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The id that `BEGIN` answered. */
                readonly transaction: components["parameters"]["Transaction"];
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Commit a transaction
         * @description Once it is answered, the transaction is durable. Repeating the request answers the same, also
         *     after the server was restarted, so a lost answer costs nothing but the repetition. The id of
         *     the transaction serves as the idempotency key here; a header of that name is not needed.
         */
        readonly post: operations["commitTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/transactions/{transaction}/kill": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The start timestamp of the transaction, as its locks and its `step` frames name it, or the id that `BEGIN`
                 *     answered.
                 * @example 1793000000000000
                 */
                readonly transaction: string;
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Make a commit stand still as if its process had died
         * @description For people who watch what readers do about it; only with `--step-delay`, else it is `not_enabled`. Nothing that
         *     the commit would still do is done: its locks stand as they are, and its client gets
         *     `commit_outcome_unknown`. The process itself lives and says that this commit is over, so the next transaction
         *     that meets one of the locks does not wait until it has expired: it rolls the transaction back where the
         *     primary has no write record yet, and else forward. A transaction that is not committing at this moment is
         *     `unknown_transaction`.
         */
        readonly post: operations["killCommit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/scripts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Run definitions and other statements one after the other
         * @description The whole text is parsed before anything runs. Then each statement is a transaction of its own; a
         *     `BEGIN … COMMIT` is one as a whole, and so are `GRANT`s and `REVOKE`s that follow each other.
         *     Definitions stand outside of them. Each is run again on conflicts, as a
         *     query is. At the first one that fails the script stops: what was done before stays, and the error has `done`,
         *     `total` and `results`, and its place in the whole text. It goes on with `from`.
         *
         *     `note` is run first inside the transaction of each part, so that what it writes and the part are done both or
         *     not at all: a script that was cut off goes on at the statement that its note has. It changes no table that it
         *     writes.
         *
         *     There is no `Idempotency-Key`: a note does what it would do, for each part. Of rows that statements answer, the
         *     first `scriptRowsMax` come back, up to `scriptRowBytesMax` of rows and columns for all of them together.
         */
        readonly post: operations["runScript"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/describe": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * What is known of a statement before it runs
         * @description The columns that a statement answers, its parameters, and whether it writes: it is planned against the tables
         *     that the caller may know of, and refused as it would be when it ran. Nothing is read or run.
         */
        readonly post: operations["describeStatement"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tables": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Every table with its definition
         * @description In the order of their names.
         */
        readonly get: operations["listTables"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tables/{table}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
            };
            readonly cookie?: never;
        };
        /** The definition of one table */
        readonly get: operations["getTable"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tables/{table}/rows": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
            };
            readonly cookie?: never;
        };
        /**
         * A page of rows
         * @description One SCAN, answered by the page. Without `where` the rows come in the order of the key. A
         *     `where` that bounds no key is `unbounded_scan`, unless `index=primary` says that walking the
         *     whole table is meant. When there is more, the answer has a `cursor`; the same request with that
         *     `cursor` (and any `limit`) continues at the same snapshot. With `format=ndjson` or `csv` all
         *     rows are streamed, and `limit` is refused.
         */
        readonly get: operations["listRows"];
        readonly put?: never;
        /**
         * Insert one row, or several
         * @description An object is one row, an array several: all of them are inserted, or none. Columns that are
         *     left out take their defaults, and the answer has them. A key that has a row is
         *     `already_exists`, unless `mode` says what becomes of it.
         */
        readonly post: operations["insertRows"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tables/{table}/rows/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The primary key. The components of a composite one are joined by `,`; inside a component
                 *     `~1` is a comma and `~0` a tilde. `~2` is a dot, for a key that is only dots, which a URL takes
                 *     for another path, and `~3` is nothing, for an empty one. TIMESTAMP is ISO, BYTES base64url.
                 * @example bob
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        /**
         * One row
         * @description Its `ETag` changes with each commit of the row and with the columns of its table; the form that is asked for has a tag of its own.
         */
        readonly get: operations["getRow"];
        /**
         * Make a row, or replace it
         * @description The body is the whole row: columns that are left out take their defaults, not what they had.
         *     The key can be left out of the body; another one than in the path is refused.
         */
        readonly put: operations["putRow"];
        readonly post?: never;
        /** Delete a row */
        readonly delete: operations["deleteRow"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Change columns of a row
         * @description The columns of the body are set, the others stay. The row has to be there.
         */
        readonly patch: operations["patchRow"];
        readonly trace?: never;
    };
    readonly "/v1/tables/{table}/cells": {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The keys of the rows, each a parameter of its own, written as in a path.
                 * @example [
                 *       "bob",
                 *       "joe"
                 *     ]
                 */
                readonly key: readonly string[];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
            };
            readonly cookie?: never;
        };
        /**
         * Several rows as Percolator sees them
         * @description The cells of each row as `GET /v1/tables/{table}/cells/{key}` shows them, in the order of the keys: for
         *     example the rows of the primary and of a secondary of one transaction. A row without cells is shown
         *     without any. Whatever had committed at `timestamp` is shown. The newest records of all rows are read
         *     together: from an embedded store they are of one moment, and from a store that servers share each row is
         *     of a moment of its own.
         */
        readonly get: operations["getCellsOfRows"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tables/{table}/cells/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The primary key. The components of a composite one are joined by `,`; inside a component
                 *     `~1` is a comma and `~0` a tilde. `~2` is a dot, for a key that is only dots, which a URL takes
                 *     for another path, and `~3` is nothing, for an empty one. TIMESTAMP is ISO, BYTES base64url.
                 * @example bob
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        /**
         * A row as Percolator sees it
         * @description Every version that the store holds of the row, family by family and newest first, like
         *     Figure 4 of the Percolator paper: `data` holds values at their start timestamps, `lock` what
         *     a transaction under way has locked, `write` which version each commit published. A small
         *     value travels inside its lock and then its write record; it is shown under `data` with
         *     `inline: true`. A row that never existed has no cells. The values are read after the rest, and
         *     many of them in several steps, so that what commits meanwhile may be shown in part. A row
         *     whose cells are more than `answerBytesMax` is refused.
         */
        readonly get: operations["getCells"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/tables/{table}/indexes/{index}/cells/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The name of the index.
                 * @example byCustomer
                 */
                readonly index: string;
                /**
                 * @description The key of the entry, written as a primary key is: the values of the index's columns, `~4` for NULL,
                 *     and then those of the primary key. Where the index is unique and none of its values is NULL, the key
                 *     has no primary key.
                 * @example bob,7
                 */
                readonly key: string;
            };
            readonly cookie?: never;
        };
        /**
         * An entry of an index as Percolator sees it
         * @description Every version that the store holds of one entry, as `GET /v1/tables/{table}/cells/{key}` shows those of a
         *     row. `row` has the columns that the entry holds: those of the index, of the primary key and of STORING.
         */
        readonly get: operations["getCellsOfEntry"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/changes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * A subscription as lines of JSON
         * @description What commits change of the rows of one GET or one SCAN, as they do it: the frames of a
         *     subscription on a socket (`docs/websocket-protocol.md`), one in each line, without `id`. It goes
         *     on until the client goes, or ends in a line of the type `error`.
         */
        readonly get: operations["getChanges"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/socket": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Open a WebSocket
         * @description The handshake of the subprotocol `percolite.v1`: subscriptions, queries and transactions on
         *     one connection. Its frames are described in `docs/websocket-protocol.md`.
         */
        readonly get: operations["openSocket"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/principal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Who asks, and what it may do with the server */
        readonly get: operations["getPrincipal"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/limits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The limits of this server */
        readonly get: operations["getLimits"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How the server is doing */
        readonly get: operations["getStatus"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/locks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Locks that are in the store now
         * @description Locks of transactions that are committing, and of ones whose owner died; the latter are
         *     resolved by the next one who meets them, or by the next garbage collection.
         */
        readonly get: operations["listLocks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/activity": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The last ten minutes, second by second
         * @description Figures of `/metrics`, of which this server keeps one for each second, also when no client asks. Who has
         *     asked before names the `until` of that answer, and is told what came since then.
         */
        readonly get: operations["getActivity"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/conflicts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Who lost to whom, and the rows that most conflicts are on
         * @description Commits of this server that were refused because another transaction came first, each time that one was tried:
         *     the last `conflictsMax`, and of the last half hour to hour the rows with the most. A row with more than
         *     1 / `hotRowsMax` of all conflicts of that time is always among them.
         */
        readonly get: operations["listConflicts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/gateways": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Servers that share the store
         * @description Those that are alive, in the order of their names: a server tells where it is reached, and renews that every few
         *     seconds. Empty for a database in one process. While the store does not answer these are those that it named last.
         */
        readonly get: operations["listGateways"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/statements": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What statements come to, by their shapes
         * @description Since the start of this server, or since `DELETE`. A shape is the text of a statement without its values. With
         *     `--statement-statistics off` it is `not_enabled`.
         */
        readonly get: operations["listStatements"];
        readonly put?: never;
        readonly post?: never;
        /** Count statements from now on */
        readonly delete: operations["clearStatements"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/subscriptions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Subscriptions, and how far each has come
         * @description Those of this server, on sockets and as answers of `GET /v1/changes`. The furthest behind come first, before them
         *     those that are still reading their snapshot.
         */
        readonly get: operations["listSubscriptions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/running": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Statements that are running now
         * @description The oldest first: queries and requests on rows, streams, snapshots of subscriptions, commits, checks of the
         *     store and observers of this process. Subscriptions that only follow changes are not listed, nor is what is
         *     answered in the turn in which it arrives.
         */
        readonly get: operations["listRunning"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/running/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description As the list says. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Stop a statement that is running
         * @description Its client gets `statement_cancelled`, and nothing of it is kept. It stops at its next turn. What is
         *     `committing` is finished all the same, and its client gets its response.
         */
        readonly delete: operations["cancelRunning"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/observers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How the observers are doing
         * @description What they have still to be told, what has failed, and what this server has run of them since
         *     it started. `docs/observers.md` explains the figures.
         */
        readonly get: operations["listObservers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/observers/{observer}/deadLetters": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                readonly observer: string;
            };
            readonly cookie?: never;
        };
        /**
         * Rows for which an observer has failed too often, by pages
         * @description By row, until RESUME, REPLAY or a new change of the row. When there is more, the answer has a `next`, which is
         *     the `after` of the next page; a page that has one may be short, or empty, where many are being taken up again.
         */
        readonly get: operations["listDeadLetters"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether every cell of the store is as it should be
         * @description Reads the whole store, so it takes time, and other requests go on meanwhile. A problem means
         *     that data was damaged, or a bug. One check runs at a time; those
         *     who ask meanwhile share the next one.
         */
        readonly get: operations["checkStore"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/move": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How far a move of the database is */
        readonly get: operations["getMove"];
        readonly put?: never;
        /**
         * Move the database into another store
         * @description What `percolite move --from http://…` asks for; only with `--allow-move`. One move runs at a time, and it
         *     goes on where an earlier one was cut off. At its end this server takes no writes any more.
         */
        readonly post: operations["beginMove"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/backups": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The backups that this server has made
         * @description By name, with the one that is being made, and what failed or was cut off. When there are more, the answer has a
         *     `cursor`; the same request with that `cursor` (and any `limit`) continues behind the last name.
         */
        readonly get: operations["listBackups"];
        readonly put?: never;
        /**
         * Copy the database while it is used
         * @description What `percolite backup --url` asks for; only with `--backups DIR`, where the copy is written. One is made at a
         *     time. It has every commit that was acknowledged before one moment, and none from after it.
         */
        readonly post: operations["createBackup"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/backups/{name}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The name of a backup, which is also that of its folder. */
                readonly name: components["parameters"]["BackupName"];
            };
            readonly cookie?: never;
        };
        /** How far a backup is, or what it has */
        readonly get: operations["getBackup"];
        readonly put?: never;
        readonly post?: never;
        /** End or remove a backup, or what is left of one */
        readonly delete: operations["deleteBackup"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/backups/{name}/file": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The name of a backup, which is also that of its folder. */
                readonly name: components["parameters"]["BackupName"];
            };
            readonly cookie?: never;
        };
        /** The file of a backup, with all rows of the database */
        readonly get: operations["getBackupFile"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The server's name and version, and where its documentation is */
        readonly get: operations["getRoot"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/healthz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the process is alive */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/readyz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Whether the server takes work
         * @description It does from the start until it is told to stop, while its store answers: after five seconds without an answer of
         *     a store on other machines this is 503 `store_unavailable`. What an operator should see to while everything is
         *     served that can be (a full disk, a clock that has jumped) stands in `warnings`, and the status stays 200.
         */
        readonly get: operations["getReadiness"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Figures of the server for Prometheus
         * @description Requests by operation and status, transactions, commits, the feed, subscriptions, observers, the
         *     store, and the process. `docs/http-api.md` lists them.
         */
        readonly get: operations["getMetrics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.yaml": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This document */
        readonly get: operations["getOpenApiYaml"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This document as JSON */
        readonly get: operations["getOpenApiJson"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description Microseconds since 1970, from the timestamp oracle.
         * @example 1793000000000000
         */
        readonly Stamp: number;
        /**
         * @description Which history of which store: 128 random bits, made with the store and renewed when a copy of it
         *     is put back; and after a dot its epoch, which each start of a store with one server begins.
         * @example 3f0c9a1d5b7e48209c6d1e2f3a4b5c6d.00065e7a01b3c001f4a9d03b
         */
        readonly HistoryId: string;
        /**
         * @description Opaque; equal as long as a rule of the role and what the token says to it show the same rows.
         * @example k3Jx0qYw7Zb1mN5c
         */
        readonly ViewId: string;
        /**
         * @description Opaque; the stamp of its snapshot, a point, and 128 random bits.
         * @example 1793000000000000.8f14e45fceea167a5a36dedd4bea2543
         */
        readonly TransactionId: string;
        /** @description Read the past, at a stamp or an ISO time; nothing can be written then. */
        readonly AsOf: number | string;
        /**
         * @description Lines of JSON: `{"row": …}` for each row, then `{"end": {"rows", "readTimestamp"}}`, or
         *     `{"error": …}` with a problem. Without one of these two the answer is incomplete.
         */
        readonly StreamText: string;
        /**
         * @description Lines of JSON, each with a `type`: `subscribed`, `rows`, `snapshotEnd`, `change`, `progress`,
         *     and at the end `error` with the fields of a problem but its `type`.
         */
        readonly ChangeText: string;
        /**
         * @description RFC 4180, the names of the columns first. NULL is an empty field, an empty text `""`. An error
         *     on the way breaks the connection off.
         */
        readonly CsvText: string;
        /** @description Text for a terminal; its layout may change. */
        readonly TableText: string;
        /** @description One statement or several, separated by `;`. */
        readonly StatementText: string;
        /**
         * @description The type of a column. More may be added.
         * @example TEXT
         * @example INTEGER
         * @example REAL
         * @example BOOLEAN
         * @example BYTES
         * @example TIMESTAMP
         * @example JSON
         */
        readonly SqlType: string;
        /**
         * @description An array for `$1 …`, an object for `:name`.
         * @example [
         *       "bob",
         *       7
         *     ]
         * @example {
         *       "id": "bob"
         *     }
         */
        readonly Parameters: readonly unknown[] | {
            readonly [key: string]: unknown;
        };
        /**
         * @description `number`: a number within ±(2^53−1), beyond that a decimal string. `string`: every INTEGER is
         *     a decimal string.
         * @default number
         * @enum {string}
         */
        readonly IntegerFormat: "number" | "string";
        /**
         * @description How many rows a page of a SCAN has at most.
         * @default 1000
         */
        readonly PageSize: number;
        /**
         * @description How long a statement may run, in milliseconds. It shortens the time that the server is
         *     configured with and never lengthens it.
         */
        readonly TimeoutMs: number;
        /** @description The `cursor` of the page before. Opaque. */
        readonly Cursor: string;
        readonly QueryRequest: components["schemas"]["SqlRequest"] | components["schemas"]["StatementsRequest"];
        readonly SqlRequest: {
            readonly sql: components["schemas"]["StatementText"];
            readonly params?: components["schemas"]["Parameters"];
            readonly transaction?: components["schemas"]["TransactionId"];
            readonly keepOpen?: components["schemas"]["KeepOpen"];
            readonly cursor?: components["schemas"]["Cursor"];
            readonly pageSize?: components["schemas"]["PageSize"];
            readonly asOf?: components["schemas"]["AsOf"];
            readonly history?: components["schemas"]["HistoryId"];
            readonly integers?: components["schemas"]["IntegerFormat"];
            readonly timeoutMs?: components["schemas"]["TimeoutMs"];
        };
        readonly StatementsRequest: {
            readonly statements: readonly components["schemas"]["StatementWithParameters"][];
            readonly transaction?: components["schemas"]["TransactionId"];
            readonly keepOpen?: components["schemas"]["KeepOpen"];
            readonly asOf?: components["schemas"]["AsOf"];
            readonly history?: components["schemas"]["HistoryId"];
            readonly integers?: components["schemas"]["IntegerFormat"];
            readonly timeoutMs?: components["schemas"]["TimeoutMs"];
        };
        /**
         * @description BEGIN and the statements after it open a transaction over several requests: the answer names it
         *     with their results. When one of them fails, nothing stays open.
         */
        readonly KeepOpen: boolean;
        /** @description Exactly one statement and its own parameters. */
        readonly StatementWithParameters: {
            readonly sql: components["schemas"]["StatementText"];
            readonly params?: components["schemas"]["Parameters"];
        };
        readonly TransactionQueryRequest: components["schemas"]["TransactionSqlRequest"] | components["schemas"]["TransactionStatementsRequest"];
        readonly TransactionSqlRequest: {
            readonly sql: components["schemas"]["StatementText"];
            readonly params?: components["schemas"]["Parameters"];
            readonly cursor?: components["schemas"]["Cursor"];
            readonly pageSize?: components["schemas"]["PageSize"];
            readonly history?: components["schemas"]["HistoryId"];
            readonly integers?: components["schemas"]["IntegerFormat"];
            readonly timeoutMs?: components["schemas"]["TimeoutMs"];
        };
        readonly TransactionStatementsRequest: {
            readonly statements: readonly components["schemas"]["StatementWithParameters"][];
            readonly history?: components["schemas"]["HistoryId"];
            readonly integers?: components["schemas"]["IntegerFormat"];
            readonly timeoutMs?: components["schemas"]["TimeoutMs"];
        };
        readonly CompletionRequest: {
            readonly sql: components["schemas"]["StatementText"];
            /** @description The place, in UTF-16 code units; the end of the text unless given, or where it is beyond that. */
            readonly offset?: number;
        };
        readonly Completions: {
            /** @description Where the text of an item begins; it replaces what stands from there to the offset. */
            readonly from: number;
            /** @description At most `completionItemsMax`. */
            readonly items: readonly components["schemas"]["CompletionItem"][];
            /** @description There are others beyond these. */
            readonly more: boolean;
            /** @description What could come at the place, in the words of a syntax error. */
            readonly expected: readonly string[];
            /** @description The text ends in a statement that has no `;` at its end, or within a string, a quoted name or a comment. */
            readonly unfinished: boolean;
            /** @description How many there are in the text, with one that is unfinished. */
            readonly statements: number;
        };
        readonly CompletionItem: {
            /** @description With quotes where the name needs them. */
            readonly text: string;
            /**
             * @example keyword
             * @example type
             * @example function
             * @example table
             * @example column
             * @example index
             * @example observer
             */
            readonly kind: string;
            /** @description For people; the type and the table of a column, the key of a table. */
            readonly detail?: string;
        };
        readonly QueryAnswer: {
            /** @description One for each statement, in their order. */
            readonly results: readonly components["schemas"]["StatementResult"][];
            readonly readTimestamp: components["schemas"]["Stamp"];
            /** @description Present when something was written and committed. */
            readonly commitTimestamp?: components["schemas"]["Stamp"];
            /** @description How often the transaction was run; more than 1 after conflicts. */
            readonly attempts: number;
            /** @description Present when there is more; absent means that the answer is complete. */
            readonly cursor?: components["schemas"]["Cursor"];
            /** @description With `keepOpen`, the transaction that stays open. */
            readonly transaction?: components["schemas"]["TransactionId"];
            /**
             * Format: date-time
             * @description Comes with `transaction`; when it ends if nothing more is sent.
             */
            readonly expiresAt?: string;
        };
        readonly StatementResult: {
            readonly columns: readonly components["schemas"]["ResultColumn"][];
            /**
             * @description Each row is an object by column name. That of EXPLAIN (`kind`) has `text` for people, and `plan`, which is
             *     an `Explanation`.
             */
            readonly rows: readonly components["schemas"]["Row"][];
            /** @description How many rows the statement wrote or deleted. */
            readonly rowsAffected: number;
            /**
             * @description Why a `SET … IF` wrote nothing: there is no row (`missing`), there is one (`exists`), or
             *     the condition is not TRUE of it (`condition`).
             * @example missing
             * @example exists
             * @example condition
             */
            readonly unmet?: string;
            /**
             * @description What its rows are, where they are not those of a table: `explain`, one plan. Columns of the same names are
             *     no plan without it.
             * @example explain
             */
            readonly kind?: string;
        };
        /** @description What EXPLAIN tells of a plan. Conditions are texts, as they stand in the statement. */
        readonly Explanation: {
            /** @enum {unknown} */
            readonly statement: "GET" | "SCAN" | "SET" | "INSERT" | "DELETE" | "CHECK" | "NOTIFY";
            readonly table: string;
            /**
             * @description The key that leads to the rows.
             * @example PRIMARY KEY (customer, time DESC)
             * @example INDEX byOwner (owner)
             */
            readonly key: string;
            /** @description Why this key was taken. */
            readonly rule: string;
            /** @enum {unknown} */
            readonly access: "point get" | "range scan" | "whole key";
            /** @description What bounds the key. */
            readonly bounds: components["schemas"]["Conditions"];
            /** @description What entries of the index are filtered by, before a row is read. */
            readonly entryFilter?: components["schemas"]["Conditions"];
            /** @description What rows are filtered by after they are read. */
            readonly filter: components["schemas"]["Conditions"];
            /**
             * @description How a condition that filters is written so that it bounds a key.
             * @example city < :city OR (city = :city AND id > :id) is written city <= :city AND (city < :city OR id > :id), which bounds city
             */
            readonly advice?: string;
            /** @description What the rule of the role lets be seen or written. */
            readonly rowRule?: components["schemas"]["Conditions"];
            /** @description Tables that rows are looked up in, in the order of the statement. */
            readonly lookups?: readonly components["schemas"]["ExplainedLookup"][];
            /** @description Of an index, whether its entries hold all that is read, so that no row is. */
            readonly covering?: boolean;
            /**
             * @description The order of the walk, or that rows or groups are sorted.
             * @example as asked
             * @example forward
             * @example reverse
             * @example top 10 of the range
             */
            readonly order?: string;
            /** @description What rows or groups are sorted by. */
            readonly sortedBy?: readonly string[];
            /** @description What is read when it is known which rows are returned. */
            readonly readLast?: string;
            /** @description How rows become groups. */
            readonly groups?: string;
            /** @description What groups are filtered by. */
            readonly having?: string;
            readonly limit?: string;
            /** @description Every other key of the table, and why it was not taken. */
            readonly rejected: readonly {
                readonly key: string;
                readonly reason: string;
            }[];
            /** @description What is written. */
            readonly writes?: string;
            /** @description Checks of the table that what is written may fail. */
            readonly checks?: readonly string[];
            readonly returning?: readonly string[];
            readonly measured?: components["schemas"]["ExplainedFigures"];
        };
        readonly Conditions: readonly string[];
        readonly ExplainedLookup: {
            readonly table: string;
            /** @description What its columns are qualified with. */
            readonly name: string;
            readonly key: string;
            /** @description What gives the key. */
            readonly by: components["schemas"]["Conditions"];
            readonly optional: boolean;
            readonly covering?: boolean;
            readonly rowRule?: components["schemas"]["Conditions"];
            /** @description What is checked as soon as the row was looked up. */
            readonly filter: components["schemas"]["Conditions"];
        };
        /**
         * @description What EXPLAIN ANALYZE has counted. What was read is absent where a rule hides rows, because the walk passes these,
         *     too.
         */
        readonly ExplainedFigures: {
            readonly rowsRead?: number;
            readonly entriesRead?: number;
            readonly cellsRead?: number;
            /** @description To the store, for a multi-get or a page of a range. */
            readonly roundTrips?: number;
            /** @description Of each look-up; what it read is among the figures above, too. */
            readonly lookups?: readonly {
                readonly keys: number;
                readonly rows: number;
                readonly roundTrips: number;
            }[];
            readonly rowsReturned: number;
            readonly rowsAffected: number;
            readonly milliseconds?: number;
        };
        readonly ResultColumn: {
            readonly name: string;
            readonly type: components["schemas"]["SqlType"];
        };
        readonly ScriptRequest: {
            readonly sql: components["schemas"]["StatementText"];
            /** @description How many statements of the text are done already; it goes on with the next one. */
            readonly from?: number;
            readonly note?: components["schemas"]["ScriptNote"];
            readonly integers?: components["schemas"]["IntegerFormat"];
            readonly timeoutMs?: components["schemas"]["TimeoutMs"];
        };
        /**
         * @description Statements that run first inside the transaction of each part; after a part that writes nothing (a `ROLLBACK`,
         *     a reading of the past) in one of their own. The server gives them `:before` and `:done`, the numbers of
         *     statements that are done before the part and after it, `:total`, and `:length` and `:checksum`: the characters
         *     of the text up to the end of the part, without blanks there, and their SHA-256 in hexadecimal digits.
         */
        readonly ScriptNote: {
            readonly sql: components["schemas"]["StatementText"];
            /** @description Its other parameters, by their names. */
            readonly params?: {
                readonly [key: string]: string | number | boolean | null;
            };
        };
        readonly ScriptAnswer: {
            /** @description How many statements of the text are done, those before `from` included. */
            readonly done: number;
            /** @description How many statements the text has. */
            readonly total: number;
            /** @description One for each statement that this request has done. */
            readonly results: readonly components["schemas"]["ScriptResult"][];
        };
        readonly ScriptResult: {
            /** @description Its number in the text, from 0. */
            readonly statement: number;
            /**
             * @example createTable
             * @example grant
             * @example insert
             * @example set
             * @example scan
             * @example begin
             * @example commit
             */
            readonly kind: string;
            readonly line: number;
            /** @description In UTF-16 code units, from 1. */
            readonly column: number;
            readonly columns: readonly components["schemas"]["ResultColumn"][];
            /** @description The first ones. */
            readonly rows: readonly components["schemas"]["Row"][];
            readonly rowsAffected: number;
            /**
             * @description There are others beyond these, which a `SCAN` has not read; or there was no room for all rows, or columns
             *     either.
             */
            readonly moreRows?: boolean;
            /**
             * @description Why a `SET … IF` wrote nothing.
             * @example missing
             * @example exists
             * @example condition
             */
            readonly unmet?: string;
            /** @description Of the transaction that it was done in, where that has written something. */
            readonly commitTimestamp?: components["schemas"]["Stamp"];
        };
        readonly DescribeRequest: {
            readonly sql: components["schemas"]["StatementText"];
        };
        readonly DescribedStatement: {
            /**
             * @example get
             * @example scan
             * @example set
             * @example insert
             * @example delete
             * @example createTable
             */
            readonly kind: string;
            /** @description Of the rows that it answers; absent where they are made as it runs, as by `SHOW`. */
            readonly columns?: readonly components["schemas"]["DescribedColumn"][];
            /** @description Each once, in the order of the plan. */
            readonly parameters: readonly components["schemas"]["DescribedParameter"][];
            /** @description Whether it changes rows, definitions or access. */
            readonly writes: boolean;
            /** @description Of CREATE, ALTER and DROP of tables, indexes and observers, the names in the statement. */
            readonly defines?: {
                readonly table?: string;
                readonly index?: string;
                readonly observer?: string;
            };
        };
        readonly DescribedColumn: {
            readonly name: string;
            readonly type: components["schemas"]["SqlType"];
            /** @description Absent where only the values would tell. */
            readonly nullable?: boolean;
        };
        readonly DescribedParameter: {
            /** @description `id` for `:id`, 1 for `$1`. */
            readonly name: string | number;
            /** @description Absent where it stands in places of several types, and after AS OF. */
            readonly type?: components["schemas"]["SqlType"];
            /** @description It is an array of values of that type, after IN. */
            readonly list?: boolean;
        };
        readonly Row: {
            readonly [key: string]: components["schemas"]["Value"];
        };
        readonly NewRows: components["schemas"]["Row"] | components["schemas"]["RowList"];
        readonly InsertedRows: components["schemas"]["Row"] | components["schemas"]["WrittenRows"] | components["schemas"]["DescribedRow"] | components["schemas"]["DescribedRows"] | components["schemas"]["WrittenCounts"];
        /** @description The answer with `return=minimal`. */
        readonly WrittenCounts: {
            /** @description Rows that were inserted or put. */
            readonly rowsAffected: number;
            /** @description Rows that `mode=skip` left out. */
            readonly skipped: number;
            /** @description The stamp of the commit; null where nothing was written. */
            readonly commitTimestamp: components["schemas"]["Stamp"] | null;
        };
        readonly AnsweredRow: components["schemas"]["Row"] | components["schemas"]["DescribedRow"];
        /** @description The answer with `described=true`. */
        readonly DescribedRow: {
            readonly columns: readonly components["schemas"]["ResultColumn"][];
            readonly row: components["schemas"]["Row"];
        };
        readonly DescribedRows: {
            readonly columns: readonly components["schemas"]["ResultColumn"][];
            readonly rows: components["schemas"]["WrittenRows"];
        };
        /** @description Those that were inserted or put; none where `mode=skip` left all of them out. */
        readonly WrittenRows: readonly components["schemas"]["Row"][];
        readonly RowList: readonly components["schemas"]["Row"][];
        readonly RowPage: {
            readonly columns: readonly components["schemas"]["ResultColumn"][];
            readonly rows: readonly components["schemas"]["Row"][];
            readonly readTimestamp: components["schemas"]["Stamp"];
            /** @description Present when there is more. */
            readonly cursor?: components["schemas"]["Cursor"];
        };
        /** @description A value in the JSON form of its column's type. */
        readonly Value: unknown;
        readonly OpenTransactionRequest: {
            /**
             * @description Refuse writes.
             * @default false
             */
            readonly readOnly?: boolean;
            readonly asOf?: components["schemas"]["AsOf"];
            readonly history?: components["schemas"]["HistoryId"];
        };
        readonly OpenedTransaction: {
            readonly transaction: components["schemas"]["TransactionId"];
            readonly readTimestamp: components["schemas"]["Stamp"];
            /**
             * Format: date-time
             * @description When it ends if nothing is sent. Each request moves it on.
             */
            readonly expiresAt: string;
        };
        readonly OpenTransaction: {
            readonly transaction: components["schemas"]["TransactionId"];
            readonly readTimestamp: components["schemas"]["Stamp"];
            readonly readOnly: boolean;
            /** @description Whether a request is running inside it now. */
            readonly busy: boolean;
            /** Format: date-time */
            readonly openedAt: string;
            /** Format: date-time */
            readonly expiresAt: string;
            /** @description Since its last request; 0 while one is running inside. */
            readonly idleMs: number;
            /** @description Whose shares it takes from, as in `GET /v1/running`. */
            readonly client: string;
            /** @description How many have run inside. */
            readonly statements: number;
            /**
             * @description The kind of the last statement that has run inside, and its table, as `SET account`; never its text or its
             *     values. Absent before the first.
             */
            readonly last?: string;
            /** @description What it has written and not committed. */
            readonly bytes: number;
            /** @description The rows that it has written or guarded. */
            readonly writes: readonly {
                readonly table: string;
                readonly rows: number;
            }[];
        };
        readonly TransactionList: {
            readonly transactions: readonly components["schemas"]["OpenTransaction"][];
            /** @description How many are open, listed or not. */
            readonly total: number;
        };
        readonly RunningStatement: {
            /** @description What `DELETE /v1/running/{id}` takes. */
            readonly id: string;
            /**
             * @description The operation of this document; `subscribe` for a snapshot on a socket, `observer` for a run in this
             *     process.
             */
            readonly operation: string;
            /** @description Whose shares it takes from. */
            readonly client: string;
            /**
             * @description Whether it waits for its turn, runs, or is being committed.
             * @enum {string}
             */
            readonly state: "waiting" | "running" | "committing";
            /** @description Milliseconds since it arrived. */
            readonly ageMs: number;
            /**
             * @description The text with a `?` for each literal and without the values of parameters, cut after 500 characters for
             *     each statement.
             */
            readonly statement?: string;
        };
        readonly RunningList: {
            readonly running: readonly components["schemas"]["RunningStatement"][];
            /** @description How many are running, listed or not. */
            readonly total: number;
        };
        readonly StatementStatistics: {
            /**
             * Format: date-time
             * @description What came before is not counted.
             */
            readonly since: string;
            /** @description How many shapes there are, listed or not. */
            readonly total: number;
            /** @description How many shapes have given way to others. */
            readonly forgotten: number;
            readonly statements: readonly components["schemas"]["ShapeStatistics"][];
        };
        readonly ShapeStatistics: {
            /**
             * @description The text with a `?` for each literal and without the values of parameters, cut after 500 characters. Of what
             *     has no text, the operation, kind and table.
             */
            readonly statement: string;
            /** @description Absent, with `access` and `key`, where no rows are looked for. */
            readonly table?: string;
            /** @description As EXPLAIN has it, of the definitions with which it was planned last. */
            readonly access?: components["schemas"]["Explanation"]["access"];
            readonly key?: string;
            /** @description How often it ran, failed runs among them. */
            readonly count: number;
            /** @description Failed runs by the code of their error. */
            readonly errors: {
                readonly [key: string]: number;
            };
            /** @description The milliseconds of all runs together, without parsing, waiting to begin and the commit. */
            readonly totalMs: number;
            readonly p50Ms: number;
            readonly p99Ms: number;
            readonly maxMs: number;
            readonly rowsReturned: number;
            readonly rowsWritten: number;
        };
        readonly OpenSubscription: {
            /** @description Whose shares it takes from, as in `GET /v1/running`. */
            readonly client: string;
            /** @description The text with a `?` for each literal and without the values of parameters, cut after 500 characters. */
            readonly statement: string;
            /**
             * @description `live` is told of commits as they come; `catchingUp` reads its snapshot or history, at first or because its
             *     client was too slow; `paused` by a `pause` frame of its client.
             * @enum {string}
             */
            readonly state: "live" | "catchingUp" | "paused";
            /** @description It was sent everything up to here, or needs none of it; absent while it reads its snapshot. */
            readonly position?: components["schemas"]["Stamp"];
            /** @description How far that is behind what subscribers can have by now. */
            readonly lagMs?: number;
            /** @description How many changes it was sent. */
            readonly told: number;
            /** @description Bytes that wait for its client to take them; on a socket, of all of its frames together. */
            readonly unsentBytes: number;
        };
        readonly SubscriptionList: {
            readonly subscriptions: readonly components["schemas"]["OpenSubscription"][];
            /** @description How many there are, listed or not. */
            readonly total: number;
        };
        readonly TransactionOutcome: {
            readonly transaction: components["schemas"]["TransactionId"];
            /** @enum {string} */
            readonly status: "active" | "committed" | "rolledBack" | "unknown";
            /** @description With `committed`; null when the transaction wrote nothing. */
            readonly commitTimestamp?: components["schemas"]["Stamp"] | null;
            /** @description With `rolledBack`, why, where that is known. */
            readonly reason?: string;
            /**
             * Format: date-time
             * @description With `active`.
             */
            readonly expiresAt?: string;
        };
        readonly CommitAnswer: {
            /** @description Null when the transaction wrote nothing. */
            readonly commitTimestamp: components["schemas"]["Stamp"] | null;
        };
        readonly TableList: {
            readonly tables: readonly components["schemas"]["Table"][];
        };
        readonly Table: {
            readonly name: string;
            /**
             * @description No other table of this database has had it, so that one that was dropped and made again has another. It
             *     tells nothing else.
             */
            readonly id: string;
            /** @description In the order of CREATE TABLE. */
            readonly columns: readonly components["schemas"]["TableColumn"][];
            /** @description In key order. */
            readonly primaryKey: readonly components["schemas"]["KeyColumn"][];
            /** @description Columns that are stored apart from the others, as FAMILY declared them. */
            readonly families: readonly components["schemas"]["TableFamily"][];
            /** @description In the order of their creation, whatever their state. */
            readonly indexes: readonly components["schemas"]["TableIndex"][];
            /** @description In the order of their creation, whatever their state. */
            readonly observers: readonly components["schemas"]["TableObserver"][];
            /** @description What its rows have to meet, in the order of their creation. */
            readonly checks: readonly components["schemas"]["TableCheck"][];
        };
        readonly TableCheck: {
            readonly name: string;
            /** @description No row is written for which it is FALSE. */
            readonly condition: string;
            /**
             * @description `adding`: what is written meets it, and the rows of before have not all been looked at. `ready`.
             * @example adding
             * @example ready
             */
            readonly state: string;
        };
        readonly TableObserver: {
            readonly name: string;
            /** @description It is told without a conflict, and takes the hints of NOTIFY. */
            readonly weak: boolean;
            /** @description A SET that names one of them notifies it, as every INSERT and DELETE does. */
            readonly columns: readonly string[];
            /**
             * @description `active`, or `paused`: it is notified, and nothing runs.
             * @example active
             * @example paused
             */
            readonly state: string;
            /** @description Whether it has been told of all rows that CREATE OBSERVER or a REPLAY asked for. */
            readonly backfilled: boolean;
        };
        readonly TableFamily: {
            readonly name: string;
            readonly columns: readonly string[];
        };
        readonly TableIndex: {
            readonly name: string;
            readonly unique: boolean;
            /** @description In key order. */
            readonly columns: readonly components["schemas"]["KeyColumn"][];
            /** @description Further columns that its entries carry. */
            readonly storing: readonly string[];
            /**
             * @description `building`: writers keep it, no read uses it yet. `ready`. `failed`: rows that were there
             *     break its uniqueness, and it can only be dropped.
             * @example building
             * @example ready
             * @example failed
             */
            readonly state: string;
            /** @description While it is building, how many rows are done. */
            readonly rowsDone?: number;
            /** @description Why it failed, a sentence. */
            readonly failure?: string;
        };
        readonly TableColumn: {
            readonly name: string;
            readonly type: components["schemas"]["SqlType"];
            readonly notNull: boolean;
            /** @description The declared family that holds it. */
            readonly family?: string;
            readonly default?: components["schemas"]["ColumnDefault"];
        };
        /** @description A `value`, a `function` that is evaluated for each new row, or an `identity`, whose numbers the store hands out. */
        readonly ColumnDefault: {
            readonly value?: components["schemas"]["Value"];
            /**
             * @description `always`: no other number is taken, but by `overriding=system`. `byDefault`: where none is given.
             * @example always
             * @example byDefault
             */
            readonly identity?: string;
            /**
             * @example now
             * @example uuid
             */
            readonly function?: string;
        };
        readonly KeyColumn: {
            readonly column: string;
            /** @description Of an index: where in the column, which is JSON, the TEXT of this part stands, as it is written after the name of the column: `->>'city'`, `->'address'->>'zip'`. Absent where the part is the column itself. */
            readonly path?: string;
            readonly descending: boolean;
        };
        readonly RowCells: {
            readonly table: string;
            /** @description The index whose entry it is; absent for a row. */
            readonly index?: string;
            /** @description The values of the primary key, in key order; of an entry, those of its own key. */
            readonly key: readonly components["schemas"]["Value"][];
            /** @description Values at the start timestamps of the transactions that wrote them. */
            readonly data: readonly components["schemas"]["DataCell"][];
            /** @description Locks at the start timestamps of the transactions that hold them. */
            readonly lock: readonly components["schemas"]["LockCell"][];
            /** @description Write records at commit timestamps, each naming the start timestamp of its data. */
            readonly write: readonly components["schemas"]["WriteCell"][];
            /** @description Marks at the start timestamps of transactions that were rolled back here. */
            readonly rollback: readonly components["schemas"]["PlainCell"][];
            /** @description Commit timestamps of transactions that guarded the row without writing it. */
            readonly guard: readonly components["schemas"]["PlainCell"][];
            /** @description Notifications for observers. */
            readonly notify: readonly components["schemas"]["PlainCell"][];
        };
        readonly CellsOfRows: {
            /** @description Whatever had committed then is shown. */
            readonly timestamp: components["schemas"]["Stamp"];
            /** @description In the order of the keys that were asked for. */
            readonly rows: readonly components["schemas"]["RowCells"][];
        };
        readonly PlainCell: {
            readonly column: string;
            readonly timestamp: components["schemas"]["Stamp"];
        };
        readonly DataCell: {
            readonly column: string;
            readonly timestamp: components["schemas"]["Stamp"];
            /** @description Whether the value stands in the lock or the write record. */
            readonly inline: boolean;
            /** @description The name of the family, where it was declared. */
            readonly family?: string;
            /** @description The value as the columns that it holds and the key, where it can be decoded. */
            readonly row?: components["schemas"]["Row"];
            /** @description The value in base64, where it cannot. */
            readonly value?: string;
        };
        readonly LockCell: {
            readonly column: string;
            readonly timestamp: components["schemas"]["Stamp"];
            /**
             * @description What the transaction will have done here.
             * @example put
             * @example delete
             * @example guard
             */
            readonly kind: string;
            readonly primary: components["schemas"]["CellAddress"];
            /** @description Whether this lock is the primary itself. */
            readonly isPrimary: boolean;
            /** @description The process that holds it. */
            readonly owner: string;
            /**
             * Format: date-time
             * @description When the owner locked it, or last said that it still works on it.
             */
            readonly lockedAt: string;
        };
        readonly WriteCell: {
            readonly column: string;
            readonly timestamp: components["schemas"]["Stamp"];
            /**
             * @example put
             * @example delete
             */
            readonly kind: string;
            readonly startTimestamp: components["schemas"]["Stamp"];
        };
        /**
         * @description The last mutation that the commit has sent, none where it had sent none: its step, and its row as in
         *     `CellAddress`.
         */
        readonly StoppedCommit: {
            /** @description Its start timestamp. */
            readonly transaction: components["schemas"]["Stamp"];
            /**
             * @example prewrite
             * @example commit
             * @example commitSecondary
             */
            readonly step?: string;
            readonly table?: string;
            readonly key?: readonly components["schemas"]["Value"][];
            readonly index?: string;
            readonly system?: string;
            readonly rowKey?: string;
        };
        /**
         * @description A column of a row. `table` and `key` name a row of a table, `table` and `index` an entry of an
         *     index, `system` a row that the store keeps for itself.
         */
        readonly CellAddress: {
            readonly table?: string;
            readonly key?: readonly components["schemas"]["Value"][];
            readonly index?: string;
            readonly system?: string;
            /** @description The raw row key in base64, where its table is gone. */
            readonly rowKey?: string;
            readonly column: string;
        };
        readonly Activity: {
            /** @description Milliseconds of one step. */
            readonly stepMs: number;
            /**
             * Format: date-time
             * @description When the first step of this answer began.
             */
            readonly from: string;
            /** @description When the last one ended, in microseconds since 1970; to be sent as `since`. */
            readonly until: number;
            readonly series: {
                /** @description Transactions of clients that were committed and wrote something. */
                readonly commits: components["schemas"]["Figures"];
                /** @description Those that wrote nothing. */
                readonly reads: components["schemas"]["Figures"];
                /** @description Commits that were refused because another transaction came first. */
                readonly conflicts: components["schemas"]["Figures"];
                /** @description HTTP requests that were answered. */
                readonly requests: components["schemas"]["Figures"];
                /** @description Changes that were sent to subscriptions. */
                readonly changes: components["schemas"]["Figures"];
                /**
                 * @description How far the feed of changes was behind. With a store that servers share, or two-phase commits, it is known
                 *     only while a client asks.
                 */
                readonly feedLagMs: components["schemas"]["Figures"];
                /** @description Half of the HTTP requests began to be answered within this, to the buckets of `/metrics`. */
                readonly p50Ms: components["schemas"]["Figures"];
                /** @description 99 % of them did. */
                readonly p99Ms: components["schemas"]["Figures"];
                /** @description The write-ahead log of the store; null where it has none. */
                readonly logBytes: components["schemas"]["Figures"];
            };
        };
        /** @description One for each step; null where it is not known, as of a percentile of no requests. */
        readonly Figures: readonly (number | null)[];
        readonly ConflictList: {
            /**
             * Format: date-time
             * @description When this server began to count.
             */
            readonly since: string;
            /** @description How many there have been since then, of all tables. */
            readonly total: number;
            readonly recent: readonly components["schemas"]["Conflict"][];
            /**
             * Format: date-time
             * @description From when on the conflicts of `hot` are counted.
             */
            readonly hotSince: string;
            readonly hot: readonly components["schemas"]["HotRow"][];
        };
        /**
         * @description `table` and `key` name a row of a table, `table` and `index` an entry of an index, `system` a row that the store
         *     keeps for itself. With a definition there is none.
         */
        readonly Conflict: {
            /** @description When, in microseconds since 1970. */
            readonly at: number;
            readonly table?: string;
            readonly key?: readonly components["schemas"]["Value"][];
            readonly index?: string;
            readonly system?: string;
            /** @description The raw row key in base64, where its table is gone. */
            readonly rowKey?: string;
            /**
             * @description What both wrote, as in `percolite_conflicts_total`.
             * @enum {string}
             */
            readonly kind: "row" | "index" | "schema" | "system";
            /**
             * @description What the refused one met: a newer version (`write`) or guard (`guard`) of the row, the row held by a commit
             *     in progress (`lock`), or a newer definition of a table that it wrote (`schema`).
             * @enum {string}
             */
            readonly met: "write" | "guard" | "lock" | "schema";
            /** @description The read timestamp of the transaction that was refused. */
            readonly loser: components["schemas"]["Stamp"];
            /** @description The commit timestamp of the other, or of one that had none yet its read timestamp. */
            readonly winner?: components["schemas"]["Stamp"];
            /** @description Which run of its request it was; 1 is the first. */
            readonly attempt: number;
            /** @description Whether the server ran the request again. */
            readonly retried: boolean;
        };
        /** @description A row with many conflicts, named as in `Conflict`. */
        readonly HotRow: {
            readonly table?: string;
            readonly key?: readonly components["schemas"]["Value"][];
            readonly index?: string;
            readonly system?: string;
            readonly rowKey?: string;
            /** @description At most so many, and at least `overcount` less. */
            readonly conflicts: number;
            readonly overcount: number;
            /** @description Of `conflicts` those after which the server did not run the request again. */
            readonly lost: number;
            /** @description When the last one was, in microseconds since 1970. */
            readonly lastAt: number;
        };
        readonly GatewayList: {
            readonly gateways: readonly components["schemas"]["Gateway"][];
        };
        readonly Gateway: {
            /**
             * @description A name of this run of the server; locks and ids of transactions have it too.
             * @example 5f3c0a9be1d24c7f8e6b1a2c3d4e5f60
             */
            readonly incarnation: string;
            /**
             * @description Where other servers reach it; empty until it listens.
             * @example http://10.0.0.4:4270
             */
            readonly url: string;
            /** @description Whether it is the server that answers. */
            readonly isThis: boolean;
            readonly expiresAt: components["schemas"]["Stamp"];
            /**
             * @description The oldest snapshot that a transaction of it read at when it last renewed its token; absent when none was open.
             *     Garbage collection keeps what that one sees.
             */
            readonly oldestSnapshot?: components["schemas"]["Stamp"];
        };
        readonly MoveOrder: {
            /**
             * @description `bigtable:project/instance/table` or `etcd:host:port,host:port`; it must be empty.
             * @example etcd:10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379
             */
            readonly to: string;
            /**
             * @description Where a server of the other store is; clients are sent on there.
             * @example http://10.0.0.4:4270
             */
            readonly targetUrl?: string;
            /**
             * @description Whether writes are taken until the end.
             * @default false
             */
            readonly follow?: boolean;
            /**
             * @description Whether all cells are compared before the end.
             * @default true
             */
            readonly compare?: boolean;
            /** @description Flags of the other engine without their dashes; the files are this server's. */
            readonly options?: {
                readonly "bigtable-profile"?: string;
                /** @enum {string} */
                readonly "bigtable-create-table"?: "auto" | "never";
                readonly "etcd-prefix"?: string;
                readonly "etcd-ca"?: string;
                readonly "etcd-cert"?: string;
                readonly "etcd-key"?: string;
                readonly "etcd-user"?: string;
            };
        };
        /**
         * @description Letters, digits, `_` and `-`; it begins with a letter or digit, and is no device of Windows such as `con`.
         * @example 2026-11-24
         */
        readonly BackupName: string;
        readonly BackupOrder: {
            readonly name: components["schemas"]["BackupName"];
            /**
             * @description Whether every cell of the copy is looked at.
             * @default true
             */
            readonly check?: boolean;
        };
        readonly BackupList: {
            readonly backups: readonly components["schemas"]["Backup"][];
            readonly cursor?: components["schemas"]["Cursor"];
        };
        readonly Backup: {
            readonly name: components["schemas"]["BackupName"];
            /** @enum {string} */
            readonly state: "copying" | "checking" | "done" | "failed";
            /** @description Bytes of the copy so far. */
            readonly bytesDone: number;
            /** @description The bytes of the database and its log while it is copied, which may be more than the copy has. */
            readonly bytesTotal: number;
            /** @description Why it failed. */
            readonly detail?: string;
            readonly manifest?: components["schemas"]["BackupManifest"];
        };
        /** @description `manifest.json` of the backup. */
        readonly BackupManifest: {
            readonly format: number;
            /** @description The version of the program that made it. */
            readonly percolite: string;
            readonly storeFormat: number;
            /** @description The id of the history that the database had. */
            readonly history: string;
            /** @description The copy has every commit up to this one. */
            readonly timestamp: components["schemas"]["Stamp"];
            readonly safePoint: components["schemas"]["Stamp"];
            readonly bytes: number;
            /** @description In hexadecimal. */
            readonly sha256: string;
            /** @description Absent where it was not checked. */
            readonly check?: {
                readonly sound: boolean;
                readonly tables: readonly {
                    readonly name: string;
                    /** @description With deleted ones that are still kept. */
                    readonly rows: number;
                }[];
            };
        };
        readonly Move: {
            /**
             * @description `following`: what was committed meanwhile is copied; from `closing` on no writes are taken.
             * @enum {string}
             */
            readonly phase: "none" | "copying" | "following" | "closing" | "comparing" | "done" | "failed";
            /** @description Rows sent so far, one that changed meanwhile again. */
            readonly rows: number;
            /** @description Bytes sent so far. */
            readonly bytes: number;
            /** @description Why it failed. The database is in use as before. */
            readonly detail?: string;
            readonly report?: components["schemas"]["MoveReport"];
        };
        readonly MoveReport: {
            /** @description Subscriptions go on in the other store from positions at or after this one. */
            readonly from: components["schemas"]["Stamp"];
            /** @description No timestamp of the database is newer. */
            readonly at: components["schemas"]["Stamp"];
            readonly rows: number;
            readonly cells: number;
            readonly bytes: number;
            /** @description How long no writes were taken, in milliseconds. */
            readonly closedMs: number;
            readonly elapsedMs: number;
            /** @description What both stores have, by table and index; absent when they were not compared. */
            readonly spaces?: readonly {
                /** @example table 7 */
                readonly space: string;
                readonly rows: number;
                readonly cells: number;
                /** @description Over all keys and cells in order. */
                readonly sha256: string;
            }[];
        };
        readonly LockList: {
            readonly locks: readonly components["schemas"]["Lock"][];
            /** @description Whether these are all; a store is looked through for at most five seconds. */
            readonly isComplete: boolean;
        };
        readonly Lock: {
            readonly cell: components["schemas"]["CellAddress"];
            readonly timestamp: components["schemas"]["Stamp"];
            readonly kind: string;
            readonly primary: components["schemas"]["CellAddress"];
            readonly isPrimary: boolean;
            readonly owner: string;
            /** @description Whether the process that holds it is known to have ended. */
            readonly ownerIsDead: boolean;
            /** Format: date-time */
            readonly lockedAt: string;
        };
        readonly ObserverList: {
            readonly observers: readonly components["schemas"]["ObserverStatus"][];
        };
        readonly ObserverStatus: {
            readonly observer: string;
            readonly table: string;
            readonly weak: boolean;
            /**
             * @description `active`, or `paused`: it is notified, and nothing runs.
             * @example active
             * @example paused
             */
            readonly state: string;
            /** @description Whether it is still being told of rows that CREATE OBSERVER or a REPLAY asked for. */
            readonly backfilling: boolean;
            /** @description Rows with a notification, dead letters among them; 1,000 means that or more. */
            readonly pending: number;
            /** @description The oldest notification; absent when there is none. */
            readonly oldestPending?: components["schemas"]["Stamp"];
            /** @description How old that is; 0 when there is none. */
            readonly lagMs: number;
            /** @description Notifications that workers of this server hold. */
            readonly running: number;
            /** @description Workers of this server that wait for a notification. */
            readonly waiting: number;
            /** @description Runs that were committed, by this server since it started; so are the next three. */
            readonly runs: number;
            /** @description Runs that were not the first for their notification. */
            readonly retries: number;
            /** @description Runs that failed because another transaction came first. */
            readonly conflicts: number;
            /** @description Runs that failed by themselves. */
            readonly failures: number;
            /** @description Rows for which it has failed too often, until RESUME, REPLAY or a new change of the row. */
            readonly deadLetters: {
                /** @description How many they are; 1,000 means that or more. */
                readonly count: number;
                /** @description The first 100 of them, by row; `GET /v1/observers/{observer}/deadLetters` has all. */
                readonly rows: readonly components["schemas"]["DeadLetter"][];
            };
            /** @description The last run that failed in this server, when there was one. */
            readonly lastError?: components["schemas"]["ObserverFailure"];
            /** @description Observers that notify each other in a circle with this one; its own name when it is alone in it. */
            readonly cyclesWith: readonly string[];
        };
        readonly ObserverFailure: {
            /** @description The primary key of the row, in key order. */
            readonly key: readonly components["schemas"]["Value"][];
            readonly error: string;
            readonly timestamp: components["schemas"]["Stamp"];
        };
        readonly DeadLetterPage: {
            readonly deadLetters: readonly components["schemas"]["DeadLetter"][];
            /** @description The `after` of the next page; absent on the last one. */
            readonly next?: string;
        };
        readonly DeadLetter: {
            /** @description The primary key of the row, in key order. */
            readonly key: readonly components["schemas"]["Value"][];
            /** @description What the last run said. */
            readonly error: string;
            readonly timestamp: components["schemas"]["Stamp"];
            readonly tries: number;
        };
        readonly ConsistencyReport: {
            /** @description Whether there are no problems. */
            readonly sound: boolean;
            readonly rows: number;
            /** @description How many cells each column family has. */
            readonly cells: {
                readonly [key: string]: number;
            };
            readonly tables: readonly ({
                readonly name: string;
                readonly indexes: readonly components["schemas"]["IndexCount"][];
            } & components["schemas"]["TableCount"])[];
            /** @description Of tables that have been dropped and whose rows are not collected yet. */
            readonly droppedTables: components["schemas"]["TableCount"];
            /** @description Old values that nothing refers to. They take space and are never shown. */
            readonly orphanedValues: number;
            readonly problemCount: number;
            /** @description The first thousand. */
            readonly problems: readonly components["schemas"]["ConsistencyProblem"][];
        };
        readonly TableCount: {
            readonly rows: number;
            /** @description Committed versions of these rows that are still kept, deletes included. */
            readonly versions: number;
        };
        readonly IndexCount: {
            readonly name: string;
            /**
             * @description Entries of one that failed are not counted.
             * @enum {string}
             */
            readonly state: "building" | "ready" | "failed";
            readonly entries: number;
        };
        readonly ConsistencyProblem: {
            /**
             * @description The invariant of `storage/DESIGN.md` that does not hold.
             * @example I5
             */
            readonly rule: string;
            readonly message: string;
            /**
             * @description The row it was found in. `table` and `key` name a row of a table, `table` and `index` an
             *     entry of an index, `system` a row that the store keeps for itself, `rowKey` in base64 one
             *     whose key cannot be read.
             */
            readonly row?: {
                readonly table?: string;
                readonly key?: readonly components["schemas"]["Value"][];
                readonly index?: string;
                readonly system?: string;
                readonly rowKey?: string;
            };
            readonly cell?: {
                readonly family: string;
                readonly column: string;
                readonly timestamp: components["schemas"]["Stamp"];
            };
        };
        readonly Limits: {
            readonly limits: {
                readonly [key: string]: number;
            };
        };
        readonly Status: {
            readonly version: string;
            /**
             * @example sqlite
             * @example memory
             */
            readonly engine: string;
            /**
             * @description Whether a commit is one batch, or puts locks into the store first; see `--commit`.
             * @enum {string}
             */
            readonly commit: "one-phase" | "two-phase";
            readonly uptimeSeconds: number;
            readonly history: components["schemas"]["HistoryId"];
            /** @description The first stamp that could be given out in this history. */
            readonly historyFrom: components["schemas"]["Stamp"];
            /**
             * @description Present where a copy of the store was put back: what was committed after `after` is lost, and stamps go on
             *     at `until`. The last one, if there were several.
             */
            readonly restored?: {
                readonly after: components["schemas"]["Stamp"];
                readonly until: components["schemas"]["Stamp"];
            };
            /** @description How far back the store can be read at least; see `--retention`. */
            readonly retentionMs: number;
            /** @description How long a commit waits after each of its mutations; absent without `--step-delay`. */
            readonly stepDelayMs?: number;
            /** @description How often what is older is collected; see `--garbage-interval`. */
            readonly garbageIntervalMs: number;
            /**
             * @description The time of the store: a new stamp, or the newest that this server knows where it would have to ask a store on
             *     other machines for it.
             */
            readonly timestamp: components["schemas"]["Stamp"];
            /** @description The oldest stamp that can be read; 0 as long as nothing has been collected. */
            readonly safePoint: components["schemas"]["Stamp"];
            /** @description The snapshot of the oldest open transaction, or the newest stamp. */
            readonly oldestSnapshot: components["schemas"]["Stamp"];
            /**
             * @description How far the feed of changes is behind `timestamp`: the age of the oldest commit whose outcome is
             *     still open, for which the later ones wait. 0 when there is none. Absent while a store on other machines has
             *     not said it yet.
             */
            readonly feedLagMs?: number;
            readonly storeAnsweredAt?: components["schemas"]["StoreAnsweredAt"];
            /** @description Transactions over several requests that are open. */
            readonly openTransactions: number;
            /** @description Open WebSockets. */
            readonly sockets: number;
            /** @description Subscriptions, of sockets and of NDJSON. */
            readonly subscriptions: number;
            /** @description Conflicts since the start; see `GET /v1/conflicts`. */
            readonly conflicts: number;
            /** @description Whether statements are counted; see `GET /v1/statements`. */
            readonly statementStatistics: boolean;
            /** @description What open transactions have written and not committed. */
            readonly bufferedBytes: number;
            /** @description The indexes that are being built. */
            readonly indexBuilds: readonly {
                readonly table: string;
                readonly index: string;
                readonly rowsDone: number;
            }[];
            /** @description The last garbage collection since the start, when there was one. */
            readonly lastCollection?: {
                readonly safePoint: components["schemas"]["Stamp"];
                readonly locksResolved: number;
                readonly rowsExamined: number;
                readonly rowsCollected: number;
                readonly bytesReclaimed: number;
                readonly elapsedMs: number;
            };
            /** @description How the wall clock, the time that the server trusts, and timestamps stand to each other. */
            readonly clock: {
                /** @description By how much the wall clock is ahead of the trusted time; 0 unless it has jumped. */
                readonly offsetSeconds: number;
                /** @description By how much the newest timestamp is ahead of the trusted time. */
                readonly timestampsAheadSeconds: number;
            };
            /** @description The disk that the data is on; absent with the memory engine. Bytes. */
            readonly disk?: {
                readonly sizeBytes: number;
                readonly freeBytes: number;
                readonly storeBytes: number;
                readonly logBytes: number;
                /** @description Whether writes are refused with `disk_full`. */
                readonly isFull: boolean;
            };
            /**
             * @description Of the check of every page of the file after a start that followed a kill; absent after another start, and
             *     in its first second.
             */
            readonly pageCheck?: {
                /**
                 * @description `stopped`: it would have made the log too long, or its process ended; begins again in an hour.
                 * @enum {string}
                 */
                readonly state: "running" | "stopped" | "sound" | "damaged";
                /** Format: date-time */
                readonly began: string;
                /** Format: date-time */
                readonly ended?: string;
                /** @description The first ones, in the words of SQLite. */
                readonly problems: readonly string[];
            };
            /**
             * @description What is in the redo log and not in the tables yet; absent with the engines that have none. It is in use
             *     while it has cells.
             */
            readonly redoLog?: {
                /**
                 * @description Of `--redo-log`.
                 * @enum {string}
                 */
                readonly policy: "auto" | "always" | "never";
                readonly bytes: number;
                readonly cells: number;
                /** @description How long ago the oldest of these cells was committed; 0 where there is none. */
                readonly flushLagMs: number;
            };
            readonly warnings: components["schemas"]["Warnings"];
        };
        readonly Root: {
            readonly name: string;
            readonly version: string;
            readonly documentation: string;
            readonly openapi: string;
            /** @description Absent with `--no-console`. */
            readonly console?: string;
        };
        readonly Principal: {
            /** @description Whether the server asks for tokens. If it does not, all clients may do everything. */
            readonly tokenRequired: boolean;
            /**
             * @description The public id of the token, or the issuer and the subject of the JWT.
             * @example token:k3v9x2
             */
            readonly id?: string;
            readonly role?: string;
            /** @description The rights on the server; those on tables are told by `SHOW GRANTS`. */
            readonly rights: readonly string[];
            /** @description When the token ends. */
            readonly expires?: components["schemas"]["Stamp"];
        };
        readonly Health: {
            /** @example ok */
            readonly status: string;
            readonly storeAnsweredAt?: components["schemas"]["StoreAnsweredAt"];
        };
        /**
         * Format: date-time
         * @description When the store last answered, by the server's clock. Absent where it is in the server's own process. One that is
         *     not used is asked every two seconds.
         */
        readonly StoreAnsweredAt: string;
        readonly Readiness: {
            /** @example ready */
            readonly status: string;
            readonly warnings: components["schemas"]["Warnings"];
        };
        /** @description What an operator should see to; empty when all is well. */
        readonly Warnings: readonly {
            /**
             * @description More may be added.
             * @example disk_full
             * @example store_damaged
             * @example clock_jumped
             * @example timestamps_ahead
             */
            readonly code: string;
            readonly detail: string;
        }[];
        /** @description Stable. More may be added, so the set is open; `docs/errors.md` explains each. */
        readonly ErrorCode: "invalid_request" | "syntax_error" | "unknown_column" | "type_mismatch" | "out_of_range" | "division_by_zero" | "unbounded_scan" | "not_null_violation" | "not_subscribable" | "transaction_not_closed" | "script_mixture" | "read_only_transaction" | "bad_cursor" | "timestamp_in_future" | "unauthenticated" | "token_expired" | "origin_not_allowed" | "not_permitted" | "rule_violated" | "not_found" | "unknown_table" | "unknown_index" | "unknown_role" | "unknown_token" | "unknown_block" | "unknown_observer" | "unknown_notification" | "row_not_found" | "unknown_transaction" | "unknown_backup" | "unknown_statement" | "method_not_allowed" | "request_timeout" | "role_in_use" | "last_admin_token" | "already_exists" | "unique_violation" | "check_failed" | "transaction_closed" | "transaction_busy" | "statement_cancelled" | "already_observed" | "backup_running" | "write_conflict" | "locked" | "schema_changed" | "transaction_rolled_back" | "transaction_expired" | "transaction_lost" | "wrong_gateway" | "moved" | "store_unavailable" | "store_lost" | "moving" | "not_enabled" | "snapshot_too_old" | "history_replaced" | "resume_too_old" | "precondition_failed" | "limit_exceeded" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "upgrade_required" | "client_overloaded" | "rate_limited" | "header_fields_too_large" | "internal" | "store_damaged" | "overloaded" | "audit_unavailable" | "commit_outcome_unknown" | "statement_timeout" | "disk_full" | (string & {});
        /** @description RFC 9457. The fields after `retryable` depend on the code; `docs/errors.md` lists them. */
        readonly Problem: {
            /** Format: uri-reference */
            readonly type: string;
            readonly title: string;
            readonly status: number;
            readonly code: components["schemas"]["ErrorCode"];
            readonly detail: string;
            /** @description Whether running the whole transaction again may succeed. */
            readonly retryable: boolean;
            /** @description Which statement of the request failed, from 0. */
            readonly statement?: number;
            /** @description Of a script that stopped, how many statements of its text are done and stay so. */
            readonly done?: number;
            /** @description Of a script that stopped, how many statements its text has. */
            readonly total?: number;
            /** @description Of a script that stopped, what the statements came to that this request has done. */
            readonly results?: readonly components["schemas"]["ScriptResult"][];
            /** @description The error is of the note of a script, at the part that begins at `line`. */
            readonly note?: boolean;
            readonly line?: number;
            /** @description In UTF-16 code units, from 1. */
            readonly column?: number;
            /** @description The column of a table that is meant. */
            readonly columnName?: string;
            /** @description Names that come near an unknown one. */
            readonly nearest?: readonly string[];
            /** @description The token at that place. */
            readonly token?: string;
            /** @description What could have stood there. */
            readonly expected?: readonly string[];
            /** @description What to write or do instead. */
            readonly hint?: string;
            /** @description The statement to send instead, where there is one; `hint` ends in it. */
            readonly suggestion?: string;
            /** @description Which row of a posted array, or of an INSERT of several, is meant, from 0. */
            readonly row?: number;
            /** @description When a table was created that is read as of a moment before. */
            readonly createdAt?: components["schemas"]["Stamp"];
            readonly table?: string;
            /** @description The primary key of the row, in key order. */
            readonly key?: readonly components["schemas"]["Value"][];
            readonly conflictingTimestamp?: components["schemas"]["Stamp"];
            /** @description The oldest stamp that can be read. */
            readonly oldest?: components["schemas"]["Stamp"];
            /** @description The stamp of the request that is of another history. */
            readonly timestamp?: components["schemas"]["Stamp"];
            readonly history?: components["schemas"]["HistoryId"];
            /** @description The first stamp that could be given out in this history. */
            readonly from?: components["schemas"]["Stamp"];
            /** @description The stamps that a restored copy has lost, both ends excluded. */
            readonly gap?: {
                readonly after: components["schemas"]["Stamp"];
                readonly until: components["schemas"]["Stamp"];
            };
            /** @description The parameter of the request, or of its statements, that is meant. */
            readonly parameter?: string | number;
            /**
             * @description Where that parameter of the request stands; absent for a parameter of a statement.
             * @example query
             * @example header
             * @example path
             * @example body
             */
            readonly in?: string;
            /** @description The name of the limit, as in `GET /v1/limits`. */
            readonly limit?: string;
            /** @description The figure of the limit. */
            readonly limitValue?: number;
            /** @description The figure that was met. */
            readonly actual?: number;
            /** @description When to come again, where it is known to the second; the same as `Retry-After`. */
            readonly retryAfterSeconds?: number;
            readonly transaction?: components["schemas"]["TransactionId"];
        } & {
            readonly [key: string]: unknown;
        };
    };
    responses: {
        /**
         * @description No token, or one that does not count: `unauthenticated`, in the same words for all reasons. One whose time is over:
         *     `token_expired`. Only where the server asks for tokens.
         */
        readonly Unauthenticated: {
            headers: {
                /** @description `Bearer`, with `error="invalid_token"` where a token was sent. */
                readonly "WWW-Authenticate"?: string;
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /**
         * @description The request is wrong and will stay so: `invalid_request`, `syntax_error`, `unknown_column`,
         *     `type_mismatch`, `out_of_range`, `division_by_zero`, `unbounded_scan`, `not_null_violation`,
         *     `not_subscribable`, `transaction_not_closed`, `script_mixture`, `read_only_transaction`,
         *     `bad_cursor`, `timestamp_in_future`.
         */
        readonly BadRequest: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:percolite:error:syntax_error",
                 *       "title": "Syntax error",
                 *       "status": 400,
                 *       "code": "syntax_error",
                 *       "detail": "Unexpected FORM: FROM was expected.",
                 *       "retryable": false,
                 *       "line": 1,
                 *       "column": 7,
                 *       "statement": 0,
                 *       "expected": [
                 *         "FROM"
                 *       ]
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /**
         * @description A page of a foreign origin, or a request under a foreign host name: `origin_not_allowed`. What the server
         *     was not started for: `not_enabled`. What the role of the token may not do: `not_permitted`, with the `right`
         *     and, where it is one on a table, the `table`. A row to be written that is outside of the rule of the role:
         *     `rule_violated`, with the `table` and the `key`.
         */
        readonly Forbidden: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /** @description `unknown_table`, `unknown_index`, `unknown_role`, `unknown_token`, `unknown_block`, `unknown_observer`, `unknown_notification`, `row_not_found`, `unknown_transaction`, `unknown_backup` or `unknown_statement`. */
        readonly NotFound: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /**
         * @description `role_in_use`, `last_admin_token`, `already_exists`, `unique_violation`, `check_failed`, `transaction_closed`, `transaction_busy`, `statement_cancelled`,
         *     `already_observed`, and,
         *     worth asking again later: `backup_running`, and worth running the transaction again: `write_conflict`, `locked`, `schema_changed`, `transaction_rolled_back`.
         */
        readonly Conflict: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:percolite:error:write_conflict",
                 *       "title": "Write conflict",
                 *       "status": 409,
                 *       "code": "write_conflict",
                 *       "detail": "Another transaction wrote this row after the snapshot of this one.",
                 *       "retryable": true,
                 *       "table": "account",
                 *       "key": [
                 *         "bob"
                 *       ],
                 *       "conflictingTimestamp": 1793000000500000
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /**
         * @description `transaction_expired`, `transaction_lost`, `snapshot_too_old`, `resume_too_old` or
         *     `history_replaced`.
         */
        readonly Gone: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /** @description `precondition_failed`: the row is not as `If-Match` or `If-None-Match` asks. */
        readonly PreconditionFailed: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `limit_exceeded`: `limit` names it, `limitValue` and `actual` are the figures. */
        readonly LimitExceeded: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:percolite:error:limit_exceeded",
                 *       "title": "Limit exceeded",
                 *       "status": 413,
                 *       "code": "limit_exceeded",
                 *       "detail": "The statement text has 2097152 bytes; at most 1048576 are allowed.",
                 *       "retryable": false,
                 *       "limit": "statementTextBytesMax",
                 *       "limitValue": 1048576,
                 *       "actual": 2097152
                 *     }
                 */
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /** @description `uri_too_long`: the path is longer than any key can be. */
        readonly UriTooLong: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type`: the body is of a type that this operation does not take. */
        readonly UnsupportedMediaType: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /** @description `wrong_gateway` or `moved`: another server has it, see `url`. */
        readonly WrongGateway: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /** @description `idempotency_key_reused`: the `Idempotency-Key` was used for another request. */
        readonly IdempotencyKeyReused: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /** @description `upgrade_required`: the request is not the handshake of a WebSocket. */
        readonly UpgradeRequired: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description `client_overloaded`: this client holds as much of something as one client may (`limit`). Come again after
         *     `Retry-After` seconds, or end some of it. `rate_limited`: it sends more requests a second than it may,
         *     or its role has written what it may on this day.
         */
        readonly ClientOverloaded: {
            headers: {
                /** @description Seconds to wait. */
                readonly "Retry-After"?: number;
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /** @description `internal`: a fault of the server. Its log knows more. `store_damaged`: a page of its file or a record cannot be read. */
        readonly Internal: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /**
         * @description `overloaded`, `moving` or `store_unavailable` (come again after `Retry-After` seconds), `commit_outcome_unknown`:
         *     ask the outcome of `transaction` before doing anything again, `audit_unavailable`: access is not changed while the audit log
         *     cannot be written, or `store_lost`: the files of the database were removed under the server, which ends.
         */
        readonly Unavailable: {
            headers: {
                /** @description Seconds to wait, with `overloaded`. */
                readonly "Retry-After"?: number;
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /** @description `statement_timeout`: the statement ran longer than it may and was stopped. */
        readonly Timeout: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
        /**
         * @description `disk_full`: the server's disk has no room for the write, and `freeBytes` left. Nothing was written.
         *     Reads, DELETE and DROP go on; writes do by themselves when the disk has room again.
         */
        readonly DiskFull: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": components["schemas"]["Problem"];
                readonly "text/plain": components["schemas"]["TableText"];
            };
        };
    };
    parameters: {
        /** @description The id that `BEGIN` answered. */
        readonly Transaction: components["schemas"]["TransactionId"];
        /**
         * @description The table's name, as it is written in CREATE TABLE.
         * @example account
         */
        readonly Table: string;
        /** @description The name of a backup, which is also that of its folder. */
        readonly BackupName: components["schemas"]["BackupName"];
        /**
         * @description The primary key. The components of a composite one are joined by `,`; inside a component
         *     `~1` is a comma and `~0` a tilde. `~2` is a dot, for a key that is only dots, which a URL takes
         *     for another path, and `~3` is nothing, for an empty one. TIMESTAMP is ISO, BYTES base64url.
         * @example bob
         */
        readonly Key: string;
        /**
         * @description Read the past, at a stamp or an ISO time.
         * @example 2026-10-25T12:00:00Z
         */
        readonly AsOf: string;
        /** @description `string` makes every INTEGER a decimal string. */
        readonly Integers: components["schemas"]["IntegerFormat"];
        /**
         * @description Whether the answer is `{columns, row}` instead of the row alone: the row with the names and types of its
         *     columns as they are in it, whatever the table is like by now. Several rows are `{columns, rows}`.
         */
        readonly Described: boolean;
        /**
         * @description `return=minimal` (RFC 7240) answers how many rows were written, and not the rows. Other preferences mean
         *     nothing. An answer that was kept for an `Idempotency-Key` keeps its form.
         * @example return=minimal
         */
        readonly Prefer: string;
        /**
         * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
         *     seen. One that this store has not given yet is `timestamp_in_future`.
         */
        readonly MinTimestamp: components["schemas"]["Stamp"];
        /**
         * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
         *     of, as an answer has named it. When it is not the store's, they are refused with
         *     `history_replaced`. A request that has none of them is done as without it.
         */
        readonly History: components["schemas"]["HistoryId"];
        /** @description The form of the answer. */
        readonly Format: "json" | "ndjson" | "csv" | "table";
        /** @description The form of the answer; all but `json` stream every row. */
        readonly RowFormat: "json" | "ndjson" | "csv";
        /**
         * @description Only if the row has one of these `ETag`s, of whatever form; `*` is any row that exists. A weak tag never matches. A commit timestamp in quotes names the row's version alone.
         * @example "1793000000500000"
         */
        readonly IfMatch: string;
        /**
         * @description Only if the row has none of these `ETag`s, weak ones included; `*` means that there must be no row.
         * @example *
         */
        readonly IfNoneMatch: string;
        /**
         * @description Chosen by the client, new for each new request: 1 to 255 visible ASCII characters. For
         *     requests that are a transaction of their own and write rows.
         * @example 5f3c2a9e-3d0b-4b86-9d0e-8b6f7a2c1d40
         */
        readonly IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description `return=minimal`, where it was preferred. */
        readonly PreferenceApplied: string;
        /** @description Of one row: the timestamp of its newest commit, a digest of its table's columns, and one of the form that was asked for, where that is not the usual one. */
        readonly ETag: string;
        /** @description `true` when this is the answer that was kept for the request's `Idempotency-Key`. */
        readonly IdempotentReplayed: boolean;
        /** @description The history of the store, in every answer. */
        readonly History: components["schemas"]["HistoryId"];
        /** @description The stamp of the snapshot that was read. */
        readonly ReadTimestamp: components["schemas"]["Stamp"];
        /** @description The stamp of the commit, when something was written. */
        readonly CommitTimestamp: components["schemas"]["Stamp"];
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly query: {
        readonly parameters: {
            readonly query?: {
                /** @description The form of the answer. */
                readonly format?: components["parameters"]["Format"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
                /**
                 * @description Chosen by the client, new for each new request: 1 to 255 visible ASCII characters. For
                 *     requests that are a transaction of their own and write rows.
                 * @example 5f3c2a9e-3d0b-4b86-9d0e-8b6f7a2c1d40
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
                 *     seen. One that this store has not given yet is `timestamp_in_future`.
                 */
                readonly "Percolite-Min-Timestamp"?: components["parameters"]["MinTimestamp"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["QueryRequest"];
                /** @example GET * FROM account WHERE id = 'bob' */
                readonly "text/plain": components["schemas"]["StatementText"];
                /** @example SCAN * FROM account */
                readonly "application/sql": components["schemas"]["StatementText"];
                /** @example SHOW TABLES */
                readonly "application/x-www-form-urlencoded": components["schemas"]["StatementText"];
            };
        };
        readonly responses: {
            /** @description The statements ran; what they wrote is committed and durable. */
            readonly 200: {
                headers: {
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly "Percolite-Commit-Timestamp": components["headers"]["CommitTimestamp"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "columns": [
                     *             {
                     *               "name": "id",
                     *               "type": "TEXT"
                     *             },
                     *             {
                     *               "name": "balance",
                     *               "type": "INTEGER"
                     *             }
                     *           ],
                     *           "rows": [
                     *             {
                     *               "id": "bob",
                     *               "balance": 10
                     *             }
                     *           ],
                     *           "rowsAffected": 0
                     *         }
                     *       ],
                     *       "readTimestamp": 1793000000000000,
                     *       "attempts": 1
                     *     }
                     */
                    readonly "application/json": components["schemas"]["QueryAnswer"];
                    readonly "application/x-ndjson": components["schemas"]["StreamText"];
                    readonly "text/csv": components["schemas"]["CsvText"];
                    readonly "text/plain": components["schemas"]["TableText"];
                };
            };
            /** @description The request was only `BEGIN`; a transaction over several requests is open. */
            readonly 201: {
                headers: {
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transaction": "1793000000000000.8f14e45fceea167a5a36dedd4bea2543",
                     *       "readTimestamp": 1793000000000000,
                     *       "expiresAt": "2026-10-26T07:33:50.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["OpenedTransaction"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly getCompletions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "sql": "SCAN id, bal",
                 *       "offset": 12
                 *     }
                 */
                readonly "application/json": components["schemas"]["CompletionRequest"];
            };
        };
        readonly responses: {
            /** @description The items, names first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": 9,
                     *       "items": [
                     *         {
                     *           "text": "balance",
                     *           "kind": "column",
                     *           "detail": "INTEGER, account"
                     *         }
                     *       ],
                     *       "more": false,
                     *       "expected": [
                     *         "an expression"
                     *       ],
                     *       "unfinished": true,
                     *       "statements": 1
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Completions"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listTransactions: {
        readonly parameters: {
            readonly query?: {
                /** @description At most this many. */
                readonly limit?: number;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The open transactions. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TransactionList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly openTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
                /**
                 * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
                 *     seen. One that this store has not given yet is `timestamp_in_future`.
                 */
                readonly "Percolite-Min-Timestamp"?: components["parameters"]["MinTimestamp"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": components["schemas"]["OpenTransactionRequest"];
            };
        };
        readonly responses: {
            /** @description The transaction is open. */
            readonly 201: {
                headers: {
                    /** @description Where the outcome of the transaction is asked. */
                    readonly Location: string;
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transaction": "1793000000000000.8f14e45fceea167a5a36dedd4bea2543",
                     *       "readTimestamp": 1793000000000000,
                     *       "expiresAt": "2026-10-26T07:33:50.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["OpenedTransaction"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The id that `BEGIN` answered. */
                readonly transaction: components["parameters"]["Transaction"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What became of it. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transaction": "1793000000000000.8f14e45fceea167a5a36dedd4bea2543",
                     *       "status": "committed",
                     *       "commitTimestamp": 1793000000500000
                     *     }
                     */
                    readonly "application/json": components["schemas"]["TransactionOutcome"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 410: components["responses"]["Gone"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly rollBackTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The id that `BEGIN` answered. */
                readonly transaction: components["parameters"]["Transaction"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The transaction is rolled back. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly queryInTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The id that `BEGIN` answered. */
                readonly transaction: components["parameters"]["Transaction"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "sql": "SET balance = 3 ON account WHERE id = 'bob'"
                 *     }
                 */
                readonly "application/json": components["schemas"]["TransactionQueryRequest"];
                readonly "text/plain": components["schemas"]["StatementText"];
                readonly "application/sql": components["schemas"]["StatementText"];
                readonly "application/x-www-form-urlencoded": components["schemas"]["StatementText"];
            };
        };
        readonly responses: {
            /** @description The statements ran inside the transaction. */
            readonly 200: {
                headers: {
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly "Percolite-Commit-Timestamp": components["headers"]["CommitTimestamp"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["QueryAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly commitTransaction: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The id that `BEGIN` answered. */
                readonly transaction: components["parameters"]["Transaction"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The transaction is committed. */
            readonly 200: {
                headers: {
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly "Percolite-Commit-Timestamp": components["headers"]["CommitTimestamp"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "commitTimestamp": 1793000000500000
                     *     }
                     */
                    readonly "application/json": components["schemas"]["CommitAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly killCommit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The start timestamp of the transaction, as its locks and its `step` frames name it, or the id that `BEGIN`
                 *     answered.
                 * @example 1793000000000000
                 */
                readonly transaction: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The commit stands still. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transaction": 1793000000000000,
                     *       "step": "prewrite",
                     *       "table": "account",
                     *       "key": [
                     *         "bob"
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["StoppedCommit"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly runScript: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ScriptRequest"];
            };
        };
        readonly responses: {
            /** @description All statements are done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "done": 1,
                     *       "total": 1,
                     *       "results": [
                     *         {
                     *           "statement": 0,
                     *           "kind": "createTable",
                     *           "line": 1,
                     *           "column": 1,
                     *           "columns": [],
                     *           "rows": [],
                     *           "rowsAffected": 1,
                     *           "commitTimestamp": 1793000000000000
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ScriptAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly describeStatement: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "sql": "GET balance FROM account WHERE id = :id"
                 *     }
                 */
                readonly "application/json": components["schemas"]["DescribeRequest"];
            };
        };
        readonly responses: {
            /** @description The statement has a plan. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "get",
                     *       "columns": [
                     *         {
                     *           "name": "balance",
                     *           "type": "INTEGER",
                     *           "nullable": false
                     *         }
                     *       ],
                     *       "parameters": [
                     *         {
                     *           "name": "id",
                     *           "type": "TEXT"
                     *         }
                     *       ],
                     *       "writes": false
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DescribedStatement"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listTables: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Read the past, at a stamp or an ISO time.
                 * @example 2026-10-25T12:00:00Z
                 */
                readonly asOf?: components["parameters"]["AsOf"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tables. */
            readonly 200: {
                headers: {
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TableList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 410: components["responses"]["Gone"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getTable: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Read the past, at a stamp or an ISO time.
                 * @example 2026-10-25T12:00:00Z
                 */
                readonly asOf?: components["parameters"]["AsOf"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The table. */
            readonly 200: {
                headers: {
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "account",
                     *       "columns": [
                     *         {
                     *           "name": "id",
                     *           "type": "TEXT",
                     *           "notNull": true
                     *         },
                     *         {
                     *           "name": "balance",
                     *           "type": "INTEGER",
                     *           "notNull": true,
                     *           "default": {
                     *             "value": 0
                     *           }
                     *         }
                     *       ],
                     *       "primaryKey": [
                     *         {
                     *           "column": "id",
                     *           "descending": false
                     *         }
                     *       ],
                     *       "families": [],
                     *       "indexes": [
                     *         {
                     *           "name": "accountByBalance",
                     *           "unique": false,
                     *           "columns": [
                     *             {
                     *               "column": "balance",
                     *               "descending": true
                     *             }
                     *           ],
                     *           "storing": [],
                     *           "state": "ready"
                     *         }
                     *       ],
                     *       "observers": []
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Table"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 410: components["responses"]["Gone"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listRows: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Names of columns, joined by `,`; all of them unless given. One with a comma or a quote stands in double quotes, as in the dialect.
                 * @example id,balance
                 */
                readonly columns?: string;
                /**
                 * @description A condition of the dialect, with `:name` for values from `params`.
                 * @example balance > :least
                 */
                readonly where?: string;
                /**
                 * @description A JSON object with the values of `where`.
                 * @example {"least": 5}
                 */
                readonly params?: string;
                /**
                 * @description The index to walk, or `primary` for the primary key.
                 * @example primary
                 */
                readonly index?: string;
                /**
                 * @description Columns of the key that is walked, each perhaps with `desc`, joined by `,`.
                 * @example id desc
                 */
                readonly order?: string;
                /** @description How many rows a page has at most. */
                readonly limit?: number;
                /** @description The `cursor` of the page before. */
                readonly cursor?: components["schemas"]["Cursor"];
                /**
                 * @description Read the past, at a stamp or an ISO time.
                 * @example 2026-10-25T12:00:00Z
                 */
                readonly asOf?: components["parameters"]["AsOf"];
                /** @description `string` makes every INTEGER a decimal string. */
                readonly integers?: components["parameters"]["Integers"];
                /** @description The form of the answer; all but `json` stream every row. */
                readonly format?: components["parameters"]["RowFormat"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
                /**
                 * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
                 *     seen. One that this store has not given yet is `timestamp_in_future`.
                 */
                readonly "Percolite-Min-Timestamp"?: components["parameters"]["MinTimestamp"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The rows. */
            readonly 200: {
                headers: {
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "columns": [
                     *         {
                     *           "name": "id",
                     *           "type": "TEXT"
                     *         },
                     *         {
                     *           "name": "balance",
                     *           "type": "INTEGER"
                     *         }
                     *       ],
                     *       "rows": [
                     *         {
                     *           "id": "bob",
                     *           "balance": 3
                     *         },
                     *         {
                     *           "id": "joe",
                     *           "balance": 9
                     *         }
                     *       ],
                     *       "readTimestamp": 1793000000000000
                     *     }
                     */
                    readonly "application/json": components["schemas"]["RowPage"];
                    readonly "application/x-ndjson": components["schemas"]["StreamText"];
                    readonly "text/csv": components["schemas"]["CsvText"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
        };
    };
    readonly insertRows: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description What becomes of a row of an array whose key has a row: `insert` refuses it, `put` lets it take the place of
                 *     that row, as PUT does, and `skip` leaves it out, as ON CONFLICT DO NOTHING does: also one whose values in a
                 *     UNIQUE index are those of another row. A key that comes twice in the array is `already_exists`, but for
                 *     `skip`. For an array only.
                 */
                readonly mode?: "insert" | "put" | "skip";
                /** @description `system` takes numbers for a column that is GENERATED ALWAYS, too, as `OVERRIDING SYSTEM VALUE` does. */
                readonly overriding?: "system";
                /** @description `string` makes every INTEGER a decimal string. */
                readonly integers?: components["parameters"]["Integers"];
                /**
                 * @description Whether the answer is `{columns, row}` instead of the row alone: the row with the names and types of its
                 *     columns as they are in it, whatever the table is like by now. Several rows are `{columns, rows}`.
                 */
                readonly described?: components["parameters"]["Described"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
                /**
                 * @description `return=minimal` (RFC 7240) answers how many rows were written, and not the rows. Other preferences mean
                 *     nothing. An answer that was kept for an `Idempotency-Key` keeps its form.
                 * @example return=minimal
                 */
                readonly Prefer?: components["parameters"]["Prefer"];
                /**
                 * @description Chosen by the client, new for each new request: 1 to 255 visible ASCII characters. For
                 *     requests that are a transaction of their own and write rows.
                 * @example 5f3c2a9e-3d0b-4b86-9d0e-8b6f7a2c1d40
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
                 *     seen. One that this store has not given yet is `timestamp_in_future`.
                 */
                readonly "Percolite-Min-Timestamp"?: components["parameters"]["MinTimestamp"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewRows"];
            };
        };
        readonly responses: {
            /** @description The rows as they are now, generated columns included. */
            readonly 201: {
                headers: {
                    /** @description Where the row is, when it is one. */
                    readonly Location?: string;
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly "Percolite-Commit-Timestamp": components["headers"]["CommitTimestamp"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly "Preference-Applied": components["headers"]["PreferenceApplied"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InsertedRows"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly getRow: {
        readonly parameters: {
            readonly query?: {
                /** @description Names of columns, joined by `,`; all of them unless given. One with a comma or a quote stands in double quotes, as in the dialect. */
                readonly columns?: string;
                /**
                 * @description Read the past, at a stamp or an ISO time.
                 * @example 2026-10-25T12:00:00Z
                 */
                readonly asOf?: components["parameters"]["AsOf"];
                /** @description `string` makes every INTEGER a decimal string. */
                readonly integers?: components["parameters"]["Integers"];
                /**
                 * @description Whether the answer is `{columns, row}` instead of the row alone: the row with the names and types of its
                 *     columns as they are in it, whatever the table is like by now. Several rows are `{columns, rows}`.
                 */
                readonly described?: components["parameters"]["Described"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
                /**
                 * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
                 *     seen. One that this store has not given yet is `timestamp_in_future`.
                 */
                readonly "Percolite-Min-Timestamp"?: components["parameters"]["MinTimestamp"];
                /**
                 * @description Only if the row has one of these `ETag`s, of whatever form; `*` is any row that exists. A weak tag never matches. A commit timestamp in quotes names the row's version alone.
                 * @example "1793000000500000"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Only if the row has none of these `ETag`s, weak ones included; `*` means that there must be no row.
                 * @example *
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The primary key. The components of a composite one are joined by `,`; inside a component
                 *     `~1` is a comma and `~0` a tilde. `~2` is a dot, for a key that is only dots, which a URL takes
                 *     for another path, and `~3` is nothing, for an empty one. TIMESTAMP is ISO, BYTES base64url.
                 * @example bob
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The row. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "bob",
                     *       "balance": 3
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AnsweredRow"];
                };
            };
            /** @description The row is still the one that `If-None-Match` names. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
        };
    };
    readonly putRow: {
        readonly parameters: {
            readonly query?: {
                /** @description `string` makes every INTEGER a decimal string. */
                readonly integers?: components["parameters"]["Integers"];
                /**
                 * @description Whether the answer is `{columns, row}` instead of the row alone: the row with the names and types of its
                 *     columns as they are in it, whatever the table is like by now. Several rows are `{columns, rows}`.
                 */
                readonly described?: components["parameters"]["Described"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
                /**
                 * @description Chosen by the client, new for each new request: 1 to 255 visible ASCII characters. For
                 *     requests that are a transaction of their own and write rows.
                 * @example 5f3c2a9e-3d0b-4b86-9d0e-8b6f7a2c1d40
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
                 *     seen. One that this store has not given yet is `timestamp_in_future`.
                 */
                readonly "Percolite-Min-Timestamp"?: components["parameters"]["MinTimestamp"];
                /**
                 * @description Only if the row has one of these `ETag`s, of whatever form; `*` is any row that exists. A weak tag never matches. A commit timestamp in quotes names the row's version alone.
                 * @example "1793000000500000"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Only if the row has none of these `ETag`s, weak ones included; `*` means that there must be no row.
                 * @example *
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The primary key. The components of a composite one are joined by `,`; inside a component
                 *     `~1` is a comma and `~0` a tilde. `~2` is a dot, for a key that is only dots, which a URL takes
                 *     for another path, and `~3` is nothing, for an empty one. TIMESTAMP is ISO, BYTES base64url.
                 * @example bob
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "balance": 3
                 *     }
                 */
                readonly "application/json": components["schemas"]["Row"];
            };
        };
        readonly responses: {
            /** @description The row was there and is replaced; this is how it is now. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly "Percolite-Commit-Timestamp": components["headers"]["CommitTimestamp"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "bob",
                     *       "balance": 3
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AnsweredRow"];
                };
            };
            /** @description The row is new; this is how it is now. */
            readonly 201: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly "Percolite-Commit-Timestamp": components["headers"]["CommitTimestamp"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "bob",
                     *       "balance": 3
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AnsweredRow"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly deleteRow: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
                /**
                 * @description Chosen by the client, new for each new request: 1 to 255 visible ASCII characters. For
                 *     requests that are a transaction of their own and write rows.
                 * @example 5f3c2a9e-3d0b-4b86-9d0e-8b6f7a2c1d40
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
                 *     seen. One that this store has not given yet is `timestamp_in_future`.
                 */
                readonly "Percolite-Min-Timestamp"?: components["parameters"]["MinTimestamp"];
                /**
                 * @description Only if the row has one of these `ETag`s, of whatever form; `*` is any row that exists. A weak tag never matches. A commit timestamp in quotes names the row's version alone.
                 * @example "1793000000500000"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Only if the row has none of these `ETag`s, weak ones included; `*` means that there must be no row.
                 * @example *
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The primary key. The components of a composite one are joined by `,`; inside a component
                 *     `~1` is a comma and `~0` a tilde. `~2` is a dot, for a key that is only dots, which a URL takes
                 *     for another path, and `~3` is nothing, for an empty one. TIMESTAMP is ISO, BYTES base64url.
                 * @example bob
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The row is gone. */
            readonly 204: {
                headers: {
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly "Percolite-Commit-Timestamp": components["headers"]["CommitTimestamp"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly patchRow: {
        readonly parameters: {
            readonly query?: {
                /** @description `string` makes every INTEGER a decimal string. */
                readonly integers?: components["parameters"]["Integers"];
                /**
                 * @description Whether the answer is `{columns, row}` instead of the row alone: the row with the names and types of its
                 *     columns as they are in it, whatever the table is like by now. Several rows are `{columns, rows}`.
                 */
                readonly described?: components["parameters"]["Described"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
                /**
                 * @description Chosen by the client, new for each new request: 1 to 255 visible ASCII characters. For
                 *     requests that are a transaction of their own and write rows.
                 * @example 5f3c2a9e-3d0b-4b86-9d0e-8b6f7a2c1d40
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description A stamp that the snapshot has to reach, such as the commit of another process that is to be
                 *     seen. One that this store has not given yet is `timestamp_in_future`.
                 */
                readonly "Percolite-Min-Timestamp"?: components["parameters"]["MinTimestamp"];
                /**
                 * @description Only if the row has one of these `ETag`s, of whatever form; `*` is any row that exists. A weak tag never matches. A commit timestamp in quotes names the row's version alone.
                 * @example "1793000000500000"
                 */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Only if the row has none of these `ETag`s, weak ones included; `*` means that there must be no row.
                 * @example *
                 */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The primary key. The components of a composite one are joined by `,`; inside a component
                 *     `~1` is a comma and `~0` a tilde. `~2` is a dot, for a key that is only dots, which a URL takes
                 *     for another path, and `~3` is nothing, for an empty one. TIMESTAMP is ISO, BYTES base64url.
                 * @example bob
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "balance": 3
                 *     }
                 */
                readonly "application/json": components["schemas"]["Row"];
            };
        };
        readonly responses: {
            /** @description The row as it is now. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Percolite-Read-Timestamp": components["headers"]["ReadTimestamp"];
                    readonly "Percolite-History": components["headers"]["History"];
                    readonly "Percolite-Commit-Timestamp": components["headers"]["CommitTimestamp"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "bob",
                     *       "balance": 3
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AnsweredRow"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 422: components["responses"]["IdempotencyKeyReused"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly getCellsOfRows: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The keys of the rows, each a parameter of its own, written as in a path.
                 * @example [
                 *       "bob",
                 *       "joe"
                 *     ]
                 */
                readonly key: readonly string[];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The cells of the rows, as they are now. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CellsOfRows"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getCells: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The primary key. The components of a composite one are joined by `,`; inside a component
                 *     `~1` is a comma and `~0` a tilde. `~2` is a dot, for a key that is only dots, which a URL takes
                 *     for another path, and `~3` is nothing, for an empty one. TIMESTAMP is ISO, BYTES base64url.
                 * @example bob
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The cells of the row, as they are now. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "table": "account",
                     *       "key": [
                     *         "bob"
                     *       ],
                     *       "data": [
                     *         {
                     *           "column": "0",
                     *           "timestamp": 7,
                     *           "inline": true,
                     *           "row": {
                     *             "id": "bob",
                     *             "balance": 3
                     *           }
                     *         },
                     *         {
                     *           "column": "0",
                     *           "timestamp": 5,
                     *           "inline": true,
                     *           "row": {
                     *             "id": "bob",
                     *             "balance": 10
                     *           }
                     *         }
                     *       ],
                     *       "lock": [],
                     *       "write": [
                     *         {
                     *           "column": "0",
                     *           "timestamp": 8,
                     *           "kind": "put",
                     *           "startTimestamp": 7
                     *         },
                     *         {
                     *           "column": "0",
                     *           "timestamp": 6,
                     *           "kind": "put",
                     *           "startTimestamp": 5
                     *         }
                     *       ],
                     *       "rollback": [],
                     *       "guard": [],
                     *       "notify": []
                     *     }
                     */
                    readonly "application/json": components["schemas"]["RowCells"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getCellsOfEntry: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /**
                 * @description The table's name, as it is written in CREATE TABLE.
                 * @example account
                 */
                readonly table: components["parameters"]["Table"];
                /**
                 * @description The name of the index.
                 * @example byCustomer
                 */
                readonly index: string;
                /**
                 * @description The key of the entry, written as a primary key is: the values of the index's columns, `~4` for NULL,
                 *     and then those of the primary key. Where the index is unique and none of its values is NULL, the key
                 *     has no primary key.
                 * @example bob,7
                 */
                readonly key: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The cells of the entry, as they are now. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RowCells"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getChanges: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description A GET, or a SCAN without LIMIT, ORDER BY, GROUP BY and aggregates.
                 * @example SCAN * FROM account
                 */
                readonly sql: components["schemas"]["StatementText"];
                /**
                 * @description A JSON object or array with the values of the statement.
                 * @example {"least": 5}
                 */
                readonly params?: string;
                /**
                 * @description A stamp: the changes after it come. It may not be older than what the store keeps
                 *     (`resume_too_old`). Without it, changes come from now on.
                 */
                readonly since?: components["schemas"]["Stamp"];
                /**
                 * @description The `view` that `subscribed` named, with `since`. It is there where a rule of the role hides rows: a
                 *     stamp of another view is `resume_too_old`, and so is one without a view.
                 */
                readonly view?: components["schemas"]["ViewId"];
                /** @description Whether the rows come first, as of one moment, and then every change after it. */
                readonly snapshot?: boolean;
                /** @description `string` makes every INTEGER a decimal string. */
                readonly integers?: components["parameters"]["Integers"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The lines of the subscription. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": components["schemas"]["ChangeText"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 421: components["responses"]["WrongGateway"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 504: components["responses"]["Timeout"];
        };
    };
    readonly openSocket: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The socket is open. */
            readonly 101: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 426: components["responses"]["UpgradeRequired"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getPrincipal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The holder of the token, if one is asked for. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tokenRequired": true,
                     *       "id": "token:k3v9x2",
                     *       "role": "reporter",
                     *       "rights": [
                     *         "inspect"
                     *       ],
                     *       "expires": 1795264701296696
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Principal"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getLimits: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Every limit by its name, the unit last. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "limits": {
                     *         "statementTextBytesMax": 1048576,
                     *         "statementsMax": 1000
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Limits"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getStatus: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state of the server. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Status"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listLocks: {
        readonly parameters: {
            readonly query?: {
                /** @description At most this many. */
                readonly limit?: number;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The locks, in row key order. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LockList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getActivity: {
        readonly parameters: {
            readonly query?: {
                /** @description The `until` of an earlier answer. One that this server never gave is as none. */
                readonly since?: number;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The figures, the oldest first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "stepMs": 1000,
                     *       "from": "2026-11-24T22:00:00.000Z",
                     *       "until": 1795557602000000,
                     *       "series": {
                     *         "commits": [
                     *           812,
                     *           790
                     *         ],
                     *         "reads": [
                     *           2004,
                     *           1987
                     *         ],
                     *         "conflicts": [
                     *           0,
                     *           1
                     *         ],
                     *         "requests": [
                     *           2817,
                     *           2779
                     *         ],
                     *         "changes": [
                     *           812,
                     *           790
                     *         ],
                     *         "feedLagMs": [
                     *           0,
                     *           1.2
                     *         ],
                     *         "p50Ms": [
                     *           0.31,
                     *           0.3
                     *         ],
                     *         "p99Ms": [
                     *           2.1,
                     *           1.9
                     *         ],
                     *         "logBytes": [
                     *           4128272,
                     *           4131072
                     *         ]
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Activity"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listConflicts: {
        readonly parameters: {
            readonly query?: {
                /** @description At most this many of each. */
                readonly limit?: number;
                /** @description Only those on rows and index entries of this table. */
                readonly table?: string;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The newest conflicts first, and the hottest rows first. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "since": "2026-11-24T22:00:00.000Z",
                     *       "total": 412,
                     *       "recent": [
                     *         {
                     *           "at": 1795265382770000,
                     *           "table": "account",
                     *           "key": [
                     *             "bob"
                     *           ],
                     *           "kind": "row",
                     *           "met": "write",
                     *           "loser": 1795265382664428,
                     *           "winner": 1795265382762416,
                     *           "attempt": 1,
                     *           "retried": true
                     *         }
                     *       ],
                     *       "hotSince": "2026-11-24T22:30:00.000Z",
                     *       "hot": [
                     *         {
                     *           "table": "account",
                     *           "key": [
                     *             "bob"
                     *           ],
                     *           "conflicts": 388,
                     *           "overcount": 0,
                     *           "lost": 17,
                     *           "lastAt": 1795265382770000
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ConflictList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listGateways: {
        readonly parameters: {
            readonly query?: {
                /** @description At most this many. */
                readonly limit?: number;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The servers, this one among them. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GatewayList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listStatements: {
        readonly parameters: {
            readonly query?: {
                /** @description What comes first, those with the most time, runs or rows together, or the slowest run. */
                readonly order?: "time" | "count" | "slowest" | "rows";
                /** @description At most this many. */
                readonly limit?: number;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The shapes. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "since": "2026-11-27T18:00:00.000Z",
                     *       "total": 12,
                     *       "forgotten": 0,
                     *       "statements": [
                     *         {
                     *           "statement": "SCAN * FROM trade WHERE customer = ?",
                     *           "table": "trade",
                     *           "access": "range scan",
                     *           "key": "INDEX byCustomer (customer)",
                     *           "count": 4211,
                     *           "errors": {
                     *             "statement_timeout": 2
                     *           },
                     *           "totalMs": 9120.4,
                     *           "p50Ms": 1.6,
                     *           "p99Ms": 12.7,
                     *           "maxMs": 31.2,
                     *           "rowsReturned": 90112,
                     *           "rowsWritten": 0
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["StatementStatistics"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly clearStatements: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was counted is forgotten. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listSubscriptions: {
        readonly parameters: {
            readonly query?: {
                /** @description At most this many. */
                readonly limit?: number;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The subscriptions that are furthest behind. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscriptions": [
                     *         {
                     *           "client": "token:k3v9x2",
                     *           "statement": "SCAN * FROM account WHERE balance < ?",
                     *           "state": "catchingUp",
                     *           "position": 1795265382664428,
                     *           "lagMs": 812.5,
                     *           "told": 4012,
                     *           "unsentBytes": 262144
                     *         }
                     *       ],
                     *       "total": 1
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SubscriptionList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listRunning: {
        readonly parameters: {
            readonly query?: {
                /** @description At most this many. */
                readonly limit?: number;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What is running. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RunningList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly cancelRunning: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description As the list says. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is told to stop. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listObservers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Every observer of the store, by name. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ObserverList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listDeadLetters: {
        readonly parameters: {
            readonly query?: {
                /** @description At most this many. */
                readonly limit?: number;
                /**
                 * @description Those of the rows after this primary key, written as in a path; the `next` of the page before.
                 * @example bob
                 */
                readonly after?: string;
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                readonly observer: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The dead letters, in the order of the primary key. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deadLetters": [
                     *         {
                     *           "key": [
                     *             13
                     *           ],
                     *           "error": "Error: poison",
                     *           "timestamp": 1795265382770000,
                     *           "tries": 10
                     *         }
                     *       ],
                     *       "next": "13"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeadLetterPage"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly checkStore: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was found, also when there are problems. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ConsistencyReport"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["Conflict"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The move that was begun last since the start, or that there was none. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Move"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly beginMove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MoveOrder"];
            };
        };
        readonly responses: {
            /** @description It has begun; `GET /v1/move` says how far it is. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Move"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listBackups: {
        readonly parameters: {
            readonly query?: {
                /** @description How many backups a page has at most. */
                readonly limit?: number;
                /** @description The `cursor` of the page before. */
                readonly cursor?: components["schemas"]["Cursor"];
            };
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of them. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BackupList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createBackup: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BackupOrder"];
            };
        };
        readonly responses: {
            /** @description It has begun; `GET /v1/backups/{name}` says how far it is. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Backup"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["LimitExceeded"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
            readonly 507: components["responses"]["DiskFull"];
        };
    };
    readonly getBackup: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The name of a backup, which is also that of its folder. */
                readonly name: components["parameters"]["BackupName"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Its state; with its manifest when it is done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Backup"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteBackup: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The name of a backup, which is also that of its folder. */
                readonly name: components["parameters"]["BackupName"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone, also where it was being made. Clients that read its file get all of it. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getBackupFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The history that the stamps, cursors, transactions and the `Idempotency-Key` of the request are
                 *     of, as an answer has named it. When it is not the store's, they are refused with
                 *     `history_replaced`. A request that has none of them is done as without it.
                 */
                readonly "Percolite-History"?: components["parameters"]["History"];
            };
            readonly path: {
                /** @description The name of a backup, which is also that of its folder. */
                readonly name: components["parameters"]["BackupName"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file `cells.db`. */
            readonly 200: {
                headers: {
                    /** @description Its bytes, as in the manifest. */
                    readonly "Content-Length"?: number;
                    /** @description `sha-256=` and its hash in base64. */
                    readonly Digest?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/vnd.sqlite3": string;
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getRoot: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Name, version and links. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Root"];
                };
            };
            /** @description To the console, for a browser. */
            readonly 302: {
                headers: {
                    /** @description The path of the console. */
                    readonly Location: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 500: components["responses"]["Internal"];
        };
    };
    readonly getHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 500: components["responses"]["Internal"];
        };
    };
    readonly getReadiness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It does. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Readiness"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMetrics: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The text format of Prometheus. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["ClientOverloaded"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getOpenApiYaml: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description This document, as it is written. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/yaml": string;
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 500: components["responses"]["Internal"];
        };
    };
    readonly getOpenApiJson: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description This document. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 500: components["responses"]["Internal"];
        };
    };
}
