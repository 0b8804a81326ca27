// SPDX-License-Identifier: Apache-2.0
import type { Work } from './work.ts'

/**
 * Lists to which unique elements are appended. Who reads a list sees the order of all its writers, so
 * a checker can tell from the clients' notes alone whether the history could have been.
 */
export async function listsTransaction({ transaction, random, swarm, think }: Work): Promise<void> {
  const { recorded } = transaction
  const count = 1 + random.below(4)
  for (let operation = 0; operation < count; operation += 1) {
    if (operation > 0) await think()
    const key = `\u0001list/${random.below(Math.ceil(swarm.keys / 3))}`
    const text = await transaction.readValue(key, '0')
    const elements = text === null || text === '' ? [] : text.split(',').map(Number)
    recorded.listOperations.push({ kind: 'read', key, elements })
    if (recorded.readOnly || random.fraction() < 0.4) continue
    const element = recorded.number * 10 + operation
    transaction.put(key, '0', [...elements, element].join())
    recorded.listOperations.push({ kind: 'append', key, element })
  }
}
