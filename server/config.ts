// SPDX-License-Identifier: Apache-2.0
import { isWithin } from '../storage/operations/operations.ts'
import type { SecondCopyMode } from '../storage/storage.ts'
import {
  checkedOrigin,
  checkedProxies,
  checkedRelayTargets,
  checkedText,
  checkedUrl,
  durationMs,
  type JwtConfig,
  jwtOf,
  listOf,
  requireReachable,
  sizeBytes,
  withoutSecrets,
} from './config-values.ts'
import { isLoopbackName } from './doors/http/origin-and-host.ts'
import { type TlsPaths, tlsPathsOf } from './doors/tls/tls-files.ts'
import { FLAGS, type FlagName } from './flags.ts'
import type { AccessMode } from './guard/access/access.ts'
import { type SharedEngine, sharedEngineOf } from './operations/engines/engine-config.ts'
import { UsageError } from './usage-error.ts'

/** What the server is started with; durations are in milliseconds. */
export type Config = {
  readonly dataDirectory: string
  readonly engine: 'sqlite' | 'memory' | SharedEngine['kind']
  /** For an engine over the network: which. */
  readonly sharedEngine: SharedEngine | undefined
  readonly commit: 'auto' | 'one-phase' | 'two-phase'
  /** Undefined: commits do not wait for people who watch. */
  readonly stepDelayMs: number | undefined
  readonly redoLog: 'auto' | 'always' | 'never'
  readonly rowCacheBytes: number
  /** Undefined: the address that it listens on. */
  readonly advertisedUrl: string | undefined
  readonly host: string
  readonly port: number
  /** `off`: open to everybody who reaches it. */
  readonly auth: AccessMode | 'off'
  /** Where a first token is written, or is found; undefined when none is to be made. */
  readonly adminTokenFile: string | undefined
  /** The issuer whose JWTs are taken as well; undefined without one. */
  readonly jwt: JwtConfig | undefined
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Whether the contract and its page are served. */
  readonly hasDocs: boolean
  /** Whether the console is served. */
  readonly hasConsole: boolean
  /** Whether statements are counted by their shapes. */
  readonly countsStatements: boolean
  /** A statement that takes so long is logged; 0 for none. */
  readonly slowMs: number
  /** The files of the certificate and its key; undefined without TLS. */
  readonly tls: TlsPaths | undefined
  /** The rate of one client; undefined where there is none. */
  readonly requestsPerSecond: number | undefined
  /** Proxies whose forwarded address is believed. */
  readonly trustedProxies: readonly string[]
  readonly statementTimeoutMs: number
  readonly transactionIdleMs: number
  readonly transactionTotalMs: number
  readonly shutdownTimeoutMs: number
  readonly drainMs: number
  /** Of a new store; one that has a retention keeps to that. */
  readonly retentionMs: number
  readonly isRetentionGiven: boolean
  readonly garbageIntervalMs: number
  readonly acceptClock: boolean
  /** Where the server makes backups; undefined when it makes none. */
  readonly backupsFolder: string | undefined
  /** Whether an operator may order a move over HTTP. */
  readonly allowMove: boolean
  /** Whom it follows as a standby; undefined for a server that takes writes. */
  readonly follow: FollowConfig | undefined
  /** The other server of a pair, which may have taken the place of this one; undefined where it is not asked. */
  readonly peer: string | undefined
  /** Whether a write is answered only when a standby has it too. */
  readonly secondCopy: SecondCopyMode
  /** The path of a module; undefined when no observers run in this process. */
  readonly observersModule: string | undefined
  /** Origins to which relays may send, and networks of their addresses; nothing is sent where it is empty. */
  readonly relayTo: readonly string[]
  /** The path of the file of the audit log, `stdout`, or nothing for the log. */
  readonly audit: string
  readonly logFormat: 'pretty' | 'json'
  readonly logLevel: string
  /** The flags that were given, as an audit log may have them. */
  readonly givenFlags: Readonly<Record<string, string>>
}

