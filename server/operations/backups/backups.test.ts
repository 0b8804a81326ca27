// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import type { Storage } from '../../../storage/storage.ts'
import { linesOf } from '../../../test/access/audited-server.ts'
import { percolite } from '../../../test/cli/percolite.ts'
import {
  type Answer,
  type AnswerBody,
  startTestServer,
  type TestServer,
} from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { Backups } from './backups.ts'

class BackupScene {
  readonly server: TestServer
  readonly folder: string

  private constructor(server: TestServer, folder: string) {
    this.server = server
    this.folder = folder
  }

  static async begin(t: TestContext): Promise<BackupScene> {
    const folder = await testFolder(t, 'backups')
    const flags = {
      engine: 'sqlite',
      data: join(folder, 'data'),
      backups: join(folder, 'backups'),
    } as const
    const scene = new BackupScene(await startTestServer(t, { flags }), folder)
    await scene.server.rows('CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)')
    await scene.server.rows("INSERT INTO item (id, text) VALUES (1, 'one'), (2, 'two')")
    return scene
  }

  order(name: string, more: object = {}): Promise<Answer> {
    return this.server.post('/v1/backups', { name, ...more })
  }

  /** What became of it. */
  async settled(name: string): Promise<AnswerBody> {
    for (;;) {
      const { body } = await this.server.get(`/v1/backups/${name}`)
      if (body.state !== 'copying' && body.state !== 'checking') return body
      await sleep(10)
    }
  }

  async names(): Promise<readonly string[]> {
    const { body } = await this.server.get('/v1/backups')
    return body.backups.map(({ name }: { name: string }) => name)
  }

  delete(name: string): Promise<Answer> {
    return this.server.send({ method: 'DELETE', path: `/v1/backups/${name}` })
  }
}

