// SPDX-License-Identifier: Apache-2.0
import type {
  AccessStatement,
  DefinitionStatement,
  GrantStatement,
  Name,
  RevokeStatement,
} from '../../../parser/ast.ts'
import type { AuditNames } from './audit-event.ts'

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
export function namesIn(statement: Statement): AuditNames {
  const namesOf = NAMES[statement.kind] as (statement: Statement) => AuditNames
  return namesOf(statement)
}
