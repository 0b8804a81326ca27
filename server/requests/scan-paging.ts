// SPDX-License-Identifier: Apache-2.0
import { type PageRequest, rowCountOf, type StatementResult } from '../../planner/planner.ts'
import { andThen, type MaybePromise, type Timestamp } from '../../storage/storage.ts'
import { limitExceeded, ServerError } from '../errors/server-error.ts'
import { SERVER_LIMITS } from '../limits.ts'
import type { CursorOwner, CursorPosition, Cursors } from './cursor.ts'
import { isOneScan, requireSameSnapshot } from './meaningless-options.ts'
import type { QueryRequest } from './query-request.ts'
import type { IndexedStatement } from './script.ts'

/** As much as a page may ever hold. */
const WHOLE_PAGE: PageRequest = {
  rows: SERVER_LIMITS.pageRowsMax,
  bytes: SERVER_LIMITS.pageBytesMax,
}

/**
 * The pages of one request. A request that is one SCAN is answered page by page, with a cursor
 * between; any other is answered whole or not at all.
 */
export class Paging {
  readonly page: PageRequest
  readonly #cursors: Cursors
  readonly #owner: CursorOwner | undefined
  readonly #position: CursorPosition | undefined

  private constructor(
    cursors: Cursors,
    page: PageRequest,
    owner: CursorOwner | undefined,
    position: CursorPosition | undefined,
  ) {
    this.#cursors = cursors
    this.page = page
    this.#owner = owner
    this.#position = position
  }

  /** Throws or rejects with `bad_cursor`. */
  static of(
    request: QueryRequest,
    statements: readonly IndexedStatement[],
    cursors: Cursors,
    principal: string | undefined,
  ): MaybePromise<Paging> {
    const { pageRowsDefault } = SERVER_LIMITS
    if (request.sql === undefined || !isOneScan(request, statements)) return Paging.ofWhole(cursors)
    const owner = { sql: request.sql, params: request.params, principal }
    const rows = request.pageSize ?? pageRowsDefault
    return andThen(Paging.ofScan(cursors, { owner, rows, cursor: request.cursor }), (paging) => {
      requireSameSnapshot(request.asOf, paging.readTimestamp)
      return paging
    })
  }

  /** For what is answered whole or not at all. */
  static ofWhole(cursors: Cursors): Paging {
    return new Paging(cursors, WHOLE_PAGE, undefined, undefined)
  }

  /** The pages of one SCAN, which is known by its owner. Throws or rejects with `bad_cursor`. */
  static ofScan(
    cursors: Cursors,
    {
      owner,
      rows,
      cursor,
    }: {
      readonly owner: CursorOwner
      readonly rows: number
      readonly cursor: string | undefined
    },
  ): MaybePromise<Paging> {
    const bytes = SERVER_LIMITS.pageBytesMax
    if (cursor === undefined) return new Paging(cursors, { rows, bytes }, owner, undefined)
    return andThen(
      cursors.read(cursor, owner),
      (position) => new Paging(cursors, { rows, bytes, after: position.after }, owner, position),
    )
  }

  /** The snapshot of the page before; undefined on the first one. */
  get readTimestamp(): Timestamp | undefined {
    return this.#position?.readTimestamp
  }

  /** A cursor from one snapshot does not continue in another. Throws `bad_cursor`. */
  requireSnapshot(startTs: Timestamp): void {
    if (this.readTimestamp === undefined || this.readTimestamp === startTs) return
    throw new ServerError('bad_cursor', 'The cursor belongs to another transaction.')
  }

  /** Throws `limit_exceeded` for a SCAN that is cut short where nothing can continue it. */
  check(result: StatementResult): void {
    if (this.#owner !== undefined || result.resumeAfter === undefined) return
    const { pageRowsMax } = SERVER_LIMITS
    const error = limitExceeded('pageRowsMax', pageRowsMax, rowCountOf(result), 'Rows of one SCAN')
    const hint = 'send this SCAN in a request of its own and follow its cursor, or give it a LIMIT'
    throw new ServerError(error.code, 'This SCAN has more than a page can hold.', {
      ...error.fields,
      hint,
    })
  }

  cursorAfter(
    readTimestamp: Timestamp,
    results: readonly StatementResult[],
  ): { readonly cursor?: string } {
    const [result] = results
    if (this.#owner === undefined || result?.resumeAfter === undefined) return {}
    const position = { readTimestamp, after: result.resumeAfter }
    return { cursor: this.#cursors.write(position, this.#owner) }
  }
}
