// SPDX-License-Identifier: Apache-2.0
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { distinctText } from '../../planner/planner.ts'
import { andThen, type MaybePromise, type StoreHistory } from '../../storage/storage.ts'
import { ServerError } from '../errors/server-error.ts'
import type { CursorSecrets } from './cursor-secrets.ts'

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
 * survives a restart. After ROTATE SECRET those of the one from before are read as well.
 *
 *     2.<history>.<readTimestamp>.<after>.<signature>
 *
 * A copy of the store has its secret too, so the history is looked at first.
 */
export class Cursors {
  readonly #secrets: CursorSecrets
  readonly #history: StoreHistory
  readonly #lookAgain: () => MaybePromise<void>

  /** `lookAgain` is called where another server may have rotated the secret. */
  constructor(
    secrets: CursorSecrets,
    history: StoreHistory,
    lookAgain: () => MaybePromise<void> = () => undefined,
  ) {
    this.#secrets = secrets
    this.#history = history
    this.#lookAgain = lookAgain
  }

  write(position: CursorPosition, owner: CursorOwner): string {
    const after = Buffer.from(position.after).toString('base64url')
    const body = `2.${this.#history.id}.${position.readTimestamp}.${after}`
    return `${body}.${signed(this.#secrets.signing, body, owner).toString('base64url')}`
  }

  /**
   * Throws or rejects with StorageError `history_replaced` for one of another history, and `bad_cursor` for one that
   * was changed, that belongs to another statement, or that an older version of the server made.
   */
  read(cursor: string, owner: CursorOwner): MaybePromise<CursorPosition> {
    const [body, history, timestamp, after, signature] = CURSOR.exec(cursor)?.slice(1) ?? []
    const readTimestamp = Number(timestamp)
    if (body === undefined || !Number.isSafeInteger(readTimestamp)) throw badCursor()
    this.#history.require(readTimestamp, history)
    const given = Buffer.from(signature ?? '', 'base64url')
    const position = { readTimestamp, after: Buffer.from(after ?? '', 'base64url') }
    if (this.#hasSigned(given, body, owner)) return position
    return andThen(this.#lookAgain(), () => {
      if (this.#hasSigned(given, body, owner)) return position
      throw badCursor()
    })
  }

  #hasSigned(given: Buffer, body: string, owner: CursorOwner): boolean {
    const { signing, former } = this.#secrets
    return [signing, former].some((secret) => {
      const expected = secret && signed(secret, body, owner)
      return expected?.length === given.length && timingSafeEqual(given, expected)
    })
  }
}

function signed(secret: Uint8Array, body: string, asked: CursorOwner): Buffer {
  const owner = createHash('sha256').update(textOf(asked)).digest()
  return createHmac('sha256', secret).update(owner).update(body).digest()
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
