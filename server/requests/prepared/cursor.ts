// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { distinctText } from '../../../planner/planner.ts'
import { andThen, type MaybePromise, type StoreHistory } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { CursorSecrets } from '../../guard/access/cursor-secrets.ts'

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
 *     4.<history>.<readTimestamp>.<hidden after>.<signature>
 *
 * Where it continues is hidden from the client: the key there has the number of the table, and may be
 * that of a row which a rule hides; it is padded, as its length would tell of it too. The signature is
 * that of what is hidden, and its first half begins the key stream, so that no stream is used for two
 * texts.
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
    const { signing } = this.#secrets
    const head = `4.${this.#history.name}.${position.readTimestamp}`
    const after = padded(position.after)
    const signature = signed(signing, { head, after }, owner)
    const hidden = hiddenBy(signing, signature, after)
    return `${head}.${hidden.toString('base64url')}.${signature.toString('base64url')}`
  }

  /**
   * Throws or rejects with StorageError `history_replaced` for one of another history, and `bad_cursor` for one that
   * was changed, that belongs to another statement, or that an older version of the server made.
   */
  read(cursor: string, owner: CursorOwner): MaybePromise<CursorPosition> {
    const [head, history, timestamp, hidden, signature] = CURSOR.exec(cursor)?.slice(1) ?? []
    const readTimestamp = Number(timestamp)
    if (head === undefined || !Number.isSafeInteger(readTimestamp)) throw badCursor()
    this.#history.require(readTimestamp, history)
    const given = {
      head,
      hidden: Buffer.from(hidden ?? '', 'base64url'),
      signature: Buffer.from(signature ?? '', 'base64url'),
    }
    const after = this.#afterIn(given, owner)
    if (after !== undefined) return { readTimestamp, after }
    return andThen(this.#lookAgain(), () => {
      const later = this.#afterIn(given, owner)
      if (later === undefined) throw badCursor()
      return { readTimestamp, after: later }
    })
  }

  /** What was hidden; undefined where neither secret has signed it. */
  #afterIn({ head, hidden, signature }: Given, owner: CursorOwner): Uint8Array | undefined {
    if (signature.length !== SIGNATURE_BYTES) return undefined
    const { signing, former } = this.#secrets
    for (const secret of former === undefined ? [signing] : [signing, former]) {
      const after = hiddenBy(secret, signature, hidden)
      if (timingSafeEqual(signature, signed(secret, { head, after }, owner))) return unpadded(after)
    }
    return undefined
  }
}

type Given = { readonly head: string; readonly hidden: Buffer; readonly signature: Buffer }

const SIGNATURE_BYTES = 32
const STREAM_START_BYTES = 16
const PADDED_BYTES_MIN = 128
/** Behind it there are only zeros. */
const END_MARK = 0x80

function signed(
  secret: Uint8Array,
  { head, after }: { readonly head: string; readonly after: Uint8Array },
  request: CursorOwner,
): Buffer {
  const owner = createHash('sha256').update(textOf(request)).digest()
  return createHmac('sha256', secret).update(owner).update(`${head}.`).update(after).digest()
}

/**
 * Lengths double from one step to the next, so that a cursor tells of a key no more than which of a few sizes it has;
 * most keys are of the first.
 */
function padded(bytes: Uint8Array): Uint8Array {
  let length = PADDED_BYTES_MIN
  while (length <= bytes.length) length *= 2
  const all = new Uint8Array(length)
  all.set(bytes)
  all[bytes.length] = END_MARK
  return all
}

function unpadded(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.lastIndexOf(END_MARK))
}

/** Hides what is shown, and shows what is hidden. */
function hiddenBy(secret: Uint8Array, signature: Buffer, bytes: Uint8Array): Buffer {
  // Shorter than all that is signed, so that it is no signature of anything.
  const key = createHmac('sha256', secret).update('hides cursors').digest()
  return createCipheriv('aes-256-ctr', key, signature.subarray(0, STREAM_START_BYTES)).update(bytes)
}

/** Without a principal it is the text of the versions that knew none, whose cursors go on. */
function textOf({ sql, params, principal }: CursorOwner): string {
  const ofPrincipal = principal === undefined ? '' : `,${JSON.stringify(principal)}`
  return `[${JSON.stringify(sql)},${distinctText(params ?? null)}${ofPrincipal}]`
}

const CURSOR = /^(4\.([0-9a-f]{32}(?:\.[0-9a-f]{24})?)\.(\d{1,16}))\.([\w-]*)\.([\w-]*)$/

function badCursor(): ServerError {
  return new ServerError(
    'bad_cursor',
    'The cursor is not one that this store gave for this statement with these parameters.',
  )
}
