// SPDX-License-Identifier: Apache-2.0
import { countedText } from './observer-words.ts'

/** The way to the page that is looked at: the `after` of each page behind the first one. */
export type LetterPages = readonly string[]

export const FIRST_PAGE: LetterPages = []

/** The page of an observer's dead letters, as `db.request` takes it. */
export function pathOf(observer: string, pages: LetterPages): string {
  const path = `/v1/observers/${encodeURIComponent(observer)}/deadLetters`
  const after = pages.at(-1)
  return after === undefined ? path : `${path}?${new URLSearchParams({ after })}`
}

/** What is said beside the heading: how many there are, and which page of them this is where there are several. */
export function placeText(count: number, pages: LetterPages, hasNext: boolean): string {
  const isOnly = pages.length === 0 && !hasNext
  return isOnly ? countedText(count) : `${countedText(count)}, page ${pages.length + 1}`
}
