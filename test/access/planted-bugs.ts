// SPDX-License-Identifier: Apache-2.0

import { ADMISSION_BUGS } from './admission-bugs.ts'
import { AUDIT_BUGS } from './audit-bugs.ts'
import { CHECK_BUGS } from './check-bugs.ts'
import { FIRST_TOKEN_BUGS } from './first-token-bugs.ts'
import { FORWARDING_BUGS } from './forwarding-bugs.ts'
import { INSPECTION_BUGS } from './inspection-bugs.ts'
import { LOOKUP_BUGS } from './lookup-bugs.ts'
import { type PlantedBug, plantedIn } from './planted-bug.ts'
import { SCRIPT_BUGS } from './script-bugs.ts'
import { STATEMENT_BUGS } from './statement-bugs.ts'
import { TOLD_BUGS } from './told-bugs.ts'

const bug = plantedIn('server/guard/access', 'server/operations/first-token', 'test/access')

const GET = 'planner/execute/execute-get.ts'
const SET = 'planner/execute/writes/execute-set.ts'
const ACCESS = 'planner/plan/plan-access.ts'
const PLANS = 'planner/plan/plan-statement.ts'
const SESSIONS = 'server/requests/transactions/transaction-sessions.ts'
const REQUESTS = 'server/requests/prepared/running-requests.ts'
const RUNNER = 'server/requests/statements/statement-runner.ts'
const SOCKET = 'server/doors/websocket/socket-session.ts'
const SUBSCRIPTIONS = 'server/live/subscriptions/subscriptions.ts'
const SERVER = 'server/server.ts'
const ROLE_RIGHTS = 'storage/tables/access/role-rights.ts'
const ROW_RULE = 'planner/plan/row-rule.ts'
const ADMISSION = 'server/doors/http/admission.ts'

