// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { readConfig } from '../server/config.ts'
import { environmentName, FLAG_HEADINGS, FLAG_NAMES, type FlagName } from '../server/flags.ts'
import { UsageError } from '../server/usage-error.ts'
import { percolite } from '../test/cli/percolite.ts'
import type { Command } from './command.ts'
import { readOrder } from './command-line.ts'
import { COMMANDS } from './commands.ts'
import { helpOf, helpOfAll } from './help-text.ts'

function orderOf(args: readonly string[], environment: Record<string, string> = {}) {
  return readOrder(COMMANDS, args, environment)
}

function configOf(args: string[], environment: Record<string, string> = {}) {
  const order = orderOf(['serve', ...args], environment)
  if (order.kind !== 'run') return assert.fail()
  return readConfig(order.call.givenOf(FLAG_NAMES), order.call.environment)
}

test('a first token has a file, and no server that lets all clients in', () => {
  assert.equal(configOf([]).adminTokenFile, undefined)
  assert.equal(configOf(['--admin-token-file', 't']).adminTokenFile, 't')
  assert.throws(() => configOf(['--admin-token-file', 't', '--no-auth']), UsageError)
})

test('without flags the server keeps to this machine, on port 4270', () => {
  const config = configOf([])
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 4270)
  assert.equal(config.engine, 'sqlite')
  assert.equal(config.statementTimeoutMs, 30_000)
  assert.equal(config.transactionTotalMs, 300_000)
})

test('every flag can come from the environment, and the command line wins', () => {
  const environment = { PERCOLITE_PORT: '5000', PERCOLITE_STATEMENT_TIMEOUT: '250ms' }
  assert.equal(configOf([], environment).port, 5000)
  assert.equal(configOf([], environment).statementTimeoutMs, 250)
  assert.equal(configOf(['--port', '6000'], environment).port, 6000)
})

test('the row cache has 128 MiB, or the size that is given', () => {
  assert.equal(configOf([]).rowCacheBytes, 128 * 2 ** 20)
  assert.equal(configOf(['--row-cache', '512KiB']).rowCacheBytes, 512 * 2 ** 10)
  assert.equal(configOf(['--row-cache', '4GiB']).rowCacheBytes, 2 ** 32)
  assert.equal(configOf(['--row-cache', '0MiB']).rowCacheBytes, 0)
  assert.equal(configOf(['--rate', '20']).requestsPerSecond, 20)
  assert.equal(configOf([]).requestsPerSecond, undefined)
})

test('how transactions commit is chosen by a flag, and is left to the engine otherwise', () => {
  assert.equal(configOf([]).commit, 'auto')
  assert.equal(configOf(['--commit', 'two-phase']).commit, 'two-phase')
  assert.equal(configOf([], { PERCOLITE_COMMIT: 'one-phase' }).commit, 'one-phase')
  assert.throws(() => configOf(['--commit', 'three-phase']), UsageError)
})

test('an allowed origin that no browser would send is refused', () => {
  for (const origin of ['foo', 'https://a.example/', 'a.example', 'https://A.example']) {
    assert.throws(() => configOf(['--allow-origin', origin]), { name: 'UsageError' }, origin)
  }
})

test('a list is repeated on the command line and separated by commas in the environment', () => {
  const args = ['--allow-origin', 'https://a.example', '--allow-origin', 'https://b.example']
  assert.deepEqual(configOf(args).allowedOrigins, ['https://a.example', 'https://b.example'])
  const environment = { PERCOLITE_ALLOW_HOST: 'A.example, b.example' }
  assert.deepEqual(configOf([], environment).allowedHosts, ['a.example', 'b.example'])
})

test('over a shared store, an address that others cannot reach asks for --advertise', () => {
  const etcd = ['--engine', 'etcd', '--etcd', 'a:2379', '--no-auth']
  for (const host of ['0.0.0.0', '::', '0', '::0']) {
    const asked = { name: 'UsageError', message: /--advertise http/ }
    assert.throws(() => configOf([...etcd, '--host', host]), asked, host)
    assert.equal(configOf(['--no-auth', '--host', host]).host, host)
  }
  const given = [...etcd, '--host', '0.0.0.0', '--advertise']
  assert.equal(configOf([...given, 'http://10.0.0.4:1']).advertisedUrl, 'http://10.0.0.4:1')
  assert.throws(() => configOf([...given, 'http://0.0.0.0:4270']), /others cannot reach/)
  assert.equal(configOf([...etcd, '--host', '10.0.0.4']).advertisedUrl, undefined)
})

test('a public address is refused unless everybody may use it', () => {
  assert.throws(() => configOf(['--host', '0.0.0.0']), UsageError)
  assert.throws(() => configOf(['--host', 'db.example']), UsageError)
  assert.equal(configOf(['--host', '0.0.0.0', '--no-auth']).host, '0.0.0.0')
  assert.equal(configOf(['--host', '0.0.0.0'], { PERCOLITE_NO_AUTH: 'true' }).auth, 'off')
  assert.equal(configOf(['--host', '::1']).host, '::1')
})

