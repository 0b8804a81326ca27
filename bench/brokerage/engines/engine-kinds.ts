// SPDX-License-Identifier: Apache-2.0
import { startEtcd } from '../../engines/etcd-cluster.ts'
import type { Engine } from '../engine.ts'
import { NullEngine } from './null-engine.ts'
import { type EngineSettings, PercoliteEngine } from './percolite/percolite-engine.ts'
import { PostgresEngine } from './postgres-engine.ts'
import { SqliteEngine } from './sqlite-engine.ts'

type EngineKind = {
  /** What must be installed. */
  readonly program?: string
  open(settings: EngineSettings): Promise<Engine>
}

/** So many gateways over an etcd of one member, which is theirs alone. */
function onOwnEtcd(gateways: number): EngineKind {
  return {
    program: 'etcd',
    async open(settings) {
      const server = await startEtcd(settings.folder)
      const at = `etcd:${server.origin.replace('http://', '')}`
      return new PercoliteEngine('http', settings, { gateways, ownStore: { at, server } })
    },
  }
}

/** Whatever the workload can run on, by the names that the flags take. */
export const ENGINE_KINDS = {
  'percolite-http': { open: async (settings) => new PercoliteEngine('http', settings) },
  'percolite-ws': { open: async (settings) => new PercoliteEngine('ws', settings) },
  'percolite-etcd-1': onOwnEtcd(1),
  'percolite-etcd-2': onOwnEtcd(2),
  postgres: {
    program: 'postgres',
    open: ({ folder }) => PostgresEngine.start({ folder, synchronousCommit: 'on' }),
  },
  'postgres-async': {
    program: 'postgres',
    open: ({ folder }) => PostgresEngine.start({ folder, synchronousCommit: 'off' }),
  },
  sqlite: { open: async ({ folder }) => new SqliteEngine({ folder, synchronous: 'FULL' }) },
  'sqlite-normal': {
    open: async ({ folder }) => new SqliteEngine({ folder, synchronous: 'NORMAL' }),
  },
  null: { open: async () => new NullEngine() },
} as const satisfies Readonly<Record<string, EngineKind>>

export type EngineName = keyof typeof ENGINE_KINDS

export const ENGINE_NAMES = Object.keys(ENGINE_KINDS) as readonly EngineName[]

export function programOf(name: EngineName): string | undefined {
  const kind: EngineKind = ENGINE_KINDS[name]
  return kind.program
}
