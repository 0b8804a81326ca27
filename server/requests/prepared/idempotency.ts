// SPDX-License-Identifier: Apache-2.0

import {
  readIdempotencyRecord,
  type Timestamp,
  type Transaction,
  writeIdempotencyRecord,
} from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { limitExceeded, ServerError } from '../../errors/server-error.ts'
import type { Principal } from '../../guard/access/principal.ts'
import { standingOf } from '../../guard/access/standing.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { type AnswerBody, bytesOf, textOf } from '../answers/answer-body.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { RunningRequest } from './running-request.ts'

/** An answer that was given before. */
export class ReplayedAnswer {
  readonly #answer: KeptAnswer
  /** Whether its rows are shown: not to one of another standing, see `standingOf`, who might not see them now. */
  readonly isWhole: boolean
  /** Of the transaction that gave it; it could not know it when it wrote the answer down. */
  readonly commitTs: Timestamp

  constructor(answer: KeptAnswer, commitTs: Timestamp, standing: string) {
    this.#answer = answer
    this.isWhole = answer.standing === standing
    this.commitTs = commitTs
  }

  get readTimestamp(): Timestamp {
    return this.#answer.readTimestamp
  }

  get attempts(): number {
    return this.#answer.attempts
  }

  /** How many rows each statement has changed: all that is told where `isWhole` is false. */
  get rowsAffected(): readonly number[] {
    return this.#answer.rowsAffected ?? []
  }

  /** What was kept under that name, as JSON text: to parse it would round the numbers in it. */
  get results(): string {
    return this.#answer.results
  }

  /** The answer as JSON text. */
  get body(): string {
    const { results, readTimestamp, attempts } = this.#answer
    const commit = `"commitTimestamp":${this.commitTs}`
    return `{"results":${results},"readTimestamp":${readTimestamp},${commit},"attempts":${attempts}}`
  }
}

/** An answer as it is kept: all but its commit timestamp. */
type KeptAnswer = {
  /** JSON text. */
  readonly results: string
  readonly readTimestamp: Timestamp
  readonly attempts: number
  /** Of the one it was given to; absent in what an earlier version kept, as are the counts. */
  readonly standing?: string
  readonly rowsAffected?: readonly number[]
}

const BEGIN = '{"results":'
const AFTER_RESULTS = ',"readTimestamp":'

function textOfKept({ results, readTimestamp, ...rest }: KeptAnswer): string {
  return `${BEGIN}${results}${AFTER_RESULTS}${readTimestamp},${JSON.stringify(rest).slice(1)}`
}

/** The results are cut out; numbers and a hash follow them, so the last mark is the one that ends them. */
function keptOfText(text: string): KeptAnswer {
  const end = text.lastIndexOf(AFTER_RESULTS)
  const rest = JSON.parse(`{${text.slice(end + 1)}`) as Omit<KeptAnswer, 'results'>
  return { results: text.slice(BEGIN.length, end), ...rest }
}

const KEY = /^[\x21-\x7e]{1,255}$/

/**
 * A request that carries `Idempotency-Key`: its first committed answer is kept by the transaction
 * itself, so sending it again after a lost answer does nothing twice and gets that same answer. Of two
 * that run at once one conflicts with the other, is run again, and finds the other's answer.
 */
export class IdempotentRequest {
  readonly #address: { readonly scope: string; readonly key: string }
  readonly #fingerprint: string

  private constructor(key: string, fingerprint: string, owner: string | undefined) {
    // Where nobody is asked for a token there is one client.
    this.#address = { scope: owner ?? 'anonymous', key }
    this.#fingerprint = fingerprint
  }

  /**
   * Undefined without the header. `about` returns what makes it this request and no other, as text in pieces. Rejects
   * with `invalid_request` for a key that is empty, too long, or not visible ASCII.
   */
  static async of(
    header: unknown,
    about: () => Iterable<string>,
    { turns, owner }: Pick<RunningRequest, 'turns' | 'owner'>,
  ): Promise<IdempotentRequest | undefined> {
    if (header === undefined) return undefined
    if (typeof header !== 'string' || !KEY.test(header)) {
      throw new ServerError(
        'invalid_request',
        'Idempotency-Key takes 1 to 255 visible ASCII characters, given once.',
      )
    }
    return new IdempotentRequest(header, await fingerprintOf(about(), turns), owner)
  }

  /** What no other request has that is not a repetition of this one. */
  get scopedKey(): string {
    const { scope, key } = this.#address
    return `${scope} ${key}`
  }

  /** The answer that is kept, if there is one, as this principal may know it. Throws `idempotency_key_reused`. */
  async replayed(
    { transaction, catalog }: { readonly transaction: Transaction; readonly catalog: Catalog },
    principal: Principal | undefined,
  ): Promise<ReplayedAnswer | undefined> {
    const record = await readIdempotencyRecord(transaction, this.#address)
    if (record === undefined) return undefined
    if (record.fingerprint !== this.#fingerprint) {
      throw new ServerError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request; a new request needs a new key.',
      )
    }
    return new ReplayedAnswer(
      keptOfText(record.body),
      record.commitTs,
      standingOf(catalog, principal),
    )
  }

  /** Its text, where it is not too long to be kept: that is known of a long one before it is made text. */
  textToKeep(body: AnswerBody): string {
    if (typeof body !== 'string') requireShort(bytesOf(body))
    return textOf(body)
  }

  /** Keeps the answer, from the commit on; `results` are JSON text. */
  keep(transaction: Transaction, answer: KeptAnswer): void {
    const body = textOfKept(answer)
    requireShort(Buffer.byteLength(body))
    writeIdempotencyRecord(transaction, this.#address, { fingerprint: this.#fingerprint, body })
  }
}

function requireShort(bytes: number): void {
  const { idempotentAnswerBytesMax } = SERVER_LIMITS
  if (bytes <= idempotentAnswerBytesMax) return
  throw limitExceeded(
    'idempotentAnswerBytesMax',
    idempotentAnswerBytesMax,
    bytes,
    'Bytes of an answer to be kept for its Idempotency-Key',
  )
}
