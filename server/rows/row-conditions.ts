// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../storage/storage.ts'
import { ServerError } from '../server-error.ts'

/** Entity tags as RFC 9110 has them: of any row that exists, or of the versions listed. */
type EntityTags = 'any' | readonly string[]

/** The ETag of a row: the newest commit of any of its families. */
export function etagOf(commitTs: Timestamp): string {
  return `"${commitTs}"`
}

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

  /** Whether a reader has this very version already. */
  hasAlready(commitTs: Timestamp): boolean {
    return this.#ifNoneMatch !== undefined && names(this.#ifNoneMatch, commitTs)
  }

  /** Of a row as it is, or null where there is none. Throws `precondition_failed`. */
  require(commitTs: Timestamp | null, address: Readonly<Record<string, unknown>>): void {
    const isMatched = this.#ifMatch === undefined || names(this.#ifMatch, commitTs)
    const isNoneMatched = this.#ifNoneMatch === undefined || !names(this.#ifNoneMatch, commitTs)
    if (isMatched && isNoneMatched) return
    const now = commitTs === null ? 'There is no such row' : `The row is now ${etagOf(commitTs)}`
    const header = isMatched ? 'If-None-Match' : 'If-Match'
    throw new ServerError('precondition_failed', `${now}, which ${header} does not allow.`, {
      ...address,
      ...(commitTs === null ? {} : { etag: etagOf(commitTs) }),
    })
  }
}

function names(tags: EntityTags, commitTs: Timestamp | null): boolean {
  if (commitTs === null) return false
  return tags === 'any' || tags.includes(etagOf(commitTs))
}

const TAGS = /^(?:W\/)?"[^"]*"(?:[ \t]*,[ \t]*(?:W\/)?"[^"]*")*$/

/** Weak tags are never those of a row, whose tag is strong. */
function readTags(name: string, header: unknown): EntityTags | undefined {
  if (header === undefined) return undefined
  const text = String(header).trim()
  if (text === '*') return 'any'
  if (!TAGS.test(text)) {
    throw new ServerError('invalid_request', `${name} takes * or entity tags in double quotes.`)
  }
  return (text.match(/(?:W\/)?"[^"]*"/g) ?? []).filter((tag) => !tag.startsWith('W/'))
}