const WRONG: ReadonlyArray<readonly string[]> = [
  ['serve', '--port', '65536'],
  ['serve', '--port', 'x'],
  ['serve', '--port', '-1'],
  ['serve', '--statement-timeout', '30'],
  ['serve', '--statement-timeout', '0s'],
  ['serve', '--statement-timeout', '999h'],
  ['serve', '--statement-timeout', '5constructor'],
  ['serve', '--row-cache', '64'],
  ['serve', '--row-cache', '64m'],
  ['serve', '--row-cache', '5GiB'],
  ['serve', '--row-cache', '-1MiB'],
  ['serve', '--rate', '0'],
  ['serve', '--rate', '-5'],
  ['serve', '--rate', '1.5'],
  ['serve', '--rate', '12345678'],
  ['serve', '--rate', '20/s'],
  ['serve', '--engine', 'bigtable'],
  ['serve', '--log-format', 'xml'],
  ['serve', '--data', ''],
  ['serve', '--no-such-flag'],
  ['serve', '--port'],
  ['serve', 'again'],
  ['start'],
]

for (const args of WRONG) {
  test(`"percolite ${args.join(' ')}" is refused in one line, with exit code 2`, async () => {
    const { code, output, errors } = await percolite(args)
    assert.deepEqual([code, output], [2, ''])
    assert.match(errors, /^percolite: .*\n$/)
  })
}

test('who mistypes is told what was meant, and where flags are listed', () => {
  const npm = { npm_lifecycle_event: 'start' }
  for (const [args, environment, expected] of [
    [['serve', '--prot', '1'], npm, /'--prot'\. Did you mean --port\? npm start -- --help lists/],
    [
      ['serve', '--no-such-flag'],
      {},
      /'--no-such-flag'\. percolite serve --help lists the flags\./,
    ],
    [['serve', '5992'], npm, /"5992" is not asked for\. .*stand behind --/],
    [
      ['query', 'GET', 'a', 'FROM'],
      {},
      /what has blanks stands in quotes\. percolite query --help/,
    ],
    [['sreve'], {}, /no command "sreve"\. Did you mean serve\?/],
    [['--port', '1'], {}, /no command "--port"\. There are serve, demo, /],
  ] as const) {
    assert.throws(() => orderOf(args, environment), { name: 'UsageError', message: expected })
  }
})

test('a wrong value in the environment is refused too', () => {
  const message = /^--no-auth yes: .* It stands in PERCOLITE_NO_AUTH of the environment\.$/
  assert.throws(() => orderOf(['serve'], { PERCOLITE_NO_AUTH: 'yes' }), {
    name: 'UsageError',
    message,
  })
})

test('a value that looks like a flag is refused as a value, with its flag', () => {
  const refused = { name: 'UsageError', message: /--port -1: a port is a number/ }
  assert.throws(() => orderOf(['serve', '--port', '-1']), refused)
  assert.throws(() => orderOf(['serve', '--port=-1']), refused)
})

test('a name in the environment that is misspelt is refused', async () => {
  const { code, errors } = await percolite(['serve'], { PERCOLITE_PROT: '1' })
  assert.equal(code, 2)
  assert.match(errors, /PERCOLITE_PROT.* Did you mean PERCOLITE_PORT\?/)
})

test('each command has its own help, and help, --help and -h are one', () => {
  for (const command of COMMANDS) {
    for (const args of [
      [command.name, '--help'],
      [command.name, '-h'],
      ['help', command.name],
    ]) {
      assert.deepEqual(orderOf(args), { kind: 'help', command })
    }
    const help = helpOf(command)
    assert.match(help, new RegExp(`^Usage: percolite ${command.name} `))
    assert.equal(help.match(/Usage: /g)?.length, 1)
    for (const name of Object.keys(command.flags)) assert.match(help, new RegExp(`--${name}\\b`))
    for (const line of help.split('\n')) assert.ok(line.length <= 130, line)
  }
})

test('the flags of serve stand in groups, of which each has one heading', () => {
  for (const flag of Object.keys(FLAG_HEADINGS)) assert.ok(FLAG_NAMES.includes(flag as FlagName))
  const help = helpOf(COMMANDS.find(({ name }) => name === 'serve') as Command)
  const groups = help.split(/^[A-Z][^:\n]*:$/m).slice(1)
  assert.equal(groups.length, Object.keys(FLAG_HEADINGS).length)
  for (const group of groups) assert.ok(group.split('\n  --').length <= 10, group)
  assert.doesNotMatch(help, /\n\n\n/)
})

test('without a command, it lists them', async () => {
  for (const args of [[], ['--help'], ['-h'], ['help']]) {
    const { code, output } = await percolite(args)
    assert.deepEqual([code, output], [0, helpOfAll(COMMANDS)])
  }
  for (const { name, summary } of COMMANDS) {
    assert.match(helpOfAll(COMMANDS), new RegExp(`^  ${name} +${summary}$`, 'm'))
  }
  assert.deepEqual(orderOf(['--version']), { kind: 'version' })
})

test('environment names follow from the flags', () => {
  assert.equal(environmentName('statement-timeout'), 'PERCOLITE_STATEMENT_TIMEOUT')
})

test('a configuration for a program takes the same texts as the command line', () => {
  assert.equal(readConfig({ engine: 'memory', port: '0' }).engine, 'memory')
})
