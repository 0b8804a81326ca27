// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../../storage/storage.ts'
import type { TableDefinition } from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'
import { type EntityTag, type EntityTags, readEntityTags } from './entity-tags.ts'
import { isOfRow, representationOf, tagOf } from './row-version.ts'

/** A row as conditions look at it: its table, and its newest commit, null where there is no row. */
export type RowState = { readonly table: TableDefinition; readonly commitTs: Timestamp | null }

/** What a request asks of a row before anything is done with it. */
export class RowConditions {
  readonly #ifMatch: EntityTags | undefined
  readonly #ifNoneMatch: EntityTags | undefined

  /** Throws `invalid_request` for headers that are no entity tags. */
  constructor(headers: Readonly<Record<string, unknown>>) {
    this.#ifMatch = readTags('If-Match', headers['If-Match'])
    this.#ifNoneMatch = readTags('If-None-Match', headers['If-None-Match'])
  }

  get areGiven(): boolean {
    return this.#ifMatch !== undefined || this.#ifNoneMatch !== undefined
  }

  /** Whether a reader has this very representation already; tags are compared weakly. */
  hasAlready(tag: string): boolean {
    const tags = this.#ifNoneMatch
    if (tags === undefined || tags === 'any') return tags === 'any'
    return tags.some(({ text }) => `"${text}"` === tag)
  }

  /**
   * Throws `precondition_failed`. If-Match compares strongly, so a weak tag never matches; If-None-Match
   * compares weakly (RFC 9110, 13.1.1 and 13.1.2). A reader's If-None-Match is asked by `hasAlready`.
   */
  require(
    state: RowState,
    address: Readonly<Record<string, unknown>>,
    of: 'reader' | 'writer' = 'writer',
  ): void {
    const isMatched =
      this.#ifMatch === undefined || names(this.#ifMatch, state, ({ isWeak }) => !isWeak)
    const isNoneMatched =
      of === 'reader' || this.#ifNoneMatch === undefined || !names(this.#ifNoneMatch, state)
    if (isMatched && isNoneMatched) return
    const { table, commitTs } = state
    const form = { integers: 'number', isDescribed: false } as const
    const tag = commitTs === null ? undefined : tagOf(commitTs, representationOf(table, form))
    const now = tag === undefined ? 'There is no such row' : `The row is now ${tag}`
    const header = isMatched ? 'If-None-Match' : 'If-Match'
    throw new ServerError('precondition_failed', `${now}, which ${header} does not allow.`, {
      ...address,
      ...(tag === undefined ? {} : { etag: tag }),
    })
  }
}

function names(
  tags: EntityTags,
  { table, commitTs }: RowState,
  mayMatch: (tag: EntityTag) => boolean = () => true,
): boolean {
  if (commitTs === null) return false
  return tags === 'any' || tags.some((tag) => mayMatch(tag) && isOfRow(tag, commitTs, table))
}

function readTags(name: string, header: unknown): EntityTags | undefined {
  return header === undefined ? undefined : readEntityTags(name, String(header))
}
