// SPDX-License-Identifier: Apache-2.0

// The order inside the rooms, as `docs/architecture.md` and `storage/DESIGN.md` have it.

/** Folders (with a slash at the end) and files of one height; `*` is every file that has no place of its own. */
export type Step = readonly string[]

const FOUNDATION: Step = [
  ...['maybe-promise.ts', 'clock.ts', 'errors.ts', 'invariant.ts', 'limits.ts'],
  ...['measures.ts', 'randomness.ts', 'storage-log.ts', 'unless-aborted.ts'],
]

/**
 * The order inside a folder, from the ground up. What stands in a step knows the steps before it, and nothing of the
 * other folders in its own step. Every subfolder has a place.
 */
export const ORDERS: Readonly<Record<string, readonly Step[]>> = {
  storage: [
    FOUNDATION,
    ['collections/'],
    ['values/'],
    ['cells/'],
    ['transactions/'],
    ['tables/'],
    ['observers/'],
    ['operations/'],
    ['*'],
  ],
  'storage/cells': [['*'], ['memory/', 'sqlite/']],
  'storage/cells/sqlite': [
    ['error.ts', 'statements.ts', 'schema.ts', 'disk-use.ts'],
    ['cells/'],
    ['groups/'],
    ['wal/'],
    ['file/', 'redo/'],
    ['threads/'],
    ['*'],
  ],
  'storage/transactions': [
    ['oracle/'],
    ['records/'],
    ['buffer/'],
    ['protocol/'],
    ['percolator/'],
    ['one-process/'],
    ['*'],
    ['feed/', 'inspection/'],
    ['history/'],
  ],
  'storage/transactions/one-process': [['latches/'], ['embedded-context.ts'], ['view/'], ['*']],
  'storage/tables': [
    ['*'],
    ['bytes/'],
    ['catalog/'],
    ['rows/', 'access/'],
    ['index-build/', 'identity/'],
  ],
  'storage/operations': [
    ['garbage-collection/'],
    ['move/'],
    ['consistency/', 'status/'],
    ['backup/'],
  ],
  'storage/observers': [['notifications/'], ['*']],
  planner: [
    [
      'limits-text.ts',
      'plan-error.ts',
      'planned-statement.ts',
      'planner-limits.ts',
      'required-rights.ts',
      'row-parts.ts',
      'unknown-name.ts',
    ],
    ['json/'],
    ['expressions/'],
    ['keys/'],
    ['sorting/'],
    ['plan/'],
    ['execute/'],
    ['definitions/'],
    ['*'],
  ],
  'planner/expressions': [
    [
      ...['compiled-expression.ts', 'constant-values.ts', 'expression-arithmetic.ts'],
      ...['json-operators.ts', 'like-pattern.ts', 'parameters.ts', 'text-work.ts', 'type-check.ts'],
      ...['value-identity.ts', 'value-work.ts', 'work-meter.ts'],
    ],
    ['functions/'],
    ['*'],
  ],
  'planner/execute': [['rows/'], ['lookups/', 'points/'], ['groups/', 'writes/'], ['*']],
  parser: [
    ['ast.ts', 'access-ast.ts', 'definition-ast.ts', 'expression-ast.ts', 'expression-parts.ts'],
    ['parse-error.ts', 'parser-limits.ts'],
    ['grammar/'],
    ['script/'],
    ['builders/'],
    ['syntax-error/'],
    ['nesting.ts'],
    ['completion/'],
    ['suggestions/'],
    ['*'],
  ],
  server: [
    ['limits.ts', 'package-files.ts', 'settled-soon.ts', 'usage-error.ts'],
    ['errors/', 'snapshot.ts'],
    ['guard/'],
    ['requests/'],
    ['live/'],
    ['flags.ts', 'config-values.ts'],
    ['operations/'],
    ['doors/tls/', 'doors/http/origin-and-host.ts'],
    ['config.ts'],
    ['doors/'],
    ['*'],
  ],
  'server/guard': [
    ['budgets/'],
    ['access/principal.ts', 'access/standing.ts'],
    ['audit/', 'history/'],
    ['access/'],
  ],
  'server/requests': [
    ['answers/'],
    ['prepared/'],
    ['transactions/'],
    ['statements/'],
    ['rows/', 'scripts/', 'checks/', 'identity/'],
  ],
  'server/live': [['subscriptions/', 'observers/', 'cells/']],
  'server/operations': [
    ['engines/', 'conflicts/', 'statistics/', 'checks/', 'first-token/', 'backups/'],
    ['metrics/', 'move/'],
  ],
  'server/doors': [
    ['tls/'],
    ['http/openapi/', 'http/bodies/', 'http/origin-and-host.ts'],
    ['http/request-hooks.ts'],
    ['http/answers/'],
    ['websocket/', 'straight/'],
    ['http/'],
  ],
  'server/doors/http': [
    ['openapi/', 'bodies/'],
    ['*'],
    ['answers/'],
    ['dependencies.ts'],
    ['routes/'],
    ['http-interface.ts'],
  ],
  'server/live/subscriptions': [['matching/'], ['frames/'], ['*']],
  cli: [
    ['command.ts', 'file-problem.ts', 'named-file.ts'],
    ['connection/'],
    ['failure.ts', 'start-server.ts'],
    ['results/'],
    ['query/', 'demo/', 'backup/', 'transfer/', 'migrate/', 'types/'],
    ['shell/'],
    ['*'],
  ],
  console: [
    ['page/'],
    ['query/', 'tables/', 'cells/', 'live/', 'transactions/', 'observers/', 'status/'],
    ['views.ts'],
    ['console.tsx'],
  ],
  engines: [['network/'], ['bigtable/', 'etcd/']],
  'client-sdk': [
    ['*'],
    ['socket/'],
    ['requests/'],
    ['subscriptions/'],
    ['observers/'],
    ['database.ts', 'client.ts', 'inspect.ts', 'for-all.ts'],
    ['react/'],
  ],
}
