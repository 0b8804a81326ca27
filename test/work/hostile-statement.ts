// SPDX-License-Identifier: Apache-2.0
import type { Parameters } from '../../planner/planner.ts'
import type { Chooser } from '../differential/random/random-table.ts'

/** A statement as somebody would write it who wants the server to work as long as its limits let them. */
export type HostileStatement = { readonly text: string; readonly parameters: Parameters }

export const HOSTILE_ROWS = 300

/** What the statements are asked of. */
export const HOSTILE_TABLES: readonly string[] = [
  'CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, v TEXT, y BYTES, j JSON)',
  'CREATE INDEX byN ON t (n, v)',
  'CREATE TABLE pair (a INTEGER, b TEXT, n INTEGER, PRIMARY KEY (a, b))',
  `INSERT INTO t (id, n, v, y, j) VALUES ${Array.from({ length: HOSTILE_ROWS }, (_, id) => {
    return `(${id}, ${id % 7}, '${'ab'.repeat(id)}', x'0${id % 10}', '{"n":${id}}')`
  }).join(', ')}`,
  `INSERT INTO pair (a, b, n) VALUES ${Array.from({ length: HOSTILE_ROWS }, (_, id) => {
    return `(${id % 9}, 'b${id}', ${id})`
  }).join(', ')}`,
]

const LENGTHS = [1_000, 60_000, 500_000, 2_000_000, 7_900_000]
const UNITS = ['a', 'ab', 'aB c', 'αβΣ ', '😀', 'ŉß', '%', '_a', '"\\']

/** Bytes of all parameters of one statement together, which have to fit into a body. */
const PARAMETER_BYTES_MAX = 9_000_000

export class HostileStatements {
  readonly #choose: Chooser
  #parameters: Record<string, unknown> = {}
  #bytesLeft = 0

  constructor(choose: Chooser) {
    this.#choose = choose
  }