describe('a server with --backups', () => {
  test('makes a copy, tells how far it is, sends its file and removes it', async (t) => {
    const scene = await BackupScene.begin(t)
    const ordered = await scene.order('a-1')
    assert.deepEqual([ordered.status, ordered.body.name], [202, 'a-1'])
    const { state, manifest } = await scene.settled('a-1')
    assert.equal(state, 'done')
    assert.deepEqual(manifest.check, { sound: true, tables: [{ name: 'item', rows: 2 }] })
    const file = readFileSync(join(scene.folder, 'backups', 'a-1', 'cells.db'))
    const hash = createHash('sha256').update(file)
    const sent = await scene.server.get('/v1/backups/a-1/file')
    assert.equal(sent.headers['content-length'], String(file.length))
    assert.equal(sent.headers.digest, `sha-256=${hash.copy().digest('base64')}`)
    assert.equal(manifest.sha256, hash.digest('hex'))
    assert.equal(sent.text, file.toString())
    assert.deepEqual(await scene.names(), ['a-1'])
    const again = await scene.order('a-1')
    assert.deepEqual([again.status, again.body.code], [409, 'already_exists'])
    assert.equal((await scene.delete('a-1')).status, 204)
    assert.deepEqual(await scene.names(), [])
    for (const path of ['/v1/backups/a-1', '/v1/backups/a-1/file']) {
      assert.equal((await scene.server.get(path)).body.code, 'unknown_backup')
    }
    assert.equal((await scene.delete('a-1')).body.code, 'unknown_backup')
  })

  test('makes one at a time', async (t) => {
    const scene = await BackupScene.begin(t)
    const answers = await Promise.all(['a', 'b'].map((name) => scene.order(name)))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, 409])
    const [made = ''] = answers.filter(({ status }) => status === 202).map(({ body }) => body.name)
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'backup_running')
    assert.equal((await scene.settled(made)).state, 'done')
    assert.equal((await scene.order('c', { check: false })).status, 202)
    assert.equal((await scene.settled('c')).manifest.check, undefined)
  })

  test('ends the one that runs when it is to stop, and leaves none', async (t) => {
    const scene = await BackupScene.begin(t)
    assert.equal((await scene.order('a')).status, 202)
    await scene.server.server.close()
    const left = readdirSync(join(scene.folder, 'backups'))
    assert.ok(!left.includes('a.partial'), 'it is whole, or it is not there')
  })

  test('takes no name that leads out of its folder', async (t) => {
    const scene = await BackupScene.begin(t)
    for (const name of [
      '',
      '.',
      '..',
      '../data',
      'a/b',
      'a\\b',
      '/tmp/a',
      '-a',
      '.a',
      'a.b',
      'a\u0000',
      'a\n',
      'a b',
      'ä',
      '2026-11-24\u202e',
      'a'.repeat(65),
      'a'.repeat(100_000),
      'con',
      'NUL',
      'Com1',
      'lpt9',
    ]) {
      const { status, body } = await scene.order(name)
      assert.deepEqual(
        [status, body.code],
        [400, 'invalid_request'],
        JSON.stringify(name).slice(0, 99),
      )
    }
    for (const name of ['nul', '..%2Fdata', '%2e%2e%2fdata', 'a%00', '.partial', 'a.partial']) {
      for (const path of [`/v1/backups/${name}`, `/v1/backups/${name}/file`]) {
        assert.equal((await scene.server.get(path)).status, 400, path)
      }
      assert.equal((await scene.delete(name)).status, 400, name)
    }
    // The contract has refused all of these; the folder is kept by itself, too. Only looking, so that a server with
    // this mistake deletes nothing of the machine that tests it.
    const log = pino({ level: 'silent' })
    const parts = { folder: scene.folder, engine: 'sqlite', version: 'test', log }
    const backups = new Backups({ ...parts, storage: {} as Storage })
    for (const name of ['..', '../data', 'a/b', '']) {
      await assert.rejects(backups.of(name), { code: 'invalid_request' })
    }
  })

  test('lists what was cut off, and removes it', async (t) => {
    const scene = await BackupScene.begin(t)
    await mkdir(join(scene.folder, 'backups', 'b.partial'))
    await mkdir(join(scene.folder, 'backups', 'c'))
    const { body } = await scene.server.get('/v1/backups')
    const states = body.backups.map(({ name, state }: AnswerBody) => [name, state])
    assert.deepEqual(states, [
      ['b', 'failed'],
      ['c', 'failed'],
    ])
    assert.equal((await scene.server.get('/v1/backups/b/file')).status, 404)
    for (const name of ['b', 'c']) assert.equal((await scene.delete(name)).status, 204)
    assert.deepEqual(await scene.names(), [])
  })

  test('follows no link and removes nothing that is no backup', async (t) => {
    const scene = await BackupScene.begin(t)
    const backups = join(scene.folder, 'backups')
    await scene.order('a')
    assert.equal((await scene.settled('a')).state, 'done')
    const elsewhere = join(scene.folder, 'elsewhere')
    await cp(join(backups, 'a'), elsewhere, { recursive: true })
    await symlink(elsewhere, join(backups, 'link'))
    await symlink(join(scene.folder, 'nowhere'), join(backups, 'dangling'))
    await mkdir(join(backups, 'mine'))
    await writeFile(join(backups, 'mine', 'photo.jpg'), 'mine')
    await mkdir(join(backups, 'mine-too.partial'))
    await writeFile(join(backups, 'mine-too.partial', 'photo.jpg'), 'mine')
    for (const name of ['link', 'dangling']) {
      for (const path of [`/v1/backups/${name}`, `/v1/backups/${name}/file`]) {
        assert.equal((await scene.server.get(path)).body.code, 'unknown_backup', path)
      }
      assert.equal((await scene.delete(name)).body.code, 'unknown_backup')
      assert.equal((await scene.order(name)).body.code, 'already_exists')
    }
    const kept = await scene.delete('mine')
    assert.deepEqual([kept.status, kept.body.code], [404, 'unknown_backup'])
    assert.match(kept.body.detail, /something else in it: photo\.jpg/)
    for (const answer of [await scene.delete('mine-too'), await scene.order('mine-too')]) {
      assert.deepEqual([answer.status, answer.body.code], [409, 'already_exists'])
    }
    // A file in it that is a link leads to what is none.
    await rm(join(backups, 'a', 'cells.db'))
    await symlink(join(elsewhere, 'cells.db'), join(backups, 'a', 'cells.db'))
    const linked = await scene.server.get('/v1/backups/a/file')
    assert.deepEqual([linked.status, linked.body.code], [404, 'unknown_backup'])
    assert.equal((await scene.delete('a')).status, 204)
    assert.deepEqual(readdirSync(elsewhere).toSorted(), ['cells.db', 'manifest.json'])
    const left = ['dangling', 'link', 'mine', 'mine-too.partial']
    assert.deepEqual(readdirSync(backups).toSorted(), left)
  })

  test('goes on where its folder was removed', async (t) => {
    const scene = await BackupScene.begin(t)
    await rm(join(scene.folder, 'backups'), { recursive: true })
    assert.deepEqual(await scene.names(), [])
    assert.equal((await scene.server.get('/v1/backups/a')).status, 404)
    assert.equal((await scene.delete('a')).status, 404)
    assert.equal((await scene.order('a')).status, 202)
    assert.equal((await scene.settled('a')).state, 'done')
    assert.deepEqual(await scene.names(), ['a'])
  })

  test('lists them by pages, of no more than it keeps, whoever has put them there', async (t) => {
    const scene = await BackupScene.begin(t)
    const there = Array.from({ length: 250 }, (_, at) => `old-${at}`)
    for (const name of there) mkdirSync(join(scene.folder, 'backups', name))
    const pages: string[][] = []
    let more = ''
    do {
      const { body } = await scene.server.get(`/v1/backups?${more}`)
      pages.push(body.backups.map(({ name }: { name: string }) => name))
      more = body.cursor === undefined ? '' : `cursor=${body.cursor}`
    } while (more !== '')
    assert.deepEqual(
      pages.map(({ length }) => length),
      [100, 100, 50],
    )
    assert.deepEqual(pages.flat(), there.sort())
    assert.equal((await scene.server.get('/v1/backups/old-249')).body.state, 'failed')
  })

  test('goes on behind a name that was removed, and ends without a cursor', async (t) => {
    const scene = await BackupScene.begin(t)
    for (const name of ['a', 'b', 'c', 'd']) mkdirSync(join(scene.folder, 'backups', name))
    const { body: first } = await scene.server.get('/v1/backups?limit=2')
    await rm(join(scene.folder, 'backups', 'b'), { recursive: true })
    const { body: second } = await scene.server.get(`/v1/backups?limit=2&cursor=${first.cursor}`)
    const named = second.backups.map(({ name }: { name: string }) => name)
    assert.deepEqual([named, second.cursor], [['c', 'd'], undefined])
    for (const [query, code] of [
      ['limit=0', 'invalid_request'],
      ['limit=101', 'invalid_request'],
      ['cursor=..%2F', 'bad_cursor'],
    ] as const) {
      const { status, body } = await scene.server.get(`/v1/backups?${query}`)
      assert.deepEqual([status, body.code], [400, code])
    }
  })

  test('keeps a bounded number of them', async (t) => {
    const scene = await BackupScene.begin(t)
    for (let at = 0; at < 100; at += 1) mkdirSync(join(scene.folder, 'backups', `old-${at}`))
    const { status, body } = await scene.order('a')
    assert.deepEqual([status, body.limit], [413, 'backupsMax'])
    await rm(join(scene.folder, 'backups', 'old-0'), { recursive: true })
    assert.equal((await scene.order('a')).status, 202)
  })

  test('gives percolite backup --url what it needs, and keeps nothing', async (t) => {
    const scene = await BackupScene.begin(t)
    const { url } = await scene.server.listen()
    const out = join(scene.folder, 'out', 'monday')
    const made = await percolite(['backup', '--url', url, '--out', out])
    assert.equal(made.code, 0, made.errors)
    assert.match(made.output, /table item: 2 rows\nno problems\n/)
    assert.deepEqual(await scene.names(), [])
    const checked = await percolite(['check', '--backup', out])
    assert.equal(checked.code, 0, checked.errors)
    const taken = await percolite(['backup', '--url', url, '--out', out])
    assert.deepEqual([taken.code, taken.output], [1, ''])
    const dotted = await percolite(['backup', '--url', url, '--out', `${out}.1`])
    assert.equal(dotted.code, 2)
  })
})

