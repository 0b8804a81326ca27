// SPDX-License-Identifier: Apache-2.0
import type { Chooser, RandomColumn, RandomTable } from '../../differential/random/random-table.ts'
import { knownValue } from '../../differential/random/two-texts.ts'
import { claimLiteral, claimsOfType, type HeldClaims, type Values } from './claims.ts'
import { JSON_COLUMN, knownJson } from './statements.ts'

export type Right = 'READ' | 'WRITE' | 'OBSERVE'

/** A condition of a GRANT, and the same for someone whose claims are known. */
export type RandomRule = {
  readonly text: string
  readonly columns: readonly string[]
  /** Of a rule by key: how many columns of the primary key it fixes. */
  readonly keyParts: number | undefined
  /** TRUE of the same rows, computed of every row. */
  readonly meantFor: (claims: HeldClaims) => string
  /** What columns of a row may have that meets it, as far as one value says so. */
  readonly meets: (claims: HeldClaims) => Values
}

export type RandomGrant = {
  readonly rights: readonly Right[]
  readonly rule: RandomRule | undefined
}

type Part = Pick<RandomRule, 'text' | 'meantFor' | 'meets' | 'columns'>

/** All grants of a table to the role; none where it may do nothing with it. */
export function randomGrants(choose: Chooser, table: RandomTable): readonly RandomGrant[] {
  const both = ['READ', 'WRITE'] as const
  switch (choose.below(12)) {
    case 0:
      return [{ rights: choose.percent(50) ? both : [...both, 'OBSERVE'], rule: undefined }]
    case 1:
      return [{ rights: [choose.oneOf(['READ', 'WRITE', 'WRITE'])], rule: undefined }]
    case 2:
      return [{ rights: ['READ'], rule: randomRule(choose, table) }]
    case 3:
      return [
        { rights: ['READ'], rule: randomRule(choose, table) },
        { rights: ['WRITE'], rule: choose.percent(50) ? randomRule(choose, table) : undefined },
      ]
    case 4:
    case 5:
      return [
        { rights: both, rule: randomRule(choose, table) },
        { rights: choose.percent(50) ? both : ['READ'], rule: randomRule(choose, table) },
      ]
    case 6:
      return [
        { rights: ['OBSERVE'], rule: undefined },
        { rights: both, rule: choose.percent(30) ? randomRule(choose, table) : undefined },
      ]
    default:
      return [{ rights: both, rule: randomRule(choose, table) }]
  }
}

/** What rows have to meet for a right: undefined without the right, '' where all rows do. */
export function conditionFor(
  grants: readonly RandomGrant[],
  right: Right,
  claims: HeldClaims,
): string | undefined {
  const held = grants.filter(({ rights }) => rights.includes(right))
  if (held.length === 0) return undefined
  if (held.some(({ rule }) => rule === undefined)) return ''
  return held.map(({ rule }) => `coalesce((${rule?.meantFor(claims)}), FALSE)`).join(' OR ')
}

/** Another alternative for what a role may do already, or more of it. */
export function anotherGrant(choose: Chooser, table: RandomTable): RandomGrant {
  return { rights: ['READ', 'WRITE'], rule: randomRule(choose, table) }
}

function randomRule(choose: Chooser, table: RandomTable): RandomRule {
  return choose.percent(45) ? ruleByKey(choose, table) : ruleByRow(choose, table)
}

function ruleByKey(choose: Chooser, table: RandomTable): RandomRule {
  const keyParts = 1 + choose.below(Math.min(2, table.primaryKey.length))
  const columns = table.primaryKey.slice(0, keyParts).map(({ column }) => column)
  const parts = columns.map((column) => equals(choose, column, columns.length > 1 ? 80 : 95))
  return { ...and(parts), keyParts }
}

