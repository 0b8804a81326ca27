// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../storage/storage.ts'
import type { Experiment } from '../harness/experiment.ts'
import { openEmulatedStore } from './emulated-store.ts'
import { anyEmulator, skipReason } from './emulator.ts'
import { EtcdCluster, etcdMissing, etcdSkipReason } from './etcd-cluster.ts'

/** What several gateways share: how they are told of it, and how it is disturbed. */
export type SharedEngine = {
  readonly name: string
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The same store in the words of `percolite move --to`. */
  readonly moveTo: string
  /** Another store in it, of this name. */
  open(name: string): Promise<CellStore>
  /** Of its processes, those that live. */
  processIds(): readonly number[]
  /**
   * Kills the part of it that leads, by SIGKILL; resolves to how that part is started again, or to undefined when none
   * leads. Absent where it has no parts.
   */
  killLeader?(): Promise<(() => Promise<void>) | undefined>
  close(): Promise<void>
}

export const ENGINES = ['bigtable', 'etcd'] as const
export type EngineName = (typeof ENGINES)[number]

/** As `absentEngine`, for tests: with CI=true it throws instead, because there it has to be installed. */
export function missingEngine(name: EngineName): string | false {
  return name === 'bigtable' ? skipReason(anyEmulator()) : etcdSkipReason()
}

/** Why it cannot be started here; undefined when it can. */
function absentEngine(name: EngineName): string | undefined {
  return name === 'bigtable' ? anyEmulator().missing : etcdMissing()
}

export type EngineSize = {
  /** Of an etcd; three when absent. */
  readonly members?: number
  /** For its data; one of the system's temporary folders when absent. */
  readonly folder?: string
}

export async function startEngine(name: EngineName, size: EngineSize = {}): Promise<SharedEngine> {
  return name === 'bigtable' ? await startBigtable() : await startEtcd(size)
}

async function startBigtable(): Promise<SharedEngine> {
  const emulator = await anyEmulator().start()
  return {
    name: emulator.name,
    flags: ['--engine', 'bigtable', '--bigtable', 'project/instance'],
    env: { BIGTABLE_EMULATOR_HOST: emulator.host },
    moveTo: 'bigtable:project/instance',
    open: (name) => openEmulatedStore(emulator, name),
    processIds: () => emulator.processIds,
    close: () => emulator.close(),
  }
}

async function startEtcd({ members = 3, folder }: EngineSize): Promise<SharedEngine> {
  const cluster = await EtcdCluster.start(members, folder === undefined ? {} : { folder })
  return {
    name: members === 1 ? 'etcd, one member' : `etcd, ${members} members`,
    flags: ['--engine', 'etcd', ...cluster.members.flatMap((member) => ['--etcd', member])],
    env: {},
    moveTo: `etcd:${cluster.members.join(',')}`,
    open: (name) => cluster.open(`${name}/`),
    processIds: () => cluster.processIds(),
    killLeader: async () => {
      const leader = await cluster.leader()
      if (leader === undefined) return undefined
      await cluster.kill(leader)
      return () => cluster.restart(leader)
    },
    close: () => cluster.close(),
  }
}

/** The experiment; without its contenders, and with a sentence about it, where the engine is not installed. */
export function withInstalledEngine(name: EngineName, experiment: Experiment): Experiment {
  const missing = absentEngine(name)
  if (missing === undefined) return experiment
  const notes = [...(experiment.notes ?? []), `Left out: ${missing}; test/engines.sh does that.`]
  return { ...experiment, contenders: [], goals: [], notes }
}
