// SPDX-License-Identifier: Apache-2.0
import { type PlantedBug, plantedIn } from './planted-bug.ts'

const AUDIT = 'server/guard/audit/audit.ts'
const AUDIT_FILE = 'server/guard/audit/audit-file.ts'
const AUDIT_SINK = 'server/guard/audit/audit-sink.ts'
const REPEATED = 'server/guard/audit/repeated-events.ts'
const DEFINITIONS = 'server/requests/statements/definition-runner.ts'

const bug = plantedIn('server/guard/audit')
const bugOfBackups = plantedIn('server/operations/backups')

/** One for each thing that the audit log has to do. */
export const AUDIT_BUGS: readonly PlantedBug[] = [
  bug('auditForgetsRefusals', AUDIT, 'if (OF_RIGHTS.includes(code))', 'if (false)'),
  bug('auditForgetsStrangers', AUDIT, 'isOfGuessing || OF_TOKENS.includes(code)', 'isOfGuessing'),
  bug('auditForgetsGuesses', AUDIT, 'isOfGuessing || ', ''),
  bug(
    'auditForgetsTheFirstToken',
    'server/operations/first-token/first-token.ts',
    'audit.firstToken(token.id, commitTs ?? undefined)',
    '',
  ),
  bugOfBackups(
    'auditForgetsBackups',
    AUDIT,
    "this.#sink.write({ event: 'backup', ...askedBy(by), names: { backup: name } })",
    '',
  ),
  bugOfBackups(
    'backupNamesLeadOut',
    'server/operations/backups/backups.ts',
    'if (isBackupName(name)) return join',
    'if (true) return join',
  ),
  bugOfBackups(
    'backupsFollowLinks',
    'server/operations/backups/backups.ts',
    'constants, lstatSync, mkdirSync',
    'constants, statSync as lstatSync, mkdirSync',
  ),
  bugOfBackups(
    'backupsRemoveWhatIsNone',
    'server/operations/backups/backups.ts',
    'await requireBackup(name, path)',
    '',
  ),
  bug('auditForgetsInspection', AUDIT, "{ event: 'inspected', ", "{ event: 'refused', "),
  bug(
    'auditOfSocketsIsSilent',
    'server/doors/websocket/frame-works.ts',
    'if (running !== undefined) this.#deps.audit.answered',
    'if (running === undefined) this.#deps.audit.answered',
  ),
  bug(
    'auditForgetsAuthFrames',
    'server/doors/websocket/socket-access.ts',
    'this.#audit.answered(problemOf(error), { address: this.#address, operation })',
    '',
  ),
  bug(
    'auditForgetsTerminals',
    'server/doors/http/answers/terminal-answers.ts',
    'listener(problem)',
    '',
  ),
  bug(
    'auditForgetsChanges',
    'server/live/subscriptions/change-streams.ts',
    'this.#deps.audit.answered(told, running)',
    '',
  ),
  bug(
    'auditTellsBeforeTheCommit',
    DEFINITIONS,
    'const commitTimestamp = await commitWritten(transaction, running)',
    'tell({}); const commitTimestamp = await commitWritten(transaction, running)',
  ),
  bug(
    'auditTellsWhatChangesNothing',
    DEFINITIONS,
    'if (commitTimestamp !== null) tell({ commitTimestamp })',
    'tell({})',
  ),
  bug('auditMayBeFull', DEFINITIONS, 'if (isAccess) await audit.requireWritable()', ''),
  bug(
    'auditStopsDefinitions',
    DEFINITIONS,
    'if (isAccess) await audit.requireWritable()',
    'await audit.requireWritable()',
  ),
  bug('auditTellsEach', REPEATED, 'return kept.count <= EACH_MAX', 'return true'),
  bug('auditForgetsTheCount', REPEATED, 'if (more > 0)', 'if (false)'),
  bug('auditRemembersAll', REPEATED, '&& this.#kept.size >= KEPT_MAX', '&& false'),
  bug(
    'auditLinesBreak',
    'server/guard/audit/audit-event.ts',
    'return text.replace(UNSAFE, ',
    'return text.replace(/(?!)/g, ',
  ),
  bug(
    'auditShowsPasswords',
    'server/config-values.ts',
    "text.includes('://') ? ofAddress(text) : text",
    'text',
  ),
  bug('auditFollowsLinks', AUDIT_FILE, '| O_NOFOLLOW', ''),
  bug('auditIsForAll', AUDIT_FILE, 'OWNER_ONLY = 0o600', 'OWNER_ONLY = 0o644'),
  bug('auditIsWrittenByAll', AUDIT_FILE, '(stat.mode & WRITABLE_BY_OTHERS) !== 0', 'false'),
  bug('auditGoesOnAfterHalfALine', AUDIT_FILE, 'return last[0] !== NEWLINE', 'return false'),
  bug('auditWaitsForEver', AUDIT_SINK, 'this.#failure), late]', 'this.#failure)]'),
  bug('auditFillsWithRefusals', AUDIT_SINK, 'SHARE_OF_OTHERS = 3 / 4', 'SHARE_OF_OTHERS = 1'),
  bug('auditGrows', AUDIT_SINK, 'if (this.#bytes + line.length > bytesMax)', 'if (false)'),
  bug('auditDoublesLines', AUDIT_SINK, 'this.#lines.splice(0, count)', ''),
  bug('auditCutsLines', AUDIT_SINK, 'this.#sent += bytes', 'this.#sent = 1e9'),
  bug('auditGoesOnWithHalfALine', AUDIT_SINK, 'this.#sent = 0\n    if', 'if'),
  bug('auditHammers', AUDIT_SINK, 'if (this.#failure === undefined) this.retry()', 'this.retry()'),
  bug(
    'auditIsNotOpenedAgain',
    'server/server.ts',
    'const hasAudit = this.#audit.reopen()',
    'const hasAudit = true',
  ),
]
