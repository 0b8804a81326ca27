// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { percolite } from '../test/cli/percolite.ts'
import { startTestServer } from '../test/server/test-server.ts'
import { testFolder } from '../test/test-folder.ts'

test('a device that a flag or a call names is refused, and never read', async (t) => {
  const folder = await testFolder(t, 'named')
  const data = ['--data', join(folder, 'data'), '--port', '0']
  const migrations = join(folder, 'migrations')
  await mkdir(migrations)
  await symlink('/dev/zero', join(migrations, '0001_a.sql'))
  const pem = ['--tls-cert', '/dev/zero', '--tls-key', '/dev/zero']
  const etcd = ['--engine', 'etcd', '--etcd', 'https://127.0.0.1:1', '--etcd-ca', '/dev/zero']
  const jwt = ['--auth', 'required', '--jwt-issuer', 'https://a.example', '--jwt-audience', 'a']
  for (const args of [
    ['query', 'http://127.0.0.1:1', 'SHOW TABLES', '--token-file', '/dev/zero'],
    ['migrate', 'http://127.0.0.1:1', '--folder', migrations],
    ['types', 'http://127.0.0.1:1', '--statements', '/dev/zero'],
    ['import', 'http://127.0.0.1:1', '/dev/zero', '--table', 'a'],
    ['serve', ...data, ...pem],
    ['serve', '--port', '0', ...etcd],
    ['serve', ...data, ...jwt, '--jwt-keys', '/dev/zero'],
    ['serve', ...data, '--observers', '/dev/zero'],
    ['serve', ...data, '--auth', 'required', '--admin-token-file', '/dev/zero'],
  ]) {
    const { code, errors } = await percolite(args)
    assert.notEqual(code, 0, args.join(' '))
    assert.match(errors, /no file|other users can/, args.join(' '))
  }
})

test('statements and rows come out of a pipe too', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  const { url } = await server.listen()
  const folder = await testFolder(t, 'pipe')
  const pipe = join(folder, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  const [{ code, errors }] = await Promise.all([
    percolite(['import', url, pipe, '--table', 'item']),
    writeFile(pipe, '{"id":1}\n{"id":2}\n'),
  ])
  assert.deepEqual([code, (await server.rows('SCAN id FROM item')).length], [0, 2], errors)
})