function ruleByRow(choose: Chooser, table: RandomTable): RandomRule {
  const parts = choose
    .some(table.terms, 1 + choose.below(2))
    .map((column) =>
      choose.percent(25) && column.type === 'INTEGER'
        ? quotient(choose, column)
        : compares(choose, column),
    )
  if (choose.percent(10)) {
    const text = choose.oneOf([
      `${JSON_COLUMN} IS NOT NULL`,
      `${JSON_COLUMN} ? '${choose.oneOf(['a', 'ab'])}'`,
      `${JSON_COLUMN} ->> 'a' MATCH '${choose.oneOf(['ab', 'x tr*'])}'`,
      `${JSON_COLUMN} <> ${knownJson(choose)}`,
    ])
    parts.push({ text, columns: [JSON_COLUMN], meantFor: () => text, meets: () => ({}) })
  }
  // What may fail comes last: by then the others have decided about most rows.
  const inOrder = parts.sort((a, b) => Number(a.text.includes('/')) - Number(b.text.includes('/')))
  const mayFail = inOrder.some(({ text }) => text.includes('/'))
  const joined = !mayFail && choose.percent(30) ? or(inOrder) : and(inOrder)
  // It may be one by key all the same, and then only its columns say so.
  return { ...joined, keyParts: undefined }
}

/** Of a path it is the column. */
function columnOf(name: string): string {
  return name.replace(/->.*/, '')
}

function equals(choose: Chooser, column: RandomColumn, claimPercent = 80): Part {
  const claims = claimsOfType(column.type).filter((name) => name !== 'absent')
  if (claims.length > 0 && choose.percent(claimPercent)) {
    const name = choose.percent(70) ? (claims[0] as string) : choose.oneOf(claims)
    return ofClaim(column, '=', name)
  }
  const literal = knownValue(choose, column.type).ours
  return constant(`${column.name} = ${literal}`, column, literal)
}

function compares(choose: Chooser, column: RandomColumn): Part {
  const claims = claimsOfType(column.type)
  if (claims.length > 0 && choose.percent(70)) {
    return ofClaim(column, choose.oneOf(['=', '=', '=', '<=', '<>']), choose.oneOf(claims))
  }
  if (choose.percent(20)) return constant(`${column.name} IS NOT NULL`, column)
  const operator = choose.oneOf(['<>', '<', '>='])
  const literal = knownValue(choose, column.type).ours
  const met = operator === '>=' ? literal : undefined
  return constant(`${column.name} ${operator} ${literal}`, column, met)
}

function ofClaim(column: RandomColumn, operator: string, claim: string): Part {
  const { name } = column
  return {
    text: `${name} ${operator} token.${claim}`,
    columns: [columnOf(name)],
    meantFor: (claims) => `${name} ${operator} ${claimLiteral(claims, claim)}`,
    meets: (claims) =>
      operator === '<>' || claims[claim] === undefined
        ? {}
        : oneValue(name, claimLiteral(claims, claim)),
  }
}

/** `met` is a literal that the column may have then. */
function constant(text: string, { name }: RandomColumn, met?: string): Part {
  const values = met === undefined ? {} : oneValue(name, met)
  return { text, columns: [columnOf(name)], meantFor: () => text, meets: () => values }
}

/** Of a path, which gives texts, it is an object with the text. */
function oneValue(name: string, literal: string): Values {
  const column = columnOf(name)
  const member = JSON.stringify(literal.slice(1, -1))
  return { [column]: column === name ? literal : `'{"a":${member}}'` }
}

/** Fails of a row with 0 there, and then hides it. */
function quotient(choose: Chooser, { name }: RandomColumn): Part {
  const text = `10 / ${name} > ${choose.below(4)}`
  const meantFor = () => `${name} <> 0 AND ${text}`
  return { text, columns: [columnOf(name)], meantFor, meets: () => ({ [name]: '1' }) }
}

function and(parts: readonly Part[]): Part {
  return joined(parts, ' AND ')
}

function or(parts: readonly Part[]): Part {
  return joined(parts, ' OR ')
}

function joined(parts: readonly Part[], operator: string): Part {
  return {
    text: parts.map(({ text }) => text).join(operator),
    columns: parts.flatMap(({ columns }) => columns),
    meantFor: (claims) => parts.map(({ meantFor }) => `(${meantFor(claims)})`).join(operator),
    meets: (claims) => Object.assign({}, ...parts.map(({ meets }) => meets(claims))),
  }
}
