// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../../client-sdk/client.ts'

/** `symbol, time DESC`, `meta->>'city'`. */
export function keyWords(columns: readonly Schemas['KeyColumn'][]): string {
  return columns
    .map(
      ({ column, path = '', each, words, descending }) =>
        `${each ? 'EACH ' : words ? 'WORDS ' : ''}${column}${path}${descending ? ' DESC' : ''}`,
    )
    .join(', ')
}
