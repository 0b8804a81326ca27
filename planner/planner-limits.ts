// SPDX-License-Identifier: Apache-2.0

import { STORAGE_LIMITS } from '../storage/storage.ts'
import { JSON_EXPONENT_DIGITS_MAX } from '../storage/values/values.ts'

/** The bounds of one statement, unit last. `docs/limits.md` and `GET /v1/limits` list the same. */
export const PLANNER_LIMITS = {
  /** Of the WHERE of a GRANT. */
  ruleNodesMax: 200,
  /** Keys that one GET asks for, and ranges that the INs of one SCAN, SET or DELETE make. */
  statementKeysMax: 10_000,
  /** Tables of one relay. */
  relayTablesMax: 100,
  /** Tables that one GET or SCAN looks rows up in. */
  lookupsMax: 4,
  /** Characters of a pattern of MATCH. */
  matchCharactersMax: 10_000,
  /** Words of the same, each once. */
  matchWordsMax: 100,
  /** Words that begin like the one with a `*`, among the entries of an index. */
  matchPrefixWordsMax: 1_000,
  /** Elements of an array parameter of IN. */
  listItemsMax: 50_000,
  /** Rows that a SET without LIMIT changes. */
  setRowsMax: 10_000,
  /** Rows that a DELETE without LIMIT removes. */
  deleteRowsMax: 10_000,
  /** Keys of one multi-get, which is one round trip to the store. */
  multiGetKeysMax: 1_000,
  /** Keys of the first multi-get of several, while the size of the rows is not known. */
  multiGetKeysFirst: 20,
  /** About how many bytes of rows a multi-get asks for, by the largest row met so far. */
  multiGetBytesMax: 16 * 1024 * 1024,
  /** Bytes of a value that `||` and functions make of others: as large as a row can be. */
  concatenationBytesMax: STORAGE_LIMITS.rowBytesMax,
  /** Units of work that one row may cost: a byte looked at is one, a node of an expression 16. */
  rowWorkMax: 50_000_000,
  /** Units of work between two looks at the deadline of a statement, and at whether it is cancelled. */
  workLookUnits: 1_000_000,
  /** Units of work after which a statement lets the rest of the process have its turn. */
  workTurnUnits: 10_000_000,
  /** Bytes of values that are computed once for a statement and kept for its other rows. */
  constantBytesMax: 16 * 1024 * 1024,
  /** Rows that a page of a SCAN reads before it ends, even when its filter kept none of them. */
  pageExaminedRowsMax: 100_000,
  /** The highest LIMIT of an ORDER BY that no key gives: so many rows are kept of those that are read. */
  sortRowsMax: 1_000,
  /** Groups of one statement that do not follow each other along a key. */
  groupsMax: 10_000,
  /** About how many bytes one statement holds of rows that it sorts, and of groups. */
  sortBytesMax: 64 * 1024 * 1024,
  /** Rows between two looks at the abort signal, with a turn for the rest of the process. */
  turnRowsMax: 500,
  /** Milliseconds of work after which the same happens, however few rows it was. */
  turnMsMax: 2,
  /** Characters of the text of a path into JSON, after `#>`, `#>>` and in json_set and json_remove. */
  jsonPathCharactersMax: 64 * 1024,
  /** Arrays and objects inside each other in one JSON value. */
  jsonNestingMax: 256,
  /** Digits of the exponent of a number in one JSON value. */
  jsonExponentDigitsMax: JSON_EXPONENT_DIGITS_MAX,
} as const