  next(): HostileStatement {
    this.#parameters = {}
    this.#bytesLeft = PARAMETER_BYTES_MAX
    const text = this.#statement()
    const named = new Set(text.match(/:[a-z]+\d+/g))
    const used = Object.entries(this.#parameters).filter(([name]) => named.has(`:${name}`))
    return { text, parameters: Object.fromEntries(used) }
  }

  #statement(): string {
    const where = this.#conditions()
    switch (this.#choose.below(16)) {
      case 0:
        return `GET ${this.#projection()} FROM t WHERE id IN ${this.#list('integers')}`
      case 1:
        return `GET * FROM pair WHERE a IN ${this.#list('integers')} AND b IN ${this.#list('texts')}`
      case 2:
        return `SET v = ${this.#text(2)}, n = ${this.#integer(2)} ON t WHERE id = 1 IF ${where}`
      case 3:
        return `CHECK ${where} ON t WHERE id = ${this.#choose.below(HOSTILE_ROWS)}`
      case 4:
        return `INSERT INTO t (id, n) VALUES ${this.#many(() => `(${this.#fixed()}, ${this.#fixed()})`, 500)} ON CONFLICT DO NOTHING`
      case 14:
        return `SET v = ${this.#text(2)}, n = ${this.#integer(2)} ON t USE PRIMARY KEY WHERE ${where} RETURNING ${this.#projection()}`
      case 15:
        return `INSERT INTO t (id, n) VALUES ${this.#many(() => `(${this.#fixed()}, ${this.#fixed()})`, 500)} ON CONFLICT DO UPDATE SET n = ${this.#integer(2)} IF ${where}`
      case 5:
        return `DELETE FROM t WHERE id IN ${this.#list('integers')} AND ${where} RETURNING ${this.#projection()}`
      case 6:
        return `SCAN MIN(${this.#text(1)}) AS a, MAX(${this.#integer(1)}) AS b, COUNT(*) AS c FROM t USE PRIMARY KEY WHERE ${where}`
      case 7:
        return `SCAN n, COUNT(${this.#text(1)}) AS c FROM t USE INDEX byN WHERE ${where} GROUP BY n`
      case 8:
        return `SCAN id FROM t WHERE ${this.#repeated(() => `id IN ${this.#list('integers')}`)} AND ${where}`
      case 9:
        return `SCAN id FROM t WHERE ${this.#repeated(() => `id > ${this.#integer(0).replace(/\b(id|n)\b/g, '1')}`)} AND ${where}`
      case 10:
        return `EXPLAIN ANALYZE SCAN ${this.#projection()} FROM t USE PRIMARY KEY WHERE ${where}`
      case 11:
        return `SCAN ${this.#projection()} FROM t WHERE n IN ${this.#list('integers')} AND ${where}`
      default:
        return `SCAN ${this.#projection()} FROM t USE PRIMARY KEY WHERE ${where}`
    }
  }

  #projection(): string {
    const count = this.#choose.oneOf([1, 1, 3, 100])
    const items = Array.from({ length: count }, () =>
      this.#choose.percent(50) ? this.#text(2) : this.#integer(2),
    )
    return items.map((item, place) => `${item} AS x${place}`).join(', ')
  }

  /** One heavy condition, or many of them. */
  #conditions(): string {
    const condition = () => this.#condition(2)
    const joined = this.#repeated(condition)
    if (!this.#choose.percent(20)) return joined
    return `(${joined}) OR ${this.#repeated(condition, 20).replaceAll(' AND ', ' OR ')}`
  }

  /** The same many times, or as many different ones. */
  #repeated(make: () => string, most = 300): string {
    const count = this.#choose.oneOf([1, 2, 5, 30, most])
    const one = make()
    const isSame = this.#choose.percent(40) || one.length * count > 60_000
    const all = Array.from({ length: count }, () => (isSame ? one : make()))
    return this.#shortened(all).join(' AND ')
  }

  #many(make: () => string, most: number): string {
    const count = this.#choose.oneOf([1, 10, most])
    return this.#shortened(Array.from({ length: count }, make)).join(', ')
  }

  /** What a text may hold together with the rest of its statement. */
  #shortened(parts: readonly string[]): readonly string[] {
    let left = 30_000
    return parts.filter((part, place) => {
      left -= part.length
      return place === 0 || left > 0
    })
  }

  #condition(depth: number): string {
    const c = this.#choose
    const not = c.percent(50) ? 'NOT ' : ''
    switch (c.below(10)) {
      case 8:
        return `${this.#text(depth)} ${not}MATCH ${c.oneOf(["'x b*'", this.#pattern()])}`
      case 0:
        return `${this.#text(depth)} ${not}LIKE ${this.#pattern()}`
      case 1:
        return `${this.#text(depth)} ${c.oneOf(['=', '<>', '<', '>='])} ${this.#text(depth)}`
      case 2:
        return `${this.#integer(depth)} ${c.oneOf(['=', '<>', '<', '>='])} ${this.#integer(depth)}`
      case 3:
        return `${this.#text(depth)} ${not}BETWEEN ${this.#text(depth)} AND ${this.#text(depth)}`
      case 4:
        return `${this.#text(depth)} ${not}IN ${this.#list('texts')}`
      case 5:
        return `${this.#integer(depth)} ${not}IN ${this.#list('integers')}`
      case 6:
        return `j ${c.oneOf(['=', '<>', '@>'])} ${this.#json()}`
      case 7:
        return `(${this.#bytes()}) ${c.oneOf(['=', '<>', '<'])} y`
      default:
        if (depth === 0) return 'n > 1'
        return `(${this.#condition(depth - 1)} ${c.oneOf(['AND', 'OR'])} ${not}(${this.#condition(depth - 1)}))`
    }
  }

  #text(depth: number): string {
    const c = this.#choose
    if (depth === 0) return c.oneOf(['v', "'x'", this.#longText(), this.#longText()])
    const part = () => this.#text(depth - 1)
    switch (c.below(9)) {
      case 5:
        return `replace(${part()}, ${this.#text(0)}, ${this.#text(0)})`
      case 6:
        return `CASE ${part()} WHEN ${part()} THEN ${part()} ELSE trim(${part()}, 'ab ') END`
      case 7:
        return `concat(substr(${part()}, 1000, ${c.oneOf([3, 1_000_000])}), ${this.#json()} #>> '{0,n}')`
      case 0:
        return `lower(${part()})`
      case 1:
        return `upper(${part()})`
      case 2:
        return `coalesce(NULL, ${part()}, ${part()})`
      case 3:
        return `${c.oneOf(['least', 'greatest'])}(${part()}, ${part()})`
      case 4:
        return `(${Array.from({ length: c.oneOf([2, 2, 40]) }, () => c.oneOf(['v', "'y'"])).join(' || ')})`
      default:
        return `(${part()} || v)`
    }
  }

  #integer(depth: number): string {
    const c = this.#choose
    if (depth === 0) return c.oneOf(['id', 'n', '3', `length(${this.#longText()})`])
    return c.oneOf([
      `length(${this.#text(depth - 1)})`,
      `(${this.#integer(depth - 1)} * ${this.#integer(depth - 1)} % 1000)`,
      `abs(${this.#integer(depth - 1)} - 5)`,
      `position(${this.#text(depth - 1)}, ${this.#text(depth - 1)})`,
      `json_length(json_set(${this.#json()}, '{a}', ${this.#text(depth - 1)}))`,
    ])
  }

  /** Without columns, as in VALUES. */
  #fixed(): string {
    return this.#choose.oneOf([
      `${this.#choose.below(1_000)}`,
      `length(lower(${this.#longText()}))`,
    ])
  }

  #pattern(): string {
    const part = this.#choose.oneOf(['%a_', '%', '%_', 'a', '%ab%', '_', '%aaaaaaaaab'])
    const length = this.#choose.oneOf([3, 100, 20_000, 1_000_000])
    return this.#parameter(part.repeat(Math.ceil(length / part.length)), length)
  }

  #longText(): string {
    const length = this.#choose.oneOf(LENGTHS)
    const unit = this.#choose.oneOf(UNITS)
    return this.#parameter(unit.repeat(Math.ceil(length / unit.length)), length * 2)
  }

  #bytes(): string {
    const bytes = Buffer.alloc(this.#choose.oneOf([1, 100_000, 3_000_000]), 7)
    const value = this.#parameter(bytes.toString('base64'), bytes.length * 1.4)
    return `y || ${value === "'x'" ? "x'01'" : value}`
  }

  #json(): string {
    const length = this.#choose.oneOf([10, 1_000, 40_000])
    const items = Array.from({ length }, (_, i) => (i % 3 === 0 ? { k: `${length - i}` } : i))
    const value = this.#parameter(items, length * 12)
    return value === "'x'" ? "'{}'" : value
  }

  #list(kind: 'integers' | 'texts'): string {
    const length = this.#choose.oneOf([1, 20, 5_000, 50_000])
    const items = Array.from({ length }, (_, i) => (kind === 'texts' ? `b${i}` : i))
    if (length <= 20 && this.#choose.percent(50)) {
      return `(${items.map((item) => (kind === 'texts' ? `'${item}'` : item)).join(', ')})`
    }
    const value = this.#parameter(items, length * 8, kind)
    if (value !== "'x'") return value
    return kind === 'texts' ? "('x')" : '(1, 2)'
  }

  /** A new one, or one of before; a short literal where no bytes are left. */
  #parameter(value: unknown, bytes: number, kind = Array.isArray(value) ? 'json' : 'text'): string {
    const known = Object.keys(this.#parameters).filter((name) => name.startsWith(kind))
    if (kind !== 'text' && known.length > 0) return `:${this.#choose.oneOf(known)}`
    if (bytes > this.#bytesLeft) return "'x'"
    this.#bytesLeft -= bytes
    const name = `${kind}${known.length}`
    this.#parameters[name] = value
    return `:${name}`
  }
}
