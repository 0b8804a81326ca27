// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util'
import { nearestNames } from '../storage/storage.ts'
import type { AccessMode } from './access/access.ts'
import type { CheckConfig } from './check-command.ts'
import {
  checkedOrigin,
  checkedProxies,
  checkedText,
  checkedUrl,
  durationMs,
  isWebAddress,
  type JwtConfig,
  jwtOf,
  listOf,
  sizeBytes,
} from './config-values.ts'
import { ETCD_PASSWORD_NAME, type SharedEngine, sharedEngineOf } from './engines/engine-config.ts'
import {
  CHECK_FLAGS,
  type CommandName,
  environmentName,
  FLAG_NAMES,
  FLAGS,
  type Flag,
  type FlagName,
  HISTORY_FLAGS,
  MOVE_FLAGS,
  STORE_FLAGS,
  TOKEN_FLAGS,
} from './flags.ts'
import type { HistoryConfig } from './history/history-command.ts'
import { isLoopbackName } from './http/origin-and-host.ts'
import type { MoveConfig } from './move/move-command.ts'
import { moveTargetOf, TARGET_FLAGS } from './move/move-target.ts'
import { type TlsPaths, tlsPathsOf } from './tls-files.ts'
import type { TokenConfig } from './token-command.ts'
import { UsageError } from './usage-error.ts'

/** What the server is started with; durations are in milliseconds. */
export type Config = {
  readonly dataDirectory: string
  readonly engine: 'sqlite' | 'memory' | SharedEngine['kind']
  /** For an engine over the network: which. */
  readonly sharedEngine: SharedEngine | undefined
  readonly commit: 'auto' | 'one-phase' | 'two-phase'
  readonly redoLog: 'auto' | 'always' | 'never'
  readonly rowCacheBytes: number
  /** Undefined: the address that it listens on. */
  readonly advertisedUrl: string | undefined
  readonly host: string
  readonly port: number
  /** `off`: open to everybody who reaches it. */
  readonly auth: AccessMode | 'off'
  /** The issuer whose JWTs are taken as well; undefined without one. */
  readonly jwt: JwtConfig | undefined
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Whether the contract and its page are served. */
  readonly hasDocs: boolean
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
  readonly retentionMs: number
  readonly garbageIntervalMs: number
  readonly acceptClock: boolean
  /** Whether an operator may order a move over HTTP. */
  readonly allowMove: boolean
  /** The path of a module; undefined when no observers run in this process. */
  readonly observersModule: string | undefined
  readonly logFormat: 'pretty' | 'json'
  readonly logLevel: string
}

export type Command =
  | { readonly kind: 'serve'; readonly config: Config }
  | { readonly kind: 'check'; readonly config: CheckConfig }
  | { readonly kind: 'history'; readonly config: HistoryConfig }
  | { readonly kind: 'move'; readonly config: MoveConfig }
  | { readonly kind: 'token'; readonly config: TokenConfig }
  /** Of all commands when none is named. */
  | { readonly kind: 'help'; readonly command?: CommandName }
  | { readonly kind: 'version' }

const HELP_HINT = 'npm start -- --help lists the flags; they stand behind --.'

/** What the command line asks for. The command line wins over the environment. Throws UsageError. */
export function readCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  if (args[0] === 'check') return readCheckCommand(args.slice(1), environment)
  if (args[0] === 'history') return readHistoryCommand(args.slice(1), environment)
  if (args[0] === 'token') return readTokenCommand(args.slice(1), environment)
  if (args[0] === 'move') return readMoveCommand(args.slice(1), environment)
  const { values, positionals } = parseCommandLine(args, FLAGS)
  if (values.help === true) {
    return positionals[0] === 'serve' ? { kind: 'help', command: 'serve' } : { kind: 'help' }
  }
  if (values.version === true) return { kind: 'version' }
  if (positionals.length !== 1 || positionals[0] !== 'serve') {
    const word = positionals.find((text) => text !== 'serve')
    const unknown = word === undefined ? 'No command was given.' : `"${word}" is not asked for.`
    throw new UsageError(`${unknown} ${HELP_HINT}`)
  }
  requireKnownNames(environment)
  const texts: Partial<Record<FlagName, string>> = {}
  for (const name of FLAG_NAMES) {
    const text = textOf(values[name]) ?? environment[environmentName(name)]
    if (text !== undefined) texts[name] = text
  }
  return { kind: 'serve', config: readConfig(texts, environment) }
}

/** What clients read, and a server that shares their environment leaves alone. */
const CLIENT_NAMES = ['PERCOLITE_URL', 'PERCOLITE_TOKEN']