test('a folder in that of the database is no place for backups', async (t) => {
  const data = join(await testFolder(t, 'inside'), 'data')
  for (const backups of [data, join(data, 'backups')]) {
    await assert.rejects(startTestServer(t, { flags: { engine: 'sqlite', data, backups } }), {
      name: 'UsageError',
      message: /--backups .* is in the folder of the database.*take another one/,
    })
  }
})

test('a server without --backups makes none, and says what to do instead', async (t) => {
  for (const [engine, expected] of [
    ['sqlite', /start it with --backups DIR/],
    ['memory', /memory keeps nothing/],
  ] as const) {
    const data = join(await testFolder(t, 'none'), 'data')
    const server = await startTestServer(t, { flags: { engine, data } })
    const answers = [
      await server.post('/v1/backups', { name: 'a' }),
      await server.get('/v1/backups'),
      await server.get('/v1/backups/a'),
      await server.get('/v1/backups/a/file'),
      await server.send({ method: 'DELETE', path: '/v1/backups/a' }),
    ]
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code, body.flag], [403, 'not_enabled', '--backups'])
      assert.match(body.detail, expected)
    }
    const { url } = await server.listen()
    const refused = await percolite(['backup', '--url', url, '--out', join(data, '..', 'a')])
    assert.deepEqual([refused.code, refused.output], [1, ''])
    assert.match(refused.errors, expected)
  }
})

test('the audit log tells who ordered a copy of all rows, read it and removed it', async (t) => {
  const folder = await testFolder(t, 'audited')
  const audit = join(folder, 'audit.log')
  const tokens = await TokenServer.startGuarded(t, { audit, backups: join(folder, 'backups') })
  const admin = tokens.as(tokens.token)
  await admin.send({ method: 'POST', path: '/v1/backups', json: { name: 'a' } })
  for (let state = ''; state !== 'done'; await sleep(10)) {
    state = (await admin.send({ path: '/v1/backups/a' })).body.state
  }
  await admin.send({ path: '/v1/backups/a/file' })
  await admin.send({ method: 'DELETE', path: '/v1/backups/a' })
  await tokens.server.server.close()
  const told = linesOf(readFileSync(audit, 'utf8')).filter(({ event }) => event === 'backup')
  assert.deepEqual(
    told.map(({ operation, role, names }) => ({ operation, role, names })),
    ['createBackup', 'getBackupFile', 'deleteBackup'].map((operation) => {
      return { operation, role: 'admin', names: { backup: 'a' } }
    }),
  )
})
