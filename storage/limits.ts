// SPDX-License-Identifier: Apache-2.0

/** The bounds of the storage layer, unit last. `docs/limits.md` and `GET /v1/limits` list the same. */
export const STORAGE_LIMITS = {
  rowKeyBytesMax: 4 * 1024,
  rowBytesMax: 8 * 1024 * 1024,
  transactionRowsMax: 50_000,
  transactionBytesMax: 64 * 1024 * 1024,
  bufferedBytesMax: 256 * 1024 * 1024,
  tablesMax: 1_000,
  accessTokensMax: 10_000,
  accessRolesMax: 1_000,
  accessBlocksMax: 10_000,
  relaysMax: 32,
  roleLimitMax: 1_000_000,
  roleStatementMsMax: 24 * 60 * 60 * 1_000,
  roleWrittenBytesMax: 2 ** 50,
  retentionMsMax: 2 ** 31 - 1,
  schedulesMax: 200,
  /** Columns, indexes, observers and schedules of all tables: every catalog that is read holds them all. */
  catalogPartsMax: 50_000,
  tableColumnsMax: 256,
  tableIndexesMax: 32,
  tableObserversMax: 32,
  /** Entries that a row has in one index of EACH. */
  indexMembersMax: 1_000,
  /** Words of a row in one index of WORDS. */
  indexWordsMax: 10_000,
  /** The same where an entry is a row that is locked, over etcd and Bigtable. */
  indexWordsLockedMax: 500,
  /** Of a text in one index of WORDS. */
  indexTextCharactersMax: 400_000,
  tableGrantsMax: 64,
  tableChecksMax: 32,
  /** Of a table's or a column's name, in UTF-8. */
  nameBytesMax: 128,
  scanPageRows: 1_000,
  identityBlockFirst: 32,
  identityBlockMax: 1_024,
  inlineValueBytesMax: 1_536,
  /** Less room on the disk, or less than 5 % of it, and writes that need more of it are refused. */
  diskBytesMin: 256 * 1024 * 1024,
  /** A longer log ends the check of the pages, during which it cannot be restarted; it has half of it otherwise. */
  pageCheckLogBytesMax: 512 * 1024 * 1024,
  /** How long a call of a store on other machines is waited for, however often it is tried meanwhile. */
  storeCallMsMax: 10_000,
  /** Without an answer of it for so long, a server is not ready. */
  storeSilenceMsMax: 5_000,
  /** Failed runs of one notification, before it becomes a dead letter. */
  observerTriesMax: 10,
  /** Times that a schedule makes up for at once. */
  scheduleMissedMax: 100,
} as const
