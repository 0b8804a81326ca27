// SPDX-License-Identifier: Apache-2.0
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { distinctText } from '../planner/planner.ts'
import { ServerError } from './server-error.ts'

/** Where a SCAN continues; all that the server needs to know is in the cursor itself. */
export type CursorPosition = {
  /** The snapshot of the first page. */
  readonly readTimestamp: number
  /** The planner's resume key. */
  readonly after: Uint8Array
}

/** What a cursor belongs to: it is refused together with any other text or other parameters. */
export type CursorOwner = { readonly sql: string; readonly params: unknown }

/**
 * Makes and reads cursors. The server keeps nothing: a cursor is its position, signed together with
 * a digest of its statement and parameters by a secret that lives with the store, so that it also
 * survives a restart.
 */
export class Cursors {
  readonly #secret: Uint8Array

  constructor(secret: Uint8Array) {
    this.#secret = secret
  }

  write(position: CursorPosition, owner: CursorOwner): string {
    const after = Buffer.from(position.after).toString('base64url')
    const body = `1.${position.readTimestamp}.${after}`
    return `${body}.${this.#sign(body, owner).toString('base64url')}`
  }

  /** Throws `bad_cursor` for one that was changed, or that belongs elsewhere. */
  read(cursor: string, owner: CursorOwner): CursorPosition {
    const signatureAt = cursor.lastIndexOf('.')
    const body = cursor.slice(0, Math.max(signatureAt, 0))
    const given = Buffer.from(cursor.slice(signatureAt + 1), 'base64url')
    const expected = this.#sign(body, owner)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new ServerError(
        'bad_cursor',
        'The cursor is not one that this store gave for this statement with these parameters.',
      )
    }
    const [, readTimestamp, after] = body.split('.')
    return {
      readTimestamp: Number(readTimestamp),
      after: Buffer.from(after ?? '', 'base64url'),
    }
  }

  #sign(body: string, { sql, params }: CursorOwner): Buffer {
    const owner = createHash('sha256')
      .update(`[${JSON.stringify(sql)},${distinctText(params ?? null)}]`)
      .digest()
    return createHmac('sha256', this.#secret).update(owner).update(body).digest()
  }
}
