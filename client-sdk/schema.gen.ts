// SPDX-License-Identifier: Apache-2.0
// Generated from openapi.yaml by `npm run generate`. Do not edit: `npm run check` compares.

export type paths = Record<string, never>;
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
         * @description Lines of JSON, each with a `type`: `subscribed`, `rows`, `snapshotEnd`, `change`, `patch`, `progress`,
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
         * @example DECIMAL
         * @example REAL
         * @example BOOLEAN
         * @example BYTES
         * @example TIMESTAMP
         * @example DATE
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
         * @description `rows` tells what commits change of each row; `result` keeps the whole answer, a list of rows in order.
         * @enum {string}
         */
        readonly SubscriptionMode: "rows" | "result";
        /** @description What a list of rows is told by. */
        readonly ListDigest: string;
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
             * @example schedule
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
            /** @description What would be better than what was defined, such as a `FAMILY` for a column that may be large. */
            readonly hint?: string;
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
             * @description How a condition that filters is written so that it bounds a key, or by which index it would.
             * @example city > :city OR (city = :city AND id > :id) is written (city, id) > (:city, :id), which bounds city, id
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
            /** @description Of CREATE, ALTER and DROP of tables, indexes, observers and schedules, the names in the statement. */
            readonly defines?: {
                readonly table?: string;
                readonly index?: string;
                readonly observer?: string;
                readonly schedule?: string;
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
             *     process, and `schedule` for the row of a schedule.
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
            readonly mode: components["schemas"]["SubscriptionMode"];
            /** @description In the mode `result`, what all who are subscribed to the same answer share. */
            readonly result?: {
                readonly subscribers: number;
                readonly rows: number;
                /** @description Keys and ranges that the last evaluation has read; commits elsewhere cost nothing. */
                readonly ranges: number;
                readonly evaluations: number;
                /** @description How long the last evaluation took. */
                readonly lastMs: number;
            };
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
            /** @description The column with the time before which a row is not handed out; absent without DUE. */
            readonly due?: string;
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
            /** @description Of a DECIMAL, how many digits it has. */
            readonly precision?: number;
            /** @description Of a DECIMAL, how many of its digits stand behind the point. */
            readonly scale?: number;
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
            /**
             * @description Of an index: present where the part is `EACH`, the members of the JSON in the column, or at `path`.
             * @enum {boolean}
             */
            readonly each?: true;
            /**
             * @description Of an index: present where the part is `WORDS`, the words of the TEXT in the column, or at `path`.
             * @enum {boolean}
             */
            readonly words?: true;
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
        readonly Replication: {
            /**
             * @description `superseded` is a former primary, which serves nothing.
             * @enum {string}
             */
            readonly role: "primary" | "standby" | "superseded";
            /** @description Of the last group that is durable; null while nobody has followed. */
            readonly position: components["schemas"]["StreamPosition"] | null;
            /** @description The groups that are kept for those who follow; null while none are. */
            readonly kept: null | {
                readonly first: number;
                readonly last: number;
                readonly bytes: number;
            };
            readonly followers: readonly {
                /** @description What it says of itself, perhaps nothing. */
                readonly address: string;
                /** @description It has everything up to this group, durably. */
                readonly number: number;
                readonly groupsBehind: number;
                /** @description For so long it has not asked, in milliseconds. */
                readonly seenMs: number;
            }[];
            /** @description Of a primary. */
            readonly secondCopy?: components["schemas"]["SecondCopy"];
            /** @description Of a standby, how far it is; absent of a primary. */
            readonly standby?: components["schemas"]["StandbyStatus"] & {
                /** @description Every commit of the primary up to here is seen by reads. */
                readonly visible: components["schemas"]["Stamp"];
            };
        };
        readonly SecondCopy: {
            /**
             * @description As `--second-copy` says.
             * @enum {string}
             */
            readonly mode: "none" | "preferred" | "required";
            /** @description Whether a standby asks, or did so a moment ago. */
            readonly connected: boolean;
            /** @description Whether writes are answered without a second copy although one is preferred. */
            readonly alone: boolean;
            /** @description A standby has everything up to this group, durably. */
            readonly copied: number;
            /** @description How many groups are durable here that no standby has said to have. */
            readonly groupsBehind: number;
        };
        readonly Succession: {
            /** @description The address of the new primary. */
            readonly by: string;
            /** @description Its history, which began with a newer promotion. */
            readonly history: string;
        };
        readonly StreamPosition: {
            /** @description A run of the process that wrote the groups. */
            readonly stream: string;
            readonly number: number;
        };
        readonly GroupsOrder: {
            readonly stream: string;
            readonly number: number;
            /** @description Up to where it shows what it has; it is answered as soon as it can show more. */
            readonly visible?: components["schemas"]["Stamp"];
            /** @default 10000 */
            readonly waitMs?: number;
            /** @default 4194304 */
            readonly bytesMax?: number;
            /** @description Where clients reach the standby. */
            readonly address?: string;
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
        readonly RelayList: {
            readonly relays: readonly components["schemas"]["RelayStatus"][];
            /** @description How old what a relay has still to send may become before it is not kept any more. */
            readonly retentionMs: number;
        };
        readonly RelayStatus: {
            readonly relay: string;
            readonly url: string;
            /** @description Those that are there, by their names of now. */
            readonly tables: readonly string[];
            /** @description Whose rows it sends; absent for one that sends all. */
            readonly role?: string;
            /**
             * @description `failing`: the receiver has not taken the next message yet. A statement ends `paused` and `stopped`.
             * @example sending
             * @example failing
             * @example paused
             * @example stopped
             */
            readonly state: string;
            /** @description How old what the receiver has is; 0 where it has everything. */
            readonly lagMs: number;
            /** @description Up to where the receiver has every commit. */
            readonly position: components["schemas"]["Stamp"];
            /** @description Messages that the receiver has taken. */
            readonly sent: number;
            /** @description Why it stopped, or why the last try failed. */
            readonly reason?: string;
            /**
             * @description The code of why it stopped.
             * @example relay_too_old
             * @example relay_gone
             * @example relay_failing
             * @example relay_refused
             * @example history_replaced
             */
            readonly stopped?: string;
            /** @description How often the next message was tried; absent while nothing fails. */
            readonly tries?: number;
            /**
             * Format: date-time
             * @description When it is tried again.
             */
            readonly nextTry?: string;
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
            /** @description What waits for its time; absent without DUE. */
            readonly due?: {
                /** @description The rows with a time for which they have not been handed out; 1,000 means that or more. */
                readonly rows: number;
                /**
                 * @description The earliest of their times; absent when there is none.
                 * @example 2026-11-21T12:00:00.000000Z
                 */
                readonly next?: string;
            };
            /** @description How old that is, or for how long a row has been due; 0 when there is neither. */
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
            /** @description What inserts rows for it, in the order of their creation. */
            readonly schedules: readonly components["schemas"]["ObserverSchedule"][];
        };
        readonly ObserverSchedule: {
            readonly schedule: string;
            /**
             * @description As CREATE SCHEDULE has them.
             * @example EVERY '1 day' AT '03:00'
             * @example CRON '0 3 * * *'
             */
            readonly times: string;
            /** @description The name of its time zone. */
            readonly zone: string;
            /**
             * @description Which of the times have rows later that nobody was there for.
             * @example latest
             * @example all
             */
            readonly missed: string;
            /**
             * @description `active`, or `paused`: its times pass.
             * @example active
             * @example paused
             */
            readonly state: string;
            /**
             * @description The time that it waits for; absent while it is paused.
             * @example 2026-11-21T02:00:00.000000Z
             */
            readonly next?: string;
            /** @description The last time for which it has inserted a row; absent before the first. */
            readonly last?: string;
            /** @description Rows that this server has inserted since it started. */
            readonly rows: number;
            /** @description Attempts of this server that failed by themselves. */
            readonly failures: number;
            /** @description Why the last attempt of this server failed; absent when it did not. */
            readonly lastError?: string;
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
            /** @description How far back the store can be read at least, on all its servers; ALTER STORE changes it. */
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
            /** @description Of a server that follows another; absent of one that takes writes. */
            readonly standby?: components["schemas"]["StandbyStatus"];
            /** @description Of a primary that has been followed. */
            readonly secondCopy?: components["schemas"]["SecondCopy"];
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
        readonly ImpersonationOrder: {
            /** @description Any but `admin`. */
            readonly role: string;
            /** @description What the rules of the role may ask, as `token.sub` and the like. The token has 4,096 characters at most. */
            readonly claims?: {
                readonly [key: string]: string | number | boolean;
            };
        };
        readonly Impersonation: {
            readonly role: string;
            /** @description To be sent as any other token. */
            readonly token: string;
            /** @description When the token ends. */
            readonly expires: components["schemas"]["Stamp"];
        };
        readonly Principal: {
            /** @description Whether the server asks for tokens. If it does not, all clients may do everything. */
            readonly tokenRequired: boolean;
            /**
             * @description `token:` and the public id of the token, `jwt:`, issuer and subject, or `as:` and the id of the token of the
             *     administrator who sees as the role.
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
            /**
             * @description The history that began when this primary was promoted last; absent where it never was. The server of a pair
             *     with the newer one takes the writes.
             */
            readonly promotion?: string;
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
            readonly standby?: components["schemas"]["StandbyProgress"];
        };
        /** @description Of a server that follows another, how far it is. */
        readonly StandbyProgress: {
            /** @description Whether its primary answers. */
            readonly connected: boolean;
            /** @description How many groups of commits its primary had more when it last answered. */
            readonly groupsBehind: number;
            /** @description For how long it has not had all that its primary had; 0 while it has. */
            readonly behindMs: number;
        };
        readonly StandbyStatus: components["schemas"]["StandbyProgress"] & {
            /** @description The address of the server that it follows. */
            readonly primary: string;
            /**
             * @description What it does; `copying` is the whole store, while it serves what it has.
             * @enum {string}
             */
            readonly phase: "following" | "copying" | "stopped";
        };
        readonly Promotion: {
            /** @constant */
            readonly promoting: true;
            /** @description The address of the former primary. */
            readonly primary: string;
        };
        /** @description What an operator should see to; empty when all is well. */
        readonly Warnings: readonly {
            /**
             * @description More may be added.
             * @example disk_full
             * @example store_damaged
             * @example no_second_copy
             * @example clock_jumped
             * @example clock_ahead
             * @example timestamps_ahead
             */
            readonly code: string;
            readonly detail: string;
        }[];
        /** @description Stable. More may be added, so the set is open; `docs/errors.md` explains each. */
        readonly ErrorCode: "invalid_request" | "syntax_error" | "unknown_column" | "type_mismatch" | "out_of_range" | "division_by_zero" | "unbounded_scan" | "not_null_violation" | "not_subscribable" | "transaction_not_closed" | "script_mixture" | "read_only_transaction" | "bad_cursor" | "timestamp_in_future" | "unauthenticated" | "token_expired" | "origin_not_allowed" | "not_permitted" | "address_not_allowed" | "rule_violated" | "not_found" | "unknown_table" | "unknown_index" | "unknown_role" | "unknown_token" | "unknown_block" | "unknown_relay" | "unknown_observer" | "unknown_schedule" | "unknown_notification" | "row_not_found" | "unknown_transaction" | "unknown_backup" | "unknown_statement" | "method_not_allowed" | "request_timeout" | "role_in_use" | "last_admin_token" | "already_exists" | "unique_violation" | "check_failed" | "transaction_closed" | "transaction_busy" | "statement_cancelled" | "not_standby" | "already_observed" | "backup_running" | "write_conflict" | "locked" | "schema_changed" | "transaction_rolled_back" | "transaction_expired" | "transaction_lost" | "wrong_gateway" | "moved" | "not_primary" | "behind" | "superseded" | "no_second_copy" | "replication_position_lost" | "store_unavailable" | "gateway_unavailable" | "store_lost" | "moving" | "not_enabled" | "snapshot_too_old" | "history_replaced" | "resume_too_old" | "precondition_failed" | "limit_exceeded" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "upgrade_required" | "client_overloaded" | "rate_limited" | "header_fields_too_large" | "internal" | "store_damaged" | "overloaded" | "audit_unavailable" | "commit_outcome_unknown" | "statement_timeout" | "disk_full" | (string & {});
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
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
