// SPDX-License-Identifier: Apache-2.0

/**
 * Every flag of `percolite serve`, once: this table makes the command line, `--help` and the names
 * in the environment, and `docs/configuration.md` is checked against it.
 */
export const FLAGS = {
  data: { kind: 'text', default: './data', meaning: 'folder of the database; made when missing' },
  engine: {
    kind: 'choice',
    choices: ['sqlite', 'memory', 'bigtable', 'etcd'],
    default: 'sqlite',
    meaning: 'where cells are kept; memory forgets everything at the end',
  },
  bigtable: {
    kind: 'name',
    default: '',
    meaning: 'table of Bigtable: project/instance or project/instance/table',
  },
  'bigtable-profile': {
    kind: 'name',
    default: '',
    meaning: 'app profile of Bigtable, which routes to one cluster',
  },
  'bigtable-create-table': {
    kind: 'choice',
    choices: ['auto', 'never'],
    default: 'auto',
    meaning: 'whether the table is made where it is missing',
  },
  etcd: { kind: 'list', default: '', meaning: 'member of the etcd cluster, as host:port' },
  'etcd-prefix': {
    kind: 'text',
    default: 'percolite/',
    meaning: 'what all keys in etcd begin with',
  },
  'etcd-ca': { kind: 'file', default: '', meaning: 'certificate of the authority of etcd, PEM' },
  'etcd-cert': { kind: 'file', default: '', meaning: 'own certificate for etcd, PEM' },
  'etcd-key': { kind: 'file', default: '', meaning: 'key of that certificate, PEM' },
  'etcd-user': {
    kind: 'name',
    default: '',
    meaning: 'user of etcd; the password is PERCOLITE_ETCD_PASSWORD in the environment',
  },
  commit: {
    kind: 'choice',
    choices: ['auto', 'one-phase', 'two-phase'],
    default: 'auto',
    meaning: 'how transactions commit; auto is one-phase where the engine allows it',
  },
  'step-delay': {
    kind: 'duration',
    default: '0s',
    meaning: 'wait after each step of a commit, to watch; memory and two-phase only',
    mayBeZero: true,
  },
  'redo-log': {
    kind: 'choice',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    meaning: 'whether commits go to the redo log of sqlite first',
  },
  'row-cache': {
    kind: 'size',
    default: '128MiB',
    meaning: 'memory for rows that were read or written lately',
  },
  host: { kind: 'text', default: '127.0.0.1', meaning: 'address to listen on' },
  advertise: {
    kind: 'name',
    default: '',
    meaning: 'URL at which other servers over the same store reach this one',
  },
  port: { kind: 'port', default: '4270', meaning: 'port to listen on; 0 takes a free one' },
  auth: {
    kind: 'choice',
    default: 'auto',
    choices: ['auto', 'required'],
    meaning: 'whether requests need a token; auto: from the first token on',
  },
  'admin-token-file': {
    kind: 'file',
    default: '',
    meaning: 'where a first token is written, or taken from, while there is none of the role admin',
  },
  'jwt-issuer': {
    kind: 'name',
    default: '',
    meaning: 'issuer whose JWTs are taken as tokens, as they name it',
  },
  'jwt-audience': { kind: 'name', default: '', meaning: 'audience that these JWTs have to be for' },
  'jwt-keys': {
    kind: 'name',
    default: '',
    meaning: 'public keys of the issuer: a file with a JSON Web Key Set, or its https address',
  },
  'jwt-role-claim': {
    kind: 'text',
    default: 'role',
    meaning: 'where these JWTs say their role',
  },
  'behind-proxy': {
    kind: 'switch',
    default: 'false',
    meaning: 'listen on another address without TLS, which is the business of a proxy before it',
  },
  'no-auth': {
    kind: 'switch',
    default: 'false',
    meaning: 'listen on an address that others can reach, open to everybody',
  },
  'allow-host': {
    kind: 'list',
    default: '',
    meaning: 'host name that requests may ask for beside the loopback ones',
  },
  'allow-origin': {
    kind: 'list',
    default: '',
    meaning: 'origin whose web pages may use the server, such as https://app.example',
  },
  'no-docs': {
    kind: 'switch',
    default: 'false',
    meaning: 'serve no /docs, no /openapi.* and no /llms.txt',
  },
  'no-console': {
    kind: 'switch',
    default: 'false',
    meaning: 'serve no /console',
  },
  'statement-statistics': {
    kind: 'choice',
    choices: ['on', 'off'],
    default: 'on',
    meaning: 'count what statements come to, by their shapes, for GET /v1/statements',
  },
  'tls-cert': {
    kind: 'file',
    default: '',
    meaning: 'certificate of the server with its chain, PEM; then it speaks HTTPS only',
  },
  'tls-key': { kind: 'file', default: '', meaning: 'key of that certificate, PEM' },
  'trust-proxy': {
    kind: 'list',
    default: '',
    meaning: 'proxy whose X-Forwarded-For names the client: an address, a network or loopback',
  },
  rate: {
    kind: 'count',
    default: '',
    meaning: 'requests that one client may send a second, and twice as many in one go',
  },
  'statement-timeout': {
    kind: 'duration',
    default: '30s',
    meaning: 'how long a statement may run',
  },
  'transaction-idle-timeout': {
    kind: 'duration',
    default: '30s',
    meaning: 'how long a transaction over several requests may be idle',
  },
  'transaction-timeout': {
    kind: 'duration',
    default: '5m',
    meaning: 'how long a transaction over several requests may be open',
  },
  'shutdown-timeout': {
    kind: 'duration',
    default: '10s',
    meaning: 'how long a stopping server waits for requests that are running',
  },
  drain: {
    kind: 'duration',
    default: '5s',
    meaning: 'how long only /readyz is 503 after SIGTERM, which begins the end',
    mayBeZero: true,
  },
  retention: {
    kind: 'duration',
    default: '24h',
    meaning: 'how long a new store keeps old versions; ALTER STORE changes it',
  },
  'garbage-interval': {
    kind: 'duration',
    default: '10m',
    meaning: 'how often versions that nobody may read any more are deleted',
  },
  'allow-move': {
    kind: 'switch',
    default: 'false',
    meaning: 'let percolite move take the database into another store while the server runs',
  },
  follow: {
    kind: 'name',
    default: '',
    meaning: 'address of the server that this one follows as its standby',
  },
  'token-file': {
    kind: 'file',
    default: '',
    meaning: 'file with the token for that server; its role has the right FOLLOW',
  },
  peer: {
    kind: 'name',
    default: '',
    meaning: 'address of the other server of a pair, which may have replaced this one',
  },
  'follow-insecure': {
    kind: 'switch',
    default: 'false',
    meaning: 'follow, or believe the peer, over http from another machine',
  },
  'second-copy': {
    kind: 'choice',
    choices: ['none', 'preferred', 'required'],
    default: 'none',
    meaning: 'whether a write is answered only when a standby has it too',
  },
  backups: {
    kind: 'file',
    default: '',
    meaning: 'folder of this machine in which percolite backup --url lets the server make backups',
  },
  'accept-clock': {
    kind: 'switch',
    default: 'false',
    meaning: 'start though the clock lies far from the newest timestamp of the data',
  },
  observers: {
    kind: 'file',
    default: '',
    meaning: 'module whose observers run in this process',
  },
  'relay-to': {
    kind: 'list',
    default: '',
    meaning:
      'origin that relays may send to, such as https://hooks.example, or a network of theirs',
  },
  audit: {
    kind: 'file',
    default: '',
    meaning: 'file of the audit log, or stdout; without it, its lines are in the log',
  },
  slow: {
    kind: 'duration',
    default: '0s',
    meaning: 'log statements that take so long, by their shape; 0s logs none',
    mayBeZero: true,
  },
  'log-format': {
    kind: 'choice',
    choices: ['pretty', 'json'],
    default: 'pretty',
    meaning: 'how the log is written',
  },
  'log-level': {
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    meaning: 'what the log holds; debug has a line for each request',
  },
} as const satisfies Readonly<Record<string, Flag>>

