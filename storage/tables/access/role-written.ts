// SPDX-License-Identifier: Apache-2.0
import { type AccessReads, AccessRows, type AccessWrites } from './access-rows.ts'

/** How many bytes the holders of a role have written on one day; a later day takes the place of it. */
export type RoleWritten = {
  readonly role: string
  /** Days since 1970 in UTC. */
  readonly day: number
  readonly bytes: number
}

const ROWS = new AccessRows('written', isRoleWritten)

const DAY_MICROS = 24 * 60 * 60 * 1_000_000

/** The day of UTC of a moment in microseconds since 1970, in days since then. */
export function dayOf(micros: number): number {
  return Math.floor(micros / DAY_MICROS)
}

/** Seconds until the next day of UTC begins, from 1 on. */
export function secondsToNextDay(micros: number): number {
  return Math.ceil(((dayOf(micros) + 1) * DAY_MICROS - micros) / 1_000_000)
}

/** Of the roles that are limited in it, by their names. */
export async function readRoleWritten(
  transaction: Pick<AccessReads, 'scanBatches'>,
): Promise<ReadonlyMap<string, RoleWritten>> {
  return new Map((await ROWS.read(transaction)).map((written) => [written.role, written]))
}

/** It is a count and no change of what anybody may do. */
export function writeRoleWritten(
  transaction: Pick<AccessWrites, 'put'>,
  written: RoleWritten,
): void {
  ROWS.put(transaction, written.role, written)
}

export function dropRoleWritten(
  transaction: Pick<AccessWrites, 'put' | 'delete'>,
  role: string,
): void {
  ROWS.delete(transaction, role)
}

function isRoleWritten(json: unknown): json is RoleWritten {
  const { role, day, bytes } = (json ?? {}) as Partial<RoleWritten>
  return typeof role === 'string' && [day, bytes].every((count) => Number.isSafeInteger(count))
}
