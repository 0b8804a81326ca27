// SPDX-License-Identifier: Apache-2.0
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { distinctText } from '../../planner/planner.ts'
import type { StoreHistory } from '../../storage/storage.ts'
import { ServerError } from '../errors/server-error.ts'

/** Where a SCAN continues; all that the server needs to know is in the cursor itself. */
export type CursorPosition = {
  /** The snapshot of the first page. */
  readonly readTimestamp: number
  /** The planner's resume key. */
  readonly after: Uint8Array
}

/** What a cursor belongs to: it is refused together with any other text or other parameters, and of anybody else. */
export type CursorOwner = {
  readonly sql: string
  readonly params: unknown
  /** The id of the principal; undefined where nobody is asked for a token. */
  readonly principal: string | undefined
}

/**
 * Makes and reads cursors. The server keeps nothing: a cursor is its position, signed together with
 * a digest of its statement and parameters by a secret that lives with the store, so that it also
 * survives a restart.
 *
 *     2.<history>.<readTimestamp>.<after>.<signature>
 *
 * A copy of the store has its secret too, so the history is looked at first.
 */
export class Cursors {
  readonly #secret: Uint8Array
  readonly #history: StoreHistory

  constructor(secret: Uint8Array, history: StoreHistory) {
    this.#secret = secret
    this.#history = history
  }

  write(position: CursorPosition, owner: CursorOwner): string {
    const after = Buffer.from(position.after).toString('base64url')
    const body = `2.${this.#history.id}.${position.readTimestamp}.${after}`
    return `${body}.${this.#sign(body, owner).toString('base64url')}`
  }

  /**
   * Throws StorageError `history_replaced` for one of another history, and `bad_cursor` for one that was
   * changed, that belongs to another statement, or that an older version of the server made.
   */
  read(cursor: string, owner: CursorOwner): CursorPosition {
    const [body, history, timestamp, after, signature] = CURSOR.exec(cursor)?.slice(1) ?? []
    const readTimestamp = Number(timestamp)
    if (body === undefined || !Number.isSafeInteger(readTimestamp)) throw badCursor()
    this.#history.require(readTimestamp, history)
    const given = Buffer.from(signature ?? '', 'base64url')
    const expected = this.#sign(body, owner)
    const isSame = given.length === expected.length && timingSafeEqual(given, expected)
    if (!isSame) throw badCursor()
    return { readTimestamp, after: Buffer.from(after ?? '', 'base64url') }
  }

  #sign(body: string, { sql, params, principal }: CursorOwner): Buffer {
    const owner = createHash('sha256').update(textOf({ sql, params, principal })).digest()
    return createHmac('sha256', this.#secret).update(owner).update(body).digest()
  }
}

/** Without a principal it is the text of the versions that knew none, whose cursors go on. */
function textOf({ sql, params, principal }: CursorOwner): string {
  const ofPrincipal = principal === undefined ? '' : `,${JSON.stringify(principal)}`
  return `[${JSON.stringify(sql)},${distinctText(params ?? null)}${ofPrincipal}]`
}

const CURSOR = /^(2\.([0-9a-f]{32})\.(\d{1,16})\.([\w-]*))\.([\w-]*)$/

function badCursor(): ServerError {
  return new ServerError(
    'bad_cursor',
    'The cursor is not one that this store gave for this statement with these parameters.',
  )
}