/** A name that is misspelt would be ignored without a word. Throws UsageError. */
function requireKnownNames(environment: Readonly<Record<string, string | undefined>>): void {
  const known = [...FLAG_NAMES.map(environmentName), ETCD_PASSWORD_NAME, ...CLIENT_NAMES]
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('PERCOLITE_') || known.includes(name)) continue
    const [near] = nearestNames(name, known, 1)
    const meant = near === undefined ? '' : ` Did you mean ${near}?`
    throw new UsageError(`There is no ${name.slice(0, 100)} in the environment.${meant}`)
  }
}

function readCheckCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals } = parseCommandLine(args, { ...STORE_FLAGS, ...CHECK_FLAGS })
  if (values.help === true) return { kind: 'help', command: 'check' }
  if (values.version === true) return { kind: 'version' }
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not asked for.`)
  const json = values.json === true
  const url = textOf(values.url)
  if (url === undefined) return { kind: 'check', config: { ...storeOf(values, environment), json } }
  const other = Object.keys(STORE_FLAGS).find((name) => values[name] !== undefined)
  if (other !== undefined) throw new UsageError(`--${other} and --url exclude each other.`)
  if (!isWebAddress(url)) {
    throw new UsageError(
      `--url ${url}: it is the address of a server, such as http://127.0.0.1:4270.`,
    )
  }
  return { kind: 'check', config: { target: { kind: 'server', url }, json } }
}

/** The store that the flags name: one over the network, or a folder. */
function storeOf(
  values: Readonly<Record<string, FlagValue>>,
  environment: Readonly<Record<string, string | undefined>>,
): Pick<TokenConfig, 'target'> {
  const texts: Partial<Record<FlagName, string>> = {}
  for (const name of Object.keys(STORE_FLAGS) as FlagName[]) {
    const text = textOf(values[name]) ?? environment[environmentName(name)]
    if (text !== undefined) texts[name] = checkedText(name, text)
  }
  const engine = sharedEngineOf(texts, environment)
  if (engine !== undefined) return { target: { kind: 'engine', engine } }
  if (texts.engine === 'memory') throw new UsageError('--engine memory has nothing to look at.')
  return { target: { kind: 'directory', path: texts.data ?? FLAGS.data.default } }
}

function readHistoryCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals } = parseCommandLine(args, { data: FLAGS.data, ...HISTORY_FLAGS })
  if (values.help === true) return { kind: 'help', command: 'history' }
  if (values.version === true) return { kind: 'version' }
  const [action, other] = positionals
  if (other !== undefined) throw new UsageError(`"${other}" is not asked for.`)
  if (action !== 'show' && action !== 'renew') {
    const unknown = action === undefined ? 'Nothing' : `"${action}"`
    throw new UsageError(`${unknown} is asked of the history; it is show or renew.`)
  }
  const path = textOf(values.data) ?? environment[environmentName('data')] ?? FLAGS.data.default
  const dataDirectory = checkedText('data', path)
  return { kind: 'history', config: { action, dataDirectory, json: values.json === true } }
}

function readTokenCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals } = parseCommandLine(args, { ...STORE_FLAGS, ...TOKEN_FLAGS })
  if (values.help === true) return { kind: 'help', command: 'token' }
  if (values.version === true) return { kind: 'version' }
  const [action, name, other] = positionals
  if (other !== undefined) throw new UsageError(`"${other}" is not asked for.`)
  if (action !== 'create' || name === undefined) {
    throw new UsageError('It is percolite token create, and a name.')
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name)) {
    throw new UsageError(`"${name}" is no name: letters, digits and _, at most 63.`)
  }
  const days = textOf(values.days) ?? TOKEN_FLAGS.days.default
  if (!/^\d{1,3}$/.test(days) || Number(days) < 1 || Number(days) > 366) {
    throw new UsageError(`--days ${days}: it is a number from 1 to 366.`)
  }
  return { kind: 'token', config: { name, days: Number(days), ...storeOf(values, environment) } }
}

function readMoveCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals } = parseCommandLine(args, MOVE_FLAGS)
  if (values.help === true) return { kind: 'help', command: 'move' }
  if (values.version === true) return { kind: 'version' }
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not asked for.`)
  const from = textOf(values.from) ?? MOVE_FLAGS.from.default
  const isServer = isWebAddress(from)
  const follow = values.follow === true
  if (follow && !isServer) {
    throw new UsageError(
      '--follow is for a running server: nobody writes into a folder that is moved. Give --from http://….',
    )
  }
  const targetTexts = Object.fromEntries(
    TARGET_FLAGS.flatMap((name) => {
      const text = textOf(values[name])
      return text === undefined ? [] : [[name, checkedText(name, text)]]
    }),
  )
  const to = textOf(values.to) ?? ''
  return {
    kind: 'move',
    config: {
      from: isServer ? { kind: 'server', url: from } : { kind: 'directory', path: from },
      ...{ to, targetTexts, target: moveTargetOf(to, targetTexts, environment), follow },
      targetUrl: checkedUrl('target-url', textOf(values['target-url']) ?? '') ?? '',
      compare: values['no-compare'] !== true,
      json: values.json === true,
    },
  }
}

/** A whole configuration; flags that are not given have their defaults. Throws UsageError. */
export function readConfig(
  texts: Partial<Readonly<Record<FlagName, string>>>,
  environment: Readonly<Record<string, string | undefined>> = {},
): Config {
  const text = (name: FlagName) => checkedText(name, texts[name] ?? FLAGS[name].default)
  const config: Config = {
    dataDirectory: text('data'),
    engine: text('engine') as Config['engine'],
    sharedEngine: sharedEngineOf(texts, environment),
    commit: text('commit') as Config['commit'],
    redoLog: text('redo-log') as Config['redoLog'],
    rowCacheBytes: sizeBytes(text('row-cache')),
    advertisedUrl: checkedUrl('advertise', text('advertise')),
    host: text('host'),
    port: Number(text('port')),
    auth: text('no-auth') === 'true' ? 'off' : (text('auth') as AccessMode),
    jwt: jwtOf(text('jwt-issuer'), text('jwt-audience'), text('jwt-keys'), text('jwt-role-claim')),
    allowedHosts: listOf(text('allow-host')).map((name) => name.toLowerCase()),
    allowedOrigins: listOf(text('allow-origin')).map(checkedOrigin),
    hasDocs: text('no-docs') !== 'true',
    tls: tlsPathsOf(text('tls-cert'), text('tls-key')),
    requestsPerSecond: text('rate') === '' ? undefined : Number(text('rate')),
    trustedProxies: checkedProxies(listOf(text('trust-proxy'))),
    statementTimeoutMs: durationMs(text('statement-timeout')),
    transactionIdleMs: durationMs(text('transaction-idle-timeout')),
    transactionTotalMs: durationMs(text('transaction-timeout')),
    shutdownTimeoutMs: durationMs(text('shutdown-timeout')),
    drainMs: durationMs(text('drain')),
    retentionMs: durationMs(text('retention')),
    garbageIntervalMs: durationMs(text('garbage-interval')),
    acceptClock: text('accept-clock') === 'true',
    allowMove: text('allow-move') === 'true',
    observersModule: text('observers') === '' ? undefined : text('observers'),
    logFormat: text('log-format') as Config['logFormat'],
    logLevel: text('log-level'),
  }
  requireGuarded(config, text('behind-proxy') === 'true')
  return config
}

/** Throws UsageError for an address that others can reach, without tokens or without TLS. */
function requireGuarded({ host, auth, tls, jwt }: Config, isBehindProxy: boolean): void {
  if (auth === 'off' && jwt !== undefined) {
    throw new UsageError('--no-auth and --jwt-issuer contradict each other.')
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

type FlagValue = string | boolean | string[] | undefined

function parseCommandLine(
  args: readonly string[],
  flags: Readonly<Record<string, Flag>>,
): {
  readonly values: Readonly<Record<string, FlagValue>>
  readonly positionals: readonly string[]
} {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { kind }]) => {
      return [
        name,
        { type: kind === 'switch' ? 'boolean' : 'string', multiple: kind === 'list' } as const,
      ]
    }),
  )
  try {
    return parseArgs({
      args: withNegativeValues(args, flags),
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
    })
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    const advice = line.indexOf(' To specify')
    const sentence = advice < 0 ? line : line.slice(0, advice)
    const wanted = /^Unknown option '--([^'=]*)/.exec(sentence)?.[1]
    if (wanted === undefined) throw new UsageError(sentence)
    const [near] = nearestNames(wanted, Object.keys(options), 1)
    const meant = near === undefined ? '' : ` Did you mean --${near}?`
    throw new UsageError(`${sentence}${meant} ${HELP_HINT}`)
  }
}

/** `--port -1` as `--port=-1`: what is wrong with the value is said by its flag, and not that it looks like one. */
function withNegativeValues(
  args: readonly string[],
  flags: Readonly<Record<string, Flag>>,
): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const before = joined.at(-1) ?? ''
    const kind = before.startsWith('--') ? flags[before.slice(2)]?.kind : undefined
    const isValue = kind !== undefined && kind !== 'switch' && /^-\d/.test(arg)
    if (isValue) joined[joined.length - 1] = `${before}=${arg}`
    else joined.push(arg)
  }
  return joined
}

function textOf(value: FlagValue): string | undefined {
  return Array.isArray(value) ? value.join(',') : value?.toString()
}
