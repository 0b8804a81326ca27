// SPDX-License-Identifier: Apache-2.0
import type {
  AccessStatement,
  DefinitionStatement,
  GrantStatement,
  Name,
  RevokeStatement,
} from '../../../parser/ast.ts'
import { type Clock, repeat, type Timestamp } from '../../../storage/storage.ts'
import type { Problem } from '../../errors/error-response.ts'
import { ServerError } from '../../errors/server-error.ts'
import { type Asker, type AuditEvent, type AuditNames, askedBy } from './audit-event.ts'
import type { AuditSink } from './audit-sink.ts'
import { RepeatedEvents } from './repeated-events.ts'

const LOOK_MS = 1_000
const OF_TOKENS = ['unauthenticated', 'token_expired']
const OF_RIGHTS = ['not_permitted', 'rule_violated']

/** Tells who changed access and definitions, who was refused, and who looked below the rows. */
export class Audit {
  readonly #sink: AuditSink
  readonly #clock: Clock
  readonly #repeated = new RepeatedEvents()
  readonly #stopping = new AbortController()
  readonly #looking: Promise<void>
  #hasStarted = false

  constructor(sink: AuditSink, clock: Clock) {
    this.#sink = sink
    this.#clock = clock
    this.#looking = repeat(clock, {
      everyMs: LOOK_MS,
      signal: this.#stopping.signal,
      work: () => {
        for (const event of this.#repeated.ended(clock.monotonicMs())) sink.write(event)
        sink.retry()
      },
    })
  }

  started(url: string, flags: Readonly<Record<string, string>>): void {
    this.#hasStarted = true
    this.#sink.write({ event: 'server_started', url, flags })
  }

  /** To be called last of all: resolves when everything is written, or cannot be. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
    for (const event of this.#repeated.ended()) this.#sink.write(event)
    if (this.#hasStarted) this.#sink.write({ event: 'server_stopped' })
    await this.#sink.close()
  }

  /** Opens the file again; false where there is none. */
  reopen(): boolean {
    return this.#sink.reopen()
  }

  /** To be awaited before access is changed. Rejects with ServerError `audit_unavailable`. */
  async requireWritable(): Promise<void> {
    const reason = await this.#sink.problem()
    if (reason === undefined) return
    throw new ServerError(
      'audit_unavailable',
      `The audit log cannot be written (${reason}), so access is not changed.`,
      {
        reason,
        hint: 'Make room on the disk of its file, or move the file away and send SIGHUP; then run the statement again.',
      },
    )
  }

  /** To be called once when the change has been committed, or with `code` where that is not known. */
  changed(
    statement: AccessStatement | DefinitionStatement,
    by: Asker,
    { isAccess, tokenId, ...outcome }: ChangeOutcome,
  ): void {
    const { table, ...names } = namesIn(statement)
    this.#sink.write({
      event: isAccess ? 'access_changed' : 'definition_changed',
      ...askedBy({ ...by, operation: statement.kind }),
      table: textOf(table),
      names: tokenId === undefined ? names : { ...names, tokenId },
      ...outcome,
    })
  }

  /** To be called once when a token from a file has been made one of an administrator. */
  firstToken(tokenId: string, commitTimestamp: Timestamp | undefined): void {
    const names = { role: 'admin', tokenId }
    const by = { address: 'server', operation: 'takeFirstToken' }
    this.#sink.write({ event: 'access_changed', ...askedBy(by), names, commitTimestamp })
  }

  /** To be called with each error that becomes an answer; tells those that are about who may do what. */
  answered({ code, limit, table, right }: Problem, by: Asker): void {
    const isOfGuessing = code === 'client_overloaded' && limit === 'failedTokensMax'
    if (OF_RIGHTS.includes(code)) {
      const what = { table: textOf(table), right: textOf(right), code }
      this.#tellRepeated({ event: 'refused', ...askedBy(by), ...what })
    } else if (by.principal === undefined && (isOfGuessing || OF_TOKENS.includes(code))) {
      this.#tellRepeated({ event: 'authentication_failed', ...askedBy(by), code })
    }
  }

  /** To be called when a copy of all rows was ordered, read or removed: each is told. */
  backup(by: Asker, name: string): void {
    this.#sink.write({ event: 'backup', ...askedBy(by), names: { backup: name } })
  }

  /** To be called when an administrator gets a token that sees as a role. */
  impersonated(
    by: Asker,
    { role, subject }: { readonly role: string; readonly subject: unknown },
  ): void {
    const names = { role, ...(typeof subject === 'string' && { subject }) }
    this.#sink.write({ event: 'impersonated', ...askedBy(by), names })
  }

  /** To be called when someone makes this standby the server that takes writes. */
  promoted(by: Asker, former: string): void {
    this.#sink.write({ event: 'promoted', ...askedBy(by), names: { former } })
  }

  /** To be called when another server says that it has taken the place of this one. */
  superseded(by: Asker, primary: string): void {
    this.#sink.write({ event: 'superseded', ...askedBy(by), names: { primary } })
  }

  /** To be called when someone has ended what ran, which may be another's: each is told. */
  interrupted(by: Asker, names: AuditNames): void {
    this.#sink.write({ event: 'interrupted', ...askedBy(by), names })
  }

  /** To be called when someone has seen what lies below the rows. */
  inspected(by: Asker, table?: string): void {
    this.#tellRepeated({ event: 'inspected', ...askedBy(by), table })
  }

  #tellRepeated(event: AuditEvent): void {
    if (this.#repeated.isToldAlone(event, this.#clock.monotonicMs())) this.#sink.write(event)
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export type ChangeOutcome = {
  /** Whether it is about tokens, roles or rights. */
  readonly isAccess: boolean
  /** Of a token that was made or rotated, as principals have it. */
  readonly tokenId?: string | undefined
  readonly commitTimestamp?: Timestamp | undefined
  readonly code?: Problem['code']
}

type Statement = AccessStatement | DefinitionStatement
type Of<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>

/**
 * What the audit log tells of each statement that changes access or the catalog: a new one needs its line here. Names
 * and rights only: defaults, rules and their values stay out.
 */
const NAMES: { readonly [Kind in Statement['kind']]: (statement: Of<Kind>) => AuditNames } = {
  createToken: ({ token, role }) => ({ token: token.text, role: role.text }),
  alterToken: ({ token }) => ({ token: token.text }),
  rotateToken: ({ token }) => ({ token: token.text }),
  dropToken: ({ token }) => ({ token: token.text }),
  rotateSecret: () => ({ secret: 'cursor' }),
  alterStore: ({ retention }) => ({ retentionMs: String(retention.ms) }),
  createRole: ({ role, isForJwt }) => ({ role: role.text, forJwt: isForJwt }),
  alterRole: ({ role, limits }) => ({
    role: role.text,
    limits: limits.map(({ limit }) => limit.text),
  }),
  dropRole: ({ role }) => ({ role: role.text }),
  grant: (statement) => ({ ...ofRights(statement), hasRule: statement.where !== undefined }),
  revoke: (statement) => ofRights(statement),
  createBlock: ({ subject }) => ({ subject: subject.text }),
  dropBlock: ({ subject }) => ({ subject: subject.text }),
  createRelay: ({ relay, tables, to, role }) => ({
    relay: relay.text,
    tables: tables.map(({ text }) => text),
    url: to.text,
    ...(role && { role: role.text }),
  }),
  pauseRelay: ({ relay }) => ({ relay: relay.text }),
  resumeRelay: ({ relay, from }) => ({ relay: relay.text, ...(from && { from }) }),
  rotateRelay: ({ relay }) => ({ relay: relay.text }),
  dropRelay: ({ relay }) => ({ relay: relay.text }),
  createTable: ({ table }) => ofTable(table),
  dropTable: ({ table }) => ofTable(table),
  addColumn: ({ table, column }) => ({ ...ofTable(table), column: column.name.text }),
  dropColumn: ({ table, column }) => ({ ...ofTable(table), column: column.text }),
  addCheck: ({ table, check: { name } }) => ({
    ...ofTable(table),
    ...(name && { constraint: name.text }),
  }),
  dropConstraint: ({ table, constraint }) => ({
    ...ofTable(table),
    constraint: constraint.text,
  }),
  alterColumn: ({ table, column }) => ({ ...ofTable(table), column: column.text }),
  restartIdentity: ({ table, column }) => ({ ...ofTable(table), column: column.text }),
  setNotNull: ({ table, column }) => ({ ...ofTable(table), column: column.text }),
  renameColumn: ({ table, column, to }) => ({
    ...ofTable(table),
    column: column.text,
    to: to.text,
  }),
  renameTable: ({ table, to }) => ({ ...ofTable(table), to: to.text }),
  createIndex: ({ index, table }) => ({ ...ofTable(table), index: index.text }),
  dropIndex: ({ index }) => ({ index: index.text }),
  createObserver: ({ observer, table }) => ({ ...ofTable(table), observer: observer.text }),
  pauseObserver: ({ observer }) => ({ observer: observer.text }),
  resumeObserver: ({ observer }) => ({ observer: observer.text }),
  replayObserver: ({ observer }) => ({ observer: observer.text }),
  dropObserver: ({ observer }) => ({ observer: observer.text }),
  createSchedule: ({ schedule, observer }) => ({
    schedule: schedule.text,
    observer: observer.text,
  }),
  pauseSchedule: ({ schedule }) => ({ schedule: schedule.text }),
  resumeSchedule: ({ schedule }) => ({ schedule: schedule.text }),
  dropSchedule: ({ schedule }) => ({ schedule: schedule.text }),
}

function ofTable(table: Name): { readonly table: string } {
  return { table: table.text }
}

function ofRights({ role, rights, on }: GrantStatement | RevokeStatement): AuditNames {
  return {
    role: role.text,
    rights: rights === 'all' ? ['all'] : rights.map(({ name }) => name),
    ...(on === 'allTables' ? { allTables: true } : on === undefined ? {} : ofTable(on)),
  }
}

/** The names that a statement has. */
function namesIn(statement: Statement): AuditNames {
  const namesOf = NAMES[statement.kind] as (statement: Statement) => AuditNames
  return namesOf(statement)
}