export type Flag = {
  readonly kind:
    | 'text'
    | 'name'
    | 'choice'
    | 'port'
    | 'switch'
    | 'list'
    | 'file'
    | 'duration'
    | 'size'
    | 'count'
  readonly choices?: readonly string[]
  /** As it would be written on the command line. */
  readonly default: string
  readonly meaning: string
  /** Of a duration that may also be none. */
  readonly mayBeZero?: boolean
}

/** Of the groups of `--help`, each above its first flag. */
export const FLAG_HEADINGS: Readonly<Partial<Record<FlagName, string>>> = {
  data: 'The database',
  bigtable: 'A store over the network',
  commit: 'How it writes and reads',
  host: 'Where it listens',
  auth: 'Who is let in',
  'allow-host': 'Browsers, pages and statistics',
  'tls-cert': 'TLS, and clients behind a proxy',
  'statement-timeout': 'How long something may take',
  retention: 'Old versions, copies and moves',
  follow: 'A second copy',
  observers: 'Observers, relays and logs',
}

export type FlagName = keyof typeof FLAGS

export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[]

/** `--statement-timeout` is `PERCOLITE_STATEMENT_TIMEOUT` in the environment. */
export function environmentName(flag: string): string {
  return `PERCOLITE_${flag.toUpperCase().replaceAll('-', '_')}`
}
