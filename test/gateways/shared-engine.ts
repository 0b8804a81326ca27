// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { CellStore } from '../../storage/storage.ts'
import { openEmulatedStore } from '../bigtable/emulated-store.ts'
import { anyEmulator, skipReason } from '../bigtable/emulator.ts'
import { EtcdCluster, etcdSkipReason } from '../etcd/etcd-cluster.ts'

/** What several gateways share: how they are told of it, and how it is disturbed. */
export type SharedEngine = {
  readonly name: string
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The same store in the words of `percolite move --to`. */
  readonly moveTo: string
  /** Another store in it, of this name. */
  open(name: string): Promise<CellStore>
  /** Takes a part of it away for a while; says which. Absent where it has no parts. */
  disturb?(): Promise<string>
  close(): Promise<void>
}

export const ENGINES = ['bigtable', 'etcd'] as const
export type EngineName = (typeof ENGINES)[number]

/** Why it cannot be started here; false when it can. */
export function missingEngine(name: EngineName): string | false {
  return name === 'bigtable' ? skipReason(anyEmulator()) : etcdSkipReason()
}

export async function startEngine(name: EngineName): Promise<SharedEngine> {
  return name === 'bigtable' ? await startBigtable() : await startEtcd()
}

async function startBigtable(): Promise<SharedEngine> {
  const emulator = await anyEmulator().start()
  return {
    name: emulator.name,
    flags: ['--engine', 'bigtable', '--bigtable', 'project/instance'],
    env: { BIGTABLE_EMULATOR_HOST: emulator.host },
    moveTo: 'bigtable:project/instance',
    open: (name) => openEmulatedStore(emulator, name),
    close: () => emulator.close(),
  }
}

/** How long a member that was killed stays away. */
const AWAY_MS = 2_000

async function startEtcd(): Promise<SharedEngine> {
  const cluster = await EtcdCluster.start(3)
  return {
    name: 'etcd, three members',
    flags: ['--engine', 'etcd', ...cluster.members.flatMap((member) => ['--etcd', member])],
    env: {},
    moveTo: `etcd:${cluster.members.join(',')}`,
    open: (name) => cluster.open(`${name}/`),
    disturb: async () => {
      const leader = await cluster.leader()
      if (leader === undefined) return 'etcd has no leader'
      await cluster.kill(leader)
      await delay(AWAY_MS)
      cluster.restart(leader)
      return `etcd's leader was killed`
    },
    close: () => cluster.close(),
  }
}
