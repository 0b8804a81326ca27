// SPDX-License-Identifier: Apache-2.0
import { setTimeout } from 'node:timers/promises'
import type { Storage } from '../storage/storage.ts'

/** How long those wait for a store on other machines who are answered without it as well. */
const SOON_MS = 200

/** Resolves when the promise has settled, or soon; at once while the store is silent anyway. Never rejects. */
export async function settledSoon(
  { health }: Pick<Storage, 'health'>,
  promise: Promise<unknown>,
): Promise<void> {
  const settled = promise.then(
    () => {},
    () => {},
  )
  if (health.silentMs > SOON_MS) return
  const stopping = new AbortController()
  const { signal } = stopping
  const soon = setTimeout(SOON_MS, undefined, { signal, ref: false }).catch(() => {})
  await Promise.race([settled, soon])
  stopping.abort()
}