/** Whom a standby follows, and with which token. */
export type FollowConfig = { readonly url: string; readonly tokenFile: string | undefined }

/** A whole configuration; flags that are not given have their defaults. Throws UsageError. */
export function readConfig(
  texts: Partial<Readonly<Record<FlagName, string>>>,
  environment: Readonly<Record<string, string | undefined>> = {},
): Config {
  const text = (name: FlagName) =>
    checkedText(name, FLAGS[name], texts[name] ?? FLAGS[name].default)
  const isInsecure = text('follow-insecure') === 'true'
  const config: Config = {
    dataDirectory: text('data'),
    engine: text('engine') as Config['engine'],
    sharedEngine: sharedEngineOf(texts, environment),
    commit: text('commit') as Config['commit'],
    stepDelayMs: durationMs(text('step-delay')) || undefined,
    redoLog: text('redo-log') as Config['redoLog'],
    rowCacheBytes: sizeBytes(text('row-cache')),
    advertisedUrl: checkedUrl('advertise', text('advertise')),
    host: text('host'),
    port: Number(text('port')),
    auth: text('no-auth') === 'true' ? 'off' : (text('auth') as AccessMode),
    adminTokenFile: text('admin-token-file') === '' ? undefined : text('admin-token-file'),
    jwt: jwtOf(text('jwt-issuer'), text('jwt-audience'), text('jwt-keys'), text('jwt-role-claim')),
    allowedHosts: listOf(text('allow-host')).map((name) => name.toLowerCase()),
    allowedOrigins: listOf(text('allow-origin')).map(checkedOrigin),
    hasDocs: text('no-docs') !== 'true',
    hasConsole: text('no-console') !== 'true',
    countsStatements: text('statement-statistics') === 'on',
    slowMs: durationMs(text('slow')),
    tls: tlsPathsOf(text('tls-cert'), text('tls-key')),
    requestsPerSecond: text('rate') === '' ? undefined : Number(text('rate')),
    trustedProxies: checkedProxies(listOf(text('trust-proxy'))),
    statementTimeoutMs: durationMs(text('statement-timeout')),
    transactionIdleMs: durationMs(text('transaction-idle-timeout')),
    transactionTotalMs: durationMs(text('transaction-timeout')),
    shutdownTimeoutMs: durationMs(text('shutdown-timeout')),
    drainMs: durationMs(text('drain')),
    ...retentionOf(text('retention'), texts.retention),
    garbageIntervalMs: durationMs(text('garbage-interval')),
    acceptClock: text('accept-clock') === 'true',
    backupsFolder: text('backups') === '' ? undefined : text('backups'),
    allowMove: text('allow-move') === 'true',
    follow: followOf(text('follow'), text('token-file'), isInsecure),
    peer: safeUrl('peer', text('peer'), isInsecure),
    secondCopy: text('second-copy') as SecondCopyMode,
    observersModule: text('observers') === '' ? undefined : text('observers'),
    relayTo: checkedRelayTargets(text('relay-to')),
    audit: text('audit'),
    logFormat: text('log-format') as Config['logFormat'],
    logLevel: text('log-level'),
    givenFlags: withoutSecrets(texts),
  }
  if (config.sharedEngine !== undefined && config.advertisedUrl === undefined) {
    requireReachable(config.host)
  }
  requireFitting(config)
  requireGuarded(config, text('behind-proxy') === 'true')
  return config
}

/** Throws UsageError for flags that contradict each other. */
function requireFitting(config: Config): void {
  if (config.engine === 'memory' && config.backupsFolder !== undefined) {
    throw new UsageError('--backups: the engine memory keeps nothing that could be copied.')
  }
  if (config.slowMs > 0 && !config.countsStatements) {
    throw new UsageError('--slow needs --statement-statistics on, which knows the shapes.')
  }
  requireFolderToFollow(config)
  requireStandbyToWaitFor(config)
  requireStepDelayToWatch(config)
  requireBackupsElsewhere(config)
}

