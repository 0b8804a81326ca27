// SPDX-License-Identifier: Apache-2.0

// The store that a server opens, and whether it may serve it.

import { markReplaced, type Successor, successorOf } from '../storage/operations/operations.ts'
import {
  isJustPromoted,
  isNewerPromotion,
  promotionOf,
  type Storage,
  type StorageOptions,
} from '../storage/storage.ts'
import type { Config } from './config.ts'
import { Peer } from './operations/replication/peer.ts'
import { openConfigured } from './server-parts.ts'

type Options = Omit<StorageOptions, 'engine' | 'dataDirectory'>

/** The store, and who has taken the place of its server: that one is then opened to be looked at only. */
export type ServedStore = { readonly storage: Storage; readonly successor?: Successor | undefined }

/** Who is to be asked whether it was promoted; undefined for nobody. */
export function peerOf(
  { peer, follow }: Config,
  deps: ConstructorParameters<typeof Peer>[1],
): Peer | undefined {
  // A standby has no place of its own that another could take.
  return peer === undefined || follow !== undefined ? undefined : new Peer(peer, deps)
}

/** Rejects as `openStorage`. A peer that does not answer is waited for as `promotionAtStart` says. */
export async function openServed(
  config: Config,
  peer: Peer | undefined,
  options: Options,
): Promise<ServedStore> {
  const { engine, follow, dataDirectory } = config
  const isOwn = engine === 'sqlite' && follow === undefined
  const known = isOwn ? successorOf(dataDirectory) : undefined
  if (known !== undefined) return await openReplaced(config, known, options)
  // Who has just promoted it knows what the peer is.
  const toAsk = isOwn && !isJustPromoted(dataDirectory) ? peer : undefined
  const storage = await openConfigured(config, options)
  const successor = await successorAmong(toAsk, storage, dataDirectory)
  if (successor === undefined) return { storage }
  await storage.close()
  markReplaced(dataDirectory, successor)
  return await openReplaced(config, successor, options)
}

async function successorAmong(
  peer: Peer | undefined,
  storage: Storage,
  dataDirectory: string,
): Promise<Successor | undefined> {
  const history = await peer?.promotionAtStart(new AbortController().signal)
  if (peer === undefined || history === undefined) return undefined
  const { id, name } = storage.history
  const own = { id, promotion: promotionOf(dataDirectory, name) }
  return isNewerPromotion(history, own) ? { url: peer.url, history } : undefined
}

/** Nothing in it changes any more. */
async function openReplaced(
  config: Config,
  successor: Successor,
  options: Options,
): Promise<ServedStore> {
  const follow = { url: successor.url, tokenFile: undefined }
  return { storage: await openConfigured({ ...config, follow }, options), successor }
}
