// SPDX-License-Identifier: Apache-2.0

/** A suite at the length at which its figures are quoted. */
export type Suite = {
  readonly name: string
  /** The promise that it tries to break, in the words of docs/trust.md. */
  readonly shows: string
  readonly words: readonly string[]
  /** About how long it takes. */
  readonly minutes: number
  /** The line of its output that has its counts; of several the last one. */
  readonly says: RegExp
}

const PLOTS = 'test/long/results'
const BACKUP = 'test/backup/backup-under-writers.system.test.ts'
const DUE = 'test/due/due.system.test.ts'
const IMPORT = 'test/kill/kill-import.system.test.ts'
const LIVE = 'test/kill/kill-live.system.test.ts'
const STAMPS = 'test/gateways/stamps.system.test.ts'
const STANDBY = 'test/kill/kill-standby.system.test.ts'
const MEMORY = ['constant', 'transfer'].map((name) => `test/${name}-memory.system.test.ts`)

const BANK = ['--only', 'bank', '--seconds', '120', '--plot', PLOTS, '--history', PLOTS]

/** What a run over gateways that are disturbed says at its end. */
const DISTURBED = /.*\bseed \d+.*/
/** What a run of the brokerage does. */
const CHECKED = /\d+ of \d+ checks hold/

export const SUITES: readonly Suite[] = [
  {
    name: 'simulation',
    shows: 'schedules of the whole protocol with crashes, delays and lost answers, each by a seed',
    words: script('test:simulation', '--seeds', '10000'),
    minutes: 20,
    says: /\d+ seeds, .* failed/,
  },
  {
    name: 'mutants',
    shows: 'bugs that are planted in the code, which the tests have to catch',
    words: script('test:mutants'),
    minutes: 15,
    says: /\d+ of \d+ planted bugs were caught/,
  },
  {
    name: 'kill',
    shows: 'kill -9 of a server under writers, observers and subscribers',
    words: script('test:kill', '--cycles', '30'),
    minutes: 20,
    says: /\d+ kills in \d+ cycles: .*/,
  },
  {
    name: 'crash',
    shows: 'images of the disk as a power cut leaves them, with spoiled logs',
    words: script('test:crash'),
    minutes: 1,
    says: /\d+ images, .*/,
  },
  {
    name: 'backup',
    shows: 'backups taken while others write, restored and compared',
    words: ['node', BACKUP, '--times', '20'],
    minutes: 5,
    says: /pass \d+/,
  },
  {
    name: 'live',
    shows: 'kill -9 under subscribers of live results',
    words: ['node', LIVE, '--cycles', '30'],
    minutes: 5,
    says: /\d+ cycles: .*/,
  },
  {
    name: 'standby',
    shows: 'kill -9 of a primary or its standby, and promotion',
    words: ['node', STANDBY, '--cycles', '50'],
    minutes: 25,
    says: /\d+ kills: \d+ acknowledged.*/,
  },
  {
    name: 'due',
    shows: 'rows whose time comes, a thousand a second, under kill -9',
    words: due({ lots: 100_000, perSecond: 1_000, kills: 20, named: 'kill -9' }),
    minutes: 6,
    says: /\d+ kills: .*/,
  },
  {
    name: 'due-etcd',
    shows: 'the same over two servers on etcd, whose clocks are set back and forth',
    words: due({ lots: 2_000, perSecond: 40, kills: 3, named: 'etcd' }),
    minutes: 2,
    says: /\d+ kills: .*/,
  },
  {
    name: 'waiting',
    shows: 'a million rows that wait for their time',
    words: ['env', 'WAITING_ROWS=1000000', 'node', '--test', 'test/due/waiting.system.test.ts'],
    minutes: 5,
    says: /\d+ rows: .*/,
  },
  {
    name: 'import',
    shows: 'kill -9 of an import, which goes on where it was',
    words: ['node', IMPORT, '--kills', '50'],
    minutes: 3,
    says: /kill \d+: .*/,
  },
  {
    name: 'memory',
    shows: 'a million rows in and out in constant memory',
    words: ['env', 'MEMORY_ROWS=1000000', 'node', '--test', ...MEMORY],
    minutes: 10,
    says: /\d+ bytes streamed, .*/,
  },
  {
    name: 'stamps',
    shows: 'timestamps of two, four and eight gateways over a network of 100 ms',
    words: ['env', 'STAMP_ROUND_TRIP_MS=100', 'node', '--test', STAMPS],
    minutes: 2,
    says: /8 gateways: .*/,
  },
  {
    name: 'hostile',
    shows: 'requests and frames made to stop the service for others',
    words: script('test:hostile'),
    minutes: 3,
    says: /\d+ requests and frames, .*/,
  },
  {
    name: 'access',
    shows: 'bugs that are planted in what a role may see',
    words: script('test:access'),
    minutes: 60,
    says: /\d+ of \d+ planted bugs are caught/,
  },
  {
    name: 'overload',
    shows: 'more clients than can be served',
    words: script('test:overload'),
    minutes: 2,
    says: /health: asked .*/,
  },
  {
    name: 'console',
    shows: 'a console of large tables and long lists',
    words: script('test:console'),
    minutes: 5,
    says: /.*\S.*/,
  },
  ...gateways('bank', 'transfers and lists over gateways that are killed and paused', BANK),
  onEngine('sqlite', 'bank', 'the same over one server with a folder of its own', BANK),
  ...gateways('lossy', 'the same, where the store loses mutations and answers', [
    ...['--only', 'bank', '--lossy', '--seconds', '120', '--plot', PLOTS],
  ]),
  ...gateways('watchers', 'subscribers and observers whose gateway is killed', [
    ...['--only', 'watchers', '--seconds', '120'],
  ]),
  ...gateways('live', 'live results over two gateways', ['--only', 'live', '--seconds', '120']),
  ...gateways('web-index', 'the web index over two gateways', ['--only', 'web-index'], /check: .*/),
  ...gateways(
    'brokerage',
    'the brokerage over two gateways',
    ['--only', 'brokerage', '--seconds', '60'],
    CHECKED,
  ),
  ...gateways(
    'move',
    'a move to that store while others write',
    ['--only', 'move', '--seconds', '30'],
    CHECKED,
  ),
]

function due({
  lots,
  perSecond,
  kills,
  named,
}: Readonly<Record<'lots' | 'perSecond' | 'kills', number>> & {
  readonly named: string
}): string[] {
  const sizes = [`DUE_LOTS=${lots}`, `DUE_PER_SECOND=${perSecond}`, `DUE_KILLS=${kills}`]
  return ['env', ...sizes, 'node', '--test', `--test-name-pattern=${named}`, DUE]
}

function script(name: string, ...flags: readonly string[]): string[] {
  return ['npm', 'run', name, ...(flags.length === 0 ? [] : ['--', ...flags])]
}

function gateways(
  name: string,
  shows: string,
  words: readonly string[],
  says = DISTURBED,
): readonly Suite[] {
  return ['bigtable', 'etcd'].map((engine) => ({ ...onEngine(engine, name, shows, words), says }))
}

function onEngine(engine: string, name: string, shows: string, words: readonly string[]): Suite {
  return {
    name: `${name}-${engine}`,
    shows,
    words: script('test:gateways', '--engine', engine, ...words),
    minutes: 3,
    says: DISTURBED,
  }
}
