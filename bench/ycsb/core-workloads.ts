// SPDX-License-Identifier: Apache-2.0
import type { Random } from '../load/random.ts'
import type { KeyDistribution } from './key-chooser.ts'

export type OperationKind = 'read' | 'update' | 'insert' | 'scan' | 'readModifyWrite'

/** Whether an update writes one field at random, as YCSB does by default, or all ten. */
export type UpdateShape = 'field' | 'record'

/** Whether a read-modify-write is a read and then a write, as in YCSB, or one transaction. */
export type ModifyShape = 'plain' | 'transaction'

export type CoreWorkload = {
  /** What an experiment is called. */
  readonly name: string
  readonly letter: string
  readonly mix: Readonly<Partial<Record<OperationKind, number>>>
  readonly keys: KeyDistribution
  readonly update: UpdateShape
  readonly modify: ModifyShape
}

const SCAN_LENGTH_MAX = 100

const PLAIN = { keys: 'zipfian', update: 'field', modify: 'plain' } as const
const A = { ...PLAIN, letter: 'a', mix: { read: 0.5, update: 0.5 } } as const
const B = { ...PLAIN, letter: 'b', mix: { read: 0.95, update: 0.05 } } as const
const C = { ...PLAIN, letter: 'c', mix: { read: 1 } } as const
const D = { ...PLAIN, letter: 'd', mix: { read: 0.95, insert: 0.05 }, keys: 'latest' } as const
const E = { ...PLAIN, letter: 'e', mix: { scan: 0.95, insert: 0.05 }, name: 'e' } as const
const F = { ...PLAIN, letter: 'f', mix: { read: 0.5, readModifyWrite: 0.5 } } as const

const WITHOUT_INSERTS: readonly CoreWorkload[] = [
  { ...A, name: 'a-field' },
  { ...A, name: 'a-record', update: 'record' },
  { ...B, name: 'b-field' },
  { ...B, name: 'b-record', update: 'record' },
  { ...C, name: 'c' },
  { ...F, name: 'f-plain' },
  { ...F, name: 'f-transaction', modify: 'transaction' },
]

function withUniformKeys(workload: CoreWorkload): CoreWorkload {
  return { ...workload, name: `${workload.name}-uniform`, keys: 'uniform' }
}

/**
 * The workloads A to F of the Yahoo! Cloud Serving Benchmark, those that write in both shapes, and those with
 * zipfian keys with uniform ones as well. Those that insert come last, so that the others meet the records as
 * they were loaded.
 */
export const CORE_WORKLOADS: readonly CoreWorkload[] = [
  ...WITHOUT_INSERTS,
  ...WITHOUT_INSERTS.map(withUniformKeys),
  { ...D, name: 'd' },
  E,
  withUniformKeys(E),
]

export function drawKind({ mix }: CoreWorkload, random: Random): OperationKind {
  const kinds = Object.entries(mix) as [OperationKind, number][]
  let left = random.next()
  for (const [kind, share] of kinds) {
    left -= share
    if (left < 0) return kind
  }
  // The shares' sum may miss 1 by a rounding.
  return kinds[0]?.[0] as OperationKind
}

export function drawScanLength(random: Random): number {
  return 1 + random.below(SCAN_LENGTH_MAX)
}

/** `50 % read, 50 % update`, for people. */
export function describeMix({ mix, keys }: CoreWorkload): string {
  const parts = Object.entries(mix).map(([kind, share]) => `${Math.round(share * 100)} % ${kind}`)
  return `${parts.join(', ')}; keys ${keys}`
}