function retentionOf(text: string, given: string | undefined) {
  return { retentionMs: durationMs(text), isRetentionGiven: given !== undefined }
}

/** Undefined where nobody is followed. Throws UsageError. */
function followOf(text: string, tokenFile: string, isInsecure: boolean): FollowConfig | undefined {
  const url = safeUrl('follow', text, isInsecure)
  if (url !== undefined) return { url, tokenFile: tokenFile === '' ? undefined : tokenFile }
  if (tokenFile === '') return undefined
  throw new UsageError('--token-file is for the server that --follow names.')
}

/** Of the other server of a pair, whose rows, or word, would come over http from another machine. */
function safeUrl(flag: 'follow' | 'peer', text: string, isInsecure: boolean): string | undefined {
  const url = checkedUrl(flag, text)
  if (url === undefined) return undefined
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || isLoopbackName(hostname) || isInsecure) return url
  const what = flag === 'follow' ? 'every row' : 'its word that this one was replaced'
  throw new UsageError(
    `--${flag} ${url}: ${what} would come over http from another machine; use https, or --follow-insecure where the network is yours.`,
  )
}

/** Throws UsageError for a store that cannot follow. */
function requireFolderToFollow({ follow, engine, commit }: Config): void {
  if (follow === undefined) return
  if (engine !== 'sqlite') throw new UsageError(`--follow: a store of --engine ${engine} cannot.`)
  if (commit === 'two-phase')
    throw new UsageError('--follow and --commit two-phase exclude each other.')
}

/** Throws UsageError for a store that nobody can follow. */
function requireStandbyToWaitFor({ secondCopy, peer, engine, commit }: Config): void {
  if (engine === 'sqlite' && commit !== 'two-phase') return
  const given = secondCopy === 'none' ? peer && '--peer' : `--second-copy ${secondCopy}`
  if (given === undefined) return
  throw new UsageError(`${given}: it is for --engine sqlite, and one-phase commits.`)
}

/** Throws UsageError for a wait in commits that nobody can watch, or of which one would take too long. */
function requireStepDelayToWatch({ stepDelayMs, engine, commit }: Config): void {
  if (stepDelayMs === undefined) return
  if (engine !== 'memory' || commit !== 'two-phase') {
    throw new UsageError(
      '--step-delay makes commits slow for people who watch them: it needs --engine memory and --commit two-phase.',
    )
  }
  if (stepDelayMs > STEP_DELAY_MS_MAX) throw new UsageError('--step-delay is at most 10s.')
}

const STEP_DELAY_MS_MAX = 10_000

/** Throws UsageError for backups that would be lost with the database. */
function requireBackupsElsewhere({ backupsFolder, dataDirectory }: Config): void {
  if (backupsFolder === undefined || !isWithin(backupsFolder, dataDirectory)) return
  throw new UsageError(
    `--backups ${backupsFolder} is in the folder of the database, ${dataDirectory}, and would be lost with it: take another one, best on another disk.`,
  )
}

/** Throws UsageError for an address that others can reach, without tokens or without TLS. */
function requireGuarded(config: Config, isBehindProxy: boolean): void {
  const { host, auth, tls, jwt, adminTokenFile } = config
  const contradicted =
    (jwt !== undefined && '--jwt-issuer') || (adminTokenFile !== undefined && '--admin-token-file')
  if (auth === 'off' && contradicted !== false) {
    throw new UsageError(`--no-auth and ${contradicted} contradict each other.`)
  }
  if (isLoopbackName(host) || auth === 'off') return
  const missing = [
    ...(auth === 'required' || jwt !== undefined ? [] : ['--auth required']),
    ...(tls !== undefined || isBehindProxy ? [] : ['--tls-cert and --tls-key, or --behind-proxy']),
  ]
  if (missing.length === 0) return
  throw new UsageError(
    `--host ${host}: others can reach this address; add ${missing.join(', and ')}. (--no-auth lets all clients in.)`,
  )
}
