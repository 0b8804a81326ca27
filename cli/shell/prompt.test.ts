// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Terminal } from '../../test/cli/terminal.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { TokenServer } from '../../test/server/token-server.ts'
import { testFolder } from '../../test/test-folder.ts'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const UP = '\u001b[A'

/** A shell at a terminal, with a bank behind it. */
async function bank(t: TestContext, options: ConstructorParameters<typeof Terminal>[1] = {}) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
  const { url } = await server.listen()
  const folder = await testFolder(t, 'shell')
  const environment = { XDG_STATE_HOME: folder, ...options.environment }
  const history = join(folder, 'percolite', 'history')
  const open = async () => {
    const terminal = new Terminal(['shell', url], { ...options, environment })
    await terminal.until('percolite> ')
    await terminal.line('\\timing off')
    return terminal
  }
  return { server, url, history, open, terminal: await open() }
}

describe('a shell at a terminal', () => {
  test('takes a statement over lines until its ;, and shows its rows', async (t) => {
    const { terminal } = await bank(t)
    await terminal.line("SCAN * FROM account WHERE id IN (';", '      ...> ')
    await terminal.line("', 'bob')", '      ...> ')
    assert.match(await terminal.line(';'), / id {2}\| balance\n-+\+-+\n bob \| {6}10\n\(1 row\)\n/)
  })

  test('says for an empty line what is missing, and where nothing is, that a ; is', async (t) => {
    const { terminal } = await bank(t)
    await terminal.line('CREATE TABLE', '...> ')
    assert.match(await terminal.line('', '...> '), /Expected: IF NOT EXISTS, a table name\n/)
    terminal.type(CTRL_C)
    await terminal.until('percolite> ')
    await terminal.line('FOO BAR', '...> ')
    assert.match(await terminal.line('', '...> '), /A ; ends the statement/)
  })

  test('completes by Tab what the server says, of commands too', async (t) => {
    const { terminal } = await bank(t)
    terminal.type('SCAN id, bal')
    await sleep(50)
    terminal.type('\t')
    await terminal.until('balance ')
    terminal.type('FROM acc')
    await sleep(50)
    terminal.type('\t')
    await terminal.until('account ')
    await terminal.line('WHERE', '...> ')
    terminal.type('id')
    await sleep(50)
    terminal.type('\t')
    await terminal.until('id ')
    assert.match(await terminal.line("= 'joe';"), /joe \| {7}2/)
    terminal.type('\\tim')
    await sleep(50)
    terminal.type('\t')
    await terminal.until('\\timing ')
    assert.match(await terminal.line('off'), /\\timing is off/)
    terminal.type('\\d a')
    await sleep(50)
    terminal.type('\t')
    await terminal.until('\\d account ')
  })

  test('shows an open transaction in the prompt, and rolls it back when it is left', async (t) => {
    const { server, terminal } = await bank(t)
    await terminal.line('BEGIN;', 'percolite*> ')
    await terminal.line("SET balance = 4 ON account WHERE id = 'bob';", 'percolite*> ')
    assert.match(await terminal.line('\\tx', 'percolite*> '), /own +\| \*\ntransaction \| \d+\./)
    await terminal.line("SET nothing = 4 ON account WHERE id = 'bob';", 'percolite*> ')
    await terminal.line('COMMIT;', 'percolite> ')
    await terminal.line('BEGIN;', 'percolite*> ')
    await terminal.line("SET balance = 5 ON account WHERE id = 'bob';", 'percolite*> ')
    terminal.type(CTRL_D)
    await terminal.until('The open transaction was rolled back.')
    assert.equal(await terminal.code, 0)
    const { body } = await server.query("GET balance FROM account WHERE id = 'bob'")
    assert.equal(body.results[0].rows[0].balance, 4)
    assert.equal((await server.get('/v1/transactions')).body.total, 0)
  })

  test('shows a transaction that was lost, and runs nothing outside of it until it is left', async (t) => {
    const { server, terminal } = await bank(t)
    await terminal.line('BEGIN;', 'percolite*> ')
    const { transactions } = (await server.get('/v1/transactions')).body
    const path = `/v1/transactions/${transactions[0].transaction}`
    await server.send({ method: 'DELETE', path })
    await terminal.line("SET balance = 9 ON account WHERE id = 'bob';", 'percolite!> ')
    assert.match(
      await terminal.line("SET balance = 9 ON account WHERE id = 'bob';", 'percolite!> '),
      /was lost, so this was not sent/,
    )
    await terminal.line('ROLLBACK;', 'percolite> ')
    const { body } = await server.query("GET balance FROM account WHERE id = 'bob'")
    assert.equal(body.results[0].rows[0].balance, 10)
  })

  test('drops by Ctrl-C what is written, and is left by another one, or by Ctrl-D', async (t) => {
    const { terminal } = await bank(t)
    await terminal.line('SCAN *', '...> ')
    terminal.type('FROM')
    terminal.type(CTRL_C)
    await terminal.until('percolite> ')
    assert.match(await terminal.line("GET id FROM account WHERE id = 'bob';"), / bob\n\(1 row\)/)
    terminal.type(CTRL_C)
    await terminal.until('Ctrl-C again leaves.')
    terminal.type(CTRL_C)
    assert.equal(await terminal.code, 0)
  })

  test('ends by Ctrl-C what runs, here and on the server, and a transaction that it was in', async (t) => {
    const { server, terminal } = await bank(t)
    await terminal.line('SHOW TABLES;')
    terminal.type('\\watch 0.1\n')
    await terminal.until('(1 row)')
    await terminal.until('(1 row)')
    terminal.type(CTRL_C)
    await terminal.until('Stopped.')
    await terminal.until('percolite> ')
    await terminal.line('BEGIN;', 'percolite*> ')
    await terminal.line('SHOW TABLES;', 'percolite*> ')
    terminal.type('\\watch 0.1\n')
    await terminal.until('(1 row)')
    terminal.type(CTRL_C)
    await terminal.until(/percolite[*!]> /)
    terminal.type(CTRL_D)
    await terminal.code
    assert.equal((await server.get('/v1/transactions')).body.total, 0)
  })

  test('asks after a page of a SCAN whether there is to be more', async (t) => {
    const { server, terminal } = await bank(t)
    await server.query('CREATE TABLE n (id INTEGER PRIMARY KEY)')
    await server.post(
      '/v1/tables/n/rows',
      Array.from({ length: 2_500 }, (_, id) => ({ id })),
    )
    terminal.type('SCAN * FROM n;\n')
    assert.match(await terminal.until('-- more -- '), / {1}999\n$/)
    terminal.type('\n')
    assert.match(await terminal.until('-- more -- '), / 1999\n$/)
    assert.match(await terminal.line('q'), /\(2000 rows\)/)
    terminal.type('SCAN * FROM n;\n')
    await terminal.until('-- more -- ')
    terminal.type(CTRL_C)
    await terminal.until('percolite> ')
  })

  test('shows a row that is wider than the terminal as lines, and NULL dim', async (t) => {
    const { terminal } = await bank(t, { columns: 30 })
    const wide = await terminal.line('DESCRIBE account;')
    assert.match(wide, /-\[ RECORD 1 \]\ncolumn {6}\| id\n/)
    assert.ok(terminal.raw.includes('\u001b[2mNULL\u001b[22m'))
    await terminal.line('\\x off')
    assert.doesNotMatch(await terminal.line('DESCRIBE account;'), /RECORD/)
    await terminal.line('\\x on')
    assert.match(await terminal.line("GET * FROM account WHERE id = 'bob';"), /balance \| 10\n/)
  })

  test('leaves long results to the pager of the user', async (t) => {
    const { server, terminal } = await bank(t, {
      rows: 10,
      environment: { PAGER: 'cat > /dev/null' },
    })
    await server.query('CREATE TABLE n (id INTEGER PRIMARY KEY)')
    await server.post(
      '/v1/tables/n/rows',
      Array.from({ length: 2_500 }, (_, id) => ({ id })),
    )
    assert.doesNotMatch(await terminal.line('SCAN * FROM n;'), /more|999/)
    assert.match(await terminal.line("GET id FROM account WHERE id = 'bob';"), / bob\n/)
  })

  test('follows the rows of a SCAN live', async (t) => {
    const { server, terminal } = await bank(t)
    await terminal.line('SCAN * FROM account USE PRIMARY KEY;')
    terminal.type('\\live\n')
    await terminal.until('(2 rows)')
    await server.query("SET balance = 77 ON account WHERE id = 'joe'")
    await terminal.until('77')
    terminal.type(CTRL_C)
    await terminal.until('percolite> ')
  })

  test('keeps a history for its user alone, without secrets and what begins with a blank', async (t) => {
    const { terminal, history, open } = await bank(t)
    await terminal.line('SHOW TABLES;')
    await terminal.line(' SHOW OBSERVERS;')
    await terminal.line('CREATE', '...> ')
    await terminal.line('TOKEN a ROLE r EXPIRES IN 1 DAY', '...> ')
    await terminal.line(';')
    await terminal.line('\\set secret pct_abc')
    terminal.type(UP)
    await terminal.until('SHOW TABLES;')
    terminal.type(CTRL_D)
    terminal.type(CTRL_C)
    await terminal.line('\\q', 'q')
    await terminal.code
    assert.equal((await stat(history)).mode & 0o777, 0o600)
    assert.equal(await readFile(history, 'utf8'), '\\timing off\nSHOW TABLES;\n\\q\n')
    const next = await open()
    next.type(UP)
    next.type(UP)
    next.type(UP)
    await next.until('SHOW TABLES;')
  })

  test('writes a text in the editor of the user', async (t) => {
    const { terminal } = await bank(t, {
      environment: { EDITOR: "sed -i 's/bob/joe/'" },
    })
    await terminal.line("GET * FROM account WHERE id = 'bob';")
    assert.match(await terminal.line('\\e'), / joe \| {7}2/)
  })

  test('ends with 3 without a server, or without a token that it wants', async (t) => {
    const nobody = new Terminal(['shell', 'http://127.0.0.1:9'])
    assert.equal(await nobody.code, 3)
    const { server } = await TokenServer.start(t)
    const refused = new Terminal(['shell', (await server.listen()).url])
    assert.equal(await refused.code, 3)
    assert.match(refused.text, /unauthenticated/)
  })
})
