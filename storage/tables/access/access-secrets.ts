// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { type AccessReads, AccessRows, type AccessWrites } from './access-rows.ts'

/** A secret of the store that has been rotated; the first one stands in a row of its own, see `readSecret`. */
export type AccessSecret = {
  readonly name: string
  /** In base64, as the other. */
  readonly secret: string
  /** The one from before, and until when what it has signed still counts. */
  readonly former: { readonly secret: string; readonly until: Timestamp }
}

const ROWS = new AccessRows('secret', isSecret)

/** Undefined where it never was rotated. */
export async function readAccessSecret(
  transaction: Pick<AccessReads, 'scanBatches'>,
  name: string,
): Promise<AccessSecret | undefined> {
  return (await ROWS.read(transaction)).find((each) => each.name === name)
}

/** The one before the last is forgotten. `first` is what signs where there was no rotation. */
export async function rotateAccessSecret(
  transaction: AccessWrites,
  name: string,
  { first, made, until }: { first: Uint8Array; made: Uint8Array; until: Timestamp },
): Promise<void> {
  transaction.requireRoom()
  const before = await readAccessSecret(transaction, name)
  const secret = before?.secret ?? Buffer.from(first).toString('base64')
  const former = { secret, until }
  ROWS.write(transaction, name, { name, secret: Buffer.from(made).toString('base64'), former })
}

function isSecret(json: unknown): json is AccessSecret {
  const { name, secret, former } = (json ?? {}) as Partial<AccessSecret>
  const isText = [name, secret, former?.secret].every((text) => typeof text === 'string')
  return isText && Number.isSafeInteger(former?.until)
}