/** One for each thing that access control has to do; each has to make a test fail. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  bug(
    'plansOfAnyRole',
    'server/requests/statements/plan-cache.ts',
    '&& each.rights === rights',
    '',
  ),
  bug(
    'tablesAreAllSeen',
    ROLE_RIGHTS,
    'filter((table) => seesAll || this.#sees(table))',
    'filter(() => true)',
  ),
  bug(
    'completionsNameAll',
    'server/doors/http/routes/query-routes.ts',
    'access.currentCatalog(running.principal)',
    'access.currentCatalog(undefined)',
  ),
  bug(
    'rightsOfThePast',
    'server/guard/access/role-views.ts',
    'const newest = newerOf(this.#storage.knownCatalog, catalog)',
    'const newest = catalog',
  ),
  bug('getShowsHiddenRows', GET, '|| !meetsRule(plan, found.row, scope)', ''),
  bug('getGuardsHiddenRows', GET, 'rowsAt({ ...plan, forUpdate: false }, ', 'rowsAt(plan, '),
  bug(
    'getAsksForHiddenKeys',
    GET,
    'return isRuledByKeys(plan) ? keys.filter',
    'return false ? keys.filter',
  ),
  bug('walksIgnoreTheRule', ACCESS, 'conjuncts: [...ruling, ...conjuncts]', 'conjuncts'),
  bug('clientsFilterFirst', ACCESS, '(isRuledByKey || part.isRule === true)', 'true'),
  bug('clientsFilterFirstOfRow', ACCESS, 'isRule ? 0 : isOfKey', 'isRule ? 3 : isOfKey'),
  bug('setSeesHiddenRows', SET, '&& !meetsRule(plan, found.row, scope)', '&& false'),
  bug('setLeavesTheRule', SET, 'isHidden || isLeft', 'isHidden'),
  bug('setGuardsHiddenRows', SET, "=== 'condition' && !isHidden)", "=== 'condition')"),
  bug(
    'insertsAnything',
    'planner/execute/writes/inserted-rows.ts',
    'if (!meetsRule(plan, row, scope))',
    'if (false)',
  ),
  bug(
    'checksHiddenRows',
    'planner/execute/writes/execute-check.ts',
    'if (found !== null && !meetsRule(plan, found.row, scope)) return null',
    '',
  ),
  bug(
    'notifiesOfHiddenRows',
    'planner/execute/execute-data.ts',
    'if (!mayMeetRule(plan, key, scope))',
    'if (false)',
  ),
  bug(
    'uniqueIndexesTell',
    'storage/tables/catalog/index-changes.ts',
    '  requireUniqueWithinRules(changed)',
    '',
  ),
  bug(
    'columnsOfRulesAreDropped',
    'storage/tables/catalog/column-changes.ts',
    '  requireNoRuleOn(table, column)',
    '',
  ),
  bug(
    'rulesOfThePastFail',
    ROW_RULE,
    'rule.columns.every((id) => known.has(id))',
    'known.size > 0',
  ),
  bug(
    'failingRulesFail',
    ROW_RULE,
    'if (isOfRow) return false',
    'if (isOfRow && scope.row === undefined) return false',
  ),
  bug('operationsNeedNothing', ADMISSION, 'if (onServer !== undefined)', 'if (false)'),
  bug('ratesHoldNobody', ADMISSION, 'if (refusal !== undefined) throw refusal', ''),
  bug(
    'roleStatementsRunOn',
    'server/requests/statements/statement-execution.ts',
    'running.limits.statement ?? most, ',
    '',
  ),
  bug(
    'rolesRunAnything',
    REQUESTS,
    "    requireWithinRole('running', limits, held, 'Requests at work')\n",
    '',
  ),
  bug('followersAreAtWork', REQUESTS, ' - changeStreams.heldBy(client)', ' - 0'),
  bug('holdersShareTheirLimit', REQUESTS, 'requests.heldBy(client) - ', 'requests.held - '),
  bug(
    'roleRatesHoldNobody',
    REQUESTS,
    'refusal(clientOf, this.limitsOf(principal).rate)',
    'refusal(clientOf, undefined)',
  ),
  bug(
    'roleRatesRaise',
    'server/guard/budgets/request-rates.ts',
    'Math.min(this.#perSecond, perSecondOfRole ?? Number.POSITIVE_INFINITY)',
    'perSecondOfRole ?? this.#perSecond',
  ),
  bug(
    'rolesOpenAnything',
    SESSIONS,
    "    requireWithinRole('transactions', limits, openTransactions.heldBy(client), what)\n",
    '',
  ),
  bug('rolesSubscribeToAnything', SUBSCRIPTIONS, "requireWithinRole('subscriptions', ", 'void ('),
  bug('framesAreNotCounted', SOCKET, 'if (tooFast !== undefined)', 'if (false)'),
  bug(
    'ratesAreShared',
    ADMISSION,
    '() => clientOf(raw)',
    "() => 'one' as ReturnType<typeof clientOf>",
  ),
  bug(
    'statementsKeepTheirRights',
    'server/requests/statements/statement-execution.ts',
    'access.viewOf(run.running.principal, run.catalog)',
    'run.catalog',
  ),
  bug(
    'transactionsAreShared',
    SESSIONS,
    'session !== undefined && session.owner !== owner',
    'false',
  ),
  bug('endingsAreShared', SESSIONS, 'ended !== undefined && ended.owner !== owner', 'false'),
  bug('allTransactionsAreListed', SESSIONS, 'ofAll || session.owner', 'true || session.owner'),
  bug(
    'cursorsAreShared',
    'server/requests/prepared/cursor.ts',
    'principal === undefined ? ',
    'principal !== null ? ',
  ),
  bug(
    'keysAreShared',
    'server/requests/prepared/idempotency.ts',
    "scope: owner ?? 'anonymous'",
    "scope: 'anonymous'",
  ),
  bug(
    'replaysNeedNothing',
    RUNNER,
    'return this.#execution.permitted(replayed, statements, attempt.catalog)',
    'return replayed',
  ),
  bug(
    'replayedRowsNeedNothing',
    'server/requests/rows/row-transactions.ts',
    "requireTableRight(catalog, requireTable(catalog, table), 'write')",
    '',
  ),
  bug(
    'writersOutliveRevoke',
    'storage/tables/access/table-grants.ts',
    'await changeTable(transaction, { ...table, grants })\n',
    'await changeTable(transaction, { ...table, grants }, { isFenced: false })\n',
  ),
  bug(
    'writersOutliveRevokeOnAll',
    'storage/tables/access/access-roles.ts',
    'if (changed) for',
    'if (!changed) for',
  ),
  bug(
    'subscribersSeeAll',
    'planner/plan/subscription.ts',
    '[...ruling, ...inOrder].map',
    'inOrder.map',
  ),
  bug(
    'subscribersShareClaims',
    SUBSCRIPTIONS,
    '[sql, integers, role, claims]',
    '[sql, integers, role]',
  ),
  bug(
    'subscribersKeepTheirRights',
    SERVER,
    'this.#services.live.subscriptions.rightsChanged()',
    '',
  ),
  bug(
    'rulesChangeUnderSubscribers',
    'server/live/subscriptions/matching/subscribed-query.ts',
    'plan.view !== this.#view',
    'false',
  ),
  bug(
    'observersNeedNothing',
    'server/live/observers/socket-observations.ts',
    'for (const right of ',
    'if (table === undefined) for (const right of ',
  ),
  bug(
    'observersSeeByRule',
    'planner/required-rights.ts',
    "!(right === 'observe' && rights.rulesOn(table, 'read'))",
    'true',
  ),
  bug(
    'creationTells',
    'server/requests/transactions/table-creation.ts',
    'await deps.access.currentCatalog(principal)',
    'await deps.access.currentCatalog(undefined)',
  ),
  bug(
    'blocksAreNotAskedFor',
    'server/guard/access/jwt-access.ts',
    '(principal.issued ?? 0) > block.from',
    'true',
  ),
  bug(
    'blocksRefuseForGood',
    'server/guard/access/jwt-access.ts',
    '(principal.issued ?? 0) >',
    '0 >',
  ),
  bug(
    'blocksMissTheirSecond',
    'server/guard/access/jwt-tokens.ts',
    'issued: Math.floor(iat)',
    'issued: iat + 1',
  ),
  bug(
    'blocksNeverEnd',
    'server/guard/access/jwt-access.ts',
    '|| block.expires <=',
    '|| block.from >',
  ),
  bug(
    'blocksEndEarlier',
    'storage/tables/access/access-blocks.ts',
    'Math.max(block.expires, former?.expires ?? 0)',
    'block.expires',
  ),
  bug(
    'blocksPileUp',
    'storage/tables/access/access-blocks.ts',
    'ROWS.delete(transaction, idOf(ended))',
    '',
  ),
  bug('socketsOutliveTokens', SERVER, 'this.#services.live.sockets.endRevoked()', ''),
  bug(
    'streamsOutliveTokens',
    SERVER,
    'request === but ? undefined : access.refusalOf(access.of(raw)),',
    'request === but ? undefined : access.refusalOf(access.of(raw)) && undefined,',
  ),
  bug(
    'socketsOutliveRights',
    'server/doors/websocket/socket-access.ts',
    'if (hadRights && !this.#hadRights)',
    'if (false)',
  ),
  bug(
    'socketsNeedRights',
    'server/doors/websocket/socket-access.ts',
    'if (hadRights && !this.#hadRights)',
    'if (!this.#hadRights)',
  ),
  bug('secretsStay', 'server/guard/access/cursor-secrets.ts', 'this.#rotated = rotated', ''),
  bug(
    'formerSecretsEndAtOnce',
    'server/guard/access/cursor-secrets.ts',
    'former === undefined ||',
    'true ||',
  ),
  bug(
    'formerSecretsNeverEnd',
    'server/guard/access/cursor-secrets.ts',
    'former.until <= this.#clock.wallMicros()',
    'false',
  ),
  bug(
    'othersSecretsAreRefused',
    SERVER,
    'storage.isShared ? access.lookAgain() : undefined',
    'undefined',
  ),
  bug(
    'openServersNeverLook',
    'server/guard/access/access.ts',
    'hasLooked && !this.#storage.isShared',
    "hasLooked && (!this.#storage.isShared || this.#mode === 'off')",
  ),
  bug('lateBodiesAreNotAsked', 'server/server-parts.ts', 'access.refusalSince(raw)', 'undefined'),
  bug(
    'rightsAreNotAskedFor',
    'planner/required-rights.ts',
    'if (rights.mayOn(table, right) &&',
    "if ((right !== 'observe' || rights.mayOn(table, right)) &&",
  ),
  bug('conditionsNeedNoRead', PLANS, ' && !asksOfRow(plan)', ''),
  bug(
    'deletesNeedNoRead',
    PLANS,
    'plan.returning === undefined && isByKey(plan)',
    'plan.returning === undefined',
  ),
  bug(
    'walksLeaveTheRule',
    ACCESS,
    'if (ruling.length === 0) return path',
    'if (ruling.length >= 0) return path',
  ),
  bug('setsDoNotLook', 'planner/plan/writes/plan-write.ts', 'rowRule?.isByKey !== false', 'true'),
  bug('grantsAreAllNeeded', ROW_RULE, "logical('OR', [only", "logical('AND', [only"),
  bug(
    'alternativesFailTogether',
    ROW_RULE,
    "if (source.kind === 'logical' && source.operator === 'OR')",
    'if (false)',
  ),
  bug('grantsWithoutRuleAreOnesWith', ROLE_RIGHTS, 'rules.length < grants.length || ', ''),
  bug(
    'uniqueIndexesTellOfAGrant',
    'storage/tables/access/table-grants.ts',
    'requireUniqueWithinRules({ ...table, grants })',
    '',
  ),
  bug(
    'explainTellsWhatItRead',
    'planner/execute/execute-explain.ts',
    '...(hidesRows ? {} : { ...read, ...ofLookups })',
    '...read',
  ),
  bug(
    'droppedTablesAreSeen',
    ROLE_RIGHTS,
    'return grants !== undefined && grants.length',
    'return (grants?.length ?? 0)',
  ),
  bug(
    'droppedTablesAreRead',
    ROLE_RIGHTS,
    "return this.#allTables.has(right) && this.may('inspect')",
    "return this.may('inspect')",
  ),
  bug(
    'rolesInUseAreDropped',
    'storage/tables/access/access-roles.ts',
    'if (tokens.length + tables.length + relays.length > 0)',
    'if (false)',
  ),
  ...ADMISSION_BUGS,
  ...AUDIT_BUGS,
  ...FORWARDING_BUGS,
  ...FIRST_TOKEN_BUGS,
  ...CHECK_BUGS,
  ...INSPECTION_BUGS,
  ...LOOKUP_BUGS,
  ...SCRIPT_BUGS,
  ...STATEMENT_BUGS,
  ...TOLD_BUGS,
]
