// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { readCommand, readConfig } from './config.ts'
import { environmentName, FLAG_NAMES, helpText } from './flags.ts'
import { UsageError } from './usage-error.ts'

function configOf(args: string[], environment: Record<string, string> = {}) {
  const command = readCommand(['serve', ...args], environment)
  assert.equal(command.kind, 'serve')
  return command.kind === 'serve' ? command.config : assert.fail()
}

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

test('the row cache has 64 MiB, or the size that is given', () => {
  assert.equal(configOf([]).rowCacheBytes, 64 * 2 ** 20)
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
  [],
]

for (const args of WRONG) {
  test(`"percolite ${args.join(' ')}" is refused in one line`, () => {
    assert.throws(
      () => readCommand(args, {}),
      (error) => error instanceof UsageError && !error.message.includes('\n'),
    )
  })
}

test('who mistypes a flag is told which one was meant, and where flags are listed', () => {
  for (const [args, expected] of [
    [['serve', '--prot', '1'], /'--prot'\. Did you mean --port\? npm start -- --help lists/],
    [['serve', '--no-such-flag'], /'--no-such-flag'\. npm start -- --help lists/],
    [['serve', '5992'], /"5992" is not asked for\. .*stand behind --/],
  ] as const) {
    assert.throws(() => readCommand(args, {}), { name: 'UsageError', message: expected })
  }
})

test('a wrong value in the environment is refused too', () => {
  assert.throws(() => readCommand(['serve'], { PERCOLITE_NO_AUTH: 'yes' }), UsageError)
})

test('a value that looks like a flag is refused as a value, with its flag', () => {
  const refused = { name: 'UsageError', message: /--port -1: a port is a number/ }
  assert.throws(() => readCommand(['serve', '--port', '-1'], {}), refused)
  assert.throws(() => readCommand(['serve', '--port=-1'], {}), refused)
})

test('a name in the environment that is misspelt is refused, and what clients read is left alone', () => {
  const refused = { name: 'UsageError', message: /PERCOLITE_PROT.* Did you mean PERCOLITE_PORT\?/ }
  assert.throws(() => readCommand(['serve'], { PERCOLITE_PROT: '1' }), refused)
  const environment = { PERCOLITE_URL: 'http://127.0.0.1:1', PERCOLITE_TOKEN: 'x', PATH: '/bin' }
  assert.equal(readCommand(['serve'], environment).kind, 'serve')
})

test('each command has its own help, and -h is --help', () => {
  for (const command of ['serve', 'check', 'history'] as const) {
    for (const flag of ['--help', '-h']) {
      assert.deepEqual(readCommand([command, flag], {}), { kind: 'help', command })
    }
    assert.match(helpText(command), new RegExp(`^Usage: percolite ${command} `))
    assert.equal(helpText(command).match(/Usage: /g)?.length, 1)
  }
  assert.deepEqual(readCommand(['-h'], {}), { kind: 'help' })
})

test('--help and --version need no command', () => {
  assert.deepEqual(readCommand(['--help'], {}), { kind: 'help' })
  assert.deepEqual(readCommand(['--version'], {}), { kind: 'version' })
})

test('the help text has every flag and fits a terminal', () => {
  const help = helpText()
  for (const name of FLAG_NAMES) assert.match(help, new RegExp(`--${name}\\b`))
  for (const line of help.split('\n')) assert.ok(line.length <= 130, line)
})

test('environment names follow from the flags', () => {
  assert.equal(environmentName('statement-timeout'), 'PERCOLITE_STATEMENT_TIMEOUT')
})

test('a configuration for a program takes the same texts as the command line', () => {
  assert.equal(readConfig({ engine: 'memory', port: '0' }).engine, 'memory')
})
