// SPDX-License-Identifier: Apache-2.0
import type { RowKey } from '../subscriptions/subscription-event.ts'
import { encodeParameters } from '../values.ts'
import type { CollectionKey } from './synced-rows.ts'

/** The columns of a primary key, as the collection was given them. */
export class KeyColumns {
  readonly names: readonly string[]

  constructor(names: string | readonly string[]) {
    this.names = typeof names === 'string' ? [names] : names
  }

  /** The values of a row, in their order. Throws TypeError where it has none in such a column. */
  valuesOf(row: object): unknown[] {
    return this.names.map((name) => {
      const value = (row as Record<string, unknown>)[name]
      if (value === undefined || value === null) {
        throw new TypeError(`A row has no value in ${name}, a column of its key: see \`key\`.`)
      }
      return value
    })
  }

  /** A text or number as it is, everything else as the text of its JSON. Throws TypeError. */
  keyOf(row: object): CollectionKey {
    const values = this.valuesOf(row)
    const [only] = values
    const isPlain = values.length === 1 && (typeof only === 'string' || typeof only === 'number')
    return isPlain ? only : textOf(values)
  }

  /** Throws TypeError where the server says that the primary key of a row is another. */
  require(row: object, key: RowKey): void {
    if (textOf(this.valuesOf(row)) === textOf(key)) return
    throw new TypeError(
      `The primary key of a row is ${textOf(key)}, which is not its ${this.names.join(', ')}: see \`key\`.`,
    )
  }
}

function textOf(values: readonly unknown[]): string {
  return JSON.stringify(encodeParameters(values))
}
