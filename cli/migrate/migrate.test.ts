// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { percolite } from '../../test/cli/percolite.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { TokenServer } from '../../test/server/token-server.ts'
import { testFolder } from '../../test/test-folder.ts'

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url))

const ACCOUNTS = `-- Who has how much.
CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL);
CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
INSERT INTO counter (id, n) VALUES (1, 0);
INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2);
`
const INDEX = `CREATE INDEX byBalance ON account (balance);
BEGIN;
SET balance = balance - 7 ON account WHERE id = 'bob';
SET balance = balance + 7 ON account WHERE id = 'joe';
COMMIT;
`

async function scene(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const server = await startTestServer(t)
  const { url } = await server.listen()
  const folder = join(await testFolder(t, 'migrate'), 'migrations')
  await mkdir(folder)
  const write = (name: string, text: string | Buffer) => writeFile(join(folder, name), text)
  for (const [name, text] of Object.entries(files)) await write(name, text)
  const migrate = (...args: readonly string[]) =>
    percolite(['migrate', url, ...args, '--folder', folder])
  const balances = async () =>
    (await server.rows('SCAN balance FROM account USE PRIMARY KEY')).map(({ balance }) => balance)
  return { server, url, folder, write, migrate, balances }
}

describe('percolite migrate', () => {
  test('runs the files of a folder in their order, each once', async (t) => {
    const { migrate, balances, write } = await scene(t, {
      '0002-index.sql': INDEX,
      '0001-accounts.sql': ACCOUNTS,
      'notes.txt': 'no statement',
    })
    const open = '0001-accounts.sql: open\n0002-index.sql: open\n'
    assert.deepEqual(await migrate('status'), { code: 0, output: open, errors: '' })
    const ran = '0001-accounts.sql: 4 statements\n0002-index.sql: 5 statements\n'
    assert.deepEqual(await migrate(), { code: 0, output: ran, errors: '' })
    assert.deepEqual(await balances(), [3, 9])
    assert.deepEqual(await migrate('up'), {
      ...{ code: 0, output: 'Everything has been run.\n', errors: '' },
    })
    await write('0003-more.sql', "SET balance = 1 ON account WHERE id = 'eve';\r\n")
    assert.equal((await migrate()).output, '0003-more.sql: 1 statement\n')
    const done = '0001-accounts.sql: done\n0002-index.sql: done\n0003-more.sql: done\n'
    assert.deepEqual(await migrate('status'), { code: 0, output: done, errors: '' })
    assert.deepEqual(await balances(), [3, 1, 9])
  })

  test('goes on where a statement failed, when that has been mended', async (t) => {
    const { migrate, write, folder } = await scene(t, { '0001-accounts.sql': ACCOUNTS })
    await write('0002-index.sql', INDEX.replace("'bob'", "'bob' AND"))
    const broken = await migrate()
    assert.equal(broken.code, 1)
    assert.equal(broken.errors.split('\n')[0], `percolite: ${join(folder, '0002-index.sql')}:3:58`)
    await write(
      '0002-index.sql',
      INDEX.replace('BEGIN;', 'CHECK n = 1 ON counter WHERE id = 1;\nBEGIN;'),
    )
    const failed = await migrate()
    assert.deepEqual([failed.code, failed.output], [1, ''])
    assert.match(
      failed.errors,
      /0002-index\.sql:2:7\nERROR: {2}check_failed: .*\nLINE 2: CHECK.*\n.*\n1 of 6 statements are done/,
    )
    const status = (await migrate('status')).output
    assert.match(status, /0002-index\.sql: half done, 1 of 6 statements/)
    await write('0002-index.sql', INDEX)
    assert.deepEqual(await migrate(), {
      code: 0,
      output: '0002-index.sql: 4 statements\n',
      errors: '',
    })
  })

  test('runs nothing where a file has changed since it was run, and names it', async (t) => {
    const { migrate, write, balances, folder } = await scene(t, { '0001-accounts.sql': ACCOUNTS })
    await migrate()
    await write('0002-index.sql', INDEX)
    for (const changed of [ACCOUNTS.replace('10', '11'), `${ACCOUNTS}1`, ACCOUNTS.slice(0, -2)]) {
      await write('0001-accounts.sql', changed)
      const { code, output, errors } = await migrate()
      assert.deepEqual([code, output], [1, ''])
      assert.ok(
        errors.startsWith(`percolite: ${join(folder, '0001-accounts.sql')} has changed since`),
      )
      const status = await migrate('status')
      assert.deepEqual(
        [status.code, status.output],
        [1, '0001-accounts.sql: has changed since it was run\n0002-index.sql: open\n'],
      )
    }
    assert.deepEqual(await balances(), [10, 2])
    await rm(join(folder, '0001-accounts.sql'))
    assert.match(
      (await migrate('status')).output,
      /0001-accounts\.sql: has been run, and there is no/,
    )
  })

  test('ends where what failed is gone: deleted, or a comment now', async (t) => {
    const { migrate, write, server } = await scene(t)
    const failing = 'CHECK n = 1 ON counter WHERE id = 1;\n'
    for (const [index, rest] of ['', '\n\n', `-- ${failing}`, `/* ${failing} */ ;`].entries()) {
      const name = `000${index}.sql`
      const table = `CREATE TABLE t${index} (id TEXT PRIMARY KEY);`
      await write(name, `${table}\n\nGET * FROM nothing WHERE id = 1;\n`)
      assert.equal((await migrate()).code, 1)
      await write(name, `${table}${rest}`)
      assert.deepEqual(await migrate(), { code: 0, output: `${name}: 0 statements\n`, errors: '' })
      assert.match((await migrate('status')).output, new RegExp(`${name}: done\n$`))
    }
    const rows = await server.rows('SCAN done, total FROM percoliteMigration USE PRIMARY KEY')
    assert.deepEqual(rows, Array(4).fill({ done: 1, total: 1 }))
  })

  test('takes blanks and comments for nothing: in a new file, and behind what is done', async (t) => {
    const { migrate, write } = await scene(t, {
      '0001-a.sql': '-- later\n',
      '0002-b.sql': '\ufeff',
    })
    const nothing = { code: 0, output: 'Everything has been run.\n', errors: '' }
    assert.deepEqual(await migrate(), nothing)
    assert.equal((await migrate('status')).output, '0001-a.sql: done\n0002-b.sql: done\n')
    await write('0001-a.sql', `-- later\n${ACCOUNTS}`)
    assert.equal((await migrate()).output, '0001-a.sql: 4 statements\n')
    await write('0001-a.sql', `-- later\n${ACCOUNTS}\n\n-- All accounts. /* ; */\n;`)
    assert.deepEqual(await migrate(), nothing)
    await write('0001-a.sql', `-- later\n${ACCOUNTS.trimEnd()}`)
    assert.deepEqual(await migrate(), nothing)
  })

  test('that stops at any statement goes on with the next one', async (t) => {
    const statements = [
      'CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)',
      'INSERT INTO counter (id, n) VALUES (1, 0)',
      'SET n = n + 1 ON counter WHERE id = 1',
      'CREATE TABLE other (id INTEGER PRIMARY KEY)',
      'SET n = n + 1 ON counter WHERE id = 1',
      'DROP TABLE other',
      'SET n = n + 1 ON counter WHERE id = 1',
    ]
    const { migrate, write, server } = await scene(t)
    for (let stop = 0; stop < statements.length; stop += 1) {
      const text = statements.toSpliced(stop, 0, 'GET * FROM nothing WHERE id = 1').join(';\n')
      await write('0001.sql', text)
      const { code, errors } = await migrate()
      assert.equal(code, 1, errors)
      assert.match(errors, new RegExp(`0001\\.sql:${stop + 1}:12\\n`))
    }
    await write('0001.sql', statements.join(';\n'))
    assert.equal((await migrate()).output, '0001.sql: 1 statement\n')
    assert.deepEqual(await server.rows('GET n FROM counter WHERE id = 1'), [{ n: 3 }])
  })

  test('that is killed again and again does each statement once', async (t) => {
    const count = 400
    const parts = Array.from({ length: count }, (_, n) =>
      n % 40 === 0
        ? `CREATE TABLE t${n} (id INTEGER PRIMARY KEY)`
        : 'SET n = n + 1 ON counter WHERE id = 1',
    )
    const { server, url, folder } = await scene(t, {
      '0001-accounts.sql': ACCOUNTS,
      '0002.sql': parts.join(';\n'),
    })
    const done = async (): Promise<number> => {
      const { body } = await server.query(
        "GET done FROM percoliteMigration WHERE name = '0002.sql'",
      )
      return body.results?.[0].rows[0]?.done ?? 0
    }
    let kills = 0
    for (let before = 0; before < count; before = await done()) {
      const run = spawn(process.execPath, [CLI, 'migrate', url, '--folder', folder])
      while (run.exitCode === null && (await done()) < before + 100) await sleep(1)
      if (run.exitCode !== null) continue
      const exited = once(run, 'exit')
      run.kill('SIGKILL')
      kills += 1
      await exited
    }
    assert.ok(kills > 0)
    const [{ n }] = await server.rows('GET n FROM counter WHERE id = 1')
    assert.equal(n, count - count / 40)
  })

  test('that is run twice at once does each statement once', async (t) => {
    const more = Array.from({ length: 40 }, (_, n) =>
      n % 4 === 0
        ? `CREATE TABLE t${n} (id INTEGER PRIMARY KEY)`
        : 'SET n = n + 1 ON counter WHERE id = 1',
    )
    const { server, migrate } = await scene(t, {
      '0001-accounts.sql': ACCOUNTS,
      '0002.sql': more.join(';\n'),
    })
    const runs = await Promise.all([migrate(), migrate(), migrate()])
    assert.deepEqual(
      runs.map(({ code, errors }) => [code, errors]),
      Array(3).fill([0, '']),
    )
    assert.deepEqual(await server.rows('GET n FROM counter WHERE id = 1'), [{ n: 30 }])
  })

  test('goes by the numbers that names begin with, so that 10 stands behind 9', async (t) => {
    const { migrate } = await scene(t, {
      'last.sql': 'DROP TABLE account',
      '10-rows.sql': "INSERT INTO account (id) VALUES ('bob')",
      '9-tables.sql': 'CREATE TABLE account (id TEXT PRIMARY KEY)',
    })
    const ran = '9-tables.sql: 1 statement\n10-rows.sql: 1 statement\nlast.sql: 1 statement\n'
    assert.deepEqual(await migrate(), { code: 0, output: ran, errors: '' })
  })

  test('says what to do where there is no folder, no file, and nothing to run in it', async (t) => {
    const { url, folder, migrate, write } = await scene(t)
    const none = join(folder, 'none')
    for (const [at, words] of [
      [folder, 'no file in it ends in .sql.'],
      [none, 'there is no such folder.'],
    ] as const) {
      const expected = `percolite: --folder ${at}: ${words} percolite migrate new <name> makes one.\n`
      const { code, errors } = await percolite(['migrate', url, '--folder', at])
      assert.deepEqual([code, errors], [2, expected])
    }
    for (const text of ['INSRT', 'SHOW TABLES;\n'.repeat(1_001)]) {
      await write('0001-a.sql', text)
      const { code, errors } = await migrate()
      assert.equal(code, 1, text)
      assert.match(errors, /\nNothing was run\. Mend the file, and run it again\.\n$/)
    }
    await rm(join(folder, '0001-a.sql'))
    await mkdir(join(folder, '0001-a.sql'))
    const { code, errors } = await migrate()
    assert.deepEqual([code, /0001-a\.sql: it is a folder/.test(errors)], [2, true])
  })

  test('does not print names that a terminal obeys, and takes no text that is not UTF-8', async (t) => {
    const { migrate, folder, write } = await scene(t, { '0001-\u001b[31mred.sql': 'SHOW TABLES' })
    const named = await migrate('status')
    assert.deepEqual([named.code, named.output], [2, ''])
    assert.match(named.errors, /0001-\\u001b\[31mred\.sql/)
    await rm(join(folder, '0001-\u001b[31mred.sql'))
    await write('0001-a.sql', Buffer.from('SHOW \xff', 'latin1'))
    const { code, errors } = await migrate()
    assert.deepEqual(
      [code, errors],
      [2, `percolite: ${join(folder, '0001-a.sql')}: it is not UTF-8.\n`],
    )
  })

  test('new says where no file can be made', { skip: process.platform !== 'linux' }, async () => {
    const { code, errors } = await percolite(['migrate', 'new', 'a', '--folder', '/proc/self'])
    assert.deepEqual([code, /^percolite: \/proc\/self\/0001-a\.sql: .*\n$/.test(errors)], [2, true])
  })

  test('new makes a file with the next number', async (t) => {
    const folder = join(await testFolder(t, 'migrate'), 'deep', 'migrations')
    const make = (name: string) => percolite(['migrate', 'new', name, '--folder', folder])
    assert.equal(
      (await make('Accounts and owners')).output,
      `${join(folder, '0001-accounts-and-owners.sql')}\n`,
    )
    assert.equal((await make('index')).code, 0)
    assert.deepEqual((await readdir(folder)).toSorted(), [
      '0001-accounts-and-owners.sql',
      '0002-index.sql',
    ])
    assert.equal(await readFile(join(folder, '0002-index.sql'), 'utf8'), '-- index\n')
    assert.equal((await make('../x')).code, 2)
  })

  test('ends with 2 for a wrong call, and with 3 without a connection or a token', async (t) => {
    const { folder, migrate, url } = await scene(t, { '0001-accounts.sql': ACCOUNTS })
    assert.equal((await migrate('down')).code, 2)
    assert.equal((await percolite(['migrate', url, '--folder', join(folder, 'none')])).code, 2)
    assert.equal((await percolite(['migrate', 'new'])).code, 2)
    assert.equal((await percolite(['migrate', 'http://127.0.0.1:9', '--folder', folder])).code, 3)
    const { server } = await TokenServer.start(t)
    const guarded = await server.listen()
    assert.equal((await percolite(['migrate', guarded.url, '--folder', folder])).code, 3)
  })
})
