// SPDX-License-Identifier: Apache-2.0

import type { FlagName } from '../../flags.ts'
import { UsageError } from '../../usage-error.ts'
import { type SharedEngine, sharedEngineOf } from '../engines/engine-config.ts'

/** The flags that say more about the store that `--to` names. */
export const TARGET_FLAGS = [
  'bigtable-profile',
  'bigtable-create-table',
  'etcd-prefix',
  'etcd-ca',
  'etcd-cert',
  'etcd-key',
  'etcd-user',
] as const satisfies readonly FlagName[]

export type TargetTexts = Partial<Readonly<Record<(typeof TARGET_FLAGS)[number], string>>>

/** The store over the network that `--to bigtable:…` or `--to etcd:…` names. Throws UsageError. */
export function moveTargetOf(
  to: string,
  texts: TargetTexts,
  environment: Readonly<Record<string, string | undefined>>,
): SharedEngine {
  const [, kind, named] = /^(bigtable|etcd):(.+)$/s.exec(to) ?? []
  if (kind === undefined || named === undefined) {
    throw new UsageError(
      `--to ${to}: it is bigtable:project/instance/table or etcd:host:port,host:port,host:port.`,
    )
  }
  const engine = sharedEngineOf({ ...texts, engine: kind, [kind]: named }, environment)
  if (engine === undefined) throw new UsageError(`--to ${to}: there is no such engine.`)
  return engine
}
