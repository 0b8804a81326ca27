// SPDX-License-Identifier: Apache-2.0
import { environmentName, FLAGS, type FlagName } from '../../flags.ts'
import { UsageError } from '../../usage-error.ts'

/** A cell store over the network, which many gateways share. */
export type SharedEngine = BigtableEngine | EtcdEngine

export type BigtableEngine = {
  readonly kind: 'bigtable'
  readonly project: string
  readonly instance: string
  readonly table: string
  /** Empty: the instance's default. */
  readonly profile: string
  readonly createTable: 'auto' | 'never'
  readonly emulatorHost: string | undefined
}

export type EtcdEngine = {
  readonly kind: 'etcd'
  /** `host:port` of each. */
  readonly members: readonly string[]
  readonly prefix: string
  readonly user: { readonly name: string; readonly password: string } | undefined
  /** Paths of PEM files; undefined for plain text. */
  readonly tls:
    | {
        readonly ca: string | undefined
        readonly cert: string | undefined
        readonly key: string | undefined
      }
    | undefined
}

/** The flags that make an engine of their own, by its name. */
const ENGINE_FLAGS = {
  bigtable: ['bigtable', 'bigtable-profile', 'bigtable-create-table'],
  etcd: ['etcd', 'etcd-prefix', 'etcd-ca', 'etcd-cert', 'etcd-key', 'etcd-user'],
} as const satisfies Readonly<Record<SharedEngine['kind'], readonly FlagName[]>>

/** What only a database in one process has. */
const EMBEDDED_FLAGS = ['data', 'redo-log', 'row-cache', 'allow-move', 'backups'] as const

/** It is in the environment only, where others on the machine do not see it. */
export const ETCD_PASSWORD_NAME = 'PERCOLITE_ETCD_PASSWORD'
const EMULATOR_NAME = 'BIGTABLE_EMULATOR_HOST'

type Texts = Partial<Readonly<Record<FlagName, string>>>
type Environment = Readonly<Record<string, string | undefined>>

/** The store over the network that is asked for, if one is. Throws UsageError. */
export function sharedEngineOf(texts: Texts, environment: Environment): SharedEngine | undefined {
  const engine = texts.engine ?? FLAGS.engine.default
  for (const [kind, flags] of Object.entries(ENGINE_FLAGS)) {
    const given = flags.find((flag) => texts[flag] !== undefined)
    if (kind === engine || given === undefined) continue
    throw new UsageError(`--${given} (${environmentName(given)}) is for --engine ${kind}.`)
  }
  if (engine !== 'bigtable' && engine !== 'etcd') return undefined
  const embedded = EMBEDDED_FLAGS.find((flag) => texts[flag] !== undefined)
  if (embedded !== undefined) {
    throw new UsageError(`--${embedded} is for a database in one process, not for ${engine}.`)
  }
  if (texts.commit === 'one-phase') {
    throw new UsageError(
      `--commit one-phase: ${engine} has no atomic change of several rows; leave it at auto.`,
    )
  }
  return engine === 'bigtable' ? bigtableOf(texts, environment) : etcdOf(texts, environment)
}

function bigtableOf(texts: Texts, environment: Environment): BigtableEngine {
  const named = texts.bigtable ?? ''
  const [project = '', instance = '', table = 'percolite', ...more] = named.split('/')
  if (project === '' || instance === '' || table === '' || more.length > 0) {
    throw new UsageError(
      `--bigtable ${named}: it is project/instance or project/instance/table, such as my-project/my-instance.`,
    )
  }
  const createTable = texts['bigtable-create-table'] === 'never' ? 'never' : 'auto'
  const profile = texts['bigtable-profile'] ?? ''
  const emulatorHost = environment[EMULATOR_NAME]
  return { kind: 'bigtable', project, instance, table, profile, createTable, emulatorHost }
}

const MEMBER = /^(?:(https?):\/\/)?([^\s/:]+|\[[^\]\s]+\]):(\d{1,5})\/?$/

function etcdOf(texts: Texts, environment: Environment): EtcdEngine {
  const named = (texts.etcd ?? '').split(',').map((text) => text.trim())
  const members = named.map((text) => {
    const [, scheme, host, port] = MEMBER.exec(text) ?? []
    if (host !== undefined) return { scheme, address: `${host}:${port}` }
    throw new UsageError(
      `--etcd ${text}: it is host:port of each member, such as 10.0.0.1:2379,10.0.0.2:2379.`,
    )
  })
  const files = {
    ca: texts['etcd-ca'] || undefined,
    cert: texts['etcd-cert'] || undefined,
    key: texts['etcd-key'] || undefined,
  }
  if ((files.cert === undefined) !== (files.key === undefined)) {
    throw new UsageError('--etcd-cert and --etcd-key belong together.')
  }
  const isTls =
    Object.values(files).some((file) => file !== undefined) ||
    members.some(({ scheme }) => scheme === 'https')
  return {
    kind: 'etcd',
    members: members.map(({ address }) => address),
    prefix: texts['etcd-prefix'] ?? FLAGS['etcd-prefix'].default,
    user: etcdUserOf(texts['etcd-user'] ?? '', environment[ETCD_PASSWORD_NAME]),
    tls: isTls ? files : undefined,
  }
}

function etcdUserOf(name: string, password: string | undefined): EtcdEngine['user'] {
  if (name === '' && password === undefined) return undefined
  if (name !== '' && password !== undefined) return { name, password }
  throw new UsageError(`--etcd-user and ${ETCD_PASSWORD_NAME} in the environment belong together.`)
}

/** Where the cells are, for people. */
export function describeEngine(engine: SharedEngine): string {
  if (engine.kind === 'etcd') return `etcd at ${engine.members.join(', ')}, under ${engine.prefix}`
  const { project, instance, table, profile, emulatorHost } = engine
  const by = profile === '' ? '' : `, by the app profile ${profile}`
  const at = emulatorHost === undefined ? '' : `, in the emulator at ${emulatorHost}`
  return `Bigtable ${project}/${instance}/${table}${by}${at}`
}
