// SPDX-License-Identifier: Apache-2.0
import { type PageRequest, rowCountOf, type StatementResult } from '../../../planner/planner.ts'
import { andThen, type MaybePromise, type Timestamp } from '../../../storage/storage.ts'
import { limitExceeded, ServerError } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { CursorOwner, CursorPosition, Cursors } from './cursor.ts'
import { requireSameSnapshot } from './meaningless-options.ts'
import type { QueryRequest } from './query-request.ts'

/**
 * The pages of one request. A request that is one SCAN is answered page by page, with a cursor
 * between; any other is answered whole or not at all.
 */
export class Paging {
  /** For what is answered whole or not at all: as much as a page may ever hold. */
  static readonly whole = new Paging({
    rows: SERVER_LIMITS.pageRowsMax,
    bytes: SERVER_LIMITS.pageBytesMax,
  })

  readonly page: PageRequest
  /** What a cursor is written with; undefined where there are no pages. */
  readonly #by: { readonly cursors: Cursors; readonly owner: CursorOwner } | undefined
  /** The snapshot of the page before; undefined on the first one. */
  readonly readTimestamp: Timestamp | undefined

  private constructor(
    page: PageRequest,
    by?: { readonly cursors: Cursors; readonly owner: CursorOwner },
    position?: CursorPosition,
  ) {
    this.page = page
    this.#by = by
    this.readTimestamp = position?.readTimestamp
  }

  /** Of a request whose script is one SCAN, see `Script`. Throws or rejects with `bad_cursor`. */
  static of(
    request: QueryRequest,
    cursors: Cursors,
    principal: string | undefined,
  ): MaybePromise<Paging> {
    const { pageRowsDefault } = SERVER_LIMITS
    if (request.sql === undefined) return Paging.whole
    const owner = { sql: request.sql, params: request.params, principal }
    const rows = request.pageSize ?? pageRowsDefault
    const { cursor } = request
    const paged = Paging.ofScan(cursors, owner, rows, cursor)
    if (cursor === undefined) return paged
    return andThen(paged, (paging) => {
      requireSameSnapshot(request.asOf, paging.readTimestamp)
      return paging
    })
  }

  /** The pages of one SCAN, which is known by its owner. Throws or rejects with `bad_cursor`. */
  static ofScan(
    cursors: Cursors,
    owner: CursorOwner,
    rows: number,
    cursor: string | undefined,
  ): MaybePromise<Paging> {
    const bytes = SERVER_LIMITS.pageBytesMax
    const by = { cursors, owner }
    if (cursor === undefined) return new Paging({ rows, bytes }, by)
    return andThen(
      cursors.read(cursor, owner),
      (position) => new Paging({ rows, bytes, after: position.after }, by, position),
    )
  }

  /** A cursor from one snapshot does not continue in another. Throws `bad_cursor`. */
  requireSnapshot(startTs: Timestamp): void {
    if (this.readTimestamp === undefined || this.readTimestamp === startTs) return
    throw new ServerError('bad_cursor', 'The cursor belongs to another transaction.')
  }

  /** Throws `limit_exceeded` for a SCAN that is cut short where nothing can continue it. */
  check(result: StatementResult): void {
    if (this.#by !== undefined || result.resumeAfter === undefined) return
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
    if (this.#by === undefined || result?.resumeAfter === undefined) return {}
    const { cursors, owner } = this.#by
    return { cursor: cursors.write({ readTimestamp, after: result.resumeAfter }, owner) }
  }
}
