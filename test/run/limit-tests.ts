// SPDX-License-Identifier: Apache-2.0
import type { ALL_LIMITS } from '../../server/limits.ts'

/**
 * The tests that meet a limit without its name: by its figure, by the code of its error, or by another constant. Each
 * fails when its limit is taken away. A test that is new names its limit, and needs no line here.
 */
export const LIMIT_TESTS: Readonly<Partial<Record<keyof typeof ALL_LIMITS, string>>> = {
  activityStepsMax: 'server/operations/metrics/activity.test.ts',
  headerBytesMax: 'server/doors/http/bare-socket.test.ts',
  identityBlockFirst: 'storage/tables/identity/identity-blocks.test.ts',
  identityBlockMax: 'storage/tables/identity/identity-blocks.test.ts',
  inlineValueBytesMax: 'storage/transactions/percolator/two-phase-commit.test.ts',
  jsonExponentDigitsMax: 'storage/values/json/json-number.test.ts',
  jsonNestingMax: 'planner/json/exact-json.test.ts',
  lookupsMax: 'planner/execute/lookups/lookup.test.ts',
  multiGetKeysFirst: 'planner/execute/lookups/lookup.test.ts',
  multiGetKeysMax: 'planner/execute/lookups/lookup.test.ts',
  nameBytesMax: 'storage/tables/new-table.test.ts',
  pathParameterCharactersMax: 'server/doors/http/bad-input.test.ts',
  roleLimitMax: 'server/guard/access/limits.test.ts',
  roleStatementMsMax: 'server/guard/access/limits.test.ts',
  roleWrittenBytesMax: 'server/guard/access/limits.test.ts',
  ruleNodesMax: 'server/guard/access/row-rules.test.ts',
  sortRowsMax: 'planner/execute/sorted-read.test.ts',
  storeCallMsMax: 'server/doors/http/store-away.test.ts',
  storeSilenceMsMax: 'server/doors/http/store-away.test.ts',
  transactionRetryMsMax: 'server/requests/transactions/retry.test.ts',
  turnRowsMax: 'planner/execute/index-read.test.ts',
}
