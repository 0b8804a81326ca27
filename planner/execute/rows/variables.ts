// SPDX-License-Identifier: Apache-2.0
import type { Into, Position } from '../../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import { type KnownVariables, parameterText } from '../../expressions/parameters.ts'
import { PlanError } from '../../plan-error.ts'
import type { StatementResult } from './execution-context.ts'

type Variable = {
  readonly type: SqlType
  /** Absent where the statement was explained, and read nothing. */
  readonly value?: SqlValue
}

/**
 * What the statements of one request have read INTO names so far. The types are those of columns, so a later
 * statement is planned with them; the values are known when it runs.
 */
export class Variables implements KnownVariables, VariableTypes {
  readonly #byName = new Map<string, Variable>()
  #signature = ''

  /** Their names and types: a statement has the same plan where it is the same. */
  get signature(): string {
    return this.#signature
  }

  /** Undefined for a name that is none of them. */
  typeOf(key: string | number): SqlType | undefined {
    return typeof key === 'string' ? this.#byName.get(key)?.type : undefined
  }

  /** Throws PlanError for one that was only explained. */
  valueOf(name: string, position: Position): SqlValue {
    const value = this.#byName.get(name)?.value
    if (value !== undefined) return value
    const shown = parameterText(name)
    throw new PlanError('invalid_request', `EXPLAIN has read nothing INTO ${shown}.`, {
      position,
      hint: 'Write ANALYZE in the earlier EXPLAIN, too, or in none.',
      fields: { parameter: name },
    })
  }

  /** Of the one row that the statement has answered. Throws PlanError when there is none, or several. */
  read(into: Into, { columns, rows }: Pick<StatementResult, 'columns' | 'rows'>): void {
    const [row, ...others] = rows
    if (row === undefined) {
      throw new PlanError('row_not_found', 'INTO wants one row, and there is none.', {
        position: into.position,
        hint: 'Read an aggregate, such as MAX(…): it always has one row, where it is NULL without rows.',
      })
    }
    if (others.length > 0) {
      throw new PlanError('invalid_request', 'INTO wants one row, and there are several.', {
        position: into.position,
        hint: 'Name one row by its key, or say which one it is by ORDER BY and LIMIT 1.',
      })
    }
    this.#add(into, columns, row)
  }

  /** Their types, and the values where the statement ran. Throws PlanError as `read`. */
  explain(into: Into, { columns, rows }: NonNullable<StatementResult['explained']>): void {
    if (rows === undefined) this.#add(into, columns)
    else this.read(into, { columns, rows })
  }

  #add(
    { names, position }: Into,
    columns: StatementResult['columns'],
    row?: readonly SqlValue[],
  ): void {
    if (columns.length !== names.length) {
      const message = `INTO has ${counted(names.length, 'name')}, and the row has ${counted(columns.length, 'column')}.`
      throw new PlanError('invalid_request', message, { position })
    }
    for (const [index, name] of names.entries()) {
      const type = columns[index]?.type as SqlType
      this.#requireNew(name.text, name.position)
      this.#byName.set(
        name.text,
        row === undefined ? { type } : { type, value: row[index] ?? null },
      )
      this.#signature += `${name.text} ${type},`
    }
  }

  /** A name has one meaning in a request. */
  #requireNew(name: string, position: Position): void {
    if (!this.#byName.has(name)) return
    throw new PlanError(
      'invalid_request',
      `An earlier statement has read INTO ${parameterText(name)}.`,
      {
        position,
        hint: 'Give this one another name.',
        fields: { parameter: name },
      },
    )
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Of what earlier statements of the request have read INTO names; undefined for a parameter of the client. */
export type VariableTypes = { typeOf(key: string | number): SqlType | undefined }

/** The statement with the types of such names where they stand as parameters; parts without any are the same object. */
export function withVariableTypes<Node>(node: Node, variables: VariableTypes): Node {
  if (node === null || typeof node !== 'object' || node instanceof Uint8Array) return node
  if (Array.isArray(node)) {
    const items = node.map((item) => withVariableTypes(item, variables))
    return items.some((item, index) => item !== node[index]) ? (items as Node) : node
  }
  const own = Object.entries(node).map(([name, part]) => {
    return [name, withVariableTypes(part, variables), part] as const
  })
  const isChanged = own.some(([, made, part]) => made !== part)
  const copy = isChanged ? Object.fromEntries(own.map(([name, made]) => [name, made])) : node
  return withOwnType(copy as Node & object, variables)
}

function withOwnType<Node extends object>(node: Node, variables: VariableTypes): Node {
  const { kind, key } = node as { readonly kind?: unknown; readonly key?: unknown }
  if (kind !== 'parameter' || typeof key !== 'string') return node
  const readType = variables.typeOf(key)
  return readType === undefined ? node : { ...node, readType }
}
