// SPDX-License-Identifier: Apache-2.0

/** The bounds of one statement, unit last. `docs/limits.md` and `GET /v1/limits` list the same. */
export const PLANNER_LIMITS = {
  /** Keys that one GET asks for, and ranges that the INs of one SCAN or DELETE make. */
  statementKeysMax: 10_000,
  /** Rows that a DELETE without LIMIT removes. */
  deleteRowsMax: 10_000,
  /** Keys of one multi-get, which is one round trip to the store. */
  multiGetKeysMax: 1_000,
  /** Rows that a page of a SCAN reads before it ends, even when its filter kept none of them. */
  pageExaminedRowsMax: 100_000,
  /** Rows between two looks at the abort signal, with a turn for the rest of the process. */
  turnRowsMax: 500,
  /** Arrays and objects inside each other in one JSON value. */
  jsonNestingMax: 256,
} as const
