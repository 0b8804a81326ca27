// SPDX-License-Identifier: Apache-2.0

import { FLAGS, type FlagName } from '../server/flags.ts'
import { type SharedEngine, sharedEngineOf } from '../server/operations/engines/engine-config.ts'
import { openSharedEngine } from '../server/operations/engines/open-engine.ts'
import { UsageError } from '../server/usage-error.ts'
import { openGateway, type Storage } from '../storage/storage.ts'
import type { Call } from './command.ts'

/** Which store: those of `percolite serve` that commands on a store have too. */
export const STORE_FLAGS = {
  data: FLAGS.data,
  engine: FLAGS.engine,
  bigtable: FLAGS.bigtable,
  'bigtable-profile': FLAGS['bigtable-profile'],
  'bigtable-create-table': FLAGS['bigtable-create-table'],
  etcd: FLAGS.etcd,
  'etcd-prefix': FLAGS['etcd-prefix'],
  'etcd-ca': FLAGS['etcd-ca'],
  'etcd-cert': FLAGS['etcd-cert'],
  'etcd-key': FLAGS['etcd-key'],
  'etcd-user': FLAGS['etcd-user'],
} as const

export const STORE_FLAG_NAMES = Object.keys(STORE_FLAGS) as FlagName[]

/** A folder that no server uses, or a store over the network. */
export type StoreTarget =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'engine'; readonly engine: SharedEngine }

/** A store over the network as one more gateway: others may be using it. */
export async function openSharedStorage(engine: SharedEngine): Promise<Storage> {
  return await openGateway(await openSharedEngine(engine), { ownsCellStore: true })
}

/** The store that the flags name. Throws UsageError. */
export function storeTargetOf(call: Call): StoreTarget {
  const texts = call.givenOf(STORE_FLAG_NAMES)
  const engine = sharedEngineOf(texts, call.environment)
  if (engine !== undefined) return { kind: 'engine', engine }
  if (texts.engine === 'memory') throw new UsageError('--engine memory has nothing to look at.')
  return { kind: 'directory', path: call.text('data') }
}
