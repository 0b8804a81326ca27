// SPDX-License-Identifier: Apache-2.0
import type { CheckAndMutate } from '../../../storage/cells/cell-store.ts'
import type { Mutation, SetCell } from '../../../storage/cells/mutation.ts'

/** Which step of the protocol a conditional mutation is, told by its shape (`storage/DESIGN.md`). */
export type StepKind =
  | 'prewrite'
  | 'commit'
  | 'heartbeat'
  | 'rollBackOwnPrimary'
  | 'rollBackSeenPrimary'
  | 'rollBackUnseenPrimary'
  | 'rollBackSecondary'
  | 'other'

export function kindOfStep({ ifMatched, otherwise }: CheckAndMutate): StepKind {
  if (sets(otherwise, 'lock')) return 'prewrite'
  if (sets(otherwise, 'rollback')) {
    return erases(otherwise, 'lock') ? 'rollBackOwnPrimary' : 'rollBackUnseenPrimary'
  }
  if (sets(ifMatched, 'rollback')) return 'rollBackSeenPrimary'
  if (sets(ifMatched, 'lock')) return 'heartbeat'
  if ([ifMatched, otherwise].some((list) => sets(list, 'write') || sets(list, 'guard'))) {
    return 'commit'
  }
  if (erases(ifMatched, 'lock')) return 'rollBackSecondary'
  return 'other'
}

/** The startTs of the transaction that a step of the protocol belongs to. */
export function startTsOfStep({ ifMatched, otherwise }: CheckAndMutate): number | undefined {
  for (const mutation of [...ifMatched, ...otherwise]) {
    if (mutation.family === 'lock' || mutation.family === 'rollback') {
      return mutation.kind === 'setCell' ? mutation.timestamp : mutation.timestamps.from
    }
  }
  return undefined
}

export function setCells(mutations: readonly Mutation[]): SetCell[] {
  return mutations.filter((mutation) => mutation.kind === 'setCell')
}

function sets(mutations: readonly Mutation[], family: Mutation['family']): boolean {
  return mutations.some((one) => one.kind === 'setCell' && one.family === family)
}

function erases(mutations: readonly Mutation[], family: Mutation['family']): boolean {
  return mutations.some((one) => one.kind === 'deleteFromColumn' && one.family === family)
}

/** A row's key for the trace. */
export function nameOfRow(row: Uint8Array): string {
  return Buffer.from(row)
    .toString('latin1')
    .replaceAll(/[^ -~]/g, '.')
}
