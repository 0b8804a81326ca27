// SPDX-License-Identifier: Apache-2.0
import { CHIEF_TEST, type PlantedBug, plantedIn } from './planted-bug.ts'

const EXECUTION = 'server/requests/statements/statement-execution.ts'
const HOOKS = 'server/doors/http/request-hooks.ts'
const OWN = 'server/requests/transactions/attempt.ts'
const SCANS = 'planner/plan/plan-scan.ts'

const bug = plantedIn('server/guard/access')
const chiefBug = plantedIn(CHIEF_TEST)
const requestBug = plantedIn('server/stopping.test.ts')
const memberBug = plantedIn('planner/keys/members.test.ts')
const wordBug = plantedIn('planner/keys/words.test.ts')

/** One for each thing that running statements have to do for access control, and what tells of them afterwards. */
export const STATEMENT_BUGS: readonly PlantedBug[] = [
  bug(
    'plansKeepClaims',
    'planner/execute/rows/execution-context.ts',
    'bindParameters(slots, context, work)',
    'bindParameters(slots, { ...context, claims: ((slots as { claims?: unknown }).claims ??= context.claims) as never }, work)',
  ),
  bug(
    'rowsAheadKeepTheirRights',
    EXECUTION,
    'const plan = plans.plan(entry.statement, catalog, variables)\n',
    'const plan = plans.plan(entry.statement, run.transaction.prefetches ? run.catalog : catalog, variables)\n',
  ),
  bug(
    'readsAheadOfTheRule',
    'planner/execute/rows-named.ts',
    'requested.filter((key) => mayMeetRule(named, key, scope))',
    'requested',
  ),
  memberBug(
    'rowsOfTwoMembersAreNone',
    'planner/keys/key-range.ts',
    'parts[0]?.each ? single.slice(0, 1) : single',
    'single',
  ),
  memberBug(
    'entriesOfMembersStay',
    'storage/tables/rows/index-maintenance.ts',
    'else if (order < 0 && deleted !== undefined) edits',
    'else if (order < 0 && deleted !== undefined && after.length === 0) edits',
  ),
  bug(
    'wordsOfHiddenRowsAreCounted',
    'planner/plan/plan-access.ts',
    'if (ruling.every(({ source }) => seenTo.has(source))) return bounds',
    'if (match.at >= 0) return bounds',
  ),
  wordBug(
    'wordsAreNotSoughtInAll',
    'planner/execute/rows/entries-of-words.ts',
    'const entry = agreeing === requested.length ?',
    'const entry = agreeing >= requested.length - 1 ?',
  ),
  wordBug(
    'wordsAreMergedInNoOrder',
    'planner/execute/rows/word-entries.ts',
    'if (other === undefined || isPassed(walk, other, found, false)) from',
    'if (other !== undefined) from',
  ),
  chiefBug(
    'rangeSetsIgnoreTheRule',
    'planner/plan/writes/plan-set-rows.ts',
    'statement, { reads }, rule)',
    'statement, { reads })',
  ),
  bug(
    'rangeSetsLeaveTheRule',
    'planner/execute/writes/execute-set-rows.ts',
    'ruleAfter?.keeps({ ...before, row }) === false',
    'false',
  ),
  bug(
    'rangeSetsNeedNoRead',
    'planner/plan/plan-statement.ts',
    ' || asksOfRow(plan) || !isByKey(plan)',
    '',
  ),
  chiefBug(
    'upsertsChangeHiddenRows',
    'planner/execute/writes/execute-insert.ts',
    'if (!meetsRule(plan, found.row, scope)) throw violated()',
    '',
  ),
  bug(
    'upsertsReadNothingOfTheRule',
    'planner/plan/writes/plan-conflict.ts',
    '...(rowRule ? [rowRule] : []),',
    '',
  ),
  bug(
    'upsertsLeaveTheRule',
    'planner/execute/writes/execute-insert.ts',
    'ruleAfter?.keeps({ ...scope, row: after }) === false',
    'false',
  ),
  bug('upsertsNeedNoRead', 'planner/plan/plan-statement.ts', ' && !asksOfFound(plan)', ''),
  chiefBug(
    'sortsReadAllRows',
    SCANS,
    '(compiler, table, joined.own, needs, rule)',
    '(compiler, table, joined.own, needs, [])',
  ),
  chiefBug(
    'groupsReadAllRows',
    SCANS,
    '(rows, table, own, needs, rule)',
    '(rows, table, own, needs, [])',
  ),
  chiefBug(
    'intoShowsHiddenRows',
    'planner/execute/execute-get.ts',
    '|| !meetsRule(plan, found.row, scope)',
    '|| (context.variables === undefined && !meetsRule(plan, found.row, scope))',
  ),
  chiefBug(
    'jsonConditionsIgnoreTheRule',
    'planner/plan/plan-access.ts',
    'conjuncts: [...ruling, ...conjuncts]',
    'conjuncts: [...(/->|@>|#>/.test(JSON.stringify(statement.where, (_, value) => (Object(value) === value || String(value) === value ? value : 0))) ? [] : ruling), ...conjuncts]',
  ),
  chiefBug(
    'checksTellOfHiddenRows',
    'planner/execute/writes/execute-insert.ts',
    'if (!meetsRule(plan, found.row, scope)) throw violated()',
    "if (!meetsRule(plan, found.row, scope)) { if (onConflict.kind === 'update') { const both = { ...scope, row: [...found.row, ...row.row] }; const after = assignedRow(table, onConflict.assignments, both, number).slice(0, table.columns.length); checkedRow({ table, position, checks: onConflict.checks }, { ...scope, row: after }, { isNew: false, number }) } throw violated() }",
  ),
  bug('sortsTakeTheShareOfNobody', EXECUTION, '      holdBytes: answer.holdBesides,\n', ''),
  requestBug(
    'lateRequestsCommit',
    'server/requests/prepared/running-request.ts',
    '    this.commits()\n    this.signal.throwIfAborted()\n',
    '',
  ),
  bug(
    'finishedCommitsAreRefused',
    OWN,
    '.then(({ commitTs }) => commitTs)',
    '.then(({ commitTs }) => (running.signal.throwIfAborted(), commitTs))',
  ),
  bug(
    'metricsShowTokens',
    'server/operations/metrics/request-metrics.ts',
    'this.#byOperation.get(operation) ?? this.#added(operation)\n',
    'this.#added(String(request.headers.authorization))\n',
  ),
  bug(
    'logsShowTokens',
    HOOKS,
    "path: withoutTokens(url.split('?')[0] ?? '')",
    "path: url.split('?')[0] ?? ''",
  ),
  bug('logsShowJwts', 'storage/tables/access/token-text.ts', 'ey[\\w-]+', '(?!)ey[\\w-]+'),
  bug(
    'logsShowHolders',
    HOOKS,
    'const facts = { method,',
    "const facts = { holder: Buffer.from(String(request.headers.authorization).split('.')[1] ?? '', 'base64').toString(), method,",
  ),
]
