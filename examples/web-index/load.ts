// SPDX-License-Identifier: Apache-2.0
import type { Database, PercoliteError } from '@percolite/client'
import type { Document } from './documents.ts'
import { Progress } from './progress.ts'
import { updateDocument } from './update-document.ts'

export type LoadReport = {
  readonly seconds: number
  /** How often a transaction was run again, by the error that ended the run before. */
  readonly retries: ReadonlyMap<string, number>
}

type LoadOptions = {
  readonly loaders: number
  readonly signal: AbortSignal
  readonly stream: NodeJS.WriteStream
}

/** Loads the documents, `loaders` at a time, and says on `stream` how far it is. */
export async function load(
  db: Database,
  documents: readonly Document[],
  { loaders, signal, stream }: LoadOptions,
): Promise<LoadReport> {
  const startedMs = performance.now()
  const retries = new Map<string, number>()
  // Copies have the same length: in this order they come to the loaders at the same time, which is
  // the case that the figure is about. The last url comes first, so that canonical urls change too.
  const byLength = (a: Document, b: Document) => a.contents.length - b.contents.length
  const queue = documents.toReversed().sort(byLength).values()
  let loaded = 0
  using _progress = new Progress(stream, () => {
    const seconds = (performance.now() - startedMs) / 1000
    const rate = seconds > 0 ? Math.round(loaded / seconds) : 0
    return `loading ${loaded} of ${documents.length} documents, ${rate} a second, ${sum(retries)} retries`
  })

  const failure = new AbortController()
  const either = AbortSignal.any([signal, failure.signal])
  const onRetry = ({ code }: PercoliteError) => {
    retries.set(code, (retries.get(code) ?? 0) + 1)
  }
  const loader = async () => {
    try {
      // All loaders draw from the one iterator.
      for (const document of queue) {
        await updateDocument(db, document, { signal: either, onRetry })
        loaded += 1
      }
    } catch (error) {
      failure.abort(error) // What stops one stops all, and the first reason is the one reported.
    }
  }
  await Promise.all(Array.from({ length: loaders }, loader))
  either.throwIfAborted()
  return { seconds: (performance.now() - startedMs) / 1000, retries }
}

export function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}
